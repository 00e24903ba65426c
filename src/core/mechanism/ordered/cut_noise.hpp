// Errors of estimates from people who are divided among public partitions, each of whom reports the bucket of
// their point by a symmetric response.
#pragma once

#include <span>
#include <vector>

#include "core/mechanism/frequency/pure_protocol.hpp"
#include "core/mechanism/ordered/ordered.hpp"
#include "core/mechanism/ordered/public_cuts.hpp"

namespace ldp {

/// The mean of a function as a sum over cuts: its value at the last point, and for each cut the share of the
/// points before it times the decrease of the function there. On a circle, the mean of this sum over both
/// starts. If a partition has no reports, the share before its cut is taken from the nearest cuts with
/// reports on either side.
struct CutSum {
    struct CutTerm {
        std::uint64_t partition;
        std::uint64_t bucket;  ///< the last one before the cut
        std::uint64_t place;   ///< of the first point after the cut
        double weight;
    };
    std::vector<CutTerm> terms;  ///< by partition, then by bucket
    double constant = 0;
    double blind = 0;  ///< bound on the contribution of the cuts without reports
};

/// The cuts with reports.
class ReportedCuts {
  public:
    /// `reports` are the numbers of reports of each partition, not all 0.
    ReportedCuts(const PublicCuts& cuts, std::vector<double> reports);

    [[nodiscard]] const PublicCuts& cuts() const noexcept { return cuts_; }
    [[nodiscard]] const std::vector<double>& reports() const noexcept { return reports_; }
    /// Returns the number of all reports.
    [[nodiscard]] double all() const noexcept { return all_; }

    /// The decrease of a function at the cut before a point; at point 0 of a circle, the decrease from the
    /// last point.
    struct Decrease {
        std::uint64_t point;
        double by;
    };
    /// Returns the sum for a function with these decreases, which has the value value(point).
    template <class Value>
    [[nodiscard]] CutSum sum(std::span<const Decrease> decreases, const Value& value) const {
        CutSum found;
        for (std::uint64_t start = 0; start < cuts_.starts(); ++start) {
            if (weights_[start] == 0) continue;
            const std::uint64_t first = cuts_.first_point(start);
            found.constant += weights_[start] * value((first == 0 ? cuts_.points() : first) - 1);
            add(found, decreases, start);
        }
        sort(found.terms);
        return found;
    }
    /// Returns the shares before each place, 0 to the number of points, for partitions with this start and
    /// these shares of the buckets; before cuts without reports, the mean of the nearest cuts with reports.
    /// `below(partition, bucket)` is the share of a partition's buckets up to this one.
    template <class Below>
    [[nodiscard]] std::vector<double> shares_before(std::uint64_t start, const Below& below) const {
        const std::uint64_t points = cuts_.points();
        std::vector<double> before(points + 1);
        before[points] = 1;
        const auto at = [&](std::uint64_t place) {
            if (place == 0 || place >= points) return place == 0 ? 0.0 : 1.0;
            const auto [offset, bucket] = cuts_.cut(place);
            return below(start * cuts_.offsets() + offset, bucket);
        };
        for (std::uint64_t place = 1; place < points; ++place) {
            const auto [left, right] = around(start, place);
            before[place] = left == right ? at(place) : (at(left) + at(right)) / 2;
        }
        return before;
    }
    /// Returns the weight of the estimates from partitions with this start: equal for all with reports.
    [[nodiscard]] double weight(std::uint64_t start) const noexcept { return weights_[start]; }

  private:
    struct Around {
        std::uint64_t left, right;
    };
    /// Returns the nearest places at or before and at or after a place whose cuts have reports, or the ends.
    [[nodiscard]] Around around(std::uint64_t start, std::uint64_t place) const noexcept;
    void add(CutSum& sum, std::span<const Decrease> decreases, std::uint64_t start) const;
    static void sort(std::vector<CutSum::CutTerm>& terms);

    PublicCuts cuts_;
    std::vector<double> reports_;
    double all_ = 0;
    std::vector<double> weights_;              // of each start
    std::vector<std::uint64_t> back_, ahead_;  // of each partition: steps to an offset with reports
};

/// For the target sample, the people of a partition are a random sample without replacement of all people,
/// and each has one partition. The errors of the partitions' means are therefore correlated; the exact
/// reduction is the function's variance over the people.
///
/// Few reports may all agree, which would give a variance of 0. Therefore, one person is added to those who
/// report the partitions of a sum. Half of this person is in the buckets of largest and half in the buckets
/// of smallest value, as in the prior of Jeffreys (1946) for a share.
class CutNoise final : public OrderedNoise {
  public:
    /// `protocol` has the probabilities of the reported bucket: the person's own, and another one.
    CutNoise(ReportedCuts reported, const PureProtocol& protocol, std::vector<double> shares);
    /// The noise of reports of which up to `each` of one person are drawn from one permanent response with
    /// the probabilities `kept`. The noise is divided by `each`.
    CutNoise(ReportedCuts reported, const PureProtocol& protocol, const PureProtocol& kept, double each,
             std::vector<double> shares);

    [[nodiscard]] double of(std::span<const double> function) const override;
    [[nodiscard]] double between(std::size_t first, std::size_t end) const override;
    [[nodiscard]] double falling(std::size_t first, std::span<const double> values) const override;
    [[nodiscard]] TruthCurve curve(std::size_t first, std::size_t end, Target target) const override;

  private:
    [[nodiscard]] CutSum range(std::size_t first, std::size_t end) const;
    /// Returns n·Var of a mean whose function has this variance over the people.
    [[nodiscard]] double variance(const CutSum& sum, double among_people) const;
    [[nodiscard]] double variance(const CutSum& sum, double among_people, const PureProtocol& protocol) const;

    ReportedCuts reported_;
    PureProtocol protocol_, kept_;
    double each_;
    std::vector<double> shares_;
    std::vector<double> below_;  // shares below each point
};

}  // namespace ldp
