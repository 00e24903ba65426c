#include "accounting/channel_shuffling.hpp"

#include <algorithm>
#include <bit>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <span>
#include <vector>

#include "accounting/shuffling.hpp"
#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/proof/report_laws.hpp"

namespace ldp {

namespace {

constexpr std::uint64_t most_shuffled = 10'000'000;
constexpr std::size_t most_pairs = 1024, most_numbers = std::size_t{1} << 20;
constexpr std::uint64_t most_steps = std::uint64_t{1} << 24;

/// An output of a report of the others: its probability, and the probabilities under the two values of the person, as multiples
/// of it.
struct SharedOutput {
    double first, second, probability;
};
using SharedOutputs = std::vector<SharedOutput>;

/// A fast Fourier transform in place. The number of points is a power of 2.
class FourierTransform {
  public:
    explicit FourierTransform(std::size_t points) : roots_(points / 2) {
        for_each_index(roots_.size(), [&](std::size_t i) {
            roots_[i] =
                std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(points));
        });
    }
    void operator()(std::vector<std::complex<double>>& values) const {
        const std::size_t points = values.size();
        Work work;
        for (std::size_t i = 1, j = 0; i < points; ++i, work.done()) {
            std::size_t bit = points >> 1;
            for (; (j & bit) != 0; bit >>= 1) j ^= bit;
            j ^= bit;
            if (i < j) std::swap(values[i], values[j]);
        }
        for (std::size_t half = 1; half < points; half *= 2) {
            const std::size_t stride = points / (2 * half);
            for (std::size_t start = 0; start < points; start += 2 * half)
                for (std::size_t i = 0; i < half; ++i, work.done()) {
                    const auto& root = roots_[i * stride];
                    const auto left = values[start + i], other = values[start + half + i];
                    const std::complex<double> right{other.real() * root.real() - other.imag() * root.imag(),
                                                     other.real() * root.imag() + other.imag() * root.real()};
                    values[start + i] = left + right;
                    values[start + half + i] = left - right;
                }
        }
    }

  private:
    std::vector<std::complex<double>> roots_;
};

/// E[max(0, S)]/n, where S is the sum of n independent copies of X = first − e^ε·second. It is δ at ε.
class ShuffledSum {
  public:
    ShuffledSum(const SharedOutputs& outputs, std::uint64_t n) : n_(static_cast<double>(n)) {
        double sum = 0;
        for (const SharedOutput& each : outputs) sum += each.probability;
        outputs_ = outputs;
        // Reports of the others that are not from the blanket.
        if (sum < 1 - 1e-12) outputs_.push_back({0, 0, 1 - sum});
        for (SharedOutput& each : outputs_) each.probability /= std::max(sum, 1.0);
        points_ = std::bit_ceil(static_cast<std::size_t>(std::max(1024.0, 256 * std::sqrt(n_))));
    }

    /// Rounded upwards by the grid.
    [[nodiscard]] double upper(double epsilon) const {
        const std::vector<double> values = values_at(epsilon);
        const double largest = std::max(0.0, std::ranges::max(values));
        if (negligible(values)) return largest;
        return on_grid(values, false, false) * (1 + rounding());
    }
    /// Less than the sum by more than the grid of half as many points raises the expectation: that rises with the
    /// square of the distance of its points.
    [[nodiscard]] double lower(double epsilon) const {
        const std::vector<double> values = values_at(epsilon);
        if (negligible(values)) return 0;
        const double fine = on_grid(values, true, false), rough = on_grid(values, true, true);
        return std::max(0.0, fine - std::max(0.0, rough - fine) - fine * rounding());
    }

  private:
    [[nodiscard]] double rounding() const { return 1e-9 + n_ * 1e-14; }

    /// X for each output.
    [[nodiscard]] std::vector<double> values_at(double epsilon) const {
        const double odds = std::exp(epsilon);
        std::vector<double> values;
        for (const SharedOutput& each : outputs_) values.push_back(each.first - odds * each.second);
        return values;
    }
    static double width_of(const std::vector<double>& values) {
        return std::max(std::ranges::max(values), -std::ranges::min(values));
    }
    /// Whether no value is above 0, apart from rounding.
    static bool negligible(const std::vector<double>& values) {
        return std::ranges::max(values) <= 1e-12 * width_of(values);
    }

    /// The expectation on the grid, or on one with half as many points. 0 if it must be fine and is not.
    [[nodiscard]] double on_grid(const std::vector<double>& values, bool must_be_fine, bool rough) const {
        const double largest = std::ranges::max(values), width = width_of(values);
        // The tilt that moves the mean to 0: the derivative of ln E[exp(tX)] rises with t.
        const auto moments = [&](double tilt) {
            double mass = 0, mean = 0, square = 0;
            for (std::size_t i = 0; i < values.size(); ++i) {
                const double weight = outputs_[i].probability * std::exp(tilt * (values[i] - largest));
                mass += weight, mean += weight * values[i], square += weight * values[i] * values[i];
            }
            return std::pair{mean / mass, square / mass};
        };
        double low = 0, high = 1 / width;
        while (moments(high).first < 0) high *= 2;
        for (int step = 0; step < 60; ++step) {
            const double middle = (low + high) / 2;
            (moments(middle).first < 0 ? low : high) = middle;
        }
        const double tilt = high, variance = moments(tilt).second;
        // Bernstein: the sum is further from 0 with probability below 2e^{−35}, relative to the tilted distribution.
        constexpr double exponent = 35;
        const double jump = width * exponent / 3;
        const double reach = jump + std::sqrt(jump * jump + 2 * exponent * n_ * variance);
        std::size_t points = points_;
        const std::size_t most = std::max(std::size_t{1} << (must_be_fine ? 16 : 13), points_);
        const double step = std::sqrt(variance) / 16;
        while (2 * reach / static_cast<double>(points) > step && points < most) points *= 2;
        // A rough grid raises the expectation by an unknown amount, which is no lower bound.
        if (must_be_fine && 2 * reach / static_cast<double>(points) > 2 * step) return 0;
        if (rough) points /= 2;
        const double distance = 2 * reach / static_cast<double>(points);
        std::vector<std::complex<double>> grid(points);
        const auto put = [&](double at, double weight) {
            const auto index = static_cast<std::int64_t>(at);
            const auto size = static_cast<std::int64_t>(points);
            grid[static_cast<std::size_t>((index % size + size) % size)] +=
                weight * std::exp(tilt * at * distance);
        };
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double at = values[i] / distance, below = std::floor(at);
            put(below, outputs_[i].probability * (1 - (at - below)));
            put(below + 1, outputs_[i].probability * (at - below));
        }
        double mass = 0;
        for (const auto& each : grid) mass += each.real();
        for_each_index(points, [&](std::size_t i) { grid[i] /= mass; });
        const FourierTransform transform(points);
        transform(grid);
        Work work;
        for (auto& each : grid) {
            // A conjugate makes the inverse of the next transform.
            each = std::abs(each) > 0 ? std::conj(std::exp(n_ * std::log(each))) : 0;
            work.done(32);
        }
        transform(grid);
        double sum = 0;
        for (std::size_t i = 1; i < points / 2; ++i) {
            const double at = static_cast<double>(i) * distance;
            sum += at * std::exp(-tilt * at) * std::max(0.0, grid[i].real());
            work.done(4);
        }
        sum /= static_cast<double>(points);
        // What lies beyond the grid.
        sum += 2 * std::exp(-exponent) * std::min(reach, 1 / tilt);
        return std::exp(n_ * std::log(mass)) * sum / n_;
    }

    double n_;
    std::size_t points_;
    SharedOutputs outputs_;
};

/// A number with the 44 leading bits of its mantissa.
double leading_bits(double number) {
    int exponent = 0;
    const double mantissa = std::frexp(number, &exponent);
    return std::ldexp(std::round(std::ldexp(mantissa, 44)), exponent - 44);
}

/// Outputs with equal multiples as one, in order, so that equal pairs of values can be found. Means are kept.
SharedOutputs merged(const SharedOutputs& outputs) {
    std::map<std::pair<double, double>, SharedOutput> kinds;
    Work work;
    for (const SharedOutput& each : outputs) {
        work.done(16);
        const auto [known, fresh] =
            kinds.try_emplace({leading_bits(each.first), leading_bits(each.second)}, each);
        if (fresh) continue;
        SharedOutput& all = known->second;
        const double part = each.probability / (all.probability + each.probability);
        all.first += (each.first - all.first) * part;
        all.second += (each.second - all.second) * part;
        all.probability += each.probability;
    }
    SharedOutputs all;
    for (const auto& [multiples, output] : kinds) all.push_back(output);
    return all;
}

/// What distinguishes one pair of values from another, for which the sum has another distribution.
std::vector<double> key_of(const SharedOutputs& outputs) {
    std::vector<double> key;
    for (const SharedOutput& each : outputs)
        for (const double number : {each.first, each.second, each.probability})
            key.push_back(leading_bits(number));
    return key;
}

/// Pairs of values with different distributions.
class DifferentPairs {
  public:
    /// Adds the outputs of a pair, if they are new and fit.
    void add(SharedOutputs outputs) {
        std::vector<double> key = key_of(outputs);
        if (known_.contains(key)) return;
        numbers_ += key.size();
        if (full()) return;
        known_.emplace(std::move(key), std::move(outputs));
    }
    /// Whether a pair was left out.
    [[nodiscard]] bool full() const noexcept {
        return numbers_ > most_numbers || known_.size() == most_pairs;
    }
    [[nodiscard]] const std::map<std::vector<double>, SharedOutputs>& all() const noexcept { return known_; }

  private:
    std::map<std::vector<double>, SharedOutputs> known_;
    std::size_t numbers_ = 0;
};

/// The pair of two values, for others with these probabilities.
SharedOutputs pair_of(std::span<const long double> first, std::span<const long double> second,
                      std::span<const long double> others) {
    SharedOutputs outputs;
    for (std::size_t y = 0; y < others.size(); ++y)
        outputs.push_back({static_cast<double>(first[y] / others[y]),
                           static_cast<double>(second[y] / others[y]), static_cast<double>(others[y])});
    return merged(outputs);
}

/// The ε in [0, most] at which a decreasing function of ε comes down to δ, on the side where it is at most δ if `above`.
template <class Delta>
double epsilon_where(const Delta& at, double delta, double most, bool above) {
    const auto excess = [&](double epsilon) { return std::log(std::max(at(epsilon) / delta, 1e-12)); };
    const double first = excess(0);
    if (first <= 0) return 0;
    const double last = excess(most);
    if (last >= 0) return most;
    std::uintmax_t steps = 60;
    const auto [low, high] = boost::math::tools::toms748_solve(
        excess, 0.0, most, first, last, boost::math::tools::eps_tolerance<double>(15), steps);
    return above ? high : low;
}

}  // namespace

ChannelShuffled shuffled(const PrivacyProof& mechanism, std::uint64_t n, double delta) {
    if (n < 1 || n > most_shuffled)
        raise(ErrorCode::invalid_value, "the number of people must be 1 to " + grouped(most_shuffled),
              "Found " + grouped(n) + ".",
              "A bound for fewer people is also valid for more people; use the largest number.");
    if (mechanism.delta() != 0)
        raise(ErrorCode::unsupported, "the cost of shuffled reports requires a delta of 0",
              "The spec has a delta of " + shortest(mechanism.delta()) + ".");
    const double most = mechanism.report_epsilon();
    const double generic = shuffled(most, n, delta).epsilon;
    const ReportLaws laws = report_laws(mechanism, ResponseKind::report);
    std::vector<long double> blanket(laws.outputs(), 1);
    for (std::size_t x = 0; x < laws.rows(); ++x)
        for (std::size_t y = 0; y < laws.outputs(); ++y) blanket[y] = std::min(blanket[y], laws.row(x)[y]);
    long double shared = 0;
    for (const long double each : blanket) shared += each;

    const auto refuse = [](const std::string& detail) {
        raise(ErrorCode::unsupported, "this spec has too many possible reports to compare", detail,
              "Compare a smaller spec of the same mechanism: fewer values, or a smaller \"grid\".");
    };
    if (Uint128{laws.rows()} * laws.rows() * laws.outputs() > most_steps)
        refuse("Found " + grouped(laws.rows()) + " different inputs and " + grouped(laws.outputs()) +
               " different outputs.");
    // All others have the value z. Values that do not fit are left out: each of them leads to a lower bound.
    DifferentPairs pairs, scenarios;
    for (std::size_t i = 0; i < laws.rows(); ++i)
        for (std::size_t j = 0; j < laws.rows(); ++j) {
            if (i == j) continue;
            check_interrupt();
            const std::size_t known = pairs.all().size();
            pairs.add(pair_of(laws.row(i), laws.row(j), blanket));
            if (pairs.full()) refuse("There are more than about 1,000 different pairs of values.");
            if (pairs.all().size() == known) continue;
            for (std::size_t z = 0; z < laws.rows() && !scenarios.full(); ++z) {
                check_interrupt();
                scenarios.add(pair_of(laws.row(i), laws.row(j), laws.row(z)));
            }
        }
    double epsilon = 0;
    for (const auto& [key, outputs] : pairs.all()) {
        const ShuffledSum sum(outputs, n);
        if (epsilon > 0 && sum.upper(epsilon) <= delta) continue;
        epsilon = epsilon_where([&](double at) { return sum.upper(at); }, delta, most, true);
    }
    epsilon = std::min(epsilon, generic);

    double lower = 0;
    for (const auto& [key, outputs] : scenarios.all()) {
        const ShuffledSum sum(outputs, n);
        if (sum.lower(lower) <= delta) continue;
        lower = epsilon_where([&](double at) { return sum.lower(at); }, delta, most, false);
    }
    return {epsilon, generic, std::min(lower, epsilon), delta, static_cast<double>(shared)};
}

}  // namespace ldp
