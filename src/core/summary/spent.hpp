// The share of people whose responses repeat a spent budget, and the largest bias that they cause.
#pragma once

#include <optional>
#include <string>

#include "core/format/budget_terms.hpp"
#include "core/mechanism/role/estimate.hpp"
#include "core/mechanism/role/summary_view.hpp"

namespace ldp {

/// The share of the reports from people whose budget was spent before.
struct SpentShare {
    Estimate share;     ///< unbiased, so that it may be negative
    Interval interval;  ///< at the given critical value
    double p_value;     ///< of a share of 0, one-sided
};

/// The bound of a bias: an uncertain share of the reports, times the range of the possible values.
struct BiasBound {
    double share = 0, error = 0;  ///< estimated, so that the share may be negative
    double range = 0;             ///< in the unit of the estimate; 0 without a bias
    Interval possible{0, 0};      ///< values of the estimated quantity

    /// Returns the bound at a critical value.
    [[nodiscard]] double at(double critical_value) const noexcept;
};
/// Returns an interval that is extended by a bias to both sides, but by the bias not beyond the possible
/// values. The error of the bias and half the width of the interval are added as squares, since the noise of
/// both is independent. The extended interval contains the truth at least as often as the given one, for
/// every true share.
[[nodiscard]] Interval extended(const Interval& found, const BiasBound& bias, double critical_value) noexcept;
/// Returns the p-value of the hypothesis that the true value of an estimate is 0, if the estimate has this bias. The
/// extended interval, which is made from `found` at the same critical value, contains 0 unless the p-value is less than
/// the error of the interval.
[[nodiscard]] double extended_p_value(double p_value, double estimate, const Interval& found,
                                      const BiasBound& bias, double critical_value) noexcept;
/// Returns the bound of the bias of a difference.
[[nodiscard]] BiasBound bias_of_difference(const BiasBound& one, const BiasBound& other) noexcept;

/// What a whole summary shows about the spent budgets of all people, or of the people who reported a part of
/// a record. It has no destructor.
class SpentBudgets {
  public:
    /// A p-value below this is significant. The note then has a lower limit of the share.
    static constexpr double significance = 0.01;

    /// Contains no reports.
    SpentBudgets() = default;
    /// The view must be the result of view_of(). An attribute stands for the part that contains it.
    explicit SpentBudgets(const SummaryView& whole, std::optional<std::size_t> attribute = {});

    /// Whether reports have a signal.
    [[nodiscard]] bool has_signal() const noexcept { return terms_.has_signal(); }
    /// Whether a budget can have ended in these rounds: a person has at most one report in each, and they are
    /// numbered from 0 or 1. Before, the signal does not depend on values.
    [[nodiscard]] bool possible() const noexcept { return possible_; }
    /// Whether the share is significantly greater than 0 and a budget can have ended.
    [[nodiscard]] bool significant() const;
    /// Returns the share. The errors refer to the people who reported, and are inflated if their reports repeat.
    /// Requires a signal, reports and known rounds.
    [[nodiscard]] SpentShare share(double critical_value) const;

    /// Returns the bound of the bias of an estimate from `reports` of the reports, about a quantity with
    /// these possible values: 0 if no budget can have ended, or if nothing is known about it. All people with
    /// a spent budget may be among these reports.
    [[nodiscard]] BiasBound bias(std::uint64_t reports, const Interval& possible) const;
    /// Returns a sentence for display if budgets can have ended; empty otherwise.
    [[nodiscard]] std::string note() const;

  private:
    BudgetTerms terms_{};
    bool possible_ = false, known_ = false;
    std::uint64_t ones_ = 0, reports_ = 0;
    double p_ = 1, q_ = 0;  ///< probabilities of a 1
    double each_ = 1;       ///< the most reports of one person
};

/// Returns the possible values of a part's mean, or 0 to 1 for shares. `attribute` is the attribute of the
/// part.
[[nodiscard]] Interval possible_values(const Mechanism& part, std::size_t attribute);

}  // namespace ldp
