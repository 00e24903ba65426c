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
// Parameters: grid steps, thresholds, rounds, changes (4 bytes each), min, max · public randomness: that of
// the tree, then the position in grid steps (4) · payload and state: those of the tree.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/interrupt.hpp"
#include "core/math/monotone.hpp"
#include "core/mechanism/entries.hpp"
#include "core/mechanism/longitudinal/difference_tree.hpp"
#include "core/mechanism/longitudinal/number_series.hpp"

namespace ldp::threshold_series {

namespace {

constexpr std::uint64_t max_grid = std::uint64_t{1} << 20, max_thresholds = 128, usual_thresholds = 32;

class ThresholdSeries final : public DifferenceTree, public NumberSeries, public KnownErrors {
  public:
    ThresholdSeries(const Header& header, Bytes block, std::uint64_t steps, std::uint64_t thresholds,
                    Size size, const Range& range)
        : DifferenceTree(header, block, thresholds, steps + 1, size),
          width_(steps / thresholds),
          range_(range) {}

    std::vector<std::pair<std::string, double>> parameters() const override {
        return {{"min", range_.min},
                {"max", range_.max},
                {"grid", static_cast<double>(cells_each() - 1)},
                {"thresholds", static_cast<double>(splits())},
                {"rounds", rounds()},
                {"changes", size().changes},
                {"levels", static_cast<double>(levels().size())},
                {"least_epsilon", least_epsilon()}};
    }
    std::size_t public_size() const noexcept override { return 2 + position_size; }
    void draw_public(BitSource& bits, MutableBytes public_randomness) const override {
        DifferenceTree::draw_public(bits, public_randomness);
        store(public_randomness.data() + 2, static_cast<std::uint32_t>(bits.below(width_)));
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

    InRound in_round(std::size_t round, const Counts& counts) const override;
    std::unique_ptr<const Ordered> expected_in(std::size_t round) const override;
    ExpectedBias expected_bias(std::span<const std::vector<Cell>> series,
                               std::span<const std::size_t> rounds) const override;

  private:
    class RoundPoints;
    class RoundNoise;
    static constexpr std::size_t position_size = 4;

    static std::uint32_t position(Bytes public_randomness) noexcept {
        return load<std::uint32_t>(public_randomness.data() + 2);
    }
    std::uint32_t sign(Bytes public_randomness, std::uint64_t value) const noexcept override {
        return value > (split(public_randomness) - 1) * width_ + position(public_randomness) ? 1 : 0;
    }
    const char* drawn_splits() const noexcept override { return "thresholds drawn"; }
    std::uint64_t checked_together() const noexcept override {
        return std::max<std::uint64_t>(1, splits() / 8);
    }
    SignScale sign_scale() const noexcept override { return {0.5, 0.5, ends()}; }
    Interval ends() const noexcept { return {range_.min, range_.max}; }
    std::vector<RoundEstimate> sum_of(const Counts& counts, const NodeSum& combination,
                                      std::span<const RoundWeight> weights, Target target) const override;

    /// Returns, for each split, the weighted sum of its survival functions less a half at these nodes.
    std::vector<double> survival(const Counts& counts, const NodeSum& combination,
                                 std::span<const NodeTerm> terms) const;
    /// The means of x less 1/2 and of x² less 1/2 at each node, x from 0 to 1, with scale and tilt.
    struct NodeMoments {
        std::vector<double> first, second;
    };
    NodeMoments moments(const Counts& counts, const NodeSum& combination) const;
    RoundEstimate mean_of(const NodeSum& combination, const NodeMoments& moments,
                          std::span<const RoundWeight> weights, Target target) const;
    /// Returns the variance of a mean of rounds on [0, 1], and its third moment, at each true mean. The
    /// variance of the users' own numbers is subtracted; `own` is that variance over f(1 − f), divided by the
    /// number of users.
    TruthCurve curve(const NodeSum& combination, std::span<const NodeTerm> terms, double own) const;
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
};

std::vector<double> ThresholdSeries::survival(const Counts& counts, const NodeSum& combination,
                                              std::span<const NodeTerm> terms) const {
    std::vector<double> found(splits());
    Work work;
    for (const auto& [height, node, weight] : terms) {
        const NodeLevel& level = levels()[height];
        const double each = weight * scale(node) * static_cast<double>(splits()) /
                            (2 * level.tilt * combination.reports(height, node));
        for (std::uint64_t g = 0; g < splits(); ++g)
            found[g] += each * balance(counts.state, g + 1, level.first + node);
        work.done(splits());
    }
    return found;
}

ThresholdSeries::NodeMoments ThresholdSeries::moments(const Counts& counts,
                                                      const NodeSum& combination) const {
    NodeMoments all;
    Work work;
    for (std::size_t height = 0; height < levels().size(); ++height) {
        const NodeLevel& level = levels()[height];
        for (std::uint32_t node = 0; node < level.nodes; ++node, work.done(splits())) {
            double first = 0, second = 0;
            for (std::uint64_t g = 0; g < splits(); ++g) {
                const double sum = balance(counts.state, g + 1, level.first + node);
                first += sum;
                second += sum * increment_of_square(g);
            }
            const double each = scale(node) / (2 * level.tilt * combination.reports(height, node));
            all.first.push_back(each * first);
            all.second.push_back(each * second);
        }
    }
    return all;
}

TruthCurve ThresholdSeries::curve(const NodeSum& combination, std::span<const NodeTerm> terms,
                                  double own) const {
    TruthCurve::Cubic variances{}, thirds{};
    for (std::size_t i = 0; i < variances.size(); ++i) {
        const double truth = static_cast<double>(i) / 3;
        variances[i] = combination.variance(terms, 0.25, [=](std::size_t) { return truth - 0.5; }) -
                       own * truth * (1 - truth);
        // A bit of ±s with mean m has the third central moment −2m(s² − m²).
        for (const auto& [height, node, weight] : terms) {
            if (node != 0) continue;
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
    double found = whole / 2, second = whole / 2;
    for (const auto& [height, node, weight] : terms) {
        found += weight * moments.first[levels()[height].first + node];
        second += weight * moments.second[levels()[height].first + node];
    }
    // The square of an estimated mean exceeds the square of the mean by the variance of the estimate.
    double variance = combination.variance(terms, 0.25, [&](std::size_t height) {
        const double mean = std::clamp(moments.first[levels()[height].first], -0.5, 0.5);
        const double bits = 0.25 / square(levels()[height].tilt) - square(mean);
        return std::sqrt(
            std::max(0.0, square(mean) - bits / std::max(1.0, combination.reports(height, 0) - 1)));
    });
    // The users who draw a level are a sample of all, without replacement: see HaarOrdered::HaarOrderedNoise.
    // The variance of users' own sums of rounds is unknown. `second` is the mean of the square after rounding
    // to the ends of the parts, which adds at most 1/(4·G²).
    double own = 0;
    if (target == Target::sample && weights.size() == 1) {
        const auto [people, drawn] = combination.drawn(last);
        const double inside = std::clamp(found, 0.0, 1.0), most = inside * (1 - inside);
        const double rounding = 0.25 / square(static_cast<double>(splits()));
        const double numbers = std::clamp(second - rounding - square(inside), 0.0, most);
        variance -= numbers * drawn / people;
        if (most > 0) own = numbers / most * drawn / people;
    }
    ErrorLaw law;
    if (least == 0) {
        law.truths = ends();
        law.curve = curve(combination, terms, own);
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
    for (std::uint32_t round = 1; round <= rounds(); ++round, work.done(8 * std::uint64_t{round})) {
        const RoundWeight one{round, 1};
        means.push_back(mean_of(combination, moments, {&one, 1}, target));
    }
    return means;
}

double ThresholdSeries::n_variance(double truth) const {
    const NodeSum combination = expected_combination();
    double largest = 0;
    Work work;
    for (std::uint32_t round = 1; round <= rounds(); ++round, work.done(2 * std::uint64_t{rounds()}))
        largest = std::max(largest, combination.variance(combination.sum(round), 0.25,
                                                         [=](std::size_t) { return truth / 2; }));
    return 4 * largest;
}

double ThresholdSeries::n_variance_of(std::size_t attribute, std::size_t,
                                      std::span<const double> shares) const {
    const NodeSum combination = expected_combination();
    const auto terms = combination.sum(static_cast<std::uint32_t>(attribute + 1));
    const double steps = static_cast<double>(shares.size()) - 1;
    double mean = 0, second = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const double x = static_cast<double>(i) / steps;
        mean += shares[i] * x;
        second += shares[i] * x * x;
    }
    const double bits = combination.variance(terms, 0.25, [=](std::size_t) { return mean - 0.5; });
    return 4 * (bits - std::max(0.0, second - mean * mean));
}

// All thresholds between two neighbouring values of a user have the same signs. Every user counts on all
// levels, as these are drawn independently of the series. Signs that change as often as declared are reported
// without bias on every level.
NumberSeries::ExpectedBias ThresholdSeries::expected_bias(std::span<const std::vector<Cell>> series,
                                                          std::span<const std::size_t> rounds) const {
    std::vector<double> off(levels().back().first + levels().back().nodes);
    std::vector<std::byte> drawn(public_size());
    const double all = static_cast<double>(series.size()), steps = static_cast<double>(cells_each() - 1);
    ExpectedBias found{{}, 0};
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
            store(drawn.data() + 2, static_cast<std::uint32_t>(threshold % width_));
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
        double& bias = found.of_rounds.emplace_back();
        for (const auto& [height, node, weight] : combination.sum(static_cast<std::uint32_t>(round + 1)))
            bias += weight * scale(node) * off[levels()[height].first + node];
    }
    return found;
}

// The distribution in a round ------------------------------------------------------------------------------

/// n·Var of the mean of a function of the ends of the parts; n is the number of users.
class ThresholdSeries::RoundNoise final : public WholeFunctionNoise {
  public:
    /// `first` has the survival function less a half at the end of each level's first node; `shares` are
    /// those of the points in this round.
    RoundNoise(const ThresholdSeries& series, NodeSum combination, std::vector<NodeTerm> terms, double n,
               std::vector<std::vector<double>> first, std::vector<double> shares)
        : WholeFunctionNoise(shares.size()),
          series_(series),
          combination_(std::move(combination)),
          terms_(std::move(terms)),
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
            n_ *
            combination_.variance(terms_, static_cast<double>(parts) * squares / 4, [&](std::size_t height) {
                return sum_with(first_[height], [&](std::size_t g) { return weights[g]; });
            });
        return std::max(0.0, all - std::max(0.0, second - square(mean)));
    }
    double stride(std::span<const double> function) const override {
        double largest = 0, most = 0;
        for (std::size_t g = 0; g + 1 < function.size(); ++g)
            largest = std::max(largest, std::abs(function[g + 1] - function[g]));
        for (const auto& [height, node, weight] : terms_)
            most = std::max(most, weight * scale(node) * n_ /
                                      (series_.levels()[height].tilt * combination_.reports(height, node)));
        return most * largest * static_cast<double>(function.size() - 1);
    }

  private:
    const ThresholdSeries& series_;
    NodeSum combination_;
    std::vector<NodeTerm> terms_;
    double n_;
    std::vector<std::vector<double>> first_;
    std::vector<double> shares_;
};

class ThresholdSeries::RoundPoints final : public Ordered {
  public:
    RoundPoints(const ThresholdSeries& series, std::uint32_t round) : series_(series), round_(round) {}

    std::size_t points() const noexcept override { return series_.splits() + 1; }
    Interval ends() const noexcept override { return series_.ends(); }
    Distribution fit(const Counts& counts, Smoothing) const override {
        std::vector<double> shares = confined(monotone(cumulative(counts)));
        std::adjacent_difference(shares.begin(), shares.end(), shares.begin());
        return {edges_around(ends(), shares.size()), std::move(shares), 0, true};
    }
    std::vector<double> cumulative(const Counts& counts) const override {
        const NodeSum combination = series_.combination(counts);
        std::vector<double> below = series_.survival(counts, combination, combination.sum(round_));
        for (double& each : below) each = 0.5 - each;
        below.push_back(1);
        return below;
    }
    std::unique_ptr<const OrderedNoise> noise(const Counts& counts,
                                              std::vector<double> shares) const override {
        NodeSum combination = series_.combination(counts);
        std::vector<std::vector<double>> first;
        for (std::size_t height = 0; round_ >> height != 0; ++height) {
            first.push_back(
                series_.survival(counts, combination, combination.sum(std::uint32_t{1} << height)));
            std::vector<double> below = first.back();
            for (double& each : below) each = 0.5 - each;
            below = confined(monotone(below));
            std::ranges::transform(below, first.back().begin(), [](double each) { return 0.5 - each; });
        }
        std::vector<NodeTerm> terms = combination.sum(round_);
        return std::make_unique<RoundNoise>(series_, std::move(combination), std::move(terms),
                                            static_cast<double>(counts.n), std::move(first),
                                            std::move(shares));
    }
    std::unique_ptr<const OrderedNoise> expected_noise(std::vector<double> shares) const override {
        NodeSum combination = series_.expected_combination();
        std::vector<double> above;
        double below = 0;
        for (std::size_t g = 0; g + 1 < shares.size(); ++g) above.push_back(0.5 - (below += shares[g]));
        std::vector<NodeTerm> terms = combination.sum(round_);
        return std::make_unique<RoundNoise>(series_, std::move(combination), std::move(terms), 1,
                                            std::vector<std::vector<double>>(series_.levels().size(), above),
                                            std::move(shares));
    }
    /// Follows from the expected variance of a share at the resolution of the whole range.
    std::uint64_t blur(std::uint64_t n) const noexcept override {
        if (series_.width_ == 1) return 0;
        const NodeSum combination = series_.expected_combination();
        const double variance =
            combination.variance(combination.sum(round_), 0.25, [](std::size_t) { return 0.0; });
        return balanced_blur(variance, n, series_.splits());
    }

  private:
    const ThresholdSeries& series_;
    std::uint32_t round_;
};

NumberSeries::InRound ThresholdSeries::in_round(std::size_t round, const Counts& counts) const {
    std::unique_ptr<const Ordered> ordered = expected_in(round);
    const NodeSum combination = this->combination(counts);
    if (combination.sum(static_cast<std::uint32_t>(round)).empty()) return {std::move(ordered), {0, {}}};
    const auto [people, drawn] = combination.drawn(static_cast<std::uint32_t>(round));
    const auto n = static_cast<std::uint64_t>(std::llround(people / drawn));
    return {std::move(ordered), {std::max<std::uint64_t>(1, n), counts.state}};
}

std::unique_ptr<const Ordered> ThresholdSeries::expected_in(std::size_t round) const {
    check_round(round);
    return std::make_unique<RoundPoints>(*this, static_cast<std::uint32_t>(round));
}

// Parameters -----------------------------------------------------------------------------------------------

constexpr Option options[] = {DifferenceTree::rounds_option,
                              DifferenceTree::changes_option,
                              {.name = "thresholds", .fallback = 0, .least = 0, .most = max_thresholds},
                              {.name = "grid", .fallback = 32768, .least = 2, .most = max_grid}};

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t steps = take_number(reader, "number of grid steps", 2, max_grid);
    const std::uint64_t thresholds = take_number(reader, "number of thresholds", 2, max_thresholds);
    if (steps % thresholds != 0)
        raise(ErrorCode::malformed, "the thresholds do not divide the grid", {},
              "The bytes were damaged or forged.");
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
              "Omit \"thresholds\", or let \"grid\" be a multiple of it.");
}

void write(const Settings& settings, Writer& writer) {
    writer.put(static_cast<std::uint32_t>(settings.number("grid")));
    writer.put(static_cast<std::uint32_t>(settings.number("thresholds")));
    DifferenceTree::write(settings, writer);
    const Attribute& attribute = settings.attributes()[0];
    write_range(writer, {attribute.min, attribute.max});
}

}  // namespace

const MechanismEntry entry{
    35,
    "threshold_series",
    "thresholds over rounds",
    "now and then a single yes or no about whether your number has passed a threshold, "
    "drawn by chance",
    Shape::one_numeric,
    1,
    false,
    options,
    write,
    load,
    settle,
    true};

}  // namespace ldp::threshold_series
