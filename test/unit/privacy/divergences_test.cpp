// Divergences between the reports of two inputs: against enumerations of the stated probabilities, against closed forms, and
// against their bounds, for every mechanism.

#include <cmath>
#include <map>

#include "accounting/divergences.hpp"
#include "core/base/error.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/proof/explore.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(divergences_of_reports)

namespace {

using Law = std::map<std::vector<std::byte>, long double>;

/// The law of the public randomness and a response on each input, from the stated probabilities. The sampler only lists the
/// possible outcomes.
std::vector<Law> stated_laws(const Mechanism& m, ResponseKind response) {
    std::vector<Law> laws;
    std::uint64_t most = 1 << 20;
    const auto law = [&](std::size_t size, auto&& draw) { return law_of(size, draw, most).value(); };
    const Outcomes people =
        law(m.public_size(), [&](BitSource& bits, MutableBytes drawn) { m.draw_public(bits, drawn); });
    const bool layered = response == ResponseKind::report && m.report_epsilon() < m.epsilon();
    for_each_input(m, [&](Input input) {
        Law& one = laws.emplace_back();
        for (const auto& draw : people) {
            const std::vector<std::byte>& person = draw.first;
            const auto chance = static_cast<long double>(draw.second);
            const auto key = [&](const std::vector<std::byte>& sent) {
                std::vector<std::byte> all = person;
                all.insert(all.end(), sent.begin(), sent.end());
                return all;
            };
            for (const auto& response_draw : law(m.permanent_size(), [&](BitSource&bits, MutableBytes drawn) {
                     m.permanent_response(input, person, bits, drawn);
                 })) {
                const std::vector<std::byte>& permanent = response_draw.first;
                const long double p =
                    chance * static_cast<long double>(m.probability(input, person, permanent));
                if (!layered) {
                    one[key(permanent)] += p;
                    continue;
                }
                for (const auto& [payload, never] :
                     law(m.payload_size(), [&](BitSource&bits, MutableBytes drawn) {
                         m.instantaneous_response(person, permanent, bits, drawn);
                     }))
                    one[key(payload)] +=
                        p * static_cast<long double>(m.instantaneous_probability(person, permanent, payload));
            }
        }
    });
    return laws;
}

/// The divergence of two laws, by its definition.
long double divergence_of(const Law& first, const Law& second, Divergence divergence, long double parameter) {
    std::map<std::vector<std::byte>, std::pair<long double, long double>> both;
    for (const auto& [output, p] : first) both[output].first = p;
    for (const auto& [output, q] : second) both[output].second = q;
    const auto sum = [&](auto&& term) {
        long double all = 0;
        for (const auto& [output, pair] : both) all += term(pair.first, pair.second);
        return all;
    };
    switch (divergence) {
        case Divergence::total_variation:
            return sum([](long double p, long double q) { return std::max(0.0L, p - q); });
        case Divergence::kullback_leibler:
            return sum([](long double p, long double q) { return p == 0 ? 0 : p * std::log(p / q); });
        case Divergence::jeffreys:
            return sum([](long double p, long double q) { return (p - q) * std::log(p / q); });
        case Divergence::chi_squared:
            return sum([](long double p, long double q) { return p * p / q; }) - 1;
        case Divergence::squared_hellinger:
            return 1 - sum([](long double p, long double q) { return std::sqrt(p * q); });
        case Divergence::renyi:
            if (std::isinf(parameter)) {
                long double most = 0;
                for (const auto& [output, pair] : both)
                    most = std::max(most, std::log(pair.first / pair.second));
                return most;
            }
            return std::log(sum([&](long double p, long double q) {
                       return std::pow(p, parameter) * std::pow(q, 1 - parameter);
                   })) /
                   (parameter - 1);
        case Divergence::hockey_stick:
            return sum([&](long double p, long double q) { return std::max(0.0L, p - parameter * q); });
        case Divergence::contraction: {
            long double most = 0;
            for (int step = 1; step < 24; ++step) {
                const long double b = step / 24.0L;
                most = std::max(most, b * (1 - b) * sum([&](long double p, long double q) {
                                          return (p - q) * (p - q) / (b * p + (1 - b) * q);
                                      }));
            }
            return most;
        }
    }
    return 0;
}

void check_divergences(const Mechanism& m, ResponseKind response) {
    const std::vector<Law> laws = stated_laws(m, response);
    const std::vector<DivergenceValue> found = divergences(m, response);
    BOOST_REQUIRE_EQUAL(found.size(), 13);
    std::size_t bounded = 0;
    for (const DivergenceValue& one : found)
        BOOST_TEST_CONTEXT(name(one.divergence) << " " << one.parameter) {
            long double largest = 0;
            for (const Law& first : laws)
                for (const Law& second : laws)
                    if (&first != &second)
                        largest =
                            std::max(largest, divergence_of(first, second, one.divergence, one.parameter));
            const auto expected = static_cast<double>(largest);
            const double rounding = one.divergence == Divergence::contraction ? 5e-3 : 1e-9;
            if (std::isinf(expected))
                BOOST_CHECK_EQUAL(one.value, expected);
            else
                BOOST_CHECK_SMALL(one.value - expected, rounding * (expected + 1e-3));
            BOOST_CHECK(one.exact);
            BOOST_CHECK_LE(one.value, one.bound);
            if (!std::isnan(one.general_bound)) {
                BOOST_CHECK_LE(one.value, one.general_bound);
                BOOST_CHECK_LE(one.bound, one.general_bound * (1 + 1e-12));
                ++bounded;
            }
            // The pair of inputs has this divergence.
            std::vector<std::vector<Cell>> inputs;
            for_each_input(m, [&](Input input) { inputs.emplace_back(input.begin(), input.end()); });
            const auto law_at = [&](const std::vector<Cell>& input) {
                return laws[static_cast<std::size_t>(std::ranges::find(inputs, input) - inputs.begin())];
            };
            if (laws.size() > 1 && !std::isinf(expected))
                BOOST_CHECK_SMALL(
                    one.value - static_cast<double>(divergence_of(law_at(one.one), law_at(one.other),
                                                                  one.divergence, one.parameter)),
                    rounding * (expected + 1e-3));
        }
    BOOST_CHECK_EQUAL(bounded, m.delta() == 0 ? 5 : 0);
}

/// Specs of all mechanisms that are small enough. None where hash functions are too many, and of haar_ranges, whose smallest
/// spec has too many outcomes: large_specs_are_refused.
const std::map<std::string, std::vector<std::string>>& small_specs() {
    static const std::string number = R"("min": 0, "max": 1, "grid": 4)", two = unit_attributes(2),
                             three = unit_attributes(3) + R"(, "grid": 2)",
                             layers = R"(, "report_epsilon": 0.2)";
    static const std::map<std::string, std::vector<std::string>> specs{
        {"grr", {R"("domain": 2)", R"("domain": 7)"}},
        {"oue", {R"("domain": 4)"}},
        {"piecewise", {number}},
        {"pdp", {number}},
        {"haar", {three + R"(, "randomizer": "duchi")" + layers}},
        {"sue", {R"("domain": 4)"}},
        {"subset", {R"("domain": 5)"}},
        {"blh", {}},
        {"olh", {}},
        {"hadamard", {R"("domain": 5)"}},
        {"projective", {R"("domain": 5)"}},
        {"rappor", {R"("domain": 2, "filter_bits": 8, "hashes": 1, "cohorts": 1)"}},
        {"laplace", {R"("min": 0, "max": 1, "grid": 2)"}},
        {"duchi", {number}},
        {"onebit", {number + layers}},
        {"hybrid", {number}},
        {"square_wave", {number}},
        {"sampled", {R"("attributes": [{"name": "a", "domain": 3, "mechanism": "grr"},
             {"name": "b", "domain": 4, "mechanism": "oue"}])"}},
        {"duchi_vector", {two + R"(, "grid": 3)"}},
        {"haar_ordered", {R"("domain": 5)"}},
        {"haar_ranges", {}},
        {"l_grr", {R"("domain": 4)" + layers}},
        {"l_sue", {R"("domain": 3)" + layers}},
        {"l_osue", {R"("domain": 3)" + layers}},
        {"loloha", {}},
        {"dbitflip", {R"("domain": 6, "buckets": 4, "bits_per_report": 2)"}},
        {"ddrm", {R"("domain": 2, "rounds": 3, "changes": 1)"}},
        {"optimal", {number, number + layers}},
        {"exponential", {R"("domain": 5)"}},
        {"tree", {R"("domain": 5)"}},
        {"joint", {R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 3}])"}},
        {"gaussian", {two + R"(, "grid": 2, "delta": 1e-3)"}},
        {"ball", {}},
        {"joint_haar", {R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 3}])"}},
        {"strings",
         {R"("strings": {"alphabet": "a", "max_length": 3}, "first_level_length": 1, "level_step": 1, "cohorts": 2)"}},
        {"threshold_series",
         {R"("min": -1, "max": 1, "grid": 2, "thresholds": 2, "rounds": 2, "changes": 1)"}},
        {"dithered", {R"("domain": 7, "buckets": 3)"}},
        {"optional_mean", {R"("min": 0, "max": 1, "grid": 4, "missing": true)"}},
        {"label_sets", {R"("domain": 4, "several": true, "most": 2, "response": "subset")"}},
        {"means_by_group",
         {R"("attributes": [{"name": "g", "domain": 3}, {"name": "x", "min": 0, "max": 1}], "grid": 3)",
          R"("attributes": [{"name": "g", "domain": 2}, {"name": "x", "min": 0, "max": 1}], "grid": 3)" +
              layers}},
        {"ring", {R"("min": 0, "max": 24, "circular": true, "grid": 7)"}}};
    return specs;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_mechanism_has_its_divergences_within_their_bounds) {
    BOOST_REQUIRE_EQUAL(registry().size(), small_specs().size());
    for (const MechanismEntry* entry : registry())
        for (const std::string& spec : small_specs().at(entry->name))
            for (const double epsilon : {0.5, 3.0})
                BOOST_TEST_CONTEXT(entry->name << " " << epsilon << " " << spec) {
                    // At a smaller epsilon, gaussian has too many outputs for a comparison.
                    const bool noisy = std::string(entry->name) == "gaussian";
                    if (noisy && epsilon < 3) continue;
                    const auto m = mechanism(entry->name, noisy ? 12 : epsilon, spec);
                    check_divergences(*m, ResponseKind::report);
                    if (m->report_epsilon() < m->epsilon()) check_divergences(*m, ResponseKind::permanent);
                }
}

BOOST_AUTO_TEST_CASE(divergences_of_grr_are_closed_forms) {
    for (const double epsilon : {0.001, 1.0, 5.0})
        for (const double k : {2.0, 3.0, 20.0}) {
            const auto m = mechanism("grr", epsilon, "\"domain\": " + text(k));
            const double odds = std::exp(epsilon), q = 1 / (odds + k - 1), p = odds * q;
            const auto found = divergences(*m, ResponseKind::report);
            const double contracted = (p - q) * (p - q) / (p + q);
            const double expected[] = {p - q,
                                       (p - q) * epsilon,
                                       2 * (p - q) * epsilon,
                                       (p - q) * (p - q) * (p + q) / (p * q),
                                       std::pow(std::sqrt(p) - std::sqrt(q), 2),
                                       std::log1p((p - q) * (p - q) * (p + q) / (p * q))};
            for (std::size_t i = 0; i < std::size(expected); ++i)
                BOOST_CHECK_CLOSE(found[i].value, expected[i], 1e-7);
            BOOST_CHECK_CLOSE(found[8].value, epsilon, 1e-7);
            BOOST_CHECK_CLOSE(found[10].value, p - std::exp(epsilon / 2) * q, 1e-6);
            BOOST_CHECK_SMALL(found[11].value, 1e-12);
            BOOST_CHECK_CLOSE(found[12].value, contracted, 1e-7);
            // Two values attain all bounds.
            if (k == 2)
                for (const DivergenceValue& one : found)
                    BOOST_CHECK_SMALL(one.value - one.bound, 1e-7 * one.bound + 1e-12);
        }
}

BOOST_AUTO_TEST_CASE(divergences_of_rounds_are_those_of_products) {
    const auto m = mechanism("subset", 1, R"("domain": 4)");
    std::vector<Law> twice;
    for (const Law& one : stated_laws(*m, ResponseKind::report)) {
        Law& product = twice.emplace_back();
        for (const auto& [a, p] : one)
            for (const auto& [b, q] : one) {
                std::vector<std::byte> both = a;
                both.insert(both.end(), b.begin(), b.end());
                product[both] += p * q;
            }
    }
    const auto found = divergences(*m, ResponseKind::report, 2), once = divergences(*m, ResponseKind::report);
    for (std::size_t i = 0; i < found.size(); ++i)
        BOOST_TEST_CONTEXT(name(found[i].divergence) << " " << found[i].parameter) {
            const auto expected = static_cast<double>(
                divergence_of(twice[0], twice[1], found[i].divergence, found[i].parameter));
            if (found[i].exact)
                BOOST_CHECK_CLOSE(found[i].value, expected, 1e-6);
            else
                BOOST_CHECK_GE(found[i].value, expected);
            BOOST_CHECK_LE(found[i].value, found[i].bound);
            BOOST_CHECK_GE(found[i].value, once[i].value);
        }
    for (const std::uint64_t rounds : {0ul, 1'000'001ul})
        BOOST_CHECK_THROW(static_cast<void>(divergences(*m, ResponseKind::report, rounds)), Error);
}

BOOST_AUTO_TEST_CASE(large_specs_are_refused) {
    const auto refused = [](const Mechanism& m) {
        try {
            static_cast<void>(divergences(m, ResponseKind::report));
        } catch (const Error& error) {
            return error.code() == ErrorCode::unsupported;
        }
        return false;
    };
    // More grid points, outputs, and public randomness than the limits.
    BOOST_CHECK(refused(*mechanism("pdp", 1, R"("min": 0, "max": 1)")));
    BOOST_CHECK(refused(*mechanism("sue", 1, R"("domain": 40)")));
    BOOST_CHECK(refused(*mechanism("grr", 1, R"("domain": 16777216)")));
    for (const char* hashing : {"blh", "olh"}) BOOST_CHECK(refused(*mechanism(hashing, 1, R"("domain": 5)")));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
