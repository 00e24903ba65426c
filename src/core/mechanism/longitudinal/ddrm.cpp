// Frequencies of k values in each round of a series, through difference trees: see difference_tree.hpp. A
// split is a row of the Hadamard matrix of order K, the smallest power of two that is at least k. With two
// values it is the value itself.
//
// Snapshots are randomized response over the k values, or over the two signs of the row if that has the
// smaller variance.
//
// parameters: k, rounds, changes (4 bytes each) · public randomness, payload and state: those of the tree

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/interrupt.hpp"
#include "core/math/walsh_hadamard.hpp"
#include "core/mechanism/longitudinal/difference_tree.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::ddrm {

namespace {

constexpr std::uint64_t max_domain = 256;
/// Parts of a variance below this are neglected.
constexpr double negligible = 1e-3;

class CategorySeries final : public DifferenceTree, public Significance {
  public:
    CategorySeries(const Header& header, Bytes block, std::uint64_t k, Size size)
        : CategorySeries(header, block, k, size, snapshots_of(header.epsilon, k)) {}

    std::vector<std::pair<std::string, double>> parameters() const override {
        return {{"domain", static_cast<double>(cells_each())},
                {"rounds", rounds()},
                {"changes", size().changes},
                {"rows", static_cast<double>(order_ - 1)},
                {"levels", static_cast<double>(levels().size())},
                {"min_epsilon", least_epsilon()}};
    }
    std::span<const Quantity> answers() const noexcept override {
        static constexpr Quantity quantities[] = {Quantity::frequencies};
        return quantities;
    }
    /// Returns the frequencies of one round, NaN without reports. The variance is that of the responses,
    /// exact for users who keep their values. For users whose values change, it omits the covariance of their
    /// responses, and the reduction if all change in the same way.
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override {
        check_attribute(question.attribute, rounds());
        const RoundWeight round{static_cast<std::uint32_t>(question.attribute + 1), 1};
        const auto found = sum_of(counts, combination(counts), {&round, 1}, question.target);
        return {found.begin(), found.end()};
    }
    SeriesBias expected_bias(std::span<const std::vector<Cell>> series,
                             std::span<const std::size_t> rounds) const override;
    /// Returns the variance in the round where it is largest. n is the number of users who report to the end
    /// and keep their values.
    double n_variance(double truth) const override;
    double n_variance_of(std::size_t attribute, std::size_t item,
                         std::span<const double> shares) const override;

  private:
    CategorySeries(const Header& header, Bytes block, std::uint64_t k, Size size, const Snapshots& snapshots)
        : DifferenceTree(header, block, std::bit_ceil(k) - 1, k, size, snapshots),
          order_(std::bit_ceil(k)),
          whole_(snapshots.outcomes == k),
          p_(snapshot_channel().p()),
          q_(snapshot_channel().q()) {}

    /// Returns the better one of the two ways to report a value in one round, for a value that one user in k
    /// has.
    static Snapshots snapshots_of(double epsilon, std::uint64_t k);
    std::uint32_t sign(Bytes public_randomness, std::uint64_t value) const noexcept override {
        return sign_of(split(public_randomness), value);
    }
    std::uint64_t outcome(Bytes public_randomness, std::uint64_t value) const noexcept override {
        return whole_ ? value : sign(public_randomness, value);
    }
    /// Returns 1 if the row maps the value to +, otherwise 0.
    static std::uint32_t sign_of(std::uint64_t row, std::uint64_t value) noexcept {
        return std::popcount(row & value) % 2 == 0 ? 1 : 0;
    }
    double snapshot_sign(Bytes state, std::uint64_t row, std::uint32_t round) const noexcept override {
        double sum = 0, reports = 0;
        for (std::uint64_t out = 0; out < snapshots().outcomes; ++out) {
            const bool plus = whole_ ? sign_of(row, out) != 0 : out == 1;
            const auto each = static_cast<double>(snapshots(state, whole_ ? 0 : row - 1, round, out));
            sum += plus ? each : -each;
            reports += each;
        }
        // Randomized response adds q to the probability of every outcome.
        double balance = 0;
        for (std::uint64_t v = 0; whole_ && v < cells_each(); ++v) balance += sign_of(row, v) != 0 ? 1 : -1;
        return (sum / reports - q_ * balance) / (p_ - q_);
    }
    const char* drawn_splits() const noexcept override { return "rows drawn"; }
    SignScale sign_scale() const noexcept override {
        const double each = 1 / static_cast<double>(order_);
        const Interval of_value{-q_ / (p_ - q_) - each, (1 - q_) / (p_ - q_) - each};
        const Interval of_row{-others() / (p_ - q_), others() / (p_ - q_)};
        return {each, others(), possible_shares, whole_ ? of_value : of_row};
    }
    double others() const noexcept {
        const double all = static_cast<double>(order_);
        return (all - 1) / all;
    }
    std::vector<RoundEstimate> sum_of(const Counts& counts, const NodeSum& combination,
                                      std::span<const RoundWeight> weights, Target target) const override;
    /// Returns the shares from these terms, if the weights of their rounds sum to `whole`.
    std::vector<double> shares(const Counts& counts, const NodeSum& combination,
                               std::span<const NodeTerm> terms, double whole) const;
    /// Returns the variance of the share of a value. share(height) is its share at the end of that level's
    /// first node.
    /// `typical` is its share in the rounds of the snapshots.
    template <class Share>
    double variance(const NodeSum::Spread& spread, Share share, double typical) const {
        const double each = 1 / static_cast<double>(order_), supported = q_ + (p_ - q_) * typical;
        const double of_snapshot = whole_ ? supported * (1 - supported) / square(p_ - q_)
                                          : square(others() / (p_ - q_)) - square(typical - each);
        return spread.variance(
            square(others()), [&](std::size_t height) { return share(height) - each; }, of_snapshot);
    }
    /// Returns the variance of a mean of rounds, and its third moment, at each share of a value that is the same in
    /// all rounds. `own` of the variance f(1 − f) between the users is subtracted.
    TruthCurve curve(const NodeSum& combination, const NodeSum::Spread& spread,
                     std::span<const NodeTerm> terms, double own) const;

    std::uint64_t order_;
    bool whole_;    ///< whether snapshots report values rather than signs of rows
    double p_, q_;  ///< probabilities of the true outcome and of another one
};

DifferenceTree::Snapshots CategorySeries::snapshots_of(double epsilon, std::uint64_t k) {
    const auto order = static_cast<double>(std::bit_ceil(k)), values = static_cast<double>(k);
    const SymmetricChannel bit(2, epsilon), value(k, epsilon);
    // A share of 1/k has the variance (k−1)/k²/(p−q)².
    const double of_row = square(bit.p() - bit.q());
    const double of_value = square((order - 1) / order * (value.p() - value.q()) * values) / (values - 1);
    if (of_value >= of_row) return {1, k, of_value};
    return {std::bit_ceil(k) - 1, 2, of_row};
}

// A row drawn from K−1 represents all of them; row 0 is + for all values.
std::vector<double> CategorySeries::shares(const Counts& counts, const NodeSum& combination,
                                           std::span<const NodeTerm> terms, double whole) const {
    std::vector<double> rows(order_), found(cells_each());
    Work work;
    rows[0] = whole;
    for (const NodeTerm& term : terms) {
        const auto& [height, node, weight] = term;
        if (of_snapshots(term)) {
            const double each = weight / ((p_ - q_) * combination.reports(height, node));
            for (std::uint64_t v = 0; whole_ && v < found.size(); ++v)
                found[v] += each * static_cast<double>(snapshots(counts.state, 0, node, v)) -
                            weight * (q_ / (p_ - q_) + 1 / static_cast<double>(order_));
            for (std::uint64_t r = 1; !whole_ && r < order_; ++r)
                rows[r] += each * static_cast<double>(order_ - 1) *
                           (static_cast<double>(snapshots(counts.state, r - 1, node, 1)) -
                            static_cast<double>(snapshots(counts.state, r - 1, node, 0)));
            work.done(order_);
            continue;
        }
        const NodeLevel& level = levels()[height];
        const double each = weight * scale(node) * static_cast<double>(order_ - 1) /
                            (level.tilt * combination.reports(height, node));
        for (std::uint64_t r = 1; r < order_; ++r)
            rows[r] += each * balance(counts.state, r, level.first + node);
        work.done(order_);
    }
    walsh_hadamard(rows);
    for (std::uint64_t v = 0; v < found.size(); ++v) found[v] += rows[v] / static_cast<double>(order_);
    return found;
}

TruthCurve CategorySeries::curve(const NodeSum& combination, const NodeSum::Spread& spread,
                                 std::span<const NodeTerm> terms, double own) const {
    // A bit of ±s with the mean m has the third central moment −2m(s² − m²).
    const auto skew_of_bit = [](double size, double mean) {
        return -2 * mean * (square(size) - square(mean));
    };
    const double each = 1 / static_cast<double>(order_);
    TruthCurve::Cubic variances{}, thirds{};
    for (std::size_t i = 0; i < variances.size(); ++i) {
        const double share = static_cast<double>(i) / 3, supported = q_ + (p_ - q_) * share;
        variances[i] = variance(
                           spread, [=](std::size_t) { return share; }, share) -
                       own * share * (1 - share);
        const double of_snapshot =
            whole_ ? supported * (1 - supported) * (1 - 2 * supported) / (square(p_ - q_) * (p_ - q_))
                   : skew_of_bit(others() / (p_ - q_), share - each);
        for (const NodeTerm& term : terms) {
            const auto& [height, node, weight] = term;
            const double factor = weight * square(weight / combination.reports(height, node));
            if (of_snapshots(term))
                thirds[i] += factor * of_snapshot;
            else if (node == 0)
                thirds[i] += factor * skew_of_bit(others() / levels()[height].tilt, share - each);
        }
    }
    return TruthCurve::through(1, variances, thirds);
}

std::vector<RoundEstimate> CategorySeries::sum_of(const Counts& counts, const NodeSum& combination,
                                                  std::span<const RoundWeight> weights, Target target) const {
    const std::size_t k = cells_each();
    const std::vector<NodeTerm> terms = combination.sum(weights);
    if (terms.empty()) return std::vector<RoundEstimate>(k, {{unknown, unknown}, {}});

    double whole = 0, size = 0;
    std::uint32_t last = 0;
    for (const RoundWeight& each : weights) {
        whole += each.weight;
        size += std::abs(each.weight);
        last = std::max(last, each.round);
    }
    const std::vector<double> found = shares(counts, combination, terms, whole);
    const NodeSum::Spread spread = combination.spread(terms);
    // Shares at the ends of the first nodes; empty for nodes whose mean hardly reduces the variance.
    std::vector<std::vector<double>> before(levels().size());
    for (const auto& [height, factor] : spread.first)
        if (factor > negligible * spread.bits)
            before[height] = shares(counts, combination, combination.sum(std::uint32_t{1} << height), 1);
    // Shares in the rounds of the sum.
    std::vector<double> typical = found;
    if (size != whole && size > 0) {
        std::vector<RoundWeight> all(weights.begin(), weights.end());
        for (RoundWeight& each : all) each.weight = std::abs(each.weight) / size;
        typical = shares(counts, combination, combination.sum(all), 1);
    }
    const auto [people, drawn] = combination.drawn(last);
    // The users who draw a level are a sample of all, without replacement: see HaarOrdered::HaarOrderedNoise.
    // The variance of users' own sums of rounds is unknown.
    const double own = target == Target::sample && people > 0 && weights.size() == 1 ? drawn / people : 0;
    ErrorLaw law;
    if (std::ranges::all_of(weights, [](const RoundWeight& each) { return each.weight > 0; })) {
        law = law_of_share();
        law.curve = curve(combination, spread, terms, own);
    }
    std::vector<RoundEstimate> estimates(k);
    for (std::uint64_t v = 0; v < k; ++v) {
        double variance = this->variance(
            spread,
            [&](std::size_t height) {
                return before[height].empty() ? 1 / static_cast<double>(order_)
                                              : std::clamp(before[height][v], 0.0, 1.0);
            },
            std::clamp(typical[v], 0.0, 1.0));
        const double inside = std::clamp(found[v], 0.0, 1.0);
        variance -= own * inside * (1 - inside);
        estimates[v] = {{found[v], std::sqrt(std::max(variance, 0.0))}, law};
    }
    return estimates;
}

// Every user counts on all levels and in all rows, as each is drawn independently of the series.
SeriesBias CategorySeries::expected_bias(std::span<const std::vector<Cell>> series,
                                         std::span<const std::size_t> rounds) const {
    const std::size_t nodes = levels().back().first + levels().back().nodes;
    std::vector<double> means((order_ - 1) * nodes);
    Work work;
    for (const std::vector<Cell>& input : series)
        for (std::uint64_t r = 1; r < order_; ++r)
            for (std::size_t height = 0; height < levels().size(); work.done(levels()[height++].nodes)) {
                const std::byte drawn[] = {static_cast<std::byte>(r), static_cast<std::byte>(height)};
                SeriesState series_state;
                for (std::uint32_t node = 0; node < levels()[height].nodes; ++node) {
                    series_state.round = (node + 1) << height;
                    series_state.value = static_cast<std::uint32_t>(input[series_state.round - 1]);
                    means[(r - 1) * nodes + levels()[height].first + node] +=
                        static_cast<double>(difference(series_state, drawn)) - 1;
                }
            }
    for (double& mean : means) mean /= static_cast<double>(series.size());

    std::vector<double> truth(this->rounds() * cells_each());
    for (const std::vector<Cell>& input : series)
        for (std::size_t t = 0; t < input.size(); ++t)
            truth[t * cells_each() + input[t]] += 1 / static_cast<double>(series.size());

    const NodeSum combination = expected_combination();
    SeriesBias found;
    for (const std::size_t round : rounds) {
        std::vector<double> rows(order_);
        std::vector<double>& shares = found.of_rounds.emplace_back(cells_each());
        rows[0] = 1;
        for (const NodeTerm& term : combination.sum(static_cast<std::uint32_t>(round + 1))) {
            const auto& [height, node, weight] = term;
            if (of_snapshots(term)) {
                for (std::uint64_t v = 0; v < shares.size(); ++v)
                    shares[v] += weight * truth[node * cells_each() + v];
                rows[0] -= weight;
                continue;
            }
            for (std::uint64_t r = 1; r < order_; ++r)
                rows[r] += weight * scale(node) * means[(r - 1) * nodes + levels()[height].first + node];
        }
        for (std::uint64_t v = 0; v < shares.size(); ++v, work.done(order_)) {
            double sum = 0;
            for (std::uint64_t r = 0; r < order_; ++r) sum += sign_of(r, v) != 0 ? rows[r] : -rows[r];
            shares[v] += sum / static_cast<double>(order_);
        }
    }
    const double each = 1 / static_cast<double>(series.size());
    for (const std::vector<Cell>& input : series) {
        for (std::size_t r = 0; r < rounds.size(); ++r) found.of_rounds[r][input[rounds[r]]] -= each;
        std::uint64_t changes = 0;
        for (std::size_t t = 1; t < input.size(); ++t) changes += input[t] != input[t - 1] ? 1 : 0;
        if (changes > size().changes) found.beyond += each;
    }
    return found;
}

double CategorySeries::n_variance(double truth) const {
    const NodeSum combination = expected_combination();
    double largest = 0;
    Work work;
    for (std::uint32_t round = 1; round <= rounds(); ++round, work.done(2 * std::uint64_t{rounds()}))
        largest = std::max(largest, variance(
                                        combination.spread(combination.sum(round)),
                                        [=](std::size_t) { return truth; }, truth));
    return largest - truth * (1 - truth);
}

double CategorySeries::n_variance_of(std::size_t attribute, std::size_t item,
                                     std::span<const double> shares) const {
    const NodeSum combination = expected_combination();
    const double truth = shares[item];
    const auto terms = combination.sum(static_cast<std::uint32_t>(attribute + 1));
    return variance(
               combination.spread(terms), [=](std::size_t) { return truth; }, truth) -
           truth * (1 - truth);
}

constexpr Option options[] = {DifferenceTree::rounds_option, DifferenceTree::changes_option};

void settle(SettingsDraft& draft) {
    DifferenceTree::settle(draft);
}

void write(const Settings& settings, Writer& writer) {
    write_domain(settings, writer);
    DifferenceTree::write(settings, writer);
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t k = take_domain(reader, max_domain);
    const auto size = DifferenceTree::take(reader, header.epsilon);
    reader.finish();
    return std::make_unique<CategorySeries>(header, block, k, size);
}

}  // namespace

const MechanismEntry entry(
    27, "ddrm", "difference trees over rounds",
    "now and then a single yes or no about how your answer has changed, drawn by chance",
    Shape::one_categorical, max_domain, write, load, {.options = options, .settle = settle, .series = true});

}  // namespace ldp::ddrm
