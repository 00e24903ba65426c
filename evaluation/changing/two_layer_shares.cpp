// Shares of values through longitudinal mechanisms, after each method of consistency.

#include <cmath>
#include <numeric>

#include "../figures/panels.hpp"
#include "../shared/experiment.hpp"
#include "../shared/parallel.hpp"
#include "core/base/text.hpp"
#include "core/summary/queries/consistency.hpp"
#include "core/summary/summary.hpp"
#include "simulation/seeded_random.hpp"

namespace evaluation {

namespace {

constexpr std::size_t people = 10000, values = 64;

/// Shares in proportion to 1/rank, as counts of all people.
std::vector<std::size_t> ranked_people() {
    double sum = 0;
    for (std::size_t v = 1; v <= values; ++v) sum += 1 / static_cast<double>(v);
    std::vector<std::size_t> counts;
    for (std::size_t v = 1; v <= values; ++v)
        counts.push_back(static_cast<std::size_t>(people / (static_cast<double>(v) * sum)));
    counts[0] += people - std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    return counts;
}

}  // namespace

Figure layer_shares_figure(const Setup& setup) {
    const std::vector<double> marks{0.25, 0.5, 1, 2, 4};
    const std::vector<const char*> methods{"none", "norm_mul", "norm_sub", "empirical_bayes"};
    const std::vector<std::size_t> counts = ranked_people();
    Figure figure{"layer_shares", {}};
    std::uint64_t seed = 23000000;
    for (const char* mechanism : {"l_osue", "loloha", "l_grr"}) {
        Panel panel{std::string(mechanism) + ", 64 shares in proportion to 1/rank",
                    "epsilon of a memoized response",
                    "total variation distance",
                    {},
                    marks};
        for (const char* method : methods) {
            Curve& curve = panel.curves.emplace_back(Curve{method, {}});
            for (const double mark : marks)
                curve.points.push_back({mark, std::vector<double>(setup.repetitions), {}});
        }
        Progress progress(panel.title, marks.size() * setup.repetitions);
        in_parallel(marks.size() * setup.repetitions, [&](std::size_t job) {
            const std::size_t mark = job % marks.size();
            ldp::simulation::SeededBits bits(seed + job);
            Experiment experiment("{\"mechanism\": \"" + std::string(mechanism) +
                                  "\", \"epsilon\": " + ldp::shortest(marks[mark]) +
                                  ", \"report_epsilon\": " + ldp::shortest(marks[mark] / 2) +
                                  ", \"domain\": " + std::to_string(values) + "}");
            for (std::size_t v = 0; v < values; ++v)
                for (std::size_t i = 0; i < counts[v]; ++i) {
                    const auto cell = static_cast<ldp::Cell>(v);
                    experiment.count({&cell, 1}, bits);
                }
            for (std::size_t m = 0; m < methods.size(); ++m) {
                const std::vector<double> shares =
                    ldp::consistent(ldp::view_of(experiment.mechanism(), experiment.summary()),
                                    ldp::consistency_named(methods[m]));
                double distance = 0;
                for (std::size_t v = 0; v < values; ++v)
                    distance += std::abs(shares[v] - static_cast<double>(counts[v]) / people) / 2;
                panel.curves[m].points[mark].found[job / marks.size()] = distance;
            }
            progress.step();
        });
        seed += marks.size() * setup.repetitions;
        figure.panels.push_back(std::move(panel));
    }
    return figure;
}

}  // namespace evaluation
