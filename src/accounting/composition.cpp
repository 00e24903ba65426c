#include "accounting/composition.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "accounting/binomial_window.hpp"
#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/base/unknown.hpp"

namespace ldp {

namespace {

/// Of one ε: what a window is computed of within a moment.
constexpr std::uint64_t most_answers = 10'000'000'000;

/// ε's as whole multiples of a unit, each rounded upwards: what is true at larger ε's is true at these. How
/// many responses there are of each multiple.
struct Lattice {
    double unit;
    std::map<std::uint64_t, std::uint64_t> counts;
};

Lattice lattice_of(std::span<const EqualReleases> responses, double rough) {
    Lattice lattice{0, {}};
    for (const auto& [epsilon, count, delta] : responses) {
        // The nearest multiple; the unit then grows until none of them is below its ε.
        const double multiple = std::max(1.0, std::ceil(epsilon / rough - 1e-9));
        lattice.unit = std::max(lattice.unit, epsilon / multiple);
        if (count > 0) lattice.counts[static_cast<std::uint64_t>(multiple)] += count;
    }
    return lattice;
}

double total(const Lattice& lattice) {
    double sum = 0;
    for (const auto& [multiple, count] : lattice.counts)
        sum += static_cast<double>(multiple) * static_cast<double>(count);
    return sum * lattice.unit;
}

/// About how many steps composing on the lattice takes.
double work_on(const Lattice& lattice) {
    double cells = 0, terms = 0;
    for (const auto& [multiple, count] : lattice.counts) {
        const auto responses = static_cast<double>(count);
        const double window = std::min(responses + 1, 10 * std::sqrt(responses) + 20);
        terms += window;
        cells += window * static_cast<double>(multiple);
    }
    return cells * terms;
}

/// The unit that raises the sum of all ε's least, among those that can be afforded: the largest ε itself, or
/// a whole part of it.
Lattice best_lattice(std::span<const EqualReleases> responses, double sum) {
    double largest = 0;
    for (const EqualReleases& each : responses) largest = std::max(largest, each.epsilon);
    Lattice best = lattice_of(responses, largest);
    for (std::uint64_t parts = 2; total(best) > sum * (1 + 1e-12); parts += 1 + parts / 256) {
        check_interrupt();
        Lattice finer = lattice_of(responses, largest / static_cast<double>(parts));
        if (work_on(finer) > 1 << 28) break;
        if (total(finer) < total(best)) best = std::move(finer);
    }
    return best;
}

/// The law of how many units of ε are lost, under the product of randomized responses: cell i stands for
/// 2(first + i) − units of them.
struct Losses {
    std::int64_t first = 0, units = 0;
    std::vector<double> probabilities{1};
    double operations = 16;  ///< that a probability may have been rounded in
};

Losses losses_on(const Lattice& lattice, double cut) {
    Losses all;
    for (const auto& [multiple, count] : lattice.counts) {
        const auto step = static_cast<std::int64_t>(multiple);
        // Successes are responses that say the truth, each of which loses ε; all others gain it.
        const BinomialWindow truths =
            binomial_window(count, std::exp(static_cast<double>(multiple) * lattice.unit),
                            std::max(cut / static_cast<double>(lattice.counts.size()), 1e-290));
        const std::size_t terms = truths.probabilities.size();
        std::vector<double> next(all.probabilities.size() + multiple * (terms - 1));
        for (std::size_t t = 0; t < terms; ++t) {
            check_interrupt();
            for (std::size_t i = 0; i < all.probabilities.size(); ++i)
                next[i + t * multiple] += all.probabilities[i] * truths.probabilities[t];
        }
        all.probabilities = std::move(next);
        all.first += static_cast<std::int64_t>(truths.first) * step;
        all.units += static_cast<std::int64_t>(count) * step;
        all.operations += 2 * static_cast<double>(terms);
    }
    return all;
}

/// The smallest ε of at least 0 with Σ P(loss)·max(0, 1 − e^{ε − loss}) ≤ δ. Consider the sets of all losses
/// above a threshold. A is the probability of a set, and B that of the same responses under the other value.
/// The sum is the maximum of A − e^ε·B over these sets, so ε is the maximum of ln((A − δ)/B).
double smallest_epsilon(const Losses& losses, double unit, double delta) {
    const double rounding = losses.operations * 0x1p-50, fading = std::exp(-2 * unit);
    double epsilon = 0, segment = 0, other = 0;  // other: B·e^loss, so that it cannot vanish
    for (std::size_t i = losses.probabilities.size(); i-- > 0;) {
        const auto lost = 2 * (losses.first + static_cast<std::int64_t>(i)) - losses.units;
        if (lost < 0) break;
        segment += losses.probabilities[i];
        other = other * fading + losses.probabilities[i];
        if (const double over = segment * (1 + rounding) - delta; over > 0)
            epsilon = std::max(epsilon,
                               static_cast<double>(lost) * unit + std::log(over / (other * (1 - rounding))));
    }
    return epsilon;
}

}  // namespace

const char* name(Composition composition) noexcept {
    constexpr const char* names[] = {"basic", "advanced", "optimal"};
    return names[static_cast<std::size_t>(composition)];
}

double Composed::of(Composition composition) const noexcept {
    return composition == Composition::basic      ? sum
           : composition == Composition::advanced ? advanced
                                                  : optimal;
}

Composition Composed::by() const noexcept {
    // Comparisons with an advanced bound that does not exist are false.
    if (sum <= optimal && !(advanced < sum)) return Composition::basic;
    return advanced < optimal ? Composition::advanced : Composition::optimal;
}

Composed compose(std::span<const EqualReleases> responses, double delta) {
    if (!(delta >= 1e-200 && delta < 1))
        raise(ErrorCode::invalid_value, "delta must be at least 1e-200 and below 1",
              "Found " + shortest(delta) + ".",
              "Delta is the probability with which the bound may not hold, such as 1e-6. The sum of all "
              "epsilons holds at the sum of all deltas.");
    // A double loses what is small beside the sum so far: many such responses would be free.
    long double exact_sum = 0, squares = 0, gains = 0, deltas = 0, nothing_revealed = 0;
    for (const auto& [epsilon, count, own_delta] : responses) {
        if (!(epsilon > 0 && epsilon <= 700))
            raise(ErrorCode::invalid_value, "each epsilon must be above 0 and at most 700",
                  "Found " + shortest(epsilon) + ".");
        if (!(own_delta >= 0 && own_delta < 1))
            raise(ErrorCode::invalid_value, "the delta of each response must be at least 0 and below 1",
                  "Found " + shortest(own_delta) + ".");
        if (count > most_answers)
            raise(ErrorCode::invalid_value,
                  "there can be at most " + grouped(most_answers) + " responses at one epsilon",
                  "Found " + grouped(count) + ".");
        const auto times = static_cast<long double>(count);
        const long double gain = std::expm1(static_cast<long double>(epsilon));
        exact_sum += times * epsilon;
        squares += times * epsilon * epsilon;
        gains += times * epsilon * gain;
        deltas += times * own_delta;
        nothing_revealed += times * std::log1p(-static_cast<long double>(own_delta));
    }
    const auto sum = static_cast<double>(exact_sum);
    const auto revealed = static_cast<double>(-std::expm1(nothing_revealed));
    if (delta < revealed * (1 - 1e-12))
        raise(ErrorCode::invalid_value,
              "delta must be at least the probability that a response is not within its epsilon",
              "Found " + shortest(delta) + ". With the deltas of all responses, this probability is " +
                  shortest(revealed) + ".");
    delta = std::max(delta, revealed);
    const double sum_delta = std::min(static_cast<double>(deltas), delta), spare = delta - sum_delta;
    if (sum == 0) return {0, 0, 0, delta, 0};
    const auto advanced = static_cast<double>(spare > 0 ? std::sqrt(2 * std::log(1 / spare) * squares) + gains
                                                        : static_cast<long double>(unknown));
    // What is left of δ for the randomized responses, without the rounding of `revealed`.
    const double rounding = 1e-14 + static_cast<double>(responses.size()) * 0x1p-62;
    const double rest = (delta - revealed * (1 + rounding)) / (1 - revealed);
    if (!(rest >= 1e-200)) return {sum, advanced, sum, delta, sum_delta};
    const double cut = rest * 0x1p-45;
    const Lattice lattice = best_lattice(responses, sum);
    const double optimal = smallest_epsilon(losses_on(lattice, cut), lattice.unit, rest - cut);
    return {sum, advanced, std::min(optimal, sum), delta, sum_delta};
}

Spent spent(std::uint64_t responses, double epsilon, double delta, double signal) {
    const EqualReleases all[] = {{epsilon, responses}, {signal, 1}};
    const std::size_t kinds = responses > 0 && signal > 0 ? 2 : 1;
    return {compose(std::span(all).first(kinds), delta), responses, epsilon, kinds == 2 ? signal : 0};
}

}  // namespace ldp
