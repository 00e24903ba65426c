// Histories: all reports of one person, whose value changes in different rounds. Exact laws of short
// histories for every pair of series, and attacks on longer ones.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/exact.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/proof/attack.hpp"
#include "proof.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(histories)

namespace {

using Pattern = std::vector<std::size_t>;

/// The laws of both layers under one public randomness, by key.
class Layers {
  public:
    /// Finds all permanent responses and payloads by drawing them. The exact probabilities add up to 1, so
    /// that none is missing.
    Layers(const Mechanism& m, std::vector<std::byte> public_randomness, BitSource& bits) {
        std::set<std::vector<Cell>> keys;
        std::vector<std::vector<Cell>> inputs;
        for_each_input(m, [&](Input input) {
            if (keys.insert(m.response_key(input, public_randomness)).second)
                inputs.emplace_back(input.begin(), input.end());
        });
        std::set<std::vector<std::byte>> permanents, payloads;
        std::vector<std::byte> permanent(m.permanent_size()), payload(m.payload_size());
        for (int i = 0; i < 4000; ++i) {
            m.permanent_response(inputs[i % inputs.size()], public_randomness, bits, permanent);
            permanents.insert(permanent);
            m.instantaneous_response(public_randomness, permanent, bits, payload);
            payloads.insert(payload);
        }
        for (const auto& input : inputs) {
            Exact sum = exact(0, 1);
            for (const auto& each : permanents) {
                const Exact p = m.probability(input, public_randomness, each);
                sum = sum + p;
                first_[input].push_back(static_cast<double>(p));
            }
            BOOST_REQUIRE(sum == exact(1, 1));
        }
        for (const auto& each : permanents) {
            Exact sum = exact(0, 1);
            second_.emplace_back();
            for (const auto& sent : payloads) {
                const Exact p = m.instantaneous_probability(public_randomness, each, sent);
                sum = sum + p;
                second_.back().push_back(static_cast<double>(p));
            }
            BOOST_REQUIRE(sum == exact(1, 1));
        }
        for (const auto& [input, law] : first_) laws_.push_back(law);
    }

    [[nodiscard]] std::size_t keys() const { return laws_.size(); }
    [[nodiscard]] std::size_t payloads() const { return second_[0].size(); }
    /// The ε of the second layer.
    [[nodiscard]] double second_epsilon() const {
        double worst = 0;
        for (const auto& one : second_)
            for (const auto& other : second_)
                for (std::size_t y = 0; y < one.size(); ++y)
                    worst = std::max(worst, std::log(one[y] / other[y]));
        return worst;
    }
    /// The logarithm of the probability that a person with these keys sends these payloads.
    [[nodiscard]] double law(const Pattern& series, const Pattern& sent) const {
        double log = 0;
        for (std::size_t key = 0; key < keys(); ++key) {
            double sum = 0;
            for (std::size_t b = 0; b < second_.size(); ++b) {
                double product = laws_[key][b];
                for (std::size_t t = 0; t < series.size(); ++t)
                    if (series[t] == key) product *= second_[b][sent[t]];
                sum += product;
            }
            log += std::log(sum);
        }
        return log;
    }

  private:
    std::map<std::vector<Cell>, std::vector<double>> first_;  // by input with a key of its own
    std::vector<std::vector<double>> laws_, second_;          // by key, by permanent response
};

/// All sequences of `length` numbers below `values`.
std::vector<Pattern> sequences(std::size_t values, std::size_t length) {
    std::vector<Pattern> all{{}};
    for (std::size_t i = 0; i < length; ++i) {
        std::vector<Pattern> longer;
        for (const Pattern& each : all)
            for (std::size_t v = 0; v < values; ++v) {
                longer.push_back(each);
                longer.back().push_back(v);
            }
        all = std::move(longer);
    }
    return all;
}

/// Whether values return in the same rounds.
bool equal_patterns(const Pattern& one, const Pattern& other) {
    for (std::size_t t = 0; t < one.size(); ++t)
        for (std::size_t u = 0; u < t; ++u)
            if ((one[t] == one[u]) != (other[t] == other[u])) return false;
    return true;
}

/// The largest log-ratios of histories, over all pairs of series and all reports.
struct Worst {
    double second_epsilon = 0;
    std::map<std::size_t, double> equal;      ///< of equal patterns, by the number of permanent responses
    std::map<std::size_t, double> different;  ///< of any patterns, by the number of rounds that differ
};

Worst worst_histories(const Mechanism& m, std::size_t rounds, std::uint64_t users) {
    SeededBits bits(31);
    Worst worst;
    for (std::uint64_t user = 0; user < users; ++user) {
        std::vector<std::byte> public_randomness(m.public_size());
        m.draw_public(bits, public_randomness);
        const Layers layers(m, public_randomness, bits);
        worst.second_epsilon = std::max(worst.second_epsilon, layers.second_epsilon());
        const auto series = sequences(layers.keys(), rounds), sent = sequences(layers.payloads(), rounds);
        std::vector<std::vector<double>> laws;
        for (const Pattern& each : series) {
            laws.emplace_back();
            for (const Pattern& reports : sent) laws.back().push_back(layers.law(each, reports));
        }
        for (std::size_t i = 0; i < series.size(); ++i)
            for (std::size_t j = 0; j < series.size(); ++j) {
                double ratio = 0;
                for (std::size_t y = 0; y < sent.size(); ++y)
                    ratio = std::max(ratio, laws[i][y] - laws[j][y]);
                std::size_t differ = 0;
                for (std::size_t t = 0; t < rounds; ++t) differ += series[i][t] != series[j][t] ? 1 : 0;
                double& most = worst.different[differ];
                most = std::max(most, ratio);
                if (!equal_patterns(series[i], series[j])) continue;
                double& same = worst.equal[std::set<std::size_t>(series[i].begin(), series[i].end()).size()];
                same = std::max(same, ratio);
            }
    }
    return worst;
}

/// The reports of many people with the same public randomness and series, one text a person.
std::vector<std::string> texts(const Mechanism& m, const std::vector<std::byte>& public_randomness,
                               const std::vector<std::vector<Cell>>& series, std::size_t people,
                               BitSource& bits) {
    std::vector<std::string> all;
    std::vector<std::byte> payload(m.payload_size());
    for (std::size_t i = 0; i < people; ++i) {
        std::map<std::vector<Cell>, std::vector<std::byte>> permanents;
        std::string text;
        for (const auto& input : series) {
            const auto [permanent, fresh] =
                permanents.try_emplace(m.response_key(input, public_randomness), m.permanent_size());
            if (fresh) m.permanent_response(input, public_randomness, bits, permanent->second);
            m.instantaneous_response(public_randomness, permanent->second, bits, payload);
            text += to_hex(payload);
        }
        all.push_back(std::move(text));
    }
    return all;
}

/// The same of a mechanism for series.
std::vector<std::string> texts_of_series(const Mechanism& m, const std::vector<std::byte>& public_randomness,
                                         const std::vector<Cell>& series, std::size_t people,
                                         BitSource& bits) {
    std::vector<std::string> all;
    std::vector<std::byte> payload(m.payload_size());
    for (std::size_t i = 0; i < people; ++i) {
        SeriesState state;
        std::string text;
        for (const Cell value : series)
            if (find_capability<SeriesRandomizer>(m)->advance(state, value, public_randomness, bits, payload))
                text += to_hex(payload);
        all.push_back(std::move(text));
    }
    return all;
}

double second_epsilon(const Mechanism& m) {
    for (const auto& [name, value] : m.parameters())
        if (name == "second_epsilon") return value;
    throw std::logic_error("no second layer");
}

constexpr double sure = 1 - 1e-9;

}  // namespace

// Series of equal pattern are protected by ε∞ for each permanent response, and series of any patterns by the
// ε of the second layer for each round in which they differ.
BOOST_AUTO_TEST_CASE(histories_in_two_layers_keep_what_the_manual_states) {
    const std::string layers = R"(, "report_epsilon": 1)";
    const std::string records[] = {
        R"({"mechanism": "sampled", "epsilon": 3, "report_epsilon": 1, "attributes": [
            {"name": "a", "domain": 2, "mechanism": "l_grr"}, {"name": "b", "domain": 3, "mechanism": "l_grr"}]})",
        R"({"mechanism": "sampled", "epsilon": 2, "report_epsilon": 1.5, "attributes": [
            {"name": "a", "domain": 4, "mechanism": "loloha", "hash_buckets": 2},
            {"name": "b", "min": 0, "max": 5, "grid": 2, "mechanism": "onebit"}]})",
        R"({"mechanism": "sampled", "epsilon": 2, "report_epsilon": 1, "grid": 2, "attributes": [
            {"name": "a", "domain": 2}, {"name": "b", "domain": 2},
            {"name": "v", "vector": 2, "min": 0, "max": 1, "mechanism": "haar", "randomizer": "duchi"}],
            "joint_tables": [["a", "b"]], "per_report": 1})"};
    const std::string vector = unit_attributes(2) + R"(, "grid": 2)";
    const std::string pair = R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}])";
    std::vector<std::unique_ptr<const Mechanism>> all;
    all.push_back(mechanism("l_grr", 3, R"("domain": 2)" + layers));
    all.push_back(mechanism("l_grr", 2, R"("domain": 3)" + layers));
    all.push_back(mechanism("loloha", 2, R"("domain": 6, "hash_buckets": 3)" + layers));
    all.push_back(mechanism("dithered", 2, R"("domain": 6, "buckets": 3)" + layers));
    all.push_back(mechanism("onebit", 2, R"("min": 0, "max": 1, "grid": 2)" + layers));
    all.push_back(mechanism("haar", 2, vector + R"(, "randomizer": "duchi")" + layers));
    all.push_back(mechanism("haar", 2, vector + layers));
    all.push_back(mechanism("joint", 2, pair + layers));                        // through l_grr
    all.push_back(mechanism("joint", 1, pair + R"(, "report_epsilon": 0.1)"));  // through l_osue
    for (const std::string& each : records) all.push_back(mechanism(each));
    for (const auto& m : all) BOOST_TEST_CONTEXT(m->header().mechanism << " " << m->epsilon()) {
            // With many payloads, short histories of one person: both coefficients of a pair have the same laws.
            SeededBits bits(30);
            std::vector<std::byte> drawn(m->public_size());
            m->draw_public(bits, drawn);
            const std::size_t payloads = Layers(*m, drawn, bits).payloads();
            const Worst worst =
                worst_histories(*m, payloads > 10 ? 2 : 4, m->public_size() == 0 || payloads > 20 ? 1 : 12);
            BOOST_TEST(worst.second_epsilon > 0.1);
            for (const auto& [name, value] : m->parameters())
                if (name == "second_epsilon") BOOST_CHECK_CLOSE_FRACTION(worst.second_epsilon, value, 1e-9);
            for (const auto& [responses, ratio] : worst.equal)
                BOOST_CHECK_LE(ratio, static_cast<double>(responses) * m->epsilon() + 1e-9);
            for (const auto& [rounds, ratio] : worst.different)
                BOOST_CHECK_LE(ratio, static_cast<double>(rounds) * worst.second_epsilon + 1e-9);
            // The bounds are of use: one round that differs shows a good part of the second layer's ε.
            BOOST_CHECK_GT(worst.different.at(1), 0.3 * worst.second_epsilon);
            BOOST_CHECK_GT(worst.equal.at(1), 0.4 * m->epsilon());
            BOOST_CHECK_EQUAL(worst.different.at(0), 0);
        }
}

// A black box: the texts of all reports of a person, with one pattern against another.
BOOST_AUTO_TEST_CASE(attacks_on_unequal_patterns_find_no_more_than_is_stated,
                     *boost::unit_test::label("slow")) {
    SeededBits bits(32);
    const std::vector<std::vector<Cell>> kept(6, {0}), moved{{0}, {0}, {1}, {0}, {0}, {0}};
    const auto found = [&](const Mechanism& m, std::size_t people) {
        return attack(texts(m, {}, kept, people, bits), texts(m, {}, moved, people, bits), sure).epsilon;
    };
    const auto layered = mechanism("l_grr", 4, R"("domain": 2, "report_epsilon": 1)");
    const double one_round = found(*layered, 200000);
    BOOST_CHECK_LE(one_round, second_epsilon(*layered));
    BOOST_CHECK_GT(one_round, 0.3);
    // One layer does not protect the pattern: unequal reports never come from equal values.
    BOOST_CHECK_GT(found(*mechanism("grr", 1, R"("domain": 2)"), 20000), 3);

    // Series under one ε: values that stay, change often, or change early and late.
    const auto trees = mechanism("ddrm", 2, R"("domain": 2, "rounds": 8, "changes": 2)");
    const std::vector<Cell> series[] = {{0, 0, 0, 0, 0, 0, 0, 0},
                                        {0, 1, 0, 1, 0, 1, 0, 1},
                                        {1, 1, 1, 1, 1, 1, 1, 0},
                                        {1, 0, 0, 0, 0, 0, 0, 1}};
    double most = 0;
    for (unsigned level = 0; level < 4; ++level) {
        const std::vector<std::byte> public_randomness{std::byte{1}, static_cast<std::byte>(level)};
        for (std::size_t other = 1; other < std::size(series); ++other) {
            const double shown =
                attack(texts_of_series(*trees, public_randomness, series[0], 40000, bits),
                       texts_of_series(*trees, public_randomness, series[other], 40000, bits), sure)
                    .epsilon;
            BOOST_CHECK_LE(shown, 2);
            most = std::max(most, shown);
        }
    }
    BOOST_CHECK_GT(most, 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
