// Where the iterative Bayesian update ends, and where it is best stopped: against plain iterations.

#include "core/summary/queries/ibu.hpp"

#include <algorithm>
#include <cmath>

#include "collected.hpp"
#include "core/summary/queries/consistency.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(iterative_update)

namespace {

/// The mean over the reports and values of the log-likelihood that ibu maximises.
double support_likelihood(const Distribution& f, const Distribution& shares, const PureProtocol& protocol) {
    double sum = 0;
    for (std::size_t v = 0; v < f.size(); ++v) {
        const double theta = protocol.q + (protocol.p - protocol.q) * f[v];
        sum += shares[v] * std::log(theta) + (1 - shares[v]) * std::log1p(-theta);
    }
    return sum / static_cast<double>(f.size());
}

/// One step of expectation maximisation for it: whose value does a report's bit about v stand for?
Distribution support_step(const Distribution& f, const Distribution& shares, const PureProtocol& protocol) {
    const auto [p, q] = protocol;
    Distribution next(f.size());
    double others = 0;
    for (std::size_t v = 0; v < f.size(); ++v) {
        const double theta = q + (p - q) * f[v];
        const double set = shares[v] / theta, unset = (1 - shares[v]) / (1 - theta);
        others += q * set + (1 - q) * unset;
        next[v] = f[v] * (p - q) * (set - unset);
    }
    for (std::size_t v = 0; v < f.size(); ++v)
        next[v] = (next[v] + f[v] * others) / static_cast<double>(f.size());
    return next;
}

/// One step of it for a channel that reports one value: Bayes' posterior of the reports' true values.
Distribution channel_step(const Distribution& f, const Distribution& shares, const PureProtocol& protocol) {
    const auto [p, q] = protocol;
    Distribution next(f.size());
    for (std::size_t out = 0; out < f.size(); ++out)
        for (std::size_t in = 0; in < f.size(); ++in)
            next[in] += shares[out] * f[in] * (in == out ? p : q) / (q + (p - q) * f[out]);
    return next;
}

Distribution shares_of(const OwnedSummary& summary, const PureProtocol& protocol) {
    Distribution shares = frequencies(summary);
    for (double& x : shares) x = protocol.q + (protocol.p - protocol.q) * x;
    return shares;
}

}  // namespace

BOOST_AUTO_TEST_CASE(ibu_is_where_the_iteration_ends) {
    SeededBits bits(303);
    for (const char* name : {"grr", "oue", "sue"})
        for (const double epsilon : {0.5, 3.0})
            for (const std::size_t people : {30, 1000}) {
                const auto m = mechanism(name, epsilon, "\"domain\": 8");
                const auto summary = collect(*m, zipf(8, 1), people, bits);
                const PureProtocol protocol = protocol_of(*m);
                const Distribution shares = shares_of(summary, protocol);
                const Distribution found = consistent(summary.view(), Consistency::ibu);
                const double best = support_likelihood(found, shares, protocol);

                Distribution f(8, 0.125);
                double likelihood = support_likelihood(f, shares, protocol);
                for (int i = 0; i < 20000; ++i) {
                    f = support_step(f, shares, protocol);
                    const double next = support_likelihood(f, shares, protocol);
                    BOOST_REQUIRE_GE(next, likelihood - 1e-14);
                    likelihood = next;
                    BOOST_REQUIRE_LE(likelihood, best + 1e-14);
                }
                BOOST_CHECK_SMALL(best - likelihood, 1e-6);
                BOOST_CHECK_SMALL(std::sqrt(squared_error(f, found)), 0.01);
                const Distribution stays = support_step(found, shares, protocol);
                for (std::size_t v = 0; v < 8; ++v) BOOST_CHECK_SMALL(stays[v] - found[v], 1e-12);
            }
}

BOOST_AUTO_TEST_CASE(ibu_of_one_reported_value_is_nearly_that_of_its_channel) {
    SeededBits bits(304);
    // Inside the simplex the two are the same; at its border values are weighed a little differently.
    for (const std::size_t people : {100, 400, 100000}) {
        const auto m = mechanism("grr", 1, "\"domain\": 12");
        const auto summary = collect(*m, zipf(12, 1), people, bits);
        const PureProtocol protocol = protocol_of(*m);
        const Distribution shares = shares_of(summary, protocol);
        const Distribution raw = frequencies(summary);
        const Distribution found = consistent(summary.view(), Consistency::ibu);
        Distribution f(12, 1.0 / 12);
        for (int i = 0; i < 20000; ++i) f = channel_step(f, shares, protocol);
        const bool inside = std::ranges::min(raw) > 0;
        BOOST_CHECK_EQUAL(inside, people == 100000);  // both are seen
        for (std::size_t v = 0; v < 12; ++v) {
            if (inside) BOOST_CHECK_SMALL(found[v] - raw[v], 1e-12);
            BOOST_CHECK_SMALL(found[v] - f[v], inside ? 1e-9 : 0.01);
        }
    }
}

BOOST_AUTO_TEST_CASE(ibu_of_two_values_is_exact) {
    // Two values that exclude each other: the supports of one determine those of the other, and a
    // negative estimate becomes 0.
    const auto m = mechanism("grr", 1, "\"domain\": 2");
    SeededBits bits(305);
    for (const double share : {1.0, 0.6}) {
        const auto summary = collect(*m, {share, 1 - share}, 500, bits);
        const Distribution f = consistent(summary.view(), Consistency::ibu);
        BOOST_CHECK_SMALL(f[0] - std::clamp(frequencies(summary)[0], 0.0, 1.0), 1e-12);
    }
}

namespace {

/// The iteration from equal shares on, at fixed numbers of steps, which grow by a quarter each.
std::vector<Distribution> way(const OwnedSummary& summary, const PureProtocol& protocol, int steps) {
    const Distribution shares = shares_of(summary, protocol);
    Distribution f(shares.size(), 1 / static_cast<double>(shares.size()));
    std::vector<Distribution> stops{f};
    double next = 1;
    for (int i = 1; i <= steps; ++i) {
        f = support_step(f, shares, protocol);
        if (i < next) continue;
        stops.push_back(f);
        next *= 1.25;
    }
    return stops;
}

}  // namespace

BOOST_AUTO_TEST_CASE(early_is_on_the_way) {
    // Steps of a tenth of the time so far hardly leave it: by 0.0008 at most when this was written.
    SeededBits bits(306);
    for (const char* name : {"grr", "oue", "sue"})
        for (const double epsilon : {0.5, 3.0})
            for (const std::size_t people : {300, 3000}) {
                const auto m = mechanism(name, epsilon, "\"domain\": 8");
                const auto summary = collect(*m, zipf(8, 1), people, bits);
                const PureProtocol protocol = protocol_of(*m);
                const Distribution shares = shares_of(summary, protocol);
                const Distribution found = consistent(summary.view(), Consistency::ibu_early);
                Distribution f(8, 0.125);
                double nearest = 1;
                for (int i = 0; i < 20000; ++i) {
                    double farthest = 0;
                    for (std::size_t v = 0; v < 8; ++v)
                        farthest = std::max(farthest, std::abs(f[v] - found[v]));
                    nearest = std::min(nearest, farthest);
                    f = support_step(f, shares, protocol);
                }
                BOOST_CHECK_LT(nearest, 0.002);
            }
}

BOOST_AUTO_TEST_CASE(early_stops_about_where_it_is_best, *boost::unit_test::label("slow")) {
    // Sums of squared errors over 40 summaries, relative to two references: the limit of the
    // iteration, and the number of steps that is best for all 40, which is unknown in practice. Bounds
    // are five standard deviations of 24 other seeds above their mean: a false alarm in a million
    // seeds.
    struct Kind {
        Distribution truth;
        double of_end, of_best;
    };
    const Kind kinds[] = {{.truth = Distribution(16, 1.0 / 16), .of_end = 0.15, .of_best = INFINITY},
                          {.truth = zipf(16, 1), .of_end = 0.88, .of_best = 1.28},
                          {.truth = zipf(16, 60), .of_end = 1.08, .of_best = 1.22}};
    SeededBits bits(307);
    const auto m = mechanism("oue", 0.5, "\"domain\": 16");
    for (const auto& [truth, of_end, of_best] : kinds) {
        double early = 0, end = 0;
        Distribution fixed;
        for (int repetition = 0; repetition < 40; ++repetition) {
            const auto summary = collect(*m, truth, 20000, bits);
            const auto stops = way(summary, protocol_of(*m), 20000);
            fixed.resize(stops.size());
            for (std::size_t i = 0; i < stops.size(); ++i) fixed[i] += squared_error(stops[i], truth);
            early += squared_error(consistent(summary.view(), Consistency::ibu_early), truth);
            end += squared_error(consistent(summary.view(), Consistency::ibu), truth);
        }
        BOOST_CHECK_LT(early, of_end * end);
        if (std::isfinite(of_best)) BOOST_CHECK_LT(early, of_best * std::ranges::min(fixed));
    }
}

BOOST_AUTO_TEST_CASE(early_takes_fewer_steps_where_there_is_only_noise) {
    // On even shares it is stopped on lower ground than the iteration ends on, and nearer to them.
    SeededBits bits(308);
    const auto m = mechanism("oue", 0.5, "\"domain\": 64");
    const Distribution truth(64, 1.0 / 64);
    const auto summary = collect(*m, truth, 10000, bits);
    const PureProtocol protocol = protocol_of(*m);
    const Distribution shares = shares_of(summary, protocol);
    const Distribution end = consistent(summary.view(), Consistency::ibu),
                       early = consistent(summary.view(), Consistency::ibu_early);
    BOOST_CHECK_LT(support_likelihood(early, shares, protocol), support_likelihood(end, shares, protocol));
    BOOST_CHECK_LT(squared_error(early, truth), 0.25 * squared_error(end, truth));
}

BOOST_AUTO_TEST_CASE(early_ends_about_at_the_end_where_reports_tell_all_apart) {
    // In standard errors. The most of 20 other seeds was 0.15 and 0.45.
    SeededBits bits(309);
    for (const auto& [name, bound] : {std::pair("grr", 0.3), std::pair("oue", 1.0)}) {
        const auto m = mechanism(name, 3, "\"domain\": 8");
        const auto summary = collect(*m, zipf(8, 1), 100000, bits);
        const Distribution end = consistent(summary.view(), Consistency::ibu),
                           early = consistent(summary.view(), Consistency::ibu_early);
        const auto estimates = summary.estimate(Quantity::frequencies);
        for (std::size_t v = 0; v < 8; ++v)
            BOOST_CHECK_LT(std::abs(early[v] - end[v]), bound * estimates[v].standard_error);
    }
}

BOOST_AUTO_TEST_CASE(the_order_of_the_values_does_not_matter) {
    // Nor anything else but the estimates, the protocol and the number of reports: the answer is bit for bit
    // the same.
    SeededBits bits(310);
    const auto m = mechanism("oue", 1, "\"domain\": 30");
    Distribution estimates = frequencies(collect(*m, zipf(30, 1), 2000, bits));
    Distribution found = ibu_early(estimates, protocol_of(*m), 2000);
    std::ranges::reverse(estimates);
    std::ranges::reverse(found);
    BOOST_CHECK(ibu_early(estimates, protocol_of(*m), 2000) == found);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
