// Means of numbers that change a few times: thresholds over rounds beside fresh reports, memoized thresholds
// and the shares of bins, at equal total ε.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "../shared/parallel.hpp"
#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "panels.hpp"
#include "simulation/seeded_random.hpp"

namespace evaluation {

namespace {

constexpr std::size_t participants = 16384, bins = 16, allowed_changes = 2;
constexpr std::uint64_t steps = 32768;
/// The rounds, one drawn from each equal part of all, in which a repetition measures errors.
constexpr std::size_t measured = 8;

enum class NumericMethod {
    thresholds,      ///< threshold_series
    binned,          ///< ddrm on bins of equal width
    once,            ///< a report in one round, with the whole ε
    fresh,           ///< a report in each round, with ε divided by their number
    memoized_signs,  ///< a threshold for each person, and a memoized bit for each side of it, at ε/2
};

struct NumericProtocol {
    const char* name;
    NumericMethod method;
};

constexpr NumericProtocol numeric_protocols[] = {{"threshold_series", NumericMethod::thresholds},
                                                 {"ddrm, 16 bins", NumericMethod::binned},
                                                 {"pdp, in one round only", NumericMethod::once},
                                                 {"pdp, anew in each round", NumericMethod::fresh},
                                                 {"thresholds, memoized", NumericMethod::memoized_signs}};

std::unique_ptr<const ldp::Mechanism> mechanism_of(NumericMethod method, double epsilon,
                                                   std::uint32_t rounds) {
    const std::string series =
        ", \"rounds\": " + std::to_string(rounds) + ", \"changes\": " + std::to_string(allowed_changes);
    const std::string number = ", \"min\": -1, \"max\": 1, \"grid\": " + std::to_string(steps);
    const auto spec = [](const char* name, double each, const std::string& rest) {
        return make_mechanism(ldp::resolve("{\"mechanism\": \"" + std::string(name) +
                                           "\", \"epsilon\": " + ldp::shortest(each) + rest + "}"));
    };
    switch (method) {
        case NumericMethod::thresholds:
            return spec("threshold_series", epsilon, number + series);
        case NumericMethod::binned:
            return spec("ddrm", epsilon, ", \"domain\": " + std::to_string(bins) + series);
        case NumericMethod::once:
            return spec("pdp", epsilon, number);
        case NumericMethod::fresh:
            return spec("pdp", epsilon / rounds, number);
        case NumericMethod::memoized_signs:
            return spec("duchi", epsilon / 2, number);
    }
    return nullptr;
}

/// A person's numbers, in grid steps. They change never, once or twice, with equal probability, in any round,
/// to any other number. Three people of four begin in the lower half.
struct NumericCourse {
    std::array<std::uint64_t, allowed_changes + 1> held;
    std::array<std::uint32_t, allowed_changes> until;

    NumericCourse(std::uint32_t rounds, ldp::BitSource& bits) : until{rounds, rounds} {
        for (std::uint64_t& each : held) each = bits.below(steps + 1);
        if (bits.below(2) == 0) held[0] = bits.below(steps / 2);
        const std::uint64_t changes = bits.below(allowed_changes + 1);
        for (std::uint64_t change = 0; change < changes; ++change)
            until[change] = static_cast<std::uint32_t>(1 + bits.below(rounds - 1));
        std::ranges::sort(until);
    }
    [[nodiscard]] std::uint64_t in(std::uint32_t round) const {
        return held[static_cast<std::size_t>(
            std::ranges::count_if(until, [=](std::uint32_t last) { return last < round; }))];
    }
};

struct MeasuredRound {
    std::uint32_t round;
    std::vector<std::byte> state;
    std::uint64_t reports = 0;
    double sum = 0;

    void count(const ldp::Mechanism& mechanism, ldp::Bytes payload) {
        if (!mechanism.accumulate(state, payload)) throw std::logic_error("a report was refused");
        ++reports;
    }
};

double on_range(std::uint64_t cell) {
    return 2 * static_cast<double>(cell) / steps - 1;
}

struct SquaredErrors {
    double found = 0, predicted = 0;
};

/// The estimate of a mean, and its variance; NaN if no closed form is known.
ldp::Estimate mean_of(NumericMethod method, const ldp::Mechanism& mechanism, const MeasuredRound& counted,
                      std::uint32_t round) {
    const ldp::Counts counts{counted.reports, counted.state};
    if (method == NumericMethod::binned) {
        const auto shares = mechanism.estimate(
            counts, {ldp::Quantity::frequencies, ldp::Target::sample, std::size_t{round} - 1});
        double mean = 0;
        for (std::size_t bin = 0; bin < bins; ++bin)
            mean += shares[bin].value * ((2 * static_cast<double>(bin) + 1) / bins - 1);
        return {mean, ldp::unknown};
    }
    const bool series = method == NumericMethod::thresholds;
    const ldp::Target target = method == NumericMethod::once ? ldp::Target::population : ldp::Target::sample;
    return mechanism.estimate(counts, {ldp::Quantity::means, target})[series ? round - 1 : 0];
}

SquaredErrors run(NumericMethod method, const ldp::Mechanism& mechanism, std::uint32_t rounds,
                  std::uint64_t seed) {
    ldp::simulation::SeededBits bits(seed);
    std::vector<MeasuredRound> looked;
    for (std::uint32_t i = 0; i < measured; ++i) {
        const std::uint32_t part = rounds / measured;
        looked.push_back({1 + i * part + static_cast<std::uint32_t>(bits.below(part)),
                          std::vector<std::byte>(mechanism.state_size())});
    }
    const auto* const series = ldp::find_capability<ldp::SeriesRandomizer>(mechanism);
    std::vector<std::byte> public_randomness(mechanism.public_size()), payload(mechanism.payload_size());
    for (std::size_t person = 0; person < participants; ++person) {
        mechanism.draw_public(bits, public_randomness);
        const NumericCourse course(rounds, bits);
        for (MeasuredRound& each : looked) each.sum += on_range(course.in(each.round));
        if (series != nullptr) {
            ldp::SeriesState state;
            for (std::uint32_t round = 1; round <= rounds; ++round) {
                const std::uint64_t cell = course.in(round);
                const ldp::Cell value = method == NumericMethod::binned
                                            ? std::min(cell * bins / steps, std::uint64_t{bins - 1})
                                            : cell;
                if (series->advance(state, value, public_randomness, bits, payload))
                    looked[0].count(mechanism, payload);
            }
            continue;
        }
        const std::uint64_t threshold = 1 + bits.below(steps);
        std::array<std::vector<std::byte>, 2> memoized;
        for (MeasuredRound& each : looked) {
            if (method == NumericMethod::once && person % rounds != each.round - 1) continue;
            ldp::Cell value[] = {course.in(each.round)};
            std::vector<std::byte> permanent(mechanism.permanent_size());
            if (method == NumericMethod::memoized_signs) {
                const bool above = value[0] >= threshold;
                value[0] = above ? steps : 0;
                std::vector<std::byte>& kept = memoized[above ? 1 : 0];
                if (kept.empty()) {
                    mechanism.permanent_response(value, public_randomness, bits, permanent);
                    kept = permanent;
                }
                permanent = kept;
            } else {
                mechanism.permanent_response(value, public_randomness, bits, permanent);
            }
            mechanism.instantaneous_response(public_randomness, permanent, bits, payload);
            each.count(mechanism, payload);
        }
    }
    SquaredErrors all;
    for (const MeasuredRound& each : looked) {
        const MeasuredRound& counted = series != nullptr ? looked[0] : each;
        const auto n = static_cast<double>(participants);
        const ldp::Estimate mean = mean_of(method, mechanism, counted, each.round);
        all.found += n * std::pow(mean.value - each.sum / n, 2) / measured;
        all.predicted += n * std::pow(mean.standard_error, 2) / measured;
    }
    return all;
}

struct NumericPlace {
    double x, epsilon;
    std::uint32_t rounds;
};

Panel compared(const std::string& title, const std::string& x, const std::vector<NumericPlace>& places,
               std::size_t repetitions) {
    struct NumericTrial {
        const NumericProtocol* protocol;
        const NumericPlace* place;
        std::unique_ptr<const ldp::Mechanism> mechanism;
        std::vector<SquaredErrors> outcomes;
    };
    std::vector<NumericTrial> cells;
    for (const NumericProtocol& protocol : numeric_protocols)
        for (const NumericPlace& place : places)
            if (protocol.method != NumericMethod::fresh || place.epsilon / place.rounds >= ldp::min_epsilon)
                cells.push_back({&protocol, &place,
                                 mechanism_of(protocol.method, place.epsilon, place.rounds),
                                 std::vector<SquaredErrors>(repetitions)});
    Progress progress(title, cells.size() * repetitions);
    in_parallel(cells.size() * repetitions, [&](std::size_t job) {
        NumericTrial& cell = cells[job % cells.size()];
        cell.outcomes[job / cells.size()] =
            run(cell.protocol->method, *cell.mechanism, cell.place->rounds, 50000000 + job);
        progress.step();
    });
    Panel panel{title, x, "n times the squared error of a mean on [-1, 1]", {}, {}};
    for (const NumericPlace& place : places) panel.marks.push_back(place.x);
    for (const NumericProtocol& protocol : numeric_protocols) panel.curves.push_back({protocol.name, {}});
    for (const NumericTrial& cell : cells) {
        // The closed form of a series omits the correlation of one person's bits. That of reports in one
        // round omits that the people of a round are drawn without replacement.
        const NumericMethod method = cell.protocol->method;
        const double left_out = method == NumericMethod::thresholds ? 0.1
                                : method == NumericMethod::once     ? 0.05
                                                                    : 0.02;
        Point point{cell.place->x, {}, {}, left_out};
        for (const SquaredErrors& outcome : cell.outcomes) {
            point.found.push_back(outcome.found);
            if (!std::isnan(outcome.predicted)) point.expected.push_back(outcome.predicted);
        }
        panel.curves[static_cast<std::size_t>(cell.protocol - numeric_protocols)].points.push_back(
            std::move(point));
    }
    return panel;
}

}  // namespace

Figure number_series_figure(const Setup& setup) {
    Figure figure{"number_series", {}};
    std::vector<NumericPlace> places;
    for (const double epsilon : epsilons) places.push_back({epsilon, epsilon, 128});
    figure.panels.push_back(
        compared("means, few changes, 128 rounds", "epsilon of the series", places, 3 * setup.repetitions));
    places.clear();
    for (const std::uint32_t rounds : {16, 64, 256, 1024})
        places.push_back({static_cast<double>(rounds), 3, rounds});
    figure.panels.push_back(
        compared("means, few changes, epsilon 3 in all", "rounds", places, 3 * setup.repetitions));
    return figure;
}

}  // namespace evaluation
