// Power of the diagnostics. A share of 10,000 reports is wrong in one of these ways.
//   noise    payloads of fair random bits, as of a device that ignores its value.
//   copies   copies of one honest report.
//   chosen   honest reports of any value, selected for supporting one value (frequency oracles).
// An alarm means that the smallest p-value, times the number of tests, is below 0.001.

#include "health.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "core/choice/resolve.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/summary/summary.hpp"
#include "simulation/seeded_random.hpp"

namespace {

using namespace ldp;

constexpr std::size_t reports = 10000, repetitions = 20, honest_repetitions = 300;
constexpr double level = 1e-3;
enum class Wrong { noise, copies, chosen };

Report honest(const Mechanism& m, BitSource& bits) {
    std::vector<Cell> input;
    for (const std::uint64_t cells : m.cells()) input.push_back(bits.below(cells));
    return m.perturb(input, bits);
}

bool supports_first(const Mechanism& m, const FrequencyOracle& oracle, const Report& report) {
    std::vector<std::byte> state(m.state_size());
    return m.accumulate(state, Bytes(report).last(m.payload_size())) && oracle.supports(state)[0] != 0;
}

/// A wrong report; empty if this number of attempts produces none.
std::optional<Report> wrong(const Mechanism& m, Wrong kind, BitSource& bits) {
    const auto* oracle = dynamic_cast<const FrequencyOracle*>(&m);
    for (int attempt = 0; attempt < 10000; ++attempt) {
        Report report = honest(m, bits);
        if (kind == Wrong::copies) return report;
        if (kind == Wrong::chosen) {
            if (oracle == nullptr) return {};
            if (supports_first(m, *oracle, report)) return report;
            continue;
        }
        const auto payload = std::span(report).last(m.payload_size());
        for (std::byte& byte : payload) byte = static_cast<std::byte>(bits.fair(8));
        if (m.valid_payload(payload)) return report;
    }
    return {};
}

/// Whether this number of wrong reports among all raises an alarm.
bool alarm(const Mechanism& m, const std::vector<Report>& wrong, std::size_t count, BitSource& bits) {
    std::vector<std::byte> summary(summary_size(m));
    start_summary(m, summary);
    for (std::size_t i = 0; i < reports; ++i)
        static_cast<void>(accumulate(m, summary, i < count ? wrong[i % wrong.size()] : honest(m, bits)));
    const std::vector<Check> checks = ldp::health(view_of(m, summary));
    return std::ranges::any_of(checks, [&](const Check& check) {
        return check.p_value * static_cast<double>(checks.size()) < level;
    });
}

/// The least share, in per cent, at which all repetitions raise an alarm.
std::string least_seen(const Mechanism& m, Wrong kind) {
    simulation::SeededBits bits(2);
    std::vector<std::vector<Report>> attacks(repetitions);
    for (auto& attack : attacks)
        for (std::size_t i = 0; i < (kind == Wrong::copies ? 1 : reports); ++i) {
            auto report = wrong(m, kind, bits);
            if (!report) return ".";
            attack.push_back(*std::move(report));
        }
    for (const std::size_t per_mille : {5, 10, 20, 50, 100, 200, 500, 1000})
        if (std::ranges::all_of(attacks, [&](const std::vector<Report>& attack) {
                return alarm(m, attack, reports * per_mille / 1000, bits);
            }))
            return (std::ostringstream() << static_cast<double>(per_mille) / 10).str();
    return "-";
}

}  // namespace

void health() {
    const std::string number = "\"min\": -1, \"max\": 1", category = "\"domain\": 64";
    std::string vector = "\"attributes\": [";
    for (int j = 0; j < 8; ++j)
        vector += (j == 0 ? "{\"name\": \"" : ", {\"name\": \"") + std::to_string(j) + "\", " + number + "}";
    vector += "]";
    std::cout << "The least share of " << reports
              << " reports, in per cent, that ldp_health always sees if wrong (- none,\n"
              << ". no such report), and alarms of " << honest_repetitions << " honest sets; epsilon 1\n\n"
              << std::left << std::setw(16) << "" << std::right;
    for (const char* title : {"honest", "noise", "copies", "chosen"}) std::cout << std::setw(9) << title;
    std::cout << std::endl;
    for (const auto& [name, rest] :
         std::vector<std::pair<std::string, std::string>>{{"grr", category},
                                                          {"subset", category},
                                                          {"projective", category},
                                                          {"hadamard", category},
                                                          {"olh", category},
                                                          {"oue", category},
                                                          {"sue", category},
                                                          {"rappor", category},
                                                          {"duchi", number},
                                                          {"hybrid", number},
                                                          {"pdp", number},
                                                          {"piecewise", number},
                                                          {"laplace", number},
                                                          {"square_wave", number},
                                                          {"haar_ordered", number},
                                                          {"sampled", vector},
                                                          {"duchi_vector", vector},
                                                          {"haar", vector},
                                                          {"dbitflip", category}}) {
        const auto m =
            make_mechanism(resolve("{\"mechanism\": \"" + name + "\", \"epsilon\": 1, " + rest + "}"));
        simulation::SeededBits bits(1);
        std::size_t alarms = 0;
        for (std::size_t r = 0; r < honest_repetitions; ++r) alarms += alarm(*m, {}, 0, bits);
        std::cout << std::left << std::setw(16) << name << std::right << std::setw(9) << alarms;
        for (const Wrong kind : {Wrong::noise, Wrong::copies, Wrong::chosen})
            std::cout << std::setw(9) << least_seen(*m, kind) << std::flush;
        std::cout << std::endl;
    }
    std::cout << "\n";
}
