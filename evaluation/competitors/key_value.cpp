// PCKV (Gu, Li, Cheng, Xiong, Cao 2020) for one key and a padding length of 1: a user has the key and a value on
// [−1,1], or neither. Rebuilt from the paper.
//   PCKV-GRR  a dummy key stands for no key. The key is kept with probability a = (e + 1)/(e + 3), its value rounded to ±1
//             and kept with probability p = e/(e + 1). A changed key has a random value.
//   PCKV-UE   the key's bit is 1 with probability a = 1/2 for users with the key, and b = 2/(e + 3) for the others. A bit
//             of 1 has the value, rounded to ±1 and kept with probability p = e/(e + 1), or a random one.
// The estimate is the quotient of the debiased sum of values and the debiased number of keys.

#include "key_value.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "core/choice/resolve.hpp"
#include "core/math/insecure_bits.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/summary/summary.hpp"

namespace evaluation {

namespace {

constexpr std::size_t people = 5000, repetitions = 400;

/// An answer on [−1,1]: evenly spread about the mean, up to the nearer end of the range.
double answer(double mean, std::mt19937_64& random) {
    const double reach = 1 - std::abs(mean);
    return std::uniform_real_distribution<double>(mean - reach, mean + reach)(random);
}

/// n·MSE against a population, without estimates beyond the range.
template <class Estimate>
double error_of(double mean, Estimate estimate) {
    double sum = 0;
    for (std::size_t i = 0; i < repetitions; ++i) {
        const double found = std::min(1.0, std::max(-1.0, estimate()));
        sum += (found - mean) * (found - mean);
    }
    return sum / repetitions * people;
}

double pckv(bool unary, double epsilon, double rate, double mean, std::mt19937_64& random) {
    const double e = std::exp(epsilon), p = e / (e + 1);
    const double a = unary ? 0.5 : (e + 1) / (e + 3), b = 2 / (e + 3);
    std::uniform_real_distribution<double> uniform;
    return error_of(mean, [&] {
        double keys = 0, sum = 0;
        for (std::size_t i = 0; i < people; ++i) {
            const bool held = uniform(random) < rate;
            if (uniform(random) >= (held ? a : b)) continue;
            const double value = held ? answer(mean, random) : 0;
            const double rounded = uniform(random) < (1 + value) / 2 ? 1 : -1;
            ++keys;
            sum += uniform(random) < (held ? p : 0.5) ? rounded : -rounded;
        }
        return sum / (a * (2 * p - 1)) / ((keys - people * b) / (a - b));
    });
}

double optional(const std::string& rest, double epsilon, double rate, double mean, std::uint64_t seed) {
    const auto mechanism = ldp::make_mechanism(
        ldp::resolve("{\"mechanism\": \"optional_mean\", \"epsilon\": " + std::to_string(epsilon) +
                     ", \"min\": -1, \"max\": 1, \"missing\": true" + rest + "}"));
    std::mt19937_64 random(seed);
    ldp::InsecureBits bits(seed + 1);
    std::uniform_real_distribution<double> uniform;
    const ldp::Cell missing = mechanism->cells()[0] - 1;
    return error_of(mean, [&] {
        std::vector<std::byte> state(mechanism->state_size()), payload(mechanism->payload_size());
        for (std::size_t i = 0; i < people; ++i) {
            ldp::Cell input = missing;
            if (uniform(random) < rate)
                input = static_cast<ldp::Cell>(
                    std::lround((1 + answer(mean, random)) / 2 * static_cast<double>(missing - 1)));
            mechanism->permanent_response({&input, 1}, {}, bits, payload);
            static_cast<void>(mechanism->accumulate(state, payload));
        }
        return mechanism->estimate({people, state}, {ldp::Quantity::means})[0].value;
    });
}

}  // namespace

void print_key_value_tables() {
    constexpr double epsilons[] = {0.5, 1, 2, 4}, means[] = {0, 0.5, 0.9};
    std::uint64_t seed = 92000000;
    for (const double rate : {1.0, 0.5, 0.2}) {
        std::printf(
            "\nResponse rate %g\n\n| mean | \u03b5 | optional_mean | with response_rate | PCKV-GRR | PCKV-UE |\n"
            "|---|---|---:|---:|---:|---:|\n",
            rate);
        for (const double mean : means)
            for (const double epsilon : epsilons) {
                std::mt19937_64 random(seed);
                const std::string declared = ", \"response_rate\": " + std::to_string(rate);
                std::printf(
                    "| %g | %g | %.3g | %.3g | %.3g | %.3g |\n", mean, epsilon,
                    optional("", epsilon, rate, mean, seed), optional(declared, epsilon, rate, mean, seed),
                    pckv(false, epsilon, rate, mean, random), pckv(true, epsilon, rate, mean, random));
                seed += 2;
            }
    }
}

}  // namespace evaluation
