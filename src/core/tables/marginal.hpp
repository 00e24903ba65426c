// Questions to cross tables that people were divided among: the share of any box of some attributes' values,
// and of those who meet one condition the share who meet another.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/mechanism/error_law.hpp"
#include "core/mechanism/joint/cross_tables.hpp"
#include "core/tables/quotient.hpp"

namespace ldp {

/// "consistent" or "unbiased"; throws Error (invalid_value) for other words.
[[nodiscard]] Combination combination_named(std::string_view word);

/// A share of others, with its standard error by the delta method and the interval of a quotient. Where the
/// share of the others may be 0 nothing is known: all are NaN.
struct Quotient {
    Estimate estimate;
    Interval interval;
};

/// The estimated share of a box and the law of its error, from one evaluation.
struct MeasuredShare {
    Estimate estimate;  ///< NaN if no report is about all the attributes
    /// The law of a count if the estimate is read off one; otherwise the normal law, with an allowance for
    /// what few reports may not show.
    ErrorLaw law;
};

/// The interval of a measured share at this critical value.
[[nodiscard]] inline Interval interval(const MeasuredShare& share, double critical_value) {
    return interval(share.estimate, critical_value, share.law);
}

/// Joint shares of some attributes, estimated from a summary.
class Marginal {
  public:
    /// Of attributes in ascending order, of reports that there may be none of. Throws Error: invalid_value if
    /// an attribute is not there or stands twice; unsupported if the reports do not tell several attributes
    /// together, if no view has all of these, or if they were counted without the rounds that it takes.
    /// Mechanism and bytes must outlive it.
    Marginal(const SummaryView& view, const std::vector<std::size_t>& attributes, Combination how,
             Target target);

    [[nodiscard]] const std::vector<std::uint64_t>& sizes() const noexcept { return sizes_; }
    /// How many reports are about at least one of the attributes and of use.
    [[nodiscard]] std::uint64_t reports() const noexcept;
    /// Whether any were about all of them: otherwise every answer is NaN.
    [[nodiscard]] bool told() const noexcept { return shares_->told(); }

    /// Estimates the share of a box and states the law of its error.
    [[nodiscard]] MeasuredShare measured(const JointShares::Box& box) const;
    /// Of all cells, the last attribute's value running fastest.
    [[nodiscard]] std::vector<Estimate> shares() const;
    /// Of those in the second box, the share who are also in the first one; `reach` as of an interval.
    [[nodiscard]] Quotient quotient(const JointShares::Box& of, const JointShares::Box& given,
                                    double critical_value) const;

  private:
    /// Two boxes' shares, of which one is part of the other, their variances and covariance `times` those of
    /// as many people as there are reports.
    [[nodiscard]] PartOfWhole part_of_whole(const JointShares& shares, const JointShares::Box& part,
                                            const JointShares::Box& whole, double times) const;

    /// The law of a share's error; `variance` is the share's, for one report a person.
    [[nodiscard]] ErrorLaw law(const JointShares::Box& box, const JointShares::Share& share,
                               double variance) const;
    /// What the variance of the share of a box would have more, if in each part one report more were of the
    /// box and one more of any cell, evenly: of few reports at a large ε a rare cell may have none, and then
    /// hardly any variance of its own (Agresti, Caffo 2000, for differences of two samples). Of Haar details
    /// that of cautious().
    [[nodiscard]] double unseen_variance(const JointShares::Box& box, const JointShares::Share& share,
                                         double variance) const;

    SummaryView view_;
    std::vector<std::uint64_t> sizes_;
    std::unique_ptr<const JointShares> shares_;
    std::unique_ptr<const JointShares> cautious_;  // of Haar details
    std::unique_ptr<const JointShares> evened_;  // with the one of any cell, where shares have several parts
    double n_, each_;                            // reports, and the most of one person
    Target target_;
};

/// The cells of a marginal one after another, as boxes.
class Cells {
  public:
    explicit Cells(const std::vector<std::uint64_t>& sizes);

    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    /// The values that cell number `cell` stands for.
    [[nodiscard]] std::vector<std::uint64_t> values(std::size_t cell) const;
    [[nodiscard]] JointShares::Box box(std::size_t cell) const;

  private:
    std::vector<std::uint64_t> sizes_;
    std::size_t count_;
};

}  // namespace ldp
