// Length: the estimates, their errors and their bias use the same tree.
//
// Numbers in each round of a series, through difference trees: see difference_tree.hpp. Each user draws a
// threshold α once, uniformly over the range. The sign of a value x is + if x is at least α. Its probability
// is the survival function F̄(α) = P(x ≥ α), and the mean of F̄ over the range is the mean of x. The threshold
// has two parts. One of `thresholds` equal parts of the range is the split, which every report contains. The
// position within it stays on the device. A split therefore estimates the mean of F̄ over its part. This is
// the distribution of x, rounded at random to the ends of the parts without bias. A user's rounding never
// changes while x does not. If each part is one grid step, the threshold is public, and the shares of the
// grid points are estimated.
//
// Estimates are linear in the counts. Let w be the increments of a function f over the ends of the parts, and
// G their number. A bit ±1 of split g counts as G·w_g/2, so that its mean is the mean of f less a constant,
// and its square has the mean G·Σw²/4. For the mean of x all w are 1/G, so that the split does not matter.
// The share of users above a point takes w = 1/b over b parts around it.
//
// A snapshot answers b thresholds at once: those of the parts g, g + G/b, g + 2G/b, …, at the same position
// within each part. Their number below the value is an outcome from 0 to b. A class is the part g < G/b of the
// first of them. b divides G, and minimizes the variance of a snapshot of numbers spread evenly over the range.
//
// Parameters: grid steps, thresholds, rounds, changes (4 bytes each), min, max · public randomness: that of
// the tree, then the position in grid steps (4) · payload and state: those of the tree.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/interrupt.hpp"
#include "core/math/monotone.hpp"
#include "core/mechanism/longitudinal/difference_tree.hpp"
#include "core/mechanism/longitudinal/number_series.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::threshold_series {

namespace {

constexpr std::uint64_t max_grid = std::uint64_t{1} << 20, max_thresholds = 128, usual_thresholds = 32;
/// Parts of a variance below this are neglected.
constexpr double negligible = 1e-3;

class ThresholdSeries final : public DifferenceTree, public NumberSeries, public KnownErrors {
  public:
    ThresholdSeries(const Header& header, Bytes block, std::uint64_t steps, std::uint64_t thresholds,
                    Size size, const Range& range)
        : DifferenceTree(header, block, thresholds, steps + 1, size,
                         snapshots_of(header.epsilon, thresholds)),
          width_(steps / thresholds),
          range_(range),
          bits_(snapshots().outcomes - 1),
          classes_(snapshots().classes),
          q_(snapshot_channel().q()),
          slope_(snapshot_channel().p() - q_) {}

    std::vector<std::pair<std::string, double>> parameters() const override {
        return {{"min", range_.min},
                {"max", range_.max},
                {"grid", static_cast<double>(cells_each() - 1)},
                {"thresholds", static_cast<double>(splits())},
                {"rounds", rounds()},
                {"changes", size().changes},
                {"levels", static_cast<double>(levels().size())},
                {"min_epsilon", least_epsilon()}};
    }
    std::size_t public_size() const noexcept override { return tree_public_size + position_size; }
    void draw_public(BitSource& bits, MutableBytes public_randomness) const override {
        DifferenceTree::draw_public(bits, public_randomness);
        store(public_randomness.data() + tree_public_size, static_cast<std::uint32_t>(bits.below(width_)));
    }
    bool valid_public(Bytes public_randomness) const noexcept override {
        return DifferenceTree::valid_public(public_randomness) && position(public_randomness) < width_;
    }

    std::span<const Quantity> answers() const noexcept override {
        static constexpr Quantity quantities[] = {Quantity::means};
        return quantities;
    }
    /// Returns the means of all rounds, NaN without reports. The variance is that of the bits, exact for
    /// users who keep their values. For users whose values change, it omits the covariance of their bits, and
    /// the reduction if all change in the same way.
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override {
        const auto means = round_means(counts, question.target);
        return {means.begin(), means.end()};
    }
    std::vector<RoundEstimate> round_means(const Counts& counts, Target target) const override;
    ErrorLaw error_law(std::uint64_t, Target) const noexcept override { return {.truths = ends()}; }

    /// Returns the variance in the round where it is largest. n is the number of users who report to the end
    /// and keep their values.
    double n_variance(double truth) const override;
    /// `attribute` is the round, from 0.
    double n_variance_of(std::size_t attribute, std::size_t item,
                         std::span<const double> shares) const override;

    std::shared_ptr<const Solution> solution(const Counts& counts) const override;
    InRound in_round(std::size_t round, const Counts& counts,
                     std::shared_ptr<const Solution> solution) const override;
    std::unique_ptr<const Ordered> expected_in(std::size_t round) const override;
    SeriesBias expected_bias(std::span<const std::vector<Cell>> series,
                             std::span<const std::size_t> rounds) const override;

  private:
    class RoundPoints;
    class RoundNoise;
    struct Solved;
    static constexpr std::size_t position_size = 4;

    static std::uint32_t position(Bytes public_randomness) noexcept {
        return load<std::uint32_t>(public_randomness.data() + tree_public_size);
    }
    std::uint32_t sign(Bytes public_randomness, std::uint64_t value) const noexcept override {
        return value > (split(public_randomness) - 1) * width_ + position(public_randomness) ? 1 : 0;
    }
    std::uint64_t outcome(Bytes public_randomness, std::uint64_t value) const noexcept override {
        const std::uint64_t first = (split(public_randomness) - 1) % classes_;
        std::uint64_t reached = 0;
        for (std::uint64_t j = 0; j < bits_; ++j)
            reached += value > (first + j * classes_) * width_ + position(public_randomness) ? 1 : 0;
        return reached;
    }
    static Snapshots snapshots_of(double epsilon, std::uint64_t thresholds);
    /// Returns the variance of a snapshot of the mean, on [0, 1]: `mean` and `square` are those of the
    /// rounded numbers less 1/2.
    double snapshot_variance(double mean, double square) const noexcept {
        return second_moment(snapshot_channel(), bits_, square) - mean * mean;
    }
    /// Returns the mean square of a snapshot less 1/2.
    static double second_moment(const SymmetricChannel& channel, std::uint64_t bits, double square) noexcept {
        double all = 0;
        for (std::uint64_t out = 0; out <= bits; ++out) all += ldp::square(middled(out, bits));
        const double slope = channel.p() - channel.q();
        return (slope * square + channel.q() * all) / ldp::square(slope);
    }
    /// Returns an outcome on [0, 1], less 1/2.
    static double middled(std::uint64_t outcome, std::uint64_t bits) noexcept {
        return static_cast<double>(outcome) / static_cast<double>(bits) - 0.5;
    }
    /// Returns the mean of (y − 1/2)², if y is x on [0, 1] rounded at random to multiples of 1/bits.
    double square_of_rounded(double x) const noexcept {
        const double at = x * static_cast<double>(bits_), beyond = at - std::floor(at);
        return square(x - 0.5) + beyond * (1 - beyond) / square(static_cast<double>(bits_));
    }
    /// Returns the term of bit j of a snapshot in the sign of its part, less 1/2.
    double snapshot_bit(std::uint64_t outcome, std::uint64_t j) const noexcept {
        return ((outcome > j ? 1 : 0) - q_ * static_cast<double>(bits_ - j)) / slope_ - 0.5;
    }
    double snapshot_sign(Bytes state, std::uint64_t split, std::uint32_t round) const noexcept override {
        const std::uint64_t part = split - 1;
        double sum = 0, reports = 0;
        for (std::uint64_t out = 0; out <= bits_; ++out) {
            const auto each = static_cast<double>(snapshots(state, part % classes_, round, out));
            sum += each * snapshot_bit(out, part / classes_);
            reports += each;
        }
        return 2 * sum / reports;
    }
    const char* drawn_splits() const noexcept override { return "thresholds drawn"; }
    std::uint64_t checked_together() const noexcept override {
        return std::max<std::uint64_t>(1, splits() / 8);
    }
    SignScale sign_scale() const noexcept override {
        return {0.5, 0.5, ends(), {-0.5 / slope_, 0.5 / slope_}};
    }
    Interval ends() const noexcept { return {range_.min, range_.max}; }
    std::vector<RoundEstimate> sum_of(const Counts& counts, const NodeSum& combination,
                                      std::span<const RoundWeight> weights, Target target) const override;

    /// Adds the terms of the snapshots of a round to the signs of all parts, each with this weight.
    void add_snapshots(const Counts& counts, std::uint32_t round, double weight,
                       std::span<double> signs) const;
    /// The means of x, of x² and of y² at each node and snapshot, less 1/2 and with scale and tilt. x is on
    /// [0, 1], and y is x rounded as in snapshots.
    struct NodeMoments {
        std::vector<double> first, second, rounded;
        /// Estimates of the mean of x in all rounds, less 1/2.
        std::vector<double> means;
        /// The variances of x and of y, over f(1 − f) for the mean f of x, pooled over the rounds. `most` is
        /// the latter and its standard error.
        double own = 0, spread_out = 1, most = 1;
        /// The latter two for single rounds.
        std::vector<double> in_round, most_in_round;
    };
    NodeMoments moments(const Counts& counts, const NodeSum& combination) const;
    void pool(const NodeSum& combination, NodeMoments& all) const;
    RoundEstimate mean_of(const NodeSum& combination, const NodeMoments& moments,
                          std::span<const RoundWeight> weights, Target target) const;
    /// Returns the variance of a mean of rounds on [0, 1], and its third moment, at each true mean f. The
    /// variance of the users' own numbers is subtracted; `own` is that variance over f(1 − f), divided by the
    /// number of users. `spread_out` is the variance of rounded numbers over f(1 − f).
    TruthCurve curve(const NodeSum& combination, const NodeSum::Spread& spread,
                     std::span<const NodeTerm> terms, double own, double spread_out) const;
    /// Returns the increment of y² over part g of the range, times the number of parts.
    double increment_of_rounded(std::uint64_t g) const noexcept {
        return static_cast<double>(2 * (g / classes_) + 1) / static_cast<double>(bits_);
    }
    /// Returns the increment of x² over part g of the range, times the number of parts.
    double increment_of_square(std::uint64_t g) const noexcept {
        return static_cast<double>(2 * g + 1) / static_cast<double>(splits());
    }
    static double sum_with(std::span<const double> survival, auto weight) {
        double sum = 0;
        for (std::size_t g = 0; g < survival.size(); ++g) sum += weight(g) * survival[g];
        return sum;
    }

    std::uint64_t width_;  ///< of a part of the range, in grid steps
    Range range_;
    std::uint64_t bits_, classes_;  ///< thresholds of a snapshot, and classes of users
    double q_, slope_;              ///< of the randomized response of snapshots
};

DifferenceTree::Snapshots ThresholdSeries::snapshots_of(double epsilon, std::uint64_t thresholds) {
    constexpr std::uint64_t most_bits = 16;
    Snapshots best{thresholds, 2, 0};
    for (std::uint64_t bits = 1; bits <= std::min(most_bits, thresholds); ++bits) {
        if (thresholds % bits != 0) continue;
        // An even spread has the variance 1/12, and rounding adds 1/(6·bits²) on average.
        const double rounded = 1.0 / 12 + 1 / (6 * square(static_cast<double>(bits)));
        const double precision = 0.25 / second_moment(SymmetricChannel(bits + 1, epsilon), bits, rounded);
        if (precision > best.precision) best = {thresholds / bits, bits + 1, precision};
    }
    return best;
}

void ThresholdSeries::add_snapshots(const Counts& counts, std::uint32_t round, double weight,
                                    std::span<double> signs) const {
    for (std::uint64_t first = 0; first < classes_; ++first)
        for (std::uint64_t out = 0; out <= bits_; ++out) {
            const auto reports = static_cast<double>(snapshots(counts.state, first, round, out));
            const double each = weight * static_cast<double>(classes_) * reports;
            if (reports == 0) continue;
            for (std::uint64_t j = 0; j < bits_; ++j)
                signs[first + j * classes_] += each * snapshot_bit(out, j);
        }
}

ThresholdSeries::NodeMoments ThresholdSeries::moments(const Counts& counts,
                                                      const NodeSum& combination) const {
    NodeMoments all;
    Work work;
    for (std::size_t height = 0; height < levels().size(); ++height) {
        const NodeLevel& level = levels()[height];
        for (std::uint32_t node = 0; node < level.nodes; ++node, work.done(splits())) {
            double first = 0, second = 0, rounded = 0;
            for (std::uint64_t g = 0; g < splits(); ++g) {
                const double sum = balance(counts.state, g + 1, level.first + node);
                first += sum;
                second += sum * increment_of_square(g);
                rounded += sum * increment_of_rounded(g);
            }
            const double each = scale(node) / (2 * level.tilt * combination.reports(height, node));
            all.first.push_back(each * first);
            all.second.push_back(each * second);
            all.rounded.push_back(each * rounded);
        }
    }
    for (std::uint32_t round = 0; round < rounds(); ++round, work.done(2 * splits())) {
        std::vector<double> signs(splits());
        add_snapshots(counts, round, 1 / combination.reports(levels().size(), round), signs);
        const double each = 1 / static_cast<double>(splits());
        all.first.push_back(each * sum_with(signs, [](std::size_t) { return 1.0; }));
        all.second.push_back(each * sum_with(signs, [&](std::size_t g) { return increment_of_square(g); }));
        all.rounded.push_back(each * sum_with(signs, [&](std::size_t g) { return increment_of_rounded(g); }));
    }
    pool(combination, all);
    return all;
}

// The square of an estimated mean exceeds the square of the mean by the variance of the estimate. The variance
// of x includes that of its rounding to the ends of the parts, at most 1/(4·G²).
void ThresholdSeries::pool(const NodeSum& combination, NodeMoments& all) const {
    std::vector<double> columns;
    for (std::size_t i = 0; i < all.first.size(); ++i)
        columns.insert(columns.end(), {all.first[i], all.second[i], all.rounded[i]});
    const std::vector<double> found = combination.signs(columns, 3);
    const std::vector<double> variances = combination.sign_variances();
    const auto ratio = [](double part, double whole, double otherwise) {
        return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : otherwise;
    };
    double reports = 0, whole = 0, own = 0, rounded = 0, fourths = 0;
    for (std::uint32_t t = 0; t < rounds(); ++t) {
        const double mean = std::clamp(found[3 * t], -0.5, 0.5);
        all.means.push_back(mean);
        if (std::isnan(found[3 * t])) continue;
        const double each = 1 / (variances[t] * snapshots().precision);  // as many snapshots
        const double excess = 0.25 - mean - square(mean);
        reports += each;
        whole += each * (0.25 - square(mean));
        own += each * (found[3 * t + 1] + excess);
        rounded += each * (found[3 * t + 2] + excess);
        for (std::uint64_t out = 0; out <= bits_; ++out)
            fourths += each * square(square(middled(out, bits_) - mean));
    }
    all.in_round.assign(rounds(), 1);
    all.most_in_round.assign(rounds(), 1);
    if (!(reports > 0 && whole > 0)) return;
    all.in_round.clear();
    all.most_in_round.clear();
    const double first = ratio(rounded, whole, 1), middle = 0.25 - whole / reports;
    const double one = snapshot_variance(std::sqrt(middle), middle + first * whole / reports);
    const double of_means = one * static_cast<double>(std::ranges::count_if(
                                      all.means, [](double mean) { return !std::isnan(mean); }));
    all.spread_out = ratio(rounded + of_means, whole, 1);
    all.own = ratio(own + of_means - reports / (4 * square(static_cast<double>(splits()))), whole, 0);
    const auto error = [&](double ratio_of, double number, double free) {
        const double fourth = 3 * slope_ * square(ratio_of * free) + q_ * fourths / reports;
        return std::sqrt(fourth / number) / slope_ / free;
    };
    all.most = std::min(1.0, all.spread_out + error(all.spread_out, reports, whole / reports));
    constexpr double pooled = 50;  // reports whose weight the other rounds have
    for (std::uint32_t t = 0; t < rounds(); ++t) {
        all.in_round.push_back(all.spread_out);
        all.most_in_round.push_back(all.most);
        const double mean = all.means[t], free = 0.25 - square(mean);
        if (std::isnan(found[3 * t]) || !(free > 0)) continue;
        const double number = 1 / (variances[t] * snapshots().precision);
        const double local = ratio(found[3 * t + 2] + 0.25 - mean - square(mean) + one / number, free, 1);
        all.in_round[t] = (number * local + pooled * all.spread_out) / (number + pooled);
        all.most_in_round[t] = std::max(
            all.most, std::min(1.0, all.in_round[t] + error(all.in_round[t], number + pooled, free)));
    }
}

TruthCurve ThresholdSeries::curve(const NodeSum& combination, const NodeSum::Spread& spread,
                                  std::span<const NodeTerm> terms, double own, double spread_out) const {
    TruthCurve::Cubic variances{}, thirds{};
    for (std::size_t i = 0; i < variances.size(); ++i) {
        const double truth = static_cast<double>(i) / 3, middle = truth - 0.5;
        const double rounded = square(middle) + spread_out * truth * (1 - truth);
        variances[i] = spread.variance(
                           0.25, [=](std::size_t) { return middle; }, snapshot_variance(middle, rounded)) -
                       own * truth * (1 - truth);
        // The third moment of numbers of which a share `spread_out` is at the ends of the range.
        const double cube = spread_out * middle / 4 + (1 - spread_out) * middle * square(middle);
        const double of_snapshot = cube / square(slope_) -
                                   3 * middle * second_moment(snapshot_channel(), bits_, rounded) +
                                   2 * middle * square(middle);
        // A bit of ±s with mean m has the third central moment −2m(s² − m²).
        for (const NodeTerm& term : terms) {
            const auto& [height, node, weight] = term;
            if (of_snapshots(term))
                thirds[i] += of_snapshot * weight * square(weight / combination.reports(height, node));
            if (of_snapshots(term) || node != 0) continue;
            const double mean = truth - 0.5, size = 0.5 / levels()[height].tilt;
            thirds[i] -= 2 * mean * (square(size) - square(mean)) * weight *
                         square(weight / combination.reports(height, node));
        }
    }
    return TruthCurve::through(1, variances, thirds);
}

RoundEstimate ThresholdSeries::mean_of(const NodeSum& combination, const NodeMoments& moments,
                                       std::span<const RoundWeight> weights, Target target) const {
    const std::vector<NodeTerm> terms = combination.sum(weights);
    if (terms.empty()) return {{unknown, unknown}};
    double whole = 0, least = 0;
    std::uint32_t last = 0;
    for (const RoundWeight& each : weights) {
        whole += each.weight;
        least = std::min(least, each.weight);
        last = std::max(last, each.round);
    }
    double found = whole / 2;
    for (const NodeTerm& term : terms) found += term.weight * moments.first[index_of(term)];
    const NodeSum::Spread spread = combination.spread(terms);
    double variance = spread.variance(
        0.25,
        [&](std::size_t height) {
            const double mean = std::clamp(moments.first[levels()[height].first], -0.5, 0.5);
            const double bits = 0.25 / square(levels()[height].tilt) - square(mean);
            return std::sqrt(
                std::max(0.0, square(mean) - bits / std::max(1.0, combination.reports(height, 0) - 1)));
        },
        [&](std::uint32_t round) {
            const double middle = square(moments.means[round - 1]);
            return snapshot_variance(std::sqrt(middle),
                                     middle + moments.in_round[round - 1] * (0.25 - middle));
        });
    // The users who draw a level are a sample of all, without replacement: see HaarOrdered::HaarOrderedNoise.
    // The variance of users' own sums of rounds is unknown.
    double own = 0;
    if (target == Target::sample && weights.size() == 1) {
        const auto [people, drawn] = combination.drawn(last);
        const double inside = std::clamp(found, 0.0, 1.0);
        own = moments.own * drawn / people;
        variance -= own * inside * (1 - inside);
    }
    ErrorLaw law;
    if (least == 0) {
        law.truths = ends();
        law.curve = curve(combination, spread, terms, own,
                          weights.size() == 1 ? moments.most_in_round[last - 1] : moments.most);
    }
    const double unit = 2 * range_.half();
    return {{range_.min * whole + unit * found, unit * std::sqrt(std::max(variance, 0.0))}, law};
}

std::vector<RoundEstimate> ThresholdSeries::sum_of(const Counts& counts, const NodeSum& combination,
                                                   std::span<const RoundWeight> weights,
                                                   Target target) const {
    return {mean_of(combination, moments(counts, combination), weights, target)};
}

std::vector<RoundEstimate> ThresholdSeries::round_means(const Counts& counts, Target target) const {
    const NodeSum combination = this->combination(counts);
    const NodeMoments moments = this->moments(counts, combination);
    std::vector<RoundEstimate> means;
    Work work;
    for (std::uint32_t round = 1; round <= rounds(); ++round, work.done(16 * std::uint64_t{rounds()})) {
        const RoundWeight one{round, 1};
        means.push_back(mean_of(combination, moments, {&one, 1}, target));
    }
    return means;
}

double ThresholdSeries::n_variance(double truth) const {
    const NodeSum combination = expected_combination();
    const double of_snapshot = snapshot_variance(truth / 2, square_of_rounded((1 + truth) / 2));
    double largest = 0;
    Work work;
    for (std::uint32_t round = 1; round <= rounds(); ++round, work.done(8 * std::uint64_t{rounds()})) {
        const NodeSum::Spread spread = combination.spread(combination.sum(round));
        largest = std::max(largest, spread.variance(
                                        0.25, [=](std::size_t) { return truth / 2; }, of_snapshot));
    }
    return 4 * largest;
}

double ThresholdSeries::n_variance_of(std::size_t attribute, std::size_t,
                                      std::span<const double> shares) const {
    const NodeSum combination = expected_combination();
    const auto terms = combination.sum(static_cast<std::uint32_t>(attribute + 1));
    const double steps = static_cast<double>(shares.size()) - 1;
    double mean = 0, second = 0, rounded = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const double x = static_cast<double>(i) / steps;
        mean += shares[i] * x;
        second += shares[i] * x * x;
        rounded += shares[i] * square_of_rounded(x);
    }
    const double bits = combination.spread(terms).variance(
        0.25, [=](std::size_t) { return mean - 0.5; }, snapshot_variance(mean - 0.5, rounded));
    return 4 * (bits - std::max(0.0, second - mean * mean));
}

// All thresholds between two neighbouring values of a user have the same signs. Every user counts on all
// levels, as these are drawn independently of the series. Signs that change as often as declared are reported
// without bias on every level.
SeriesBias ThresholdSeries::expected_bias(std::span<const std::vector<Cell>> series,
                                          std::span<const std::size_t> rounds) const {
    std::vector<double> off(levels().back().first + levels().back().nodes);
    std::vector<std::byte> drawn(public_size());
    const double all = static_cast<double>(series.size()), steps = static_cast<double>(cells_each() - 1);
    SeriesBias found;
    Work work;
    for (const std::vector<Cell>& input : series) {
        std::vector<Cell> values = input;
        std::ranges::sort(values);
        values.erase(std::unique(values.begin(), values.end()), values.end());
        for (std::size_t i = 0; i + 1 < values.size(); ++i, work.done(input.size())) {
            const Cell threshold = values[i];
            std::uint32_t changes = 0;
            for (std::size_t t = 1; t < input.size(); ++t)
                changes += (input[t] > threshold) != (input[t - 1] > threshold) ? 1 : 0;
            if (changes <= size().changes) continue;
            const double share = static_cast<double>(values[i + 1] - threshold) / steps / all;
            found.beyond += share;
            drawn[0] = static_cast<std::byte>(1 + threshold / width_);
            store(drawn.data() + tree_public_size, static_cast<std::uint32_t>(threshold % width_));
            for (std::size_t height = 0; height < levels().size(); work.done(levels()[height++].nodes)) {
                drawn[1] = static_cast<std::byte>(height);
                SeriesState series_state;
                double before = 0;
                for (std::uint32_t node = 0; node < levels()[height].nodes; ++node) {
                    series_state.round = (node + 1) << height;
                    const Cell value = input[series_state.round - 1];
                    series_state.value = static_cast<std::uint32_t>(value);
                    const double now = value > threshold ? 1 : -1;
                    const double reported = static_cast<double>(difference(series_state, drawn)) - 1;
                    off[levels()[height].first + node] +=
                        share * (reported - (node == 0 ? now : (now - before) / 2));
                    before = now;
                }
            }
        }
    }
    const NodeSum combination = expected_combination();
    for (const std::size_t round : rounds) {
        double& bias = found.of_rounds.emplace_back(1)[0];
        for (const NodeTerm& term : combination.sum(static_cast<std::uint32_t>(round + 1)))
            if (!of_snapshots(term)) bias += term.weight * scale(term.node) * off[index_of(term)];
    }
    return found;
}

// The distribution in a round ------------------------------------------------------------------------------

/// n·Var of the mean of a function of the ends of the parts; n is the number of users.
class ThresholdSeries::RoundNoise final : public WholeFunctionNoise {
  public:
    /// `first` has the survival function less a half at the end of each level's first node; `shares` are
    /// those of the points in this round.
    RoundNoise(const ThresholdSeries& series, std::uint32_t round, std::shared_ptr<const NodeSum> combination,
               std::vector<NodeTerm> terms, double n, std::vector<std::vector<double>> first,
               std::vector<double> shares)
        : WholeFunctionNoise(shares.size()),
          series_(series),
          round_(round),
          combination_(std::move(combination)),
          terms_(std::move(terms)),
          spread_(combination_->spread(terms_)),
          n_(n),
          first_(std::move(first)),
          shares_(std::move(shares)) {}

    double of(std::span<const double> function) const override {
        const std::size_t parts = function.size() - 1;
        std::vector<double> weights(parts);
        double squares = 0, mean = 0, second = 0;
        for (std::size_t g = 0; g < parts; ++g) {
            weights[g] = function[g + 1] - function[g];
            squares += square(weights[g]);
        }
        for (std::size_t point = 0; point <= parts; ++point) {
            mean += shares_[point] * function[point];
            second += shares_[point] * square(function[point]);
        }
        const double all =
            n_ * spread_.variance(
                     static_cast<double>(parts) * squares / 4,
                     [&](std::size_t height) {
                         return sum_with(first_[height], [&](std::size_t g) { return weights[g]; });
                     },
                     of_snapshot(weights));
        return std::max(0.0, all - std::max(0.0, second - square(mean)));
    }
    double stride(std::span<const double> function) const override {
        double largest = 0, most = 0;
        for (std::size_t g = 0; g + 1 < function.size(); ++g)
            largest = std::max(largest, std::abs(function[g + 1] - function[g]));
        double most_drawn = 0;
        for (const NodeTerm& term : terms_) {
            const double each = std::abs(term.weight) * n_ / combination_->reports(term.height, term.node);
            if (series_.of_snapshots(term))
                most_drawn = std::max(most_drawn, each);
            else
                most = std::max(most, each * scale(term.node) / series_.levels()[term.height].tilt);
        }
        double widest = 0;  // range of a snapshot
        for (std::uint64_t first = 0; first < series_.classes_; ++first) {
            double sum = 0, lower = 0, upper = 0;
            for (std::uint64_t j = 0, g = first; j < series_.bits_; ++j, g += series_.classes_) {
                sum += function[g + 1] - function[g];
                lower = std::min(lower, sum);
                upper = std::max(upper, sum);
            }
            widest = std::max(widest, static_cast<double>(series_.classes_) * (upper - lower));
        }
        return std::max(most * largest * static_cast<double>(function.size() - 1),
                        most_drawn * widest / series_.slope_);
    }

  private:
    /// Returns the variance of a snapshot of a function with these increments.
    double of_snapshot(std::span<const double> weights) const {
        const std::uint64_t classes = series_.classes_, bits = series_.bits_;
        std::vector<double> above(weights.size());  // shares of users above each part
        double rest = 1;
        for (std::size_t g = 0; g < above.size(); ++g) above[g] = rest -= shares_[g];
        double squares = 0, mean = 0;
        std::vector<double> sums(bits + 1);
        for (std::uint64_t first = 0; first < classes; ++first) {
            double all = 0;
            for (std::uint64_t j = 0; j < bits; ++j)
                all += sums[j + 1] = sums[j] + static_cast<double>(classes) * weights[first + j * classes];
            for (std::uint64_t out = 0; out <= bits; ++out) {
                const double share = (out == 0 ? 1 : above[first + (out - 1) * classes]) -
                                     (out == bits ? 0 : above[first + out * classes]);
                const double chance = series_.q_ + series_.slope_ * share;
                const double term = (sums[out] - series_.q_ * all) / series_.slope_ - sums[bits] / 2;
                squares += chance * square(term);
                mean += chance * term;
            }
        }
        const double variance =
            squares / static_cast<double>(classes) - square(mean / static_cast<double>(classes));
        // The shares are estimated from the same reports. Expected numbers are those of one user, below 1.
        const double reports = combination_->reports(series_.levels().size(), round_ - 1);
        return reports >= 1 ? variance * (1 + 1 / reports) : variance;
    }

    const ThresholdSeries& series_;
    std::uint32_t round_;
    std::shared_ptr<const NodeSum> combination_;
    std::vector<NodeTerm> terms_;
    NodeSum::Spread spread_;
    double n_;
    std::vector<std::vector<double>> first_;
    std::vector<double> shares_;
};

/// The survival functions less a half of all rounds.
struct ThresholdSeries::Solved final : Solution {
    explicit Solved(NodeSum sums) : combination(std::move(sums)) {}

    NodeSum combination;
    std::vector<double> survival = {};  ///< of each part, round after round
};

class ThresholdSeries::RoundPoints final : public Ordered {
  public:
    /// Without a solution, only the expected noise has a meaning.
    RoundPoints(const ThresholdSeries& series, std::uint32_t round, std::shared_ptr<const Solved> solved)
        : series_(series), round_(round), solved_(std::move(solved)) {}

    std::size_t points() const noexcept override { return series_.splits() + 1; }
    Interval ends() const noexcept override { return series_.ends(); }
    Distribution fit(const Counts& counts, Smoothing) const override {
        std::vector<double> shares = confined(monotone(cumulative(counts)));
        std::adjacent_difference(shares.begin(), shares.end(), shares.begin());
        return {edges_around(ends(), shares.size()), std::move(shares), 0, true};
    }
    std::vector<double> cumulative(const Counts&) const override {
        std::vector<double> below = below_in(round_);
        below.push_back(1);
        return below;
    }
    std::unique_ptr<const OrderedNoise> noise(const Counts& counts,
                                              std::vector<double> shares) const override {
        const NodeSum& combination = solved_->combination;
        std::vector<NodeTerm> terms = combination.sum(round_);
        const NodeSum::Spread spread = combination.spread(terms);
        std::vector<std::vector<double>> first(series_.levels().size());
        for (const auto& [height, factor] : spread.first) {
            if (factor <= negligible * spread.bits) continue;
            for (const double each : confined(monotone(below_in(std::uint32_t{1} << height))))
                first[height].push_back(0.5 - each);
        }
        // A copy would cost as much as the rest for each round.
        std::shared_ptr<const NodeSum> shared(solved_, &combination);
        return std::make_unique<RoundNoise>(series_, round_, std::move(shared), std::move(terms),
                                            static_cast<double>(counts.n), std::move(first),
                                            std::move(shares));
    }
    std::unique_ptr<const OrderedNoise> expected_noise(std::vector<double> shares) const override {
        auto combination = std::make_shared<const NodeSum>(series_.expected_combination());
        std::vector<double> above;
        double below = 0;
        for (std::size_t g = 0; g + 1 < shares.size(); ++g) above.push_back(0.5 - (below += shares[g]));
        std::vector<NodeTerm> terms = combination->sum(round_);
        return std::make_unique<RoundNoise>(series_, round_, std::move(combination), std::move(terms), 1,
                                            std::vector<std::vector<double>>(series_.levels().size(), above),
                                            std::move(shares));
    }
    /// Follows from the expected variance of a share at the resolution of the whole range.
    std::uint64_t blur(std::uint64_t n) const override {
        if (series_.width_ == 1) return 0;
        const NodeSum combination = series_.expected_combination();
        const double variance =
            combination.spread(combination.sum(round_))
                .variance(
                    0.25, [](std::size_t) { return 0.0; }, 0.25 / series_.snapshots().precision);
        return balanced_blur(variance, n, series_.splits());
    }

  private:
    std::vector<double> below_in(std::uint32_t round) const {
        const auto row =
            std::span(solved_->survival).subspan((round - 1) * series_.splits(), series_.splits());
        std::vector<double> below;
        for (const double each : row) below.push_back(0.5 - each);
        return below;
    }

    const ThresholdSeries& series_;
    std::uint32_t round_;
    std::shared_ptr<const Solved> solved_;
};

std::shared_ptr<const NumberSeries::Solution> ThresholdSeries::solution(const Counts& counts) const {
    auto solved = std::make_shared<Solved>(combination(counts));
    const NodeSum& combination = solved->combination;
    std::vector<double> found;
    found.reserve((nodes() + rounds()) * splits());
    Work work;
    for (std::size_t height = 0; height < levels().size(); ++height)
        for (std::uint32_t node = 0; node < levels()[height].nodes; ++node, work.done(splits())) {
            const NodeLevel& level = levels()[height];
            const double each = scale(node) * static_cast<double>(splits()) /
                                (2 * level.tilt * combination.reports(height, node));
            for (std::uint64_t g = 0; g < splits(); ++g)
                found.push_back(each * balance(counts.state, g + 1, level.first + node));
        }
    for (std::uint32_t round = 0; round < rounds(); ++round, work.done(2 * splits())) {
        found.resize(found.size() + splits());
        add_snapshots(counts, round, 1 / combination.reports(levels().size(), round),
                      std::span(found).last(splits()));
    }
    solved->survival = combination.signs(found, splits());
    return solved;
}

NumberSeries::InRound ThresholdSeries::in_round(std::size_t round, const Counts& counts,
                                                std::shared_ptr<const Solution> solution) const {
    check_round(round);
    const auto at = static_cast<std::uint32_t>(round);
    auto solved = std::static_pointer_cast<const Solved>(std::move(solution));
    const NodeSum& combination = solved->combination;
    const bool known = combination.known(at);
    const auto [people, drawn] = combination.drawn(at);
    auto ordered = std::make_unique<RoundPoints>(*this, at, std::move(solved));
    if (!known) return {std::move(ordered), {0, {}}};
    const auto n = static_cast<std::uint64_t>(std::llround(people / drawn));
    return {std::move(ordered), {std::max<std::uint64_t>(1, n), counts.state}};
}

std::unique_ptr<const Ordered> ThresholdSeries::expected_in(std::size_t round) const {
    check_round(round);
    return std::make_unique<RoundPoints>(*this, static_cast<std::uint32_t>(round), nullptr);
}

// Parameters -----------------------------------------------------------------------------------------------

constexpr Option options[] = {DifferenceTree::rounds_option,
                              DifferenceTree::changes_option,
                              {.name = "thresholds", .fallback = 0, .least = 2, .most = max_thresholds},
                              {.name = "grid", .fallback = 32768, .least = 2, .most = max_grid}};

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t steps = take_number(reader, "number of grid steps", 2, max_grid);
    const std::uint64_t thresholds = take_number(reader, "number of thresholds", 2, max_thresholds);
    if (steps % thresholds != 0)
        raise(ErrorCode::malformed, "the thresholds do not divide the grid", {},
              "The bytes are damaged or forged.");
    const auto size = DifferenceTree::take(reader, header.epsilon);
    const Range range = read_range(reader);
    reader.finish();
    return std::make_unique<ThresholdSeries>(header, block, steps, thresholds, size, range);
}

void settle(SettingsDraft& draft) {
    DifferenceTree::settle(draft);
    const std::uint64_t grid = std::get<std::uint64_t>(draft.options.at("grid"));
    std::uint64_t& thresholds = std::get<std::uint64_t>(draft.options.at("thresholds"));
    if (thresholds == 0)
        for (thresholds = std::min(grid, usual_thresholds); grid % thresholds != 0;) --thresholds;
    if (thresholds < 2 || grid % thresholds != 0)
        raise(ErrorCode::invalid_spec, "\"thresholds\" must be at least 2 and divide \"grid\"",
              "Found " + std::to_string(thresholds) + "; the grid has " + std::to_string(grid) + " steps.",
              "Omit \"thresholds\", or set \"grid\" to a multiple of it.");
}

void write(const Settings& settings, Writer& writer) {
    writer.put(static_cast<std::uint32_t>(settings.number("grid")));
    writer.put(static_cast<std::uint32_t>(settings.number("thresholds")));
    DifferenceTree::write(settings, writer);
    const Attribute& attribute = settings.attributes()[0];
    write_range(writer, {attribute.min, attribute.max});
}

}  // namespace

const MechanismEntry entry(
    35, "threshold_series", "thresholds over rounds",
    "now and then a single yes or no about whether your number has passed a threshold, "
    "drawn by chance",
    Shape::one_numeric, 1, write, load, {.options = options, .settle = settle, .series = true});

}  // namespace ldp::threshold_series
