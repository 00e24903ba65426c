// Processor time of each function of a small summary, for every mechanism that has it. It prints the median in microseconds,
// with all rows written, and its ratio to a baseline that is measured in turn: a chain of 10,000 divisions. Functions below
// THRESHOLD microseconds (100 by default) are counted only.
//
//     bench-accessors [THRESHOLD [MECHANISM [FUNCTION]]]
//     bench-accessors digest [MECHANISM [FUNCTION]]
//
// The second form prints a digest of all rows of each function. Two builds with equal digests have equal rows, bit by bit.

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "core/choice/resolve.hpp"
#include "core/math/insecure_bits.hpp"
#include "core/results/row_functions.hpp"
#include "core/summary/summary.hpp"
#include "example_specs.hpp"

namespace {

using namespace ldp;

/// The processor time of this thread, which other programs hardly disturb.
struct Clock {
    using time_point = double;  ///< in microseconds
    static time_point now() {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
    }
};

constexpr int reports = 10000, runs = 25;
constexpr double shares[] = {0.05, 0.25, 0.5, 0.75, 0.95};

struct MeasuredFunction {
    std::string name;
    std::size_t rows;
    double time, baseline;  ///< in microseconds
};

double elapsed(Clock::time_point began) {
    return Clock::now() - began;
}

double median(std::vector<double> times) {
    std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
    return times[times.size() / 2];
}

/// Returns a summary of people whose values are the smaller one of two uniform values.
std::vector<std::byte> summary_of(const Mechanism& mechanism) {
    InsecureBits bits(1);
    const std::vector<std::uint64_t> cells = mechanism.input_cells();
    std::vector<std::byte> summary(summary_size(mechanism));
    start_summary(mechanism, summary);
    std::vector<Cell> input(cells.size());
    for (int i = 0; i < reports; ++i) {
        for (std::size_t j = 0; j < cells.size(); ++j)
            input[j] = std::min(bits.below(cells[j]), bits.below(cells[j]));
        const Report report = mechanism.perturb(input, bits);
        if (accumulate(mechanism, summary, report, Rounds::only(1)) != Outcome::ok) std::abort();
    }
    return summary;
}

void baseline() {
    double sum = 1;
    for (int i = 0; i < 10000; ++i) sum = 3 / (sum + 1);
    asm volatile("" : : "m"(sum) : "memory");
}

/// Adds the bytes of a row to a digest.
void add(std::uint64_t& digest, std::span<const ResultCell> cells) {
    const auto word = [&](std::uint64_t value) {
        digest = (digest ^ value) * 0x9E3779B97F4A7C15, digest ^= digest >> 29;
    };
    for (const ResultCell& cell : cells) {
        word(cell.known ? 1 : 0);
        if (!cell.known) continue;
        word(std::bit_cast<std::uint64_t>(cell.number));
        word(static_cast<std::uint64_t>(cell.whole));
        for (const char byte : cell.text) word(static_cast<unsigned char>(byte));
    }
}

/// The number of rows, and their digest.
struct DigestedRows {
    std::size_t count;
    std::uint64_t digest;
};
/// Returns nothing if the mechanism does not have the function.
std::optional<DigestedRows> rows_of(const RowFunction& function, const Subject& subject, bool digest) try {
    SummaryQuery query = function.defaults;
    query.shares = shares;
    query.low = 0.25;
    const std::unique_ptr<Results> found = function.rows(subject, query);
    DigestedRows all{found->count(), 0};
    for (std::size_t i = 0; i < all.count; ++i) {
        const std::span<const ResultCell> cells = found->row(i);
        asm volatile("" : : "r"(cells.data()) : "memory");
        if (digest) add(all.digest, cells);
    }
    return all;
} catch (const Error&) {
    return {};
}

void measure(const std::string& name, const std::string& spec, bool digest, std::string_view of,
             std::vector<MeasuredFunction>& all) {
    std::unique_ptr<const Mechanism> mechanism;
    try {
        mechanism = make_mechanism(resolve(spec));
    } catch (const Error&) {
        return;  // the mechanism has no such spec
    }
    const std::vector<std::byte> summary = summary_of(*mechanism);
    const Subject subject{.summary = summary};
    for (const RowFunction& function : row_functions()) {
        if (function.needs_groups() || function.name == std::string_view("model") ||
            function.name == std::string_view("synthesize"))
            continue;
        if (!of.empty() && of != function.name) continue;
        const auto rows = rows_of(function, subject, true);
        if (!rows) continue;
        const std::string called = name + " " + function.name;
        if (digest) {
            std::printf("%-36s %8zu %016llx\n", called.c_str(), rows->count,
                        static_cast<unsigned long long>(rows->digest));
            continue;
        }
        std::vector<double> times, baselines;
        const auto start = Clock::now();
        for (int run = 0; run < runs && (run < 5 || elapsed(start) < 1e6); ++run) {
            auto began = Clock::now();
            (void)rows_of(function, subject, false);
            times.push_back(elapsed(began));
            began = Clock::now();
            baseline();
            baselines.push_back(elapsed(began));
        }
        all.push_back({called, rows->count, median(times), median(baselines)});
    }
}

}  // namespace

int main(int argc, char** argv) {
    const bool digest = argc > 1 && argv[1] == std::string_view("digest");
    const double threshold = argc > 1 && !digest ? std::atof(argv[1]) : 100;
    const std::string_view only = argc > 2 ? argv[2] : "", of = argc > 3 ? argv[3] : "";
    std::vector<MeasuredFunction> all;
    for (const MechanismEntry* entry : registry()) {
        const auto named = [&](const std::string& name, const std::string& spec) {
            if (only.empty() || only == name) measure(name, spec, digest, of, all);
        };
        named(entry->name, bench::spec_of(*entry));
        if (entry->shape == Shape::one_ordered)
            named(std::string(entry->name) + " of a number",
                  std::string("{\"mechanism\": \"") + entry->name +
                      "\", \"epsilon\": 1, \"min\": 0, \"max\": 1}");
    }
    if (digest) return 0;
    std::ranges::sort(all, {}, &MeasuredFunction::time);
    std::printf(
        "Functions of a summary of %d reports: medians, and ratios to 10,000 divisions\n%-36s %8s %10s %8s\n",
        reports, "", "rows", "us", "ratio");
    for (const MeasuredFunction& one : all)
        if (one.time >= threshold)
            std::printf("%-36s %8zu %10.1f %8.2f\n", one.name.c_str(), one.rows, one.time,
                        one.time / one.baseline);
    std::printf("%zu functions, %zu of them below %g us\n", all.size(),
                static_cast<std::size_t>(std::ranges::count_if(
                    all, [&](const MeasuredFunction& one) { return one.time < threshold; })),
                threshold);
}
