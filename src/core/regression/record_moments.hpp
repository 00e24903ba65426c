// Means and shares of one record, and the standard errors of functions of them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/mechanism/role/capability.hpp"
#include "core/regression/normal_equations.hpp"

namespace ldp {

/// Throws Error (unsupported): a regression has no number on a circle. `attribute` is its name in a sentence.
[[noreturn]] void refuse_direction(const std::string& attribute);

/// Estimates from a summary of a record, which must outlive this object. Each requested moment has an index,
/// and the gradient of a MomentFunction has one element per index.
///
/// If reports contain one attribute each, a person contributes to one moment, and the errors of different
/// moments are independent. The standard error of a function then follows by the delta method. If reports
/// contain several attributes, or if the target is the people who reported, a person contributes to several
/// moments with unknown covariances, and the error is an upper bound (variance_of_sum). The error is also an
/// upper bound for the shares of a category's values, unless the mechanism has their covariances
/// (FrequencyOracle).
class MomentEstimator {
  public:
    /// Throws Error (unsupported) unless the reports are of single attributes of a record.
    MomentEstimator(const SummaryView& view, Target target);

    /// Adds a constant.
    std::size_t constant(double value);
    /// Adds the mean of a number minus `middle`, in this unit. Throws Error as estimate() does.
    std::size_t mean(std::size_t attribute, double middle, double unit);
    /// Adds the share of a value of a category. Throws Error as estimate() does.
    std::size_t share(std::size_t attribute, std::size_t value);

    /// Returns the moments by index; NaN for a moment without reports.
    [[nodiscard]] std::span<const double> values() const noexcept { return values_; }
    [[nodiscard]] double standard_error(std::span<const double> gradient) const;
    [[nodiscard]] Estimate estimate(const MomentFunction& function) const {
        return {function.value, standard_error(function.gradient)};
    }
    /// Returns the requested attribute with the fewest reports or people.
    [[nodiscard]] std::size_t scarcest() const noexcept { return scarcest_; }
    /// Whether its reports or people are at least the spec's min_group.
    [[nodiscard]] bool enough() const;

  private:
    /// The reports about one attribute, and its estimates.
    struct AttributeReports {
        std::size_t attribute;
        SummaryView part;
        double left;                             ///< as Addend::left
        double unit;                             ///< of a number
        std::vector<Estimate> estimates, noise;  ///< against a population, and against those who reported it
    };
    struct MomentIndex {
        std::size_t source, value;
    };
    static constexpr std::size_t none = std::size_t{0} - 1;

    std::size_t source(std::size_t attribute, Quantity quantity, double unit);
    std::size_t add(const MomentIndex& place, double value);
    [[nodiscard]] static Addend of_number(const AttributeReports& source, double weight);
    [[nodiscard]] static Addend of_shares(const AttributeReports& source, std::span<const double> weights);

    SummaryView view_;
    Target target_;
    std::uint64_t per_report_;
    std::size_t scarcest_ = 0;
    std::vector<AttributeReports> sources_;
    std::vector<MomentIndex> places_;
    std::vector<double> values_;
};

}  // namespace ldp
