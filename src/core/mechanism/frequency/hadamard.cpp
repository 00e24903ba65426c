// Hadamard response (Acharya, Sun, Zhang 2019). The outputs are B blocks with one output per column of a
// Hadamard matrix of order b. A value belongs to a block and owns a row of the matrix there, except the first
// row. The columns of its block in which the row has +1 are its outputs of high weight. One block carries one
// bit and is best for small ε. The best number of blocks increases with ε.
//
// parameters: k (4 bytes) · B (4)

#include "core/math/channel_law.hpp"
#include "core/math/walsh_hadamard.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/interrupt.hpp"
#include "core/mechanism/frequency/incidence.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::hadamard {

namespace {

constexpr std::uint64_t max_domain = std::uint64_t{1} << 24;
constexpr std::uint64_t max_outputs = 2 * max_domain;

/// The assignment of values to blocks: value v is in block v mod B, so that adjacent values are separated and
/// blocks have equal sizes.
struct Blocks {
    std::uint64_t k;
    std::uint64_t count;  ///< B

    /// Returns the number of columns of a block, b.
    [[nodiscard]] std::uint64_t order() const noexcept { return std::bit_ceil((k + count - 1) / count + 1); }
    [[nodiscard]] std::uint64_t outputs() const noexcept { return count * order(); }
    [[nodiscard]] std::uint64_t of(std::uint64_t value) const noexcept { return value % count; }
    [[nodiscard]] std::uint64_t row(std::uint64_t value) const noexcept { return value / count + 1; }
    /// Returns the number of values in a block.
    [[nodiscard]] std::uint64_t values(std::uint64_t block) const noexcept {
        return (k + count - 1 - block) / count;
    }
    /// Returns the probability that two random values share a block.
    [[nodiscard]] double shared() const noexcept {
        const std::uint64_t smallest = k / count;
        const auto n = static_cast<double>(k), larger = static_cast<double>(k % count);
        const auto least = static_cast<double>(smallest), blocks = static_cast<double>(count);
        return (larger * (least + 1) * least + (blocks - larger) * least * (least - 1)) / (n * (n - 1));
    }
};

/// Returns whether the row has +1 in this column.
bool has(std::uint64_t row, std::uint64_t column) noexcept {
    return std::popcount(row & column) % 2 == 0;
}

/// Returns the column if it is on the required side of the row (+1 if `inside`), otherwise its partner.
/// Flipping a bit that the row has maps the columns of one side one-to-one to the other, so that the result
/// is uniform.
std::uint64_t on_side(std::uint64_t row, std::uint64_t column, bool inside) noexcept {
    return has(row, column) == inside ? column : column ^ (row & -row);
}

/// Returns the sum of weights·weights·shares over ordered pairs of different values of a block, with the share of the
/// value whose row is the product of both rows. The mean product of both signs differs from 0 for this value only.
double products_of_rows(const Blocks& blocks, std::span<const double> weights,
                        std::span<const double> shares) {
    std::vector<std::uint64_t> values;
    for_each_index(weights.size(), [&](std::size_t v) {
        if (weights[v] != 0) values.push_back(v);
    });
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        for_each_index(i, [&](std::size_t j) {
            if (blocks.of(values[i]) != blocks.of(values[j])) return;
            const std::uint64_t row = blocks.row(values[i]) ^ blocks.row(values[j]);
            const std::uint64_t value = (row - 1) * blocks.count + blocks.of(values[i]);
            if (value < shares.size()) sum += 2 * weights[values[i]] * weights[values[j]] * shares[value];
        });
    return sum;
}

/// Each value needs one addition in each of log b rounds; about four additions are a step.
Cost cost_of(const Blocks& blocks) noexcept {
    return {
        1, static_cast<double>(blocks.outputs() * static_cast<unsigned>(std::bit_width(blocks.order()))) / 4};
}

// One block ------------------------------------------------------------------------------------------------
// Any two rows agree in half of the columns. This is a symmetric design and a pure protocol with q = 1/2.

class Hadamard final : public Incidence {
  public:
    Hadamard(const Header& header, Bytes block, std::uint64_t k)
        : Incidence(header, block, k, design(Blocks{k, 1}.order())) {}

    std::vector<std::pair<std::string, double>> parameters() const override {
        auto all = Incidence::parameters();
        all.emplace_back("blocks", 1);
        all.emplace_back("outputs", static_cast<double>(outputs()));
        return all;
    }
    Cost cost() const noexcept override { return cost_of({domain(), 1}); }
    // An estimate is the mean of the signs of the value's row, divided by the mean sign of its holders.
    std::optional<double> n_variance_of_sum(std::span<const double> weights,
                                            std::span<const double> shares) const override {
        const double gain = 2 * protocol().p - 1;
        double squares = 0, held = 0;
        for_each_index(weights.size(), [&](std::size_t v) {
            squares += weights[v] * weights[v];
            held += shares[v] * weights[v] * weights[v];
        });
        return squares / (gain * gain) + products_of_rows({domain(), 1}, weights, shares) / gain - held;
    }

  private:
    static Design design(std::uint64_t order) { return {order, order / 2, order / 4}; }

    std::uint64_t draw(std::uint64_t value, bool inside, BitSource& bits) const override {
        const std::uint64_t column = bits.fair(static_cast<unsigned>(std::countr_zero(outputs())));
        return on_side(value + 1, column, inside);
    }

    bool owns(std::uint64_t value, std::uint64_t output) const noexcept override {
        return has(value + 1, output);
    }

    // The product of a row with the counts is the number of reports on +1 minus those on −1. Row 0 gives the
    // total; it belongs to no value.
    std::vector<std::uint64_t> tally(Bytes state) const override {
        std::vector<std::uint64_t> sums = counters(state);
        walsh_hadamard(sums);
        const std::uint64_t n = sums[0];
        for_each_index(sums.size() - 1, [&](std::size_t v) { sums[v] = (n + sums[v + 1]) / 2; });
        sums.pop_back();
        return sums;
    }

    // Column 0 has only +1, so that all values own it.
    std::vector<Check> own_checks(const Counts& counts) const override {
        std::vector<Check> checks = Incidence::own_checks(counts);
        const std::uint64_t zeros = counter(counts.state, 0);
        const double tail = std::min(binomial_at_most(counts.n, likely(), zeros),
                                     binomial_at_least(counts.n, likely(), zeros));
        checks.push_back({"share of output 0", static_cast<double>(zeros) / static_cast<double>(counts.n),
                          likely(), std::min(1.0, 2 * tail)});
        return checks;
    }
};

// Several blocks -------------------------------------------------------------------------------------------
// For a report in the value's block, define the sign of the value's row in the reported column; for other
// reports, 0. Under any other value, the expected sign is 0; under the value itself it is `gain`. The mean
// sign over the gain is therefore an unbiased estimate of the frequency. The squared sign is 1 in the block
// and 0 elsewhere, so that the variance follows from the share of reports in the block. That share depends on
// the users with other values of the block. The mechanism is therefore not a pure protocol.

class BlockHadamard final : public Counting<ValueOracle>, public KnownErrors {
  public:
    BlockHadamard(const Header& header, Bytes block, const Blocks& blocks)
        : Counting(blocks.outputs(), header, block, blocks.k),
          blocks_(blocks),
          channel_(header.epsilon, blocks.outputs(), blocks.order() / 2),
          gain_(side_of_own() - side_of_others()) {}

    std::vector<std::pair<std::string, double>> parameters() const override {
        return {{"domain", static_cast<double>(blocks_.k)},
                {"blocks", static_cast<double>(blocks_.count)},
                {"outputs", static_cast<double>(outputs())}};
    }

    // Draws a column, and a half block other than the value's own, in every case.
    void permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const override {
        const std::uint64_t value = input[0], order = blocks_.order();
        const bool inside = channel_.draw_side(bits);
        const std::uint64_t drawn = bits.below((2 * blocks_.count - 1) * order);
        const std::uint64_t column = drawn % order, half = inside ? 0 : drawn / order;
        if (half == 0) return store_output(permanent, at(value, on_side(blocks_.row(value), column, inside)));
        const std::uint64_t other = (half - 1) / 2;
        store_output(permanent, (other + (other >= blocks_.of(value) ? 1 : 0)) * order + column);
    }
    double max_probability(Bytes) const override { return channel_.chance(1, 0); }
    Exact probability(Input input, Bytes, Bytes permanent) const override {
        const std::uint64_t output = load_output(permanent), column = output % blocks_.order();
        return channel_.probability(output == at(input[0], column) && has(blocks_.row(input[0]), column));
    }
    Exact worst_ratio() const override { return channel_.worst_ratio(); }
    ChannelLaw channel_law() const override { return channel_.channel_law(); }

    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override {
        const Signs signs(blocks_, counts.state);
        const auto reports = static_cast<double>(counts.n);
        std::vector<Estimate> estimates;
        estimates.reserve(blocks_.k);
        for_each_index(blocks_.k, [&](std::size_t v) {
            const double f = signs.of(v) / reports / gain_;
            const double in_block = signs.in_block(blocks_.of(v)) + unseen;
            const double square = in_block / reports / (gain_ * gain_);
            const double inside = std::clamp(f, 0.0, 1.0);
            const double variance =
                square - (question.target == Target::population ? inside * inside : inside);
            estimates.push_back({f, std::sqrt(variance / reports)});
        });
        return estimates;
    }
    // For a report in the block, both signs are equally likely if no user holds the value, whatever the other
    // users hold. Given the number of such reports, which the standard error determines, the number of plus
    // signs is binomial.
    double p_value(std::uint64_t n, const Estimate& estimate) const override {
        const double reports = static_cast<double>(n), sign = reports * gain_ * estimate.value;
        const double in_block = std::round(reports * gain_ * gain_ *
                                               (reports * estimate.standard_error * estimate.standard_error +
                                                std::clamp(estimate.value, 0.0, 1.0)) -
                                           unseen);
        const double plus = std::clamp(std::round((in_block + sign) / 2), 0.0, in_block);
        return binomial_at_least(static_cast<std::uint64_t>(in_block), 0.5, static_cast<std::uint64_t>(plus));
    }

    ErrorLaw error_law(std::uint64_t n, Target target) const noexcept override {
        return {.truths = possible_shares,
                .people = target == Target::population ? static_cast<double>(n) : 0};
    }
    // For users with other values, the share in the value's block is estimated from the reports in the block.
    // For users with the value, it is known.
    bool visit_laws(const Counts& counts, Target target,
                    const std::function<void(const ErrorLaw&)>& visit) const override {
        const Signs signs(blocks_, counts.state);
        const auto reports = static_cast<double>(counts.n);
        const double scale = 1 / (gain_ * gain_), most = side_of_own() + side_of_others();
        for_each_index(blocks_.k, [&](std::size_t v) {
            const double f = signs.of(v) / reports / gain_, inside = std::clamp(f, 0.0, 1.0);
            const double of_others = (signs.in_block(blocks_.of(v)) + unseen - reports * inside * most) /
                                     (reports * (1 - inside) + unseen);
            const TruthCurve::TermMoments holders{scale * most, scale},
                others{scale * std::clamp(of_others, 2 * side_of_others(), most), 0};
            visit(
                {.truths = possible_shares, .curve = TruthCurve::of_terms(reports, holders, others, target)});
        });
        return true;
    }

    std::optional<double> n_variance_of_sum(std::span<const double> weights,
                                            std::span<const double> shares) const override {
        std::vector<double> in_block(blocks_.count);
        for_each_index(shares.size(), [&](std::size_t v) { in_block[blocks_.of(v)] += shares[v]; });
        double squares = 0, held = 0;
        for_each_index(weights.size(), [&](std::size_t v) {
            const double square = weights[v] * weights[v], inside = in_block[blocks_.of(v)];
            squares +=
                square * (inside * (side_of_own() + side_of_others()) + (1 - inside) * 2 * side_of_others());
            held += shares[v] * square;
        });
        return squares / (gain_ * gain_) + products_of_rows(blocks_, weights, shares) / gain_ - held;
    }

    // The average over the values; users with other values are spread evenly over these.
    double n_variance(double truth) const override {
        const double in_block = truth + (1 - truth) * blocks_.shared();
        return (in_block * (side_of_own() + side_of_others()) + (1 - in_block) * 2 * side_of_others()) /
                   (gain_ * gain_) -
               truth;
    }
    Cost cost() const noexcept override { return cost_of(blocks_); }
    std::vector<Contribution> contributions(const Question&) const override {
        return {{1, {-1 / gain_, 1 / gain_}, {0, 1}}};
    }

    std::vector<Check> health(const Counts& counts) const override {
        const Signs signs(blocks_, counts.state);
        const auto reports = static_cast<double>(counts.n);
        const auto any_of = [](std::uint64_t many, double p_value) {
            return std::min(1.0, static_cast<double>(many) * p_value);
        };

        // On average, at least half of the reports in a block are on the side of each of its values, and half
        // are on that of a spare row.
        double greatest = 0, least_of_all = 0, spare_of_all = 0, least_p = 1, spare_p = 1;
        double rarest = reports, commonest = 0;
        std::uint64_t spare = 0;
        for_each_index(blocks_.count, [&](std::size_t block) {
            const double in_block = signs.in_block(block);
            const auto chance = [&](double sign, bool high) {
                const auto plus = static_cast<std::uint64_t>((in_block + sign) / 2);
                const auto all = static_cast<std::uint64_t>(in_block);
                return high ? binomial_at_least(all, 0.5, plus) : binomial_at_most(all, 0.5, plus);
            };
            rarest = std::min(rarest, in_block);
            commonest = std::max(commonest, in_block);
            const std::uint64_t values = blocks_.values(block), rows = blocks_.order() - 1;
            const auto [least, most] = signs.range(block, 1, values + 1);
            greatest = std::max(greatest, (in_block + most) / 2);
            if (const double p = chance(least, false); p < least_p) least_p = p, least_of_all = least;
            if (values == rows) return;
            spare += rows - values;
            const auto [low, high] = signs.range(block, values + 1, rows + 1);
            if (const double p = chance(low, false); p < spare_p) spare_p = p, spare_of_all = low;
            if (const double p = chance(high, true); p < spare_p) spare_p = p, spare_of_all = high;
        });
        const auto frequency = [&](double sign) { return sign / reports / gain_; };
        const double fewest = 2 * side_of_others(), most = side_of_own() + side_of_others();
        std::vector<Check> checks{
            {"least frequency", frequency(least_of_all), 0, any_of(blocks_.k, least_p)},
            {"greatest share on a value's side", greatest / reports, side_of_own(),
             any_of(blocks_.k,
                    binomial_at_least(counts.n, side_of_own(), static_cast<std::uint64_t>(greatest)))},
            {"share of the rarest block", rarest / reports, fewest,
             any_of(blocks_.count, binomial_at_most(counts.n, fewest, static_cast<std::uint64_t>(rarest)))},
            {"share of the commonest block", commonest / reports, most,
             any_of(blocks_.count,
                    binomial_at_least(counts.n, most, static_cast<std::uint64_t>(commonest)))}};
        if (spare > 0)
            checks.push_back({"frequency of a value outside the domain", frequency(spare_of_all), 0,
                              any_of(2 * spare, spare_p)});
        for (Check& check : checks_of_outputs(counts, channel_, outputs()))
            checks.push_back(std::move(check));
        return checks;
    }

  private:
    /// Computes all sums of signs at once. In each block, the product of a row with the counts is the number
    /// of reports on +1 minus those on −1; row 0 gives the total.
    class Signs {
      public:
        Signs(const Blocks& blocks, Bytes state) : blocks_(blocks), sums_(counters(state)) {
            for_each_index(blocks_.count, [&](std::size_t block) {
                walsh_hadamard(std::span(sums_).subspan(block * blocks_.order(), blocks_.order()));
            });
        }
        [[nodiscard]] double of(std::uint64_t value) const noexcept {
            return at(blocks_.of(value), blocks_.row(value));
        }
        [[nodiscard]] double in_block(std::uint64_t block) const noexcept { return at(block, 0); }
        /// Returns the smallest and largest product of some rows of a block.
        [[nodiscard]] std::pair<double, double> range(std::uint64_t block, std::uint64_t from,
                                                      std::uint64_t to) const {
            double least = at(block, from), most = least;
            for_each_index(to - from, [&](std::size_t i) {
                least = std::min(least, at(block, from + i));
                most = std::max(most, at(block, from + i));
            });
            return {least, most};
        }

      private:
        [[nodiscard]] double at(std::uint64_t block, std::uint64_t row) const noexcept {
            return static_cast<double>(static_cast<std::int64_t>(sums_[block * blocks_.order() + row]));
        }
        Blocks blocks_;
        std::vector<std::uint64_t> sums_;
    };

    /// Number of reports added to those of a block in the error, as in the prior of Jeffreys (1946). An
    /// observed count of 0 does not imply a probability of 0.
    static constexpr double unseen = 0.5;

    [[nodiscard]] std::uint64_t at(std::uint64_t value, std::uint64_t column) const noexcept {
        return blocks_.of(value) * blocks_.order() + column;
    }
    /// Returns the probability of half a block: the value's own side, and any other.
    [[nodiscard]] double side_of_own() const noexcept { return channel_.chance(blocks_.order() / 2, 0); }
    [[nodiscard]] double side_of_others() const noexcept { return channel_.chance(0, blocks_.order() / 2); }

    Blocks blocks_;
    IncidenceChannel channel_;
    double gain_;
};

/// Returns n·Var averaged over the values for an exact exp(ε). It depends on the distribution only through
/// unequal block sizes.
double average_variance(double epsilon, const Blocks& blocks) {
    const double e = std::exp(epsilon), halves = 2 * static_cast<double>(blocks.count);
    const double in_block =
        1 / static_cast<double>(blocks.k) + (1 - 1 / static_cast<double>(blocks.k)) * blocks.shared();
    return (in_block * (e + 1) + (1 - in_block) * 2) * (e - 1 + halves) / ((e - 1) * (e - 1));
}

/// Returns the number of blocks with the smallest variance, near (e − 1)/2, or one. Numbers nearby may use
/// more rows of a block, or need fewer outputs.
Blocks choose(double epsilon, std::uint64_t k) {
    Blocks best{k, 1};
    const double ideal = std::clamp((std::exp(epsilon) - 1) / 2, 1.0, static_cast<double>(k));
    for (int i = -16; i <= 16; ++i) {
        const double near = std::round(ideal * std::exp2(i / 16.0));
        const Blocks blocks{k, std::clamp<std::uint64_t>(static_cast<std::uint64_t>(near), 1, k)};
        if (blocks.outputs() <= max_outputs &&
            average_variance(epsilon, blocks) < average_variance(epsilon, best))
            best = blocks;
    }
    return best;
}

void write(const Settings& settings, Writer& writer) {
    write_domain(settings, writer);
    const Blocks blocks = choose(settings.epsilon(), settings.attributes()[0].domain);
    writer.put(static_cast<std::uint32_t>(blocks.count));
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t k = take_domain(reader, max_domain);
    const Blocks blocks{k, take_number(reader, "number of blocks", 1, k)};
    reader.finish();
    if (blocks.outputs() > max_outputs)
        refuse_block("the blocks have too many outputs", "Found " + std::to_string(blocks.count) +
                                                             " blocks of " + std::to_string(blocks.order()) +
                                                             "; allowed are " + std::to_string(max_outputs) +
                                                             " outputs.");
    if (blocks.count == 1) return std::make_unique<Hadamard>(header, block, k);
    return std::make_unique<BlockHadamard>(header, block, blocks);
}

}  // namespace

const MechanismEntry entry(
    10, "hadamard", "Hadamard response",
    "a number that stands for some of the answers on the list. Chance picks them, and your "
    "own answer is among them more often than any other",
    Shape::one_categorical, max_domain, write, load, {.automatic = true});

}  // namespace ldp::hadamard
