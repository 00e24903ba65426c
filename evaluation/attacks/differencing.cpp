// Two counts that differ by one person, and averages of repeated answers and reports.

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "attack_panels.hpp"
#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"

namespace evaluation {

namespace {

using ldp::simulation::SeededBits;

/// A group of people, and the number of groups in a repetition. The attacker queries the count of the whole
/// group and the count without one person, for each person.
constexpr std::size_t group = 25, groups = 40;

/// The share of right guesses if the server adds fresh Laplace noise to each answer and the attacker averages
/// `repeats` differences.
double difference_noisy(const std::vector<bool>& all, double epsilon, std::size_t repeats, SeededBits& bits) {
    double right = 0;
    for (const bool secret : some_of(all, group * groups, bits)) {
        double sum = 0;
        for (std::size_t r = 0; r < repeats; ++r)
            sum += (secret ? 1 : 0) + laplace_noise(1 / epsilon, bits) - laplace_noise(1 / epsilon, bits);
        right += (sum > static_cast<double>(repeats) / 2) == secret ? 1 : 0;
    }
    return right / (group * groups);
}

/// The noise of r differences is the difference of two Gamma numbers of shape k = 2r. One of them exceeds the
/// other by t with probability Σⱼ NB(j; k)·Q(k − j, t): while one process has k events, the other has j.
double noisy_difference_theory(double epsilon, std::size_t repeats) {
    const double k = 2 * static_cast<double>(repeats), t = static_cast<double>(repeats) * epsilon / 2;
    double wrong = 0;
    for (double j = 0; j < k; ++j)
        wrong +=
            std::exp(std::lgamma(k + j) - std::lgamma(k) - std::lgamma(j + 1) - (k + j) * std::numbers::ln2) *
            boost::math::gamma_q(k - j, t);
    return 1 - wrong;
}

/// The same queries on reports of the group, which the server evaluates anew each time.
double difference_reports(const std::vector<bool>& all, double epsilon, std::size_t repeats,
                          SeededBits& bits) {
    double right = 0;
    for (std::size_t g = 0; g < groups; ++g) {
        const std::vector<bool> secrets = some_of(all, group, bits);
        BitReports reports(epsilon);
        for (const bool secret : secrets) reports.add(secret, bits);
        for (std::size_t target = 0; target < group; ++target) {
            double sum = 0;
            for (std::size_t r = 0; r < repeats; ++r)
                sum += reports.count([](std::size_t) { return true; }) -
                       reports.count([=](std::size_t person) { return person != target; });
            right += (sum > static_cast<double>(repeats) / 2) == secrets[target] ? 1 : 0;
        }
    }
    return right / (group * groups);
}

double difference_exact(double, SeededBits&) {
    return 1;  // the difference of exact counts is the secret
}

// Rounds ---------------------------------------------------------------------------------------------------

constexpr double memoized_epsilon = 2, layered_epsilon = 1;

/// The probability that more than half of this many independent bits are right; a tie counts half.
double majority(double chance, std::size_t rounds) {
    const auto n = static_cast<double>(rounds);
    double sum = 0;
    for (std::size_t j = 0; j <= rounds; ++j) {
        const auto right = static_cast<double>(j);
        if (2 * j < rounds) continue;
        const double mass =
            std::exp(std::lgamma(n + 1) - std::lgamma(right + 1) - std::lgamma(n - right + 1) +
                     right * std::log(chance) + (n - right) * std::log1p(-chance));
        sum += 2 * j == rounds ? mass / 2 : mass;
    }
    return sum;
}

enum class Memo { off, on };

/// Each person's value is the same in all rounds. The attacker estimates the person's share of ones from the
/// person's reports alone.
double average_reports(const std::vector<bool>& all, const std::string& spec, Memo memo, std::size_t rounds,
                       SeededBits& bits) {
    const auto mechanism = ldp::make_mechanism(ldp::resolve(spec));
    std::vector<std::byte> public_randomness(mechanism->public_size()),
        permanent(mechanism->permanent_size()), payload(mechanism->payload_size());
    double right = 0;
    const std::vector<bool> secrets = some_of(all, group * groups, bits);
    for (const bool secret : secrets) {
        const ldp::Cell value[] = {secret ? ldp::Cell{1} : ldp::Cell{0}};
        std::vector<std::byte> state(mechanism->state_size());
        mechanism->draw_public(bits, public_randomness);
        for (std::size_t round = 0; round < rounds; ++round) {
            if (memo == Memo::off || round == 0)
                mechanism->permanent_response(value, public_randomness, bits, permanent);
            mechanism->instantaneous_response(public_randomness, permanent, bits, payload);
            if (!mechanism->accumulate(state, payload)) throw std::logic_error("a report was refused");
        }
        const double share = mechanism->estimate({rounds, state}, {ldp::Quantity::frequencies})[1].value;
        constexpr double tie = 1e-9;
        right += std::abs(share - 0.5) < tie ? 0.5 : (share > 0.5) == secret ? 1 : 0;
    }
    return right / static_cast<double>(secrets.size());
}

/// A report in two layers is right if both layers keep the bit or both change it.
double layered_theory(std::size_t rounds) {
    const double permanent = report_is_right(memoized_epsilon), report = report_is_right(layered_epsilon);
    const double kept = (report + permanent - 1) / (2 * permanent - 1);
    const double found = majority(kept, rounds);
    return permanent * found + (1 - permanent) * (1 - found);
}

}  // namespace

void add_differencing(std::vector<Panel>& panels, const std::vector<bool>& secrets, std::size_t repetitions) {
    const char* const rate = "share of right guesses";
    panels.push_back(attack_panel(
        {"differencing: one pair of counts", "epsilon", rate, {}, {0.1, 0.5, 1, 2, 4}},
        {{"exact answers", difference_exact, [](double) { return 1; }},
         {"central noise, epsilon for each answer",
          [&](double epsilon, SeededBits& bits) { return difference_noisy(secrets, epsilon, 1, bits); },
          [](double epsilon) { return noisy_difference_theory(epsilon, 1); }},
         {"counts of ldp reports",
          [&](double epsilon, SeededBits& bits) { return difference_reports(secrets, epsilon, 1, bits); },
          report_is_right}},
        repetitions, 65000000));
    panels.push_back(attack_panel(
        {"differencing: repeated pairs, epsilon 1", "repetitions of the queries", rate, {}, {1, 4, 16, 64}},
        {{"exact answers", difference_exact, [](double) { return 1; }},
         {"central noise, fresh for each answer",
          [&](double repeats, SeededBits& bits) {
              return difference_noisy(secrets, 1, static_cast<std::size_t>(repeats), bits);
          },
          [](double repeats) { return noisy_difference_theory(1, static_cast<std::size_t>(repeats)); }},
         {"central noise, stored with the query",
          [&](double, SeededBits& bits) { return difference_noisy(secrets, 1, 1, bits); },
          [](double) { return noisy_difference_theory(1, 1); }},
         {"counts of ldp reports",
          [&](double repeats, SeededBits& bits) {
              return difference_reports(secrets, 1, static_cast<std::size_t>(repeats), bits);
          },
          [](double) { return report_is_right(1); }}},
        repetitions, 66000000));
}

void add_averaging(std::vector<Panel>& panels, const std::vector<bool>& secrets, std::size_t repetitions) {
    const std::string spec = R"({"domain": 2, "epsilon": )" + ldp::shortest(memoized_epsilon);
    const std::string one = spec + R"(, "mechanism": "grr"})";
    const std::string layers =
        spec + R"(, "mechanism": "l_grr", "report_epsilon": )" + ldp::shortest(layered_epsilon) + "}";
    const auto attack = [&secrets](const std::string& text, Memo memo) {
        return [&secrets, text, memo](double rounds, SeededBits& bits) {
            return average_reports(secrets, text, memo, static_cast<std::size_t>(rounds), bits);
        };
    };
    panels.push_back(attack_panel(
        {"averaging over rounds, epsilon 2 of a response",
         "rounds",
         "share of right guesses",
         {},
         {1, 4, 16, 64, 256}},
        {{"a fresh report in each round", attack(one, Memo::off),
          [](double rounds) {
              return majority(report_is_right(memoized_epsilon), static_cast<std::size_t>(rounds));
          }},
         {"memoized", attack(one, Memo::on), [](double) { return report_is_right(memoized_epsilon); }},
         {"memoized, two layers, epsilon 1 of a report", attack(layers, Memo::on),
          [](double rounds) { return layered_theory(static_cast<std::size_t>(rounds)); }}},
        repetitions, 67000000));
}

}  // namespace evaluation
