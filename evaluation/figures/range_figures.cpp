// Shares of ranges of one ordered attribute: n times the squared error, averaged over all ranges.

#include <cmath>

#include "../competitors/ranges.hpp"
#include "../shared/parallel.hpp"
#include "panels.hpp"

namespace evaluation {

Figure ranges_figure(const Setup& setup) {
    constexpr double at[] = {0.5, 1, 2};
    const std::size_t repetitions = std::max<std::size_t>(10, setup.repetitions / 2);
    const std::vector<RangePeople> kinds = range_people();
    const std::vector<std::string>& methods = range_methods();
    Figure figure{"ranges", {}};
    for (const RangePeople& kind : kinds) {
        Panel& panel = figure.panels.emplace_back(
            Panel{kind.title, "epsilon of a person", "n times the squared error", {}, {0.5, 1, 2}});
        for (const std::string& method : methods) {
            Curve& curve = panel.curves.emplace_back(Curve{method, {}});
            // The closed form averages over 1024 ranges that are spread evenly, not over all.
            for (const double epsilon : at)
                curve.points.push_back({epsilon, std::vector<double>(repetitions), {}, 0.03});
        }
    }
    const std::size_t cells = kinds.size() * methods.size() * std::size(at);
    Progress progress("ranges", cells * repetitions);
    std::vector<std::vector<double>> expected(cells, std::vector<double>(repetitions));
    in_parallel(cells * repetitions, [&](std::size_t job) {
        const std::size_t cell = job % cells, repetition = job / cells, e = cell % std::size(at);
        const std::size_t method = cell / std::size(at) % methods.size(),
                          kind = cell / std::size(at) / methods.size();
        const RangeError error = range_error(methods[method], kinds[kind], at[e], 92000000 + job);
        figure.panels[kind].curves[method].points[e].found[repetition] = error.found;
        expected[cell][repetition] = error.expected;
        progress.step();
    });
    for (std::size_t cell = 0; cell < cells; ++cell)
        if (!std::isnan(expected[cell][0]))
            figure.panels[cell / std::size(at) / methods.size()]
                .curves[cell / std::size(at) % methods.size()]
                .points[cell % std::size(at)]
                .expected = expected[cell];
    return figure;
}

}  // namespace evaluation
