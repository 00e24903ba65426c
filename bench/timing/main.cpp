// Whether the time to randomize depends on the value. Prints medians for the lowest, the middle and the
// highest value of every attribute, and for random values, of every mechanism. The four cases alternate
// call by call, so that disturbances affect all of them equally. The noise is the difference between two
// halves of the calls for one value.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "core/choice/resolve.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/role/registry.hpp"
#include "example_specs.hpp"

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

void measure(const MechanismEntry& entry) {
    const auto m = make_mechanism(resolve(bench::spec_of(entry)));
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
