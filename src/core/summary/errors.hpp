// Error laws and intervals of the estimates of a summary.
#pragma once

#include <optional>
#include <vector>

#include "core/mechanism/circular/mean_direction.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/mechanism/role/error_law.hpp"
#include "core/mechanism/role/summary_view.hpp"

namespace ldp {

/// Returns the law of an attribute's estimates, for interval(). The attribute must exist. The result is the
/// normal law if people repeat memoized responses. Its possible true values are 0 to 1 for a share, or the
/// range of the attribute. Each share of an attribute with joint views has its own law: see
/// tables/share_intervals.hpp.
[[nodiscard]] ErrorLaw error_law(const SummaryView& view, std::size_t attribute, Target target);

/// Returns the law of group_mean(view, first, last, target).
[[nodiscard]] ErrorLaw group_law(const SummaryView& view, std::size_t first, std::size_t last, Target target);

/// Returns the interval of an attribute's mean among the people who answer, with this share of forged
/// reports. Returns nothing if people cannot leave the number out, or if there are no reports about the
/// attribute.
[[nodiscard]] std::optional<Interval> answered_interval(const SummaryView& view, std::size_t attribute,
                                                        Target target, double critical_value,
                                                        double forged = 0);
/// Returns the mean direction of an attribute, with this share of forged reports. Returns nothing if its values are not on a
/// circle, or if there are no reports about the attribute.
[[nodiscard]] std::optional<Direction> mean_direction(const SummaryView& view, std::size_t attribute,
                                                      Target target, double critical_value,
                                                      double forged = 0);
/// Returns the mean resultant length of such an attribute.
[[nodiscard]] std::optional<ResultantLength> resultant_length(const SummaryView& view, std::size_t attribute,
                                                              Target target, double critical_value);
/// Returns the terms of the mean among the people who answer, from the reports about the attribute. Each
/// report counts as the report of a different person.
[[nodiscard]] AnsweredMean answered_terms(const SummaryView& part, Target target);
/// The means of a summary that sums, differences and comparisons may use: linear in the reports, or a ratio that is neither
/// clipped nor selected. Other means of estimate() are for display. The summary must outlive it.
class ComparableMeans {
  public:
    /// Computes nothing without reports, and if the mechanism has no means.
    ComparableMeans(const SummaryView& view, Target target);
    /// Returns the mean of an attribute. For a number that people may leave out, the standard error is the longer half of the
    /// interval at 95 % without clipping, divided by the critical value. Both are unknown without reports, if hardly anybody
    /// may answer, and if this interval is unlimited.
    [[nodiscard]] Estimate of(std::size_t attribute) const;

  private:
    SummaryView view_;
    Target target_;
    std::vector<Estimate> means_ = {};
};
/// Returns the estimated share of people who answer, and its law. The part of the attribute needs n ≥ 1 reports. Error
/// (unsupported) if nobody leaves the attribute out.
struct LawfulRate {
    Estimate estimate;
    ErrorLaw law;
};
[[nodiscard]] LawfulRate response_rate(const SummaryView& view, std::size_t attribute, Target target);

/// Returns the estimated mean number of labels of a person, and its interval. The part of the attribute needs n ≥ 1
/// reports. Error (unsupported) unless the attribute has sets of labels.
struct SetSize {
    Estimate estimate;
    Interval interval;
};
[[nodiscard]] SetSize set_size(const SummaryView& view, std::size_t attribute, Target target,
                               double critical_value);

/// Returns the interval of combined(one, other) from both intervals at the same confidence. Its half-widths
/// follow from the half-widths of the two intervals and the weights of the estimates (Zou, Donner 2008). The
/// small-sample corrections of the two intervals are therefore kept.
[[nodiscard]] Interval combined_interval(const Estimate& one, const Interval& of_one, const Estimate& other,
                                         const Interval& of_other) noexcept;

}  // namespace ldp
