#include "core/summary/queries/consistency.hpp"

#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/frequency/label_sets.hpp"
#include "core/summary/queries/empirical_bayes.hpp"
#include "core/summary/queries/ibu.hpp"
#include "core/summary/queries/top.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

namespace {

using Frequencies = std::vector<double>;

constexpr std::pair<std::string_view, Consistency> methods[] = {
    {"none", Consistency::none},
    {"base_cut", Consistency::base_cut},
    {"norm", Consistency::norm},
    {"norm_mul", Consistency::norm_mul},
    {"norm_cut", Consistency::norm_cut},
    {"norm_sub", Consistency::norm_sub},
    {"mle_apx", Consistency::mle_apx},
    {"power", Consistency::power},
    {"ibu", Consistency::ibu},
    {"ibu_early", Consistency::ibu_early},
    {"empirical_bayes", Consistency::empirical_bayes},
};

// The accumulator is wider than a double, so that the sum of millions of values is accurate to the last
// digits.
long double sum_of(const Frequencies& f) {
    return std::accumulate(f.begin(), f.end(), 0.0L);
}

// Returns the root of a function that is monotone and changes its sign between the two ends.
double root(const std::function<double(double)>& function, double low, double high) {
    std::uintmax_t steps = 200;
    const auto [a, b] = boost::math::tools::toms748_solve(
        function, low, high, boost::math::tools::eps_tolerance<double>(50), steps);
    return (a + b) / 2;
}

// Norms ----------------------------------------------------------------------------------------------------

Frequencies norm(Frequencies f) {
    const auto shift = static_cast<double>((1 - sum_of(f)) / static_cast<long double>(f.size()));
    for_each_index(f.size(), [&](std::size_t v) { f[v] += shift; });
    return f;
}

Frequencies norm_mul(Frequencies f) {
    for_each_index(f.size(), [&](std::size_t v) { f[v] = std::max(f[v], 0.0); });
    const long double sum = sum_of(f);
    const double even = 1 / static_cast<double>(f.size());
    for_each_index(f.size(), [&](std::size_t v) { f[v] = sum > 0 ? static_cast<double>(f[v] / sum) : even; });
    return f;
}

Frequencies norm_cut(Frequencies f) {
    std::vector<std::uint32_t> order(f.size());
    std::iota(order.begin(), order.end(), 0u);
    Work work;
    std::ranges::sort(order, [&](auto a, auto b) {
        work.done();
        return f[a] != f[b] ? f[a] > f[b] : a < b;
    });
    double left = 1;
    for (const std::uint32_t v : order) {
        work.done();
        f[v] = std::clamp(f[v], 0.0, left);
        left -= f[v];
    }
    return f;
}

// Minimises Σ (x_v − f_v)² / (a + b·x_v) over the distributions x. With b = 0, the result is the nearest
// distribution; with the variance of a pure protocol, it is the maximum-likelihood distribution under normal
// errors. The summands are convex where the variance is positive, so that the Karush–Kuhn–Tucker conditions
// are sufficient.
//
// Let r_v = (x_v − f_v)/(a + b·x_v). The derivative of a summand is 2r − br². It increases in r if 1 − rb =
// (a + b·f_v)/(a + b·x_v) is positive, which holds for every estimate that supports can produce. Therefore
// all positive x_v have one r, with x_v = (f_v + ra)/(1 − rb), and x_v = 0 where that is negative. If m
// values are positive, they are the m largest, and their sum determines r. The m-th value is positive for m
// up to the correct number, and for no larger m.
Frequencies max_probability(Frequencies f, double a, double b) {
    Frequencies largest = f;
    Work work;
    std::ranges::sort(largest, [&](double x, double y) {
        work.done();
        return x > y;
    });
    long double sum = 0;
    double r = 0;
    for (std::size_t m = 0; m < largest.size(); ++m, work.done()) {
        sum += largest[m];
        const auto of_first = static_cast<double>((1 - sum) / (static_cast<long double>(m + 1) * a + b));
        if (m > 0 && largest[m] + of_first * a <= 0) break;
        r = of_first;
    }
    for_each_index(f.size(), [&](std::size_t v) { f[v] = (f[v] + r * a) / (1 - r * b); });
    return norm_mul(std::move(f));  // removes negative values and normalizes the sum
}

// Power law -------------------------------------------------------------------------------------------------

// ∫ x^β du from u = log x = `from` to `to`.
double power_integral(double beta, double from, double to) {
    return std::abs(beta) * (to - from) < 1e-9 ? to - from
                                               : std::exp(beta * to) * -std::expm1(beta * (from - to)) / beta;
}

// Frequencies of k values. A frequency is 0 with the probability 1 − present; otherwise it has a density
// proportional to x^−(1+decay) on [x₀, 1]. The mean of all must be 1/k. Decay and presence therefore
// determine x₀.
class PowerLaw {
  public:
    PowerLaw(double decay, double present, std::size_t k) : decay_(decay), present_(present) {
        const double log_k = std::log(static_cast<double>(k) * present);
        const auto mean = [&](double start) {
            return power_integral(1 - decay, start, 0) / power_integral(-decay, start, 0);
        };
        // At the lower end the mean is below (log k + 5)/(e⁵k − 1); at the upper end it is nearly 1.
        start_ = root([&](double start) { return std::log(mean(start)) + log_k; },
                      -(log_k + 5) / std::min(1.0, decay), -1e-9);
    }

    struct Posterior {
        double log_likelihood;
        double mean;
    };

    using Rule = boost::math::quadrature::gauss<double, 60>;
    // The nodes of the quadrature for an estimate. Most laws have the same nodes for it.
    struct Nodes {
        static constexpr std::size_t count = 60;

        Estimate estimate{};
        double low = 0, high = 0;
        std::array<double, count> logarithms, frequencies, squares;
    };

    // Returns the posterior given an estimate with a normal error. The quadrature is in log x and covers
    // eight standard errors to either side. Frequencies below a fiftieth of the standard error are
    // indistinguishable and form one point. `nodes` are kept for the next law.
    [[nodiscard]] Posterior given(const Estimate& estimate, Nodes& nodes) const {
        const double y = estimate.value, error = estimate.standard_error;
        if (!(error > 0)) return {0, std::clamp(y, 0.0, 1.0)};  // no error, no shrinkage
        const double least = std::exp(start_);
        const double start = std::clamp(error / 50, least, 1.0);
        const double nearest = std::clamp(y, start, 1.0);
        const auto squared = [&](double x) { return (x - y) * (x - y) / (2 * error * error); };
        const double best = std::min(squared(nearest), squared(0));

        double mass = 0, moment = 0;
        if (start > least) {
            const double of_small = power_integral(-decay_, start_, std::log(start));
            const double moment_of_small = power_integral(1 - decay_, start_, std::log(start));
            const double likelihood = std::exp(best - squared(moment_of_small / of_small));
            mass += likelihood * of_small;
            moment += likelihood * moment_of_small;
        }
        const double low = std::log(std::max(start, nearest - 8 * error));
        const double high = std::log(std::min(1.0, nearest + 8 * error));
        const auto& right = Rule::abscissa();  // nodes of the right half
        if (nodes.low != low || nodes.high != high || nodes.estimate.value != y ||
            nodes.estimate.standard_error != error) {
            nodes.estimate = estimate;
            nodes.low = low;
            nodes.high = high;
            for (std::size_t i = 0; i < Nodes::count; ++i) {
                const double side = i % 2 == 0 ? -1 : 1;
                nodes.logarithms[i] = (low + high + side * right[i / 2] * (high - low)) / 2;
                nodes.frequencies[i] = std::exp(nodes.logarithms[i]);
                nodes.squares[i] = squared(nodes.frequencies[i]);
            }
        }
        for (std::size_t i = 0; i < Nodes::count && high > low; ++i) {
            const double weight = Rule::weights()[i / 2] * (high - low) / 2 *
                                  std::exp(best - nodes.squares[i] - decay_ * nodes.logarithms[i]);
            mass += weight;
            moment += weight * nodes.frequencies[i];
        }
        const double of_present = present_ / power_integral(-decay_, start_, 0);
        const double all = of_present * mass + (1 - present_) * std::exp(best - squared(0));
        return {std::log(all / error) - best, of_present * moment / all};
    }

  private:
    double decay_, present_;
    double start_ = 0;  // log x₀
};

// The decay and the presence maximize the likelihood, one after the other.
Frequencies power(const std::vector<Estimate>& estimates) {
    constexpr std::size_t given_steps = 1000;  // a microsecond or two
    // Equal estimates are processed once.
    std::vector<std::uint32_t> order(estimates.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto key = [&](std::uint32_t v) {
        return std::pair(estimates[v].value, estimates[v].standard_error);
    };
    Work work;
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
        work.done();
        return key(a) < key(b);
    });
    std::vector<std::size_t> runs;  // start of each run, then the end
    for (std::size_t i = 0; i < order.size(); ++i, work.done())
        if (i == 0 || key(order[i]) != key(order[i - 1])) runs.push_back(i);
    runs.push_back(order.size());

    const std::size_t k = estimates.size();
    constexpr std::size_t most_kept = 4096;  // 6 MB
    std::vector<PowerLaw::Nodes> nodes(std::min(runs.size(), most_kept));
    const auto posterior = [&](const PowerLaw& law, std::size_t run) {
        return law.given(estimates[order[runs[run]]], nodes[std::min(run, nodes.size() - 1)]);
    };
    const auto surprise = [&](double log_decay, double log_present) {
        const PowerLaw law(std::exp(log_decay), std::exp(log_present), k);
        double sum = 0;
        for (std::size_t i = 0; i + 1 < runs.size(); ++i, work.done(given_steps))
            sum -= static_cast<double>(runs[i + 1] - runs[i]) * posterior(law, i).log_likelihood;
        return sum;
    };
    constexpr int bits = 12;
    const auto least_surprise = [](const auto& function, double low, double high) {
        return boost::math::tools::brent_find_minima(function, low, high, bits).first;
    };
    // The bounds are a frequency that falls with the tenth power of its rank, and nearly equal frequencies.
    const double low = std::log(0.1), high = std::log(20.0);
    double log_present = 0;
    double log_decay = least_surprise([&](double at) { return surprise(at, 0); }, low, high);
    // At least one and a half values are present: with a mean of 1 there would be no density. The law without
    // zeros remains unless the other one is clearly more probable.
    const double fewest = std::log(std::min(1.0, 1.5 / static_cast<double>(k)));
    if (fewest < 0) {
        constexpr double clear = 2;  // log-likelihood per parameter
        const double without = surprise(log_decay, 0);
        const double present = least_surprise([&](double at) { return surprise(log_decay, at); }, fewest, 0);
        const double decay = least_surprise([&](double at) { return surprise(at, present); }, low, high);
        if (surprise(decay, present) < without - clear) log_present = present, log_decay = decay;
    }

    const PowerLaw law(std::exp(log_decay), std::exp(log_present), k);
    // The noise moves no estimate farther than this, in standard errors, except with a small probability. A posterior
    // mean beyond that distance shows that the law does not fit (limited translation; Efron, Morris 1971).
    const double farthest = std::sqrt(2 * std::log(2 * static_cast<double>(k)));
    Frequencies f(estimates.size());
    for (std::size_t i = 0; i + 1 < runs.size(); ++i, work.done(given_steps)) {
        const auto& [value, error] = estimates[order[runs[i]]];
        const double low_end = std::clamp(value - farthest * error, 0.0, 1.0),
                     high_end = std::clamp(value + farthest * error, 0.0, 1.0);
        const double mean = std::clamp(posterior(law, i).mean, low_end, high_end);
        for (std::size_t j = runs[i]; j < runs[i + 1]; ++j, work.done()) f[order[j]] = mean;
    }
    return f;
}

// What needs the mechanism ----------------------------------------------------------------------------------

SummaryView part_of(const SummaryView& view, std::size_t attribute) {
    return part(view, attribute == only_attribute ? 0 : attribute);
}

PureProtocol protocol_of(const SummaryView& one) {
    if (const auto* oracle = find_capability<FrequencyOracle>(*one.mechanism)) return oracle->protocol();
    raise(ErrorCode::unsupported, "this method needs a pure protocol",
          "It uses the probability that a report supports a value.",
          "norm_sub supports every mechanism that estimates frequencies.");
}

Frequencies base_cut(const SummaryView& view, std::size_t attribute, std::size_t k) {
    Frequencies f(k);
    Work work;
    for (const Ranked& ranked : top(view, k, Target::sample, Control::bonferroni, attribute)) {
        work.done();
        if (ranked.p_value <= 0.02) f[ranked.value] = std::max(0.0, ranked.estimate.value);
    }
    return f;
}

}  // namespace

Consistency consistency_named(std::string_view name) {
    std::string known;
    for (const auto& [word, method] : methods) {
        if (word == name) return method;
        known += (known.empty() ? "" : ", ") + std::string(word);
    }
    raise(ErrorCode::invalid_value, "unknown method \"" + std::string(name) + "\"", {},
          "Methods are " + known + ".");
}

std::vector<double> consistent(const SummaryView& view, Consistency method, std::size_t attribute) {
    std::vector<Estimate> estimates = estimate(view, {Quantity::frequencies, Target::sample, attribute});
    if (estimates.empty())  // the number of means_by_group
        raise(ErrorCode::unsupported, "an attribute that is a number has no shares",
              "Shares are estimated for categories only.", "Use its mean in each group.");
    if (method != Consistency::none && method != Consistency::base_cut)
        refuse_label_sets(*part_of(view, attribute).mechanism, "this method");
    Frequencies f;
    f.reserve(estimates.size());
    for (Estimate& estimate : estimates) {
        if (method != Consistency::none && std::isnan(estimate.value)) estimate.value = 0;
        f.push_back(estimate.value);
    }
    switch (method) {
        case Consistency::none:
            return f;
        case Consistency::base_cut:
            return base_cut(view, attribute, f.size());
        case Consistency::norm:
            return norm(std::move(f));
        case Consistency::norm_mul:
            return norm_mul(std::move(f));
        case Consistency::norm_cut:
            return norm_cut(std::move(f));
        case Consistency::norm_sub:
            return max_probability(std::move(f), 1, 0);
        case Consistency::mle_apx: {
            const auto [p, q] = protocol_of(part_of(view, attribute));
            return max_probability(std::move(f), q * (1 - q), (p - q) * (1 - p - q));
        }
        case Consistency::power:
            return power(estimates);
        case Consistency::ibu:
            return ibu(f, protocol_of(part_of(view, attribute)));
        case Consistency::ibu_early: {
            const SummaryView one = part_of(view, attribute);
            return ibu_early(f, protocol_of(one), one.n);
        }
        case Consistency::empirical_bayes:
            return empirical_bayes(estimates);
    }
    return f;
}

}  // namespace ldp
