#include "accounting/divergences.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "accounting/binomial_window.hpp"
#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/base/unknown.hpp"

namespace ldp {

namespace {

constexpr double endless_order = std::numeric_limits<double>::infinity();
constexpr std::uint64_t most_triples = std::uint64_t{1} << 24, most_rounds = 1'000'000;

struct DivergenceKind {
    Divergence divergence;
    double parameter = unknown;
};

std::vector<DivergenceKind> kinds_at(double epsilon) {
    return {{Divergence::total_variation},
            {Divergence::kullback_leibler},
            {Divergence::jeffreys},
            {Divergence::chi_squared},
            {Divergence::squared_hellinger},
            {Divergence::renyi, 2},
            {Divergence::renyi, 4},
            {Divergence::renyi, 16},
            {Divergence::renyi, endless_order},
            {Divergence::hockey_stick, 1},
            {Divergence::hockey_stick, std::exp(epsilon / 2)},
            {Divergence::hockey_stick, std::exp(epsilon)},
            {Divergence::contraction}};
}
constexpr std::size_t kind_count = 13;

using Sums = std::array<long double, kind_count>;

/// One term of Σ pᵃq¹⁻ᵃ − 1, with what adds up to 0 left out: q((1 + d)ᵃ − 1 − ad) for p = q(1 + d).
long double renyi_term(long double q, long double d, int order) {
    if (order == 2) return q * d * d;
    if (order == 4) return q * d * d * (6 + d * (4 + d));
    return q * (std::expm1(order * std::log1p(d)) - order * d);
}

/// b(1 − b) Σ (p − q)²/(bp + (1 − b)q), which is concave in b.
long double mixed_chi_squared(std::span<const long double> p, std::span<const long double> q, long double b) {
    long double sum = 0;
    for (std::size_t y = 0; y < p.size(); ++y) {
        const long double mixture = b * p[y] + (1 - b) * q[y], difference = p[y] - q[y];
        if (mixture > 0) sum += difference * difference / mixture;
    }
    return b * (1 - b) * sum;
}

/// The largest divergences so far, and the pairs of rows.
class LargestDivergences {
  public:
    explicit LargestDivergences(double epsilon) : half_(std::exp(epsilon / 2)) {
        // Rounding of probabilities must not show as a divergence beyond ε.
        whole_ = std::exp(static_cast<long double>(epsilon)) * (1 + 0x1p-58L);
        largest_.fill(-1);
    }

    void compare(const ReportLaws& laws, std::size_t i, std::size_t j) {
        const auto p = laws.row(i), q = laws.row(j);
        Sums there{}, back{};
        long double middle = 0, slope = 0;
        for (std::size_t y = 0; y < p.size(); ++y, work_.done(64)) {
            add(p[y], q[y], there, back);
            const long double sum = p[y] + q[y], difference = p[y] - q[y];
            if (sum == 0) continue;
            middle += difference * difference / (2 * sum);
            slope += difference * difference * difference / (sum * sum);
        }
        finish(there);
        finish(back);
        there[kind_count - 1] = back[kind_count - 1] = contraction(p, q, middle, slope, there[4]);
        take(there, i, j);
        take(back, j, i);
    }

    [[nodiscard]] double value(std::size_t kind) const { return static_cast<double>(largest_[kind]); }
    [[nodiscard]] std::pair<std::size_t, std::size_t> pair(std::size_t kind) const { return pairs_[kind]; }

  private:
    void add(long double p, long double q, Sums& there, Sums& back) const {
        if (p == 0 && q == 0) return;
        there[0] += std::abs(p - q) / 2;
        const long double roots = std::sqrt(p) + std::sqrt(q);
        there[4] += (p - q) * (p - q) / (roots * roots) / 2;
        there[9] += std::max(0.0L, p - q);
        there[10] += std::max(0.0L, p - half_ * q);
        there[11] += std::max(0.0L, p - whole_ * q);
        back[10] += std::max(0.0L, q - half_ * p);
        back[11] += std::max(0.0L, q - whole_ * p);
        add_ratios(p, q, there);
        add_ratios(q, p, back);
        back[0] = there[0], back[4] = there[4], back[9] = there[9];
    }
    /// Terms with a ratio p/q, which is infinite if q is 0.
    static void add_ratios(long double p, long double q, Sums& sums) {
        if (q == 0) {
            for (const std::size_t kind : {1, 2, 3, 5, 6, 7, 8}) sums[kind] = HUGE_VALL;
            return;
        }
        const long double d = (p - q) / q;
        if (p == 0) {
            sums[1] += q;
            sums[2] = HUGE_VALL;
        } else {
            const long double loss = std::log1p(d);
            sums[1] += q * ((1 + d) * loss - d);
            sums[2] += (p - q) * loss;
            sums[8] = std::max(sums[8], loss);
        }
        sums[3] += q * d * d;
        sums[5] += renyi_term(q, d, 2);
        sums[6] += renyi_term(q, d, 4);
        sums[7] += renyi_term(q, d, 16);
    }
    /// From Σ pᵃq¹⁻ᵃ − 1 to the divergence of order a.
    static void finish(Sums& sums) {
        sums[5] = std::log1p(sums[5]);
        sums[6] = std::log1p(sums[6]) / 3;
        sums[7] = std::log1p(sums[7]) / 15;
    }
    /// The largest value over b. `middle` is the value at ½, and −`slope` the derivative. A concave function is below
    /// its tangent, and the value is at most 1 − (1 − H²)² (Ordentlich, Polyanskiy 2022).
    [[nodiscard]] long double contraction(std::span<const long double> p, std::span<const long double> q,
                                          long double middle, long double slope,
                                          long double hellinger) const {
        const long double most = std::min(middle + std::abs(slope) / 2, hellinger * (2 - hellinger));
        if (most <= std::max(middle, largest_[kind_count - 1]) * (1 + 1e-14L)) return middle;
        long double low = slope > 0 ? 0 : 0.5L, high = slope > 0 ? 0.5L : 1;
        const long double golden = (std::sqrt(5.0L) - 1) / 2;
        long double left = high - golden * (high - low), right = low + golden * (high - low);
        long double at_left = mixed_chi_squared(p, q, left), at_right = mixed_chi_squared(p, q, right);
        for (int step = 0; step < 48; ++step) {
            check_interrupt();
            if (at_left < at_right) {
                low = left, left = right, at_left = at_right, right = low + golden * (high - low);
                at_right = mixed_chi_squared(p, q, right);
            } else {
                high = right, right = left, at_right = at_left, left = high - golden * (high - low);
                at_left = mixed_chi_squared(p, q, left);
            }
        }
        return std::max({middle, at_left, at_right});
    }
    void take(const Sums& sums, std::size_t i, std::size_t j) {
        for (std::size_t kind = 0; kind < kind_count; ++kind)
            // Of equal divergences, the first pair is kept; rounding does not decide.
            if (sums[kind] > largest_[kind] * (1 + 1e-14L) || largest_[kind] < 0)
                largest_[kind] = sums[kind], pairs_[kind] = {i, j};
    }

    Work work_;
    long double half_, whole_;
    Sums largest_{};
    std::array<std::pair<std::size_t, std::size_t>, kind_count> pairs_{};
};

/// E_γ of `rounds` randomized responses at ε.
double hockey_stick_of_responses(double epsilon, std::uint64_t rounds, double gamma) {
    const BinomialWindow truths = binomial_window(rounds, std::exp(epsilon), 1e-30);
    double sum = 0;
    for (std::size_t i = 0; i < truths.probabilities.size(); ++i) {
        const double loss =
            (2 * static_cast<double>(truths.first + i) - static_cast<double>(rounds)) * epsilon;
        sum += truths.probabilities[i] * std::max(0.0, -std::expm1(std::log(gamma) - loss));
    }
    return sum;
}

/// The divergence of `rounds` randomized responses at ε.
double of_responses(const DivergenceKind& kind, double epsilon, std::uint64_t rounds) {
    const auto times = static_cast<double>(rounds);
    const double half = epsilon / 2, tangent = std::tanh(half);
    switch (kind.divergence) {
        case Divergence::total_variation:
            return hockey_stick_of_responses(epsilon, rounds, 1);
        case Divergence::kullback_leibler:
            return times * epsilon * tangent;
        case Divergence::jeffreys:
            return 2 * times * epsilon * tangent;
        case Divergence::chi_squared:
            return std::expm1(times * std::log1p(4 * std::pow(std::sinh(half), 2)));
        case Divergence::squared_hellinger: {
            // 1 − 1/cosh(x) = tanh(x)²·cosh(x)/(cosh(x) + 1)
            const double one = tangent * tangent / (1 + 1 / std::cosh(half));
            return -std::expm1(times * std::log1p(-one));
        }
        case Divergence::renyi: {
            if (kind.parameter == endless_order) return times * epsilon;
            // Σ pᵃq¹⁻ᵃ − 1 = (e^{aε} + e^{(1−a)ε})/(1 + e^ε) − 1 = 4 sinh(aε/2) sinh((a−1)ε/2)/(1 + e^ε)·e^{ε/2}
            const double a = kind.parameter;
            const double log_sum =
                std::log1p(2 * std::sinh(a * half) * std::sinh((a - 1) * half) / std::cosh(half));
            const double huge = (a - 1) * epsilon + std::log1p(std::exp((1 - 2 * a) * epsilon)) -
                                std::log1p(std::exp(-epsilon));
            return times * (a * epsilon > 300 ? huge : log_sum) / (a - 1);
        }
        case Divergence::hockey_stick:
            return hockey_stick_of_responses(epsilon, rounds, kind.parameter);
        case Divergence::contraction:
            return -std::expm1(times * std::log1p(-tangent * tangent));
    }
    return unknown;
}

/// The same where the value is revealed with probability δ.
double bound_of(const DivergenceKind& kind, double epsilon, double delta, std::uint64_t rounds) {
    if (delta == 0) return of_responses(kind, epsilon, rounds);
    const double revealed = -std::expm1(static_cast<double>(rounds) * std::log1p(-delta));
    switch (kind.divergence) {
        case Divergence::total_variation:
        case Divergence::hockey_stick:
        case Divergence::squared_hellinger:
            return revealed + (1 - revealed) * of_responses(kind, epsilon, rounds);
        // No contraction coefficient of an f-divergence exceeds that of total variation.
        case Divergence::contraction:
            return bound_of({Divergence::total_variation}, epsilon, delta, rounds);
        default:
            return endless_order;
    }
}

/// The bounds of Duchi, Jordan, Wainwright 2018 for two inputs: TV ≤ (e^ε − 1)/2, the symmetrized Kullback–Leibler
/// divergence ≤ (e^ε − 1)², χ² ≤ (e^ε + 1)(e^ε − 1)²; the coefficient of contraction ≤ (e^ε − 1)².
double general_bound_of(const DivergenceKind& kind, double epsilon, double delta, std::uint64_t rounds) {
    if (delta != 0) return unknown;
    const double gain = std::expm1(epsilon), times = static_cast<double>(rounds);
    switch (kind.divergence) {
        case Divergence::total_variation:
            return times * gain / 2;
        case Divergence::kullback_leibler:
        case Divergence::jeffreys:
        case Divergence::contraction:
            return times * gain * gain;
        case Divergence::chi_squared:
            return std::expm1(times * std::log1p((gain + 2) * gain * gain));
        default:
            return unknown;
    }
}

struct Composite {
    double value;
    bool exact;
};

/// A divergence of several rounds from those of one.
Composite of_rounds(const DivergenceKind& kind, double value, double total_variation, double hellinger,
                    std::uint64_t rounds) {
    if (rounds == 1) return {value, true};
    const auto times = static_cast<double>(rounds);
    switch (kind.divergence) {
        case Divergence::kullback_leibler:
        case Divergence::jeffreys:
        case Divergence::renyi:
            return {times * value, true};
        case Divergence::chi_squared:
            return {std::expm1(times * std::log1p(value)), true};
        case Divergence::squared_hellinger:
            return {-std::expm1(times * std::log1p(-value)), true};
        case Divergence::contraction:
            return {-std::expm1(times * std::log1p(-value)), value == 0};
        default: {
            const double coupled = -std::expm1(times * std::log1p(-total_variation));
            const double rooted = std::sqrt(-std::expm1(2 * times * std::log1p(-hellinger)));
            return {std::min(coupled, rooted), total_variation == 0};
        }
    }
}

}  // namespace

const char* name(Divergence divergence) noexcept {
    constexpr const char* names[] = {"total_variation", "kullback_leibler",  "jeffreys",
                                     "chi_squared",     "squared_hellinger", "renyi",
                                     "hockey_stick",    "contraction"};
    return names[static_cast<std::size_t>(divergence)];
}

std::vector<DivergenceValue> divergences(const PrivacyProof& mechanism, ResponseKind response,
                                         std::uint64_t rounds) {
    if (rounds < 1 || rounds > most_rounds)
        raise(ErrorCode::invalid_value, "the number of rounds must be 1 to " + grouped(most_rounds),
              "Found " + grouped(rounds) + ".");
    const double epsilon =
        response == ResponseKind::report ? mechanism.report_epsilon() : mechanism.epsilon();
    const ReportLaws laws = report_laws(mechanism, response);
    if (Uint128{laws.rows()} * laws.rows() * laws.outputs() > most_triples)
        raise(ErrorCode::unsupported, "this spec has too many possible reports to compare",
              "Found " + grouped(laws.rows()) + " different inputs and " + grouped(laws.outputs()) +
                  " different outputs.",
              "Compare a smaller spec of the same mechanism: fewer values, or a smaller \"grid\".");
    LargestDivergences largest(epsilon);
    if (laws.rows() == 1) largest.compare(laws, 0, 0);
    for (std::size_t i = 0; i < laws.rows(); ++i)
        for (std::size_t j = i + 1; j < laws.rows(); ++j) largest.compare(laws, i, j);
    std::vector<DivergenceValue> all;
    const std::vector<DivergenceKind> kinds = kinds_at(epsilon);
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        const auto [value, exact] =
            of_rounds(kinds[k], largest.value(k), largest.value(0), largest.value(4), rounds);
        const auto [i, j] = largest.pair(k);
        const double bound = bound_of(kinds[k], epsilon, mechanism.delta(), rounds);
        // Both are computed with rounding.
        const bool equal = value > bound && value <= bound * (1 + 1e-12);
        const bool bounded = !exact && value > bound;
        all.push_back({kinds[k].divergence, kinds[k].parameter, equal || bounded ? bound : value, exact,
                       laws.input(i), laws.input(j), bound,
                       general_bound_of(kinds[k], epsilon, mechanism.delta(), rounds)});
    }
    return all;
}

}  // namespace ldp
