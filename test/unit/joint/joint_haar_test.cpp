// Haar coefficients among which people are divided: possible reports, unbiased estimates of boxes with the
// stated errors, the choice of coefficients, and fitted tables.

#include <cmath>
#include <random>

#include "core/base/error.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/tables/fitted.hpp"
#include "core/tables/marginal.hpp"
#include "core/tables/measured.hpp"
#include "core/tables/pooled.hpp"
#include "proof.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(joint_haar)

namespace {

// Sizes that are powers of two, and others.
const std::string three = R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 5},
    {"name": "c", "min": 0, "max": 8, "bins": 8}])";
constexpr std::size_t all_cells = 80;

std::vector<Cell> record_of(std::size_t i) {
    return {i / 40, i / 8 % 5, i % 8};
}

/// Shares of all records, whose attributes are associated.
std::vector<double> records() {
    std::vector<double> shares(all_cells);
    double all = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const std::vector<Cell> record = record_of(i);
        const double apart = static_cast<double>(record[1]) * 1.6 - static_cast<double>(record[2]);
        all += shares[i] =
            (1 + static_cast<double>(record[0] * (record[2] % 3))) * std::exp(-apart * apart / 6);
    }
    for (double& share : shares) share /= all;
    return shares;
}

using Box = JointShares::Box;

/// The share of a box of some of the attributes.
double share_in(const std::vector<double>& shares, const std::vector<std::size_t>& attributes,
                const Box& box) {
    double all = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        bool inside = true;
        for (std::size_t a = 0; a < attributes.size(); ++a)
            inside = inside && box[a][record_of(i)[attributes[a]]];
        all += inside ? shares[i] : 0;
    }
    return all;
}

Box range_box(std::vector<std::array<std::size_t, 3>> ranges) {  // first, end, size
    Box box;
    for (const auto& [first, end, size] : ranges) {
        auto& values = box.emplace_back(size);
        for (std::size_t v = first; v < end; ++v) values[v] = true;
    }
    return box;
}

/// How far off estimates are in many runs, in their standard errors.
struct CoveredRuns {
    double number = 0, sum = 0, squares = 0, covered = 0;

    void add(const Estimate& estimate, const Interval& interval, double truth) {
        const double z = (estimate.value - truth) / estimate.standard_error;
        ++number;
        sum += z;
        squares += z * z;
        covered += interval.lower <= truth && truth <= interval.upper ? 1 : 0;
    }
    /// The mean and the mean square of this number of errors, each of which exceeds its tolerance
    /// once in 10^8. Also the coverage of the interval, which leaves its tolerance once in 10^7 at a
    /// true coverage of 95 %.
    void check() const {
        BOOST_CHECK_SMALL(sum / std::sqrt(number), 5.8);
        BOOST_CHECK_SMALL((squares - number) / std::sqrt(2 * number), 5.8);
        BOOST_CHECK_SMALL(covered / number - 0.95, 5.4 * std::sqrt(0.95 * 0.05 / number));
    }
};

OwnedSummary drawn(const Mechanism& m, const std::vector<double>& truth, int people, std::uint64_t seed) {
    SeededBits bits(seed);
    std::mt19937_64 random(seed);
    std::discrete_distribution<std::size_t> population(truth.begin(), truth.end());
    OwnedSummary summary(m);
    for (int person = 0; person < people; ++person) summary.draw(record_of(population(random)), bits);
    return summary;
}

auto fails_with(ErrorCode code) {
    return [code](const Error& error) { return error.code() == code; };
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_question_keeps_epsilon) {
    for (const double epsilon : epsilons)
        for (const char* options : {"", R"(, "marginals": [["a"], ["c", "b"]])",
                                    R"(, "optimize_for": "cells")", R"(, "people": 3000)"})
            prove(*mechanism("joint_haar", epsilon, three + options));
}

BOOST_AUTO_TEST_CASE(single_attributes_are_views_too) {
    const auto views = [](const std::string& options) {
        const auto m = mechanism("joint_haar", 1, three + options);
        return find_capability<JointViews>(*m)->views();
    };
    using Views = std::vector<std::vector<std::size_t>>;
    BOOST_CHECK((views("") == Views{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}}));
    BOOST_CHECK((views(R"(, "marginals": [["c", "a"], ["b"]])") == Views{{0}, {1}, {2}, {0, 2}}));
    // Their shares are not linear in a count.
    const auto m = mechanism("joint_haar", 1, three);
    const std::vector<std::byte> state(m->state_size());
    BOOST_TEST(capability<JointViews>(*m).error_law({0, state}, 0, 1, Target::sample).n == 0U);
    for (const char* wrong :
         {R"(, "marginals": "triples")", R"(, "marginals": [["a", "b", "c"]])",
          R"(, "marginals": [["a", "b"]])", R"(, "people": 0)", R"(, "optimize_for": "means")"})
        BOOST_CHECK_EXCEPTION(static_cast<void>(views(wrong)), Error, fails_with(ErrorCode::invalid_spec));
    BOOST_CHECK_EXCEPTION(mechanism("joint_haar", 1, R"("attributes": [{"name": "a", "domain": 2},
        {"name": "b", "min": 0, "max": 1}])"),
                          Error, fails_with(ErrorCode::invalid_spec));
    BOOST_CHECK_EXCEPTION(mechanism("joint_haar", 1, R"("attributes": [{"name": "a", "domain": 4096},
        {"name": "b", "domain": 2048}])"),
                          Error, fails_with(ErrorCode::invalid_spec));
}

BOOST_AUTO_TEST_CASE(too_many_questions_and_too_large_summaries_are_refused) {
    const auto alike = [](int attributes, int size) {
        std::string all;
        for (int i = 0; i < attributes; ++i)
            all += std::string(i > 0 ? ", " : "") + "{\"name\": \"a" + std::to_string(i) +
                   "\", \"domain\": " + std::to_string(size) + "}";
        return "\"attributes\": [" + all + "]";
    };
    const auto says = [](const std::string& words) {
        return [words](const Error& error) {
            return error.code() == ErrorCode::invalid_spec &&
                   std::string(error.what()).find(words) != std::string::npos;
        };
    };
    // 780 pairs of 10 × 10 levels, and 6 pairs of 2^22 cells.
    BOOST_CHECK_EXCEPTION(mechanism("joint_haar", 1, alike(40, 1024)), Error, says("too many queries"));
    BOOST_CHECK_EXCEPTION(mechanism("joint_haar", 1, alike(4, 2048)), Error, says("too large"));
}

// With the respondents as target, for all respondents, and with a population as target.
BOOST_AUTO_TEST_CASE(answers_are_unbiased_and_as_sure_as_they_say, *boost::unit_test::label("slow")) {
    const std::vector<double> truth = records();
    const Box cell = range_box({{1, 2, 5}, {3, 4, 8}}), wide = range_box({{1, 4, 5}, {2, 7, 8}}),
              given = range_box({{0, 5, 5}, {2, 7, 8}}), tail = range_box({{5, 8, 8}}),
              binary = range_box({{1, 2, 2}, {0, 3, 5}});
    for (const auto& [epsilon, options] : {std::pair(1, ""),
                                           {3, ""},
                                           {7, ""},
                                           {2, R"(, "optimize_for": "cells")"},
                                           {2, R"(, "people": 1000000000)"}}) {
        const auto m = mechanism("joint_haar", epsilon, three + options);
        for (const Target target : {Target::sample, Target::population}) {
            constexpr int people = 3000, runs = 300;
            SeededBits bits(17);
            std::mt19937_64 random(3);
            std::discrete_distribution<std::size_t> population(truth.begin(), truth.end());
            CoveredRuns of_cell, of_wide, of_rest, of_tail, of_binary, single;
            for (int run = 0; run < runs; ++run) {
                OwnedSummary summary(*m);
                std::vector<double> shares = truth;
                if (target == Target::sample) std::ranges::fill(shares, 0);
                for (int person = 0; person < people; ++person) {
                    // The sample is the same in all runs, and no multiple of the population.
                    const std::size_t i = target == Target::population
                                              ? population(random)
                                              : static_cast<std::size_t>(person * person / 7) % all_cells;
                    if (target == Target::sample) shares[i] += 1.0 / people;
                    summary.draw(record_of(i), bits);
                }
                const auto ask = [&](CoveredRuns& runs_of, const std::vector<std::size_t>& attributes,
                                     const Box& box) {
                    const Marginal marginal(summary.view(), attributes, Combination::consistent, target);
                    const MeasuredShare share = marginal.measured(box);
                    runs_of.add(share.estimate, interval(share, critical_value(0.95)),
                                share_in(shares, attributes, box));
                };
                ask(of_cell, {1, 2}, cell);
                ask(of_wide, {1, 2}, wide);
                ask(of_tail, {2}, tail);
                ask(of_binary, {0, 1}, binary);
                const Quotient rest = Marginal(summary.view(), {1, 2}, Combination::unbiased, target)
                                          .quotient(wide, given, critical_value(0.95));
                // Of quotients the interval is no multiple of the error.
                const double quotient = share_in(shares, {1, 2}, wide) / share_in(shares, {1, 2}, given);
                of_rest.number += 1;
                of_rest.covered += rest.interval.lower <= quotient && quotient <= rest.interval.upper;
                const Estimate value = summary.estimate(Quantity::frequencies, target, 1)[2];
                single.add(value, interval(value, 0.95), share_in(shares, {1}, range_box({{2, 3, 5}})));
            }
            BOOST_TEST_CONTEXT(epsilon << options << (target == Target::sample ? " sample" : " population")) {
                for (const CoveredRuns* each : {&of_cell, &of_wide, &of_tail, &of_binary, &single})
                    each->check();
                BOOST_CHECK_SMALL(of_rest.covered / runs - 0.95, 5.4 * std::sqrt(0.95 * 0.05 / runs));
            }
        }
    }
}

// Few reports per query, and empty cells.
BOOST_AUTO_TEST_CASE(intervals_of_few_reports_hold, *boost::unit_test::label("slow")) {
    constexpr int runs = 1500;
    const Cells cells({2, 4});
    for (const auto& [epsilon, people] : {std::pair(1, 60), {1, 100}, {2, 200}, {5, 500}, {8, 1000}}) {
        const auto m = mechanism("joint_haar", epsilon, R"("attributes": [{"name": "a", "domain": 2},
            {"name": "b", "domain": 4}])");
        SeededBits bits(47);
        double covered = 0, asked = 0;
        for (int run = 0; run < runs; ++run) {
            OwnedSummary summary(*m);
            for (int person = 0; person < people; ++person)
                summary.draw(bits.chance(9, 10) ? std::vector<Cell>{0, 1} : std::vector<Cell>{1, 2}, bits);
            const Marginal pair(summary.view(), {0, 1}, Combination::consistent, Target::population);
            for (std::size_t cell = 0; cell < cells.count(); ++cell) {
                const MeasuredShare share = pair.measured(cells.box(cell));
                if (std::isnan(share.estimate.value)) continue;
                const double truth = cell == 1 ? 0.9 : cell == 6 ? 0.1 : 0;
                const Interval found = interval(share, critical_value(0.95));
                ++asked;
                covered += found.lower <= truth && truth <= found.upper;
            }
        }
        BOOST_TEST_CONTEXT(epsilon << ", " << people << ": " << covered / asked) {
            BOOST_CHECK_GT(asked, 8 * runs / 2);
            BOOST_CHECK_GT(covered / asked, 0.93);
            // Most people are in one cell. Intervals contain a possible share and allow for reports that
            // agree by chance, so they are wider than the noise of this population requires.
            BOOST_CHECK_LT(covered / asked, epsilon < 5 ? 0.985 : 0.995);
        }
    }
}

// All shares of a table together are everybody's, and its margins are those of the attributes alone.
BOOST_AUTO_TEST_CASE(answers_agree) {
    const auto m = mechanism("joint_haar", 1, three);
    const OwnedSummary summary = drawn(*m, records(), 4000, 5);
    const Marginal pair(summary.view(), {1, 2}, Combination::consistent, Target::sample);
    const auto single = summary.estimate(Quantity::frequencies, Target::sample, 1);
    const std::vector<Estimate> cells = pair.shares();
    double all = 0;
    for (std::size_t b = 0; b < 5; ++b) {
        double row = 0;
        for (std::size_t c = 0; c < 8; ++c) row += cells[b * 8 + c].value;
        BOOST_CHECK_CLOSE(row, single[b].value, 1e-8);
        all += row;
    }
    BOOST_CHECK_CLOSE(all, 1, 1e-8);
    const Estimate everybody = pair.measured(range_box({{0, 5, 5}, {0, 8, 8}})).estimate;
    BOOST_CHECK_EQUAL(everybody.value, 1);
    BOOST_CHECK_EQUAL(everybody.standard_error, 0);
    BOOST_CHECK_EQUAL(find_capability<JointViews>(*m)->views().size(), 6u);
    std::uint64_t reports = 0;
    for (std::size_t v = 0; v < 6; ++v)
        reports += find_capability<JointViews>(*m)->reports_of_view(summary.view(), v);
    BOOST_CHECK_EQUAL(reports, 4000u);
}

// Hardly any noise, and nobody differs from the others.
BOOST_AUTO_TEST_CASE(people_who_are_alike_are_told_surely) {
    const auto m = mechanism("joint_haar", 9, three);
    SeededBits bits(6);
    OwnedSummary summary(*m);
    for (int person = 0; person < 20000; ++person) summary.draw(std::vector<Cell>{1, 2, 3}, bits);
    const Marginal pair(summary.view(), {1, 2}, Combination::consistent, Target::population);
    const Estimate all = pair.measured(range_box({{1, 4, 5}, {2, 7, 8}})).estimate;
    BOOST_CHECK_SMALL(all.value - 1, 0.01);
    BOOST_CHECK_LT(all.standard_error, 0.002);
    BOOST_CHECK_GT(all.standard_error, 0);
}

// What is planned before anybody reports is what comes out of very many reports.
BOOST_AUTO_TEST_CASE(variances_are_promised_as_they_come_out) {
    for (const double epsilon : {1.0, 4.0}) {
        const auto m = mechanism("joint_haar", epsilon, three);
        constexpr int people = 200000;
        const OwnedSummary summary = drawn(*m, std::vector<double>(all_cells, 1.0 / all_cells), people, 3);
        double greatest = 0;
        for (std::size_t j = 0; j < 3; ++j) {
            double variance = 0;
            const auto shares = summary.estimate(Quantity::frequencies, Target::sample, j);
            for (const Estimate& share : shares)
                variance +=
                    share.standard_error * share.standard_error * people / static_cast<double>(shares.size());
            BOOST_CHECK_CLOSE(variance, m->expected_variance(j), 4);
            greatest = std::max(greatest, m->expected_variance(j));
        }
        BOOST_CHECK_GE(m->n_variance(0.5), 0.9 * greatest);
        // The largest of all values, looked for among all.
        double largest = 0;
        for (std::size_t j = 0; j < 3; ++j) {
            const std::size_t size = m->cells()[j];
            for (std::size_t v = 0; v < size; ++v) {
                std::vector<double> spread(size, 0.7 / static_cast<double>(size - 1));
                spread[v] = 0.3;
                largest = std::max(largest, m->n_variance_of(j, v, spread));
            }
        }
        BOOST_CHECK_CLOSE(m->n_variance(0.3), largest, 1);
    }
}

// With the lot for boxes anywhere, the mean variance of boxes is less than with that for cells; and the other
// way round.
BOOST_AUTO_TEST_CASE(the_lot_is_for_what_is_asked) {
    const std::string two = R"("attributes": [{"name": "a", "domain": 16}, {"name": "b", "domain": 16}])";
    const auto errors = [&](const std::string& options) {
        const auto m = mechanism("joint_haar", 1, two + options);
        const std::vector<double> even(16, 1.0 / 16);
        const auto shares = find_capability<JointViews>(*m)->expected_shares(
            {0, 1}, [&](std::size_t) -> const std::vector<double>& { return even; }, 1e6);
        double boxes = 0;
        for (std::size_t first = 0; first < 8; ++first) {
            const auto box = shares->share(range_box({{first, first + 8, 16}, {3, 3 + first, 16}}));
            boxes += shares->covariance(box, box);
        }
        const auto cell = shares->share(range_box({{5, 6, 16}, {9, 10, 16}}));
        return std::pair(boxes, shares->covariance(cell, cell));
    };
    const auto ranges = errors(""), cells = errors(R"(, "optimize_for": "cells")");
    BOOST_CHECK_LT(ranges.first, 0.6 * cells.first);
    BOOST_CHECK_LT(cells.second, 0.9 * ranges.second);
}

// With few people fine levels of pairs are omitted. Boxes that need them are unknown; others and single
// attributes are estimated.
BOOST_AUTO_TEST_CASE(levels_too_fine_for_the_people_are_left_out) {
    const std::string two = R"("attributes": [{"name": "a", "domain": 16}, {"name": "b", "domain": 16}])";
    const auto questions = [&](const std::string& people) {
        const auto m = mechanism("joint_haar", 1, two + people);
        return m->parameters()[1].second;
    };
    BOOST_CHECK_EQUAL(questions(""), 4 + 4 + 16);
    BOOST_CHECK_EQUAL(questions(R"(, "people": 1000000000000)"), 4 + 4 + 16);
    BOOST_CHECK_LT(questions(R"(, "people": 3000)"), 20);
    BOOST_CHECK_LE(questions(R"(, "people": 3000)"), questions(R"(, "people": 30000)"));
    BOOST_CHECK_EQUAL(questions(R"(, "people": 1)"), 4 + 4 + 1);

    const auto m = mechanism("joint_haar", 1, two + R"(, "people": 3000)");
    SeededBits bits(4);
    OwnedSummary summary(*m);
    for (int i = 0; i < 3000; ++i) summary.draw(std::vector<Cell>{bits.below(16), bits.below(16)}, bits);
    const Marginal pair(summary.view(), {0, 1}, Combination::consistent, Target::sample);
    const Estimate coarse = pair.measured(range_box({{0, 8, 16}, {8, 16, 16}})).estimate,
                   fine = pair.measured(range_box({{3, 8, 16}, {5, 16, 16}})).estimate;
    BOOST_CHECK(std::isfinite(coarse.value) && std::isfinite(coarse.standard_error));
    BOOST_CHECK(std::isnan(fine.value) && std::isnan(fine.standard_error));
    const Quotient nothing =
        pair.quotient(range_box({{3, 8, 16}, {0, 16, 16}}), range_box({{0, 16, 16}, {5, 16, 16}}), 1.96);
    BOOST_CHECK(std::isnan(nothing.estimate.value) && std::isnan(nothing.interval.lower));
    for (const Estimate& share : summary.estimate(Quantity::frequencies, Target::sample, 0))
        BOOST_CHECK(std::isfinite(share.value) && share.standard_error > 0);
    for (const double share : fitted(measured(summary.view())).table(std::vector<std::size_t>{0, 1}).shares)
        BOOST_CHECK(std::isfinite(share) && share >= 0);
}

BOOST_AUTO_TEST_CASE(fits_are_tables_of_people_and_agree) {
    const std::vector<double> truth = records();
    for (const int people : {300, 30000}) {
        const auto m = mechanism("joint_haar", 1, three);
        const OwnedSummary summary = drawn(*m, truth, people, 9);
        const Fit fit = fitted(measured(summary.view()));
        BOOST_CHECK_EQUAL(fit.tables().size(), 6u);
        for (const Table& table : fit.tables()) {
            double sum = 0;
            for (const double share : table.shares) {
                BOOST_CHECK_GE(share, 0);
                sum += share;
            }
            BOOST_CHECK_CLOSE(sum, 1, 1e-6);
            for (const std::size_t j : table.attributes) {
                const Table margin = summed(table, std::vector<std::size_t>{j});
                const Table alone = fit.table(std::vector<std::size_t>{j});
                for (std::size_t v = 0; v < alone.shares.size(); ++v)
                    BOOST_CHECK_SMALL(margin.shares[v] - alone.shares[v], 1e-7);
            }
        }
    }
}

// Nearer to the truth than what they are fitted to, and, of ever more people, at the truth.
BOOST_AUTO_TEST_CASE(fits_are_near_the_truth) {
    const std::vector<double> truth = records();
    const auto distance = [&](const std::vector<double>& shares) {
        double sum = 0;
        for (std::size_t cell = 0; cell < 40; ++cell) {
            const double share = share_in(
                truth, {1, 2}, range_box({{cell / 8, cell / 8 + 1, 5}, {cell % 8, cell % 8 + 1, 8}}));
            sum += std::abs(shares[cell] - share) / 2;
        }
        return sum;
    };
    const std::vector<std::size_t> both{1, 2};
    for (const auto& [people, epsilon, most] :
         {std::tuple(3000, 1.0, 1.0), {30000, 1.0, 0.25}, {300000, 6.0, 0.04}}) {
        const auto m = mechanism("joint_haar", epsilon, three);
        const OwnedSummary summary = drawn(*m, truth, people, 21);
        std::vector<double> unbiased;
        for (const Estimate& share :
             Marginal(summary.view(), both, Combination::consistent, Target::sample).shares())
            unbiased.push_back(share.value);
        const double found = distance(fitted(measured(summary.view())).table(both).shares);
        BOOST_TEST_MESSAGE(people << ": " << found << ", unbiased " << distance(unbiased));
        BOOST_CHECK_LT(found, most);
        BOOST_CHECK_LT(found, 1.05 * distance(unbiased));
    }
}

BOOST_AUTO_TEST_CASE(three_attributes_are_refused) {
    const auto m = mechanism("joint_haar", 1, three);
    const OwnedSummary summary = drawn(*m, records(), 500, 2);
    BOOST_CHECK_EXCEPTION(Marginal(summary.view(), {0, 1, 2}, Combination::consistent, Target::sample), Error,
                          fails_with(ErrorCode::unsupported));
    const auto other = mechanism("grr", 1, "\"domain\": 3");
    BOOST_CHECK_EXCEPTION(static_cast<void>(measured(OwnedSummary(*other).view())), Error,
                          fails_with(ErrorCode::unsupported));
    // Without reports: all estimates are unknown, and no error is raised.
    const OwnedSummary nobody(*m);
    const Marginal empty(nobody.view(), {0, 1}, Combination::consistent, Target::sample);
    BOOST_CHECK(!empty.known() && std::isnan(empty.shares()[0].value));
}

BOOST_AUTO_TEST_CASE(honest_reports_are_healthy_and_forged_ones_are_not) {
    const auto m = mechanism("joint_haar", 2, three);
    SeededBits bits(12);
    OwnedSummary honest = drawn(*m, records(), 5000, 12), forged = drawn(*m, records(), 5000, 13);
    const auto worst = [](const OwnedSummary& summary) {
        double least = 1;
        for (const Check& check : health(summary.view())) least = std::min(least, check.p_value);
        return least;
    };
    BOOST_CHECK_GT(worst(honest), 1e-5);
    // All forgers send the same.
    const Report same = m->perturb(std::vector<Cell>{1, 2, 3}, bits);
    for (int i = 0; i < 1500; ++i) forged.add(same);
    BOOST_CHECK_LT(worst(forged), 1e-12);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
