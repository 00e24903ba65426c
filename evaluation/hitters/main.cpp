// What a search for frequent strings is compared with. The people are made up: 5,000 strings of six letters,
// the r-th most frequent held by a share in proportion to 1/r, letters as uneven as a draw of their own makes
// them.
//
//   evaluate-hitters people USERS SEED           prints their strings, one per line.
//   evaluate-hitters score USERS SEED <FOUND     scores the strings found.
//   evaluate-hitters counters USERS SEEDS [EPSILON]  compares numbers of counters of the mechanism `strings`.
// The score has the number of the ten most frequent strings (among the first ten found, and among all),
// the number of strings that do not occur, and the total.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/choice/resolve.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/summary/queries/string_queries.hpp"
#include "core/summary/summary.hpp"
#include "simulation/seeded_random.hpp"

namespace {

using namespace ldp;

constexpr std::size_t strings = 5000, letters = 6, wanted = 10;

struct People {
    std::vector<std::string> words;  ///< what can be held
    std::vector<std::size_t> holds;  ///< whom each person holds

    People(std::size_t users, std::uint64_t seed, std::size_t length = letters) {
        std::mt19937_64 random(seed);
        std::gamma_distribution<> uneven(2, 1);
        std::vector<double> weights(26);
        for (double& weight : weights) weight = uneven(random);
        std::discrete_distribution<int> letter(weights.begin(), weights.end());
        std::set<std::string> known;
        while (words.size() < strings) {
            std::string word(length, 'a');
            for (char& c : word) c = static_cast<char>('a' + letter(random));
            if (known.insert(word).second) words.push_back(word);
        }
        weights.clear();
        for (std::size_t r = 1; r <= strings; ++r) weights.push_back(1 / static_cast<double>(r));
        std::discrete_distribution<std::size_t> held(weights.begin(), weights.end());
        for (std::size_t i = 0; i < users; ++i) holds.push_back(held(random));
    }

    [[nodiscard]] std::set<std::string> top(std::size_t largest = wanted) const {
        std::vector<std::size_t> count(strings), order(strings);
        for (const std::size_t word : holds) ++count[word];
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t word) { return count[word]; });
        std::set<std::string> best;
        for (std::size_t i = 0; i < largest; ++i) best.insert(words[order[i]]);
        return best;
    }
};

void score(const People& people) {
    const std::set<std::string> top = people.top(), all(people.words.begin(), people.words.end());
    std::size_t found = 0, right = 0, right_of_first = 0, held_by_nobody = 0;
    for (std::string word; std::getline(std::cin, word) && !word.empty(); ++found) {
        right += top.contains(word);
        right_of_first += found < wanted && top.contains(word);
        held_by_nobody += !all.contains(word);
    }
    std::printf("%zu %zu %zu %zu\n", right_of_first, right, held_by_nobody, found);
}

/// The people hold strings of ten letters. Prints the share of the twenty most frequent strings that are among
/// the twenty largest of a search, and the processor time of a search.
void counters(std::size_t users, std::uint64_t seeds, const std::vector<double>& epsilons) {
    constexpr std::size_t length = 10, largest = 20;
    std::printf("%-8s %9s %8s %8s %9s %8s %8s\n", "epsilon", "counters", "buckets", "cohorts", "kB", "recall",
                "ms");
    for (const double epsilon : epsilons)
        for (const double times : {0.0, 0.25, 0.5, 1.0, 2.0, 4.0}) {
            const auto with = [&](const std::string& more) {
                return make_mechanism(
                    Spec::from_json("{\"mechanism\": \"strings\", \"epsilon\": " + std::to_string(epsilon) +
                                    R"(, "strings": {"alphabet": "a-z", "max_length": 10})" + more + "}"));
            };
            const auto parameter = [](const Mechanism& mechanism, const std::string& name) {
                for (const auto& [key, value] : mechanism.parameters())
                    if (key == name) return value;
                return 0.0;
            };
            const auto usual = with("");
            const double each = parameter(*usual, "levels") * parameter(*usual, "buckets");
            const auto cohorts = std::max(1.0, std::floor(times * 32768 / each));
            if (cohorts > 2048) continue;  // a search would take too long
            const auto mechanism =
                times == 0 ? with("") : with(", \"cohorts\": " + std::to_string(static_cast<int>(cohorts)));
            double found = 0, seconds = 0;
            for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
                const People people(users, seed, length);
                std::vector<Cell> codes;
                for (const std::string& word : people.words) {
                    Cell code = 0;
                    for (const char c : word) code = code * 27 + 1 + static_cast<Cell>(c - 'a');
                    codes.push_back(code);
                }
                simulation::SeededBits bits(seed);
                std::vector<std::byte> summary(summary_size(*mechanism));
                start_summary(*mechanism, summary);
                Perturber perturber(*mechanism);
                for (const std::size_t word : people.holds)
                    if (accumulate(*mechanism, summary, perturber.perturb({&codes[word], 1}, bits)) !=
                        Outcome::ok)
                        std::abort();
                const std::clock_t start = std::clock();
                const auto all =
                    search_strings(view_of(*mechanism, summary), 0, {.limit = largest}, Target::sample);
                seconds += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
                std::set<Cell> top;
                for (const std::string& word : people.top(largest))
                    top.insert(codes[static_cast<std::size_t>(std::ranges::find(people.words, word) -
                                                              people.words.begin())]);
                for (const FrequentString& one : all) found += top.contains(one.code) ? 1 : 0;
            }
            const auto runs = static_cast<double>(seeds);
            std::printf("%-8g %9zu %8g %8g %9zu %8.2f %8.1f%s\n", epsilon, mechanism->state_size() / 8,
                        parameter(*mechanism, "buckets"), parameter(*mechanism, "cohorts"),
                        mechanism->state_size() / 1000, found / runs / largest, seconds / runs * 1000,
                        times == 0 ? "  default" : "");
            std::fflush(stdout);
        }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fputs("usage: evaluate-hitters people|score|counters USERS SEED [EPSILON]\n", stderr);
        return 2;
    }
    const std::string what = argv[1];
    const auto users = std::strtoull(argv[2], nullptr, 10), seed = std::strtoull(argv[3], nullptr, 10);
    if (what == "counters") {
        counters(users, seed,
                 argc > 4 ? std::vector{std::strtod(argv[4], nullptr)}
                          : std::vector{1.0, 2.0, 3.0, 4.0, 5.0, 6.0});
        return 0;
    }
    const People people(users, seed);
    if (what == "people")
        for (const std::size_t word : people.holds) std::puts(people.words[word].c_str());
    else if (what == "score")
        score(people);
    else
        return 2;
}
