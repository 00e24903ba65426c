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

void prove_first_report(const Mechanism& m, int users) {
    SeededBits bits(1);
    Exact worst = exact(1, 1);
    for (int user = 0; user < (m.enrolment_size() == 0 ? 1 : users); ++user) {
        std::vector<std::byte> enrolment(m.enrolment_size());
        m.enrol(bits, enrolment);
        std::vector<std::vector<Exact>> laws;  // of memos, under each input
        for_each_input(m, [&](Input input) {
            laws.emplace_back();
            for_each_memo(m, enrolment,
                          [&](Bytes memo) { laws.back().push_back(m.probability(input, enrolment, memo)); });
        });
        std::vector<Exact> sums(laws.size(), exact(0, 1));
        for_each_memo(m, enrolment, [&](Bytes sent) {
            std::vector<std::byte> payload(enrolment);
            payload.insert(payload.end(), sent.begin(), sent.end());
            std::vector<Exact> responses;
            for_each_memo(m, enrolment, [&](Bytes memo) {
                responses.push_back(m.response_probability(enrolment, memo, payload));
            });
            std::vector<Exact> likely(laws.size(), exact(0, 1));
            for (std::size_t x = 0; x < laws.size(); ++x) {
                for (std::size_t i = 0; i < responses.size(); ++i)
                    likely[x] = likely[x] + laws[x][i] * responses[i];
                sums[x] = sums[x] + likely[x];
            }
            const auto [least, most] =
                std::ranges::minmax(likely, {}, [](const Exact& each) { return each.value; });
            if ((most / least).value > worst.value) worst = most / least;
        });
        for (const Exact& sum : sums) BOOST_REQUIRE(sum == exact(1, 1));
    }
    BOOST_CHECK(worst == m.first_report_ratio());
    const Wide left = margin(m.first_epsilon(), worst);
    BOOST_CHECK_GE(left, 0);
    BOOST_CHECK_LT(left, 1e-9);
}

namespace {

/// How often draw() gave what, against how likely it was; a false alarm has probability 1e-9.
void check_frequencies(std::map<std::vector<std::byte>, Exact> likely,
                       const std::function<std::vector<std::byte>()>& draw) {
    constexpr int draws = 200000;
    std::map<std::vector<std::byte>, int> counts;
    for (int i = 0; i < draws; ++i) ++counts[draw()];
    double chi_square = 0;
    for (const auto& [outcome, probability] : likely) {
        const double expected = draws * static_cast<double>(probability.value);
        chi_square += std::pow(counts[outcome] - expected, 2) / expected;
    }
    const boost::math::chi_squared expected_spread(static_cast<double>(likely.size()) - 1);
    BOOST_CHECK_LT(chi_square, quantile(complement(expected_spread, 1e-9)));
    BOOST_CHECK_EQUAL(counts.size(), likely.size());
}

}  // namespace

void check_frequencies_of_responses(const Mechanism& m, Input input, std::uint64_t seed) {
    SeededBits bits(seed);
    std::vector<std::byte> enrolment(m.enrolment_size()), memo(m.memo_size()), payload(m.payload_size());
    m.enrol(bits, enrolment);
    m.randomise(input, enrolment, bits, memo);
    std::map<std::vector<std::byte>, Exact> likely;
    for_each_memo(m, enrolment, [&](Bytes sent) {
        std::ranges::copy(sent, std::ranges::copy(enrolment, payload.begin()).out);
        likely.emplace(payload, m.response_probability(enrolment, memo, payload));
    });
    check_frequencies(std::move(likely), [&] {
        m.respond(enrolment, memo, bits, payload);
        return payload;
    });
}

void check_frequencies_of_reports(const Mechanism& m, Input input, std::uint64_t seed) {
    SeededBits bits(seed);
    std::vector<std::byte> enrolment(m.enrolment_size()), drawn(m.memo_size());
    m.enrol(bits, enrolment);
    std::map<std::vector<std::byte>, Exact> likely;
    for_each_memo(m, enrolment, [&](Bytes memo) {
        likely.emplace(std::vector<std::byte>(memo.begin(), memo.end()),
                       m.probability(input, enrolment, memo));
    });
    check_frequencies(std::move(likely), [&] {
        m.randomise(input, enrolment, bits, drawn);
        return drawn;
    });
}

}  // namespace ldp::test
