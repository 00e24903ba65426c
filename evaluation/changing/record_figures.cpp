// Records whose values change: in some attributes, and in all of them.

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "../competitors/two_layer_records.hpp"
#include "../figures/panels.hpp"
#include "../shared/parallel.hpp"
#include "changing_records.hpp"
#include "core/base/text.hpp"
#include "simulation/seeded_random.hpp"

namespace evaluation {

namespace {

const std::vector<double> marks{0.5, 1, 2, 4};
const char* const response = "epsilon of a memoized response";
const char* const share_error = "n times the squared error of a share";

/// Parts of records of `sampled`, in two layers or in one (report_epsilon 0); the last one through a mechanism
/// of this name.
std::unique_ptr<const RecordProtocol> library(const std::vector<std::size_t>& sizes, double epsilon,
                                              double report_epsilon, const std::string& of_last = "auto") {
    std::string list;
    for (std::size_t j = 0; j < sizes.size(); ++j)
        list += (j == 0 ? "" : ", ") + ("{\"name\": \"" + std::to_string(j)) +
                "\", \"domain\": " + std::to_string(sizes[j]) +
                (j + 1 == sizes.size() ? ", \"mechanism\": \"" + of_last + "\"}" : std::string("}"));
    const std::string layers =
        report_epsilon == 0 ? std::string() : ", \"report_epsilon\": " + ldp::shortest(report_epsilon);
    return library_records("{\"mechanism\": \"sampled\", \"epsilon\": " + ldp::shortest(epsilon) + layers +
                           ", \"per_report\": 1, \"attributes\": [" + list + "]}");
}

struct RecordMethod {
    std::string name;
    std::function<std::unique_ptr<const RecordProtocol>(const std::vector<std::size_t>& sizes,
                                                        double epsilon)>
        make;
};

RecordMethod published(const std::string& name, RecordWay way, double first) {
    return {name, [way, first](const std::vector<std::size_t>& sizes, double epsilon) {
                return published_records(way, sizes, epsilon, first * epsilon);
            }};
}

RecordMethod in_two_layers(double first) {
    return {"ldp, two layers", [first](const std::vector<std::size_t>& sizes, double epsilon) {
                return library(sizes, epsilon, first * epsilon);
            }};
}

struct RecordRuns {
    std::vector<RecordMethod> methods;
    std::vector<std::vector<RecordOutcome>> outcomes;  ///< of each method at each of the marks

    /// A curve for each method, of one point for each mark; value(outcome) and its closed form, if any.
    template <class Value, class Formula>
    [[nodiscard]] Panel panel(const std::string& title, const std::string& y, double allowance, Value value,
                              Formula formula) const {
        Panel found{title, response, y, {}, marks};
        for (std::size_t m = 0; m < methods.size(); ++m) {
            Curve& curve = found.curves.emplace_back(Curve{methods[m].name, {}});
            for (std::size_t e = 0; e < marks.size(); ++e) {
                Point& point = curve.points.emplace_back(Point{marks[e], {}, {}, allowance});
                for (const RecordOutcome& outcome : outcomes[m * marks.size() + e]) {
                    point.found.push_back(value(outcome));
                    if (const std::optional<double> expected = formula(outcome))
                        point.expected.push_back(*expected);
                }
            }
        }
        return found;
    }
};

RecordRuns run_all(const std::string& title, std::vector<RecordMethod> methods, const ChangingPeople& people,
                   std::size_t repetitions, std::uint64_t seed) {
    std::vector<std::unique_ptr<const RecordProtocol>> protocols;
    for (const RecordMethod& method : methods)
        for (const double mark : marks) protocols.push_back(method.make(people.records.sizes(), mark));
    const std::size_t cells = protocols.size();
    RecordRuns runs{std::move(methods),
                    std::vector<std::vector<RecordOutcome>>(cells, std::vector<RecordOutcome>(repetitions))};
    Progress progress(title, cells * repetitions);
    in_parallel(cells * repetitions, [&](std::size_t job) {
        runs.outcomes[job % cells][job / cells] = run(*protocols[job % cells], people, seed + job);
        progress.step();
    });
    return runs;
}

/// The average over the attributes first..last−1.
double average(const std::vector<double>& numbers, std::size_t first, std::size_t last) {
    const auto at = numbers.begin();
    return std::accumulate(at + static_cast<std::ptrdiff_t>(first), at + static_cast<std::ptrdiff_t>(last),
                           0.0) /
           static_cast<double>(last - first);
}

/// The first people of a census, with a uniform category as one more attribute.
Records with_syn(const Records& census, std::size_t people, std::size_t values) {
    std::vector<std::size_t> sizes = census.sizes();
    sizes.push_back(values);
    ldp::simulation::SeededBits bits(360);
    std::vector<ldp::Cell> cells;
    for (std::size_t i = 0; i < people; ++i) {
        cells.insert(cells.end(), census[i].begin(), census[i].end());
        cells.push_back(bits.below(values));
    }
    return {census.title() + " with Syn", std::move(sizes), std::move(cells)};
}

}  // namespace

Figure mixed_figure(const Setup& setup, const People& census) {
    constexpr std::size_t people = 10000, rounds = 120, values = 360, every = 24;
    constexpr double first = 0.4;
    const Records records = with_syn(Records(census), people, values);
    const std::size_t kept = records.attributes() - 1;
    std::vector<AttributeChange> changes(kept, {0, false});
    changes.push_back({0.25, true});
    const RecordRuns runs = run_all(
        "records with Syn",
        {in_two_layers(first),
         {"ldp, two layers, Syn by loloha",
          [](const std::vector<std::size_t>& sizes, double epsilon) {
              return library(sizes, epsilon, first * epsilon, "loloha");
          }},
         {"ldp, one layer",
          [](const std::vector<std::size_t>& sizes, double epsilon) { return library(sizes, epsilon, 0); }},
         published("L-GRR or L-OSUE of one attribute", RecordWay::sampled, first),
         published("L-GRR or L-OSUE of all attributes", RecordWay::split, first)},
        {records, changes, rounds, every}, setup.repetitions, 21000000);
    const auto error_of = [&](const std::string& title, std::size_t from, std::size_t to) {
        return runs.panel(
            records.title() + ": " + title, share_error, 0.02,
            [=](const RecordOutcome& outcome) { return average(outcome.error, from, to); },
            [=](const RecordOutcome& outcome) {
                return std::optional(average(outcome.predicted, from, to));
            });
    };
    Figure figure{"mixed", {}};
    figure.panels.push_back(error_of("kept attributes", 0, kept));
    figure.panels.push_back(error_of("the changing attribute", kept, kept + 1));
    figure.panels.push_back(runs.panel(
        "spent in 120 rounds, on average", "epsilon", 0.01,
        [](const RecordOutcome& outcome) { return outcome.spent; },
        [](const RecordOutcome& outcome) { return std::optional(outcome.expected); }));
    figure.panels.push_back(runs.panel(
        "spent by the worst off", "epsilon", 0.01, [](const RecordOutcome& outcome) { return outcome.most; },
        [](const RecordOutcome&) { return std::optional<double>(); }));
    return figure;
}

Figure layers_figure(const Setup& setup, const People& census) {
    check_published_records();
    constexpr std::size_t rounds = 8, every = 4;
    const Records records(census);
    const std::size_t d = records.attributes();
    Figure figure{"layers", {}};
    for (const double first : {0.4, 0.7}) {
        const std::string title =
            records.title() + ", changing, first epsilon " + ldp::shortest(first) + " of epsilon";
        const RecordRuns runs =
            run_all(title,
                    {in_two_layers(first),
                     published("L-GRR or L-OSUE, sampled (ALLOMFREE)", RecordWay::sampled, first),
                     published("L-GRR or L-OSUE, split", RecordWay::split, first),
                     published("RS+FD, true epsilon", RecordWay::fake_at_true_epsilon, first),
                     published("not private: RS+FD, claimed epsilon", RecordWay::fake, first)},
                    {records, std::vector<AttributeChange>(d, {0.1, false}), rounds, every},
                    setup.repetitions, 22000000 + static_cast<std::uint64_t>(10 * first) * 1000000);
        const auto predicted = [&](std::size_t method, std::size_t e) {
            return average(runs.outcomes[method * marks.size() + e][0].predicted, 0, d);
        };
        for (std::size_t e = 0; e < marks.size(); ++e)
            for (std::size_t other = 1; other < 4; ++other)
                if (predicted(0, e) > 1.01 * predicted(other, e))
                    throw std::logic_error(runs.methods[other].name + " has a smaller error than ldp");
        figure.panels.push_back(runs.panel(
            title, share_error, 0.02,
            [=](const RecordOutcome& outcome) { return average(outcome.error, 0, d); },
            [=](const RecordOutcome& outcome) { return std::optional(average(outcome.predicted, 0, d)); }));
    }
    return figure;
}

}  // namespace evaluation
