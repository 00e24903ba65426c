// Length: the file contains a whole mechanism, which randomizes, counts and estimates series.
// Difference trees (after Xue, Ye, Hu, Zhu, Wang 2023): the frequencies of k values in each of T rounds, with
// one ε for each user's whole series. A user publicly draws a row of the Hadamard matrix of order K, the
// smallest power of two that is at least k, and a level. The row maps each value to a sign; for k = 2 it
// distinguishes the two values. The level divides the rounds into nodes of 2^h rounds. At the end of each
// node, the user reports half the difference between the current sign and that at the end of the previous
// node: −1, 0 or 1. The first node reports the sign itself. After `changes` changes, the sign is treated as
// constant.
//
// A node is reported by one bit: the true value with probability e/(e+1), e = exp(ε_h), and 0 by a fair coin
// (duchi on three points). Two series of signs differ at a node either by opposite values, a factor of e, or
// by a non-zero value and 0, a factor of 2e/(e+1) or (e+1)/2. Both of the latter are at most e, and their
// product is e. Let a and b be the numbers of nodes at which one series is non-zero and the other 0, and c
// the number with opposite values. Then a + c and b + c are at most m = min(changes + 1, nodes), so that
// e^c·(2e/(e+1))^a·((e+1)/2)^b ≤ e^c·e^max(a,b) ≤ e^m. Therefore ε_h = ε/m. The bound is attained by opposite
// signs that always change.
//
// The sign in round t is the sum of one node for each binary digit of t. Every node is also the sum of its
// two halves, which other users reported. All unbiased sums are combined by their precision. It depends on
// the number of reports, not on their content. The probability of a level is proportional to the root of the
// mean squared weight of its nodes over all rounds, divided by the tilt of its responses. This minimizes the
// mean variance of the rounds if nodes are not combined.
//
// Parameters: k, T, changes (4 bytes each) · public randomness: row, level (1 each) · permanent response: a
// bit for each node of the level · payload: row (1), 2·node + bit.
// State: for each row from 1 on and each node, the number of reports (8 bytes each), then the number of ones
// (8 bytes each).
//
// Nodes are numbered level by level, from the single rounds upwards.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/exact.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/channel/binary.hpp"
#include "core/mechanism/capability.hpp"
#include "core/mechanism/entries.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/longitudinal/series.hpp"

namespace ldp::ddrm {

namespace {

constexpr std::uint64_t max_domain = 256, max_rounds = 4096;

/// The nodes of one level, of 2^height rounds each.
struct NodeLevel {
    std::uint32_t nodes;
    std::uint32_t first;    ///< index of the first node
    BinaryChannel channel;  ///< inputs −1, 0, 1 are coded as 0, 1, 2
    double tilt;            ///< the mean of a response, as ±1, to 1
    std::uint64_t weight;   ///< sampling weight
};

class DifferenceTrees final : public Mechanism,
                              public Significance,
                              public SeriesRandomizer,
                              public ExpectedSeries {
  public:
    DifferenceTrees(const Header& header, Bytes block, std::uint64_t k, std::uint32_t rounds,
                    std::uint32_t changes)
        : Mechanism(header, block), k_(k), order_(std::bit_ceil(k)), rounds_(rounds), changes_(changes) {
        for (unsigned height = 0; rounds >> height != 0; ++height) {
            const std::uint32_t nodes = rounds >> height;
            const BinaryChannel channel(2, epsilon_of_each(header.epsilon, truths(nodes)));
            const double tilt = static_cast<double>(channel.weight(2, 1) - channel.weight(0, 1)) /
                                static_cast<double>(channel.total());
            double squares = 0;
            for (std::uint32_t round = 1; round <= rounds; ++round)
                if ((round >> height) % 2 != 0) squares += square(scale((round >> height) - 1));
            levels_.push_back(
                {nodes, nodes_, channel, tilt,
                 static_cast<std::uint64_t>(std::ldexp(std::sqrt(squares / rounds) / tilt, 32))});
            nodes_ += nodes;
            weights_ += levels_.back().weight;
        }
        output_width_ = cell_width(std::uint64_t{2} * nodes_);
    }

    std::vector<std::uint64_t> cells() const override { return std::vector<std::uint64_t>(rounds_, k_); }
    std::size_t public_size() const noexcept override { return 2; }
    std::size_t permanent_size() const noexcept override { return (rounds_ + 7) / 8; }
    std::size_t payload_size() const noexcept override { return 1 + output_width_; }
    std::size_t state_size() const noexcept override { return 2 * counters_each() * counter_size; }
    std::vector<std::pair<std::string, double>> parameters() const override {
        return {{"domain", static_cast<double>(k_)},
                {"rounds", rounds_},
                {"changes", changes_},
                {"rows", static_cast<double>(order_ - 1)},
                {"levels", static_cast<double>(levels_.size())},
                {"least_epsilon", epsilon_of_each(epsilon(), truths(rounds_))}};
    }

    void draw_public(BitSource& bits, MutableBytes public_randomness) const override {
        std::uint64_t u = bits.below(weights_);
        std::size_t level = 0;
        while (u >= levels_[level].weight) u -= levels_[level++].weight;
        public_randomness[0] = static_cast<std::byte>(1 + bits.below(order_ - 1));
        public_randomness[1] = static_cast<std::byte>(level);
    }
    bool valid_public(Bytes public_randomness) const noexcept override {
        return row(public_randomness) - 1 < order_ - 1 && height(public_randomness) < levels_.size();
    }
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const override {
        std::ranges::fill(permanent, std::byte{0});
        for_each_node(
            input, public_randomness, [&](std::uint32_t node, const NodeLevel& level, std::uint64_t in) {
                permanent[node / 8] |= static_cast<std::byte>(level.channel.sample(in, bits) << node % 8);
            });
    }
    // A one-time report contains any one of the responses.
    void instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource& bits,
                                MutableBytes payload) const override {
        const auto node = static_cast<std::uint32_t>(bits.below(level_of(public_randomness).nodes));
        write_payload(public_randomness, node, bit(permanent, node), payload);
    }

    std::uint32_t rounds() const noexcept override { return rounds_; }
    bool advance(SeriesState& series_state, Cell value, Bytes public_randomness, BitSource& bits,
                 MutableBytes payload) const override {
        series_state.value = static_cast<std::uint32_t>(value);
        ++series_state.round;
        if (!ends(public_randomness, series_state.round)) return false;
        const std::uint32_t node = (series_state.round >> height(public_randomness)) - 1;
        const std::uint64_t in = difference(series_state, public_randomness);
        write_payload(public_randomness, node, level_of(public_randomness).channel.sample(in, bits), payload);
        return true;
    }
    bool possible(const SeriesState& series_state, Bytes public_randomness) const noexcept override {
        return valid_public(public_randomness) && series_state.round <= rounds_ && series_state.value < k_ &&
               series_state.sign <= 1 &&
               series_state.changes <= std::min(changes_, series_state.round >> height(public_randomness));
    }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        if (!valid_payload(payload)) return false;
        const std::uint64_t output = output_of(payload);
        const std::size_t at = place(row(payload), static_cast<std::uint32_t>(output / 2));
        add<std::uint64_t>(state.data() + at * counter_size, 1);
        add<std::uint64_t>(state.data() + (counters_each() + at) * counter_size, output % 2);
        return true;
    }
    void merge(MutableBytes state, Bytes other) const noexcept override { merge_counters(state, other); }
    bool valid_payload(Bytes payload) const noexcept override {
        return row(payload) - 1 < order_ - 1 && output_of(payload) < std::uint64_t{2} * nodes_;
    }
    bool valid_state(const Counts& counts) const noexcept override {
        for (std::size_t i = 0; i < counters_each(); ++i)
            if (counter(counts.state, counters_each() + i) > counter(counts.state, i)) return false;
        return counters_sum_to(counts.state.first(counters_each() * counter_size), counts.n);
    }

    std::span<const Quantity> answers() const noexcept override {
        static constexpr Quantity quantities[] = {Quantity::frequencies};
        return quantities;
    }
    /// Returns the frequencies of one round, NaN without reports. The variance is that of the responses,
    /// exact for users who keep their values. For users whose values change, it omits the covariance of their
    /// responses, and the reduction if all change in the same way.
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override;
    std::vector<std::vector<double>> expected_frequencies(std::span<const std::vector<Cell>> series,
                                                          std::span<const std::size_t> rounds) const override;
    /// Users with more changes than declared make the levels inconsistent.
    std::vector<Check> health(const Counts& counts) const override;

    /// The unit is reports, not users. If no round is named, the result is for the round with the largest
    /// bias. The weights of the nodes are the expected ones, which forgers who send many reports about one
    /// node can change.
    std::vector<Contribution> contributions(const Question& question) const override;
    double max_probability(Bytes payload) const override;
    /// Returns the variance in the round where it is largest. n is the number of users who report to the end
    /// and keep their values.
    double n_variance(double truth) const override;
    double n_variance_of(std::size_t attribute, std::size_t item,
                         std::span<const double> shares) const override;
    Cost cost() const noexcept override {
        return {2, 2.0 * static_cast<double>(nodes_) * static_cast<double>(order_)};
    }
    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const override {
        Exact product = exact(1, 1);
        for_each_node(input, public_randomness,
                      [&](std::uint32_t node, const NodeLevel& level, std::uint64_t in) {
                          product = product * level.channel.probability(in, bit(permanent, node));
                      });
        for (std::size_t i = level_of(public_randomness).nodes; i < 8 * permanent.size(); ++i)
            if (bit(permanent, i) != 0) return exact(0, 1);
        return product;
    }
    Exact worst_ratio() const override {
        Exact worst = exact(1, 1);
        for (const NodeLevel& level : levels_)
            worst = std::max(worst, power(level.channel.worst_ratio(), truths(level.nodes)));
        return worst;
    }
    /// A user has one series.
    std::uint64_t most_keys() const noexcept override { return 1; }
    Exact instantaneous_probability(Bytes public_randomness, Bytes permanent, Bytes payload) const override {
        const NodeLevel& level = level_of(public_randomness);
        const std::uint64_t node = output_of(payload) / 2 - level.first;  // wraps around below the first node
        const bool made = row(payload) == row(public_randomness) && node < level.nodes &&
                          output_of(payload) % 2 == bit(permanent, node);
        return exact(made ? 1 : 0, level.nodes);
    }

  private:
    /// Returns the expected number of responses per user to each node.
    std::vector<double> expected() const;

    /// A node in a sum that yields the sign in a round.
    struct NodeTerm {
        std::size_t height;
        std::uint32_t node;  ///< within its level
        double weight;
    };
    class NodeSum;

    static unsigned bit(Bytes string, std::size_t i) noexcept {
        return std::to_integer<unsigned>(string[i / 8]) >> i % 8 & 1;
    }

    /// Returns the number of nodes with a truthful response among `nodes`.
    std::uint32_t truths(std::uint32_t nodes) const noexcept { return std::min(changes_ + 1, nodes); }
    /// Returns the size of a node's value in the sign; differences are reported as halves.
    static double scale(std::uint32_t node) noexcept { return node == 0 ? 1 : 2; }

    static std::uint64_t row(Bytes bytes) noexcept { return std::to_integer<std::uint64_t>(bytes[0]); }
    static std::size_t height(Bytes public_randomness) noexcept {
        return std::to_integer<std::size_t>(public_randomness[1]);
    }
    const NodeLevel& level_of(Bytes public_randomness) const noexcept {
        return levels_[height(public_randomness)];
    }
    static bool ends(Bytes public_randomness, std::uint32_t round) noexcept {
        return round >> height(public_randomness) << height(public_randomness) == round;
    }
    /// Returns 1 if the row maps the value to +, otherwise 0.
    static std::uint32_t sign(std::uint64_t row, std::uint64_t value) noexcept {
        return std::popcount(row & value) % 2 == 0 ? 1 : 0;
    }
    /// Returns the channel's input at the end of a node, and marks the difference as reported.
    std::uint64_t difference(SeriesState& series_state, Bytes public_randomness) const noexcept {
        const std::uint32_t now = sign(row(public_randomness), series_state.value);
        const bool first = series_state.round >> height(public_randomness) == 1;
        // The first node reports the sign itself. The code has no branches, so that the run time does not
        // depend on the value.
        const std::uint32_t reported =
            first ? 1 : (series_state.sign ^ now) & (series_state.changes != changes_ ? 1u : 0u);
        series_state.changes += first ? 0 : reported;
        series_state.sign ^= (series_state.sign ^ now) & (0 - reported);
        return 1 - reported + 2 * std::uint64_t{now} * reported;
    }
    template <class Visit>
    void for_each_node(Input input, Bytes public_randomness, Visit visit) const {
        SeriesState series_state;
        for (const Cell value : input) {
            series_state.value = static_cast<std::uint32_t>(value);
            if (ends(public_randomness, ++series_state.round))
                visit((series_state.round >> height(public_randomness)) - 1, level_of(public_randomness),
                      difference(series_state, public_randomness));
        }
    }

    void write_payload(Bytes public_randomness, std::uint32_t node, std::uint64_t answer,
                       MutableBytes payload) const noexcept {
        payload[0] = public_randomness[0];
        store_cell(payload.data() + 1, output_width_,
                   2 * (level_of(public_randomness).first + node) + answer);
    }
    std::uint64_t output_of(Bytes payload) const noexcept {
        return load_cell(payload.data() + 1, output_width_);
    }

    /// Counters of either kind, and the index of a node's counter.
    std::size_t counters_each() const noexcept { return (order_ - 1) * nodes_; }
    std::size_t place(std::uint64_t row, std::uint32_t node) const noexcept {
        return (row - 1) * nodes_ + node;
    }
    std::uint64_t reports(Bytes state, std::uint64_t row, std::uint32_t node) const noexcept {
        return counter(state, place(row, node));
    }
    std::uint64_t ones(Bytes state, std::uint64_t row, std::uint32_t node) const noexcept {
        return counter(state, counters_each() + place(row, node));
    }
    /// Returns the sum of a node's responses, as ±1.
    double balance(Bytes state, std::uint64_t row, std::uint32_t node) const noexcept {
        return 2 * static_cast<double>(ones(state, row, node)) -
               static_cast<double>(reports(state, row, node));
    }
    double chance(const NodeLevel& level) const noexcept {
        return static_cast<double>(level.weight) / static_cast<double>(weights_);
    }

    std::uint64_t k_, order_;
    std::uint32_t rounds_, changes_;
    std::vector<NodeLevel> levels_;
    std::uint32_t nodes_ = 0;
    std::uint64_t weights_ = 0;
    std::size_t output_width_;
};

/// The combination of nodes with given numbers of reports.
class DifferenceTrees::NodeSum {
  public:
    NodeSum(const DifferenceTrees& trees, std::vector<double> reports)
        : trees_(trees), reports_(std::move(reports)), precision_(reports_.size()) {
        for (std::size_t height = 0; height < trees_.levels_.size(); ++height)
            for (std::uint32_t node = 0; node < trees_.levels_[height].nodes; ++node)
                precision_[at(height, node)] = own(height, node) + of_halves(height, node);
    }

    /// Returns the number of reports of a node.
    double reports(std::size_t height, std::uint32_t node) const { return reports_[at(height, node)]; }
    /// Returns the nodes whose weighted sum is the sign in a round; empty if a required node has no reports.
    std::vector<NodeTerm> sum(std::uint32_t round) const {
        std::vector<NodeTerm> terms;
        for (std::size_t height = 0; round >> height != 0; ++height) {
            const std::uint32_t end = round >> height;
            if (end % 2 == 0) continue;
            if (precision_[at(height, end - 1)] == 0) return {};
            resolve(height, end - 1, 1, terms);
        }
        return terms;
    }
    /// Returns the variance of the share of a value in a round, over users and responses. share(height) is
    /// the share of users with the value at the end of that level's first node.
    template <class Share>
    double variance(std::span<const NodeTerm> terms, Share share) const {
        const double all = static_cast<double>(trees_.order_), others = (all - 1) / all;
        double sum = 0;
        for (const auto& [height, node, weight] : terms) {
            const double mean = node == 0 ? share(height) - 1 / all : 0;
            const double root = others * scale(node) / trees_.levels_[height].tilt;
            sum += square(weight) * (square(root) - square(mean)) / reports(height, node);
        }
        return sum;
    }

  private:
    std::size_t at(std::size_t height, std::uint32_t node) const {
        return trees_.levels_[height].first + node;
    }
    double own(std::size_t height, std::uint32_t node) const {
        return reports(height, node) * square(trees_.levels_[height].tilt / scale(node));
    }
    double of_halves(std::size_t height, std::uint32_t node) const {
        if (height == 0) return 0;
        return 1 / (1 / precision_[at(height - 1, 2 * node)] + 1 / precision_[at(height - 1, 2 * node + 1)]);
    }
    void resolve(std::size_t height, std::uint32_t node, double weight, std::vector<NodeTerm>& terms) const {
        const double alone = own(height, node) / precision_[at(height, node)];
        if (alone > 0) terms.push_back({height, node, weight * alone});
        if (of_halves(height, node) == 0) return;
        for (const std::uint32_t half : {2 * node, 2 * node + 1})
            resolve(height - 1, half, weight * (1 - alone), terms);
    }

    const DifferenceTrees& trees_;
    std::vector<double> reports_, precision_;  // of nodes
};

std::vector<Estimate> DifferenceTrees::estimate(const Counts& counts, const Question& question) const {
    check_attribute(question.attribute, rounds_);
    const auto round = static_cast<std::uint32_t>(question.attribute + 1);
    std::vector<double> counts_by_node(nodes_);
    Work work;
    for (std::uint64_t r = 1; r < order_; ++r, work.done(nodes_))
        for (std::uint32_t node = 0; node < nodes_; ++node)
            counts_by_node[node] += static_cast<double>(reports(counts.state, r, node));
    const NodeSum combination(*this, std::move(counts_by_node));

    // A row drawn from K−1 represents all of them; row 0 is + for all values.
    const auto shares = [&](std::span<const NodeTerm> terms) {
        std::vector<double> rows(order_), found(k_);
        rows[0] = 1;
        for (const auto& [height, node, weight] : terms) {
            const NodeLevel& level = levels_[height];
            const double each = weight * scale(node) * static_cast<double>(order_ - 1) /
                                (level.tilt * combination.reports(height, node));
            for (std::uint64_t r = 1; r < order_; ++r)
                rows[r] += each * balance(counts.state, r, level.first + node);
            work.done(order_);
        }
        for (std::uint64_t v = 0; v < k_; ++v, work.done(order_)) {
            for (std::uint64_t r = 0; r < order_; ++r) found[v] += sign(r, v) != 0 ? rows[r] : -rows[r];
            found[v] /= static_cast<double>(order_);
        }
        return found;
    };
    const std::vector<NodeTerm> terms = combination.sum(round);
    if (terms.empty()) return std::vector<Estimate>(k_, {unknown, unknown});

    const std::vector<double> found = shares(terms);
    std::vector<std::vector<double>> before;  // shares at the ends of the first nodes
    double people = 0, drawn = 0;
    for (std::size_t height = 0; round >> height != 0; ++height) {
        before.push_back(shares(combination.sum(std::uint32_t{1} << height)));
        people += combination.reports(height, 0);
        drawn += chance(levels_[height]);
    }
    std::vector<Estimate> estimates(k_);
    for (std::uint64_t v = 0; v < k_; ++v) {
        double variance = combination.variance(
            terms, [&](std::size_t height) { return std::clamp(before[height][v], 0.0, 1.0); });
        const double inside = std::clamp(found[v], 0.0, 1.0);
        // The users who draw a level are a sample of all, without replacement: see
        // HaarOrdered::HaarOrderedNoise.
        if (question.target == Target::sample && people > 0)
            variance -= inside * (1 - inside) * drawn / people;
        estimates[v] = {found[v], std::sqrt(std::max(variance, 0.0))};
    }
    return estimates;
}

std::vector<double> DifferenceTrees::expected() const {
    std::vector<double> reports;
    for (const NodeLevel& level : levels_) reports.insert(reports.end(), level.nodes, chance(level));
    return reports;
}

// Every user counts on all levels and in all rows, as each is drawn independently of the series.
std::vector<std::vector<double>> DifferenceTrees::expected_frequencies(
    std::span<const std::vector<Cell>> series, std::span<const std::size_t> rounds) const {
    std::vector<double> means((order_ - 1) * nodes_);
    Work work;
    for (const std::vector<Cell>& input : series)
        for (std::uint64_t r = 1; r < order_; ++r)
            for (std::size_t height = 0; height < levels_.size(); work.done(levels_[height++].nodes)) {
                const std::byte drawn[] = {static_cast<std::byte>(r), static_cast<std::byte>(height)};
                SeriesState series_state;
                for (std::uint32_t node = 0; node < levels_[height].nodes; ++node) {
                    series_state.round = (node + 1) << height;
                    series_state.value = static_cast<std::uint32_t>(input[series_state.round - 1]);
                    means[place(r, levels_[height].first + node)] +=
                        static_cast<double>(difference(series_state, drawn)) - 1;
                }
            }
    for (double& mean : means) mean /= static_cast<double>(series.size());

    const NodeSum combination(*this, expected());
    std::vector<std::vector<double>> found;
    for (const std::size_t round : rounds) {
        std::vector<double> rows(order_);
        rows[0] = 1;
        for (const auto& [height, node, weight] : combination.sum(static_cast<std::uint32_t>(round + 1)))
            for (std::uint64_t r = 1; r < order_; ++r)
                rows[r] += weight * scale(node) * means[place(r, levels_[height].first + node)];
        std::vector<double>& shares = found.emplace_back(k_);
        for (std::uint64_t v = 0; v < k_; ++v, work.done(order_)) {
            for (std::uint64_t r = 0; r < order_; ++r) shares[v] += sign(r, v) != 0 ? rows[r] : -rows[r];
            shares[v] /= static_cast<double>(order_);
        }
    }
    return found;
}

double DifferenceTrees::n_variance(double truth) const {
    const NodeSum combination(*this, expected());
    double largest = 0;
    Work work;
    for (std::uint32_t round = 1; round <= rounds_; ++round, work.done(nodes_))
        largest = std::max(largest,
                           combination.variance(combination.sum(round), [=](std::size_t) { return truth; }));
    return largest - truth * (1 - truth);
}

double DifferenceTrees::n_variance_of(std::size_t attribute, std::size_t item,
                                      std::span<const double> shares) const {
    const NodeSum combination(*this, expected());
    const double truth = shares[item];
    const auto terms = combination.sum(static_cast<std::uint32_t>(attribute + 1));
    return combination.variance(terms, [=](std::size_t) { return truth; }) - truth * (1 - truth);
}

std::vector<Contribution> DifferenceTrees::contributions(const Question& question) const {
    const std::vector<double> expected = this->expected();
    const double reports = std::accumulate(expected.begin(), expected.end(), 0.0);  // per user
    const NodeSum combination(*this, expected);
    const double all = static_cast<double>(order_), others = (all - 1) / all;
    const auto of_round = [&](std::uint32_t round) {
        std::vector<Contribution> contributions;
        double around = 1 / all;  // row 0 is + for all values
        for (const auto& [height, node, weight] : combination.sum(round)) {
            const double reach = weight * others * scale(node) / levels_[height].tilt;
            const Interval truths =
                node == 0 ? Interval{-weight / all, weight * others} : Interval{-weight, weight};
            contributions.push_back({chance(levels_[height]) / reports,
                                     {around - reach, around + reach},
                                     {around + truths.lower, around + truths.upper}});
            around = 0;
        }
        return contributions;
    };
    if (question.attribute != only_attribute)
        return of_round(static_cast<std::uint32_t>(question.attribute + 1));
    std::vector<Contribution> worst;
    for (std::uint32_t round = 1; round <= rounds_; ++round) {
        std::vector<Contribution> contributions = of_round(round);
        if (worst.empty() || influence(contributions) > influence(worst)) worst = std::move(contributions);
    }
    return worst;
}

// The reports at the end of a round are divided among the levels with a node there and the rows.
double DifferenceTrees::max_probability(Bytes payload) const {
    const std::uint64_t output = output_of(payload);
    std::size_t height = 0;
    while (levels_[height].first + levels_[height].nodes <= output / 2) ++height;
    const std::uint64_t round = (output / 2 - levels_[height].first + 1) << height;
    double due = 0;
    for (std::size_t other = 0; other < levels_.size() && round % (std::uint64_t{1} << other) == 0; ++other)
        due += chance(levels_[other]);
    return chance(levels_[height]) / due * levels_[height].channel.max_probability(output % 2) /
           static_cast<double>(order_ - 1);
}

// A report at the end of a round comes from one of the levels with a node end there, and from a row. The
// share of each response ±1 is within the range that the true values permit. In each row, the mean of a node
// equals the sum of the means of its halves, up to the noise of all three.
std::vector<Check> DifferenceTrees::health(const Counts& counts) const {
    std::vector<std::vector<Check>> draws, answers, sums;
    Work work;
    for (std::uint32_t round = 1; round <= rounds_; ++round) {
        std::vector<std::uint64_t> levels, rows(order_ - 1);
        std::vector<double> weights;
        for (std::size_t height = 0; height < levels_.size() && round % (1u << height) == 0; ++height) {
            const NodeLevel& level = levels_[height];
            const std::uint32_t node = level.first + (round >> height) - 1;
            std::uint64_t all = 0, said = 0;
            work.done(order_);
            for (std::uint64_t r = 1; r < order_; ++r) {
                rows[r - 1] += reports(counts.state, r, node);
                all += reports(counts.state, r, node);
                said += ones(counts.state, r, node);
            }
            levels.push_back(all);
            weights.push_back(static_cast<double>(level.weight));
            std::byte tally[counter_size];
            store(tally, said);
            if (all != 0) answers.push_back(level.channel.health(all, tally));
        }
        if (std::ranges::any_of(levels, [](std::uint64_t all) { return all != 0; }))
            draws.push_back(
                {goodness_of_fit("levels drawn", levels, weights), goodness_of_fit("rows drawn", rows)});
    }
    // Number of reports from which on the normal law is used.
    constexpr std::uint64_t enough = 50;
    for (std::size_t height = 1; height < levels_.size(); ++height)
        for (std::uint32_t node = 0; node < levels_[height].nodes; ++node)
            for (std::uint64_t r = 1; r < order_; ++r) {
                double variance = 0;
                work.done(16);
                const auto mean = [&](std::size_t at, std::uint32_t i) {
                    const NodeLevel& level = levels_[at];
                    const std::uint64_t all = reports(counts.state, r, level.first + i);
                    const double each = scale(i) / level.tilt;
                    variance += all < enough ? unknown : square(each) / static_cast<double>(all);
                    return each * balance(counts.state, r, level.first + i) / static_cast<double>(all);
                };
                const double whole = mean(height, node);
                const double halves = mean(height - 1, 2 * node) + mean(height - 1, 2 * node + 1);
                if (!std::isnan(variance))
                    sums.push_back(
                        {{"levels agree", whole, halves, two_sided((whole - halves) / std::sqrt(variance))}});
            }
    std::vector<Check> checks;
    for (const auto& each : {draws, answers, sums})
        for (Check& worst : worst_of(each, each.size())) checks.push_back(std::move(worst));
    return checks;
}

constexpr Option options[] = {{.name = "rounds", .fallback = 16, .least = 2, .most = max_rounds},
                              {.name = "changes", .fallback = 2, .least = 1, .most = max_rounds - 1}};

void settle(SettingsDraft& draft) {
    const auto rounds = std::get<std::uint64_t>(draft.options.at("rounds"));
    const auto changes = std::get<std::uint64_t>(draft.options.at("changes"));
    if (changes >= rounds)
        raise(ErrorCode::invalid_spec, "\"changes\" must be less than \"rounds\"",
              "Found " + std::to_string(changes) + "; there are " + std::to_string(rounds) + " rounds.");
    if (epsilon_of_each(draft.epsilon, changes + 1) < min_epsilon)
        raise(ErrorCode::invalid_spec, "\"changes\" divides epsilon into too many parts",
              "An answer needs an epsilon of 0.001; " + std::to_string(changes + 1) + " share " +
                  std::to_string(draft.epsilon) + ".");
}

void write(const Settings& settings, Writer& writer) {
    write_domain(settings, writer);
    writer.put(static_cast<std::uint32_t>(settings.number("rounds")));
    writer.put(static_cast<std::uint32_t>(settings.number("changes")));
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t k = take_domain(reader, max_domain);
    const auto rounds = static_cast<std::uint32_t>(take_number(reader, "number of rounds", 2, max_rounds));
    const auto changes = static_cast<std::uint32_t>(take_number(reader, "number of changes", 1, rounds - 1));
    reader.finish();
    if (epsilon_of_each(header.epsilon, changes + 1) < min_epsilon)
        raise(ErrorCode::malformed, "epsilon is divided into too many parts", {},
              "The bytes were damaged or forged.");
    return std::make_unique<DifferenceTrees>(header, block, k, rounds, changes);
}

}  // namespace

const MechanismEntry entry{27,
                           "ddrm",
                           "difference trees over rounds",
                           "now and then a single yes or no about how your answer has moved, drawn by chance",
                           Shape::one_categorical,
                           max_domain,
                           false,
                           options,
                           write,
                           load,
                           settle,
                           true};

}  // namespace ldp::ddrm
