// RAPPOR: filters that never change, unbiased estimates with exact variances, candidates found among
// thousands, and the regressions behind them.

#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/mechanism/literature/sparse_regression.hpp"
#include "core/summary/queries/candidates.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

namespace {

std::unique_ptr<const Mechanism> rappor(double epsilon, std::size_t k, std::size_t m, std::size_t h,
                                        std::size_t c) {
    return mechanism("rappor", epsilon,
                     "\"domain\": " + std::to_string(k) + ", \"filter_bits\": " + std::to_string(m) +
                         ", \"hashes\": " + std::to_string(h) + ", \"cohorts\": " + std::to_string(c));
}

/// Under these words no coin lands heads: a permanent response is the filter itself.
struct NoFlips final : BitSource {
    std::uint64_t word() override { return ~std::uint64_t{0}; }
};

std::vector<std::size_t> filter(const Mechanism& m, std::size_t cohort, Cell value) {
    NoFlips bits;
    const std::byte public_randomness[] = {static_cast<std::byte>(cohort)};
    std::vector<std::byte> permanent(m.permanent_size());
    m.permanent_response({&value, 1}, public_randomness, bits, permanent);
    std::vector<std::size_t> places;
    for (std::size_t b = 0; b < 8 * permanent.size(); ++b)
        if ((std::to_integer<unsigned>(permanent[b / 8]) >> b % 8 & 1) != 0) places.push_back(b);
    return places;
}

double least_p_value(const OwnedSummary& summary) {
    double least = 1;
    for (const Check& check : health(summary.view())) least = std::min(least, check.p_value);
    return least;
}

/// People whose values follow these shares.
class Crowd {
  public:
    Crowd(const std::vector<double>& shares, std::uint64_t seed)
        : engine_(seed), draw_(shares.begin(), shares.end()), bits_(seed) {}
    /// n of them report; how many held each value is added to `held`.
    void report(std::size_t n, OwnedSummary& summary, std::vector<double>& held) {
        for (std::size_t i = 0; i < n; ++i) {
            const Cell value = draw_(engine_);
            held[value] += 1;
            summary.draw(value, bits_);
        }
    }

  private:
    std::mt19937_64 engine_;
    std::discrete_distribution<std::size_t> draw_;
    SeededBits bits_;
};

/// Of k values `held` have shares in the proportions 1, 1/2, 1/3 …, scattered over the domain.
std::vector<double> zipf_among(std::size_t k, std::size_t held) {
    std::vector<double> shares(k);
    for (std::size_t i = 0; i < held; ++i) shares[97 * i % k] = 1 / static_cast<double>(i + 1);
    return shares;
}

/// What the candidates of some collections were worth, added up.
struct Score {
    double significant = 0, false_significant = 0, covered = 0, true_picked = 0;
    [[nodiscard]] double recall(std::size_t held, int runs) const {
        return (significant - false_significant) / static_cast<double>(held) / runs;
    }
};

Score decode(const Mechanism& m, std::size_t held, std::size_t people, int runs, CandidateMethod method,
             std::uint64_t seed) {
    const std::vector<double> shares = zipf_among(m.cells()[0], held);
    Crowd crowd(shares, seed);
    Score score;
    for (int run = 0; run < runs; ++run) {
        OwnedSummary summary(m);
        std::vector<double> counts(shares.size());
        crowd.report(people, summary, counts);
        for (const Ranked& found : candidates(summary.view(), method, Control::bonferroni)) {
            const bool real = shares[found.value] > 0, significant = found.p_value <= 0.05;
            score.significant += significant ? 1 : 0;
            score.false_significant += significant && !real ? 1 : 0;
            if (!real) continue;
            const Interval bar = interval(found.estimate, 0.95);
            const double truth = counts[found.value] / static_cast<double>(people);
            score.true_picked += 1;
            score.covered += bar.lower <= truth && truth <= bar.upper ? 1 : 0;
        }
    }
    return score;
}

BlockDesign random_design(std::size_t columns, std::size_t blocks, std::size_t rows, std::size_t ones,
                          bool centred, SeededBits& bits) {
    BlockDesign design(blocks, rows, ones, centred);
    for (std::size_t v = 0; v < columns * blocks; ++v) {
        std::vector<std::uint16_t> places(rows);
        std::iota(places.begin(), places.end(), std::uint16_t{0});
        for (std::size_t i = 0; i < ones; ++i) std::swap(places[i], places[i + bits.below(rows - i)]);
        design.append(std::span(places).first(ones));
    }
    return design;
}

std::vector<double> noise(std::size_t size, std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    std::vector<double> y(size);
    for (double& entry : y) entry = normal(engine);
    return y;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rappor_mechanism)

// Clients of today and servers of tomorrow agree on the filters: these came from another program.
BOOST_AUTO_TEST_CASE(filters_never_change) {
    using Places = std::vector<std::size_t>;
    const auto usual = rappor(1, 65536, 128, 2, 8);
    BOOST_CHECK(filter(*usual, 0, 0) == (Places{55, 112}));
    BOOST_CHECK(filter(*usual, 7, 65535) == (Places{71, 89}));
    BOOST_CHECK(filter(*rappor(1, 65536, 1024, 8, 256), 255, 12345) ==
                (Places{88, 422, 480, 493, 584, 709, 891, 1003}));
    BOOST_CHECK(filter(*rappor(1, 2, 9, 8, 4), 3, 1) == (Places{0, 1, 2, 4, 5, 6, 7, 8}));
}

BOOST_AUTO_TEST_CASE(filters_have_h_bits_evenly_spread) {
    const auto m = rappor(1, 4000, 20, 3, 16);
    std::vector<std::uint64_t> uses(20);
    std::map<std::vector<std::size_t>, std::uint64_t> sets;
    for (std::size_t cohort = 0; cohort < 16; ++cohort)
        for (Cell value = 0; value < 4000; ++value) {
            const auto places = filter(*m, cohort, value);
            BOOST_REQUIRE_EQUAL(places.size(), 3u);
            for (const std::size_t place : places) ++uses[place];
            ++sets[places];
        }
    std::vector<std::uint64_t> counts;
    for (const auto& [places, count] : sets) counts.push_back(count);
    BOOST_CHECK_EQUAL(counts.size(), 1140u);  // all sets of three
    BOOST_CHECK_GT(goodness_of_fit("", counts).p_value, 1e-9);
    BOOST_CHECK_GT(goodness_of_fit("", uses).p_value, 1e-9);
}

BOOST_AUTO_TEST_CASE(overlapping_filters_cost_what_they_differ_in) {
    // Two values in one cohort, with five of eight bits each: they share two at least.
    const auto m = rappor(2, 2, 8, 5, 1);
    const std::byte public_randomness[] = {std::byte{0}};
    Exact worst = exact(1, 1);
    for (unsigned permanent = 0; permanent < 256; ++permanent) {
        const std::byte bits[] = {static_cast<std::byte>(permanent)};
        const Cell values[] = {0, 1};
        const Exact ratio = m->probability(std::span(values).first(1), public_randomness, bits) /
                            m->probability(std::span(values).last(1), public_randomness, bits);
        worst = std::max(worst, ratio);
    }
    BOOST_CHECK(worst == m->worst_ratio());
    BOOST_CHECK_GT(margin(2, worst), 0);
}

BOOST_AUTO_TEST_CASE(parameters_out_of_range_are_refused) {
    BOOST_CHECK_THROW(static_cast<void>(rappor(1, 2, 8, 8, 1)), Error);
    BOOST_CHECK_THROW(static_cast<void>(rappor(1, 65537, 128, 2, 8)), Error);
    const auto good = rappor(1, 4, 9, 8, 256);
    std::vector<std::byte> block(good->block().begin(), good->block().end());
    for (const auto& [at, value] : {std::pair{28, 8}, {28, 7}, {30, 0}, {30, 9}, {31, 1}, {32, 0}}) {
        std::vector<std::byte> bad = block;  // m = 8 and 7, h = 0 and 9, c = 257 and 0
        bad[static_cast<std::size_t>(at)] = static_cast<std::byte>(value);
        BOOST_CHECK_THROW(static_cast<void>(load_mechanism(bad, Kind::report)), Error);
    }
}

BOOST_AUTO_TEST_CASE(estimates, *boost::unit_test::label("slow")) {
    check_oracle("rappor", 1, 101, ", \"filter_bits\": 128");
    check_oracle("rappor", 4, 102, ", \"filter_bits\": 128, \"hashes\": 1");
}

BOOST_AUTO_TEST_CASE(two_values_have_the_variance_stated, *boost::unit_test::label("slow")) {
    // Half of all bits set and few cohorts: nearly all of the variance comes from the draw of the cohort, and
    // what the others hold is known.
    const auto m = rappor(20, 2, 8, 4, 3);
    std::vector<std::vector<Cell>> people(210, {0});
    people.resize(300, {1});
    const auto simulation = simulate(*m, people, {0.7, 0.3}, Quantity::frequencies, 20000, 103);
    simulation.check_unbiased();
    simulation.check_coverage();
    simulation.check_variance(0, m->n_variance(0.7) / 300);
    simulation.check_variance(1, m->n_variance(0.3) / 300);
}

BOOST_AUTO_TEST_CASE(crowded_filters_have_the_variance_shown, *boost::unit_test::label("slow")) {
    // Five values on eight bits in three cohorts: each has a variance of its own, which depends on what the
    // others hold. The reference is the standard error of a collection so large that the shares are known.
    const auto m = rappor(12, 5, 8, 2, 3);
    const std::vector<double> shares{0.5, 0.25, 0.15, 0.1, 0};
    OwnedSummary large(*m);
    SeededBits bits(104);
    constexpr std::size_t many = 1000000, few = 400;
    std::vector<std::vector<Cell>> people;
    for (Cell v = 0; v < 5; ++v) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(many * shares[v]); ++i)
            large.add(m->perturb({&v, 1}, bits));
        people.insert(people.end(), static_cast<std::size_t>(few * shares[v]), {v});
    }
    const auto reference = large.estimate(Quantity::frequencies);
    const auto simulation = simulate(*m, people, shares, Quantity::frequencies, 20000, 105);
    simulation.check_unbiased();
    simulation.check_coverage();
    for (std::size_t v = 0; v < 5; ++v) {
        const double n_variance = many * reference[v].standard_error * reference[v].standard_error;
        simulation.check_variance(v, n_variance / few);
        BOOST_CHECK_LT(n_variance, 1.001 * m->n_variance(shares[v]));
    }
}

BOOST_AUTO_TEST_CASE(population_intervals_cover, *boost::unit_test::label("slow")) {
    const auto m = rappor(12, 3, 16, 2, 4);
    const std::vector<double> shares{0.6, 0.3, 0.1};
    Crowd crowd(shares, 106);
    Simulation simulation;
    for (int r = 0; r < 10000; ++r) {
        OwnedSummary summary(*m);
        std::vector<double> held(3);
        crowd.report(400, summary, held);
        simulation.add(summary.estimate(Quantity::frequencies, Target::population), shares);
    }
    simulation.check_unbiased();
    simulation.check_coverage();
}

BOOST_AUTO_TEST_CASE(too_many_values_are_told_apart_as_candidates_only) {
    for (const auto& m : {rappor(1, 3000, 1024, 2, 64),  // too many to invert
                          rappor(1, 200, 16, 2, 8),      // more than bits
                          rappor(1, 8, 8, 1, 1)}) {      // some have the same bit
        OwnedSummary summary(*m);
        SeededBits bits(107);
        summary.add(m->perturb(std::vector<Cell>{1}, bits));
        BOOST_CHECK_EXCEPTION(static_cast<void>(summary.estimate(Quantity::frequencies)), Error,
                              [](const Error& error) { return error.code() == ErrorCode::unsupported; });
        BOOST_CHECK_EQUAL(m->n_variance(0.1), std::numeric_limits<double>::infinity());
        BOOST_CHECK_NO_THROW(
            static_cast<void>(candidates(summary.view(), CandidateMethod::nnls, Control::bonferroni)));
    }
}

BOOST_AUTO_TEST_CASE(values_nobody_holds_are_seldom_significant, *boost::unit_test::label("slow")) {
    // 4 values of 20 held; p-values of the others are uniform, or a little larger.
    const auto m = rappor(3, 20, 32, 2, 4);
    Crowd crowd(zipf_among(20, 1), 108);
    int below_5 = 0, below_50 = 0;
    constexpr int runs = 1000;
    for (int run = 0; run < runs; ++run) {
        OwnedSummary summary(*m);
        std::vector<double> held(20);
        crowd.report(1000, summary, held);
        const auto estimates = summary.estimate(Quantity::frequencies);
        const double p_value = capability<Significance>(*m).p_value(1000, estimates[3]);
        below_5 += p_value < 0.05 ? 1 : 0;
        below_50 += p_value < 0.5 ? 1 : 0;
    }
    BOOST_CHECK_LT(std::abs(below_5 - 0.05 * runs), 6 * std::sqrt(runs * 0.05 * 0.95));
    BOOST_CHECK_LT(std::abs(below_50 - 0.5 * runs), 6 * std::sqrt(runs * 0.25));
}

// Candidates -----------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(candidates_are_found_among_thousands, *boost::unit_test::label("slow")) {
    // 30 of 3000 values are held; the least common by 0.8 %, six standard errors.
    const auto m = rappor(4, 3000, 128, 1, 8);
    constexpr int runs = 20;
    for (const CandidateMethod method : {CandidateMethod::nnls, CandidateMethod::lasso}) {
        const Score score = decode(*m, 30, 100000, runs, method, 109);
        BOOST_CHECK_GT(score.recall(30, runs), 0.97);
        // One in 20 collections may have a false one; more than 8 of them have probability 1e-6.
        BOOST_CHECK_LE(score.false_significant, 8);
        const double coverage = score.covered / score.true_picked;
        BOOST_CHECK_LT(std::abs(coverage - 0.95), 6 * std::sqrt(0.95 * 0.05 / score.true_picked));
    }
}

BOOST_AUTO_TEST_CASE(candidates_are_found_among_tens_of_thousands) {
    const auto m = rappor(6, 65536, 256, 1, 8);
    const Score score = decode(*m, 10, 50000, 1, CandidateMethod::nnls, 110);
    BOOST_CHECK_EQUAL(score.significant, 10);
    BOOST_CHECK_EQUAL(score.false_significant, 0);
}

BOOST_AUTO_TEST_CASE(overcrowded_filters_invent_no_values, *boost::unit_test::label("slow")) {
    // 30 values on 32 bits in all, among 200: what cannot be decoded must show in the standard errors.
    const auto m = rappor(4, 200, 16, 2, 2);
    const Score score = decode(*m, 30, 20000, 100, CandidateMethod::lasso, 111);
    BOOST_CHECK_GT(score.significant, 50);
    BOOST_CHECK_LE(score.false_significant, 20);
}

BOOST_AUTO_TEST_CASE(candidates_come_in_order_with_adjusted_p_values) {
    const auto m = rappor(4, 300, 64, 1, 8);
    OwnedSummary summary(*m);
    BOOST_CHECK_EXCEPTION(
        static_cast<void>(candidates(summary.view(), CandidateMethod::nnls, Control::bonferroni)), Error,
        [](const Error& error) { return error.code() == ErrorCode::invalid_value; });
    std::vector<double> held(300);
    Crowd(zipf_among(300, 5), 112).report(20000, summary, held);
    const auto alone = pick(summary.view(), CandidateMethod::nnls);
    const auto ranked = candidates(summary.view(), CandidateMethod::nnls, Control::bonferroni);
    const auto gentler = candidates(summary.view(), CandidateMethod::nnls, Control::benjamini_hochberg);
    BOOST_REQUIRE_EQUAL(ranked.size(), 5u);
    BOOST_REQUIRE_EQUAL(alone.size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) {
        BOOST_CHECK_EQUAL(ranked[i].value, 97 * i % 300);
        const auto same = std::ranges::find(alone, ranked[i].value, &Picked::value);
        BOOST_REQUIRE(same != alone.end());
        BOOST_CHECK_EQUAL(ranked[i].estimate.value, same->estimate.value);
        BOOST_CHECK_EQUAL(ranked[i].p_value, 300 * same->p_value);
        BOOST_CHECK_LE(gentler[i].p_value, ranked[i].p_value);
    }
}

BOOST_AUTO_TEST_CASE(other_reports_need_no_candidates) {
    const auto oracle = mechanism("sue", 1, "\"domain\": 4");
    OwnedSummary summary(*oracle);
    SeededBits bits(113);
    summary.add(oracle->perturb(std::vector<Cell>{1}, bits));
    BOOST_CHECK_EXCEPTION(
        static_cast<void>(candidates(summary.view(), CandidateMethod::nnls, Control::bonferroni)), Error,
        [](const Error& error) {
            return error.code() == ErrorCode::unsupported &&
                   error.remedies() == std::vector{Remedy::ask_frequencies};
        });
    BOOST_CHECK(candidate_method_named("nnls") == CandidateMethod::nnls);
    BOOST_CHECK(candidate_method_named("lasso") == CandidateMethod::lasso);
    BOOST_CHECK_THROW(static_cast<void>(candidate_method_named("ridge")), Error);
}

// Health ---------------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(honest_reports_are_healthy_and_floods_are_not) {
    const auto m = rappor(2, 50, 64, 2, 4);
    for (const std::size_t held : {1, 50}) {
        OwnedSummary summary(*m);
        std::vector<double> counts(50);
        Crowd(zipf_among(50, held), 114 + held).report(20000, summary, counts);
        BOOST_CHECK_GT(least_p_value(summary), 1e-6);

        SeededBits bits(115);
        const auto flood = [&](std::size_t reports, auto forge) {
            OwnedSummary forged(*m);
            forged.merge(summary.bytes());
            for (std::size_t i = 0; i < reports; ++i) {
                Report report = m->perturb(std::vector<Cell>{0}, bits);
                forge(MutableBytes(report).subspan(m->block().size()));
                forged.add(report);
            }
            return least_p_value(forged);
        };
        // Two in a hundred with every bit set; with half of them, all alike; one cohort only; one bit always.
        BOOST_CHECK_LT(flood(400, [](MutableBytes p) { std::ranges::fill(p.subspan(1), std::byte{0xFF}); }),
                       1e-6);
        BOOST_CHECK_LT(flood(2000, [](MutableBytes p) { std::ranges::fill(p.subspan(1), std::byte{0x55}); }),
                       1e-6);
        BOOST_CHECK_LT(flood(1000, [](MutableBytes p) { p[0] = std::byte{2}; }), 1e-6);
        BOOST_CHECK_LT(flood(40000, [](MutableBytes p) { p[1] |= std::byte{1}; }), 1e-6);
    }
}

BOOST_AUTO_TEST_CASE(health_of_few_reports_and_one_cohort) {
    const auto m = rappor(1, 4, 16, 1, 1);
    SeededBits bits(116);
    OwnedSummary summary(*m);
    summary.add(m->perturb(std::vector<Cell>{1}, bits));
    BOOST_CHECK_GT(least_p_value(summary), 1e-6);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(regression)

BOOST_AUTO_TEST_CASE(least_squares_leave_no_slope) {
    SeededBits bits(201);
    for (const bool centred : {false, true}) {
        const BlockDesign design = random_design(12, 4, 16, 3, centred, bits);
        const auto fit = LeastSquares::of(design);
        BOOST_REQUIRE(fit);
        const std::vector<double> y = noise(64, 202);
        std::vector<double> rest = y;
        const std::vector<double> beta = fit->solve(y);
        for (std::size_t v = 0; v < 12; ++v) design.add(rest, v, -beta[v]);
        for (const double slope : design.project(rest)) BOOST_CHECK_SMALL(slope, 1e-12);
    }
}

BOOST_AUTO_TEST_CASE(least_squares_of_two_columns_in_closed_form) {
    for (const bool centred : {false, true}) {
        BlockDesign design(2, 8, 2, centred);
        for (const std::uint16_t place : {0, 1, 2, 3, 1, 2, 4, 5}) design.append({&place, 1});
        // Columns {0,1 | 2,3} and {1,2 | 4,5} share one row.
        const double off = centred ? 2.0 * 2 * 2 / 8 : 0, g = 4 - off, o = 1 - off;
        const auto fit = LeastSquares::of(design);
        BOOST_REQUIRE(fit);
        BOOST_CHECK_CLOSE_FRACTION(design.norm(), g, 1e-12);
        BOOST_CHECK_CLOSE_FRACTION(fit->leverage(0), g / (g * g - o * o), 1e-12);
        BOOST_CHECK_CLOSE_FRACTION(fit->leverage(1), g / (g * g - o * o), 1e-12);
        // Per block XⱼᵀXⱼ is [g/2, oⱼ; oⱼ, g/2]; twice the inverse times it, squared, meant over the blocks.
        double own = 0, cross = 0;
        for (const double shared : {1.0, 0.0}) {
            const double here = shared - off / 2, scale = 2 / (g * g - o * o);
            own += std::pow(scale * (g * g / 2 - o * here), 2) / 2;
            cross += std::pow(scale * (g * here - o * g / 2), 2) / 2;
        }
        BOOST_CHECK_CLOSE_FRACTION(fit->mean_square(0)[0], own, 1e-12);
        BOOST_CHECK_CLOSE_FRACTION(fit->mean_square(0)[1], cross, 1e-12);
        BOOST_CHECK_CLOSE_FRACTION(fit->mean_square(1)[0], cross, 1e-12);
    }
}

BOOST_AUTO_TEST_CASE(dependent_columns_are_noticed) {
    SeededBits bits(203);
    BlockDesign twice(3, 16, 2, false);
    for (int copy = 0; copy < 2; ++copy)
        for (const std::uint16_t place : {0, 1, 2, 3, 4, 5}) twice.append({&place, 1});
    BOOST_CHECK(!LeastSquares::of(twice));
    BOOST_CHECK(LeastSquares::of(random_design(31, 3, 16, 3, false, bits)));
    BOOST_CHECK(!LeastSquares::of(random_design(47, 3, 16, 3, false, bits)));  // 3·15 + 1 is the rank
    BOOST_CHECK(!LeastSquares::of(random_design(46, 3, 16, 3, true, bits)));   // 3·15
}

BOOST_AUTO_TEST_CASE(residuals_tell_the_noise) {
    SeededBits bits(204);
    for (const bool centred : {false, true}) {
        const auto fit = LeastSquares::of(random_design(100, 50, 32, 2, centred, bits));
        BOOST_REQUIRE(fit);
        std::vector<double> y = noise(1600, 205);
        for (std::size_t i = 0; centred && i < y.size(); ++i) y[i] += static_cast<double>(i / 32);
        BOOST_CHECK_LT(std::abs(fit->residual_variance(y, fit->solve(y)) - 1), 6 * std::sqrt(2 / 1450.0));
    }
}

BOOST_AUTO_TEST_CASE(selections_meet_their_optimality_conditions) {
    // β ≥ 0; slopes equal the penalty where β > 0 and do not exceed it elsewhere. Fewer columns than rows,
    // and many more.
    SeededBits bits(206);
    std::uint64_t seed = 207;
    for (const std::size_t columns : {20, 60, 400})
        for (const bool centred : {false, true})
            for (const double penalty : {0.0, 0.5, 2.0})
                for (int round = 0; round < 20; ++round) {
                    const BlockDesign design = random_design(columns, 4, 12, 2, centred, bits);
                    const std::vector<double> y = noise(design.height(), seed++);
                    const auto terms = non_negative(design, y, penalty + 1e-10, penalty, columns);
                    std::vector<double> rest = y;
                    for (const Term& term : terms) {
                        BOOST_CHECK_GT(term.coefficient, 0);
                        design.add(rest, term.column, -term.coefficient);
                    }
                    const std::vector<double> slopes = design.project(rest);
                    for (const double slope : slopes) BOOST_CHECK_LT(slope, penalty + 1e-8);
                    for (const Term& term : terms) BOOST_CHECK_SMALL(slopes[term.column] - penalty, 1e-8);
                    BOOST_CHECK(!terms.empty() || penalty > 0);
                }
}

BOOST_AUTO_TEST_CASE(selections_find_a_sparse_truth) {
    SeededBits bits(208);
    const BlockDesign design = random_design(500, 8, 32, 2, false, bits);
    std::vector<double> y(design.height());
    for (std::size_t v = 0; v < 20; ++v) design.add(y, 25 * v, 1 + static_cast<double>(v));
    const auto terms = non_negative(design, y, 1e-6, 0, 500);
    BOOST_REQUIRE_EQUAL(terms.size(), 20u);
    for (const Term& term : terms)
        BOOST_CHECK_CLOSE_FRACTION(term.coefficient, 1 + static_cast<double>(term.column) / 25, 1e-9);
    BOOST_CHECK_EQUAL(non_negative(design, y, 1e-6, 0, 7).size(), 7u);
    BOOST_CHECK(non_negative(design, std::vector<double>(y.size()), 0, 0, 500).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
