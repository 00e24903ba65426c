// Effect of forged reports: the largest shift by mechanism, the number of copies of one report that is
// significant, the number that ldp_health detects, and the shift of shares after consistency.
//
// The last column is the shift by one report in a hundred. It is given for the share of a value that no
// client holds, and for all shares together, by method. Every line is one attack.
//   alone    Supports the value and, if a payload allows it, no other.
//   crowd    Supports the value and, if a payload allows it, all others.
//   mimic    Honest reports of other values, selected for supporting the value.
// Differences are relative to the same honest reports without the forged ones.

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "core/choice/resolve.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/summary/queries/consistency.hpp"
#include "core/summary/summary.hpp"
#include "health.hpp"
#include "simulation/seeded_random.hpp"

namespace {

using namespace ldp;

constexpr std::size_t values = 64, people = 50000, forgers = 500, repetitions = 20;
constexpr const char* methods[] = {"none",    "base_cut", "norm", "norm_mul",  "norm_cut",       "norm_sub",
                                   "mle_apx", "power",    "ibu",  "ibu_early", "empirical_bayes"};

/// A report's payload, and how many values it supports.
struct Drawn {
    Report report;
    std::size_t supported;
};

Drawn supporting(const Mechanism& m, const FrequencyOracle& oracle, std::size_t target, BitSource& bits) {
    for (;;) {
        const std::vector<Cell> input{bits.below(values)};
        const Report report = m.perturb(input, bits);
        std::vector<std::byte> state(m.state_size());
        if (!m.accumulate(state, Bytes(report).last(m.payload_size()))) continue;
        const auto supports = oracle.supports(state);
        if (supports[target] == 0) continue;
        return {report,
                static_cast<std::size_t>(std::ranges::count_if(supports, [](auto s) { return s != 0; }))};
    }
}

/// Of many that support the value, the one that supports fewest, or most, others; of unary reports the one
/// that could not be more extreme.
Report extreme(const Mechanism& m, const FrequencyOracle& oracle, std::size_t target, bool crowd,
               BitSource& bits) {
    Drawn best = supporting(m, oracle, target, bits);
    for (int i = 0; i < 1000; ++i) {
        Drawn other = supporting(m, oracle, target, bits);
        if (crowd ? other.supported > best.supported : other.supported < best.supported)
            best = std::move(other);
    }
    if (m.payload_size() != values / 8) return best.report;
    Report whole = best.report;
    for (std::size_t v = 0; v < values; ++v) {
        std::byte& byte = whole[whole.size() - m.payload_size() + v / 8];
        const auto mask = static_cast<std::byte>(1u << v % 8);
        byte = crowd || v == target ? byte | mask : byte & ~mask;
    }
    return m.valid_payload(Bytes(whole).last(m.payload_size())) ? whole : best.report;
}

/// How far a share of all is moved at most, on a share or on a number from -1 to 1.
double bias(const Mechanism& m, double share) {
    const auto [down, up] = m.promised_bias(0, share);
    return std::max(-down, up);
}

/// Number of copies of one report among `reports` at which its probability is below one in a million.
std::uint64_t telling(const Mechanism& m, std::uint64_t reports, BitSource& bits) {
    double max_probability = 0;
    for (int i = 0; i < 500; ++i) {
        std::vector<Cell> input;
        for (const std::uint64_t cells : m.cells()) input.push_back(bits.below(cells));
        max_probability = std::max(max_probability,
                                   m.max_probability(Bytes(m.perturb(input, bits)).last(m.payload_size())));
    }
    std::uint64_t least = 1, most = reports + 1;
    while (most - least > 1) {
        const std::uint64_t copies = (least + most) / 2;
        (chance_of_copies(max_probability, copies, reports) < 1e-6 ? most : least) = copies;
    }
    return most;
}

void bounds() {
    const std::string number = "\"min\": -1, \"max\": 1", category = "\"domain\": 64",
                      graded = category + ", \"max_distance\": 3";
    std::string vector = "\"attributes\": [";
    for (int j = 0; j < 8; ++j)
        vector += (j == 0 ? "{\"name\": \"" : ", {\"name\": \"") + std::to_string(j) + "\", " + number + "}";
    vector += "]";
    std::cout
        << "How far one forged report in a hundred moves a share (of 64), or a mean on -1 to 1, at most;\n"
        << "and significant copies of one report in 10,000 (probability below one in a million)\n\n"
        << std::left << std::setw(16) << "" << std::right;
    for (const char* epsilon : {"0.5", "1", "2", "4"})
        std::cout << std::setw(9) << epsilon << std::setw(8) << "copies";
    std::cout << "\n";
    for (const auto& [name, rest] : std::vector<std::pair<std::string, std::string>>{
             {"grr", category},       {"subset", category},      {"projective", category},
             {"hadamard", category},  {"olh", category},         {"oue", category},
             {"sue", category},       {"rappor", category},      {"duchi", number},
             {"hybrid", number},      {"pdp", number},           {"piecewise", number},
             {"optimal", number},     {"tree", number},          {"laplace", number},
             {"square_wave", number}, {"haar_ordered", number},  {"haar_ordered", category},
             {"sampled", vector},     {"duchi_vector", vector},  {"haar", vector},
             {"loloha", category},    {"l_grr", category},       {"l_osue", category},
             {"dbitflip", category},  {"ddrm", "\"domain\": 4"}, {"exponential", graded}}) {
        std::cout << std::left << std::setw(16)
                  << (rest == category && name == "haar_ordered" ? "  of categories" : name) << std::right;
        for (const char* epsilon : {"0.5", "1", "2", "4"}) {
            const auto m = make_mechanism(
                resolve("{\"mechanism\": \"" + name + "\", \"epsilon\": " + epsilon + ", " + rest + "}"));
            simulation::SeededBits bits(1);
            const std::uint64_t copies = telling(*m, 10000, bits);
            std::cout << std::setw(9) << std::setprecision(3) << bias(*m, 0.01) << std::setw(8)
                      << (copies > 10000 ? "-" : std::to_string(copies));
        }
        std::cout << "\n";
    }
    std::cout << "\n";
}

void consistency() {
    // Shares after Zipf; the last value is nobody's.
    std::vector<double> below;
    double sum = 0;
    for (std::size_t v = 0; v + 1 < values; ++v) below.push_back(sum += 1 / static_cast<double>(v + 1));
    std::cout << "How far " << forgers << " forged reports beside " << people
              << " move the share of a value that nobody\n"
              << "holds / half the sum of what they move all shares by; in per cent. " << values
              << " values, epsilon 1.\n\n"
              << std::left << std::setw(20) << "";
    for (const char* method : methods) std::cout << std::setw(14) << method;
    std::cout << "\n" << std::fixed << std::setprecision(2);
    for (const char* name : {"grr", "subset", "projective", "olh", "oue"}) {
        const auto m =
            make_mechanism(resolve(std::string("{\"mechanism\": \"") + name +
                                   "\", \"epsilon\": 1, \"domain\": " + std::to_string(values) + "}"));
        const auto& oracle = capability<FrequencyOracle>(*m);
        for (const char* attack : {"alone", "crowd", "mimic"}) {
            double target[std::size(methods)] = {}, all[std::size(methods)] = {};
            for (std::size_t r = 0; r < repetitions; ++r) {
                simulation::SeededBits bits(r + 1);
                std::vector<std::byte> honest(summary_size(*m));
                start_summary(*m, honest);
                for (std::size_t i = 0; i < people; ++i) {
                    const double at = sum * static_cast<double>(bits.word() >> 11) * 0x1p-53;
                    const std::vector<Cell> input{
                        static_cast<Cell>(std::ranges::upper_bound(below, at) - below.begin())};
                    static_cast<void>(accumulate(*m, honest, m->perturb(input, bits)));
                }
                std::vector<std::byte> forged = honest;
                Report report = extreme(*m, oracle, values - 1, attack[0] == 'c', bits);
                for (std::size_t i = 0; i < forgers; ++i) {
                    if (attack[0] == 'm') report = supporting(*m, oracle, values - 1, bits).report;
                    static_cast<void>(accumulate(*m, forged, report));
                }
                for (std::size_t i = 0; i < std::size(methods); ++i) {
                    const Consistency method = consistency_named(methods[i]);
                    const auto before = consistent(view_of(*m, honest), method),
                               after = consistent(view_of(*m, forged), method);
                    target[i] += 100 * (after.back() - before.back()) / repetitions;
                    for (std::size_t v = 0; v < values; ++v)
                        all[i] += 50 * std::abs(after[v] - before[v]) / repetitions;
                }
            }
            std::cout << std::setw(12) << name << std::setw(8) << attack;
            for (std::size_t i = 0; i < std::size(methods); ++i) {
                std::ostringstream cell;
                cell << std::fixed << std::setprecision(1) << target[i] << " / " << all[i];
                std::cout << std::setw(14) << cell.str();
            }
            std::cout << std::endl;
        }
    }
}

}  // namespace

int main() {
    bounds();
    health();
    consistency();
}
