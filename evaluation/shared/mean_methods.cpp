#include "mean_methods.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/base/text.hpp"
#include "core/math/haar_tree.hpp"
#include "core/summary/queries/learn.hpp"
#include "core/summary/summary.hpp"
#include "experiment.hpp"
#include "two_rounds.hpp"

namespace evaluation {

namespace {

double square(double number) {
    return number * number;
}

std::string spec(const std::string& mechanism, double epsilon, const std::string& rest) {
    return "{\"mechanism\": \"" + mechanism + "\", \"epsilon\": " + ldp::shortest(epsilon) + ", " + rest +
           "}";
}

/// Moments over the people of each attribute x and of what a report is about, y: x moved into a range.
struct Moments {
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    [[nodiscard]] double bias() const { return y - x; }
    /// The variance of a·y + (1−a)·x.
    [[nodiscard]] double variance(double a) const {
        return a * a * (yy - y * y) + 2 * a * (1 - a) * (xy - x * y) + (1 - a) * (1 - a) * (xx - x * x);
    }
};

template <class Clamp>
std::vector<Moments> moments(const People& people, Clamp clamp) {
    std::vector<Moments> all(people.attributes());
    const auto n = static_cast<double>(people.size());
    for (std::size_t i = 0; i < people.size(); ++i)
        for (std::size_t j = 0; j < all.size(); ++j) {
            const double x = people[i][j], y = clamp(j, x);
            Moments& of = all[j];
            of.x += x / n, of.y += y / n, of.xx += x * x / n, of.yy += y * y / n, of.xy += x * y / n;
        }
    return all;
}

/// A card's noise on average over the people, of an attribute that is moved into a range.
double mean_noise(const People& people, std::size_t j, const NumericCandidate& candidate, double low = -1,
                  double high = 1) {
    double sum = 0;
    for (std::size_t i = 0; i < people.size(); ++i)
        sum += candidate.noise(std::clamp(people[i][j], low, high), (low + high) / 2, (high - low) / 2);
    return sum / static_cast<double>(people.size());
}

// One attribute each ---------------------------------------------------------------------------------------

// A report about an attribute, drawn with probability π, has n·Var w/π for w = the numeric randomizer's noise
// and the values' variance. Against the people who reported, their own variance is taken off; as published,
// where reports of other attributes count as zeros, w has the values' mean square instead, and so has what is
// off.
std::vector<Outcome> run_sampled(const std::string& name, const People& people, double epsilon, bool predict,
                                 ldp::BitSource& bits) {
    const std::size_t d = people.attributes();
    Experiment experiment(spec("sampled", epsilon, numbers(d, ", \"mechanism\": \"" + name + "\"")));
    for (std::size_t i = 0; i < people.size(); ++i) experiment.ask(people[i], bits);
    const std::vector<double> ours = experiment.means();
    const double chance = experiment.parameter("min_probability");
    std::vector<double> published;
    for (std::size_t j = 0; j < d; ++j)
        published.push_back(ours[j] * static_cast<double>(experiment.part(j).n) /
                            (chance * static_cast<double>(people.size())));
    std::vector<Outcome> outcomes{{n_squared_error(people, ours), ldp::unknown},
                                  {n_squared_error(people, published), ldp::unknown}};
    if (!predict) return outcomes;
    const NumericCandidate candidate(name.c_str(), experiment.parameter("epsilon_per_part"));
    outcomes[0].predicted = outcomes[1].predicted = 0;
    const auto all = moments(people, [](std::size_t, double x) { return x; });
    for (std::size_t j = 0; j < d; ++j) {
        const Moments& of = all[j];
        const double noise = mean_noise(people, j, candidate), variance = of.xx - of.x * of.x;
        outcomes[0].predicted += ((noise + variance) / chance - variance) / static_cast<double>(d);
        outcomes[1].predicted += ((noise + of.xx) / chance - of.xx) / static_cast<double>(d);
    }
    return outcomes;
}

std::vector<Outcome> run_learnt_sampled(const People& people, double epsilon, bool predict,
                                        ldp::BitSource& bits) {
    const std::size_t d = people.attributes();
    const auto n = static_cast<double>(people.size());
    FirstRound first(epsilon, d, people.size());
    std::vector<bool> asked(people.size());
    if (first.worthwhile())
        for (std::size_t i = 0; i < people.size(); ++i)
            if ((asked[i] = bits.below(FirstRound::one_in) == 0)) first.ask(people[i], bits);
    const std::vector<Plan> plans = first.plans();
    Experiment second(spec("sampled", epsilon, attributes(plans)));
    for (std::size_t i = 0; i < people.size(); ++i)
        if (!asked[i]) second.ask(people[i], bits);

    // Both rounds estimate the mean, and each has the weight of its inverse variance. The bias of
    // clamping has no weight, because the first round determined the range and errs in the same
    // direction.
    const double part = first.worthwhile() ? 1.0 / FirstRound::one_in : 0;
    std::vector<double> estimates = second.means(), weights(d, 1.0);
    if (part > 0)
        for (std::size_t j = 0; j < d; ++j) {
            const auto [mean, deviation] = first.mean(j);
            const double own = plans[j].spread / (plans[j].chance * (1 - part) * n);
            weights[j] = square(deviation) / (square(deviation) + own);
            estimates[j] = weights[j] * estimates[j] + (1 - weights[j]) * mean;
        }
    std::vector<Outcome> outcomes{{n_squared_error(people, estimates), ldp::unknown}};
    if (!predict) return outcomes;
    const auto all =
        moments(people, [&](std::size_t j, double x) { return std::clamp(x, plans[j].low, plans[j].high); });
    outcomes[0].predicted = 0;  // as if what the range is had nothing to do with the first round's errors
    for (std::size_t j = 0; j < d; ++j) {
        const Moments& of = all[j];
        const double a = weights[j];
        const double report =
            mean_noise(people, j, *plans[j].candidate, plans[j].low, plans[j].high) + of.yy - of.y * of.y;
        double sum = a * a * report / (plans[j].chance * (1 - part)) + n * square(a * of.bias());
        if (part > 0) sum += n * square((1 - a) * first.mean(j).standard_error);
        outcomes[0].predicted += (sum - of.variance(a)) / static_cast<double>(d);
    }
    return outcomes;
}

// All attributes at once -----------------------------------------------------------------------------------

// n·Var of a mean is B² less the values' mean square.
std::vector<Outcome> run_corner(const People& people, double epsilon, bool predict, ldp::BitSource& bits) {
    Experiment experiment(spec("duchi_vector", epsilon, numbers(people.attributes())));
    for (std::size_t i = 0; i < people.size(); ++i) experiment.ask(people[i], bits);
    std::vector<Outcome> outcomes{{n_squared_error(people, experiment.means()), ldp::unknown}};
    if (!predict) return outcomes;
    outcomes[0].predicted = square(experiment.parameter("magnitude"));
    for (const Moments& of : moments(people, [](std::size_t, double x) { return x; }))
        outcomes[0].predicted -= of.xx / static_cast<double>(people.attributes());
    return outcomes;
}

// Haar coefficients ----------------------------------------------------------------------------------------

/// What people's coefficients, moved into their ranges, are on average, and the leaves that they lead to.
struct Spectrum {
    std::vector<double> mean, mean_square, noise;               ///< of coefficients, and of their card
    std::vector<double> leaf_mean, leaf_variance, rest_square;  ///< of leaves; the last without the mean
};

Spectrum spectrum(const People& people, const ldp::HaarTree& tree, const std::vector<ldp::UnitRange>& ranges,
                  const NumericCandidate& candidate) {
    const std::size_t d = tree.size();
    const auto n = static_cast<double>(people.size());
    const std::vector<double> none(d);
    Spectrum all{none, none, none, none, none, none};
    std::vector<double> coefficients(d), leaves(d), leaf_square(d);
    for (std::size_t i = 0; i < people.size(); ++i) {
        tree.forward(people[i], coefficients);
        for (std::size_t c = 0; c < d; ++c) {
            coefficients[c] = std::clamp(coefficients[c], ranges[c].low(), ranges[c].high());
            all.mean[c] += coefficients[c] / n;
            all.mean_square[c] += square(coefficients[c]) / n;
            all.noise[c] += candidate.noise(coefficients[c], ranges[c].middle(), ranges[c].half()) / n;
        }
        tree.inverse(coefficients, leaves);
        for (std::size_t j = 0; j < d; ++j) {
            all.leaf_mean[j] += leaves[j] / n;
            leaf_square[j] += square(leaves[j]) / n;
            all.rest_square[j] += square(leaves[j] - coefficients[0]) / n;
        }
    }
    for (std::size_t j = 0; j < d; ++j) all.leaf_variance[j] = leaf_square[j] - square(all.leaf_mean[j]);
    return all;
}

/// What coefficients go through.
NumericCandidate card_of(const Experiment& experiment, double epsilon) {
    const std::string& name = experiment.spec().word("randomizer");
    return NumericCandidate(name.c_str(), epsilon, name == "optimal" ? R"(, "criterion": "average")" : "");
}

// A coefficient drawn with probability π has n·Var w/π, as an attribute of `sampled`; a leaf has the sum over
// its path, less the leaves' own variance. Only a part of the people may be in this round.
double predict_sampled(const People& people, const Experiment& experiment, double part) {
    const ldp::HaarTree tree(people.attributes());
    const auto& ranges = experiment.spec().ranges("coefficients");
    const Spectrum of = spectrum(people, tree, ranges, card_of(experiment, experiment.spec().epsilon()));
    std::vector<double> chances = ldp::squared_needs(tree, ldp::Aim::leaves), terms(tree.size());
    double sum = 0;
    for (std::size_t c = 0; c < tree.size(); ++c)
        sum += chances[c] = ranges[c].half() * std::sqrt(chances[c]);
    for (std::size_t c = 0; c < tree.size(); ++c)
        terms[c] = (of.noise[c] + of.mean_square[c] - square(of.mean[c])) / (part * chances[c] / sum);
    std::vector<double> leaves(tree.size());
    tree.accumulate_paths(terms, leaves);
    const std::vector<double>& truth = people.means();
    double predicted = 0;
    for (std::size_t j = 0; j < leaves.size(); ++j)
        predicted += leaves[j] - of.leaf_variance[j] +
                     static_cast<double>(people.size()) * square(of.leaf_mean[j] - truth[j]);
    return predicted / static_cast<double>(leaves.size());
}

// Everybody reports the mean, whose noise is the numeric randomizer's, and all details as a corner: B² for
// each of a leaf's path, less the mean square of what they add up to.
double predict_global(const People& people, const Experiment& experiment) {
    const ldp::HaarTree tree(people.attributes());
    const Spectrum of = spectrum(people, tree, experiment.spec().ranges("coefficients"),
                                 card_of(experiment, experiment.parameter("mean_epsilon")));
    std::vector<double> terms(tree.size(), square(experiment.parameter("magnitude"))), leaves(tree.size());
    terms[0] = of.noise[0];
    tree.accumulate_paths(terms, leaves);
    double predicted = 0;
    for (std::size_t j = 0; j < leaves.size(); ++j) predicted += leaves[j] - of.rest_square[j];
    return predicted / static_cast<double>(leaves.size());
}

std::string haar(const People& people, double epsilon, const std::string& rest) {
    return spec("haar", epsilon, numbers(people.attributes()) + rest);
}

std::vector<Outcome> run_haar(const People& people, double epsilon, bool predict, ldp::BitSource& bits) {
    Experiment experiment(haar(people, epsilon, {}));
    for (std::size_t i = 0; i < people.size(); ++i) experiment.ask(people[i], bits);
    return {{n_squared_error(people, experiment.means()),
             predict ? predict_sampled(people, experiment, 1) : ldp::unknown}};
}

std::vector<Outcome> run_global_haar(const People& people, double epsilon, bool predict,
                                     ldp::BitSource& bits) {
    Experiment experiment(haar(people, epsilon, R"(, "details": "global")"));
    for (std::size_t i = 0; i < people.size(); ++i) experiment.ask(people[i], bits);
    return {{n_squared_error(people, experiment.means()),
             predict ? predict_global(people, experiment) : ldp::unknown}};
}

std::vector<Outcome> run_learnt_haar(const People& people, double epsilon, bool predict,
                                     ldp::BitSource& bits) {
    constexpr std::uint64_t one_in = 10;
    Experiment first(spec("haar_ranges", epsilon, numbers(people.attributes())));
    // The largest range for which a share of a bin has this error. If that is less than one half, no
    // first round takes place.
    const double reports = static_cast<double>(people.size()) / one_in;
    const double coverage = 1 - 12 * std::sqrt(first.mechanism().n_variance(0.1) / reports);
    if (coverage < 0.5) return run_haar(people, epsilon, predict, bits);
    std::vector<bool> asked(people.size());
    for (std::size_t i = 0; i < people.size(); ++i)
        if ((asked[i] = bits.below(one_in) == 0)) first.ask(people[i], bits);
    std::string ranges;
    for (const ldp::LearntRange& range :
         ldp::learn_ranges(ldp::view_of(first.mechanism(), first.summary()), coverage))
        ranges += (ranges.empty() ? "[" : ", [") + ldp::shortest(range.low) + ", " +
                  ldp::shortest(range.high) + "]";
    Experiment second(haar(people, epsilon, ", \"coefficients\": [" + ranges + "]"));
    for (std::size_t i = 0; i < people.size(); ++i)
        if (!asked[i]) second.ask(people[i], bits);
    return {{n_squared_error(people, second.means()),
             predict ? predict_sampled(people, second, 1 - 1.0 / one_in) : ldp::unknown}};
}

}  // namespace

double n_squared_error(const People& people, const std::vector<double>& estimates) {
    const std::vector<double>& truth = people.means();
    double sum = 0;
    for (std::size_t j = 0; j < truth.size(); ++j) sum += square(estimates[j] - truth[j]);
    return static_cast<double>(people.size()) * sum / static_cast<double>(truth.size());
}

Method sampled_by(const std::string& candidate) {
    return {{"sampled, " + candidate, "sampled, " + candidate + ", as published"},
            false,
            [candidate](const People& people, double epsilon, bool predict, ldp::BitSource& bits) {
                return run_sampled(candidate, people, epsilon, predict, bits);
            }};
}

std::vector<Method> methods() {
    return {sampled_by("optimal"),
            {{"sampled, learnt ranges"}, true, run_learnt_sampled},
            {{"duchi_vector"}, false, run_corner},
            {{"haar, sampled"}, false, run_haar},
            {{"haar, global"}, false, run_global_haar},
            {{"haar, learnt ranges"}, true, run_learnt_haar}};
}

Method method(const std::string& name) {
    for (const Method& one : methods())
        if (one.names[0] == name) return one;
    throw std::logic_error("no method " + name);
}

}  // namespace evaluation
