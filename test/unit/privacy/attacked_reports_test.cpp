// Attacks on reports that another program made under a spec. Every test is seeded; bounds at a confidence of
// 1 − 10^-9 exceed the true ε in at most one of 10^9 runs with a fresh seed.

#include <cmath>
#include <fstream>
#include <map>

#include "core/mechanism/longitudinal/series.hpp"
#include "core/proof/attack.hpp"
#include "core/proof/explore.hpp"
#include "extreme_inputs.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(attacked_reports)

namespace {

constexpr double sure = 1 - 1e-9;

using Payload = std::vector<std::byte>;

std::size_t drawn_from(const std::vector<double>& weights, BitSource& bits) {
    double sum = 0;
    for (const double each : weights) sum += each;
    double at = std::ldexp(static_cast<double>(bits.word() >> 11), -53) * sum;
    std::size_t i = 0;
    while (i + 1 < weights.size() && at >= weights[i]) at -= weights[i++];
    return i;
}

/// A program whose responses have the probabilities of the mechanism to this power: ε times the power, if the
/// mechanism is symmetric. A high power leaves no noise.
class Program {
  public:
    Program(const Mechanism& mechanism, double power) : m_(mechanism), power_(power) {}

    Payload payload(Input input, BitSource& bits) {
        Payload public_randomness(m_.public_size());
        m_.draw_public(bits, public_randomness);
        return payload(input, public_randomness, bits);
    }
    Payload payload(Input input, Bytes public_randomness, BitSource& bits) {
        const ResponseLaw& law = law_of_input(input, public_randomness);
        Payload permanent = law.responses[drawn_from(law.weights, bits)], payload(m_.payload_size());
        if (power_ <= 1 || m_.report_epsilon() == m_.epsilon())
            m_.instantaneous_response(public_randomness, permanent, bits, payload);
        else  // without the second layer
            std::ranges::copy(permanent, std::ranges::copy(public_randomness, payload.begin()).out);
        return payload;
    }

  private:
    struct ResponseLaw {
        std::vector<Payload> responses;
        std::vector<double> weights;
    };
    const ResponseLaw& law_of_input(Input input, Bytes public_randomness) {
        std::vector<Cell> key = m_.response_key(input, public_randomness);
        for (const std::byte byte : public_randomness) key.push_back(std::to_integer<Cell>(byte));
        const auto [at, fresh] = laws_.try_emplace(std::move(key));
        if (!fresh) return at->second;
        std::uint64_t most = 1 << 16;
        const auto law = law_of(
            m_.permanent_size(),
            [&](BitSource& bits, MutableBytes permanent) {
                m_.permanent_response(input, public_randomness, bits, permanent);
            },
            most);
        double largest = 0;
        for (const auto& [response, p] : law.value()) largest = std::max(largest, static_cast<double>(p));
        for (const auto& [response, p] : *law) {
            at->second.responses.push_back(response);
            at->second.weights.push_back(std::pow(static_cast<double>(p) / largest, power_));
        }
        return at->second;
    }

    const Mechanism& m_;
    double power_;
    std::map<std::vector<Cell>, ResponseLaw> laws_;
};

LowerBound attack_program(const Mechanism& m, double power, std::uint64_t people, std::uint64_t seed,
                          double confidence = sure) {
    const ExtremeInputs inputs(m);
    SeededBits bits(seed);
    Program program(m, power);
    std::vector<Payload> first, second;
    for (std::uint64_t i = 0; i < people; ++i) {
        first.push_back(program.payload(inputs.first, bits));
        second.push_back(program.payload(inputs.second, bits));
    }
    return attack(m, inputs.series, first, second, confidence);
}

/// Small specs with ε = 1, of each kind of report.
std::vector<std::pair<std::string, std::string>> small_specs() {
    const std::string number = R"("min": 0, "max": 1, "grid": 8)";
    return {
        {"grr", R"("domain": 3)"},
        {"oue", R"("domain": 6)"},
        {"olh", R"("domain": 20)"},
        {"subset", R"("domain": 8)"},
        {"projective", R"("domain": 20)"},
        {"loloha", R"("domain": 20, "report_epsilon": 0.5)"},
        {"l_grr", R"("domain": 3, "report_epsilon": 0.5)"},
        {"strings", R"("strings": {"alphabet": "abc", "max_length": 2})"},
        {"dithered", number},
        {"pdp", number},
        {"optimal", number},
        {"sampled",
         R"("per_report": 1, "attributes": [{"name": "a", "domain": 3}, {"name": "b", "min": 0, "max": 1}])"},
    };
}

}  // namespace

BOOST_AUTO_TEST_CASE(payloads_show_the_probability_of_their_response) {
    std::ifstream file("test/data/vectors.txt");
    SeededBits bits(1);
    std::string spec, ignored;
    int compared = 0;
    while (std::getline(file, spec)) {
        for (int line = 1; line < 5; ++line) std::getline(file, ignored);
        const auto m = mechanism(spec);
        BOOST_TEST_CONTEXT(spec) {
            const ExtremeInputs inputs(*m);
            Payload public_randomness(m->public_size()), permanent(m->permanent_size()),
                payload(m->payload_size());
            for (int draw = 0; draw < 4; ++draw) {
                m->draw_public(bits, public_randomness);
                m->permanent_response(inputs.first, public_randomness, bits, permanent);
                m->instantaneous_response(public_randomness, permanent, bits, payload);
                for (const Input input : {inputs.series.first, inputs.series.second}) {
                    const auto shown = m->shown_probability(input, payload);
                    if (!shown) {
                        BOOST_CHECK_GT(rounds_of_series(*m), 0);
                        continue;
                    }
                    if (m->report_epsilon() == m->epsilon()) {
                        BOOST_CHECK(*shown == m->probability(input, public_randomness, permanent));
                        ++compared;
                    }
                }
            }
        }
    }
    BOOST_CHECK_GT(compared, 200);
}

BOOST_AUTO_TEST_CASE(programs_that_spend_three_times_their_claim_are_found) {
    for (const auto& [name, rest] : small_specs()) BOOST_TEST_CONTEXT(name)
    BOOST_CHECK_GT(attack_program(*mechanism(name, 1, rest), 3, 4000, 2).epsilon, 1);
}

BOOST_AUTO_TEST_CASE(programs_without_noise_are_found) {
    for (const auto& [name, rest] : small_specs()) BOOST_TEST_CONTEXT(name) {
            const auto m = mechanism(name, 1, rest);
            BOOST_CHECK_GT(attack_program(*m, 200, 1000, 3).epsilon, m->report_epsilon());
        }
}

// One of 10^9 runs of each mechanism would exceed its ε.
BOOST_AUTO_TEST_CASE(honest_programs_are_not_accused) {
    for (const auto& [name, rest] : small_specs()) BOOST_TEST_CONTEXT(name) {
            const auto m = mechanism(name, 1, rest);
            const LowerBound found = attack_program(*m, 1, 4000, 4);
            BOOST_CHECK_LE(found.epsilon, m->report_epsilon());
            BOOST_CHECK_EQUAL(found.trials, 2000);
        }
}

// The event is chosen from two scores without an effect on the confidence: at most 10 % of the runs exceed ε, here
// with six standard deviations, which is one false alarm of 10^9.
BOOST_AUTO_TEST_CASE(bounds_of_reports_hold_as_often_as_they_say) {
    const auto m = mechanism("grr", 1, R"("domain": 2)");
    int beyond = 0;
    for (std::uint64_t run = 0; run < 500; ++run)
        beyond += attack_program(*m, 1, 200, 1000 + run, 0.9).epsilon > 1 ? 1 : 0;
    BOOST_CHECK_LT(beyond, 50 + 6 * std::sqrt(500 * 0.1 * 0.9));
}

// The responses have the right noise, but the hash function reveals the value.
BOOST_AUTO_TEST_CASE(public_randomness_that_depends_on_the_value_is_found) {
    const auto m = mechanism("olh", 1, R"("domain": 20)");
    const ExtremeInputs inputs(*m);
    SeededBits bits(5);
    Program program(*m, 1);
    std::vector<Payload> first, second;
    Payload seed(m->public_size());
    for (int i = 0; i < 2000; ++i)
        for (const bool high : {false, true}) {
            m->draw_public(bits, seed);
            seed[0] = static_cast<std::byte>(high ? 1 : 0);
            (high ? second : first)
                .push_back(program.payload(high ? inputs.second : inputs.first, seed, bits));
        }
    BOOST_CHECK_GT(attack(*m, inputs.series, first, second, sure).epsilon, 3);
}

// A program that should memoize its response, and draws a fresh one in each round.
BOOST_AUTO_TEST_CASE(fresh_noise_in_place_of_memoized_responses_is_found) {
    const auto m = mechanism("grr", 1, R"("domain": 3)");
    ExtremeInputs inputs(*m);
    inputs.series.rounds = 4;
    SeededBits bits(6);
    Program program(*m, 1);
    for (const bool memoized : {true, false}) {
        std::vector<Payload> first, second;
        for (int i = 0; i < 3000; ++i)
            for (const bool high : {false, true}) {
                std::vector<Payload>& all = high ? second : first;
                for (int round = 0; round < 4; ++round)
                    all.push_back(memoized && round > 0
                                      ? all.back()
                                      : program.payload(high ? inputs.second : inputs.first, bits));
            }
        const LowerBound found = attack(*m, inputs.series, first, second, sure);
        BOOST_CHECK_EQUAL(found.epsilon > inputs.series.promised(*m), !memoized);
    }
}

// A report of a series does not show the response of the series, so that the texts have to do.
BOOST_AUTO_TEST_CASE(reports_of_a_series_are_attacked_by_their_texts) {
    const auto m = mechanism("ddrm", 4, R"("domain": 2, "rounds": 2, "changes": 1)");
    const ExtremeInputs inputs(*m);
    SeededBits bits(7);
    std::vector<Payload> first, second;
    for (int i = 0; i < 20000; ++i)
        for (const bool high : {false, true}) {
            const Report report = m->perturb(high ? inputs.second : inputs.first, bits);
            const Bytes payload = payload_of(Bytes(report), m->block());
            (high ? second : first).emplace_back(payload.begin(), payload.end());
        }
    const LowerBound found = attack(*m, inputs.series, first, second, sure);
    BOOST_CHECK_GT(found.epsilon, 0.5);
    BOOST_CHECK_LE(found.epsilon, 4);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
