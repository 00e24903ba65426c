// What each method guarantees, and that it solves the problem it states: against brute force, conditions of
// optimality and plain iterations.

#include "core/summary/queries/consistency.hpp"

#include <algorithm>
#include <cmath>

#include "collected.hpp"
#include "core/base/error.hpp"
#include "core/summary/queries/top.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(consistency)

namespace {

constexpr const char* names[] = {"none",    "base_cut", "norm", "norm_mul",  "norm_cut",       "norm_sub",
                                 "mle_apx", "power",    "ibu",  "ibu_early", "empirical_bayes"};

/// The summaries that test what can go wrong: few reports, few values, one value, small and large epsilon.
template <class Visit>
void for_each_summary(Visit visit) {
    SeededBits bits(301);
    for (const char* name : {"grr", "oue", "sue"})
        for (const double epsilon : {0.05, 1.0, 8.0})
            for (const std::size_t k : {2, 3, 50})
                for (const std::size_t people : {1, 20, 2000}) {
                    const auto m = mechanism(name, epsilon, "\"domain\": " + std::to_string(k));
                    visit(*m, collect(*m, zipf(k, 1.5), people, bits));
                    visit(*m, collect(*m, Distribution(k, 1 / static_cast<double>(k)), people, bits));
                }
}

/// A summary of given counts per value, by reports of one bit or none: for oracles of unary encoding.
OwnedSummary counted(const Mechanism& m, const std::vector<std::size_t>& supports, std::size_t people) {
    OwnedSummary summary(m);
    for (std::size_t i = 0; i < people; ++i) {
        std::vector<std::byte> report(m.block().begin(), m.block().end());
        report.resize(report.size() + m.payload_size());
        for (std::size_t v = 0; v < supports.size(); ++v)
            if (i < supports[v]) report[m.block().size() + v / 8] |= static_cast<std::byte>(1u << v % 8);
        summary.add(report);
    }
    return summary;
}

}  // namespace

BOOST_AUTO_TEST_CASE(methods_have_names) {
    for (const char* name : names) BOOST_CHECK_NO_THROW(static_cast<void>(consistency_named(name)));
    BOOST_CHECK(consistency_named("mle_apx") == Consistency::mle_apx);
    BOOST_CHECK_EXCEPTION(static_cast<void>(consistency_named("norm-sub")), Error, [](const Error& e) {
        return e.code() == ErrorCode::invalid_value && std::ranges::all_of(names, [&](const char* name) {
                   return e.hint().find(name) != std::string::npos;
               });
    });
}

BOOST_AUTO_TEST_CASE(guarantees_hold) {
    for_each_summary([](const Mechanism&, const OwnedSummary& summary) {
        const Distribution raw = frequencies(summary);
        for (const char* name : names) {
            const Consistency method = consistency_named(name);
            const Distribution f = consistent(summary.view(), method);
            BOOST_TEST_CONTEXT(name << ", " << describe(summary.bytes()) << ", k " << raw.size()) {
                BOOST_REQUIRE_EQUAL(f.size(), raw.size());
                for (const double x : f) BOOST_REQUIRE(std::isfinite(x));
                if (method != Consistency::none && method != Consistency::norm)
                    BOOST_CHECK_GE(std::ranges::min(f), 0);
                if (method == Consistency::norm_cut)
                    BOOST_CHECK_LE(sum_of(f), 1 + 1e-12);
                else if (method == Consistency::power)
                    BOOST_CHECK_LE(std::ranges::max(f), 1);
                else if (method != Consistency::none && method != Consistency::base_cut)
                    BOOST_CHECK_SMALL(sum_of(f) - 1, 1e-12);
                // The order of the values stays, and equal ones stay equal but where norm_cut's last share
                // goes to one of them.
                for (std::size_t v = 0; v < f.size(); ++v)
                    for (std::size_t w = 0; w < f.size(); ++w) {
                        if (raw[v] > raw[w])
                            BOOST_REQUIRE_GE(f[v], f[w] - (method == Consistency::power) * 1e-12);
                        if (raw[v] == raw[w] && method != Consistency::norm_cut)
                            BOOST_REQUIRE_EQUAL(f[v], f[w]);
                    }
            }
        }
    });
}

BOOST_AUTO_TEST_CASE(estimates_that_are_all_negative_give_distributions) {
    const auto m = mechanism("oue", 1, "\"domain\": 4");
    const auto summary = counted(*m, {0, 0, 0, 0}, 100);
    for (const char* name : {"norm_mul", "norm_sub", "mle_apx", "ibu", "ibu_early", "empirical_bayes"})
        for (const double x : consistent(summary.view(), consistency_named(name)))
            BOOST_CHECK_CLOSE_FRACTION(x, 0.25, 1e-12);
    for (const char* name : {"base_cut", "norm_cut"})
        for (const double x : consistent(summary.view(), consistency_named(name))) BOOST_CHECK_EQUAL(x, 0);
    for (const double x : consistent(summary.view(), Consistency::power)) {
        BOOST_CHECK_GE(x, 0);
        BOOST_CHECK_LE(x, 0.25);
    }
    // Every report supports every value, so the values are indistinguishable.
    const auto all = counted(*m, {100, 100, 100, 100}, 100);
    for (const char* name :
         {"norm", "norm_mul", "norm_sub", "mle_apx", "ibu", "ibu_early", "empirical_bayes"})
        for (const double x : consistent(all.view(), consistency_named(name)))
            BOOST_CHECK_CLOSE_FRACTION(x, 0.25, 1e-12);
}

// Two and four shares do not follow a power law. With little noise, the method stays at the estimates.
BOOST_AUTO_TEST_CASE(power_moves_no_estimate_beyond_its_noise) {
    SeededBits bits(309);
    for (const auto& [epsilon, people] : {std::pair{20, std::vector<std::size_t>{35, 15, 0, 0}},
                                          std::pair{12, std::vector<std::size_t>{26, 15, 8, 1, 0}},
                                          std::pair{8, std::vector<std::size_t>{23, 20, 7, 0, 0}}}) {
        const auto m = mechanism("grr", epsilon, "\"domain\": " + std::to_string(people.size()));
        std::vector<Cell> cells;
        for (std::size_t v = 0; v < people.size(); ++v) cells.insert(cells.end(), people[v], v);
        const OwnedSummary summary = reported(*m, cells, bits);
        const auto raw = summary.estimate(Quantity::frequencies);
        const Distribution f = consistent(summary.view(), Consistency::power);
        for (std::size_t v = 0; v < f.size(); ++v)
            BOOST_TEST_CONTEXT("epsilon " << epsilon << ", value " << v) {
                BOOST_TEST(std::abs(f[v] - std::max(0.0, raw[v].value)) <= 2.2 * raw[v].standard_error);
                if (people[v] == 0) BOOST_TEST(f[v] < 0.01);
            }
    }
}

BOOST_AUTO_TEST_CASE(base_cut_keeps_what_is_significant) {
    SeededBits bits(302);
    const auto m = mechanism("oue", 2, "\"domain\": 40");
    const auto summary = collect(*m, zipf(40, 1.2), 3000, bits);
    const auto estimates = summary.estimate(Quantity::frequencies);
    const Distribution f = consistent(summary.view(), Consistency::base_cut);
    std::size_t kept = 0;
    for (std::size_t v = 0; v < 40; ++v) {
        const bool significant = 40 * capability<Significance>(*m).p_value(3000, estimates[v]) <= 0.02;
        BOOST_CHECK_EQUAL(f[v], significant ? estimates[v].value : 0);
        kept += significant;
    }
    BOOST_CHECK_GT(kept, 3);
    BOOST_CHECK_LT(kept, 35);
    // With thousands of reports, the threshold is the normal law's: Φ⁻¹(1 − 0.02/40) = 3.29 standard errors.
    const double error = std::sqrt(m->n_variance(0) / 3000);
    for (std::size_t v = 0; v < 40; ++v)
        if (std::abs(estimates[v].value / error - 3.29) > 0.15)
            BOOST_CHECK_EQUAL(f[v] > 0, estimates[v].value > 3.29 * error);
}

BOOST_AUTO_TEST_CASE(norms_do_what_they_say) {
    for_each_summary([](const Mechanism&, const OwnedSummary& summary) {
        const Distribution raw = frequencies(summary);
        const Distribution shifted = consistent(summary.view(), Consistency::norm);
        for (std::size_t v = 0; v < raw.size(); ++v)
            BOOST_REQUIRE_SMALL(shifted[v] - raw[v] - (shifted[0] - raw[0]), 1e-11);
        const Distribution cut = consistent(summary.view(), Consistency::norm_cut);
        double positive = 0;
        std::size_t changed = 0;
        for (std::size_t v = 0; v < raw.size(); ++v) {
            positive += std::max(0.0, raw[v]);
            changed += cut[v] != 0 && cut[v] != raw[v];  // only the last that fits
        }
        BOOST_CHECK_LE(changed, 1);
        BOOST_CHECK_SMALL(sum_of(cut) - std::min(1.0, positive), 1e-12);
    });
}

BOOST_AUTO_TEST_CASE(norm_sub_is_the_nearest_distribution) {
    for_each_summary([](const Mechanism&, const OwnedSummary& summary) {
        const Distribution raw = frequencies(summary);
        if (raw.size() > 3) return;
        const Distribution f = consistent(summary.view(), Consistency::norm_sub);
        // Every set of values that may be positive, each with its own projection; the nearest feasible one.
        Distribution nearest;
        for (unsigned set = 1; set < 1u << raw.size(); ++set) {
            double sum = 0, members = 0;
            for (std::size_t v = 0; v < raw.size(); ++v)
                if (set >> v & 1) sum += raw[v], ++members;
            Distribution candidate(raw.size());
            for (std::size_t v = 0; v < raw.size(); ++v)
                if (set >> v & 1) candidate[v] = raw[v] - (sum - 1) / members;
            if (std::ranges::min(candidate) < 0) continue;
            if (nearest.empty() || squared_error(candidate, raw) < squared_error(nearest, raw))
                nearest = candidate;
        }
        for (std::size_t v = 0; v < raw.size(); ++v) BOOST_REQUIRE_SMALL(f[v] - nearest[v], 1e-11);
    });
}

BOOST_AUTO_TEST_CASE(mle_apx_satisfies_its_conditions) {
    for_each_summary([](const Mechanism& m, const OwnedSummary& summary) {
        const Distribution raw = frequencies(summary);
        const auto [p, q] = protocol_of(m);
        const double a = q * (1 - q), b = (p - q) * (1 - p - q);
        const Distribution f = consistent(summary.view(), Consistency::mle_apx);
        // Slopes of Σ (x − raw)²/(a + bx): the same for all positive values, no smaller for the others.
        const auto slope = [&](std::size_t v) {
            const double r = (f[v] - raw[v]) / (a + b * f[v]);
            return 2 * r - b * r * r;
        };
        const auto first = static_cast<std::size_t>(std::ranges::max_element(f) - f.begin());
        const double common = slope(first), scale = std::abs(common) + 1 / a;
        for (std::size_t v = 0; v < f.size(); ++v) {
            if (f[v] > 0)
                BOOST_REQUIRE_SMALL((slope(v) - common) / scale, 1e-9);
            else
                BOOST_REQUIRE_GE((slope(v) - common) / scale, -1e-9);
        }
    });
}

BOOST_AUTO_TEST_CASE(known_distributions_are_recovered, *boost::unit_test::label("slow")) {
    SeededBits bits(306);
    const Distribution truth{0.5, 0.25, 0.15, 0.1, 0, 0};
    const std::size_t people = 100000;
    for (const char* name : {"grr", "oue", "sue"}) {
        const auto m = mechanism(name, 2, "\"domain\": 6");
        const auto summary = collect(*m, truth, people, bits);
        for (const char* method : {"none", "norm", "norm_mul", "norm_cut", "norm_sub", "mle_apx", "power",
                                   "ibu", "ibu_early", "empirical_bayes"}) {
            const Distribution f = consistent(summary.view(), consistency_named(method));
            // Shifts and scalings share out the error of all six among each.
            const double error = std::sqrt(m->n_variance(1) + 6 * m->n_variance(0));
            for (std::size_t v = 0; v < 6; ++v)
                BOOST_CHECK_SMALL(f[v] - truth[v], 6 * error / std::sqrt(static_cast<double>(people)));
        }
    }
}

BOOST_AUTO_TEST_CASE(power_is_the_posterior_mean) {
    // Data that follow the law closely and many reports: the estimate is all that counts.
    SeededBits bits(307);
    const auto m = mechanism("grr", 6, "\"domain\": 10");
    const auto summary = collect(*m, zipf(10, 1), 50000, bits);
    const auto estimates = summary.estimate(Quantity::frequencies);
    const Distribution f = consistent(summary.view(), Consistency::power);
    for (std::size_t v = 0; v < 10; ++v)
        BOOST_CHECK_SMALL(f[v] - estimates[v].value, 0.5 * estimates[v].standard_error);
    // Hardly any: the law's mean is, which is 1/k.
    const auto vague = mechanism("oue", 0.01, "\"domain\": 10");
    const auto nothing = collect(*vague, zipf(10, 1), 50, bits);
    for (const double x : consistent(nothing.view(), Consistency::power)) BOOST_CHECK_SMALL(x - 0.1, 0.02);
}

// Values that nobody holds have no share where noise is small. A power law alone gives each the same least
// one.
BOOST_AUTO_TEST_CASE(absent_values_have_no_share_without_noise) {
    SeededBits bits(310);
    for (const double epsilon : {6.0, 20.0}) {
        const auto m = mechanism("grr", epsilon, "\"domain\": 4");
        const auto summary = collect(*m, {0.7, 0.3, 0, 0}, 100000, bits);
        for (const char* name : names) {
            const Distribution f = consistent(summary.view(), consistency_named(name));
            BOOST_TEST_CONTEXT(name << ", epsilon " << epsilon) {
                BOOST_CHECK_SMALL(f[0] - 0.7, 0.01);
                BOOST_CHECK_SMALL(f[2], 0.002);
                BOOST_CHECK_SMALL(f[3], 0.002);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(squared_errors_shrink, *boost::unit_test::label("slow")) {
    // k = 1000 values in Zipf's proportions, 20000 people, ε = 1, oue; means over ten seeded repetitions of
    // the ratio to the unbiased estimates' error, which varies by a few per cent only.
    SeededBits bits(308);
    const Distribution truth = zipf(1000, 1.3);
    const auto m = mechanism("oue", 1, "\"domain\": 1000");
    std::vector<double> error(std::size(names));
    for (int repetition = 0; repetition < 10; ++repetition) {
        const auto summary = collect(*m, truth, 20000, bits);
        for (std::size_t i = 0; i < std::size(names); ++i)
            error[i] += squared_error(consistent(summary.view(), consistency_named(names[i])), truth);
    }
    const auto ratio = [&](const char* name) {
        const auto i = std::ranges::find(names, std::string(name)) - std::begin(names);
        return error[static_cast<std::size_t>(i)] / error[0];
    };
    BOOST_CHECK_LT(ratio("norm"), 1.01);
    BOOST_CHECK_LT(ratio("norm_mul"), 0.5);
    BOOST_CHECK_LT(ratio("norm_cut"), 0.15);
    for (const char* name : {"base_cut", "norm_sub", "mle_apx", "ibu", "ibu_early"})
        BOOST_CHECK_LT(ratio(name), 0.1);
    for (const char* name : {"power", "empirical_bayes"}) BOOST_CHECK_LT(ratio(name), 0.05);
}

// One in twenty values has all, or all have the same: no power law.
BOOST_AUTO_TEST_CASE(laws_of_any_shape_are_found) {
    SeededBits bits(309);
    const auto m = mechanism("oue", 1, "\"domain\": 400");
    for (const std::size_t held : {20, 400}) {
        Distribution truth(400);
        std::fill_n(truth.begin(), held, 1 / static_cast<double>(held));
        const auto summary = collect(*m, truth, 100000, bits);
        const auto error = [&](Consistency method) {
            return squared_error(consistent(summary.view(), method), truth);
        };
        BOOST_CHECK_LT(error(Consistency::empirical_bayes), 0.1 * error(Consistency::norm_sub));
        if (held < 400) BOOST_CHECK_LT(error(Consistency::empirical_bayes), 0.5 * error(Consistency::power));
    }
}

BOOST_AUTO_TEST_CASE(methods_need_what_they_need) {
    SeededBits bits(309);
    const auto m = mechanism("pdp", 1, "\"min\": 0, \"max\": 1");
    OwnedSummary summary(*m);
    summary.add(m->perturb(std::vector<Cell>{0}, bits));
    for (const char* name : names)
        BOOST_CHECK_EXCEPTION(static_cast<void>(consistent(summary.view(), consistency_named(name))), Error,
                              [](const Error& e) { return e.code() == ErrorCode::unsupported; });
    const auto empty = mechanism("grr", 1, "\"domain\": 3");
    for (const char* name : names)
        BOOST_CHECK_EXCEPTION(static_cast<void>(consistent(view_of(*empty, OwnedSummary(*empty).bytes()),
                                                           consistency_named(name))),
                              Error, [](const Error& e) { return e.code() == ErrorCode::invalid_value; });
}

BOOST_AUTO_TEST_CASE(consistency_can_amplify_what_forgers_do) {
    // One report in a hundred supports a rare value, and no other. A projection onto the simplex gives that
    // value what it takes from all that honest people hold: it gains more than the unbiased estimate lets it.
    constexpr std::size_t k = 64, honest = 99000, liars = 1000, target = 40;
    const auto m = mechanism("oue", 1, R"("domain": 64)");
    SeededBits bits(771);
    const OwnedSummary honestly = collect(*m, zipf(k, 1.2), honest, bits);
    OwnedSummary attacked(*m);
    attacked.merge(honestly.bytes());
    Report lie = frame_report(m->block(), m->payload_size());
    payload_of(lie, m->block())[target / 8] = std::byte{1 << target % 8};
    for (std::size_t i = 0; i < liars; ++i) attacked.add(lie);
    const auto gain = [&](const char* method) {
        const Consistency how = consistency_named(method);
        return consistent(attacked.view(), how)[target] - consistent(honestly.view(), how)[target];
    };
    const double share = 0.01, unbiased = gain("none");
    const auto [p, q] = protocol_of(*m);
    const double before = consistent(honestly.view(), Consistency::none)[target];
    BOOST_CHECK_CLOSE(unbiased, share * ((1 - q) / (p - q) - before), 1e-6);
    for (const char* method : {"norm_sub", "norm", "norm_mul"}) BOOST_CHECK_GT(gain(method), 1.05 * unbiased);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
