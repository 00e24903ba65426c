// Coverage of intervals of shares in single rounds of a series, with few people and little noise.

#include <cmath>

#include "number_people.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(ddrm_coverage)

namespace {

constexpr double usual = 1.959963984540054;

/// People of whom 5 % have the last value and 60 % the first one. One in five changes in the middle.
std::vector<NumberCells> people_with_rare_values(std::size_t n, std::size_t values, std::size_t rounds) {
    std::vector<NumberCells> all;
    for (std::size_t i = 0; i < n; ++i) {
        const Cell first = i % 20 == 0 ? values - 1 : i % 10 < 6 ? 0 : 1;
        NumberCells series(rounds, values == 2 && first != values - 1 ? 0 : first);
        for (std::size_t t = rounds / 2; i % 5 == 0 && t < rounds; ++t) series[t] = (series[t] + 1) % values;
        if (values == 2 && i % 20 == 0) std::ranges::fill(series, 1);
        all.push_back(series);
    }
    return all;
}

}  // namespace

// The variance of an interval is that at the true share, not at the estimate: a round in which few people report often has an
// estimate at or below 0, with nearly no variance. 400 intervals with a coverage of 95 % cover fewer than 87 % with probability
// 1e-9.
BOOST_AUTO_TEST_CASE(shares_of_few_people_are_covered, *boost::unit_test::label("slow")) {
    constexpr std::size_t rounds = 4, repetitions = 400;
    std::uint64_t seed = 501;
    for (const std::size_t values : {2, 4})
        for (const double epsilon : {2.0, 8.0})
            for (const std::size_t n : {60, 600}) {
                const auto m =
                    mechanism("ddrm", epsilon,
                              "\"domain\": " + std::to_string(values) + R"(, "rounds": 4, "changes": 2)");
                const std::vector<NumberCells> people = people_with_rare_values(n, values, rounds);
                std::vector<double> truth(values * rounds), covered(values * rounds);
                for (const NumberCells& series : people)
                    for (std::size_t t = 0; t < rounds; ++t)
                        truth[t * values + series[t]] += 1 / static_cast<double>(n);
                SeededBits bits(seed++);
                for (std::size_t r = 0; r < repetitions; ++r) {
                    const OwnedSummary summary = reported_series(*m, people, bits);
                    for (std::size_t t = 0; t < rounds; ++t) {
                        const auto round = static_cast<std::int64_t>(t + 1);
                        const auto found = mean_of_rounds(summary.view(), {&round, 1}, {}, Target::sample);
                        for (std::size_t v = 0; v < values; ++v) {
                            const Interval range = interval(found[v], usual, found[v].law);
                            const double share = truth[t * values + v];
                            covered[t * values + v] +=
                                range.lower <= share + 1e-9 && share - 1e-9 <= range.upper ? 1 : 0;
                        }
                    }
                }
                double sum = 0, least = 1;
                for (const double cell : covered) {
                    sum += cell / repetitions / static_cast<double>(covered.size());
                    least = std::min(least, cell / repetitions);
                }
                BOOST_TEST_MESSAGE(values << " values, epsilon " << epsilon << ", " << n << " people: " << sum
                                          << " on average, at least " << least);
                BOOST_TEST(sum >= 0.93);
                BOOST_TEST(sum <= 0.975);
                BOOST_TEST(least >= 0.9);
            }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
