// NOT PRIVATE. The Haar pipeline as it was published (Zhang, Ni, Fu, Hou, Zhang 2023; Saatchi 2025), written
// anew from its description, to be compared with and for nothing else: it is linked into benchmarks only.
//
// It draws with floating-point numbers, like the original, and it gives away far more than the ε it claims:
// each form says how much. Of the release, the description tells the shape and not the constants: the
// threshold and the width of its window are ours. That it is unbounded does not depend on them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/random.hpp"
#include "core/math/haar_tree.hpp"

namespace bench {

/// An output on [−b,b] whose density is e^ε times higher inside a window that follows x ∈ [−1,1] than outside
/// of it; unbiased.
class OpenWindow {
  public:
    /// The width is that of the window; (e^ε − 1)·width > 2.
    OpenWindow(double epsilon, double width);
    [[nodiscard]] double draw(double x, ldp::BitSource& bits) const;
    [[nodiscard]] double density(double x, double y) const;
    /// Of the window.
    [[nodiscard]] double middle(double x) const { return x * (bound_ - width_ / 2); }
    /// Of the output, averaged over inputs with this mean square.
    [[nodiscard]] double variance(double mean_square) const;
    /// The worst log-ratio of densities, by enumeration: the density takes two values, and is constant
    /// between the ends of the windows of the inputs compared.
    [[nodiscard]] double epsilon() const;

  private:
    double width_, bound_, inside_, outside_;
};

/// What both forms share: a person's values, padded with zeros to a power of two, become the mean and the
/// details; the server takes every report's inverse transform, and averages.
class PublishedHaar {
  public:
    virtual ~PublishedHaar() = default;
    /// Perturbs coefficients in place: the mean, then the details in breadth-first order.
    virtual void perturb(std::span<double> coefficients, ldp::BitSource& bits) const = 0;
    /// The true ε of one report.
    [[nodiscard]] virtual double epsilon() const = 0;

    [[nodiscard]] const ldp::HaarTree& tree() const noexcept { return tree_; }
    /// Σ over the details of the leaf's path of each one's variance, and whatever else the report's leaves
    /// vary by, for one person's coefficients; and how far the report's leaves lie off on average.
    struct Law {
        std::vector<double> variance, bias;
    };
    [[nodiscard]] virtual Law law(std::span<const double> coefficients) const = 0;

  protected:
    PublishedHaar(std::size_t attributes, double epsilon);
    /// Of a detail: half-width 1/(e^ε − 1) around e^ε·x/(e^ε − 1), as printed. This is the window of
    /// `piecewise` at 2ε.
    [[nodiscard]] const OpenWindow& detail_window() const noexcept { return detail_; }

  private:
    ldp::HaarTree tree_;
    OpenWindow detail_;
};

/// As printed: ε on the mean; then with a fair coin either the even or the odd details, each through its
/// window, and zeros for the others. Nothing makes up for the zeros, so details are estimated half as large
/// as they are.
class PrintedHaar final : public PublishedHaar {
  public:
    /// At least 3 attributes.
    PrintedHaar(std::size_t attributes, double claimed_epsilon);
    void perturb(std::span<double> coefficients, ldp::BitSource& bits) const override;
    [[nodiscard]] Law law(std::span<const double> coefficients) const override;
    /// ε of the mean and of the details.
    [[nodiscard]] double epsilon() const override { return mean_.epsilon() + details_epsilon(); }
    /// The worst log-ratio over both masks, by enumeration of each detail that a mask lets through: they are
    /// independent, so that the ratios multiply.
    [[nodiscard]] double details_epsilon() const;
    /// The same from the density of the whole report, over all inputs at the corners of the cube and
    /// outputs in the middles of their windows;
    /// takes 8^details steps.
    [[nodiscard]] double enumerated_details_epsilon() const;

  private:
    [[nodiscard]] double density(std::span<const double> details, std::span<const double> report,
                                 std::size_t parity) const;
    OpenWindow mean_;
};

/// As released: details below a threshold are sent as they are, larger ones through the window; the mean
/// somewhere within a fixed distance, evenly.
class ReleasedHaar final : public PublishedHaar {
  public:
    static constexpr double threshold = 0.5, reach = 0.1;

    ReleasedHaar(std::size_t attributes, double claimed_epsilon);
    void perturb(std::span<double> coefficients, ldp::BitSource& bits) const override;
    [[nodiscard]] Law law(std::span<const double> coefficients) const override;
    /// The worst log-ratio that the mean alone shows, by enumeration over a grid: infinite, since there are
    /// outputs of positive density under one mean and of density 0 under another.
    [[nodiscard]] double epsilon() const override;
    [[nodiscard]] static double mean_density(double mean, double output);
};

/// Throws std::logic_error unless the forms give away what the manual says: at claimed ε = 1, 4 with 3
/// details and 16 with 15, beside the mean's ε; and without a bound as released.
void check_published_haar();

}  // namespace bench
