// One number through every mechanism, at the value where it is noisiest and all over the range, beside the
// least that any mechanism can have.

#include <algorithm>
#include <cmath>

#include "../shared/parallel.hpp"
#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/summary/summary.hpp"
#include "limit.hpp"
#include "panels.hpp"
#include "simulation/seeded_random.hpp"

namespace evaluation {

namespace {

constexpr std::uint64_t steps = 1000;
/// A repetition is the mean over several groups of people, because a single squared error has a large
/// variance.
constexpr std::size_t groups = 2000, people = 20;

struct NumberCompetitor {
    std::string name, spec;
};

const std::vector<NumberCompetitor> contenders{
    {"optimal", R"("mechanism": "optimal")"},
    {"optimal, for the average", R"("mechanism": "optimal", "criterion": "average")"},
    {"hybrid", R"("mechanism": "hybrid")"},
    {"pdp", R"("mechanism": "pdp")"},
    {"piecewise", R"("mechanism": "piecewise")"},
    {"duchi", R"("mechanism": "duchi")"},
    {"laplace", R"("mechanism": "laplace")"}};

double on_unit(std::uint64_t cell) {
    return 2 * static_cast<double>(cell) / static_cast<double>(steps) - 1;
}

/// Everybody where the mechanism is noisiest, or people evenly all over the range.
std::vector<std::uint64_t> values(const ldp::Mechanism& mechanism, bool worst) {
    std::uint64_t noisiest = 0;
    for (std::uint64_t cell = 1; cell <= steps; ++cell)
        if (mechanism.n_variance(on_unit(cell)) > mechanism.n_variance(on_unit(noisiest))) noisiest = cell;
    std::vector<std::uint64_t> cells(people, noisiest);
    if (!worst)
        for (std::size_t i = 0; i < people; ++i) cells[i] = (2 * i + 1) * steps / (2 * people);
    return cells;
}

Point measured(const NumberCompetitor& contender, double epsilon, bool worst, std::size_t repetitions) {
    const std::string spec = "{\"epsilon\": " + ldp::shortest(epsilon) +
                             R"(, "min": -1, "max": 1, "grid": )" + std::to_string(steps) + ", " +
                             contender.spec + "}";
    const auto mechanism = ldp::make_mechanism(ldp::resolve(spec));
    const std::vector<std::uint64_t> cells = values(*mechanism, worst);
    double truth = 0, expected = 0;
    for (const std::uint64_t cell : cells) {
        truth += on_unit(cell) / people;
        expected += mechanism->n_variance(on_unit(cell)) / people;
    }
    Point point{epsilon, std::vector<double>(repetitions), {expected}};
    in_parallel(repetitions, [&](std::size_t repetition) {
        ldp::simulation::SeededBits bits(repetition + 1);
        ldp::Perturber device(*mechanism);
        std::vector<std::byte> summary(ldp::summary_size(*mechanism));
        for (std::size_t group = 0; group < groups; ++group) {
            ldp::start_summary(*mechanism, summary);
            for (const std::uint64_t& cell : cells)
                static_cast<void>(ldp::accumulate(*mechanism, summary, device.perturb({&cell, 1}, bits)));
            const double off =
                mechanism->estimate(ldp::view_of(*mechanism, summary), {ldp::Quantity::means})[0].value -
                truth;
            point.found[repetition] += off * off * people / groups;
        }
    });
    return point;
}

Panel compare(const char* title, bool worst, const Setup& setup) {
    Panel panel{title, "epsilon", "n times the squared error", {}, {}};
    panel.marks.assign(std::begin(epsilons), std::end(epsilons));
    Progress progress(title, contenders.size() * std::size(epsilons));
    for (const NumberCompetitor& contender : contenders) {
        Curve& curve = panel.curves.emplace_back(Curve{contender.name, {}});
        for (const double epsilon : epsilons) {
            curve.points.push_back(measured(contender, epsilon, worst, setup.repetitions));
            progress.step();
        }
    }
    return panel;
}

}  // namespace

Figure numbers_figure(const Setup& setup) {
    Figure figure{"numbers",
                  {compare("one number, where it is noisiest", true, setup),
                   compare("one number, all over the range", false, setup)}};
    Curve& limit = figure.panels[0].curves.emplace_back(Curve{"the limit", {}});
    for (const double epsilon : epsilons) {
        const double least = least_worst_variance(epsilon, 17);
        limit.points.push_back({epsilon, {least, least}, {}});
    }
    return figure;
}

}  // namespace evaluation
