// Counts of Syn's values, and the time of a round: figures 5-7 and 5-8 of the source thesis.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "../competitors/published_haar.hpp"
#include "../joint/record_files.hpp"
#include "../shared/experiment.hpp"
#include "../shared/parallel.hpp"
#include "core/base/text.hpp"
#include "core/base/unknown.hpp"
#include "core/summary/queries/consistency.hpp"
#include "core/summary/summary.hpp"
#include "released_counts.hpp"
#include "simulation/seeded_random.hpp"
#include "thesis_panels.hpp"

namespace evaluation {

namespace {

using ldp::BitSource;

// Counts of Syn --------------------------------------------------------------------------------------------

/// The mean squared error of 360 shares, and its closed form if there is one.
struct CountError {
    double found, expected = ldp::unknown;
};

using CountRun = std::function<CountError(const People&, double epsilon, BitSource&)>;

double squared_error(const std::vector<double>& shares, const std::vector<double>& truth) {
    double sum = 0;
    for (std::size_t v = 0; v < truth.size(); ++v) sum += std::pow(shares[v] - truth[v], 2);
    return sum / static_cast<double>(truth.size());
}

/// The printed form on the whole record; the last attribute is rounded and counted.
CountError count_printed(const People& people, double epsilon, BitSource& bits) {
    const PrintedHaar form(people.attributes(), epsilon);
    const ldp::HaarTree& tree = form.tree();
    const std::size_t last = people.attributes() - 1, size = people.sizes()[last];
    const auto top = static_cast<double>(size - 1);
    std::vector<double> leaves(tree.size()), coefficients(tree.size()), shares(size), truth(size);
    const double each = 1 / static_cast<double>(people.size());
    const auto step = [top](double number) {
        return static_cast<std::size_t>(std::clamp(std::round((number + 1) / 2 * top), 0.0, top));
    };
    for (std::size_t i = 0; i < people.size(); ++i) {
        std::ranges::fill(leaves, 0);
        std::ranges::copy(people[i], leaves.begin());
        tree.forward(leaves, coefficients);
        form.perturb(coefficients, bits);
        tree.inverse(coefficients, leaves);
        shares[step(leaves[last])] += each;
        truth[step(people[i][last])] += each;
    }
    return {squared_error(shares, truth)};
}

/// The shares of the last attribute by the released program, in one round.
std::vector<double> released_shares(const People& people, double epsilon, BitSource& bits) {
    const ReleasedCounts form(people.attributes(), epsilon);
    const std::size_t last = people.attributes() - 1, size = people.sizes()[last];
    std::vector<double> counts(size);
    for (std::size_t i = 0; i < people.size(); ++i) {
        ReleasedCounts::Device device(bits);
        const auto value =
            static_cast<std::size_t>(std::lround((people[i][last] + 1) / 2 * static_cast<double>(size - 1)));
        form.count(device, device.report(form, people[i], value, bits), counts);
    }
    return form.shares(std::move(counts), static_cast<double>(people.size()));
}

CountError count_released(const People& people, double epsilon, BitSource& bits) {
    const Records records(people);
    return {squared_error(released_shares(people, epsilon, bits),
                          records.table(std::vector{people.attributes() - 1}))};
}

/// A protocol of one attribute on Syn alone.
CountRun count_by(const std::string& name, bool two_layers, const std::string& options,
                  ldp::Consistency method) {
    return [=](const People& people, double epsilon, BitSource& bits) -> CountError {
        const std::size_t last = people.attributes() - 1, size = people.sizes()[last];
        const std::string first =
            two_layers ? ", \"report_epsilon\": " + ldp::shortest(0.4 * epsilon) : std::string();
        Experiment experiment("{\"mechanism\": \"" + name + "\", \"epsilon\": " + ldp::shortest(epsilon) +
                              first + options + ", \"domain\": " + std::to_string(size) + "}");
        const Records records(people);
        for (std::size_t i = 0; i < records.size(); ++i) experiment.count(records[i].subspan(last, 1), bits);
        const std::vector<double> truth = records.table(std::vector{last});
        CountError found{squared_error(
            ldp::consistent(ldp::view_of(experiment.mechanism(), experiment.summary()), method), truth)};
        if (method != ldp::Consistency::none) return found;
        found.expected = 0;
        for (const double share : truth)
            found.expected +=
                experiment.mechanism().n_variance(share) / static_cast<double>(people.size() * size);
        return found;
    };
}

CountError count_constant(const People& people, double, BitSource&) {
    const Records records(people);
    const std::size_t last = people.attributes() - 1, size = people.sizes()[last];
    return {squared_error(std::vector<double>(size, 1 / static_cast<double>(size)),
                          records.table(std::vector{last}))};
}

// Time -----------------------------------------------------------------------------------------------------

/// Seconds of all devices and of the server's answer, for one round of these people, on one thread.
using TimedRun = std::function<void(const People&, BitSource&)>;

void time_printed(const People& people, BitSource& bits) {
    (void)count_printed(people, 1, bits);
}

void time_released(const People& people, BitSource& bits) {
    (void)released_shares(people, 1, bits);
}

TimedRun time_of(const std::string& json, bool record) {
    return [=](const People& people, BitSource& bits) {
        Experiment experiment(json);
        const std::size_t last = people.attributes() - 1;
        if (record) {
            for (std::size_t i = 0; i < people.size(); ++i) experiment.ask(people[i], bits);
            (void)experiment.means();
            return;
        }
        const auto top = static_cast<double>(people.sizes()[last] - 1);
        for (std::size_t i = 0; i < people.size(); ++i) {
            const auto value = static_cast<ldp::Cell>(std::lround((people[i][last] + 1) / 2 * top));
            experiment.count({&value, 1}, bits);
        }
        (void)ldp::estimate(ldp::view_of(experiment.mechanism(), experiment.summary()),
                            {ldp::Quantity::frequencies});
    };
}

}  // namespace

People with_minutes(const People& census, std::size_t people, std::size_t attributes) {
    constexpr std::size_t minutes = 360;
    ldp::simulation::SeededBits bits(361);
    std::vector<double> values;
    for (std::size_t i = 0; i < people; ++i) {
        values.insert(values.end(), census[i].begin(),
                      census[i].begin() + static_cast<std::ptrdiff_t>(attributes - 1));
        values.push_back(2 * static_cast<double>(bits.below(minutes)) / (minutes - 1) - 1);
    }
    std::vector<std::size_t> sizes(census.sizes().begin(),
                                   census.sizes().begin() + static_cast<std::ptrdiff_t>(attributes - 1));
    sizes.push_back(minutes);
    return {census.title() + " with Syn", attributes, std::move(values), std::move(sizes)};
}

void compare_counts(const People& census, std::size_t count, std::size_t repetitions,
                    std::vector<Panel>& panels) {
    using ldp::Consistency;
    const std::pair<const char*, CountRun> methods[] = {
        {"not private: printed", count_printed},
        {"not private: released", count_released},
        {"RAPPOR (l_sue)", count_by("l_sue", true, "", Consistency::none)},
        {"RAPPOR, clipped and rescaled", count_by("l_sue", true, "", Consistency::norm_mul)},
        {"dBitFlipPM, 16 bits", count_by("dbitflip", false, R"(, "bits_per_report": 16)", Consistency::none)},
        {"dBitFlipPM, all bits",
         count_by("dbitflip", false, R"(, "bits_per_report": 360)", Consistency::none)},
        {"dBitFlipPM, all bits, clipped and rescaled",
         count_by("dbitflip", false, R"(, "bits_per_report": 360)", Consistency::norm_mul)},
        {"LOLOHA", count_by("loloha", true, "", Consistency::none)},
        {"ldp, l_osue", count_by("l_osue", true, "", Consistency::none)},
        {"ldp, l_osue, norm_sub", count_by("l_osue", true, "", Consistency::norm_sub)},
        {"the constant answer", count_constant}};
    const std::vector<double> marks{0.5, 1, 2, 4};
    const std::string title = "Syn, " + std::to_string(count) + " people: shares";
    const std::size_t cells = std::size(methods) * marks.size();
    std::vector<std::vector<CountError>> all(cells, std::vector<CountError>(repetitions));
    const People people = with_minutes(census, count, 16);
    Progress progress(title, cells * repetitions);
    in_parallel(cells * repetitions, [&](std::size_t job) {
        ldp::simulation::SeededBits bits(37000000 + 1000000 * (count % 7) + job);
        const std::size_t cell = job % cells;
        all[cell][job / cells] =
            methods[cell / marks.size()].second(people, marks[cell % marks.size()], bits);
        progress.step();
    });
    Panel& panel = panels.emplace_back(
        Panel{title, "epsilon of a memoized response", "mean squared error of a share", {}, marks});
    for (std::size_t m = 0; m < std::size(methods); ++m) {
        Curve& curve = panel.curves.emplace_back(Curve{methods[m].first, {}});
        for (std::size_t e = 0; e < marks.size(); ++e) {
            Point& point = curve.points.emplace_back(Point{marks[e], {}, {}, 0.02});
            for (const CountError& one : all[m * marks.size() + e]) {
                point.found.push_back(one.found);
                if (!std::isnan(one.expected)) point.expected.push_back(one.expected);
            }
        }
    }
}

Panel compare_times(const People& census) {
    constexpr int repetitions = 5;
    const std::string one = R"({"epsilon": 1, "domain": 360, "mechanism": )";
    const std::pair<const char*, TimedRun> methods[] = {
        {"printed", time_printed},
        {"released, with hashing and decoding", time_released},
        {"ldp, sampled", time_of(R"({"mechanism": "sampled", "epsilon": 1, )" + numbers(16) + "}", true)},
        {"RAPPOR (l_sue)", time_of(one + R"("l_sue", "report_epsilon": 0.4})", false)},
        {"dBitFlipPM, 16 bits", time_of(one + R"("dbitflip", "bits_per_report": 16})", false)},
        {"dBitFlipPM, all bits", time_of(one + R"("dbitflip", "bits_per_report": 360})", false)},
        {"LOLOHA", time_of(one + R"("loloha", "report_epsilon": 0.4})", false)}};
    Panel panel{"one round (this machine)", "people", "milliseconds", {}, {}};
    for (const auto& [name, run] : methods) panel.curves.push_back({name, {}});
    for (const std::size_t count : {1000, 10000, 40000}) {
        const People people = with_minutes(census, count, 16);
        panel.marks.push_back(static_cast<double>(count));
        for (std::size_t m = 0; m < std::size(methods); ++m) {
            Point& point = panel.curves[m].points.emplace_back(Point{panel.marks.back(), {}, {}});
            ldp::simulation::SeededBits bits(58);
            for (int r = 0; r < repetitions; ++r) {
                const auto began = std::chrono::steady_clock::now();
                methods[m].second(people, bits);
                point.found.push_back(
                    std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began)
                        .count());
            }
        }
    }
    return panel;
}

}  // namespace evaluation
