// Records of which a few attributes are reported.
//
// Length: all tests of one mechanism, on the same records.

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "core/base/error.hpp"
#include "core/mechanism/role/error_law.hpp"
#include "core/summary/queries/consistency.hpp"
#include "core/summary/queries/top.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(sampled)

namespace {

/// A sampled record of attributes as JSON writes them, without their names.
std::string record(double epsilon, const std::vector<std::string>& attributes, const std::string& rest = {}) {
    std::string list;
    for (std::size_t j = 0; j < attributes.size(); ++j)
        list += (j == 0 ? "" : ", ") + ("{\"name\": \"a" + std::to_string(j) + "\", " + attributes[j] + "}");
    return "{\"mechanism\": \"sampled\", \"epsilon\": " + text(epsilon) + ", \"attributes\": [" + list + "]" +
           rest + "}";
}

std::string number(const std::string& mechanism, const std::string& rest = {}) {
    return R"("min": 0, "max": 10, "mechanism": ")" + mechanism + "\"" + rest;
}

std::string category(std::uint64_t domain, const std::string& mechanism, const std::string& rest = {}) {
    return "\"domain\": " + std::to_string(domain) + ", \"mechanism\": \"" + mechanism + "\"" + rest;
}

std::string share(std::uint64_t share) {
    return ", \"weight\": " + std::to_string(share);
}

std::string per_report(std::uint64_t s) {
    return ", \"per_report\": " + std::to_string(s);
}

double parameter(const Mechanism& m, const std::string& name) {
    for (const auto& [key, value] : m.parameters())
        if (key == name) return value;
    throw std::logic_error("no parameter " + name);
}

/// Draws attributes for one value of the only random word; returns the number of possible values.
struct Place final : BitSource {
    std::uint64_t at = 0, bound = 0;
    std::uint64_t word() override { throw std::logic_error("a word was asked for"); }
    std::uint64_t below(std::uint64_t most) override {
        bound = most;
        return at;
    }
};

/// The attributes drawn at each of the values; of at most 256 attributes whose mechanisms have no public
/// randomness.
std::vector<std::vector<std::size_t>> draws(const Mechanism& m) {
    std::vector<std::vector<std::size_t>> all;
    std::vector<std::byte> public_randomness(m.public_size());
    Place place;
    do {
        m.draw_public(place, public_randomness);
        auto& drawn = all.emplace_back();
        for (const std::byte j : public_randomness) drawn.push_back(std::to_integer<std::size_t>(j));
    } while (++place.at < place.bound);
    return all;
}

std::vector<std::byte> block_of(const std::string& json) {
    const auto m = mechanism(json);
    return {m->block().begin(), m->block().end()};
}

bool refused_block(Bytes block) {
    return malformed([&] { static_cast<void>(load_mechanism(block, Kind::report)); });
}

/// A block of parameters that no spec need lead to.
struct ForgedBlock {
    struct Run {
        std::uint32_t length, weight;
        std::uint8_t mechanism;
        std::vector<std::byte> parameters;
        std::uint16_t earlier = 0;  ///< the run that it equals; 0 for a run with parameters of its own
    };
    std::uint32_t s;
    std::vector<Run> runs;
    double epsilon = 1;

    [[nodiscard]] std::vector<std::byte> block() const {
        Writer writer;
        writer.put(s);
        writer.put(static_cast<std::uint16_t>(runs.size()));
        for (const Run& run : runs) {
            writer.put(run.length | std::uint32_t{run.earlier} << 16);
            if (run.earlier > 0) continue;
            writer.put(run.weight);
            writer.put(run.mechanism);
            writer.put(static_cast<std::uint16_t>(run.parameters.size()));
            writer.put_bytes(run.parameters);
        }
        return make_block(18, {7}, epsilon, writer.bytes());
    }
};

ForgedBlock::Run grr_run(std::uint32_t length, std::uint32_t weight, std::uint32_t domain = 4) {
    Writer writer;
    writer.put(domain);
    return {length, weight, 1, writer.bytes()};
}

/// A run that equals an earlier one.
ForgedBlock::Run run_again(std::uint32_t length, std::uint16_t earlier) {
    return {length, 0, 0, {}, earlier};
}

Error refusal(const std::string& json) {
    try {
        static_cast<void>(resolve(json));
    } catch (const Error& error) {
        return error;
    }
    BOOST_FAIL("accepted: " << json);
    throw std::logic_error("unreachable");
}

}  // namespace

// ε --------------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(records_keep_epsilon) {
    // This number of users draw every combination.
    constexpr int users = 40;
    const std::string grid = ", \"grid\": 3";
    for (const double epsilon : {0.002, 0.5, 2.0, 4.9}) {
        prove(*mechanism(record(epsilon, {number("pdp"), category(3, "grr")}, grid)), users);
        prove(*mechanism(record(
                  epsilon,
                  {number("duchi", share(2)), category(3, "oue"), category(4, "hadamard"), number("hybrid")},
                  grid)),
              users);
        prove(*mechanism(record(
                  epsilon, {category(5, "olh", share(9)), category(2, "sue"), number("piecewise")}, grid)),
              users);
    }
}

BOOST_AUTO_TEST_CASE(records_with_two_attributes_a_report_keep_epsilon, *boost::unit_test::label("slow")) {
    const std::string grid = ", \"grid\": 2";
    for (const double epsilon : {5.0, 7.4}) {
        prove(*mechanism(record(epsilon, {number("duchi"), category(3, "grr"), category(2, "olh")}, grid)));
        // The second is certain.
        prove(*mechanism(record(
            epsilon, {number("pdp"), category(3, "grr", share(5)), category(2, "oue"), number("duchi")},
            grid)));
        prove(*mechanism(record(epsilon, {number("hybrid"), category(3, "hadamard")}, grid)));
    }
    prove(*mechanism(
        record(1, {number("duchi"), category(2, "grr"), category(2, "grr")}, grid + per_report(2))));
}

BOOST_AUTO_TEST_CASE(large_records_keep_epsilon) {
    for (const double epsilon : epsilons) {
        std::vector<std::string> attributes;
        for (int j = 0; j < 400; ++j)
            attributes.push_back(j < 100   ? number("pdp")
                                 : j < 200 ? category(1000, "grr", share(3))
                                 : j < 300 ? category(50000, "hadamard")
                                           : number("duchi"));
        check_worst_ratio(*mechanism(record(epsilon, attributes)));
    }
}

BOOST_AUTO_TEST_CASE(the_worst_of_many_combinations_is_found) {
    // Mechanisms that leave very different parts of ε unused, in runs of all lengths: brute force over all
    // draws.
    std::vector<std::string> attributes;
    for (int j = 0; j < 23; ++j)
        attributes.push_back(j % 7 < 3 ? number("duchi", share(1 + j % 5))
                                       : category(3, "olh", share(1 + j % 3)));
    for (auto& attribute : attributes)
        if (attribute.find("olh") != attribute.npos) attribute = category(2 + attribute.size() % 3, "sue");
    for (const std::uint64_t s : {1, 2, 5, 22, 23}) {
        const auto m = mechanism(record(3, attributes, per_report(s)));
        const std::vector<std::byte> state(m->state_size());
        Exact worst = exact(0, 1);
        for (const auto& drawn : draws(*m)) {
            Exact product = exact(1, 1);
            for (const std::size_t j : drawn)
                product = product * capability<Record>(*m).reporter(j).worst_ratio();
            worst = std::max(worst, product);
        }
        BOOST_CHECK(worst == m->worst_ratio());
        check_worst_ratio(*m);
    }
}

BOOST_AUTO_TEST_CASE(parts_of_epsilon_add_up_to_no_more) {
    SeededBits bits(701);
    const std::vector<std::string> attributes(40, category(2, "grr"));
    int rounded = 0;
    for (int round = 0; round < 200; ++round) {
        const double epsilon = 0.04 + std::ldexp(static_cast<double>(bits.word() >> 12), -48);
        const std::uint64_t s = 1 + bits.below(40);
        const double each =
            parameter(*mechanism(record(epsilon, attributes, per_report(s))), "epsilon_per_part");
        // Rounded once, so that the sign is that of the exact difference.
        BOOST_CHECK_LE(std::fma(each, s, -epsilon), 0);
        BOOST_CHECK_GT(std::fma(std::nextafter(each, 21), s, -epsilon), 0);
        rounded += each < epsilon / static_cast<double>(s);
    }
    BOOST_CHECK_GT(rounded, 10);  // so plain division would not have done
}

BOOST_AUTO_TEST_CASE(reports_of_records_come_as_often_as_stated, *boost::unit_test::label("slow")) {
    const auto m =
        mechanism(record(5, {number("duchi"), category(3, "grr"), category(4, "oue")}, ", \"grid\": 3"));
    for (std::uint64_t seed = 711; seed < 714; ++seed)
        check_frequencies_of_reports(*m, std::vector<Cell>{1, 2, 3}, seed);
}

// Sampling -------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(attributes_are_drawn_in_proportion_to_their_shares) {
    const struct {
        std::vector<std::uint64_t> shares;
        std::uint64_t s;
        std::vector<std::size_t> drawn;  // at this number of draws
    } cases[] = {
        {{1, 1}, 1, {1, 1}},
        {{1, 1}, 2, {1, 1}},
        {{3, 1, 2}, 1, {3, 1, 2}},
        {{2, 2, 4}, 1, {1, 1, 2}},
        {{1, 2, 3, 10}, 2, {1, 2, 3, 6}},          // 20/16 would be more than certain
        {{1, 1, 1, 1000, 2}, 3, {2, 2, 2, 5, 4}},  // 2/5 of each other share
        {{5, 1000, 3, 1000, 2}, 3, {5, 10, 3, 10, 2}},
        {{1, 1, 4, 10}, 3, {1, 1, 2, 2}},  // 4/6 of 2 becomes too much only after 10 is certain
        {{7, 7, 7, 7, 7, 7, 7}, 3, {3, 3, 3, 3, 3, 3, 3}},
    };
    for (const auto& c : cases) {
        std::vector<std::string> attributes;
        for (const std::uint64_t w : c.shares) attributes.push_back(category(2, "grr", share(w)));
        const auto m = mechanism(record(20, attributes, per_report(c.s)));
        std::vector<std::size_t> counts(c.shares.size());
        const auto all = draws(*m);
        for (const auto& drawn : all) {
            BOOST_REQUIRE_EQUAL(drawn.size(), c.s);
            for (std::size_t i = 0; i < drawn.size(); ++i) {
                BOOST_CHECK(i == 0 || drawn[i] > drawn[i - 1]);
                ++counts[drawn[i]];
            }
        }
        BOOST_CHECK_EQUAL_COLLECTIONS(counts.begin(), counts.end(), c.drawn.begin(), c.drawn.end());
        BOOST_CHECK_CLOSE_FRACTION(
            parameter(*m, "max_probability"),
            static_cast<double>(std::ranges::max(counts)) / static_cast<double>(all.size()), 1e-15);
    }
}

BOOST_AUTO_TEST_CASE(only_what_can_be_drawn_is_counted) {
    const auto m =
        mechanism(record(20,
                         {category(2, "grr"), category(2, "grr", share(3)), category(2, "grr", share(2)),
                          category(2, "grr"), category(2, "grr", share(2))},
                         per_report(2)));
    std::set<std::vector<std::size_t>> possible;
    for (const auto& drawn : draws(*m)) possible.insert(drawn);
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < 6; ++j) {
            const std::byte payload[] = {std::byte(i), std::byte{0}, std::byte(j), std::byte{1}};
            BOOST_CHECK_EQUAL(m->valid_payload(payload), possible.contains({i, j}));
            pairs += possible.contains({i, j});
        }
    BOOST_CHECK_LT(pairs, 10u);  // some never meet
}

// Estimates ------------------------------------------------------------------------------------------------

namespace {

/// Values of a record of two numbers (100 steps, of 0 to 10) and two categories, all of which go together.
const std::vector<std::string> kinds{number("pdp"), category(3, "grr", share(2)), number("duchi"),
                                     category(4, "oue")};

std::vector<Cell> person(std::uint64_t u) {  // u below 20
    return {u * u / 4, u < 10 ? 0u : u < 16 ? 1u : 2u, u < 14 ? 20 + u : 100 - u, u % 4};
}

/// Means and shares, as the tests below compare them: the two means, then the categories' shares.
std::vector<Estimate> answers(const OwnedSummary& summary, Target target) {
    auto all = estimate(summary.view(), {Quantity::means, target});
    BOOST_REQUIRE_EQUAL(all.size(), 4u);
    BOOST_REQUIRE(std::isnan(all[1].value) && std::isnan(all[3].value));
    all = {all[0], all[2]};
    for (const std::size_t j : {1, 3})
        for (const Estimate& e : estimate(summary.view(), {Quantity::frequencies, target, j}))
            all.push_back(e);
    return all;
}

std::vector<double> truth() {
    std::vector<double> all(2 + 3 + 4);
    for (std::uint64_t u = 0; u < 20; ++u) {
        const auto cells = person(u);
        all[0] += static_cast<double>(cells[0]) / 10 / 20;
        all[1] += static_cast<double>(cells[2]) / 10 / 20;
        all[2 + cells[1]] += 1.0 / 20;
        all[5 + cells[3]] += 1.0 / 20;
    }
    return all;
}

/// n·Var of the two means and all shares: the noise, and the variance of people's values, both averaged over
/// the people.
struct Spread {
    std::vector<double> noise, people, chance;
};
Spread spread(const Mechanism& m, const std::vector<double>& chances) {
    Spread all;
    const std::vector<std::byte> state(m.state_size());
    const auto f = truth();
    for (const std::size_t j : {0, 2}) {
        double noise = 0, square = 0;
        for (std::uint64_t u = 0; u < 20; ++u) {
            const double x = static_cast<double>(person(u)[j]) / 10;
            noise += capability<Record>(m).reporter(j).n_variance(x / 5 - 1) * 25 / 20;
            square += x * x / 20;
        }
        const double mean = f[j / 2];
        all.noise.push_back(noise);
        all.people.push_back(square - mean * mean);
        all.chance.push_back(chances[j]);
    }
    for (std::size_t v = 0; v < 7; ++v) {
        const std::size_t j = v < 3 ? 1 : 3;
        all.noise.push_back(capability<Record>(m).reporter(j).n_variance(f[2 + v]));
        all.people.push_back(f[2 + v] * (1 - f[2 + v]));
        all.chance.push_back(chances[j]);
    }
    return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(estimates_are_unbiased_and_as_accurate_as_stated, *boost::unit_test::label("slow")) {
    const struct {
        double epsilon;
        std::vector<double> chances;
    } cases[] = {{2, {0.2, 0.4, 0.2, 0.2}}, {6, {0.4, 0.8, 0.4, 0.4}}};
    constexpr std::size_t people = 600, repetitions = 5000;
    std::uint64_t seed = 721;
    for (const auto& c : cases) {
        const auto m = mechanism(record(c.epsilon, kinds, ", \"grid\": 100"));
        const Spread of = spread(*m, c.chances);
        SeededBits bits(seed++);
        Simulation sample, population;
        for (std::size_t r = 0; r < repetitions; ++r) {
            OwnedSummary same(*m), drawn(*m);
            for (std::uint64_t i = 0; i < people; ++i) {
                same.add(m->perturb(person(i % 20), bits));
                drawn.add(m->perturb(person(bits.below(20)), bits));
            }
            sample.add(answers(same, Target::sample), truth());
            population.add(answers(drawn, Target::population), truth());
        }
        sample.check_unbiased();
        population.check_unbiased();
        population.check_coverage();
        for (std::size_t i = 0; i < 9; ++i) {
            const double pi = of.chance[i];
            // The number of reports that draw an attribute is binomial: its inverse is larger on average than
            // that of its mean.
            const double inverse = (1 + (1 - pi) / (people * pi)) / pi;
            sample.check_variance(i, (of.noise[i] * inverse + of.people[i] * (inverse - 1)) / people);
            population.check_variance(i, (of.noise[i] + of.people[i]) * inverse / people);
            // duchi's reports have no information on the variance of people: its interval is
            // longer and covers more.
            const double covered = sample.covered[i] / repetitions;
            BOOST_CHECK_GE(covered, 0.93);
            BOOST_CHECK_LE(covered, i == 1 ? 1 : 0.97);
        }
    }
}

BOOST_AUTO_TEST_CASE(dividing_by_who_drew_it_is_no_worse_than_by_the_chance) {
    // n·Var of the sum of unbiased responses over its expected number is E[y²]/π − μ².
    const auto m = mechanism(record(6, kinds, ", \"grid\": 100"));
    const Spread of = spread(*m, {0.4, 0.8, 0.4, 0.4});
    const auto f = truth();
    for (std::size_t i = 0; i < 9; ++i) {
        const double divided = (of.noise[i] + of.people[i] + f[i] * f[i]) / of.chance[i] - f[i] * f[i];
        BOOST_CHECK_LE((of.noise[i] + of.people[i]) / of.chance[i], divided);
    }
}

BOOST_AUTO_TEST_CASE(promised_variances_are_those_of_the_attributes) {
    const auto m = mechanism(record(6, {number("pdp"), category(3, "grr", share(2)), category(4, "oue")}));
    const double chances[] = {0.5, 1, 0.5};
    const auto pdp = mechanism("pdp", 3, R"("min": 0, "max": 1)");
    const auto grr = mechanism("grr", 3, R"("domain": 3)");
    const auto oue = mechanism("oue", 3, R"("domain": 4)");
    // The noisiest people are half at each end, and then those who drew it are a sample of very different
    // ones.
    const double expected[] = {(pdp->n_variance(1) + 1 - chances[0]) / chances[0], grr->n_variance(1.0 / 3),
                               (oue->n_variance(0.25) + 0.25 * 0.75 * 0.5) / chances[2]};
    for (std::size_t j = 0; j < 3; ++j)
        BOOST_CHECK_CLOSE_FRACTION(m->expected_variance(j), expected[j], 1e-12);
    BOOST_CHECK_EQUAL(pdp->expected_variance(0), pdp->n_variance(1));
    BOOST_CHECK_CLOSE_FRACTION(m->expected_variance(0), m->n_variance_of(0, 0, std::vector{0.5, 0.5}), 1e-12);
    // Through bits it does not matter how people differ: all are as noisy as those who are alike in the
    // middle.
    const auto duchi = mechanism(record(3, {number("duchi"), number("duchi")}));
    BOOST_CHECK_CLOSE_FRACTION(duchi->expected_variance(0), duchi->n_variance(0), 1e-12);
    BOOST_CHECK_CLOSE_FRACTION(
        m->n_variance(0.3),
        std::max({pdp->n_variance(0.3) / 0.5, grr->n_variance(0.3), (oue->n_variance(0.3) + 0.105) / 0.5}),
        1e-12);
}

BOOST_AUTO_TEST_CASE(means_of_groups_cover, *boost::unit_test::label("slow")) {
    // All three have the same value, which is the worst that can be for those reported together.
    constexpr std::size_t repetitions = 5000, people = 200;
    std::uint64_t seed = 741;
    for (const auto& [epsilon, s] : {std::pair{3.0, 1}, {12.0, 2}, {30.0 / 2, 3}})
        for (const char* name : {"pdp", "duchi"})
            for (const Target target : {Target::sample, Target::population}) {
                const std::vector<std::string> three(3, number(name));
                const auto m = mechanism(
                    record(epsilon, three, ", \"grid\": 100" + per_report(static_cast<std::uint64_t>(s))));
                SeededBits bits(seed++);
                Simulation simulation;
                double stated = 0;
                for (std::size_t r = 0; r < repetitions; ++r) {
                    OwnedSummary summary(*m);
                    for (std::size_t i = 0; i < people; ++i) {
                        const Cell at = (target == Target::sample ? i % 2 : bits.below(2)) * 60 + 20;
                        summary.add(m->perturb(std::vector<Cell>{at, at, at}, bits));
                    }
                    const Estimate mean =
                        capability<GroupMean>(*m).group_mean({people, summary.state()}, 0, 2, target);
                    simulation.add({mean}, {5});
                    stated += mean.standard_error * mean.standard_error / repetitions;
                }
                simulation.check_unbiased();
                BOOST_CHECK_GE(simulation.covered[0] / repetitions, 0.93);
                BOOST_CHECK_GE(stated, 0.85 * simulation.variance(0));
                // Without unknown correlations, the bound is exact.
                if (target == Target::population && name == std::string("pdp"))
                    BOOST_CHECK_LE(stated, 1.15 * simulation.variance(0));
                if (s == 3 && target == Target::sample && name == std::string("pdp"))
                    simulation.check_coverage();
            }
}

BOOST_AUTO_TEST_CASE(means_of_groups_are_means_of_numbers) {
    const auto m = mechanism(record(4, {number("pdp"), number("duchi"), category(3, "grr")}));
    SeededBits bits(751);
    OwnedSummary summary(*m);
    summary.add(m->perturb(std::vector<Cell>{1, 2, 0}, bits));
    BOOST_CHECK(std::isnan(
        capability<GroupMean>(*m).group_mean({1, summary.state()}, 0, 1, Target::sample).standard_error));
    for (int i = 0; i < 100; ++i) summary.add(m->perturb(std::vector<Cell>{1, 2, 0}, bits));
    const auto means = summary.estimate(Quantity::means);
    const Estimate both = capability<GroupMean>(*m).group_mean({101, summary.state()}, 0, 1, Target::sample);
    BOOST_CHECK_CLOSE_FRACTION(both.value, (means[0].value + means[1].value) / 2, 1e-12);
    // The law of a group with a category is that of no estimate; the mean itself is refused.
    BOOST_TEST(capability<GroupMean>(*m).group_law({101, summary.state()}, 1, 2, Target::sample).n == 0U);
    BOOST_CHECK_EXCEPTION(
        static_cast<void>(capability<GroupMean>(*m).group_mean({101, summary.state()}, 1, 2, Target::sample)),
        Error, [](const Error& error) { return error.code() == ErrorCode::unsupported; });
}

BOOST_AUTO_TEST_CASE(values_of_one_attribute_are_ranked_and_made_consistent) {
    const auto m = mechanism(record(6, {number("pdp"), category(20, "oue"), category(30, "grr")}));
    SeededBits bits(761);
    OwnedSummary summary(*m);
    for (std::uint64_t i = 0; i < 6000; ++i)
        summary.add(
            m->perturb(std::vector<Cell>{i % 100, i % 3 == 0 ? 7u : 8u, i % 2 == 0 ? 29u : 4u}, bits));
    for (const std::size_t attribute : {1, 2}) {
        const auto ranking = top(summary.view(), 3, Target::sample, Control::bonferroni, attribute);
        BOOST_CHECK_EQUAL(std::set({ranking[0].value, ranking[1].value}).contains(attribute == 1 ? 8 : 29),
                          true);
        BOOST_CHECK_EQUAL(std::set({ranking[0].value, ranking[1].value}).contains(attribute == 1 ? 7 : 4),
                          true);
        BOOST_CHECK_LT(ranking[1].p_value, 1e-9);
        BOOST_CHECK_GT(ranking[2].p_value, 1e-4);
        // As the attribute's own mechanism decodes its own reports.
        const SummaryView part = ldp::part(summary.view(), attribute);
        BOOST_CHECK_LT(part.n, 5000u);
        BOOST_CHECK_EQUAL(
            ranking[2].p_value,
            std::min(1.0,
                     static_cast<double>(attribute == 1 ? 20 : 30) *
                         capability<Significance>(*part.mechanism).p_value(part.n, ranking[2].estimate)));
        for (const char* method :
             {"base_cut", "norm_sub", "mle_apx", "ibu", "ibu_early", "power", "empirical_bayes"}) {
            const auto f = consistent(summary.view(), consistency_named(method), attribute);
            BOOST_CHECK_EQUAL(f.size(), attribute == 1 ? 20u : 30u);
            BOOST_CHECK_SMALL(f[attribute == 1 ? 8 : 29] - (attribute == 1 ? 2.0 / 3 : 0.5), 0.06);
        }
    }
    const auto code = [&](std::size_t attribute) {
        try {
            static_cast<void>(estimate(summary.view(), {Quantity::frequencies, Target::sample, attribute}));
        } catch (const Error& error) {
            return error.code();
        }
        return ErrorCode::full;
    };
    BOOST_CHECK(code(0) == ErrorCode::unsupported);
    BOOST_CHECK(code(3) == ErrorCode::invalid_value);
    BOOST_CHECK_THROW(static_cast<void>(capability<Significance>(*m).p_value(6000, {0.1, 0.1})), Error);
}

BOOST_AUTO_TEST_CASE(answers_are_those_of_the_attributes) {
    const auto told = [](const std::vector<std::string>& attributes) {
        const auto m = mechanism(record(1, attributes));
        return std::vector<Quantity>(m->answers().begin(), m->answers().end());
    };
    BOOST_CHECK((told({number("pdp"), number("duchi")}) == std::vector{Quantity::means}));
    BOOST_CHECK((told({category(2, "grr"), category(2, "grr")}) == std::vector{Quantity::frequencies}));
    BOOST_CHECK((told(kinds) == std::vector{Quantity::means, Quantity::frequencies}));
}

BOOST_AUTO_TEST_CASE(an_attribute_that_nobody_drew_is_unknown) {
    const auto m = mechanism(record(1, {number("pdp"), category(3, "grr")}));
    SeededBits bits(771);
    OwnedSummary numbers(*m), categories(*m);
    for (int i = 0; i < 50; ++i) {
        const Report report = m->perturb(std::vector<Cell>{1, 2}, bits);
        (report[m->block().size()] == std::byte{0} ? numbers : categories).add(report);
    }
    BOOST_CHECK(!std::isnan(numbers.estimate(Quantity::means)[0].value));
    BOOST_CHECK(std::isnan(categories.estimate(Quantity::means)[0].value));
    for (const Estimate& e : estimate(numbers.view(), {Quantity::frequencies, Target::sample, 1}))
        BOOST_CHECK(std::isnan(e.value));
    const auto all = top(numbers.view(), 3, Target::population, Control::benjamini_hochberg, 1);
    BOOST_CHECK_EQUAL(all.size(), 3u);
    BOOST_CHECK_EQUAL(all[0].p_value, 1);
    for (const char* method :
         {"base_cut", "norm_sub", "mle_apx", "ibu", "ibu_early", "power", "empirical_bayes"})
        BOOST_CHECK_EQUAL(consistent(numbers.view(), consistency_named(method), 1).size(), 3u);
    BOOST_CHECK_LT(numbers.health(), 1e-5);
}

// Health ---------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(honest_records_raise_no_alarm, *boost::unit_test::label("slow")) {
    SeededBits bits(781);
    for (const double epsilon : {1.0, 6.0})
        for (const std::size_t people : {1, 3, 30, 300}) {
            const auto m = mechanism(record(epsilon, kinds, ", \"grid\": 100"));
            std::map<std::string, int> small;
            constexpr int repetitions = 2000;
            for (int r = 0; r < repetitions; ++r) {
                OwnedSummary summary(*m);
                for (std::size_t i = 0; i < people; ++i) summary.add(m->perturb(person(i % 20), bits));
                for (const Check& check : health(summary.view())) small[check.name] += check.p_value <= 0.01;
            }
            for (const auto& [name, alarms] : small)
                BOOST_CHECK_MESSAGE(alarms <= 0.01 * repetitions + 6 * std::sqrt(0.01 * repetitions),
                                    name << ": " << alarms);
        }
}

BOOST_AUTO_TEST_CASE(floods_of_one_attribute_or_one_value_are_seen) {
    SeededBits bits(791);
    const std::vector<std::string> many(30, category(10, "grr"));
    for (const double epsilon : {0.5, 5.0}) {
        const auto m = mechanism(record(epsilon, many));
        const std::vector<Cell> input(30, 3);
        OwnedSummary summary(*m), values(*m);
        std::vector<Report> forged;
        for (int i = 0; i < 6000; ++i) {
            const Report report = m->perturb(input, bits);
            // Attribute 7 of 30, again and again; and one that always has the same value.
            const bool seventh = report[m->block().size()] == std::byte{7};
            if (seventh) forged.push_back(report);
            summary.add(report);
            values.add(report);
        }
        BOOST_CHECK_GT(summary.health(), 1e-4);
        const std::vector<Report> few(forged.begin(), forged.begin() + 100);
        for (int i = 0; i < 3; ++i)
            for (const Report& report : few) summary.add(report);
        BOOST_CHECK_LT(summary.health(), 1e-6);
        Report same = forged[0];
        same[m->block().size() + 1] = std::byte{9};
        for (int i = 0; i < 200; ++i) values.add(same);
        for (const Check& check : health(values.view()))
            if (check.name == "greatest frequency" && epsilon == 0.5) BOOST_CHECK_LT(check.p_value, 1e-6);
    }
}

// Format ---------------------------------------------------------------------------------------------------

/// A record of `count` attributes: numbers and categories in turn, or first all numbers.
std::string numbers_and_categories(unsigned count, bool in_turn) {
    std::vector<std::string> attributes;
    for (unsigned i = 0; i < count; ++i)
        attributes.push_back((in_turn ? i % 2 == 0 : i < count / 2) ? number("optimal") : category(4, "grr"));
    return record(1, attributes);
}

BOOST_AUTO_TEST_CASE(parts_that_alternate_have_their_parameters_once) {
    const auto sorted = mechanism(numbers_and_categories(478, false)),
               alternating = mechanism(numbers_and_categories(478, true));
    BOOST_CHECK_EQUAL(alternating->block().size(), sorted->block().size() + 476 * 4);
    BOOST_CHECK_LE(alternating->block().size(), max_block_size);
    BOOST_CHECK_NE(refusal(numbers_and_categories(486, true)).detail().find("the first 479 parts fit"),
                   std::string::npos);
    BOOST_CHECK_EQUAL(alternating->state_size(), sorted->state_size());
    BOOST_CHECK_EQUAL(alternating->cells()[0], sorted->cells()[0]);
    BOOST_CHECK_EQUAL(alternating->cells()[477], sorted->cells()[477]);
    BOOST_CHECK(alternating->worst_ratio() == sorted->worst_ratio());
    // Each part is the same mechanism, with the same probability.
    const auto& record = capability<Record>(*alternating);
    for (std::size_t j = 0; j < 478; ++j) {
        const RecordPart part = record.part_of(j);
        BOOST_CHECK_EQUAL(part.number, j);
        BOOST_CHECK_EQUAL(part.mechanism, record.part_of(j % 2).mechanism);
        BOOST_CHECK_EQUAL(part.chance, 1.0 / 478);
    }
    // Reports are counted with the part that they are about, one by one and together.
    SeededBits bits(41);
    OwnedSummary summary(*alternating);
    std::vector<Cell> input;
    for (const std::uint64_t cells : alternating->cells()) input.push_back(cells / 2);
    for (int i = 0; i < 2000; ++i) summary.add(alternating->perturb(input, bits));
    std::uint64_t reports = 0;
    for (std::size_t j = 0; j < 478; ++j) reports += record.part(summary.view(), j).n;
    BOOST_CHECK_EQUAL(reports, 2000);
    BOOST_CHECK(alternating->valid_state(summary.view()));
}

BOOST_AUTO_TEST_CASE(hostile_blocks_are_refused) {
    BOOST_CHECK(!refused_block(ForgedBlock{1, {grr_run(2, 1), grr_run(3, 2)}}.block()));
    const auto one = grr_run(2, 1), two = grr_run(3, 2);
    BOOST_CHECK(!refused_block(ForgedBlock{1, {one, two, run_again(1, 1), run_again(4, 2)}}.block()));
    BOOST_CHECK(!refused_block(ForgedBlock{1, {one, two, run_again(1, 1), run_again(4090, 2)}}.block()));
    const ForgedBlock bad[] = {
        {1, {one, two, one}},                                  // parameters that are repeated
        {1, {one, two, run_again(1, 1), grr_run(9, 2)}},       // the same, of another length
        {1, {run_again(3, 1), one, two}},                      // no run is before it
        {1, {one, run_again(3, 2), two}},                      // refers to the next
        {1, {one, two, run_again(3, 3)}},                      // refers to itself
        {1, {one, two, run_again(1, 1), run_again(1, 3)}},     // refers to a run that refers
        {1, {one, two, run_again(1, 0xFFFF)}},                 // refers to nothing
        {1, {one, run_again(1, 1)}},                           // alike
        {1, {one, two, run_again(1, 2)}},                      // alike
        {1, {one, two, run_again(1, 1), run_again(1, 1)}},     // alike
        {1, {one, two, run_again(0, 1)}},                      // of no attribute
        {1, {one, two, run_again(4092, 1)}},                   // 4097 attributes
        {2, {grr_run(1, 3), grr_run(1, 1), run_again(1, 1)}},  // a weight for no whole turn
        {0, {grr_run(2, 1)}},                                  // nothing reported
        {3, {grr_run(2, 1)}},                                  // more than there are
        {1, {}},
        {1, {grr_run(1, 1)}},  // one attribute
        {1, {grr_run(4097, 1)}},
        {1, {grr_run(2049, 1), grr_run(2048, 2)}},
        {1, {grr_run(0xFFFFFFFF, 1), grr_run(3, 2)}},  // 2 modulo 2^32
        {1, {grr_run(0, 1), grr_run(3, 2)}},
        {1, {grr_run(2, 0), grr_run(3, 2)}},
        {1, {grr_run(2, 1), grr_run(3, 1)}},   // alike
        {2, {grr_run(3, 1)}},                  // turns are no whole number
        {2, {grr_run(1, 3), grr_run(1, 1)}},   // a segment longer than a turn
        {2, {grr_run(2, 1)}, 0.0015},          // too little for each
        {1, {grr_run(2, 1, 1)}},               // what grr refuses
        {1, {grr_run(2, 1), {2, 1, 99, {}}}},  // no mechanism
    };
    for (const ForgedBlock& forged : bad) BOOST_CHECK(refused_block(forged.block()));
    // Mechanisms that cannot report a part: in two layers beside parts in one, with a delta, of series, of
    // ranges of a vector, and records. Others may.
    const auto with = [](const std::string& json, std::uint32_t length = 2) {
        const auto block = block_of(json);
        const std::vector<std::byte> parameters(block.begin() + header_size, block.end());
        return refused_block(
            ForgedBlock{1, {grr_run(2, 1), {length, 1, std::to_integer<std::uint8_t>(block[2]), parameters}}}
                .block());
    };
    const std::string tables = R"({"mechanism": "joint", "epsilon": 1, "attributes": [
        {"name": "a", "domain": 4}, {"name": "b", "domain": 4}]})";
    BOOST_CHECK(!with(tables, 1));
    BOOST_CHECK(with(tables, 2));  // one part has joint tables
    const auto joint_block = block_of(tables);
    const ForgedBlock::Run joint_run{1,
                                     1,
                                     std::to_integer<std::uint8_t>(joint_block[2]),
                                     {joint_block.begin() + header_size, joint_block.end()}};
    BOOST_CHECK(!refused_block(ForgedBlock{1, {joint_run, grr_run(2, 1)}}.block()));
    BOOST_CHECK(refused_block(ForgedBlock{1, {joint_run, grr_run(2, 1), run_again(1, 1)}}.block()));
    // A series is a part if each report has one part, and all series have the same rounds.
    const auto series_run = [&](std::uint64_t rounds) {
        const auto block = block_of(R"({"mechanism": "ddrm", "epsilon": 1, "domain": 4, "rounds": )" +
                                    std::to_string(rounds) + "}");
        return ForgedBlock::Run{
            1, 1, std::to_integer<std::uint8_t>(block[2]), {block.begin() + header_size, block.end()}};
    };
    BOOST_CHECK(!refused_block(ForgedBlock{1, {grr_run(2, 1), series_run(8), run_again(1, 1)}}.block()));
    BOOST_CHECK(!refused_block(
        ForgedBlock{1, {grr_run(2, 1), series_run(8), run_again(1, 1), run_again(1, 2)}}.block()));
    BOOST_CHECK(refused_block(ForgedBlock{1, {series_run(16), series_run(8)}}.block()));
    BOOST_CHECK(refused_block(ForgedBlock{2, {grr_run(3, 1), series_run(8)}}.block()));
    const auto of_three = [](const std::string& name, const std::string& rest = {}) {
        return "{\"mechanism\": \"" + name + "\", \"epsilon\": 1, " + unit_attributes(3) + rest + "}";
    };
    for (const std::string& json :
         {std::string(R"({"mechanism": "l_grr", "epsilon": 1, "domain": 4})"),
          std::string(R"({"mechanism": "onebit", "epsilon": 1, "report_epsilon": 0.5, "min": 0, "max": 1})"),
          of_three("gaussian", R"(, "delta": 1e-9)"), of_three("haar_ranges"),
          std::string(R"({"mechanism": "joint_haar", "epsilon": 1, "attributes": [
              {"name": "a", "domain": 4}, {"name": "b", "domain": 4}]})"),
          record(1, {number("pdp"), category(3, "grr")})})
        BOOST_CHECK_MESSAGE(with(json), json);
    for (const std::string& json :
         {std::string(R"({"mechanism": "square_wave", "epsilon": 1, "min": 0, "max": 1})"),
          std::string(R"({"mechanism": "ddrm", "epsilon": 1, "domain": 4})"),
          std::string(R"({"mechanism": "tree", "epsilon": 1, "domain": 9})"), of_three("haar"),
          of_three("duchi_vector")})
        BOOST_CHECK_MESSAGE(!with(json), json);
    // As many as fit, each as large as can be: refused before anything of the size is made.
    ForgedBlock large{1, {}};
    for (std::uint32_t i = 0; i < 100; ++i) large.runs.push_back(grr_run(40, 1 + i, 1u << 24));
    ForgedBlock referring{1, {grr_run(2, 1, 1u << 24), grr_run(2, 2, 1u << 24)}};
    for (unsigned i = 0; i < 480; ++i)
        referring.runs.push_back(run_again(8, static_cast<std::uint16_t>(1 + i % 2)));
    for (const ForgedBlock& forged : {large, referring})
        BOOST_CHECK_EXCEPTION(static_cast<void>(load_mechanism(forged.block(), Kind::report)), Error,
                              [](const Error& error) { return error.code() == ErrorCode::invalid_spec; });
    // Vectors that are referred to have more elements together than a record may have.
    const auto vector_block =
        block_of(R"({"mechanism": "duchi_vector", "epsilon": 1, )" + unit_attributes(600) + "}");
    const ForgedBlock::Run vector_run{1,
                                      1,
                                      std::to_integer<std::uint8_t>(vector_block[2]),
                                      {vector_block.begin() + header_size, vector_block.end()}};
    ForgedBlock vectors{1, {vector_run, grr_run(1, 1)}};
    for (unsigned i = 0; i < 5; ++i) {
        vectors.runs.push_back(run_again(1, 1));
        vectors.runs.push_back(run_again(1, 2));
    }
    BOOST_CHECK(!refused_block(vectors.block()));
    vectors.runs.push_back(run_again(1, 1));
    BOOST_CHECK(refused_block(vectors.block()));
    // A run that ends early.
    auto shorter = ForgedBlock{1, {one, two, run_again(1, 1)}}.block();
    shorter.resize(shorter.size() - 2);
    store<std::uint16_t>(shorter.data() + 4, static_cast<std::uint16_t>(shorter.size()));
    BOOST_CHECK(refused_block(shorter));
    auto longer = ForgedBlock{1, {grr_run(2, 1), grr_run(3, 2)}}.block();
    longer.push_back(std::byte{0});
    store<std::uint16_t>(longer.data() + 4, static_cast<std::uint16_t>(longer.size()));
    BOOST_CHECK(refused_block(longer));
}

BOOST_AUTO_TEST_CASE(hostile_payloads_and_states_are_refused) {
    const auto m =
        mechanism(record(6, {category(300, "grr"), category(4, "grr", share(5)), number("duchi")}));
    // The second is certain; three bytes for each, of which it fills but two.
    BOOST_REQUIRE_EQUAL(m->payload_size(), 6u);
    const auto valid = [&](std::vector<int> bytes) {
        std::vector<std::byte> payload;
        for (const int byte : bytes) payload.push_back(static_cast<std::byte>(byte));
        std::vector<std::byte> state(m->state_size());
        const bool counted = m->accumulate(state, payload);
        BOOST_CHECK_EQUAL(counted, m->valid_payload(payload));
        BOOST_CHECK_EQUAL(counted, std::ranges::count(state, std::byte{0}) < std::ssize(state));
        return counted;
    };
    BOOST_CHECK(valid({0, 43, 1, 1, 3, 0}));
    BOOST_CHECK(valid({1, 3, 0, 2, 1, 0}));
    BOOST_CHECK(!valid({1, 3, 0, 0, 43, 1}));  // descending
    BOOST_CHECK(!valid({1, 3, 0, 1, 3, 0}));   // twice
    BOOST_CHECK(!valid({0, 43, 1, 2, 1, 0}));  // never together
    BOOST_CHECK(!valid({0, 44, 1, 1, 3, 0}));  // 300 of 300
    BOOST_CHECK(!valid({0, 43, 1, 1, 3, 1}));  // padding
    BOOST_CHECK(!valid({0, 43, 1, 1, 4, 0}));
    BOOST_CHECK(!valid({1, 3, 0, 3, 1, 0}));

    SeededBits bits(801);
    OwnedSummary summary(*m);
    for (int i = 0; i < 20; ++i) summary.add(m->perturb(std::vector<Cell>{7, 2, 1}, bits));
    const std::vector<std::byte> good(summary.state().begin(), summary.state().end());
    BOOST_CHECK(m->valid_state({20, good}));
    const std::size_t second = 8 + 300 * 8, third = second + 8 + 4 * 8;
    const auto moved = [&](std::size_t from, std::size_t to, std::uint64_t reports) {
        std::vector<std::byte> state = good;
        add<std::uint64_t>(state.data() + from, -reports);
        add<std::uint64_t>(state.data() + from + 8, -reports);  // of some value, or ones
        add<std::uint64_t>(state.data() + to, reports);
        add<std::uint64_t>(state.data() + to + 8, reports);
        return state;
    };
    BOOST_CHECK(!m->valid_state({20, moved(second, 0, 1)}));   // fewer than all reported the second
    BOOST_CHECK(!m->valid_state({20, moved(0, third, 100)}));  // more than all, less than none
    for (const std::size_t at : {std::size_t{0}, std::size_t{16}, second, second + 8, third, third + 8}) {
        auto state = good;
        add<std::uint64_t>(state.data() + at, 30);
        BOOST_CHECK(!m->valid_state({20, state}));
    }
    BOOST_CHECK(!m->valid_state({19, good}));
    BOOST_CHECK(!m->valid_state({21, good}));
}

BOOST_AUTO_TEST_CASE(equal_attributes_in_a_row_are_carried_once) {
    const auto size = [](const std::vector<std::string>& attributes) {
        return mechanism(record(1, attributes))->block().size();
    };
    BOOST_CHECK_EQUAL(size(std::vector<std::string>(4096, number("pdp"))), size({2, number("pdp")}));
    BOOST_CHECK_EQUAL(size({number("pdp"), number("pdp"), number("duchi")}),
                      size({number("pdp"), number("duchi"), number("duchi")}));
    BOOST_CHECK_LT(size({number("pdp"), number("pdp"), number("duchi")}),
                   size({number("pdp"), number("duchi"), number("pdp")}));
}

// Spec -----------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(the_canonical_form_tells_what_was_settled) {
    const Spec spec = resolve(R"({"mechanism": "sampled", "epsilon": 6, "attributes": [
        {"name": "age", "min": 0, "max": 90}, {"name": "sex", "domain": ["f", "m"], "mechanism": "auto"},
        {"name": "town", "domain": 1000, "mechanism": "hadamard", "weight": 3}]})");
    const auto canonical = nlohmann::json::parse(spec.to_json());
    BOOST_CHECK(canonical["per_report"] == 2);
    BOOST_CHECK(canonical["grid"] == 32768);
    BOOST_CHECK(canonical["attributes"][0]["mechanism"] == "optimal");
    BOOST_CHECK(canonical["attributes"][0]["weight"] == 1);
    BOOST_CHECK(canonical["attributes"][1]["mechanism"] == "grr");
    BOOST_CHECK(canonical["attributes"][2]["mechanism"] == "hadamard");
    BOOST_CHECK(canonical["attributes"][2]["weight"] == 3);
    BOOST_CHECK(canonical["derived"]["epsilon_per_part"] == 3);
    const Spec again = Spec::from_json(spec.to_json());
    BOOST_CHECK_EQUAL(again.to_json(), spec.to_json());
    BOOST_CHECK(again.fingerprint() == spec.fingerprint());
    const auto m = make_mechanism(spec);
    BOOST_CHECK((m->cells() == std::vector<std::uint64_t>{32769, 2, 1000}));
    // What each is reported through follows from its part of epsilon.
    for (const auto& [epsilon, best] :
         {std::pair{0.1, "duchi"}, {1.0, "optimal"}, {2.0, "optimal"}, {4.0, "optimal"}}) {
        const Spec other = resolve(record(epsilon, {R"("min": 0, "max": 1)", R"("domain": 1000)"}));
        BOOST_CHECK_EQUAL(other.attributes()[0].mechanism, best);
        BOOST_CHECK_EQUAL(
            other.attributes()[1].mechanism,
            resolve(R"({"mechanism": "auto", "domain": 1000, "epsilon": )" + text(epsilon) + "}")
                .mechanism()
                .name);
    }
}

BOOST_AUTO_TEST_CASE(the_number_reported_follows_from_epsilon) {
    const std::vector<std::string> attributes(6, category(2, "grr"));
    for (const auto& [epsilon, s] :
         {std::pair{0.1, 1}, {3.9, 1}, {5.99, 2}, {6.0, 3}, {9.0, 4}, {17.9, 6}, {20.0, 6}})
        BOOST_CHECK_EQUAL(resolve(record(epsilon, attributes)).number("per_report"), s);
    // Shares of ranges need a larger epsilon of each than shares of few values.
    const std::vector<std::string> ranges(3, R"("min": 0, "max": 100, "estimate": "distribution")");
    for (const auto& [epsilon, s] : {std::pair{6.0, 1}, {12.0, 2}})
        BOOST_CHECK_EQUAL(resolve(record(epsilon, ranges)).number("per_report"), s);
    BOOST_CHECK_EQUAL(resolve(record(1, attributes)).number("per_report"), 1u);
    BOOST_CHECK_EQUAL(resolve(record(1, attributes, per_report(6))).number("per_report"), 6u);
}

BOOST_AUTO_TEST_CASE(bad_records_are_refused_by_name) {
    const struct {
        std::string json;
        const char* part;
    } cases[] = {
        {record(1, {number("pdp")}), "requires 2 to 4096 attributes"},
        {record(1, {number("pdp"), category(3, "grr", share(0))}), "\"weight\" must be"},
        {record(1, {number("pdp"), category(3, "grr", share(1001))}), "\"weight\" must be"},
        {record(1, {number("pdp"), category(3, "grr", ", \"weight\": 1.5")}), "\"weight\" must be"},
        {record(1, {number("pdp"), category(3, "nonsense")}), "\"mechanism\" must be one of auto"},
        {record(1, {number("pdp"), category(3, "")}), "\"mechanism\" must be one of auto"},
        {record(1, {number("pdp"), R"("domain": 3, "mechanism": 7)"}), "\"mechanism\" must be one of auto"},
        {record(1, {number("grr"), category(3, "grr")}), "Suitable for a number are auto, piecewise"},
        {record(1, {number("pdp"), category(3, "pdp")}), "Suitable for a category are auto, grr"},
        {record(1, {number("l_grr"), category(3, "grr")}), "l_grr cannot report \"a0\""},
        {record(1, {number("pdp"), category(3, "loloha")}), "loloha cannot report \"a1\""},
        {record(1, {number("pdp"), category(3, "ddrm")}), "a record of series and other attributes needs"},
        {record(1, {number("pdp"), category(3, "haar")}), "haar cannot report \"a1\""},
        {record(1, {number("sampled"), category(3, "grr")}), "sampled cannot report \"a0\""},
        {record(1, {R"("min": 1, "max": 2, "mechanism": "onebit")", category(3, "grr")}),
         "\"a0\" does not begin"},
        {record(1, {number("pdp"), category(1 << 20, "oue")}), "oue supports at most 65536 values"},
        {record(1, {number("pdp"), category(3, "grr")}, per_report(3)), "there are 2 attributes"},
        {record(1, {number("pdp"), category(3, "grr")}, ", \"per_report\": -1"), "\"per_report\" must be"},
        {record(0.0015, {number("pdp"), category(3, "grr")}, per_report(2)), "too many parts"},
        {record(1, {number("pdp"), category(3, "grr")}, ", \"grid\": 1"), "\"grid\" must be"},
        {record(1, {category(1 << 24, "grr"), category(1 << 24, "grr"), category(1 << 24, "grr")}),
         "too large"},
        {R"({"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "a", "domain": 3, "weight": 2}]})",
         "are for records only"},
        {R"({"mechanism": "haar", "epsilon": 1, "attributes": [{"name": "a", "min": 0, "max": 1},
             {"name": "b", "min": 0, "max": 1, "mechanism": "pdp"}]})",
         "are for records only"},
    };
    for (const auto& c : cases) {
        const Error error = refusal(c.json);
        const std::string all = std::string(error.what()) + error.detail() + error.hint();
        BOOST_CHECK_MESSAGE(error.code() == ErrorCode::invalid_spec && all.find(c.part) != all.npos,
                            c.json << ": " << all);
    }
    std::vector<std::string> different;
    for (int j = 0; j < 200; ++j) different.push_back(category(static_cast<std::uint64_t>(2 + j), "grr"));
    BOOST_CHECK(std::string(refusal(record(1, different)).hint()).find("stored once") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
