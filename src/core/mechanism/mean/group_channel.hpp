// A category (the group) and a number in one report at the full ε.
//
// The number is rounded at random to one of four points of its range, without bias: the ends, and the points at a
// third and at two thirds. An output names some groups, and an end of the range for each of them:
//
//   ends       names d₀ groups. The output favours people of a named group at the named end.
//   halves     names d₁ groups. The output favours people of a named group in the half of the range at the named end.
//   between    names no group. It favours all people at the two inner points.
//   no number  only if people may leave the number out. It favours all people without a number.
//
// An output is exp(ε) times as probable for the people whom it favours as for all others. With the weights of "between" and
// "no number", the weights of all outputs have the same sum for every input. Both kinds reduce the number of outputs that
// name groups to which a person does not belong.
//
// In two layers, the output is memoized. A report is the memoized output with a constant probability, and otherwise an
// output that is drawn with the base weights, which do not depend on the input. For every input, the second layer
// therefore turns the two probabilities of an output into two others that are closer to each other: a report has the same
// channel at a smaller ε.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/input_code.hpp"
#include "core/base/random.hpp"
#include "core/channel/epsilon_odds.hpp"

namespace ldp {

class Exact;        // exact.hpp
struct ChannelLaw;  // channel_law.hpp

/// The parameters of a GroupChannel.
struct GroupDesign {
    /// Outputs of one kind.
    struct OutputKind {
        std::uint64_t named;   ///< number of groups that an output names
        std::uint64_t weight;  ///< of all outputs of this kind, relative to the other kind
        friend bool operator==(const OutputKind&, const OutputKind&) = default;
    };
    static constexpr std::uint64_t most_groups = 1024, most_named = 32, most_weight = 16;

    std::uint64_t groups;
    bool missing;  ///< whether people may leave the number out
    OutputKind ends, halves;

    /// Returns the design with the smallest variance of a mean for groups of equal size.
    [[nodiscard]] static GroupDesign best(double epsilon, std::uint64_t groups, bool missing);
    /// Whether the numbers are within their limits.
    [[nodiscard]] bool valid() const noexcept;
    friend bool operator==(const GroupDesign&, const GroupDesign&) = default;
};

enum class GroupOutput : std::uint8_t { ends, halves, between, no_number };

/// An output. A code is twice the number of a group, plus 1 for the upper end. Codes are in ascending order.
struct GroupReport {
    GroupOutput output;
    std::vector<std::uint64_t> codes;
};

/// Shares of outputs of each kind, and of those that name a group.
struct GroupRates {
    double ends, ends_excess;  ///< outputs "ends" that name the group; upper ends minus lower ends among them
    double named, halves_excess;  ///< the same for "halves"
    double halves, no_number;     ///< all outputs "halves", and "no number"
};

/// The terms of one report in unbiased estimates. Let the range of the number be [−1, 1].
///
/// The mean of the sum term over all people is the mean of the number times the indicator of the group. The mean of the
/// count term is the share of people who have the group and a number.
struct ReportTerms {
    double end, half;  ///< the sum term is ±end or ±half if the output names the group, otherwise 0
    double named,
        rest;  ///< the count term of an output "halves" that names the group, and of one that does not
    double no_number;  ///< the count term of an output "no number"
    double otherwise;  ///< the count term of the other outputs; 0 in a report

    /// Returns the mean products sum², sum·count and count² of the terms of one group.
    [[nodiscard]] std::array<double, 3> squares(const GroupRates& rates) const noexcept;
};

class GroupChannel {
  public:
    static constexpr std::size_t points = 4;

    /// `steps` is the number of grid steps of the number; a missing number has the code steps + 1. If
    /// `report_epsilon` < `epsilon`, there is a second layer.
    GroupChannel(const GroupDesign& design, std::uint64_t steps, double epsilon, double report_epsilon);

    [[nodiscard]] const GroupDesign& design() const noexcept { return design_; }
    [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
    [[nodiscard]] std::uint64_t numbers() const noexcept { return steps_ + (design_.missing ? 2 : 1); }
    /// Returns the largest number of groups that an output names.
    [[nodiscard]] std::size_t most_named() const noexcept {
        return static_cast<std::size_t>(std::max(design_.ends.named, design_.halves.named));
    }
    /// Returns the number of groups that an output of this kind names.
    [[nodiscard]] std::size_t named(GroupOutput output) const noexcept;

    /// Draws an output of the first layer. The draws do not depend on the input.
    [[nodiscard]] GroupReport sample(Cell group, Cell number, BitSource& bits) const;
    [[nodiscard]] Exact probability(Cell group, Cell number, const GroupReport& report) const;
    [[nodiscard]] Exact worst_ratio() const;

    [[nodiscard]] bool two_layers() const noexcept { return stay_heads_.has_value(); }
    /// Returns the probability with which the second layer sends the memoized output; 1 in one layer.
    [[nodiscard]] double stay() const noexcept { return sent_.memoized; }
    [[nodiscard]] Exact exact_stay() const;
    /// Draws whether the memoized output is sent. Requires two layers.
    [[nodiscard]] bool stays(BitSource& bits) const;
    /// Draws an output with the base weights.
    [[nodiscard]] GroupReport sample_even(BitSource& bits) const;
    [[nodiscard]] Exact even_probability(const GroupReport& report) const;
    /// Returns the largest likelihood ratio of a report.
    [[nodiscard]] Exact report_ratio() const;

    [[nodiscard]] ChannelLaw channel_law() const;

    // Reports, which are the outputs of the last layer.

    /// Returns an upper bound of the probability of an output of this kind.
    [[nodiscard]] double max_probability(GroupOutput output) const;
    /// Returns the smallest and the largest probability of all outputs of a kind together, over all inputs.
    struct ShareBounds {
        double least, most;
    };
    [[nodiscard]] ShareBounds share_of(GroupOutput output) const noexcept;

    [[nodiscard]] const ReportTerms& terms() const noexcept { return terms_; }
    /// Returns the mean terms of reports with the same memoized output.
    [[nodiscard]] const ReportTerms& memoized_terms() const noexcept { return memoized_terms_; }
    /// Returns the rates of memoized outputs from those of reports.
    [[nodiscard]] GroupRates memoized_rates(const GroupRates& reports) const noexcept;
    /// Returns the smallest probability of an output of this kind that names a certain group.
    [[nodiscard]] double least_naming(GroupOutput output) const noexcept {
        return output == GroupOutput::ends ? least_ends_ : least_halves_;
    }
    /// Returns n times the mean square of the sum term of one group, or of all groups together, if the people have the
    /// inner points with this probability.
    [[nodiscard]] double square_of_sums(double inner, bool all_groups) const noexcept;
    /// Returns the mean square of the count term, or of memoized_terms(), for people of the group, for others, and for
    /// people without a number.
    struct CountSquares {
        double own, other, missing;
    };
    [[nodiscard]] CountSquares squares_of_counts(bool memoized = false) const noexcept;

  private:
    /// The states of a person's own group in an output: not named, or named with the lower or the upper end.
    static constexpr std::size_t own_states = 3, entries = 2 * own_states + 2, missing_point = points;
    using EntrySums = std::array<std::uint64_t, entries>;
    /// Probabilities of memoized outputs and of outputs drawn with the base weights.
    struct Mixture {
        double memoized, even;
    };
    static constexpr Mixture memoized_only{1, 0}, even_only{0, 1};

    [[nodiscard]] bool favours(std::size_t entry, std::size_t point) const noexcept;
    [[nodiscard]] std::uint64_t weight(std::size_t entry, std::size_t point) const noexcept;
    [[nodiscard]] std::uint64_t base_weight(std::size_t entry) const noexcept;
    [[nodiscard]] const GroupDesign::OutputKind& kind(bool halves) const noexcept {
        return halves ? design_.halves : design_.ends;
    }
    /// Returns the probability of the entries from `first` to `last`.
    [[nodiscard]] double share(const Mixture& of, std::size_t point, std::size_t first,
                               std::size_t last) const noexcept;
    [[nodiscard]] double share(const Mixture& of, std::size_t point, std::size_t entry) const noexcept {
        return share(of, point, entry, entry);
    }
    /// Returns the probability of an entry in a report.
    [[nodiscard]] double share(std::size_t point, std::size_t entry) const noexcept {
        return share(sent_, point, entry);
    }
    [[nodiscard]] std::uint64_t total() const noexcept { return sums_[0].back(); }
    [[nodiscard]] std::uint64_t units() const noexcept { return base_sums_.back(); }
    [[nodiscard]] GroupReport draw(Cell group, const EntrySums& sums, BitSource& bits) const;
    /// Returns the number of outputs with the state of the group in an output, and the entry of the state.
    [[nodiscard]] std::pair<Exact, std::size_t> outputs_like(Cell group, const GroupReport& report) const;
    /// Returns the probability of one unit of base weight in a report, for people whom an output favours or not.
    [[nodiscard]] Exact unit(std::uint64_t odds) const;
    void set_terms() noexcept;

    GroupDesign design_;
    std::uint64_t steps_;
    Odds odds_;
    std::optional<std::uint64_t> stay_heads_;  // of a coin of 2^64
    Mixture sent_ = memoized_only;
    std::array<EntrySums, points + 1> sums_{};  // cumulative weights of the entries, for each point
    EntrySums base_sums_{};                     // the same of the base weights
    ReportTerms terms_{}, memoized_terms_{};
    double least_ends_ = 0, least_halves_ = 0;
};

}  // namespace ldp
