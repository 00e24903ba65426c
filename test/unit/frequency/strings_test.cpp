// Strings of an open domain: codes, levels, estimates with collisions, and the search.
// Length: all tests of one mechanism, on the same strings.

#include <cmath>
#include <map>
#include <set>

#include "core/base/error.hpp"
#include "core/base/square.hpp"
#include "core/mechanism/strings/frequent_strings.hpp"
#include "core/mechanism/strings/string_codes.hpp"
#include "core/summary/queries/string_queries.hpp"
#include "support.hpp"

namespace ldp::test {

namespace {

constexpr const char* short_strings = R"("strings": {"alphabet": "a-c", "max_length": 3})";

StringDomain domain(const char* alphabet, std::uint64_t longest) {
    return {*read_alphabet(alphabet), longest, false, {}};
}

std::string canonical(const std::string& strings) {
    return resolve(R"({"mechanism": "strings", "epsilon": 1, "strings": )" + strings + "}").to_json();
}

bool refused(const std::string& strings) {
    try {
        static_cast<void>(canonical(strings));
    } catch (const Error& error) {
        return error.code() == ErrorCode::invalid_spec;
    }
    return false;
}

/// What collisions add to the expected estimate of `code` for each person with another string, over the
/// cohorts of the last level.
double collisions_of(std::uint64_t level, std::uint64_t cohorts, std::uint64_t buckets, SplitPrefix code,
                     SplitPrefix other) {
    double same = 0;
    for (std::uint64_t c = 0; c < cohorts; ++c) {
        const CohortHash hash(level, c, buckets);
        same += hash(code) == hash(other) ? 1 : 0;
    }
    const auto g = static_cast<double>(buckets);
    return (same / static_cast<double>(cohorts) - 1 / g) * g / (g - 1);
}

/// A summary of people with these numbers of holders of each code.
OwnedSummary collected(const Mechanism& m, const std::vector<std::pair<Cell, int>>& holders,
                       BitSource& bits) {
    OwnedSummary summary(m);
    for (const auto& [code, people] : holders)
        for (int i = 0; i < people; ++i) summary.draw(code, bits);
    return summary;
}

StringShare share_in(const OwnedSummary& summary, Cell code, Target target = Target::sample) {
    return shares_of_strings(summary.view(), 0, {&code, 1}, target)[0];
}

bool covers(const StringShare& share, double truth) {
    const Interval found = interval(share.estimate, critical_value(0.95), share.law);
    return found.lower <= truth && truth <= found.upper;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(strings)

BOOST_AUTO_TEST_CASE(strings_have_codes) {
    const StringDomain words = domain("a-z0-9 ", 12);
    BOOST_CHECK_EQUAL(words.alphabet.size(), 37u);
    BOOST_CHECK_EQUAL(code_count(words), 9065737908494995456u);
    std::set<std::uint64_t> codes;
    for (const char* text : {"", "a", "ab", "ba", "acme", "acme 2", "zzzzzzzzzzzz", " "}) {
        const auto found = code_of(words, text);
        BOOST_REQUIRE(found);
        BOOST_CHECK(!found->truncated && !found->replaced);
        BOOST_CHECK_LT(found->code, code_count(words));
        BOOST_CHECK_EQUAL(string_of(words, found->code), text);
        codes.insert(found->code);
    }
    BOOST_CHECK_EQUAL(codes.size(), 8u);
    BOOST_CHECK_EQUAL(code_of(words, "")->code, 0u);
    const auto cut = code_of(words, "internationalisation");
    BOOST_CHECK(cut->truncated);
    BOOST_CHECK_EQUAL(string_of(words, cut->code), "internationa");
    // A string that may have been cut is shown with three dots, which does not change its code.
    BOOST_CHECK_EQUAL(string_label(words, cut->code), "internationa...");
    BOOST_CHECK_EQUAL(code_of(words, string_label(words, cut->code))->code, cut->code);
    BOOST_CHECK_EQUAL(string_label(words, code_of(words, "acme")->code), "acme");
    BOOST_CHECK(!code_of(words, "Acme"));
    BOOST_CHECK(!code_of(words, "a\xff"));
    StringDomain folded = words;
    folded.fold = true;
    BOOST_CHECK_EQUAL(string_of(folded, code_of(folded, "Acme")->code), "acme");
    folded.other = U" ";
    const auto replaced = code_of(folded, "Coca-Cola");
    BOOST_CHECK(replaced->replaced);
    BOOST_CHECK_EQUAL(string_of(folded, replaced->code), "coca cola");
    const StringDomain greek = domain("\xce\xb1-\xcf\x89", 5);
    const char* word = "\xce\xb1\xce\xb2\xcf\x89";
    BOOST_CHECK_EQUAL(string_of(greek, code_of(greek, word)->code), word);
}

BOOST_AUTO_TEST_CASE(alphabets_have_one_short_form) {
    for (const auto& [given, short_form] :
         std::map<std::string, std::string>{{"cba", "a-c"},
                                            {"a-z0-9 ", " 0-9a-z"},
                                            {"-a", "-a"},
                                            {"a-", "-a"},
                                            {"+-/", "-+,./"},
                                            {"ab", "ab"},
                                            {"aab-d", "a-d"},
                                            {"\xce\xb1-\xce\xb3", "\xce\xb1-\xce\xb3"}}) {
        const auto found = read_alphabet(given);
        BOOST_REQUIRE(found);
        BOOST_CHECK_EQUAL(alphabet_text(*found), short_form);
        BOOST_CHECK(*read_alphabet(short_form) == *found);
    }
    for (const char* wrong : {"z-a", "a\xff", "a\x01"}) BOOST_CHECK(!read_alphabet(wrong));
}

BOOST_AUTO_TEST_CASE(specs_of_strings) {
    const std::string found =
        canonical(R"({"alphabet": "cba", "max_length": 4, "lowercase": true, "other": "a"})");
    BOOST_CHECK(found.find(R"("strings":{"alphabet":"a-c","lowercase":true,"max_length":4,"other":"a"})") !=
                    found.npos ||
                found.find(R"("alphabet":"a-c")") != found.npos);
    BOOST_CHECK_EQUAL(resolve(found).to_json(), found);
    for (const char* wrong :
         {R"({"max_length": 4})", R"({"alphabet": "a-c"})", R"({"alphabet": "", "max_length": 4})",
          R"({"alphabet": "a-c", "max_length": 0})", R"({"alphabet": "a-z0-9 ", "max_length": 13})",
          R"({"alphabet": "a-c", "max_length": 4, "other": "x"})",
          R"({"alphabet": "a-c", "max_length": 4, "lowercase": 1})",
          R"({"alphabet": "a-c", "max_length": 4, "upper": true})"})
        BOOST_CHECK_MESSAGE(refused(wrong), wrong);
    // "auto" has one mechanism for strings; those of categories and records take none.
    BOOST_CHECK_EQUAL(
        resolve(R"({"mechanism": "auto", "epsilon": 1, "strings": {"alphabet": "ab", "max_length": 2}})")
            .mechanism()
            .name,
        "strings");
    for (const char* name : {"grr", "rappor", "pdp", "tree", "haar", "joint"})
        BOOST_CHECK_THROW(
            static_cast<void>(mechanism(name, 1, R"("strings": {"alphabet": "ab", "max_length": 2})")),
            Error);
    BOOST_CHECK_THROW(static_cast<void>(mechanism("strings", 1, R"("domain": 4)")), Error);
    BOOST_CHECK_THROW(
        static_cast<void>(mechanism(
            "strings", 1, std::string(short_strings) + R"(, "cohorts": 65536, "hash_buckets": 64)")),
        Error);
}

// A search with default arguments has 32·19,683 candidates on a level, and at most 2^31 look-ups.
BOOST_AUTO_TEST_CASE(specs_without_a_default_search_are_refused) {
    const std::string words = R"("strings": {"alphabet": "a-z", "max_length": 9}, "cohorts": )";
    BOOST_CHECK_THROW(static_cast<void>(mechanism("strings", 4, words + "4000")), Error);
    BOOST_CHECK_NO_THROW(static_cast<void>(mechanism("strings", 4, words + "3000")));
}

BOOST_AUTO_TEST_CASE(levels_extend_beginnings) {
    const StringLevels levels(38, 12, StringLevels::usual_first(38), StringLevels::usual_step(38));
    BOOST_REQUIRE_EQUAL(levels.count(), 6u);
    for (std::size_t i = 0; i < 6; ++i)
        BOOST_CHECK_EQUAL(levels.length(i), std::min<std::uint64_t>(12, 3 + 2 * i));
    const StringDomain words = domain("a-z0-9 ", 12);
    const auto first_whole = [&](const char* text) { return levels.first_whole(code_of(words, text)->code); };
    BOOST_CHECK_EQUAL(first_whole(""), 0u);
    BOOST_CHECK_EQUAL(first_whole("ab"), 0u);
    BOOST_CHECK_EQUAL(first_whole("abc"), 1u);
    BOOST_CHECK_EQUAL(first_whole("abcde"), 2u);
    BOOST_CHECK_EQUAL(first_whole("abcdefghijk"), 5u);
    BOOST_CHECK_EQUAL(first_whole("abcdefghijkl"), 5u);
    const Cell code = code_of(words, "abcd")->code;
    BOOST_CHECK_EQUAL(levels.whole(levels.prefix(code, 1), 1), code);
    // Every sound code once: those of strings.
    const StringLevels few(4, 3, 1, 1);
    const auto sound = few.sound_codes(3);
    BOOST_CHECK_EQUAL(sound.size(), few.sound_code_count(3));
    BOOST_CHECK_EQUAL(std::set<std::uint64_t>(sound.begin(), sound.end()).size(), 1u + 3 + 9 + 27);
    const StringDomain three = domain("a-c", 3);
    for (const std::uint64_t each : sound)
        BOOST_CHECK_EQUAL(code_of(three, string_of(three, each))->code, each);
}

// Six standard deviations everywhere: a false alarm has probability 2e-9 each.
BOOST_AUTO_TEST_CASE(hash_functions_collide_as_random_ones) {
    constexpr std::uint64_t buckets = 8, cohorts = 256, values = 400;
    double sum = 0, squares = 0, count = 0;
    for (Cell u = 0; u < values; ++u)
        for (Cell v = 0; v < u; v += 7) {  // neighbours and distant ones
            const double off = collisions_of(2, cohorts, buckets, {u / 20, u % 20}, {v / 20, v % 20});
            sum += off;
            squares += off * off;
            ++count;
        }
    const double variance = 1.0 / (cohorts * (buckets - 1));
    BOOST_CHECK_SMALL(sum / count, 6 * std::sqrt(variance / count));
    BOOST_CHECK_SMALL(squares / count / variance - 1, 6 * std::sqrt(2 / count));
}

// For three prefixes, the events that two of them collide with the third are uncorrelated, also if parts of them
// agree: the variance of collisions is a sum over prefixes. Six standard deviations, as above.
BOOST_AUTO_TEST_CASE(hash_functions_are_independent_for_three_prefixes) {
    constexpr std::uint64_t buckets = 5, cohorts = 4096;
    double sum = 0, count = 0;
    for (std::uint64_t head = 0; head < 40; ++head)
        for (const auto& [one, two] : {std::pair(SplitPrefix{head, 1}, SplitPrefix{head + 1, 0}),
                                       {{head, 1}, {head, 2}},
                                       {{head + 1, 0}, {head + 2, 0}},
                                       {{head + 1, 1}, {head + 2, 2}}})
            for (std::uint64_t c = 0; c < cohorts; ++c) {
                const CohortHash hash(1, c, buckets);
                const std::uint64_t bucket = hash({head, 0});
                const auto off = [&](SplitPrefix other) {
                    return (hash(other) == bucket ? 1 : 0) - 1.0 / buckets;
                };
                sum += off(one) * off(two);
                ++count;
            }
    const double variance = (1.0 / buckets) * (1 - 1.0 / buckets);
    BOOST_CHECK_SMALL(sum / count, 6 * variance / std::sqrt(count));
}

// A search sums the cells of groups of cohorts. The order of its sums is that of single estimates.
BOOST_AUTO_TEST_CASE(sums_of_many_prefixes_agree_with_single_estimates) {
    SeededBits bits(4107);
    for (const auto& [cohorts, buckets] :
         {std::pair(1u, 2u), {7u, 3u}, {30u, 4u}, {9u, 8u}, {5u, 40u}, {3u, 700u}}) {
        const StringLevels levels(6, 5, 2, 2);
        std::vector<std::byte> counters(std::size_t{8} * cohorts * buckets);
        for (std::size_t i = 0; i < counters.size(); i += 8)
            counters[i] = static_cast<std::byte>(bits.below(200));
        // Without reports in most cohorts, these are left out.
        const bool few = cohorts % 3 == 0;
        for (std::size_t i = 0; few && i < counters.size() - counters.size() / 3; ++i) counters[i] = {};
        for (std::size_t level = 0; level < levels.count(); ++level) {
            LevelCounts counts(counters, levels, level, cohorts, buckets, 0.5);
            counts.subtract(counts.cells(7), 0.1);
            const std::vector<std::uint64_t> heads{0, 1, 4};
            TailBuckets tails({0, 1, 2, 5}, counts.reporting_cohorts(), buckets);
            const std::vector<float> sums = counts.sums(heads, tails);
            BOOST_REQUIRE_EQUAL(sums.size(), 12u);
            BOOST_CHECK_EQUAL(tails.cohorts().size() < cohorts, few);
            const double unit = counts.reports() * 0.5 * (1 - 1.0 / buckets);
            const auto share_of = [&](std::size_t i) {
                const std::uint64_t prefix = levels.joined({heads[i / 4], tails.tails()[i % 4]}, level);
                BOOST_CHECK_EQUAL(levels.split(prefix, level).tail, tails.tails()[i % 4]);
                return counts.share(counts.cells(prefix));
            };
            for (std::size_t i = 1; i < sums.size(); ++i)
                BOOST_CHECK_SMALL((sums[i] - sums[0]) / unit - (share_of(i) - share_of(0)), 1e-6);
        }
    }
}

// One level, so that the estimate is a single ratio: its mean given the hash functions has a closed form.
BOOST_AUTO_TEST_CASE(estimates_have_the_stated_mean_and_variance) {
    const auto m = mechanism("strings", 2, std::string(short_strings) + R"(, "cohorts": 4)");
    const std::uint64_t buckets = 8;
    BOOST_REQUIRE_EQUAL(m->state_size(), 4 * buckets * 8);
    constexpr Cell a = 16, b = 32, nobody = 21;
    constexpr int of_a = 60, of_b = 30, of_empty = 10, n = 100, repetitions = 4000;
    SeededBits bits(4101);
    std::map<Cell, std::pair<double, double>> sums;
    for (int i = 0; i < repetitions; ++i) {
        const OwnedSummary summary = collected(*m, {{a, of_a}, {b, of_b}, {0, of_empty}}, bits);
        for (const Cell code : {a, b, nobody}) {
            const double share = share_in(summary, code).estimate.value;
            sums[code].first += share;
            sums[code].second += share * share;
        }
    }
    for (const Cell code : {a, b, nobody}) {
        double expected = 0;
        for (const auto& [other, share] :
             {std::pair(a, of_a), std::pair(b, of_b), std::pair(Cell{0}, of_empty)})
            expected +=
                share / double{n} * (other == code ? 1 : collisions_of(0, 4, buckets, {0, code}, {0, other}));
        const double mean = sums[code].first / repetitions;
        const double variance = sums[code].second / repetitions - mean * mean;
        BOOST_CHECK_SMALL(mean - expected, 6 * std::sqrt(variance / repetitions));
        // Randomizer and cohorts; collisions of so few cohorts add to the second.
        const double truth = code == a ? 0.6 : code == b ? 0.3 : 0;
        BOOST_CHECK_GT(variance * n, 0.5 * m->n_variance(truth));
        BOOST_CHECK_LT(variance * n, 2 * m->n_variance(truth));
    }
}

// The strings are drawn anew each time, and with them the collisions.
BOOST_AUTO_TEST_CASE(intervals_cover_the_truth, *boost::unit_test::label("slow")) {
    for (const double epsilon : {1.0, 4.0})
        for (const int n : {50, 400}) {
            const auto m = mechanism(
                "strings", epsilon,
                R"("strings": {"alphabet": "a-z", "max_length": 4}, "first_level_length": 2, "level_step": 2, "cohorts": 16)");
            constexpr int repetitions = 4000;
            SeededBits bits(4102 + static_cast<std::uint64_t>(n));
            int held = 0, unheld = 0, population = 0;
            double deviations = 0;
            for (int i = 0; i < repetitions; ++i) {
                const auto any = [&] {
                    Cell code = 0;
                    for (int k = 0; k < 4; ++k) code = code * 27 + 1 + bits.below(26);
                    return code;
                };
                const Cell heavy = any(), other = any(), nobody = any();
                const OwnedSummary summary =
                    collected(*m, {{heavy, n / 2}, {other, n / 5}, {0, n - n / 2 - n / 5}}, bits);
                const StringShare found = share_in(summary, heavy), none = share_in(summary, nobody);
                held += covers(found, n / 2 / double(n));
                unheld += covers(none, 0);
                deviations += square(found.estimate.value - 0.5) / square(found.estimate.standard_error);
                OwnedSummary drawn(*m);
                for (int k = 0; k < n; ++k) drawn.draw(bits.below(10) < 3 ? heavy : other, bits);
                population += covers(share_in(drawn, heavy, Target::population), 0.3);
            }
            for (const int covered : {held, population}) {
                BOOST_CHECK_GT(covered, 0.93 * repetitions);
                BOOST_CHECK_LT(covered, 0.97 * repetitions);
            }
            // Nothing is below a share of 0, so that an interval misses it on one side only.
            BOOST_CHECK_GT(unheld, 0.95 * repetitions);
            BOOST_CHECK_LT(unheld, 0.99 * repetitions);
            BOOST_CHECK_GT(deviations / repetitions, 0.8);
            BOOST_CHECK_LT(deviations / repetitions, 1.5);
        }
}

BOOST_AUTO_TEST_CASE(searches_find_what_is_frequent) {
    const auto m = mechanism(
        "strings", 4,
        R"("strings": {"alphabet": "a-z", "max_length": 9}, "first_level_length": 2, "level_step": 2)");
    const StringDomain words = domain("a-z", 9);
    const auto code = [&](const char* text) { return code_of(words, text)->code; };
    SeededBits bits(4103);
    OwnedSummary summary(*m);
    const std::vector<std::pair<const char*, int>> held{
        {"acme", 6000}, {"acmeone", 4000}, {"zebra", 3000}, {"", 2000}, {"longestof", 2000}};
    for (const auto& [text, people] : held)
        for (int i = 0; i < people; ++i) summary.draw(code(text), bits);
    for (int i = 0; i < 3000; ++i)
        summary.draw(code_of(words, std::string(3, 'b') + std::to_string(i)) ? 0 : bits.below(m->cells()[0]),
                     bits);
    const auto found = search_strings(summary.view(), 0, {}, Target::sample);
    BOOST_REQUIRE_EQUAL(found.size(), held.size());
    for (const FrequentString& one : found) {
        const auto truth =
            std::ranges::find_if(held, [&](const auto& each) { return code(each.first) == one.code; });
        BOOST_REQUIRE(truth != held.end());
        BOOST_CHECK_EQUAL(one.whole, std::string(truth->first) != "longestof");
        BOOST_CHECK_LT(one.share.p_value, 0.05);
        BOOST_CHECK_SMALL(one.share.estimate.value - truth->second / 20000.0,
                          6 * one.share.estimate.standard_error);
        // The share of a given string is the same except for subtracted collisions.
        const StringShare alone = share_in(summary, one.code);
        BOOST_CHECK_EQUAL(alone.n, one.share.n);
        BOOST_CHECK_SMALL(alone.estimate.value - one.share.estimate.value, 2 * alone.estimate.standard_error);
    }
    BOOST_CHECK_EQUAL(search_strings(summary.view(), 0, {.limit = 2}, Target::sample).size(), 2u);
    BOOST_CHECK_EQUAL(search_strings(summary.view(), 0, {.limit = 40}, Target::sample).size(), 40u);
    for (const std::uint64_t keep : {0u, 10001u})
        BOOST_CHECK_THROW(
            static_cast<void>(search_strings(summary.view(), 0, {.keep = keep}, Target::sample)), Error);
    BOOST_CHECK_GT(summary.health(), 1e-6);
}

// Memoized reports of 1,000 people. Six standard deviations of the mean: a false alarm has probability 2e-9. Of
// 100 intervals with coverage 95 %, fewer than 79 hold with probability 4e-9; of 16, fewer than 6 with 2e-11.
BOOST_AUTO_TEST_CASE(searches_of_repeated_reports_are_unbiased, *boost::unit_test::label("slow")) {
    const std::vector<std::pair<const char*, int>> held{
        {"acme", 400}, {"globe", 300}, {"wayne", 100}, {"hooli", 100}, {"stark", 100}};
    SeededBits bits(4106);
    // The default lengths have many candidates, of which some are far above their expectation.
    for (const auto& [lengths, longest, rounds, repetitions, least] :
         {std::tuple(R"(5}, "first_level_length": 3, "level_step": 2)", 5u, 1, 100, 79),
          {"8}", 8u, 10, 16, 6}}) {
        const auto m =
            mechanism(R"({"mechanism": "strings", "epsilon": 4, "evolving": {}, "budget": {"epsilon": 12},)"
                      R"( "strings": {"alphabet": "a-z", "max_length": )" +
                      std::string(lengths) + "}");
        const StringDomain words = domain("a-z", longest);
        const Cell acme = code_of(words, "acme")->code;
        double sum = 0, squares = 0;
        int covered = 0, others = 0;
        for (int i = 0; i < repetitions; ++i) {
            OwnedSummary summary(*m);
            Perturber device(*m);
            for (const auto& [text, people] : held)
                for (int k = 0; k < people; ++k) {
                    const Cell code = code_of(words, text)->code;
                    const Report report = device.perturb({&code, 1}, bits);
                    for (int round = 1; round <= rounds; ++round) summary.add(report, Rounds::only(round));
                }
            for (const FrequentString& one : search_strings(summary.view(), 0, {}, Target::sample)) {
                const auto known = std::ranges::find_if(
                    held, [&](const auto& each) { return code_of(words, each.first)->code == one.code; });
                others += known == held.end() ? 1 : 0;
                if (one.code != acme) continue;
                sum += one.share.estimate.value;
                squares += square(one.share.estimate.value);
                covered += covers(one.share, 0.4);
            }
        }
        const double mean = sum / repetitions, variance = squares / repetitions - mean * mean;
        BOOST_CHECK_SMALL(mean - 0.4, 6 * std::sqrt(variance / repetitions));
        BOOST_CHECK_GE(covered, least);
        // A search finds a string without holders with probability 0.05 at most.
        BOOST_CHECK_LT(others, 0.05 * repetitions + 6 * std::sqrt(0.05 * repetitions));
    }
}

// Of 400 searches among strings that are all rare, 20 find one at most by chance; 50 have probability 1e-8.
BOOST_AUTO_TEST_CASE(searches_find_nothing_where_nothing_is_frequent, *boost::unit_test::label("slow")) {
    const auto m = mechanism(
        "strings", 4,
        R"("strings": {"alphabet": "a-f", "max_length": 4}, "first_level_length": 2, "level_step": 1)");
    constexpr Cell rare_but_one = 3 * 343 + 2 * 49;
    int alarms = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        SeededBits bits(4200 + seed);
        OwnedSummary summary(*m);
        // One string is frequent, so that its collisions are among what must not be taken for strings.
        for (int i = 0; i < 600; ++i)
            summary.draw(i % 3 == 0 ? rare_but_one : bits.below(m->cells()[0]), bits);
        for (const FrequentString& one : search_strings(summary.view(), 0, {}, Target::sample))
            alarms += one.code == rare_but_one || one.share.estimate.value < 0 ? 0 : 1;
    }
    BOOST_CHECK_LT(alarms, 50);
}

// The sum of a string's contributions is its estimate times the number of reports. Every payload adds one of
// the contributions that are stated, or none if it is about another level.
BOOST_AUTO_TEST_CASE(a_report_contributes_what_is_stated) {
    const auto m =
        mechanism("strings", 2,
                  std::string(short_strings) + R"(, "first_level_length": 1, "level_step": 2, "cohorts": 2)");
    constexpr Cell code = 63;  // whole at the last level only
    OwnedSummary honest(*m);
    SeededBits bits(4105);
    for (int i = 0; i < 60; ++i) honest.draw(bits.below(64), bits);
    const std::vector<Contribution> stated = m->contributions({Quantity::strings, Target::sample, 0});
    BOOST_REQUIRE_EQUAL(stated.size(), 1u);
    const StringShare before = share_in(honest, code);
    std::set<int> found;
    BOOST_REQUIRE_EQUAL(m->payload_size(), 4u);
    for (unsigned i = 0; i < 2 * 2 * 8; ++i) {
        const std::vector<std::byte> payload{static_cast<std::byte>(i % 2),
                                             static_cast<std::byte>(i / 2 % 2),
                                             {},
                                             static_cast<std::byte>(i / 4)};
        std::vector<std::byte> state(honest.state().begin(), honest.state().end());
        BOOST_REQUIRE(m->accumulate(state, payload));
        const SummaryView more{{honest.view().n + 1, state}, m.get()};
        const StringShare after = shares_of_strings(more, 0, {&code, 1}, Target::sample)[0];
        const double added = after.estimate.value * static_cast<double>(after.n) -
                             before.estimate.value * static_cast<double>(before.n);
        const int which = std::abs(added) < 1e-9                           ? 0
                          : std::abs(added - stated[0].terms.lower) < 1e-9 ? 1
                          : std::abs(added - stated[0].terms.upper) < 1e-9 ? 2
                                                                           : 3;
        BOOST_CHECK_EQUAL(which == 0, after.n == before.n);
        found.insert(which);
    }
    BOOST_CHECK((found == std::set<int>{0, 1, 2}));
    BOOST_CHECK_CLOSE(stated[0].chance, 0.5, 1e-9);
}

BOOST_AUTO_TEST_CASE(rare_reports_and_hostile_states) {
    const auto m =
        mechanism("strings", 1,
                  std::string(short_strings) + R"(, "first_level_length": 1, "level_step": 1, "cohorts": 2)");
    OwnedSummary summary(*m);
    SeededBits bits(4104);
    BOOST_CHECK_THROW(static_cast<void>(share_in(summary, 0)), Error);
    summary.draw(0, bits);
    BOOST_CHECK_THROW(static_cast<void>(share_in(summary, 64)), Error);
    // One report is about one level: a string of three characters has reports at the last only.
    for (const Cell code : {0u, 63u}) {
        const StringShare share = share_in(summary, code);
        BOOST_CHECK(share.n <= 1 && (share.n == 1 || std::isnan(share.estimate.value)));
    }
    static_cast<void>(search_strings(summary.view(), 0, {.limit = 10}, Target::population));
    std::vector<std::byte> state(m->state_size());
    BOOST_CHECK(m->valid_state({0, state}));
    BOOST_CHECK(!m->valid_state({1, state}));
    add<std::uint64_t>(state.data(), ~std::uint64_t{0});
    add<std::uint64_t>(state.data() + 8, 3);
    BOOST_CHECK(!m->valid_state({2, state}));
    std::vector<std::byte> payload(m->payload_size());
    BOOST_CHECK(m->valid_payload(payload));
    // Three levels, two cohorts, four buckets: the numbers just beyond them, too.
    BOOST_REQUIRE_EQUAL(m->state_size(), 3 * 2 * 4 * sizeof(std::uint64_t));
    for (const auto& [wrong, number] :
         {std::pair(0u, 200), {1u, 200}, {2u, 200}, {3u, 200}, {0u, 3}, {1u, 2}, {3u, 4}}) {
        std::vector<std::byte> damaged = payload;
        damaged[wrong] = static_cast<std::byte>(number);
        BOOST_CHECK(!m->valid_payload(damaged));
        BOOST_CHECK(!m->accumulate(state, damaged));
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
