// Several attributes together: cross tables of pairs and of triples, and shares of boxes.

#include <cmath>
#include <functional>
#include <memory>

#include "../competitors/table_competitors.hpp"
#include "../joint/table_methods.hpp"
#include "../shared/parallel.hpp"
#include "panels.hpp"
#include "simulation/seeded_random.hpp"

namespace evaluation {

namespace {

constexpr std::size_t all = ~std::size_t{0};

struct Method {
    std::string name;
    std::function<Learnt(const Records&, double epsilon, ldp::BitSource&)> learn;
    std::size_t repetitions;
    std::size_t pairs = all, triples = all;  ///< largest number of queries
};

/// Expectation maximisation over all people takes seconds a table, so that few tables must do.
constexpr std::size_t few_repetitions = 3, few_pairs = 3, few_triples = 1;

std::vector<Method> of_categories(std::size_t repetitions) {
    return {{"joint, consistent", joint_consistent, repetitions, all, 0},
            {"joint, fit",
             [](const Records& records, double epsilon, ldp::BitSource& bits) {
                 return joint_fit(records, epsilon, Views::pairs, bits);
             },
             repetitions},
            {"joint, auto, fit",
             [](const Records& records, double epsilon, ldp::BitSource& bits) {
                 return joint_fit(records, epsilon, Views::chosen, bits);
             },
             repetitions},
            {"joint, auto, synthetic records",
             [](const Records& records, double epsilon, ldp::BitSource& bits) {
                 return joint_rows(records, epsilon, Views::chosen, bits);
             },
             repetitions},
            {"independence, true shares",
             [](const Records& records, double, ldp::BitSource&) { return true_independence(records); }, 1},
            {"independence", independence, repetitions},
            {"CALM, all pairs", calm, repetitions},
            {"LoPub",
             [](const Records& records, double epsilon, ldp::BitSource& bits) {
                 return lopub::learn(records, lopub::coin_of_all(records, epsilon), bits);
             },
             few_repetitions, few_pairs, few_triples},
            {"not private: LoPub, epsilon per attribute",
             [](const Records& records, double epsilon, ldp::BitSource& bits) {
                 return lopub::learn(records, lopub::coin_of_one(epsilon), bits);
             },
             few_repetitions, few_pairs, few_triples}};
}

std::vector<Method> of_numbers() {
    constexpr std::size_t by = 4;  // to 16 bins, where the questions begin and end
    // Fewer repetitions do not show which of these methods has the smaller error.
    constexpr std::size_t compared = 24;
    return {{"joint, 16 bins, consistent",
             [](const Records& records, double epsilon, ldp::BitSource& bits) {
                 return joint_bins(records, epsilon, by, Numbers::consistent, bits);
             },
             few_repetitions, all, 0},
            {"joint, 16 bins, auto, fit",
             [](const Records& records, double epsilon, ldp::BitSource& bits) {
                 return joint_bins(records, epsilon, by, Numbers::fit, bits);
             },
             compared},
            {"joint_haar, 16 bins, consistent",
             [](const Records& records, double epsilon, ldp::BitSource& bits) {
                 return haar_bins(records, epsilon, by, Numbers::consistent, bits);
             },
             few_repetitions, all, 0},
            {"joint_haar, 16 bins, fit",
             [](const Records& records, double epsilon, ldp::BitSource& bits) {
                 return haar_bins(records, epsilon, by, Numbers::fit, bits);
             },
             compared},
            {"independence, true shares",
             [](const Records& records, double, ldp::BitSource&) { return true_independence(records); }, 1},
            {"HDG", hdg, compared}};
}

/// A panel for each quantity of the benchmark, with a curve for each method.
void hold(const Benchmark& benchmark, const std::vector<Method>& methods, const std::vector<double>& marks,
          std::uint64_t seed, std::vector<Panel>& panels) {
    struct Job {
        const Method* method;
        std::size_t mark;
    };
    std::vector<Job> jobs;
    for (const Method& method : methods)
        for (std::size_t e = 0; e < marks.size(); ++e)
            for (std::size_t r = 0; r < method.repetitions; ++r) jobs.push_back({&method, e});
    std::vector<Score> scores(jobs.size());
    Progress progress("joint", jobs.size());
    in_parallel(jobs.size(), [&](std::size_t j) {
        const auto [method, mark] = jobs[j];
        ldp::simulation::SeededBits bits(seed + j);
        scores[j] = benchmark.score(*method->learn(benchmark.records(), marks[mark], bits), method->pairs,
                                    method->triples, bits);
        progress.step();
    });
    const struct {
        const char *questions, *measure;
        double Score::*found, Score::*expected;
    } parts[] = {{"pairs", "variation distance", &Score::pairs, &Score::expected_pairs},
                 {"triples", "variation distance", &Score::triples, nullptr},
                 {"boxes of two", "mean absolute error", &Score::pair_boxes, nullptr},
                 {"boxes of three", "mean absolute error", &Score::triple_boxes, nullptr},
                 {"regression fitted on synthetic records", "distance in standard deviations",
                  &Score::regression, nullptr}};
    for (const auto& [questions, measure, found, expected] : parts) {
        Panel panel{
            benchmark.records().title() + ", " + questions, "epsilon of a person", measure, {}, marks};
        for (const Method& method : methods) {
            Curve curve{method.name, {}};
            for (const double mark : marks) curve.points.push_back({mark, {}, {}, 0.02});
            for (std::size_t j = 0; j < jobs.size(); ++j) {
                Point& point = curve.points[jobs[j].mark];
                if (jobs[j].method != &method || std::isnan(scores[j].*found)) continue;
                point.found.push_back(scores[j].*found);
                if (expected != nullptr && !std::isnan(scores[j].*expected))
                    point.expected.push_back(scores[j].*expected);
            }
            if (!curve.points[0].found.empty()) panel.curves.push_back(std::move(curve));
        }
        if (!panel.curves.empty()) panels.push_back(std::move(panel));
    }
}

}  // namespace

Figure joint_figure(const Setup& setup, const People& census) {
    lopub::check();
    const std::vector<double> marks{0.5, 1, 2, 4}, of_ranges{0.2, 0.5, 1, 2};
    Figure figure{"joint", {}};
    const std::vector<Method> methods = of_categories(setup.repetitions);
    const Records census_records(census), workers = binned_employees(), answers = yes_and_no();
    // In the order of the page.
    hold({answers, Benchmark::Asks::tables}, methods, marks, 16000000, figure.panels);
    hold({census_records, Benchmark::Asks::tables}, methods, marks, 15000000, figure.panels);
    hold({workers, Benchmark::Asks::both, Regression{0, {1, 2}}}, methods, marks, 7000000, figure.panels);
    const Records numbers = laplace_numbers(1000000);
    hold({numbers, Benchmark::Asks::boxes}, of_numbers(), of_ranges, 64000000, figure.panels);
    return figure;
}

}  // namespace evaluation
