// NOT PRIVATE. The Haar pipeline of a thesis (Saatchi 2025, after Zhang, Ni, Fu, Hou, Zhang 2023), rebuilt
// from its description in two forms, as printed and as its program was released. It serves comparisons only
// and is linked into the evaluation, never into the library.
//
// Both forms draw with floating-point numbers, like the original, and cost more than the ε that they claim.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.hpp"
#include "core/math/haar_tree.hpp"

namespace evaluation {

/// Uniform on [0, 1), in steps of 2^-53.
[[nodiscard]] double uniform(ldp::BitSource& bits);
/// Whether a coin that shows heads with probability e^ε/(e^ε + 1) does.
[[nodiscard]] bool heads(double epsilon, ldp::BitSource& bits);

/// The window of a detail x in [−1, 1]: half-width 1/(a − 1) around a·x/(a − 1), in the range ±(a + 1)/(a −
/// 1), a = e^ε.
struct CoefficientWindow {
    CoefficientWindow(double x, double epsilon);
    double low, high;  ///< the ends of the window
    double bound;      ///< the end of the range
};

/// PDP, the published randomizer of a mean: an output on [−b, b] whose density is e^ε times higher inside a
/// window that follows x ∈ [−1, 1] than outside of it. The window has the width Δ that the printed constants
/// normalise, and a centre that makes the output unbiased.
class DensityWindow {
  public:
    explicit DensityWindow(double epsilon);
    [[nodiscard]] double draw(double x, ldp::BitSource& bits) const;
    [[nodiscard]] double density(double x, double y) const;
    /// The centre of the window.
    [[nodiscard]] double middle(double x) const { return x * (bound_ - width_ / 2); }
    [[nodiscard]] double variance(double x) const;
    /// The worst log-ratio of densities, by enumeration.
    [[nodiscard]] double epsilon() const;

  private:
    double width_, bound_, inside_, outside_;
};

/// What both forms share. A person's values are padded with zeros to a power of two and become the mean and
/// the details; the server takes the inverse transform of every report, and averages.
class PublishedHaar {
  public:
    virtual ~PublishedHaar() = default;
    /// Perturbs coefficients in place: the mean, then the details in breadth-first order.
    virtual void perturb(std::span<double> coefficients, ldp::BitSource& bits) const = 0;
    /// The true ε of one report.
    [[nodiscard]] virtual double epsilon() const = 0;

    /// Of each leaf of the inverse transform of a report, for one person's coefficients: the variance, and
    /// the expected distance from the person's value.
    struct Law {
        std::vector<double> variance, bias;
    };
    [[nodiscard]] virtual Law law(std::span<const double> coefficients) const = 0;
    [[nodiscard]] const ldp::HaarTree& tree() const noexcept { return tree_; }

  protected:
    PublishedHaar(std::size_t attributes, double epsilon);
    /// The claimed one.
    [[nodiscard]] double claimed() const noexcept { return epsilon_; }

  private:
    ldp::HaarTree tree_;
    double epsilon_;
};

/// GPM, the printed randomizer of all details (the thesis's Algorithm 1). A coin that shows heads with
/// probability e^ε/(e^ε + 1) chooses between the masks with an even number of ones and those with an odd
/// number; a mask is drawn uniformly from that set. A masked detail is drawn uniformly outside of its window,
/// any other inside.
///
/// A report shows its mask. Its density is proportional to e^(ε·[even number of ones])·e^(−ε·number of ones),
/// so the true cost of d details is 2ε⌈d/2⌉. The threshold below which details are set to zero before the
/// noise is an argument without a value in the text; here it is 0.
class GlobalPerturbation {
  public:
    explicit GlobalPerturbation(double epsilon) : epsilon_(epsilon) {}
    void perturb(std::span<double> details, ldp::BitSource& bits) const;
    /// The density of a report, summed over all masks; at most 20 details.
    [[nodiscard]] double density(std::span<const double> details, std::span<const double> report) const;
    /// The true ε, in closed form.
    [[nodiscard]] double epsilon(std::size_t details) const;
    /// The same by enumeration of density(): each detail of the inputs takes each value given, and each of
    /// the reports the middle of each value's window.
    [[nodiscard]] double enumerated_epsilon(std::size_t details, std::span<const double> values) const;

    /// Of one of three or more details, whose mask bits are fair and independent in pairs: the report's mean,
    /// which is half of the detail, and its variance.
    struct Moments {
        double mean, variance;
    };
    [[nodiscard]] Moments moments(double detail) const;

  private:
    double epsilon_;
};

/// The mean by PDP and all details by GPM, each at the claimed ε (the thesis's Algorithm 4 for one report).
/// Details come out half as large as they are, and nothing makes up for it.
class PrintedHaar final : public PublishedHaar {
  public:
    /// At least 3 attributes.
    PrintedHaar(std::size_t attributes, double claimed_epsilon);
    void perturb(std::span<double> coefficients, ldp::BitSource& bits) const override;
    [[nodiscard]] Law law(std::span<const double> coefficients) const override;
    [[nodiscard]] double epsilon() const override;

  private:
    DensityWindow mean_;
    GlobalPerturbation details_;
};

/// The released program. The mean: uniform within ±0.0005 if a coin of e^ε/(e^ε + 1) shows heads, else within
/// ±0.005, and clipped to [−1, 1]. The details: the same sort of coin chooses an even or an odd k below ⌊(d +
/// 1)/4⌋, and k random positions are masked. A masked detail of at least 0.5 in absolute value is drawn
/// uniformly on one side of its window, the left if it is at most the left end, else the right. All others
/// are sent as they are.
class ReleasedHaar final : public PublishedHaar {
  public:
    static constexpr double near = 0.0005, far = 0.005, threshold = 0.5;

    /// At least 5 attributes: of fewer the program fails, since no odd k is allowed.
    ReleasedHaar(std::size_t attributes, double claimed_epsilon);
    void perturb(std::span<double> coefficients, ldp::BitSource& bits) const override;
    [[nodiscard]] Law law(std::span<const double> coefficients) const override;
    /// The worst log-ratio that the mean alone shows, by enumeration: infinite, since outputs of positive
    /// density under one mean have density 0 under another.
    [[nodiscard]] double epsilon() const override;
    [[nodiscard]] double mean_density(double mean, double output) const;

  private:
    [[nodiscard]] std::size_t draw_masked(ldp::BitSource& bits) const;
    std::size_t details_;
    double one_, two_;  ///< the probability that a detail is masked, and that two are
};

/// Throws std::logic_error unless the forms have the costs of the manual. As printed, 1 to 8 coefficients
/// cost 2, 2, 4, 4, 6, 6, 8, 8 times the claimed ε, and that of the mean. As released, the cost is
/// unbounded.
void check_published_haar();

}  // namespace evaluation
