// People with a number in each round, their reports to a threshold series, and the truth.
#pragma once

#include <cmath>

#include "core/mechanism/longitudinal/series.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/queries/series_queries.hpp"
#include "support.hpp"

namespace ldp::test {

using NumberCells = std::vector<Cell>;

inline std::string threshold_settings(std::size_t grid, std::size_t thresholds, std::size_t rounds,
                                      std::size_t changes,
                                      const std::string& range = R"("min": 0, "max": 1)") {
    return range + ", \"grid\": " + std::to_string(grid) + ", \"thresholds\": " + std::to_string(thresholds) +
           ", \"rounds\": " + std::to_string(rounds) + ", \"changes\": " + std::to_string(changes);
}

/// The reports of these people, as their clients send them, from the round in which each of them joins.
inline OwnedSummary reported_series(const Mechanism& m, const std::vector<NumberCells>& people,
                                    BitSource& bits) {
    OwnedSummary summary(m);
    Report report(m.block().begin(), m.block().end());
    report.resize(report.size() + m.payload_size());
    std::vector<std::byte> public_randomness(m.public_size());
    for (const NumberCells& series : people) {
        m.draw_public(bits, public_randomness);
        SeriesState state;
        for (const Cell value : series)
            if (capability<SeriesRandomizer>(m).advance(state, value, public_randomness, bits,
                                                        MutableBytes(report).subspan(m.block().size())))
                summary.add(report);
    }
    return summary;
}

inline double mean_number(const std::vector<NumberCells>& people, std::size_t round, std::size_t grid) {
    double sum = 0;
    for (const NumberCells& series : people)
        sum += static_cast<double>(series[round]) / static_cast<double>(grid);
    return sum / static_cast<double>(people.size());
}

/// The shares of the ends of the parts, if numbers are rounded to them at random.
inline std::vector<double> rounded_shares(const std::vector<NumberCells>& people, std::size_t round,
                                          std::size_t grid, std::size_t parts) {
    std::vector<double> shares(parts + 1);
    for (const NumberCells& series : people) {
        const double at =
            static_cast<double>(series[round]) * static_cast<double>(parts) / static_cast<double>(grid);
        const auto low = std::min(static_cast<std::size_t>(at), parts - 1);
        shares[low + 1] += (at - static_cast<double>(low)) / static_cast<double>(people.size());
        shares[low] += (1 - at + static_cast<double>(low)) / static_cast<double>(people.size());
    }
    return shares;
}

/// The mean of rounds, less that of the baseline rounds.
inline RoundEstimate mean_over(const OwnedSummary& summary, const std::vector<std::int64_t>& rounds,
                               const std::vector<std::int64_t>& baseline = {},
                               Target target = Target::sample) {
    return mean_of_rounds(summary.view(), rounds, baseline, target)[0];
}

}  // namespace ldp::test
