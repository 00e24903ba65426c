// Whether the time to randomize depends on the value. Prints medians for the lowest, the middle and the
// highest value of every attribute, and for random values, of every mechanism. The four cases alternate
// call by call, so that disturbances affect all of them equally. The noise is the difference between two
// halves of the calls for one value.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "core/choice/resolve.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace {

using namespace ldp;
using Clock = std::chrono::steady_clock;

constexpr int calls = 4000, batch = 8;
constexpr std::size_t classes = 4;
constexpr const char* names[classes] = {"lowest", "middle", "highest", "random"};

double median(std::vector<double> times) {
    std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
    return times[times.size() / 2];
}

std::string spec_of(const MechanismEntry& entry) {
    const bool approximate = std::ranges::any_of(
        entry.options, [](const Option& option) { return option.name == std::string_view("delta"); });
    const std::string begin = std::string("{\"mechanism\": \"") + entry.name + "\", \"epsilon\": 1, " +
                              (approximate ? "\"delta\": 1e-9, \"norm\": 1, " : "");
    const auto number = [](int j) {
        return "{\"name\": \"a" + std::to_string(j) + "\", \"min\": -1, \"max\": 1}";
    };
    // Cross tables are of categories.
    if (entry.name == std::string_view("joint") || entry.name == std::string_view("joint_haar")) {
        std::string list;
        for (int j = 0; j < 4; ++j)
            list +=
                (j == 0 ? "{\"name\": \"a" : ", {\"name\": \"a") + std::to_string(j) + "\", \"domain\": 8}";
        return begin + "\"attributes\": [" + list + "]}";
    }
    switch (entry.shape) {
        case Shape::one_numeric:
            return begin + "\"min\": 0, \"max\": 1" +
                   (takes_missing_numbers(entry)    ? ", \"missing\": true}"
                    : takes_circular_numbers(entry) ? ", \"circular\": true}"
                                                    : "}");
        case Shape::one_string:
            return begin +
                   R"("attributes": [{"name": "v", "strings": {"alphabet": "a-z", "max_length": 8}}]})";
        case Shape::one_set:
            return begin + "\"domain\": 64, \"several\": true, \"most\": 4}";
        case Shape::numeric_vector:
        case Shape::record: {
            std::string list;
            for (int j = 0; j < 16; ++j) list += (j == 0 ? "" : ", ") + number(j);
            return begin + "\"attributes\": [" + list + "]}";
        }
        default:
            return begin + "\"domain\": 64}";
    }
}

void measure(const MechanismEntry& entry) {
    const auto m = make_mechanism(resolve(spec_of(entry)));
    const std::vector<std::uint64_t> cells = m->input_cells();
    SystemRandom bits;
    std::vector<Cell> inputs[classes];
    for (const std::uint64_t each : cells) {
        inputs[0].push_back(0);
        inputs[1].push_back(each / 2);
        inputs[2].push_back(each - 1);
    }
    inputs[3].resize(cells.size());
    std::vector<double> times[classes], halves[2];
    for (int call = -calls / 10; call < calls; ++call) {
        for (std::size_t j = 0; j < cells.size(); ++j) inputs[3][j] = bits.below(cells[j]);
        for (std::size_t turn = 0; turn < classes; ++turn) {
            const std::size_t c = (turn + static_cast<std::size_t>(call + calls)) % classes;
            const auto began = Clock::now();
            for (int i = 0; i < batch; ++i) {
                const Report report = m->perturb(inputs[c], bits);
                asm volatile("" : : "r"(report.data()) : "memory");
            }
            const double took =
                std::chrono::duration<double, std::nano>(Clock::now() - began).count() / batch;
            if (call < 0) continue;
            times[c].push_back(took);
            if (c == 0) halves[call / 4 % 2].push_back(took);
        }
    }
    double medians[classes];
    std::printf("%-13s", entry.name);
    for (std::size_t c = 0; c < classes; ++c) std::printf(" %9.1f", medians[c] = median(times[c]));
    const auto [least, most] = std::minmax({medians[0], medians[1], medians[2], medians[3]});
    const double noise = std::abs(median(halves[0]) - median(halves[1]));
    std::printf(" %8.2f %% %8.2f %%\n", 100 * (most - least) / least, 100 * noise / least);
    std::fflush(stdout);
}

}  // namespace

int main() {
    std::printf(
        "Time to make a report, ns: medians of %d times %d calls; spread of the four, and noise\n%-13s",
        calls, batch, "");
    for (const char* name : names) std::printf(" %9s", name);
    std::printf(" %10s %10s\n", "spread", "noise");
    for (const MechanismEntry* entry : registry()) measure(*entry);
}
