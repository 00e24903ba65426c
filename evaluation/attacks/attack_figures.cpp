// The section of attacks, and what its parts share.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "../figures/panels.hpp"
#include "../shared/parallel.hpp"
#include "attack_panels.hpp"
#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"
#include "core/summary/summary.hpp"

namespace evaluation {

Panel attack_panel(Panel panel, const std::vector<Attack>& attacks, std::size_t repetitions,
                   std::uint64_t seed) {
    const std::size_t cells = attacks.size() * panel.marks.size();
    std::vector<std::vector<double>> found(cells, std::vector<double>(repetitions));
    std::vector<double> expected(cells);
    Progress progress(panel.title, cells * repetitions);
    in_parallel(cells * repetitions, [&](std::size_t job) {
        const std::size_t cell = job % cells;
        const Attack& attack = attacks[cell / panel.marks.size()];
        const double x = panel.marks[cell % panel.marks.size()];
        ldp::simulation::SeededBits bits(seed + job);
        found[cell][job / cells] = attack.run(x, bits);
        if (job < cells && attack.theory) expected[cell] = attack.theory(x);
        progress.step();
    });
    for (std::size_t a = 0; a < attacks.size(); ++a) {
        Curve measured{attacks[a].name, {}}, theory{attacks[a].name + ": theory", {}};
        for (std::size_t m = 0; m < panel.marks.size(); ++m) {
            const std::size_t cell = a * panel.marks.size() + m;
            Point point{panel.marks[m], std::move(found[cell]), {}};
            if (attacks[a].theory) {
                point.expected = {expected[cell]};
                theory.points.push_back({panel.marks[m], {expected[cell], expected[cell]}, {}});
            }
            measured.points.push_back(std::move(point));
        }
        panel.curves.push_back(std::move(measured));
        if (attacks[a].theory) panel.curves.push_back(std::move(theory));
    }
    return panel;
}

std::vector<bool> high_earners(const People& employees) {
    std::vector<double> wages;
    for (std::size_t i = 0; i < employees.size(); ++i) wages.push_back(employees[i][0]);
    std::vector<double> sorted = wages;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::ranges::nth_element(sorted, middle);
    std::vector<bool> secrets;
    for (const double wage : wages) secrets.push_back(wage > *middle);
    return secrets;
}

std::vector<bool> some_of(const std::vector<bool>& secrets, std::size_t people,
                          ldp::simulation::SeededBits& bits) {
    std::vector<bool> some;
    for (std::size_t i = 0; i < people; ++i) some.push_back(secrets[bits.below(secrets.size())]);
    return some;
}

double laplace_noise(double scale, ldp::simulation::SeededBits& bits) {
    const double size = -scale * std::log1p(-bits.uniform());
    return bits.uniform() < 0.5 ? size : -size;
}

double normal_probability(double x) {
    return std::erfc(-x / std::numbers::sqrt2) / 2;
}

double report_is_right(double epsilon) {
    return 1 / (1 + std::exp(-epsilon));
}

BitReports::BitReports(double epsilon)
    : mechanism_(ldp::make_mechanism(
          ldp::resolve(R"({"mechanism": "grr", "domain": 2, "epsilon": )" + ldp::shortest(epsilon) + "}"))) {}

void BitReports::add(bool secret, ldp::BitSource& bits) {
    const ldp::Cell value[] = {secret ? ldp::Cell{1} : ldp::Cell{0}};
    const ldp::Report report = mechanism_->perturb(value, bits);
    const ldp::Bytes payload = ldp::Bytes(report).last(mechanism_->payload_size());
    payloads_.emplace_back(payload.begin(), payload.end());
}

double BitReports::count(const std::function<bool(std::size_t)>& in_query) const {
    std::vector<std::byte> state(mechanism_->state_size());
    std::uint64_t reports = 0;
    for (std::size_t i = 0; i < payloads_.size(); ++i) {
        if (!in_query(i)) continue;
        if (!mechanism_->accumulate(state, payloads_[i])) throw std::logic_error("a report was refused");
        ++reports;
    }
    if (reports == 0) return 0;
    return static_cast<double>(reports) *
           mechanism_->estimate({reports, state}, {ldp::Quantity::frequencies})[1].value;
}

Figure attacks_figure(const Setup& setup) {
    Figure figure{"attacks", {}};
    const People people = employees();
    const std::vector<bool> secrets = high_earners(people);
    add_reconstruction(figure.panels, secrets, setup.repetitions);
    add_linkage(figure.panels, people, setup.repetitions);
    add_differencing(figure.panels, secrets, setup.repetitions);
    add_averaging(figure.panels, secrets, setup.repetitions);
    return figure;
}

}  // namespace evaluation
