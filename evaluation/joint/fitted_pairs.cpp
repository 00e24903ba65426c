// Fitted pairs of `joint` beside the products of their margins, from the same reports.

#include <cmath>
#include <functional>
#include <stdexcept>

#include "../figures/panels.hpp"
#include "../shared/experiment.hpp"
#include "../shared/parallel.hpp"
#include "core/base/text.hpp"
#include "core/summary/summary.hpp"
#include "core/tables/fitted.hpp"
#include "core/tables/pooled.hpp"
#include "record_files.hpp"
#include "simulation/seeded_random.hpp"

namespace evaluation {

namespace {

/// The promise: the mean error of fitted pairs exceeds that of the products by at most this factor.
constexpr double promised = 1.02;

/// Errors of one pair: variation distance and sum of squares, of the fit and of the product.
struct PairErrors {
    double fit = 0, product = 0, fit_squares = 0, product_squares = 0;

    void add(const PairErrors& other) {
        fit += other.fit;
        product += other.product;
        fit_squares += other.fit_squares;
        product_squares += other.product_squares;
    }
    [[nodiscard]] double distances() const { return fit / product; }
    [[nodiscard]] double deviations() const { return std::sqrt(fit_squares / product_squares); }
};

using Set = std::vector<std::size_t>;

/// People, all pairs of their attributes, and the true table of each.
struct PairTruth {
    explicit PairTruth(Records all) : records(std::move(all)) {
        for (std::size_t b = 0; b < records.attributes(); ++b)
            for (std::size_t a = 0; a < b; ++a) {
                sets.push_back({a, b});
                tables.push_back(records.table(sets.back()));
            }
    }

    Records records;
    std::vector<Set> sets;
    std::vector<std::vector<double>> tables;
};

PairErrors errors_of(const ldp::Table& fitted, const std::vector<double>& truth) {
    const auto margin = [&](std::size_t i) { return ldp::summed(fitted, Set{fitted.attributes[i]}).shares; };
    const std::vector<double> rows = margin(0), columns = margin(1);
    PairErrors errors;
    std::size_t cell = 0;
    for (const double row : rows)
        for (const double column : columns) {
            const double off = fitted.shares[cell] - truth[cell], of_product = row * column - truth[cell];
            errors.add({std::abs(off) / 2, std::abs(of_product) / 2, off * off, of_product * of_product});
            ++cell;
        }
    return errors;
}

/// Everyone reports with these options, and each fitted pair is compared with the product of its margins.
std::vector<PairErrors> errors_of_reports(const PairTruth& truth, double epsilon, const std::string& options,
                                          ldp::BitSource& bits) {
    std::string attributes;
    for (std::size_t j = 0; j < truth.records.attributes(); ++j)
        attributes += (j == 0 ? "" : ", ") + ("{\"name\": \"" + std::to_string(j)) +
                      "\", \"domain\": " + std::to_string(truth.records.sizes()[j]) + "}";
    Experiment experiment("{\"mechanism\": \"joint\", \"epsilon\": " + ldp::shortest(epsilon) + options +
                          ", \"attributes\": [" + attributes + "]}");
    for (std::size_t i = 0; i < truth.records.size(); ++i) experiment.count(truth.records[i], bits);
    const ldp::Fit fit =
        ldp::fitted(ldp::measured(ldp::view_of(experiment.mechanism(), experiment.summary())));
    std::vector<PairErrors> errors;
    for (std::size_t s = 0; s < truth.sets.size(); ++s)
        errors.push_back(errors_of(fit.table(truth.sets[s]), truth.tables[s]));
    return errors;
}

double sum_of_distances(const std::vector<PairErrors>& errors) {
    PairErrors sum;
    for (const PairErrors& pair : errors) sum.add(pair);
    return sum.fit;
}

/// Panels of one population: the mean over all pairs, the pair with the largest ratio, and the choice of "auto"
/// beside all pairs.
void compare_pairs(const Records& everyone, std::size_t repetitions, std::uint64_t seed, Figure& figure) {
    const std::vector<double> marks{0.25, 0.5, 1, 2, 4, 8};
    const std::vector<std::size_t> counts{2000, 10000, everyone.size()};
    std::vector<PairTruth> truths;
    for (const std::size_t count : counts) truths.emplace_back(everyone.some(count));
    const std::size_t points = counts.size() * marks.size();
    std::vector<std::vector<std::vector<PairErrors>>> runs(points,
                                                           std::vector<std::vector<PairErrors>>(repetitions));
    std::vector<std::vector<double>> chosen(points, std::vector<double>(repetitions));
    Progress progress("fitted_pairs", points * repetitions);
    in_parallel(points * repetitions, [&](std::size_t job) {
        const std::size_t point = job % points;
        ldp::simulation::SeededBits bits(seed + job);
        const PairTruth& truth = truths[point / marks.size()];
        const double mark = marks[point % marks.size()];
        std::vector<PairErrors>& own = runs[point][job / points];
        own = errors_of_reports(truth, mark, "", bits);
        const std::string choice =
            ", \"marginals\": \"auto\", \"people\": " + std::to_string(truth.records.size());
        chosen[point][job / points] =
            sum_of_distances(errors_of_reports(truth, mark, choice, bits)) / sum_of_distances(own);
        progress.step();
    });
    const std::string by = "error of the fit divided by that of the product of margins";
    Panel mean{everyone.title() + ", all pairs", "epsilon of a person", by, {}, marks};
    Panel worst{everyone.title() + ", pair with the largest ratio", "epsilon of a person", by, {}, marks};
    Panel choice{everyone.title() + ", marginals chosen by auto",
                 "epsilon of a person",
                 "variation distance of fits by auto divided by that of all pairs",
                 {},
                 marks};
    for (std::size_t c = 0; c < counts.size(); ++c) {
        const std::string people = std::to_string(counts[c]) + " people";
        Curve distances{people + ", variation distance", {}}, deviations{people + ", root mean square", {}},
            largest{people, {}}, by_choice{people, {}};
        for (std::size_t e = 0; e < marks.size(); ++e) {
            const auto& own = runs[c * marks.size() + e];
            distances.points.push_back({marks[e], {}, {}});
            deviations.points.push_back({marks[e], {}, {}});
            std::vector<PairErrors> of_pairs(truths[c].sets.size());
            PairErrors total;
            for (const std::vector<PairErrors>& run : own) {
                PairErrors all;
                for (std::size_t s = 0; s < run.size(); ++s) {
                    all.add(run[s]);
                    of_pairs[s].add(run[s]);
                }
                distances.points.back().found.push_back(all.distances());
                deviations.points.back().found.push_back(all.deviations());
                total.add(all);
            }
            if (total.distances() > promised || total.deviations() > promised)
                throw std::logic_error("fitted pairs of " + everyone.title() +
                                       " are worse than independence at " + ldp::shortest(marks[e]) +
                                       " with " + people);
            double most = 0;
            for (const PairErrors& pair : of_pairs) most = std::max(most, pair.distances());
            largest.points.push_back({marks[e], {most}, {}});
            by_choice.points.push_back({marks[e], chosen[c * marks.size() + e], {}});
        }
        mean.curves.push_back(std::move(distances));
        mean.curves.push_back(std::move(deviations));
        worst.curves.push_back(std::move(largest));
        choice.curves.push_back(std::move(by_choice));
    }
    figure.panels.push_back(std::move(mean));
    figure.panels.push_back(std::move(worst));
    figure.panels.push_back(std::move(choice));
}

}  // namespace

Figure fitted_pairs_figure(const Setup& setup, const People& census) {
    Figure figure{"fitted_pairs", {}};
    const std::size_t repetitions = setup.repetitions / 2;
    compare_pairs(Records(census), repetitions, 17000000, figure);
    compare_pairs(yes_and_no(), repetitions, 18000000, figure);
    compare_pairs(couples(45000), repetitions, 19000000, figure);
    return figure;
}

}  // namespace evaluation
