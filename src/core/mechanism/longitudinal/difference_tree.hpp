// Difference trees over the rounds of a series, after Xue, Ye, Hu, Zhu, Wang 2023. One ε protects a person's
// whole series, its values and the moments at which they change. ddrm reports categories through them,
// threshold_series numbers.
//
// Each person draws a split and a level; both are public. A split assigns a sign, + or −, to every value. A
// level of height h divides the rounds into intervals of 2^h rounds, the nodes. At the end of a node, the
// client compares the sign with the sign at the end of the previous node. The difference, divided by two, is
// −1, 0 or 1. For the first node, the client uses the sign itself. After `changes` changes the client treats
// the sign as constant.
//
// In place of a level, a person may draw a round, the snapshot. This person sends one report, about the value
// in that round, at the full ε: randomized response over the outcomes to which the person's class maps values.
// Changes do not bias snapshots.
//
// A report is one bit about a node. It shows a difference of ±1 with probability e/(e+1), e = exp(ε_h); for a
// difference of 0 it is a fair coin (duchi on three points). At each node two series of signs have the same
// difference; or opposite differences, a factor of e; or one of them has 0, a factor of 2e/(e+1) or (e+1)/2.
// Both factors are at most e, and their product is e. Let a and b count the nodes at which only the first or
// only the second series has a difference, and c those with opposite ones. Then a + c and b + c are at most
// m = min(changes + 1, nodes). The product of all factors is at most
//
//     e^c·(2e/(e+1))^a·((e+1)/2)^b ≤ e^c·e^max(a,b) ≤ e^m.
//
// Therefore ε_h = ε/m. Signs that change at every node and are always opposite attain it.
//
// The sign in round t is a sum of one node for each binary digit of t. The value of each node also equals the sum of its two
// halves, which other people report, and the value of its parent minus the value of its sibling. Snapshots estimate the sign of
// a single round. The signs of all rounds are estimated by generalized least squares over all nodes and snapshots: see
// round_system.hpp. The precision of a node depends only on its number of reports, not on the reported bits.
//
// The probabilities of the levels and of snapshots minimize the mean variance of the rounds, for users who
// report to the end. They follow from the parameters alone and are public.
//
// Public randomness: split and level (1 byte each; the level above the highest one is a snapshot), the round
// of the snapshot (2 bytes; 0 without one), then the bytes of the subclass.
// Permanent response: a bit for each node of the level; for snapshots, the outcome (1 byte).
// Payload: split (1 byte), 2·node + bit; for snapshots, 2·nodes + (round − 1)·outcomes + outcome.
// State: for each split from 1 on and each node, the number of reports (8 bytes each). Then for each class,
// round and outcome, the number of snapshots (8 bytes each). Then the numbers of ones of the nodes.
//
// Nodes are numbered level by level, from the single rounds up.
#pragma once

#include <algorithm>

#include "core/base/exact.hpp"
#include "core/base/square.hpp"
#include "core/channel/binary.hpp"
#include "core/channel/symmetric.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/longitudinal/round_system.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/registry.hpp"

namespace ldp {

class DifferenceTree : public Mechanism, public SeriesRandomizer {
  public:
    static constexpr std::uint64_t max_rounds = 4096;
    /// The options "rounds" and "changes", as a spec has them.
    static constexpr Option rounds_option{.name = "rounds", .fallback = 16, .least = 2, .most = max_rounds};
    static constexpr Option changes_option{
        .name = "changes", .fallback = 2, .least = 1, .most = max_rounds - 1};
    /// The sizes of a tree, as a block has them.
    struct Size {
        std::uint32_t rounds, changes;
    };
    /// Throws Error (invalid_spec) if the two options contradict each other, or epsilon is too small for
    /// them.
    static void settle(const SettingsDraft& draft);
    static void write(const Settings& settings, Writer& writer);
    /// Throws Error (malformed).
    [[nodiscard]] static Size take(Reader& reader, double epsilon);

    std::vector<std::uint64_t> cells() const final {
        return std::vector<std::uint64_t>(size_.rounds, cells_);
    }
    std::size_t public_size() const noexcept override { return tree_public_size; }
    std::size_t permanent_size() const noexcept final { return (size_.rounds + 7) / 8; }
    std::size_t payload_size() const noexcept final { return 1 + output_width_; }
    std::size_t state_size() const noexcept final { return (ones_at() + counters_each()) * counter_size; }

    void draw_public(BitSource& bits, MutableBytes public_randomness) const override;
    bool valid_public(Bytes public_randomness) const noexcept override {
        const std::uint32_t round = snapshot_round(public_randomness);
        return split(public_randomness) - 1 < splits_ &&
               (snapshot(public_randomness) ? round - 1 < size_.rounds
                                            : round == 0 && height(public_randomness) < levels_.size());
    }
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const final;
    /// A one-time report contains the bit of a random node.
    void instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource& bits,
                                MutableBytes payload) const final;

    std::uint32_t rounds() const noexcept final { return size_.rounds; }
    double reports_per_user() const final;
    bool advance(SeriesState& series_state, Cell value, Bytes public_randomness, BitSource& bits,
                 MutableBytes payload) const final;
    bool possible(const SeriesState& series_state, Bytes public_randomness) const noexcept final;

    bool accumulate(MutableBytes state, Bytes payload) const noexcept final;
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept final;
    void merge(MutableBytes state, Bytes other) const noexcept final { merge_counters(state, other); }
    bool valid_payload(Bytes payload) const noexcept final {
        return split(payload) - 1 < splits_ && output_of(payload) < outputs();
    }
    bool valid_state(const Counts& counts) const noexcept final;

    std::vector<RoundEstimate> round_sum(const Counts& counts, std::span<const RoundWeight> weights,
                                         Target target) const final;
    /// Users with more changes than declared make the levels inconsistent.
    std::vector<Check> health(const Counts& counts) const final;

    /// The unit is reports, not users. If no round is named, the result is for the round with the largest
    /// influence. The nodes have their expected weights, which forgers can change by sending many reports
    /// about one node.
    std::vector<Contribution> contributions(const Question& question) const final;
    std::vector<std::vector<Contribution>> promised_contributions(std::size_t attribute) const final;
    double max_probability(Bytes payload) const final;
    Cost cost() const noexcept final {
        return {2, 2.0 * static_cast<double>(nodes_) * static_cast<double>(splits_ + 1) +
                       static_cast<double>(snapshot_counters())};
    }
    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const final;
    Exact worst_ratio() const final;
    ChannelLaw channel_law() const final;
    /// A user has one series.
    std::uint64_t most_keys() const noexcept final { return 1; }
    Exact instantaneous_probability(Bytes public_randomness, Bytes permanent, Bytes payload) const final;
    /// A payload has one bit of the response.
    std::optional<Exact> shown_probability(Input, Bytes) const final { return {}; }

  protected:
    /// The nodes of one level, of 2^height rounds each.
    struct NodeLevel {
        std::uint32_t nodes;
        std::uint32_t first;    ///< index of the first node
        BinaryChannel channel;  ///< inputs −1, 0, 1 are coded as 0, 1, 2
        double tilt;            ///< the mean of a response, as ±1, to 1
        std::uint64_t weight;   ///< sampling weight
    };
    /// A node in a weighted sum that estimates signs. The height above the highest level stands for
    /// snapshots; their node is the round, from 0.
    struct NodeTerm {
        std::size_t height;
        std::uint32_t node;  ///< within its level
        double weight;
    };
    /// The randomized response of users who draw a round.
    struct Snapshots {
        std::uint64_t classes;   ///< of users; each class maps values to outcomes in its own way
        std::uint64_t outcomes;  ///< at most 256
        /// Precision of a report, relative to the precision of an undistorted bit about a sign.
        double precision;
    };
    static constexpr std::size_t tree_public_size = 4;
    class NodeSum;
    /// Returns the combination of nodes for the numbers of reports in a state.
    [[nodiscard]] NodeSum combination(const Counts& counts) const;
    /// Returns the combination for the expected numbers of reports of one user.
    [[nodiscard]] NodeSum expected_combination() const;

    /// `splits` are at most 255; inputs are `cells` values in each round.
    DifferenceTree(const Header& header, Bytes block, std::uint64_t splits, std::uint64_t cells, Size size,
                   const Snapshots& snapshots);

    /// Returns 1 if the user's split maps the value to +, otherwise 0. It must have no branches, so that the
    /// run time does not depend on the value.
    [[nodiscard]] virtual std::uint32_t sign(Bytes public_randomness, std::uint64_t value) const noexcept = 0;
    /// Returns the outcome to which the user's class maps a value. It must also have no branches.
    [[nodiscard]] virtual std::uint64_t outcome(Bytes public_randomness,
                                                std::uint64_t value) const noexcept = 0;
    /// Returns the channel's input at the end of a node, and marks the difference as reported.
    std::uint64_t difference(SeriesState& series_state, Bytes public_randomness) const noexcept;
    /// Returns the mean sign of a split in a round, from 0, according to its snapshots. The variance is at most
    /// that of as many randomized bits. NaN without snapshots.
    [[nodiscard]] virtual double snapshot_sign(Bytes state, std::uint64_t split,
                                               std::uint32_t round) const noexcept = 0;
    /// Returns the name of the health check on the numbers of reports of the splits.
    [[nodiscard]] virtual const char* drawn_splits() const noexcept = 0;
    /// Returns the number of splits that the health check `levels agree` counts together.
    [[nodiscard]] virtual std::uint64_t checked_together() const noexcept { return 1; }
    /// An item's estimate, on [0, 1], from a known sign: middle ± half; and the ends of [0, 1] in the item's
    /// units.
    struct SignScale {
        double middle, half;
        Interval ends;
        Interval snapshots;  ///< possible terms of a snapshot, minus `middle`
    };
    [[nodiscard]] virtual SignScale sign_scale() const noexcept = 0;
    /// Returns the estimates of a weighted sum of one or more rounds of the series.
    [[nodiscard]] virtual std::vector<RoundEstimate> sum_of(const Counts& counts, const NodeSum& combination,
                                                            std::span<const RoundWeight> weights,
                                                            Target target) const = 0;

    /// Throws Error (invalid_value) if the series does not have this round, from 1.
    void check_round(std::size_t round) const;
    /// Returns the size of a node's value in the sign; differences are reported as halves.
    [[nodiscard]] static double scale(std::uint32_t node) noexcept { return node == 0 ? 1 : 2; }
    [[nodiscard]] std::uint64_t reports(Bytes state, std::uint64_t split, std::uint32_t node) const noexcept {
        return counter(state, index(split, node));
    }
    [[nodiscard]] std::uint64_t ones(Bytes state, std::uint64_t split, std::uint32_t node) const noexcept {
        return counter(state, ones_at() + index(split, node));
    }
    /// Returns the number of snapshots of a round, from 0, with an outcome.
    [[nodiscard]] std::uint64_t snapshots(Bytes state, std::uint64_t class_number, std::uint32_t round,
                                          std::uint64_t outcome) const noexcept {
        return counter(state, counters_each() + snapshot_index(class_number, round, outcome));
    }
    [[nodiscard]] const Snapshots& snapshots() const noexcept { return snapshots_; }
    [[nodiscard]] const SymmetricChannel& snapshot_channel() const noexcept { return snapshot_channel_; }
    /// Returns the index of a node among all nodes, followed by the snapshots of all rounds.
    [[nodiscard]] std::size_t index_of(const NodeTerm& term) const noexcept {
        return of_snapshots(term) ? nodes_ + term.node : levels_[term.height].first + term.node;
    }
    /// Returns the number of all nodes.
    [[nodiscard]] std::uint32_t nodes() const noexcept { return nodes_; }
    /// Returns whether a node of a sum stands for snapshots.
    [[nodiscard]] bool of_snapshots(const NodeTerm& term) const noexcept {
        return term.height == levels_.size();
    }
    /// Returns the sum of a node's responses, as ±1.
    [[nodiscard]] double balance(Bytes state, std::uint64_t split, std::uint32_t node) const noexcept {
        return 2 * static_cast<double>(ones(state, split, node)) -
               static_cast<double>(reports(state, split, node));
    }
    [[nodiscard]] double chance(const NodeLevel& level) const noexcept {
        return static_cast<double>(level.weight) / static_cast<double>(weights_);
    }
    [[nodiscard]] static std::uint64_t split(Bytes bytes) noexcept {
        return std::to_integer<std::uint64_t>(bytes[0]);
    }
    [[nodiscard]] const std::vector<NodeLevel>& levels() const noexcept { return levels_; }
    [[nodiscard]] std::uint64_t splits() const noexcept { return splits_; }
    [[nodiscard]] std::uint64_t cells_each() const noexcept { return cells_; }
    [[nodiscard]] const Size& size() const noexcept { return size_; }
    /// Returns the largest number of truthful responses among this number of nodes.
    [[nodiscard]] std::uint32_t truths(std::uint32_t nodes) const noexcept {
        return std::min(size_.changes + 1, nodes);
    }
    /// Returns the ε of a response on the level where it is smallest.
    [[nodiscard]] double least_epsilon() const;

  private:
    /// Counts a payload that was reported this number of times.
    [[nodiscard]] bool count(MutableBytes state, Bytes payload, std::uint64_t times) const noexcept;

    /// Some rounds, as attributes from 0. For any share of forged reports, one of them has the largest bias
    /// or nearly the largest bias.
    [[nodiscard]] std::vector<std::size_t> exposed_rounds() const;
    /// Returns the checks whether the changes on level 0 add up to the snapshots of each round.
    std::vector<std::vector<Check>> snapshot_checks(Bytes state, std::uint64_t enough) const;
    static unsigned bit(Bytes string, std::size_t i) noexcept {
        return std::to_integer<unsigned>(string[i / 8]) >> i % 8 & 1;
    }
    static std::size_t height(Bytes public_randomness) noexcept {
        return std::to_integer<std::size_t>(public_randomness[1]);
    }
    bool snapshot(Bytes public_randomness) const noexcept {
        return height(public_randomness) == levels_.size();
    }
    static std::uint32_t snapshot_round(Bytes public_randomness) noexcept {
        return load<std::uint16_t>(public_randomness.data() + 2);
    }
    const NodeLevel& level_of(Bytes public_randomness) const noexcept {
        return levels_[height(public_randomness)];
    }
    /// Returns whether a report is due at the end of a round.
    bool ends(Bytes public_randomness, std::uint32_t round) const noexcept {
        if (snapshot(public_randomness)) return round == snapshot_round(public_randomness);
        return round >> height(public_randomness) << height(public_randomness) == round;
    }
    template <class Visit>
    void for_each_node(Input input, Bytes public_randomness, Visit visit) const;
    /// `node` is 0 for snapshots.
    void write_payload(Bytes public_randomness, std::uint32_t node, std::uint64_t answer,
                       MutableBytes payload) const noexcept;
    void choose_weights();
    std::uint64_t output_of(Bytes payload) const noexcept {
        return load_cell(payload.data() + 1, output_width_);
    }
    /// Counters of either kind, and the index of a node's counter.
    std::size_t counters_each() const noexcept { return splits_ * nodes_; }
    std::size_t index(std::uint64_t split, std::uint32_t node) const noexcept {
        return (split - 1) * nodes_ + node;
    }
    std::size_t snapshot_counters() const noexcept {
        return snapshots_.classes * size_.rounds * snapshots_.outcomes;
    }
    std::size_t snapshot_index(std::uint64_t class_number, std::uint32_t round,
                               std::uint64_t outcome) const noexcept {
        return (class_number * size_.rounds + round) * snapshots_.outcomes + outcome;
    }
    std::size_t ones_at() const noexcept { return counters_each() + snapshot_counters(); }
    std::uint64_t outputs() const noexcept {
        return std::uint64_t{2} * nodes_ + size_.rounds * snapshots_.outcomes;
    }
    /// Returns the probability that a user draws a given round.
    double snapshot_chance() const noexcept {
        return static_cast<double>(snapshot_weight_) / static_cast<double>(weights_) /
               static_cast<double>(size_.rounds);
    }
    /// Returns the expected number of reports per user of each node, then of snapshots of each round.
    std::vector<double> expected() const;

    std::uint64_t splits_, cells_;
    Size size_;
    std::vector<NodeLevel> levels_;
    std::uint32_t nodes_ = 0;
    Snapshots snapshots_;
    SymmetricChannel snapshot_channel_;
    std::uint64_t snapshot_weight_ = 0, weights_ = 0;
    std::size_t output_width_;
};

/// The least squares combination of nodes and snapshots with given numbers of reports.
class DifferenceTree::NodeSum {
  public:
    NodeSum(const DifferenceTree& tree, std::vector<double> reports);

    [[nodiscard]] double reports(std::size_t height, std::uint32_t node) const {
        return reports_[at(height, node)];
    }
    /// Returns whether the reports determine the sign in a round.
    [[nodiscard]] bool known(std::uint32_t round) const { return system_.known(round); }
    /// Returns the nodes whose weighted sum is the sign in a round; empty if the reports do not determine it.
    [[nodiscard]] std::vector<NodeTerm> sum(std::uint32_t round) const;
    /// Returns the nodes whose weighted sum is a weighted sum of rounds.
    [[nodiscard]] std::vector<NodeTerm> sum(std::span<const RoundWeight> weights) const;
    /// The parts of the variance of a sum, over users and responses.
    struct Spread {
        struct First {
            std::size_t height;
            double factor;
        };
        struct Snapshot {
            std::uint32_t round;  ///< from 1
            double factor;
        };
        double bits = 0;           ///< factor of the second moment of a response, before scale and tilt
        std::vector<First> first;  ///< factors of the squared means at the first nodes of the levels
        std::vector<Snapshot> snapshots;  ///< factors of the variances of a snapshot in each round
        double all_snapshots = 0;         ///< sum of the factors of snapshots

        /// first_mean(height) is the mean response at the first node of a level, with scale and tilt.
        /// of_snapshot(round) is the variance of a snapshot.
        template <class Mean, class Variance>
        [[nodiscard]] double variance(double square_of_bit, Mean first_mean, Variance of_snapshot) const {
            double sum = bits * square_of_bit;
            for (const auto& [height, factor] : first) sum -= factor * square(first_mean(height));
            for (const auto& [round, factor] : snapshots) sum += factor * of_snapshot(round);
            return sum;
        }
        /// Returns the variance if snapshots have the same variance in all rounds.
        template <class Mean>
        [[nodiscard]] double variance(double square_of_bit, Mean first_mean, double of_snapshot) const {
            double sum = bits * square_of_bit + all_snapshots * of_snapshot;
            for (const auto& [height, factor] : first) sum -= factor * square(first_mean(height));
            return sum;
        }
    };
    [[nodiscard]] Spread spread(std::span<const NodeTerm> terms) const;
    /// Returns the variances of the signs of rounds 1..T at index 0..T−1, for bits of mean 0.
    [[nodiscard]] std::vector<double> sign_variances() const;
    /// Solves for the signs of all rounds: `found` has the mean of each node and of the snapshots of each
    /// round, of `columns` numbers, in the order of NodeTerm. Returns the rounds from 1, and NaN for unknown
    /// rounds.
    [[nodiscard]] std::vector<double> signs(std::span<const double> found, std::size_t columns) const;
    /// Returns the number of users on the levels that have a node by this round, and of snapshots by this
    /// round, and the probability of both.
    struct Drawn {
        double people, probability;
    };
    [[nodiscard]] Drawn drawn(std::uint32_t round) const;

  private:
    std::size_t at(std::size_t height, std::uint32_t node) const {
        return height == tree_.levels_.size() ? tree_.nodes_ + node : tree_.levels_[height].first + node;
    }
    std::span<const double> of_nodes() const { return std::span(precisions_).first(tree_.nodes_); }
    std::span<const double> of_rounds() const { return std::span(precisions_).subspan(tree_.nodes_); }
    /// Returns the precision of each node and of the snapshots of each round.
    [[nodiscard]] std::vector<double> precisions() const;

    const DifferenceTree& tree_;
    std::vector<double> reports_, precisions_;  // of nodes, then of the snapshots of rounds
    RoundSystem system_;
};

}  // namespace ldp
