// Intervals of joint estimates cover the truth with few reports per query, with all people in one corner,
// and with strongly associated attributes.

#include <boost/test/unit_test.hpp>

#include "core/math/statistics.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/role/error_law.hpp"
#include "core/models/association.hpp"
#include "core/tables/marginal.hpp"
#include "core/tables/measured.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(joint_intervals)

namespace {

using Box = JointShares::Box;

Box range(std::size_t first_row, std::size_t end_row, std::size_t first_column, std::size_t end_column) {
    Box box{std::vector<bool>(8), std::vector<bool>(8)};
    for (std::size_t v = first_row; v < end_row; ++v) box[0][v] = true;
    for (std::size_t v = first_column; v < end_column; ++v) box[1][v] = true;
    return box;
}

enum class JointPeople { even, sign_vector, one_cell };

std::vector<Cell> person(JointPeople kind, BitSource& bits) {
    switch (kind) {
        case JointPeople::even:
            return {bits.below(8), bits.below(8)};
        case JointPeople::sign_vector:
            return {bits.below(2), bits.below(2)};
        default:
            return {4, 4};
    }
}

struct Held {
    std::uint64_t told = 0, held = 0;
};

const std::string eight_by_eight =
    R"("attributes": [{"name": "a", "domain": 8}, {"name": "b", "domain": 8}])";

/// Intervals of a box's share, from this number of people.
Held held(const Mechanism& m, JointPeople kind, int people, const Box& box, Target target, int runs) {
    SeededBits bits(17);
    Held found;
    for (int run = 0; run < runs; ++run) {
        OwnedSummary summary(m);
        double inside = 0;
        for (int i = 0; i < people; ++i) {
            const std::vector<Cell> record = person(kind, bits);
            inside += box[0][record[0]] && box[1][record[1]] ? 1 : 0;
            summary.draw(record, bits);
        }
        double truth = inside / people;
        if (target == Target::population) {
            const auto share = [&](const std::vector<bool>& values) {
                const std::size_t of = kind == JointPeople::even ? 8 : 2;
                return static_cast<double>(std::count(
                           values.begin(), values.begin() + static_cast<std::ptrdiff_t>(of), true)) /
                       static_cast<double>(of);
            };
            truth = kind == JointPeople::one_cell ? (box[0][4] && box[1][4] ? 1 : 0)
                                                  : share(box[0]) * share(box[1]);
        }
        const Marginal pair(summary.view(), {0, 1}, Combination::consistent, target);
        const MeasuredShare share = pair.measured(box);
        if (std::isnan(share.estimate.value)) continue;
        const auto [lower, upper] = interval(share, critical_value(0.95));
        ++found.told;
        found.held += lower <= truth + 1e-9 && truth - 1e-9 <= upper ? 1 : 0;
    }
    return found;
}

/// The same through joint_haar.
Held held(double epsilon, JointPeople kind, int people, const Box& box, Target target, int runs) {
    return held(*mechanism("joint_haar", epsilon, eight_by_eight), kind, people, box, target, runs);
}

}  // namespace

// The coarsest queries, with a dozen of 200 people together, determine a quarter of the table. Intervals
// from the variances of their reports alone covered 87 %.
BOOST_AUTO_TEST_CASE(boxes_of_people_who_are_even_are_held) {
    for (const double epsilon : {4.0, 8.0})
        for (const Target target : {Target::sample, Target::population}) {
            const Held found = held(epsilon, JointPeople::even, 200, range(0, 4, 0, 4), target, 1500);
            BOOST_TEST_CONTEXT(epsilon << ": " << found.held << " of " << found.told) {
                BOOST_CHECK_GT(found.told, 1300u);
                BOOST_CHECK_GT(binomial_at_most(found.told, 0.93, found.held), 1e-8);
                BOOST_CHECK_GT(binomial_at_least(found.told, 0.97, found.held), 1e-8);
            }
        }
}

// One table in two layers: through l_osue at the smaller ε, through l_grr at the larger one. Cells and boxes are
// covered from 50 people on, also if all people are in one cell.
BOOST_AUTO_TEST_CASE(tables_in_two_layers_are_held, *boost::unit_test::label("slow")) {
    for (const auto& [epsilon, first] : {std::pair{4.0, "2"}, {7.0, "3.5"}}) {
        const auto m = mechanism(
            "joint", epsilon, eight_by_eight + R"(, "marginals": [["a", "b"]], "report_epsilon": )" + first);
        for (const JointPeople kind : {JointPeople::even, JointPeople::one_cell})
            for (const Target target : {Target::sample, Target::population})
                for (const int people : {50, 400})
                    for (const Box& box : {range(4, 5, 4, 5), range(0, 5, 0, 5)}) {
                        const Held found = held(*m, kind, people, box, target, 800);
                        const double share =
                            static_cast<double>(found.held) / static_cast<double>(found.told);
                        BOOST_TEST_MESSAGE("epsilon " << epsilon << ", " << people << " people, people "
                                                      << static_cast<int>(kind) << ", target "
                                                      << static_cast<int>(target) << ": " << share);
                        BOOST_TEST_CONTEXT(epsilon << ", " << people << ": " << share) {
                            BOOST_CHECK_EQUAL(found.told, 800u);
                            BOOST_CHECK_GT(binomial_at_most(found.told, 0.93, found.held), 1e-8);
                        }
                    }
    }
}

// If many people agree, the interval may be too long, but never too short. One box contains all people;
// from the variances of reports alone, 86 % of its intervals covered the truth. The other box is empty.
BOOST_AUTO_TEST_CASE(boxes_of_people_who_are_in_a_corner_are_held) {
    for (const double epsilon : {4.0, 8.0})
        for (const JointPeople kind : {JointPeople::sign_vector, JointPeople::one_cell}) {
            const Held found = held(epsilon, kind, 1000, range(0, 4, 0, 4), Target::population, 600);
            BOOST_TEST_CONTEXT(epsilon << ": " << found.held << " of " << found.told) {
                BOOST_CHECK_GT(found.told, 590u);
                BOOST_CHECK_GT(binomial_at_most(found.told, 0.93, found.held), 1e-8);
            }
        }
}

BOOST_AUTO_TEST_CASE(boxes_of_fifty_people_are_held_or_refused) {
    for (const int people : {20, 50}) {
        const Held found = held(4, JointPeople::even, people, range(0, 4, 0, 4), Target::population, 6000);
        BOOST_TEST_CONTEXT(people << ": " << found.held << " of " << found.told) {
            BOOST_CHECK_GT(found.told, 10u);
            BOOST_CHECK_GT(binomial_at_most(found.told, people < 50 ? 0.91 : 0.93, found.held), 1e-8);
        }
    }
}

// The noise of a cell's share goes with the share, which matters where most people are in few cells: by a
// noise that is alike in all cells, 85 to 90 % of these intervals held.
BOOST_AUTO_TEST_CASE(intervals_of_strong_associations_hold, *boost::unit_test::label("slow")) {
    const auto m = mechanism("joint", 4, R"("attributes": [{"name": "a", "domain": 4},
        {"name": "b", "domain": 4}, {"name": "c", "domain": 4}])");
    for (const int percent : {80, 95, 100}) {
        SeededBits bits(static_cast<std::uint64_t>(percent));
        constexpr std::uint64_t runs = 700;
        std::uint64_t held = 0;
        for (std::uint64_t run = 0; run < runs; ++run) {
            OwnedSummary summary(*m);
            for (int i = 0; i < 8000; ++i) {
                const Cell own = bits.below(4);
                const Cell other =
                    bits.below(100) < static_cast<std::uint64_t>(percent) ? own : bits.below(4);
                summary.draw(std::vector<Cell>{own, other, bits.below(4)}, bits);
            }
            const auto [lower, upper] = associations(measured(summary.view()), 0.95).at(0).v_interval;
            held += lower <= percent / 100.0 && percent / 100.0 <= upper;
        }
        BOOST_TEST_CONTEXT("V " << percent << " %: " << held << " of " << runs) {
            BOOST_CHECK_GT(binomial_at_most(runs, 0.94, held), 1e-8);
            if (percent < 100) BOOST_CHECK_GT(binomial_at_least(runs, 0.97, held), 1e-8);
        }
    }
}

// A model's tables: the repeated part of the noise is counted as often as a person reports, the part that a second layer
// draws anew once.
BOOST_AUTO_TEST_CASE(measured_tables_are_widened) {
    const std::string pair = R"("attributes": [{"name": "a", "domain": 3}, {"name": "b", "domain": 4}])";
    for (const bool two_layers : {false, true}) {
        SeededBits bits(29);
        const auto m =
            mechanism("joint", 2,
                      pair + (two_layers ? R"(, "report_epsilon": 0.5)" : "") +
                          R"(, "evolving": {}, "budget": {"epsilon": 1000, "report_spent": false})");
        OwnedSummary once(*m), often(*m);
        for (int i = 0; i < 400; ++i) {
            const Report report = m->perturb(std::vector<Cell>{bits.below(3), bits.below(4)}, bits);
            once.add(report, Rounds::only(4));
            often.add(report, Rounds::only(i % 9));
        }
        const auto one = std::get<std::vector<Table>>(measured(once.view())),
                   repeated = std::get<std::vector<Table>>(measured(often.view()));
        const double factor = two_layers ? 1 + 8 * m->memoized_share()->upper : 9;
        BOOST_CHECK(two_layers ? factor > 1 && factor < 8 : factor == 9);
        BOOST_REQUIRE_EQUAL(one.size(), 1u);
        BOOST_REQUIRE_EQUAL(repeated.size(), 1u);
        BOOST_CHECK_EQUAL(one[0].people, 400);
        BOOST_CHECK_CLOSE_FRACTION(one[0].people, factor * repeated[0].people, 1e-12);
        BOOST_CHECK_CLOSE_FRACTION(repeated[0].variance, factor * one[0].variance, 1e-12);
        BOOST_CHECK_CLOSE_FRACTION(repeated[0].held, factor * one[0].held, 1e-12);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
