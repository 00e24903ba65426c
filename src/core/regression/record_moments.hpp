// Several means and shares of one record at once, and how sure a function of them is.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/math/normal_equations.hpp"
#include "core/mechanism/capability.hpp"

namespace ldp {

/// Estimates from a summary of a record, which must outlive them. They are asked for one after another, each
/// has a place, and a MomentFunction's gradient goes by these places.
///
/// Of one attribute a report a person tells one moment, and the errors of different ones are independent:
/// what follows from them has the standard error that the delta method gives. Where reports tell several
/// attributes, or the target is the people who reported, people's own values are in several moments; how
/// those go together is not known, and the error is bounded (variance_of_sum). So it is of the shares of a
/// category's values, except where the mechanism knows how they go together (FrequencyOracle).
class MomentEstimator {
  public:
    /// Throws Error (unsupported) unless the reports are of single attributes of a record.
    MomentEstimator(const SummaryView& view, Target target);

    /// A number that is no estimate.
    std::size_t constant(double value);
    /// The mean of a number less `middle`, in this unit. Throws Error as estimate() does.
    std::size_t mean(std::size_t attribute, double middle, double unit);
    /// The share of a value of a category. Throws Error as estimate() does.
    std::size_t share(std::size_t attribute, std::size_t value);

    /// By place; NaN where no report tells of it.
    [[nodiscard]] std::span<const double> values() const noexcept { return values_; }
    [[nodiscard]] double standard_error(std::span<const double> gradient) const;
    [[nodiscard]] Estimate estimate(const MomentFunction& function) const {
        return {function.value, standard_error(function.gradient)};
    }
    /// Of the attributes that were asked for, the one that the fewest reports, or people, tell of.
    [[nodiscard]] std::size_t scarcest() const noexcept { return scarcest_; }
    /// Whether these are as many as the spec wants.
    [[nodiscard]] bool enough() const;

  private:
    /// The reports about one attribute, and what is estimated of it.
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
