#include "proof.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <map>

namespace ldp::test {

Wide margin(double epsilon, const Exact& ratio) {
    return Wide(epsilon) - log(Wide(numerator(ratio.value)) / Wide(denominator(ratio.value)));
}

void check_worst_ratio(const Mechanism& m, double waste) {
    const Wide left = margin(m.epsilon(), m.worst_ratio());
    BOOST_CHECK_GE(left, 0);
    BOOST_CHECK_LT(left, waste);  // and nothing worth mentioning is wasted
}

Exact worst_of_all(const Mechanism& m, int users) {
    SeededBits bits(1);
    Exact worst = exact(1, 1);
    for (int user = 0; user < (m.enrolment_size() == 0 ? 1 : users); ++user) {
        std::vector<std::byte> enrolment(m.enrolment_size());
        m.enrol(bits, enrolment);
        std::map<std::vector<std::byte>, std::pair<Exact, Exact>> extremes;  // least and greatest, per memo
        for_each_input(m, [&](Input input) {
            Exact sum = exact(0, 1);
            for_each_memo(m, enrolment, [&](Bytes memo) {
                const Exact p = m.probability(input, enrolment, memo);
                sum = sum + p;
                auto [at, fresh] = extremes.try_emplace({memo.begin(), memo.end()}, p, p);
                if (!fresh && p.value < at->second.first.value) at->second.first = p;
                if (!fresh && p.value > at->second.second.value) at->second.second = p;
            });
            BOOST_REQUIRE(sum == exact(1, 1));
        });
        for (const auto& [memo, extreme] : extremes) {
            const Exact ratio = extreme.second / extreme.first;
            if (ratio.value > worst.value) worst = ratio;
        }
    }
    return worst;
}

void prove(const Mechanism& m, int users) {
    BOOST_CHECK(worst_of_all(m, users) == m.worst_ratio());
    check_worst_ratio(m);
}

void check_frequencies_of_reports(const Mechanism& m, Input input, std::uint64_t seed) {
    constexpr int draws = 200000;
    SeededBits bits(seed);
    std::vector<std::byte> enrolment(m.enrolment_size());
    m.enrol(bits, enrolment);
    std::vector<std::byte> drawn(m.memo_size());
    std::map<std::vector<std::byte>, int> counts;
    for (int i = 0; i < draws; ++i) {
        m.randomise(input, enrolment, bits, drawn);
        ++counts[drawn];
    }
    double chi_square = 0, outcomes = 0;
    for_each_memo(m, enrolment, [&](Bytes memo) {
        const double expected = draws * static_cast<double>(m.probability(input, enrolment, memo).value);
        chi_square += std::pow(counts[{memo.begin(), memo.end()}] - expected, 2) / expected;
        ++outcomes;
    });
    const boost::math::chi_squared expected_spread(outcomes - 1);
    BOOST_CHECK_LT(chi_square, quantile(complement(expected_spread, 1e-9)));
    BOOST_CHECK_EQUAL(counts.size(), outcomes);
}

}  // namespace ldp::test
