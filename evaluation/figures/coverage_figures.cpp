// Coverage of 95 % intervals of numbers that people may leave out, and of sets of labels.

#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>

#include "../shared/parallel.hpp"
#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/frequency/label_codes.hpp"
#include "core/mechanism/ordered/ordered_estimator.hpp"
#include "core/mechanism/role/error_law.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/summary/summary.hpp"
#include "core/tables/share_intervals.hpp"
#include "panels.hpp"
#include "simulation/seeded_random.hpp"

namespace evaluation {

namespace {

using ldp::Cell;
using ldp::Interval;
using ldp::SummaryView;
using ldp::Target;

constexpr double confidence = 0.95, critical_value = 1.959963984540054;
/// Collections in a repetition.
constexpr std::size_t collections = 50;

/// A quantity of the people: its true value, and its interval from a summary.
struct Covered {
    std::string name;
    double truth;
    std::function<Interval(const SummaryView&)> interval;
};

/// People with their input codes, and what is estimated.
struct Population {
    std::vector<Cell> codes;
    std::vector<Covered> quantities;
};

/// Collections under a spec; a population for each number of people.
struct CoverageCase {
    std::string name;
    std::unique_ptr<const ldp::Mechanism> mechanism;
    std::function<Population(const ldp::Mechanism&, std::size_t people)> people;
};

const std::vector<double> numbers_of_people{50, 200, 1000};

Panel covered_panel(const std::string& title, const std::vector<CoverageCase>& cases, std::size_t repetitions,
                    std::uint64_t seed) {
    Panel panel{title, "people", "coverage of 95 % intervals", {}, numbers_of_people};
    const std::size_t cells = cases.size() * numbers_of_people.size();
    // By case and number of people: a repetition's coverage of each quantity.
    std::vector<std::vector<std::vector<double>>> all(cells, std::vector<std::vector<double>>(repetitions));
    Progress progress(title, cells * repetitions);
    in_parallel(cells * repetitions, [&](std::size_t job) {
        const std::size_t cell = job % cells;
        const CoverageCase& one = cases[cell / numbers_of_people.size()];
        const ldp::Mechanism& mechanism = *one.mechanism;
        const Population population = one.people(
            mechanism, static_cast<std::size_t>(numbers_of_people[cell % numbers_of_people.size()]));
        ldp::simulation::SeededBits bits(seed + job);
        std::vector<double> covered(population.quantities.size());
        for (std::size_t i = 0; i < collections; ++i) {
            std::vector<std::byte> summary(ldp::summary_size(mechanism));
            ldp::start_summary(mechanism, summary);
            for (const Cell& code : population.codes)
                if (ldp::accumulate(mechanism, summary, mechanism.perturb({&code, 1}, bits)) !=
                    ldp::Outcome::ok)
                    throw std::logic_error("a summary refused an honest report");
            const SummaryView view = ldp::view_of(mechanism, summary);
            for (std::size_t q = 0; q < covered.size(); ++q) {
                constexpr double rounding = 1e-9;
                const Interval found = population.quantities[q].interval(view);
                const double truth = population.quantities[q].truth;
                if (found.lower <= truth + rounding && truth - rounding <= found.upper)
                    covered[q] += 1.0 / collections;
            }
        }
        all[cell][job / cells] = covered;
        progress.step();
    });
    for (std::size_t c = 0; c < cases.size(); ++c) {
        const Population any = cases[c].people(*cases[c].mechanism, 50);
        for (std::size_t q = 0; q < any.quantities.size(); ++q) {
            Curve& curve =
                panel.curves.emplace_back(Curve{any.quantities[q].name + ", " + cases[c].name, {}});
            for (std::size_t n = 0; n < numbers_of_people.size(); ++n) {
                Point& point = curve.points.emplace_back(Point{numbers_of_people[n], {}, {}});
                // Repetitions are pooled: a repetition has too few collections for a median.
                double sum = 0;
                for (const std::vector<double>& one : all[c * numbers_of_people.size() + n])
                    sum += one[q] / static_cast<double>(repetitions);
                point.found = {sum, sum};
            }
        }
    }
    return panel;
}

Interval rate_interval(const SummaryView& view) {
    const ldp::LawfulRate rate = ldp::response_rate(view, 0, Target::sample);
    return interval(rate.estimate, critical_value, rate.law);
}

std::unique_ptr<const ldp::Mechanism> number_that_may_be_missing(const char* mechanism, double epsilon,
                                                                 std::uint64_t grid) {
    const std::string steps = std::to_string(grid);
    return ldp::make_mechanism(ldp::resolve(
        std::string(R"({"mechanism": ")") + mechanism + R"(", "missing": true, "min": 0, "max": )" + steps +
        R"(, "grid": )" + steps + R"(, "epsilon": )" + ldp::shortest(epsilon) + "}"));
}

/// People whose answers are skewed to the lower end. The last input code is a missing number.
std::vector<Cell> skewed(std::size_t people, double rate, std::uint64_t grid) {
    std::vector<Cell> codes(people, grid + 1);
    const auto answers = static_cast<std::size_t>(std::lround(rate * static_cast<double>(people)));
    for (std::size_t i = 0; i < answers; ++i) {
        const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(answers);
        codes[i] = static_cast<Cell>(std::floor(share * share * static_cast<double>(grid + 1)));
    }
    return codes;
}

CoverageCase missing_numbers(const char* mechanism, double epsilon, double rate) {
    const std::uint64_t grid = mechanism == std::string("tree") ? 15 : 1000;
    return {"epsilon " + ldp::shortest(epsilon) + ", response rate " + ldp::shortest(rate),
            number_that_may_be_missing(mechanism, epsilon, grid),
            [=](const ldp::Mechanism& m, std::size_t people) {
                Population all{skewed(people, rate, grid), {}};
                std::vector<double> answers;
                for (const Cell code : all.codes)
                    if (code <= grid) answers.push_back(static_cast<double>(code));
                double mean = 0, low = 0;
                const double last = 3;  // of a range from 0
                for (const double answer : answers) {
                    mean += answer / static_cast<double>(answers.size());
                    low += answer <= last ? 1 / static_cast<double>(answers.size()) : 0;
                }
                all.quantities = {
                    {"mean", mean,
                     [](const SummaryView& view) {
                         return ldp::answered_interval(view, 0, Target::sample, critical_value).value();
                     }},
                    {"response rate", static_cast<double>(answers.size()) / static_cast<double>(people),
                     rate_interval}};
                if (ldp::find_capability<ldp::Ordered>(m) == nullptr) return all;
                all.quantities.push_back({"share of a range", low, [=](const SummaryView& view) {
                                              const ldp::ShareOfRange found =
                                                  ldp::cdf(view, last, Target::sample);
                                              if (std::isnan(found.value)) return Interval{0, 1};
                                              return interval(found, critical_value, found.law);
                                          }});
                // Answers ascend. The median is the first value with half of them at most there.
                all.quantities.push_back(
                    {"median", answers[(answers.size() - 1) / 2], [](const SummaryView& view) {
                         return ldp::quantile(view, 0.5, confidence, Target::sample).interval;
                     }});
                return all;
            }};
}

/// Sets of 0 to `most` labels. People with more labels than others have the first ones.
CoverageCase sets_of_labels(double epsilon, std::uint64_t labels, std::uint64_t most) {
    const ldp::Spec spec =
        ldp::resolve(R"({"mechanism": "label_sets", "several": true, "epsilon": )" + ldp::shortest(epsilon) +
                     ", \"domain\": " + std::to_string(labels) + ", \"most\": " + std::to_string(most) + "}");
    return {std::to_string(most) + " of " + std::to_string(labels) + " labels at most, epsilon " +
                ldp::shortest(epsilon),
            ldp::make_mechanism(spec), [=](const ldp::Mechanism&, std::size_t people) {
                Population all;
                double first = 0, size = 0;
                for (std::size_t i = 0; i < people; ++i) {
                    std::vector<Cell> set;
                    for (std::uint64_t j = 0; j < i % (most + 1); ++j) set.push_back(j);
                    first += set.empty() ? 0 : 1 / static_cast<double>(people);
                    size += static_cast<double>(set.size()) / static_cast<double>(people);
                    all.codes.push_back(ldp::code_of_set(labels, set));
                }
                const auto share = [](std::size_t label) {
                    return [label](const SummaryView& view) {
                        const ldp::Question question{ldp::Quantity::frequencies, Target::sample};
                        return ldp::intervals(view, question, ldp::estimate(view, question),
                                              critical_value)[label];
                    };
                };
                all.quantities = {{"share of a frequent label", first, share(0)},
                                  {"share of a label of no person", 0, share(labels - 1)},
                                  {"mean number of labels", size, [](const SummaryView& view) {
                                       return ldp::set_size(view, 0, Target::sample, critical_value).interval;
                                   }}};
                if (most == labels) all.quantities.erase(all.quantities.begin() + 1);
                return all;
            }};
}

}  // namespace

Figure coverage_figure(const Setup& setup) {
    Figure figure{"coverage", {}};
    std::vector<CoverageCase> means, trees, sets;
    for (const auto& [epsilon, rate] :
         {std::pair{0.5, 0.5}, {1.0, 0.1}, {1.0, 0.5}, {1.0, 1.0}, {4.0, 0.5}}) {
        means.push_back(missing_numbers("optional_mean", epsilon, rate));
        trees.push_back(missing_numbers("tree", epsilon, rate));
    }
    for (const double epsilon : {0.5, 1.0, 4.0})
        for (const auto& [labels, most] : {std::pair{8, 8}, {8, 3}, {40, 4}})
            sets.push_back(sets_of_labels(epsilon, static_cast<std::uint64_t>(labels),
                                          static_cast<std::uint64_t>(most)));
    figure.panels.push_back(
        covered_panel("means of numbers that may be missing", means, setup.repetitions, 81000000));
    figure.panels.push_back(
        covered_panel("distributions of numbers that may be missing", trees, setup.repetitions, 82000000));
    figure.panels.push_back(covered_panel("sets of labels", sets, setup.repetitions, 83000000));
    return figure;
}

}  // namespace evaluation
