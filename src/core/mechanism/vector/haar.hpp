// The common part of both forms of haar: the tree, the ranges of its coefficients, and the variance of linear
// combinations. haar_sampled.cpp and haar_global.cpp contain the reports of each form, haar.cpp the
// parameters.
#pragma once

#include <memory>
#include <vector>

#include "core/channel/numeric.hpp"
#include "core/mechanism/mean/chained_channel.hpp"
#include "core/mechanism/mean/rounded_numbers.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/vector/haar_vector.hpp"

namespace ldp {

enum class Form : std::uint8_t { sampled = 0, global = 1 };

/// The parameters of the block that both forms share.
struct HaarPlan {
    Form form;
    Aim aim = Aim::leaves;
    std::vector<Range> attributes;
    std::vector<UnitRange> coefficients;
    double mean_epsilon;        ///< ε of the numeric randomizer; less than ε in the global form
    double report_epsilon = 0;  ///< of one report in two layers; 0 in one layer
    std::uint32_t rounding_cells = 0;
};

class Haar : public Mechanism, public HaarVector, public GroupMean {
  public:
    std::vector<std::uint64_t> cells() const final {
        return std::vector<std::uint64_t>(tree_.size(), channel_->inputs());
    }
    std::vector<std::pair<std::string, double>> parameters() const override;
    const HaarTree& tree() const noexcept final { return tree_; }
    Interval ends(std::size_t attribute) const noexcept final {
        return {plan_.attributes[attribute].min, plan_.attributes[attribute].max};
    }

    double rounding_deviation(std::size_t attribute) const noexcept final;

    std::size_t clamped(Input input) const final;

    std::span<const Quantity> answers() const noexcept final;
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const final;
    Estimate group_mean(const Counts& counts, std::size_t first, std::size_t last, Target target) const final;

    double n_variance(double truth) const final;
    double expected_variance(std::size_t attribute) const override;
    std::vector<Contribution> contributions(const Question& question) const final;

  protected:
    Haar(const Header& header, Bytes block, std::unique_ptr<const NumericChannel> channel, HaarPlan plan)
        : Mechanism(header, block),
          channel_(std::move(channel)),
          plan_(std::move(plan)),
          tree_(plan_.attributes.size()),
          cell_width_(cell_width(channel_->outputs())) {}

    /// Coefficients, and the terms of the variance of a linear combination Σ g·coefficient. Without the mean,
    /// the variance is Σ g²·(second moment) − (Σ g·first moment)². The mean is reported independently of the
    /// other coefficients, but by the same users. In a population, both may therefore be correlated. The
    /// covariance is at most mean_deviation times the root of (Σ |g|·bound)² − (Σ g·first moment)².
    struct Spectrum {
        explicit Spectrum(std::size_t d) : values(d), second_moments(d), first_moments(d), bounds(d) {}
        std::vector<double> values, second_moments;
        std::vector<double> first_moments,
            bounds;  ///< 0 for the mean, and for coefficients that are not reported together
        double mean_deviation = 0;

        [[nodiscard]] double variance(double second_moment, double first_moment, double bound,
                                      double mean_weight) const noexcept;
    };

    [[nodiscard]] std::vector<double> leaf_variances(const Spectrum& spectrum) const;
    [[nodiscard]] const NumericChannel& channel() const noexcept { return *channel_; }
    [[nodiscard]] const HaarPlan& plan() const noexcept { return plan_; }
    [[nodiscard]] const UnitRange& range(std::size_t c) const noexcept { return plan_.coefficients[c]; }
    [[nodiscard]] std::size_t width_of_cell() const noexcept { return cell_width_; }

    [[nodiscard]] std::vector<double> transform(Input input) const;
    /// Returns the grid point of a coefficient's value in its range.
    [[nodiscard]] GridPoint place(std::size_t c, double value) const noexcept;
    /// Returns the grid step of a coefficient.
    [[nodiscard]] double step(std::size_t c) const noexcept {
        return 2 * range(c).half() / static_cast<double>(channel_->steps());
    }
    /// Returns the component of one coefficient in a sum: the possible terms follow from `ends`, the
    /// expectations from the coefficient's range.
    [[nodiscard]] Contribution contribution(std::size_t c, double weight, double chance,
                                            const Interval& ends) const noexcept;
    /// Returns the smallest and largest decoded output of the numeric randomizer for a coefficient.
    [[nodiscard]] Interval outputs_of(std::size_t c) const {
        const auto [least, most] = channel_->reach();
        return {range(c).low() + step(c) * least, range(c).low() + step(c) * most};
    }
    /// Returns n·Var of this numeric randomizer alone for a coefficient with this value, which is clamped to
    /// its range.
    [[nodiscard]] double randomizer_noise(const NumericChannel& channel, std::size_t c,
                                          double value) const noexcept;
    /// Returns the exact probability of the numeric randomizer's output for a coefficient's grid point.
    [[nodiscard]] static Exact randomizer_probability(const NumericChannel& channel, const GridPoint& point,
                                                      std::uint64_t output);

  private:
    /// Returns the components of Σ weight·coefficient. Each coefficient occurs once.
    [[nodiscard]] virtual std::vector<Contribution> contributions_in(
        std::span<const std::pair<std::size_t, double>> weights) const = 0;
    /// Returns the coefficients for linear combinations. Requires n ≥ 1 reports.
    [[nodiscard]] virtual Spectrum together(const Counts& counts, Target target) const = 0;
    /// Returns the coefficients for separate use.
    [[nodiscard]] virtual Spectrum alone(const Counts& counts, Target target) const = 0;
    /// Returns the spectrum of one report of users who all have these coefficients.
    [[nodiscard]] virtual Spectrum at(std::span<const double> truths) const = 0;

    std::unique_ptr<const NumericChannel> channel_;
    HaarPlan plan_;
    HaarTree tree_;
    std::size_t cell_width_;
};

/// Returns the form with one publicly drawn coefficient per user, at the full ε. `kept` and `sent` are the
/// layers of the chain; null in one layer.
[[nodiscard]] std::unique_ptr<const Mechanism> make_sampled_haar(const Header& header, Bytes block,
                                                                 ChainedChannel channel, HaarPlan plan);
/// Returns the form with the mean at ε₁ and all other coefficients at once at the remaining ε.
[[nodiscard]] std::unique_ptr<const Mechanism> make_global_haar(const Header& header, Bytes block,
                                                                std::unique_ptr<const NumericChannel> channel,
                                                                HaarPlan plan);
/// Returns ε − ε₁, rounded so that the sum of both is at most ε.
[[nodiscard]] double coefficient_epsilon(double epsilon, double mean_epsilon) noexcept;

}  // namespace ldp
