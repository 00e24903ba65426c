// Effect of forged reports. A single forged report cannot be recognized. Its effect on an estimate is
// bounded, and so is the probability that honest reports are equal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/mechanism/role/estimate.hpp"

namespace ldp {

/// A component of an estimate. An estimate is a sum of components, each the mean of a term over the reports
/// about it.
struct Contribution {
    double chance;    ///< probability that an honest report is about this component
    Interval terms;   ///< possible terms of one report about it, forged or honest
    Interval truths;  ///< possible expectations of an honest report's term over all values
};

class Forgery {
  public:
    virtual ~Forgery() = default;

    /// Returns the components of the estimate that the request names, at the item where forged reports have
    /// the greatest effect. The item is a value's share or the mean of question.attribute, or of the first
    /// attribute if none is named. Empty if the reports do not carry the attribute, and for distributions,
    /// whose fit is not linear.
    [[nodiscard]] virtual std::vector<Contribution> contributions(const Question& question) const = 0;
    /// Returns an upper bound of the probability of this valid payload over all values.
    [[nodiscard]] virtual double max_probability(Bytes payload) const = 0;
};

/// Returns n times the largest change of an estimate by one report among n, relative to the expectation of
/// honest reports, for large n.
[[nodiscard]] double influence(std::span<const Contribution> contributions);
/// Returns the largest downward and upward bias of an estimate if a share (0 ≤ share < 1) of all reports is
/// forged. The forgers cooperate and know the values of the honest users. The honest reports are divided
/// among the components in the expected proportions.
[[nodiscard]] Interval bias(std::span<const Contribution> contributions, double share);
/// Returns an interval for the honest users' value if at most this share of all reports is forged. `errors`
/// is the number of standard errors. The interval is clipped to the possible values.
[[nodiscard]] Interval robust_interval(const Estimate& estimate, double errors,
                                       std::span<const Contribution> contributions, double share);

/// Returns a p-value for `copies` equal payloads among `reports` honest reports of different users, if the
/// payload has at most `max_probability` in each report. It is valid for all payloads at once and for all
/// values of the users.
[[nodiscard]] double chance_of_copies(double max_probability, std::uint64_t copies, std::uint64_t reports);

}  // namespace ldp
