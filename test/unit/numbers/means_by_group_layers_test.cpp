// Means by a private group in two layers: both ε by enumeration, the moments of reports and of repeated reports, coverage
// of intervals in one and in several rounds, hostile parameters, and parts of records.

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "group_people.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(means_by_group_layers)

namespace {

/// A summary of the same people in several rounds, with memoized outputs.
OwnedSummary rounds_of(const Mechanism& m, People& people, std::size_t n, std::int32_t rounds,
                       BitSource& bits) {
    OwnedSummary summary(m);
    std::vector<std::byte> report(m.block().begin(), m.block().end());
    report.resize(m.block().size() + m.payload_size());
    const auto payload = std::span(report).subspan(m.block().size());
    for (std::size_t i = 0; i < n; ++i) {
        const std::vector<Cell> input = people.draw();
        Device device(m, bits);
        for (std::int32_t round = 0; round < rounds; ++round) {
            device.report(input, payload);
            summary.add(report, Rounds::only(round));
        }
    }
    return summary;
}

/// The terms of a report: sum and count of the first group, sum and count of the second one.
using Terms = std::array<double, 4>;

/// Mean products of the terms of a report, and of two reports with the same memoized output, by enumeration of both layers.
struct EnumeratedProducts {
    std::array<std::array<TermProduct, 4>, 4> of{};
    Terms means{};
    std::vector<std::byte> counters;  ///< of 10^12 reports, with rounded expectations
    std::uint64_t n = 0;

    EnumeratedProducts(const Mechanism& m, Input input) : counters(m.state_size()) {
        const auto payloads = payloads_of(m);
        std::vector<Terms> terms;
        for (const auto& payload : payloads) {
            const std::vector<std::byte> state = state_of(m, payload);
            const auto sums = reporter(m).group_sums({1, state});
            terms.push_back({sums[0].sum, sums[0].share, sums[1].sum, sums[1].share});
        }
        std::vector<double> sent(payloads.size());
        for (const auto& memoized : payloads) {
            const auto p = static_cast<double>(m.probability(input, {}, memoized));
            Terms mean{};
            for (std::size_t y = 0; y < payloads.size(); ++y) {
                const auto q = static_cast<double>(m.instantaneous_probability({}, memoized, payloads[y]));
                sent[y] += p * q;
                for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += q * terms[y][i];
            }
            for (std::size_t i = 0; i < mean.size(); ++i)
                for (std::size_t j = 0; j < mean.size(); ++j) of[i][j].repeated += p * mean[i] * mean[j];
        }
        for (std::size_t y = 0; y < payloads.size(); ++y) {
            const auto times = static_cast<std::uint64_t>(std::llround(1e12 * sent[y]));
            n += times;
            const std::vector<std::byte> state = state_of(m, payloads[y]);
            for (std::size_t at = 0; at < state.size(); at += sizeof times)
                ldp::add(counters.data() + at, times * load<std::uint64_t>(state.data() + at));
            for (std::size_t i = 0; i < means.size(); ++i) {
                means[i] += sent[y] * terms[y][i];
                for (std::size_t j = 0; j < means.size(); ++j)
                    of[i][j].once += sent[y] * terms[y][i] * terms[y][j];
            }
        }
    }

    /// Returns the mean product of the residuals of both groups.
    [[nodiscard]] TermProduct product(double a, double b) const {
        const auto sum = [&](double TermProduct::*part) {
            return of[0][2].*part - b * of[0][3].*part - a * of[1][2].*part + a * b * of[1][3].*part;
        };
        return {sum(&TermProduct::once), sum(&TermProduct::repeated)};
    }
};

void check_product(const TermProduct& found, const TermProduct& expected, double scale) {
    BOOST_CHECK_SMALL(found.once - expected.once, 1e-8 * scale);
    BOOST_CHECK_SMALL(found.repeated - expected.repeated, 1e-8 * scale);
}

}  // namespace

BOOST_AUTO_TEST_CASE(two_layers_keep_both_epsilons) {
    prove_two_layers(*in_layers(2, 1, 3, false, 3));
    prove_two_layers(*in_layers(4, 0.5, 2, true, 4));
    prove_two_layers(*in_layers(0.5, 0.45, 3, true, 2));
    for (const double epsilon : epsilons)
        for (const double part : {0.03, 0.5, 0.9999})
            for (const std::size_t groups : {2, 40, 1024})
                for (const bool missing : {false, true}) {
                    const double first = std::max(0.0005, part * epsilon);
                    const auto m = in_layers(epsilon, first, groups, missing, 1048576);
                    BOOST_CHECK_EQUAL(m->report_epsilon(), first);
                    check_worst_ratio(*m);
                    const double left = margin(first, m->first_report_ratio());
                    BOOST_CHECK_GE(left, 0);
                    BOOST_CHECK_LT(left, 1e-9);
                }
    for (const bool missing : {false, true}) {
        const auto m = in_layers(2, 1, 2, missing, 4);
        check_frequencies_of_responses(*m, std::vector<Cell>{1, 3}, 4713);
        check_frequencies_of_reports(*m, std::vector<Cell>{0, 1}, 4714);
    }
}

// The estimates of a report, its variance, and the covariance of two reports with the same memoized output: by enumeration
// of both layers for every input.
BOOST_AUTO_TEST_CASE(two_layers_have_their_moments) {
    struct LayeredCase {
        std::unique_ptr<const Mechanism> mechanism;
        std::uint64_t steps;
    };
    std::vector<LayeredCase> all;
    for (const bool missing : {false, true}) {
        all.push_back({in_layers(4, 1, 2, missing, 3), 3});
        all.push_back({in_layers(2, 0.5, 3, missing, 3), 3});
        all.push_back({in_layers(3, 0.1, 4, missing, 2), 2});
        all.push_back({by_group(1, 3, missing, 3), 3});
    }
    for (const auto& [m, steps] : all)
        for_each_input(*m, [&, &m = m, steps = steps](Input input) {
            const EnumeratedProducts exact(*m, input);
            const bool answered = input[1] <= steps;
            const double number = 2 * static_cast<double>(input[1]) / static_cast<double>(steps) - 1;
            const double scale = exact.of[0][0].once + exact.of[1][1].once + 1;
            for (std::size_t group = 0; group < 2; ++group) {
                const bool own = answered && input[0] == group;
                BOOST_CHECK_SMALL(exact.means[2 * group] - (own ? number : 0), 1e-11 * scale);
                BOOST_CHECK_SMALL(exact.means[2 * group + 1] - (own ? 1 : 0), 1e-11 * scale);
            }
            const Counts counts{exact.n, exact.counters};
            const GroupSums sums = reporter(*m).group_sums(counts)[0];
            check_product(sums.squares[0], exact.of[0][0], scale);
            check_product(sums.squares[1], exact.of[0][1], scale);
            check_product(sums.squares[2], exact.of[1][1], scale);
            check_product(reporter(*m).product(counts, 0, 0.3, 1, -0.6), exact.product(0.3, -0.6), scale);
            if (!answered) return;
            const double truth = input[0] == 0 ? 1 : 0;
            BOOST_CHECK_CLOSE_FRACTION(m->n_variance(truth), exact.of[1][1].once - truth, 1e-9);
            BOOST_CHECK_CLOSE_FRACTION(m->n_covariance(truth), exact.of[1][1].repeated - truth, 1e-9);
        });
}

BOOST_AUTO_TEST_CASE(memoized_shares_are_within_their_bounds) {
    for (const bool missing : {false, true}) {
        BOOST_CHECK(!by_group(1, 4, missing)->memoized_share());
        double last = 0;
        for (const double first : {0.01, 0.5, 1.0, 2.0, 2.99}) {
            const auto m = in_layers(3, first, 4, missing, 20);
            const auto [least, most] = *m->memoized_share();
            BOOST_CHECK(least > 0 && least <= most && most <= 1 && most > last);
            for (const double truth : {0.0, 0.25, 0.5, 1.0}) {
                const double covariance = m->n_covariance(truth), variance = m->n_variance(truth);
                BOOST_CHECK_LE(least * variance, covariance * (1 + 1e-12));
                BOOST_CHECK_LE(covariance + truth * (1 - truth),
                               most * (variance + truth * (1 - truth)) * (1 + 1e-12));
            }
            last = most;
        }
    }
}

// The rates and the false alarms are those of intervals_cover. In several rounds of the same people, errors of shares are
// at most 15 % too large.
BOOST_AUTO_TEST_CASE(intervals_of_two_layers_cover, *boost::unit_test::label("slow")) {
    const std::string kept = R"(, "evolving": {}, "budget": {"epsilon": 1000, "report_spent": false})";
    for (const std::int32_t rounds : {1, 6})
        for (const double first : {1.5, 3.0}) {
            const auto m = in_layers(4, first, People::groups, false, 20, kept);
            People people(21);
            SeededBits bits(22);
            Simulated all;
            double squares = 0, errors = 0;
            for (int r = 0; r < 300; ++r) {
                const OwnedSummary summary = rounds_of(*m, people, rounds == 1 ? 2500 : 1000, rounds, bits);
                all.add(means_of_groups(summary.view(), usual), people);
                const auto shares = summary.estimate(Quantity::frequencies, Target::population, 0);
                for (std::size_t group = 0; group < People::groups; ++group) {
                    squares += square(shares[group].value - People::shares_of_groups[group]);
                    errors += square(shares[group].standard_error);
                }
            }
            BOOST_TEST_CONTEXT(rounds << " rounds, " << first) {
                BOOST_TEST(all.means.rate() > 0.92);
                BOOST_TEST(all.means.rate() < 0.98);
                BOOST_TEST(all.differences.rate() > 0.92);
                BOOST_TEST(all.means.error_ratio() > 0.85);
                BOOST_TEST(all.means.error_ratio() < 1.15);
                BOOST_TEST(std::sqrt(squares / errors) > 0.8);
                BOOST_TEST(std::sqrt(squares / errors) < 1.1);
            }
        }
}

BOOST_AUTO_TEST_CASE(second_layers_that_do_not_fit_are_refused) {
    for (const double first : {0.0001, 1.0, 2.0}) BOOST_CHECK_THROW(in_layers(1, first, 3, false, 20), Error);
}

// Blocks state ε₁ last. Its end, infinite and unknown numbers, and numbers outside its bounds are refused.
BOOST_AUTO_TEST_CASE(hostile_second_layers_are_refused) {
    const auto m = in_layers(2, 1, 3, true, 20);
    const std::vector<std::byte> block(m->block().begin(), m->block().end());
    BOOST_CHECK(!malformed([&] { (void)load_mechanism(block, Kind::report); }));
    for (const double first : {0.0, -1.0, 0.0004, 2.0, 2.5, HUGE_VAL, std::nan("")}) {
        std::vector<std::byte> forged = block;
        store(forged.data() + forged.size() - sizeof first, first);
        BOOST_CHECK(malformed([&] { (void)load_mechanism(forged, Kind::report); }));
    }
    std::vector<std::byte> payload(m->payload_size(), std::byte{0});
    payload[0] = std::byte{4};
    BOOST_CHECK(!m->valid_payload(payload));
    BOOST_CHECK(!m->valid_permanent({}, payload));
}

BOOST_AUTO_TEST_CASE(parts_of_records_have_two_layers) {
    const auto m = mechanism(R"({"mechanism": "sampled", "epsilon": 4, "report_epsilon": 2,
        "joint_tables": [["age", "years"]], "attributes": [{"name": "age", "domain": 2},
        {"name": "years", "min": 0, "max": 20}, {"name": "pay", "min": 0, "max": 1}]})");
    BOOST_CHECK_EQUAL(m->report_epsilon(), 2);
    BOOST_CHECK_GE(margin(2, m->first_report_ratio()), 0);
    BOOST_CHECK_GE(margin(4, m->worst_ratio()), 0);
    OwnedSummary summary(*m);
    SeededBits bits(8);
    const std::uint64_t top = m->cells()[1] - 1;
    for (std::uint64_t i = 0; i < 30000; ++i)
        summary.draw(std::vector<Cell>{i % 2, i % 2 == 0 ? top / 4 : top / 2, 0}, bits);
    const MeansOfGroups found = means_of_groups(part(summary.view(), 1), usual);
    // More than 10 standard errors.
    BOOST_CHECK_SMALL(found.means[0].estimate.value - 5, 10 * found.means[0].estimate.standard_error);
    BOOST_CHECK_SMALL(found.means[1].estimate.value - 10, 10 * found.means[1].estimate.standard_error);
    BOOST_TEST(found.means[0].estimate.standard_error < 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
