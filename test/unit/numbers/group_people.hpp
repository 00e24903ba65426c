// Means by a private group: specs, people whose means are known, and the coverage of intervals.
#pragma once

#include <array>
#include <cmath>
#include <random>

#include "core/base/square.hpp"
#include "core/mechanism/mean/means_by_group.hpp"
#include "core/regression/means_of_groups.hpp"
#include "support.hpp"

namespace ldp::test {

inline constexpr double usual = 1.959963984540054;

inline std::string spec_of(double epsilon, std::size_t groups, const std::string& rest) {
    return R"({"mechanism": "means_by_group", "epsilon": )" + text(epsilon) +
           R"(, "attributes": [{"name": "age", "domain": )" + std::to_string(groups) +
           R"(}, {"name": "years", "min": 0, "max": 20)" + rest;
}

inline std::unique_ptr<const Mechanism> by_group(double epsilon, std::size_t groups, bool missing = false,
                                                 std::uint64_t grid = 20) {
    return mechanism(spec_of(epsilon, groups,
                             (missing ? R"(, "missing": true)" : "") + std::string(R"(}], "grid": )") +
                                 std::to_string(grid) + "}"));
}

/// The same in two layers. `rest` are further keys.
inline std::unique_ptr<const Mechanism> in_layers(double epsilon, double report_epsilon, std::size_t groups,
                                                  bool missing, std::uint64_t grid,
                                                  const std::string& rest = {}) {
    return mechanism(spec_of(epsilon, groups,
                             (missing ? R"(, "missing": true)" : "") + std::string(R"(}], "grid": )") +
                                 std::to_string(grid) + R"(, "report_epsilon": )" + text(report_epsilon) +
                                 rest + "}"));
}

inline const MeansByGroup& reporter(const Mechanism& m) {
    return capability<MeansByGroup>(m);
}

/// Every payload of a mechanism with few groups, the first attribute.
inline std::vector<std::vector<std::byte>> payloads_of(const Mechanism& m) {
    const auto codes = static_cast<std::byte>(2 * m.cells()[0]);
    std::vector<std::vector<std::byte>> all;
    std::vector<std::byte> payload(m.payload_size());
    for (std::size_t at = 0; at < payload.size();) {
        if (at == 0 && m.valid_payload(payload)) all.push_back(payload);
        const auto next = static_cast<std::byte>(std::to_integer<unsigned>(payload[at]) + 1);
        const bool carries = next == (at == 0 ? std::byte{4} : codes);
        payload[at] = carries ? std::byte{0} : next;
        at = carries ? at + 1 : 0;
    }
    return all;
}

/// The state of one report.
inline std::vector<std::byte> state_of(const Mechanism& m, Bytes payload) {
    std::vector<std::byte> state(m.state_size());
    BOOST_REQUIRE(m.accumulate(state, payload));
    BOOST_REQUIRE(m.valid_state({1, state}));
    return state;
}

/// Five groups of people whose numbers have these means and deviations, clamped to whole numbers from 0 to 20.
class People {
  public:
    explicit People(std::uint64_t seed) : random_(seed) {
        std::normal_distribution<double> normal;
        for (std::size_t group = 0; group < means.size(); ++group)
            for (int number = 0; number <= 20; ++number) {
                const double deviation = deviations[group];
                const auto below = [&](double x) {
                    return std::erfc((means[group] - x) / deviation / std::sqrt(2)) / 2;
                };
                const double share =
                    (number == 20 ? 1 : below(number + 0.5)) - (number == 0 ? 0 : below(number - 0.5));
                shares_[group].push_back(share);
                truths_[group] += share * number;
            }
    }

    [[nodiscard]] std::vector<Cell> draw() {
        const std::size_t group = groups_(random_);
        std::discrete_distribution<Cell> number(shares_[group].begin(), shares_[group].end());
        return {group, number(random_)};
    }
    [[nodiscard]] double truth(std::size_t group) const { return truths_[group]; }
    static constexpr std::size_t groups = 5;
    static constexpr std::array<double, groups> shares_of_groups{0.3, 0.2, 0.15, 0.15, 0.2};

  private:
    static constexpr std::array<double, groups> means{9, 12, 13.5, 13, 11}, deviations{2, 3, 3, 4, 4};
    std::mt19937_64 random_;
    std::discrete_distribution<std::size_t> groups_{shares_of_groups.begin(), shares_of_groups.end()};
    std::array<std::vector<double>, groups> shares_;
    std::array<double, groups> truths_{};
};

struct MeanCoverage {
    double covered = 0, all = 0, squares = 0, errors = 0, known = 0;

    void add(const Coefficient& found, double truth) {
        ++all;
        covered += found.interval.lower <= truth && truth <= found.interval.upper;
        if (std::isnan(found.estimate.standard_error)) return;
        ++known;
        squares += square(found.estimate.value - truth);
        errors += square(found.estimate.standard_error);
    }
    [[nodiscard]] double rate() const { return covered / all; }
    [[nodiscard]] double error_ratio() const { return std::sqrt(squares / errors); }
};

struct Simulated {
    MeanCoverage means, differences;

    void add(const MeansOfGroups& found, const People& people) {
        for (std::size_t group = 0; group < People::groups; ++group) {
            means.add(found.means[group], people.truth(group));
            if (group > 0) differences.add(found.differences[group], people.truth(group) - people.truth(0));
        }
    }
};

}  // namespace ldp::test
