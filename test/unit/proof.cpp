#include "proof.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <map>

namespace ldp::test {

void check_worst_ratio(const Mechanism& m, double waste) {
    const double left = margin(m.epsilon(), m.worst_ratio());
    BOOST_CHECK_GE(left, 0);
    BOOST_CHECK_LT(left, waste);  // and nothing worth mentioning is wasted
}

namespace {

Audit enumerated(const Mechanism& m, std::uint64_t users) {
    SeededBits bits(1);
    AuditLimits limits;
    limits.steps = std::uint64_t{1} << 22;
    limits.sample = users;
    Audit found = audit(m, bits, limits);
    BOOST_REQUIRE(found.enumerated);
    BOOST_CHECK(found.sums_to_one);
    BOOST_CHECK(found.sampler_as_stated);
    BOOST_CHECK(found.kept());
    return found;
}

}  // namespace

Exact worst_of_all(const Mechanism& m, std::uint64_t users) {
    const Audit found = enumerated(m, users);
    BOOST_REQUIRE(found.permanent.worst.bounded());
    return found.permanent.worst.ratio();
}

void prove(const Mechanism& m, std::uint64_t users) {
    BOOST_CHECK(worst_of_all(m, users) == m.worst_ratio());
    check_worst_ratio(m);
}

double prove_but_for_delta(const Mechanism& m) {
    const Audit found = enumerated(m, 1);
    BOOST_REQUIRE(found.approximate);
    BOOST_CHECK_LE(found.approximate->worst, found.approximate->claimed);
    BOOST_CHECK_LE(found.approximate->claimed, m.delta());
    BOOST_CHECK_GT(found.approximate->claimed, 0.9999 * m.delta());
    return found.approximate->worst;
}

void prove_two_layers(const Mechanism& m, std::uint64_t users) {
    const Audit found = enumerated(m, users);
    BOOST_REQUIRE(found.permanent.worst.bounded());
    BOOST_CHECK(found.permanent.worst.ratio() == m.worst_ratio());
    check_worst_ratio(m);
    BOOST_REQUIRE(found.report && found.report->worst.bounded());
    const Exact worst = found.report->worst.ratio();
    BOOST_CHECK(worst == m.first_report_ratio());
    const double left = margin(m.report_epsilon(), worst);
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
        const double expected = draws * static_cast<double>(probability);
        chi_square += std::pow(counts[outcome] - expected, 2) / expected;
    }
    const boost::math::chi_squared expected_spread(static_cast<double>(likely.size()) - 1);
    BOOST_CHECK_LT(chi_square, quantile(complement(expected_spread, 1e-9)));
    BOOST_CHECK_EQUAL(counts.size(), likely.size());
}

}  // namespace

void check_frequencies_of_responses(const Mechanism& m, Input input, std::uint64_t seed) {
    SeededBits bits(seed);
    std::vector<std::byte> public_randomness(m.public_size()), permanent(m.permanent_size()),
        payload(m.payload_size());
    m.draw_public(bits, public_randomness);
    m.permanent_response(input, public_randomness, bits, permanent);
    std::map<std::vector<std::byte>, Exact> likely;
    for_each_permanent(m, public_randomness, [&](Bytes sent) {
        std::ranges::copy(sent, std::ranges::copy(public_randomness, payload.begin()).out);
        likely.emplace(payload, m.instantaneous_probability(public_randomness, permanent, payload));
    });
    check_frequencies(std::move(likely), [&] {
        m.instantaneous_response(public_randomness, permanent, bits, payload);
        return payload;
    });
}

void check_frequencies_of_reports(const Mechanism& m, Input input, std::uint64_t seed) {
    SeededBits bits(seed);
    std::vector<std::byte> public_randomness(m.public_size()), drawn(m.permanent_size());
    m.draw_public(bits, public_randomness);
    std::map<std::vector<std::byte>, Exact> likely;
    for_each_permanent(m, public_randomness, [&](Bytes permanent) {
        likely.emplace(std::vector<std::byte>(permanent.begin(), permanent.end()),
                       m.probability(input, public_randomness, permanent));
    });
    check_frequencies(std::move(likely), [&] {
        m.permanent_response(input, public_randomness, bits, drawn);
        return drawn;
    });
}

}  // namespace ldp::test
