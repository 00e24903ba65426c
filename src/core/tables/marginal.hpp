// Estimates from marginal tables of different people: the share of any box of some attributes' values, and
// conditional shares.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/mechanism/joint/cross_tables.hpp"
#include "core/mechanism/role/error_law.hpp"
#include "core/tables/quotient.hpp"

namespace ldp {

/// Returns the combination named "consistent" or "unbiased". Error (invalid_value) for other words.
[[nodiscard]] Combination combination_named(std::string_view word);

/// A conditional share with its standard error by the delta method and the interval of a quotient. All values
/// are NaN if the share of the condition may be 0.
struct Quotient {
    Estimate estimate;
    Interval interval;
};

/// The estimated share of a box and the law of its error, from one evaluation.
struct MeasuredShare {
    Estimate estimate;  ///< NaN if no report is about all the attributes
    /// The law of a count if the estimate is linear in one. Otherwise the normal law, with an additional
    /// variance for small samples.
    ErrorLaw law;
};

/// The interval of a measured share at this critical value.
[[nodiscard]] inline Interval interval(const MeasuredShare& share, double critical_value) {
    return interval(share.estimate, critical_value, share.law);
}

/// Joint shares of some attributes, estimated from a summary.
class Marginal {
  public:
    /// `attributes` must be ascending; the summary may be empty. Error: invalid_value if an attribute does not exist or
    /// occurs twice; unsupported if the reports do not cover several attributes together, if no marginal contains all
    /// attributes, or if required rounds are unknown. The mechanism and the bytes must outlive the object.
    Marginal(const SummaryView& view, const std::vector<std::size_t>& attributes, Combination how,
             Target target);

    [[nodiscard]] const std::vector<std::uint64_t>& sizes() const noexcept { return sizes_; }
    /// Returns the number of reports about at least one of the attributes that the estimates use.
    [[nodiscard]] std::uint64_t reports() const noexcept;
    /// Returns whether any report covers all the attributes. Otherwise every estimate is NaN.
    [[nodiscard]] bool known() const noexcept { return shares_->known(); }

    /// Estimates the share of a box and states the law of its error.
    [[nodiscard]] MeasuredShare measured(const JointShares::Box& box) const;
    /// Returns the shares of all cells; the last attribute's value varies fastest.
    [[nodiscard]] std::vector<Estimate> shares() const;
    /// Returns the share of the people in `given` who are also in `of`.
    [[nodiscard]] Quotient quotient(const JointShares::Box& of, const JointShares::Box& given,
                                    double critical_value) const;

  private:
    /// Returns a share with its standard error for the target.
    [[nodiscard]] Estimate estimate(const JointShares& shares, const JointShares::Share& share) const;
    /// Returns the shares of two boxes, one of which is part of the other, with their variances and
    /// covariance, multiplied by `times`.
    [[nodiscard]] PartOfWhole part_of_whole(const JointShares& shares, const JointShares::Box& part,
                                            const JointShares::Box& whole, double times) const;

    /// Returns the law of a share's error; `variance` is the share's with one report per person.
    [[nodiscard]] ErrorLaw law(const JointShares::Box& box, const JointShares::Share& share,
                               double variance) const;
    /// Returns the additional variance of a share if each part had one more report in the box and one more
    /// spread evenly over all cells. With few reports at a large ε, a rare cell may have no reports and
    /// hardly any sample variance (Agresti, Caffo 2000, for differences of two samples). For Haar
    /// coefficients, the variance is computed by cautious().
    [[nodiscard]] double unseen_variance(const JointShares::Box& box, const JointShares::Share& share,
                                         double variance) const;

    SummaryView view_;  // for a record, the part with the attributes
    std::vector<std::uint64_t> sizes_;
    std::unique_ptr<const JointShares> shares_;
    std::unique_ptr<const JointShares> cautious_;  // for Haar coefficients
    // with one report spread over all cells, for shares of several parts
    std::unique_ptr<const JointShares> evened_;
    double n_, each_;  // number of reports, and the maximum of one person
    Target target_;
};

/// The cells of a marginal as boxes, in order.
class Cells {
  public:
    explicit Cells(const std::vector<std::uint64_t>& sizes);

    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    /// Returns the values of the cell with index `cell`.
    [[nodiscard]] std::vector<std::uint64_t> values(std::size_t cell) const;
    [[nodiscard]] JointShares::Box box(std::size_t cell) const;

  private:
    std::vector<std::uint64_t> sizes_;
    std::size_t count_;
};

}  // namespace ldp
