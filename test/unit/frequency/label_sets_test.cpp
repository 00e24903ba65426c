// Sets of labels: codes of sets, ε by enumeration, variances against enumeration and rivals, and intervals by
// simulation.

#include "core/mechanism/frequency/label_sets.hpp"

#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "client/collection.hpp"
#include "core/base/square.hpp"
#include "core/contract/response_count.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/results/row_functions.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/queries/consistency.hpp"
#include "core/summary/queries/learn.hpp"
#include "core/tables/share_intervals.hpp"
#include "proof.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(label_sets)

namespace {

constexpr double usual = 1.959963984540054;

std::unique_ptr<const Mechanism> sets(double epsilon, std::uint64_t labels, std::uint64_t most,
                                      const std::string& response = "auto") {
    return mechanism("label_sets", epsilon,
                     R"("several": true, "domain": )" + std::to_string(labels) + R"(, "most": )" +
                         std::to_string(most) + R"(, "response": ")" + response + '"');
}

const LabelSets& sets_of(const Mechanism& m) {
    return capability<LabelSets>(m);
}

/// People with 0, 1, … `most` labels in turn: the first labels are the most frequent ones.
std::vector<std::vector<Cell>> people(std::size_t count, std::uint64_t labels, std::uint64_t most) {
    std::vector<std::vector<Cell>> all(count);
    for (std::size_t i = 0; i < count; ++i)
        for (std::uint64_t j = 0; j < i % (most + 1); ++j) all[i].push_back((j + i / 7 % 2) % labels);
    for (auto& set : all) {
        std::ranges::sort(set);
        set.erase(std::unique(set.begin(), set.end()), set.end());
    }
    return all;
}

/// Counts what a randomizer draws, and the words of a client.
class CountedDraws final : public BitSource {
  public:
    explicit CountedDraws(std::uint64_t seed) : bits_(seed) {}

    std::size_t draws = 0, words = 0;
    std::uint64_t word() override {
        ++words;
        return bits_.word();
    }
    std::uint64_t below(std::uint64_t bound) override {
        ++draws;
        return bits_.below(bound);
    }
    std::uint64_t pick(std::span<const std::uint64_t> sums) override {
        ++draws;
        return bits_.pick(sums);
    }
    bool chance(std::uint64_t heads, std::uint64_t total) override {
        ++draws;
        return bits_.chance(heads, total);
    }

  private:
    SeededBits bits_;
};

// The rivals, with a probability of support of holders (p) and of others (q).
double noise(double p, double q, double f) {
    return (f * p * (1 - p) + (1 - f) * q * (1 - q)) / square(p - q);
}
/// The wheel mechanism (Wang et al. 2020) with its arc of 1/(2m − 1 + m·e).
double wheel(double e, double m, double f) {
    const double arc = 1 / (2 * m - 1 + m * e);
    return noise(arc * e / (1 + m * arc * (e - 1)), arc, f);
}
/// PrivSet (Wang et al. 2018), with counts of sets from log-gamma: the best size.
double privset(double e, double k, double m, double f) {
    const auto sets_of_size = [](double n, double size) {
        return size < 0 || size > n
                   ? 0
                   : std::exp(std::lgamma(n + 1) - std::lgamma(size + 1) - std::lgamma(n - size + 1));
    };
    double least = HUGE_VAL;
    const double d = k + m;
    for (double w = 1; w <= k && w < 120; ++w) {
        const double all = sets_of_size(d, w), none = sets_of_size(k, w);
        const double mean = e * (all - none) + none;
        const double own = e * sets_of_size(d - 1, w - 1) / mean;
        const double without = sets_of_size(k - 1, w - 1);
        const double other = (e * (sets_of_size(d - 1, w - 1) - without) + without) / mean;
        if (own > other) least = std::min(least, noise(own, other, f));
    }
    return least;
}
/// One label of k, or one item of a set that is filled up with dummies, reported by the best of randomized response and
/// subset selection with half of the items.
double sampled_bits(double e, double k, double m, double f) {
    const double label = k * e / square(e - 1) + (k - 1) * f * (1 - f);
    const double item = square(m) * 4 * e / square(e - 1) + (m - 1) * f;
    return std::min(label, item);
}

}  // namespace

BOOST_AUTO_TEST_CASE(codes_of_sets_are_consecutive) {
    for (std::uint64_t k = 2; k <= 7; ++k) {
        const std::uint64_t count = count_label_sets(k, k);
        BOOST_REQUIRE_EQUAL(count, std::uint64_t{1} << k);
        std::set<std::vector<Cell>> seen;
        std::size_t before = 0;
        for (Cell code = 0; code < count; ++code) {
            const std::vector<Cell> set = set_of_code(k, code);
            BOOST_REQUIRE(std::ranges::is_sorted(set, std::less_equal()));
            BOOST_REQUIRE(set.empty() || set.back() < k);
            BOOST_REQUIRE_GE(set.size(), before);
            before = set.size();
            BOOST_REQUIRE(seen.insert(set).second);
            BOOST_REQUIRE_EQUAL(code_of_set(k, set), code);
        }
        for (std::uint64_t most = 1; most <= k; ++most)
            BOOST_CHECK_EQUAL(set_of_code(k, count_label_sets(k, most) - 1).size(), most);
    }
    // The largest sets of many labels, and the largest number of sets.
    for (const std::uint64_t k : {62, 63, 100, 256, 4096}) {
        const std::uint64_t most = most_labels_that_fit(k), count = count_label_sets(k, most);
        BOOST_CHECK_LE(count, max_label_sets);
        BOOST_CHECK(most == k || count_label_sets(k, most + 1) == max_label_sets + 1);
        for (const Cell code : {Cell{0}, Cell{1}, count / 3, count - 1})
            BOOST_CHECK_EQUAL(code_of_set(k, set_of_code(k, code)), code);
    }
    BOOST_CHECK_EQUAL(most_labels_that_fit(62), 62);
    BOOST_CHECK_GE(most_labels_that_fit(256), 8);
}

BOOST_AUTO_TEST_CASE(sets_are_cut_evenly) {
    const std::vector<Cell> set{0, 3, 4, 7, 9};
    std::map<std::vector<Cell>, int> counts;
    SeededBits bits(3);
    constexpr int draws = 10000;
    for (int i = 0; i < draws; ++i) {
        const std::uint64_t word = bits.word();
        const std::vector<Cell> some = cut_set(set, 2, word);
        BOOST_REQUIRE(some == cut_set(set, 2, word));
        ++counts[some];
    }
    BOOST_CHECK_EQUAL(counts.size(), 10);
    // Each count has a standard deviation of 30; six of them are a false alarm of 2e-9 for each of ten.
    for (const auto& [some, count] : counts) BOOST_CHECK_LT(std::abs(count - draws / 10), 180);
    BOOST_CHECK(cut_set(set, 5, 1) == set);
}

BOOST_AUTO_TEST_CASE(the_sampler_keeps_epsilon, *boost::unit_test::label("slow")) {
    for (const double epsilon : epsilons)
        for (const auto& [k, m] : {std::pair{2, 1}, {2, 2}, {4, 1}, {4, 2}, {5, 3}})
            for (const char* response : {"subset", "one_label"})
                prove(*sets(epsilon, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(m), response));
    for (const double epsilon : epsilons)
        for (const auto& [k, m] : {std::pair{256, 8}, {62, 62}, {4096, 5}})
            for (const char* response : {"subset", "one_label"})
                check_worst_ratio(
                    *sets(epsilon, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(m), response));
}

BOOST_AUTO_TEST_CASE(all_people_make_the_same_draws) {
    for (const char* response : {"subset", "one_label"}) {
        const auto m = sets(1, 20, 4, response);
        std::set<std::size_t> draws, sizes;
        for (const std::vector<Cell>& set : {std::vector<Cell>{}, {0}, {19}, {3, 7}, {0, 1, 18, 19}})
            for (std::uint64_t seed = 1; seed <= 50; ++seed) {
                CountedDraws bits(seed);
                sizes.insert(m->perturb(std::vector{code_of_set(20, set)}, bits).size());
                draws.insert(bits.draws);
            }
        BOOST_CHECK_EQUAL(draws.size(), 1);
        BOOST_CHECK_EQUAL(sizes.size(), 1);
    }
    // The client also draws a word for each set, whether it is cut or not.
    const Collection collection(
        resolve(R"({"mechanism": "label_sets", "epsilon": 1, "domain": 6, "several": true, "most": 2})"));
    for (const char* set : {"", "3", "0;1", "0;1;2;5"}) {
        CountedDraws bits(1);
        const Encoded encoded = collection.encode(std::vector<Value>{set}, bits);
        BOOST_CHECK_LE(set_of_code(6, encoded.cells[0]).size(), 2);
        BOOST_CHECK_EQUAL(bits.words, 1);
    }
}

BOOST_AUTO_TEST_CASE(probabilities_and_variances_are_those_of_the_sampler) {
    for (const double epsilon : {0.5, 2.0})
        for (const auto& [k, most] : {std::pair{6, 2}, {5, 3}, {9, 2}}) {
            const auto m =
                sets(epsilon, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(most), "subset");
            const auto [p, q] = capability<FrequencyOracle>(*m).protocol();
            // People of all sizes together: sums over the sizes.
            OwnedSummary together(*m);
            SeededBits draws(9);
            double means = 0, squares = 0, within = 0;
            for (std::uint64_t size = 0; size <= static_cast<std::uint64_t>(most); ++size) {
                std::vector<Cell> set(size);
                std::iota(set.begin(), set.end(), 1);
                const std::vector<Cell> input{code_of_set(static_cast<std::uint64_t>(k), set)};
                std::vector<double> supported(static_cast<std::size_t>(k));
                double mean = 0, mean_square = 0;
                for_each_permanent(*m, {}, [&](Bytes payload) {
                    const auto chance = static_cast<double>(m->probability(input, {}, payload));
                    OwnedSummary summary(*m);
                    Report report(m->block().begin(), m->block().end());
                    report.insert(report.end(), payload.begin(), payload.end());
                    summary.add(report);
                    const auto shares = capability<FrequencyOracle>(*m).supports(summary.state());
                    for (std::size_t v = 0; v < shares.size(); ++v)
                        supported[v] += chance * static_cast<double>(shares[v]);
                    const double found = sets_of(*m).set_size(summary.view(), Target::sample).value;
                    mean += chance * found;
                    mean_square += chance * square(found);
                });
                for (std::size_t v = 0; v < supported.size(); ++v)
                    BOOST_CHECK_CLOSE(supported[v], v >= 1 && v <= size ? p : q, 1e-9);
                BOOST_CHECK_SMALL(mean - static_cast<double>(size), 1e-9);
                // With many reports of such people, the stated error is that of the enumeration.
                OwnedSummary many(*m);
                SeededBits bits(7);
                for (int i = 0; i < 20000; ++i) many.draw(input, bits);
                const Estimate stated = sets_of(*m).set_size(many.view(), Target::sample);
                BOOST_CHECK_CLOSE(square(stated.standard_error) * 20000, mean_square - square(mean), 10);
                BOOST_CHECK_SMALL(stated.value - static_cast<double>(size), 6 * stated.standard_error);
                for (int i = 0; i < 20000; ++i) together.draw(input, draws);
                means += mean, squares += mean_square, within += mean_square - square(mean);
            }
            // The error for a population also contains the variance between people.
            const double groups = most + 1;
            const auto n_variance = [&](Target target) {
                return square(sets_of(*m).set_size(together.view(), target).standard_error) * 20000 * groups;
            };
            BOOST_CHECK_CLOSE(n_variance(Target::sample), within / groups, 10);
            BOOST_CHECK_CLOSE(n_variance(Target::population), squares / groups - square(means / groups), 10);
        }
}

BOOST_AUTO_TEST_CASE(the_choice_is_that_of_the_best_rival) {
    for (const std::uint64_t k : {8, 32, 256})
        for (const std::uint64_t m : {1, 2, 4, 8})
            for (const double epsilon : {0.5, 1.0, 2.0, 3.0, 4.0}) {
                const auto shipped = sets(epsilon, k, m);
                const double e = std::exp(epsilon), labels = static_cast<double>(k),
                             most = static_cast<double>(m);
                // Of people with half of the labels that they may have, and of people with as many as possible.
                for (const double f : {most / (2 * labels), most / labels}) {
                    const double best = std::min(
                        {wheel(e, most, f), privset(e, labels, most, f), sampled_bits(e, labels, most, f)});
                    BOOST_TEST_CONTEXT(k << " " << m << " " << epsilon << " " << f)
                    if (f < 0.99)
                        BOOST_CHECK_LE(shipped->n_variance(f),
                                       (f == most / (2 * labels) ? 1.0001 : 1.2) * best);
                }
            }
    BOOST_CHECK_EQUAL(
        resolve(R"({"mechanism": "auto", "epsilon": 1, "domain": 8, "several": true})").word("response"),
        "one_label");
    BOOST_CHECK_EQUAL(
        resolve(R"({"mechanism": "auto", "epsilon": 1, "domain": 32, "several": true, "most": 4})")
            .word("response"),
        "subset");
}

BOOST_AUTO_TEST_CASE(intervals_cover_for_sets_of_any_size, *boost::unit_test::label("slow")) {
    // At least 93 % of the intervals contain the truth; false alarm 1e-9 for each figure.
    constexpr std::uint64_t repetitions = 800;
    std::uint64_t seed = 21;
    for (const double epsilon : {0.5, 1.0, 4.0})
        for (const std::size_t n : {50, 400})
            for (const auto& [k, most] : {std::pair{8, 8}, {8, 3}, {40, 4}}) {
                const auto m = sets(epsilon, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(most));
                const auto all = people(n, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(most));
                std::vector<double> shares(static_cast<std::size_t>(k));
                double size = 0;
                std::vector<Cell> codes;
                for (const auto& set : all) {
                    for (const Cell label : set) shares[label] += 1 / static_cast<double>(n);
                    size += static_cast<double>(set.size()) / static_cast<double>(n);
                    codes.push_back(code_of_set(static_cast<std::uint64_t>(k), set));
                }
                std::vector<std::uint64_t> covered(4);
                SeededBits bits(seed++);
                for (std::uint64_t i = 0; i < repetitions; ++i) {
                    OwnedSummary summary(*m);
                    for (const Cell code : codes) summary.draw(code, bits);
                    const Question question{Quantity::frequencies, Target::sample};
                    const auto estimates = estimate(summary.view(), question);
                    const auto ranges = intervals(summary.view(), question, estimates, usual);
                    for (const std::size_t v : {std::size_t{0}, std::size_t{1}, shares.size() - 1}) {
                        const bool in =
                            ranges[v].lower <= shares[v] + 1e-9 && shares[v] - 1e-9 <= ranges[v].upper;
                        covered[v == 0 ? 0 : v == 1 ? 1 : 2] += in ? 1 : 0;
                    }
                    const Interval found = set_size(summary.view(), 0, Target::sample, usual).interval;
                    covered[3] += found.lower <= size + 1e-9 && size - 1e-9 <= found.upper ? 1 : 0;
                }
                for (std::size_t i = 0; i < covered.size(); ++i)
                    BOOST_TEST_CONTEXT(epsilon << " " << n << " " << k << " " << most << " figure " << i
                                               << ": " << static_cast<double>(covered[i]) / repetitions)
                BOOST_CHECK_GT(binomial_at_most(repetitions, 0.93, covered[i]), 1e-9);
            }
}

BOOST_AUTO_TEST_CASE(specs_of_sets) {
    const std::string begin = R"({"mechanism": "auto", "epsilon": 1, "attributes": [{"name": "services", )";
    const Spec spec = resolve(begin + R"("domain": ["mail", "phone", "web"], "several": true, "most": 2}]})");
    BOOST_CHECK_EQUAL(spec.mechanism().name, "label_sets");
    BOOST_CHECK_EQUAL(spec.attributes()[0].most, 2);
    BOOST_CHECK(Spec::from_json(spec.to_json()).fingerprint() == spec.fingerprint());
    BOOST_CHECK(spec.to_json().find(R"("several":true)") != std::string::npos);
    BOOST_CHECK_EQUAL(resolve(begin + R"("domain": 5, "several": true}]})").attributes()[0].most, 5);
    BOOST_CHECK_EQUAL(resolve(begin + R"("domain": 5, "several": false}]})").mechanism().name, "grr");
    const auto refused = [](const std::string& text) {
        try {
            static_cast<void>(resolve(text));
        } catch (const Error& error) {
            return error.code() == ErrorCode::invalid_spec && !error.detail().empty();
        }
        return false;
    };
    for (const char* rest :
         {R"("domain": 3, "most": 2}]})", R"("domain": 3, "several": 1}]})",
          R"("domain": 3, "several": true, "most": 4}]})", R"("domain": ["a", "b;c"], "several": true}]})",
          R"("min": 0, "max": 1, "several": true}]})",
          R"("domain": ["a", "b"], "missing_label": "b", "several": true}]})",
          R"("domain": 200, "several": true, "most": 100}]})",
          R"("domain": 5000, "several": true, "most": 2}]})",
          R"("domain": 5, "several": true, "estimate": "distribution"}]})"})
        BOOST_CHECK_MESSAGE(refused(begin + rest), rest);
    for (const char* name : {"grr", "subset", "haar_ordered", "dbitflip", "exponential"})
        BOOST_CHECK(refused(R"({"mechanism": ")" + std::string(name) +
                            R"(", "epsilon": 1, "domain": 3, "several": true})"));
    BOOST_CHECK(refused(R"({"mechanism": "label_sets", "epsilon": 1, "domain": 3})"));
    // No tables, products or streams of sets.
    BOOST_CHECK(refused(
        R"({"mechanism": "joint", "epsilon": 1, "attributes": [{"name": "a", "domain": 3, "several": true},
        {"name": "b", "domain": 3}]})"));
    BOOST_CHECK(refused(R"({"mechanism": "auto", "epsilon": 1, "joint_tables": [["a", "b"]], "attributes": [
        {"name": "a", "domain": 3, "several": true}, {"name": "b", "domain": 3}]})"));
    BOOST_CHECK(refused(R"({"mechanism": "sampled", "epsilon": 1, "per_report": 1, "attributes": [
        {"name": "a", "domain": 3, "several": true}, {"name": "x", "min": 0, "max": 1}, {"product": [{"a": 1}, "x"]}]})"));
    BOOST_CHECK(refused(R"({"mechanism": "auto", "epsilon": 1, "domain": 3, "several": true, "evolving": {},
        "budget": {"epsilon": 9}, "stream": {"rounds": 3, "people": 100}})"));
}

BOOST_AUTO_TEST_CASE(records_of_sets_are_encoded) {
    const auto encoded = [](const std::string& rest, const Value& value, Outside outside = Outside::clamp) {
        SeededBits bits(1);
        const Collection collection(
            resolve(R"({"mechanism": "label_sets", "epsilon": 1, "several": true, "most": 2, )" + rest + "}"),
            outside);
        const Encoded found = collection.encode(std::vector<Value>{value}, bits);
        return std::pair(set_of_code(collection.spec().attributes()[0].domain, found.cells[0]),
                         found.clamped.attributes.size());
    };
    using Found = std::pair<std::vector<Cell>, std::size_t>;
    const std::string labels = R"("domain": ["mail", "phone", "web", "others"])", numbers = R"("domain": 12)";
    BOOST_CHECK(encoded(labels, "") == Found({}, 0));
    BOOST_CHECK(encoded(labels, "web") == Found({2}, 0));
    BOOST_CHECK(encoded(labels, "web;mail;web;") == Found({0, 2}, 0));
    BOOST_CHECK(encoded(numbers, "11;3") == Found({3, 11}, 0));
    BOOST_CHECK(encoded(numbers, 4) == Found({4}, 0));
    BOOST_CHECK(encoded(labels + R"(, "other": "others")", "fax;telex") == Found({3}, 1));
    const Found cut = encoded(labels, "mail;phone;web");
    BOOST_CHECK_EQUAL(cut.first.size(), 2);
    BOOST_CHECK_EQUAL(cut.second, 1);
    const auto refused = [&](const std::string& rest, const Value& value, Outside outside = Outside::clamp) {
        try {
            static_cast<void>(encoded(rest, value, outside));
        } catch (const Error& error) {
            return error.code() == ErrorCode::invalid_value;
        }
        return false;
    };
    BOOST_CHECK(refused(labels, "fax"));
    BOOST_CHECK(refused(labels, "mail;;web"));
    BOOST_CHECK(refused(labels, 1.0));
    BOOST_CHECK(refused(numbers, "12"));
    BOOST_CHECK(refused(numbers, "1;x"));
    BOOST_CHECK(refused(labels, "mail;phone;web", Outside::refuse));
}

BOOST_AUTO_TEST_CASE(shares_need_not_add_up_to_one) {
    for (const char* response : {"subset", "one_label"}) {
        const auto m = sets(4, 6, 3, response);
        SeededBits bits(5);
        OwnedSummary summary(*m);
        for (int i = 0; i < 4000; ++i) summary.draw(code_of_set(6, std::vector<Cell>{0, 1, 2}), bits);
        const auto shares = summary.estimate(Quantity::frequencies);
        for (std::size_t v = 0; v < shares.size(); ++v)
            BOOST_CHECK_SMALL(shares[v].value - (v < 3 ? 1 : 0), 6 * shares[v].standard_error);
        const SetSize size = set_size(summary.view(), 0, Target::population, usual);
        BOOST_CHECK_SMALL(size.estimate.value - 3, 6 * size.estimate.standard_error);
        BOOST_CHECK_LE(size.interval.lower, 3);
        BOOST_CHECK_GT(summary.health(), 1e-8);
        BOOST_CHECK_EQUAL(consistent(summary.view(), Consistency::none).size(), 6);
        BOOST_CHECK_GT(consistent(summary.view(), Consistency::base_cut)[2], 0.9);
        for (const Consistency method :
             {Consistency::norm, Consistency::norm_mul, Consistency::norm_cut, Consistency::norm_sub,
              Consistency::mle_apx, Consistency::power, Consistency::ibu, Consistency::ibu_early,
              Consistency::empirical_bayes})
            BOOST_CHECK_EXCEPTION(static_cast<void>(consistent(summary.view(), method)), Error,
                                  [](const Error& error) {
                                      return error.code() == ErrorCode::unsupported && !error.hint().empty();
                                  });
        BOOST_CHECK_THROW(static_cast<void>(learn_ranges(summary.view(), 0.9)), Error);
        const std::string_view set_size[] = {"set_size"};
        const auto rows =
            row_function("estimate")
                .find({.summary = summary.bytes()}, {.statistics = SummaryQuery::Texts(set_size)});
        BOOST_CHECK_EQUAL(rows->count(), 1);
        // Equal reports of many people, which no set explains.
        OwnedSummary forged(*m);
        Report report = m->perturb(std::vector{code_of_set(6, std::vector<Cell>{0})}, bits);
        for (int i = 0; i < 500; ++i) forged.add(report);
        BOOST_CHECK_LT(forged.health(), 1e-8);
    }
}

BOOST_AUTO_TEST_CASE(a_set_is_a_part_of_a_record) {
    const auto m = mechanism(R"({"mechanism": "auto", "epsilon": 4, "per_report": 1, "attributes": [
        {"name": "services", "domain": ["a", "b", "c", "d"], "several": true, "most": 2},
        {"name": "town", "domain": 3}]})");
    BOOST_CHECK(find_capability<LabelSets>(*part_of(*m, 0).mechanism) != nullptr);
    BOOST_CHECK_EQUAL(m->cells()[0], 4);
    BOOST_CHECK_EQUAL(m->input_cells()[0], 11);
    SeededBits bits(8);
    OwnedSummary summary(*m);
    for (int i = 0; i < 6000; ++i)
        summary.draw(std::vector<Cell>{i % 2 == 0 ? code_of_set(4, std::vector<Cell>{0, 3}) : Cell{0}, 1},
                     bits);
    const auto shares = summary.estimate(Quantity::frequencies, Target::sample, 0);
    BOOST_REQUIRE_EQUAL(shares.size(), 4);
    for (const std::size_t v : {0, 1, 3})
        BOOST_CHECK_SMALL(shares[v].value - (v == 1 ? 0 : 0.5), 6 * shares[v].standard_error);
    const SetSize size = set_size(summary.view(), 0, Target::sample, usual);
    BOOST_CHECK_SMALL(size.estimate.value - 1, 6 * size.estimate.standard_error);
    const auto rows = row_function("estimate").find({.summary = summary.bytes()}, {});
    BOOST_CHECK_EQUAL(rows->count(), 7);
}

BOOST_AUTO_TEST_CASE(sets_have_memoized_responses) {
    const std::string begin = R"({"mechanism": "auto", "epsilon": 1, "evolving": {}, "budget": {"epsilon": )";
    const std::string end = R"(}, "domain": 6, "several": true, "most": 2})";
    // One label has two responses; there are 22 sets.
    const Spec small = resolve(begin + "3" + end), large = resolve(begin + "40" + end);
    BOOST_CHECK_EQUAL(small.word("response"), "one_label");
    BOOST_CHECK_EQUAL(large.word("response"), "subset");
    BOOST_CHECK_EQUAL(possible_responses(small, *make_mechanism(small)), 2);
    BOOST_CHECK_EQUAL(possible_responses(large, *make_mechanism(large)), 22);
    const auto m = sets(1, 6, 2, "one_label");
    std::vector<std::byte> asked(m->public_size());
    store_cell(asked.data(), asked.size(), 3);
    const auto key = [&](const std::vector<Cell>& set) {
        return m->response_key(std::vector{code_of_set(6, set)}, asked);
    };
    BOOST_CHECK(key({}) == key({1, 2}));
    BOOST_CHECK(key({3}) == key({1, 3}));
    BOOST_CHECK(key({3}) != key({1}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
