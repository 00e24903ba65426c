// Rounds that are counted together, with memoized and with fresh responses: the rounds of a summary, the
// inflation of its errors, rejected queries, and the smallest number of reports for publication.

#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/groups/change.hpp"
#include "core/mechanism/frequency/pure_protocol.hpp"
#include "core/mechanism/frequency/second_layer.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/queries/candidates.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/summary/queries/learn.hpp"
#include "core/summary/queries/shrink.hpp"
#include "core/summary/queries/top.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(pooled_rounds)

namespace {

/// Keys of a spec with memoized responses.
const std::string kept = R"(, "evolving": {}, "budget": {"epsilon": 1000, "report_spent": false})";

constexpr std::int32_t rounds = 20;

/// The same people in all rounds, each with a device that keeps answers. In round t person i holds
/// people[(i + t·step) mod n]: with step 0 always the same value, and else another that as many hold.
OwnedSummary pooled(const Mechanism& m, const std::vector<std::vector<Cell>>& people, std::size_t step,
                    BitSource& bits) {
    OwnedSummary summary(m);
    std::vector<std::byte> report(m.block().begin(), m.block().end());
    report.resize(m.block().size() + m.payload_size());
    const auto payload = std::span(report).subspan(m.block().size());
    for (std::size_t i = 0; i < people.size(); ++i) {
        Device device(m, bits);
        for (std::int32_t t = 0; t < rounds; ++t) {
            device.report(people[(i + static_cast<std::size_t>(t) * step) % people.size()], payload);
            summary.add(report, Rounds::only(t));
        }
    }
    return summary;
}

struct PoolingCase {
    const char* mechanism;
    std::string rest;  ///< of the spec, after epsilon
    Quantity quantity;
};

const PoolingCase cases[] = {
    {"grr", R"("domain": 4)", Quantity::frequencies},
    {"oue", R"("domain": 4)", Quantity::frequencies},
    {"l_osue", R"("domain": 4, "report_epsilon": 0.7)", Quantity::frequencies},
    {"loloha", R"("domain": 4, "report_epsilon": 0.7)", Quantity::frequencies},
    {"rappor", R"("domain": 4, "report_epsilon": 0.7, "filter_bits": 32, "hashes": 1, "cohorts": 4)",
     Quantity::frequencies},
    {"pdp", R"("min": 0, "max": 8, "grid": 8)", Quantity::means},
    {"duchi", R"("min": 0, "max": 8, "grid": 8)", Quantity::means},
    {"haar",
     R"("grid": 8, "attributes": [{"name": "a", "min": 0, "max": 8}, {"name": "b", "min": 0, "max": 8}])",
     Quantity::means},
    {"haar",
     R"("report_epsilon": 0.7, "grid": 8, "attributes": [{"name": "a", "min": 0, "max": 8}, {"name": "b", "min": 0, "max": 8}])",
     Quantity::means},
};

/// Sixty people, and what is true of them: shares of 60 %, 30 %, 10 % and none of four values; numbers from 0
/// to 8.
struct PooledPeople {
    explicit PooledPeople(const PoolingCase& one) {
        const std::vector<Cell> cells = people_of({0.6, 0.3, 0.1, 0}, 60);
        const bool vector = std::string_view(one.mechanism) == "haar";
        for (const Cell cell : cells) {
            if (one.quantity == Quantity::frequencies)
                records.push_back({cell});
            else
                records.push_back(vector ? std::vector<Cell>{2 * cell, 8 - cell}
                                         : std::vector<Cell>{2 * cell});
        }
        if (one.quantity == Quantity::frequencies)
            truth = shares_among(cells, 4);
        else
            truth = vector ? std::vector<double>{1, 7.5} : std::vector<double>{1};
    }
    std::vector<std::vector<Cell>> records;
    std::vector<double> truth;
};

bool refused(const std::function<void()>& question, Remedy remedy) {
    try {
        question();
        return false;
    } catch (const Error& error) {
        return error.code() == ErrorCode::unsupported && error.remedies() == std::vector{remedy};
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(rounds_add_up) {
    static_assert(Rounds::none().with(Rounds::only(-3)) == Rounds::only(-3));
    static_assert(Rounds::only(7).with(Rounds::only(-3)) == Rounds{-3, 7});
    static_assert(Rounds::only(7).with(Rounds::unrecorded()) == Rounds::unrecorded());
    static_assert(Rounds::none().most() == 0 && Rounds::only(7).most() == 1 && Rounds{-3, 7}.most() == 11);
    static_assert(Rounds::unrecorded().most() == std::uint64_t{1} << 32);
    const auto m = mechanism("grr", 1, "\"domain\": 4");
    SeededBits bits(1);
    const Report report = m->perturb(std::vector<Cell>{1}, bits);
    OwnedSummary early(*m), late(*m), unrecorded(*m);
    early.add(report, Rounds::only(3));
    late.add(report, Rounds::only(9));
    late.merge(early.bytes());
    BOOST_CHECK(late.view().rounds == (Rounds{3, 9}));
    BOOST_CHECK_EQUAL(fewest_people(late.view()), 1u);
    late.merge(OwnedSummary(*m).bytes());
    BOOST_CHECK(late.view().rounds == (Rounds{3, 9}));
    unrecorded.add(report);
    late.merge(unrecorded.bytes());
    BOOST_CHECK(!late.view().rounds.recorded());
    BOOST_CHECK_EQUAL(fewest_people(late.view()), 0u);
}

// A block records memoization; the block of a spec without these keys is unchanged.
BOOST_AUTO_TEST_CASE(the_block_tells_what_a_summary_has_to_know) {
    const std::string plain = R"({"mechanism": "grr", "epsilon": 1, "domain": 4)";
    const auto fresh = mechanism(plain + "}"), remembered = mechanism(plain + kept + "}"),
               small = mechanism(plain + R"(, "min_group": 3})");
    for (const std::size_t at : {3, 6, 7}) BOOST_CHECK(fresh->block()[at] == std::byte{0});
    BOOST_CHECK(!fresh->header().kept && fresh->header().min_group == usual_min_group);
    BOOST_CHECK(remembered->header().kept && remembered->block()[3] == std::byte{1});
    BOOST_CHECK_EQUAL(small->header().min_group, 3);
    BOOST_CHECK_EQUAL(fresh->block().size(), small->block().size());
    BOOST_CHECK(Spec::from_json(plain + R"(, "min_group": 20})").to_json() ==
                Spec::from_json(plain + "}").to_json());
    BOOST_CHECK(Spec::from_json(plain + R"(, "min_group": 3})").to_json().find(R"("min_group":3)") !=
                std::string::npos);
    for (const char* bad : {"0", "65536", "-1", "1.5", "\"few\""})
        BOOST_CHECK_THROW(static_cast<void>(Spec::from_json(plain + ", \"min_group\": " + bad + "}")), Error);

    // So does that of one attribute, taken out of a record.
    const auto record = mechanism(
        R"({"mechanism": "sampled", "epsilon": 1, "min_group": 7, "attributes": [{"name": "a", "domain": 3}, {"name": "b", "domain": 3}])" +
        kept + "}");
    OwnedSummary summary(*record);
    SeededBits bits(2);
    for (std::int32_t t = 0; t < 40; ++t)
        summary.add(record->perturb(std::vector<Cell>{1, 2}, bits), Rounds::only(t % 5));
    for (const std::size_t j : {0, 1}) {
        const auto bytes = summary_of_part(summary.view(), j).bytes();
        const auto one = load_mechanism(bytes, Kind::summary);
        BOOST_CHECK_NO_THROW(check_summary(*one, bytes));
        BOOST_CHECK(one->header().kept && one->header().min_group == 7);
        BOOST_CHECK(view_of(*one, bytes).rounds == (Rounds{0, 4}));
        BOOST_CHECK(part(summary.view(), j).rounds == (Rounds{0, 4}));
        const auto alone = estimate(view_of(*one, bytes), {Quantity::frequencies, Target::population});
        const auto inside = summary.estimate(Quantity::frequencies, Target::population, j);
        for (std::size_t v = 0; v < 3; ++v)
            BOOST_CHECK_CLOSE_FRACTION(alone[v].standard_error, inside[v].standard_error, 1e-9);
    }
}

// At the ends of ε, and of numbers far from 0: a widened error is at least the one of different people, and
// at most √R of it.
BOOST_AUTO_TEST_CASE(widening_stays_within_its_bounds_everywhere) {
    SeededBits bits(24);
    const std::string far = R"("min": 1e9, "max": 1000000008, "grid": 8)";
    std::vector<PoolingCase> all{{"pdp", far, Quantity::means},
                                 {"onebit", R"("min": 0, "max": 1e12, "grid": 8)", Quantity::means},
                                 {"optimal", far, Quantity::means}};
    for (const char* name : {"grr", "oue", "l_grr", "l_sue", "l_osue", "loloha", "rappor", "dbitflip"})
        all.push_back({name, R"("domain": 4)", Quantity::frequencies});
    for (const PoolingCase& one : all)
        for (const double epsilon : {0.001, 20.0}) {
            const auto m = mechanism(one.mechanism, epsilon, one.rest + kept);
            const OwnedSummary summary = pooled(*m, PooledPeople({"", "", one.quantity}).records, 7, bits);
            for (const Target target : {Target::sample, Target::population}) {
                const Question question{one.quantity, target, 0};
                const auto plain = m->estimate(summary.view(), question);
                const auto inflated = estimate(summary.view(), question);
                BOOST_REQUIRE(!plain.empty() && plain.size() == inflated.size());
                for (std::size_t i = 0; i < plain.size(); ++i) {
                    BOOST_CHECK(std::isfinite(inflated[i].standard_error));
                    BOOST_CHECK_EQUAL(inflated[i].value, plain[i].value);
                    BOOST_CHECK_GE(inflated[i].standard_error, plain[i].standard_error * (1 - 1e-12));
                    BOOST_CHECK_LE(inflated[i].standard_error,
                                   std::sqrt(rounds) * plain[i].standard_error * (1 + 1e-12));
                }
            }
        }
}

// Memoized responses of 60 people, with 20 rounds counted together: 95 % intervals hold. Without
// inflation, those of one-layer mechanisms held in a third of the cases.
BOOST_AUTO_TEST_CASE(intervals_of_pooled_rounds_hold, *boost::unit_test::label("slow")) {
    SeededBits bits(20);
    for (const PoolingCase& one : cases) {
        const auto m = mechanism(one.mechanism, 1.4, one.rest + kept);
        const PooledPeople people(one);
        for (const std::size_t step : {0, 7}) {
            Simulation simulation;
            // Where nothing is left over of 95 %, so many that 93 are five standard deviations off.
            const std::size_t repetitions = (step == 0 ? 10000 : 1600) / people.truth.size();
            for (std::size_t r = 0; r < repetitions; ++r)
                simulation.add(pooled(*m, people.records, step, bits).estimate(one.quantity), people.truth);
            double covered = 0;
            for (const double hits : simulation.covered)
                covered += hits / static_cast<double>(simulation.repetitions * simulation.covered.size());
            BOOST_TEST_MESSAGE(one.mechanism << ", step " << step << ": " << covered);
            BOOST_TEST(covered >= 0.93, one.mechanism << ", step " << step << ": " << covered);
        }
    }
}

// If nobody's value changes the widened variance is what there is, with one layer and with two: it is not
// wider than need be.
BOOST_AUTO_TEST_CASE(the_widened_error_is_reached, *boost::unit_test::label("slow")) {
    SeededBits bits(21);
    for (const char* name : {"grr", "duchi", "loloha", "l_osue"}) {
        const PoolingCase& one = *std::ranges::find(cases, std::string_view(name), &PoolingCase::mechanism);
        const auto m = mechanism(one.mechanism, 1.4, one.rest + kept);
        const PooledPeople people(one);
        Simulation simulation;
        double claimed = 0;
        constexpr int repetitions = 1200;
        for (int r = 0; r < repetitions; ++r) {
            const auto found = pooled(*m, people.records, 0, bits).estimate(one.quantity);
            simulation.add(found, people.truth);
            claimed += found[0].standard_error * found[0].standard_error / repetitions;
        }
        simulation.check_unbiased();
        simulation.check_variance(0, claimed);
    }
}

// Of mechanisms that combine several numbers: the part that repeats is within its bounds for every value.
BOOST_AUTO_TEST_CASE(repeated_parts_are_within_their_bounds) {
    const std::string vector = unit_attributes(3) + R"(, "grid": 16, "randomizer": )",
                      pair = R"("attributes": [{"name": "a", "domain": 3}, {"name": "b", "domain": 4}])";
    for (const auto& [name, rest] :
         {std::pair{"haar", vector + "\"optimal\""}, {"haar", vector + "\"duchi\""}, {"joint", pair}}) {
        double last = 0;
        for (const double first : {0.3, 1.0, 2.9}) {  // joint: l_osue, then l_grr
            const auto m = mechanism(name, 3, rest + ", \"report_epsilon\": " + text(first));
            const auto [least, most] = *m->memoized_share();
            BOOST_CHECK(least > 0 && most <= 1);
            for (const double truth : {-1.0, -0.5, 0.0, 0.25, 0.5, 1.0}) {
                const double share = m->n_covariance(truth) / m->n_variance(truth);
                BOOST_CHECK_LE(least, share + 1e-12);
                BOOST_CHECK_LE(share, most + 1e-12);
            }
            BOOST_CHECK_GT(most, last);
            last = most;
        }
    }
}

// What is computed is what the formula says, of every kind of answer.
BOOST_AUTO_TEST_CASE(every_answer_is_widened) {
    const auto inflated = [](const std::string& name, const std::string& rest, const auto& ask,
                             double factor) {
        SeededBits bits(22);
        const auto m = mechanism(name, 1, rest + kept);
        OwnedSummary once(*m), often(*m);
        for (int i = 0; i < 400; ++i) {
            std::vector<Cell> input;
            for (const std::uint64_t cells : m->cells()) input.push_back(bits.below(cells));
            const Report report = m->perturb(input, bits);
            once.add(report, Rounds::only(4));
            often.add(report, Rounds::only(i % 9));
        }
        BOOST_CHECK_CLOSE_FRACTION(ask(often.view()), factor * ask(once.view()), 1e-9);
    };
    const auto error = [](Quantity quantity, Target target) {
        return [=](const SummaryView& view) { return estimate(view, {quantity, target})[0].standard_error; };
    };
    const std::string domain = R"("domain": 4)", number = R"("min": 0, "max": 8, "grid": 8)",
                      vector = R"("grid": 8, "attributes": [{"name": "a", "min": 0, "max": 8},
                                  {"name": "b", "min": 0, "max": 8}])";
    for (const Target target : {Target::sample, Target::population}) {
        inflated("grr", domain, error(Quantity::frequencies, target), 3);
        inflated("dbitflip", R"("domain": 4, "buckets": 4)", error(Quantity::frequencies, target), 3);
        inflated("pdp", number, error(Quantity::means, target), 3);
        inflated("haar", vector, error(Quantity::means, target), 3);
        inflated("haar", vector, error(Quantity::coefficients, target), 3);
        inflated(
            "haar", vector,
            [=](const SummaryView& view) { return group_mean(view, 0, 1, target).standard_error; }, 3);
        inflated(
            "haar_ordered", number,
            [=](const SummaryView& view) { return cdf(view, 3, target).standard_error; }, 3);
        inflated(
            "haar_ordered", number,
            [=](const SummaryView& view) { return histogram(view, 3, target)[1].standard_error; }, 3);
        inflated(
            "square_wave", number,
            [=](const SummaryView& view) { return share_between(view, 2, 5, target).standard_error; }, 3);
        inflated(
            "grr", domain,
            [=](const SummaryView& view) {
                return change(view, view, 0, 2, target)[0].difference.standard_error;
            },
            3);
    }
    // A quantile's interval is not symmetric: of a wider error it is wider.
    SeededBits bits(23);
    const auto m = mechanism("square_wave", 1, R"("min": 0, "max": 8, "grid": 64)" + kept);
    OwnedSummary once(*m), often(*m);
    for (int i = 0; i < 4000; ++i) {
        const Report report = m->perturb(std::vector<Cell>{bits.below(65)}, bits);
        once.add(report, Rounds::only(0));
        often.add(report, Rounds::only(i % 9));
    }
    const auto [value, narrow] = quantile(once.view(), 0.5, 0.95, Target::sample);
    const auto [same, wide] = quantile(often.view(), 0.5, 0.95, Target::sample);
    BOOST_CHECK_EQUAL(value, same);
    BOOST_CHECK_GT(wide.upper - wide.lower, 2 * (narrow.upper - narrow.lower));
    // Under a second layer the part that is drawn anew is not.
    const auto two = mechanism("l_grr", 2, R"("domain": 4, "report_epsilon": 0.5)" + kept);
    OwnedSummary a(*two), b(*two);
    for (int i = 0; i < 400; ++i) {
        const Report report = two->perturb(std::vector<Cell>{bits.below(4)}, bits);
        a.add(report, Rounds::only(0));
        b.add(report, Rounds::only(i % 9));
    }
    const Estimate narrow_share = a.estimate(Quantity::frequencies)[0],
                   wide_share = b.estimate(Quantity::frequencies)[0];
    const double f = std::clamp(wide_share.value, 0.0, 1.0);
    BOOST_CHECK_CLOSE_FRACTION(wide_share.standard_error / narrow_share.standard_error,
                               std::sqrt(1 + 8 * two->n_covariance(f) / two->n_variance(f)), 1e-9);
    BOOST_CHECK_LT(wide_share.standard_error, 2.5 * narrow_share.standard_error);
}

// A value without holders, in 20 rounds of memoized responses: significant at 0.05 with at most that
// frequency.
BOOST_AUTO_TEST_CASE(significance_of_pooled_rounds) {
    SeededBits bits(24);
    for (const char* name : {"grr", "l_osue", "rappor"}) {
        const PoolingCase& one = *std::ranges::find(cases, std::string_view(name), &PoolingCase::mechanism);
        const auto m = mechanism(one.mechanism, 1.4, one.rest + kept);
        const PooledPeople people(one);
        constexpr int repetitions = 400;
        int found = 0;
        for (int r = 0; r < repetitions; ++r)
            for (const Ranked& ranked :
                 top(pooled(*m, people.records, 0, bits).view(), 4, Target::sample, Control::bonferroni))
                if (ranked.value == 3 && ranked.p_value <= 4 * 0.05) ++found;
        // 5 % of 400 are 20; six standard deviations more are 46. Unwidened it would be more than 100.
        BOOST_TEST(found <= 46, name << ": " << found);
    }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_known_is_refused) {
    const auto oracle = mechanism("grr", 1, R"("domain": 4)" + kept);
    const auto ordered = mechanism("haar_ordered", 1, R"("domain": 4)" + kept);
    const auto vector = mechanism("haar", 1, unit_attributes(2) + kept);
    const auto bloom = mechanism("rappor", 1, R"("domain": 40, "filter_bits": 8, "cohorts": 2)" + kept);
    SeededBits bits(25);
    const auto counted = [&](const Mechanism& m, const Rounds& first, const Rounds& second) {
        OwnedSummary summary(m);
        for (int i = 0; i < 200; ++i)
            summary.add(m.perturb(std::vector<Cell>(m.cells().size(), 1), bits), i % 2 == 0 ? first : second);
        return summary;
    };
    const auto ask_all = [&](const Rounds& first, const Rounds& second, const auto& check_estimate,
                             const auto& check_one_round) {
        const OwnedSummary shares = counted(*oracle, first, second),
                           places = counted(*ordered, first, second), means = counted(*vector, first, second),
                           words = counted(*bloom, first, second);
        check_estimate([&] { static_cast<void>(shares.estimate(Quantity::frequencies)); });
        check_estimate(
            [&] { static_cast<void>(top(shares.view(), 2, Target::sample, Control::bonferroni)); });
        check_estimate([&] { static_cast<void>(change(shares.view(), shares.view(), 0, 2)); });
        check_estimate([&] { static_cast<void>(cdf(places.view(), 1, Target::sample)); });
        check_estimate([&] { static_cast<void>(quantile(places.view(), 0.5, 0.95, Target::sample)); });
        check_estimate([&] { static_cast<void>(histogram(places.view(), 2, Target::sample)); });
        check_estimate([&] { static_cast<void>(decode(places.view(), Smoothing::none)); });
        check_estimate([&] { static_cast<void>(learn_ranges(places.view(), 0.5)); });
        check_estimate([&] { static_cast<void>(means.estimate(Quantity::means)); });
        check_estimate([&] { static_cast<void>(group_mean(means.view(), 0, 1, Target::sample)); });
        check_estimate([&] { static_cast<void>(shrunk(means.view(), Shrinkage::soft, Target::sample)); });
        check_one_round([&] { static_cast<void>(health(shares.view())); });
        check_one_round([&] { static_cast<void>(change(shares.view(), shares.view(), 0.5, 2)); });
        check_one_round([&] { static_cast<void>(learn_ranges(shares.view(), 0.5)); });
        check_one_round(
            [&] { static_cast<void>(candidates(words.view(), CandidateMethod::nnls, Control::bonferroni)); });
    };
    const auto answered = [](const std::function<void()>& question) { BOOST_CHECK_NO_THROW(question()); };
    const auto unrecorded = [](const std::function<void()>& question) {
        BOOST_CHECK(refused(question, Remedy::count_rounds));
    };
    const auto several = [](const std::function<void()>& question) {
        BOOST_CHECK(refused(question, Remedy::ask_one_round));
    };
    ask_all(Rounds::unrecorded(), Rounds::only(1), unrecorded, unrecorded);
    ask_all(Rounds::only(1), Rounds::only(2), answered, several);
    ask_all(Rounds::only(1), Rounds::only(1), answered, answered);
}

// Clients that draw each response afresh need no rounds.
BOOST_AUTO_TEST_CASE(fresh_answers_are_as_sure_as_they_are_many) {
    const auto m = mechanism("grr", 1, R"("domain": 4)");
    SeededBits bits(26);
    OwnedSummary unrecorded(*m), recorded(*m);
    for (std::int32_t i = 0; i < 300; ++i) {
        const Report report = m->perturb(std::vector<Cell>{1}, bits);
        unrecorded.add(report);
        recorded.add(report, Rounds::only(i % 30));
    }
    for (std::size_t v = 0; v < 4; ++v)
        BOOST_CHECK_EQUAL(unrecorded.estimate(Quantity::frequencies)[v].standard_error,
                          recorded.estimate(Quantity::frequencies)[v].standard_error);
    BOOST_CHECK_NO_THROW(static_cast<void>(health(unrecorded.view())));
    BOOST_CHECK_EQUAL(fewest_people(recorded.view()), 10u);
    BOOST_CHECK(enough(recorded.view()) && note(recorded.view()).empty());
}

BOOST_AUTO_TEST_CASE(people_count_where_answers_are_kept) {
    const auto m = mechanism("grr", 1, R"("domain": 4)" + kept);
    SeededBits bits(27);
    OwnedSummary summary(*m);
    for (std::int32_t i = 0; i < 190; ++i)
        summary.add(m->perturb(std::vector<Cell>{1}, bits), Rounds::only(i % 10));
    BOOST_CHECK_EQUAL(fewest_people(summary.view()), 19u);
    BOOST_CHECK(!enough(summary.view()));
    BOOST_CHECK_EQUAL(note(summary.view()), "fewer than 20 people: nothing is shown (min_group)");
    for (std::int32_t i = 0; i < 10; ++i)
        summary.add(m->perturb(std::vector<Cell>{1}, bits), Rounds::only(i));
    BOOST_CHECK(enough(summary.view()));
    BOOST_CHECK_EQUAL(note(summary.view()), "up to 10 reports of one person: errors are inflated");
}

// The default of min_group, the smallest of 5, 10, 15, … with sufficient coverage. From it on, the 95 %
// intervals of the usual mechanisms, averaged over shares from 0 to 1, hold in 92 % of all cases, by the
// exact binomial laws.
BOOST_AUTO_TEST_CASE(the_usual_min_group_is_where_intervals_begin_to_hold) {
    const auto law = [](std::size_t n, double p) {
        std::vector<double> chances(n + 1);
        for (std::size_t i = 0; i <= n; ++i)
            chances[i] =
                std::exp(std::lgamma(n + 1.0) - std::lgamma(i + 1.0) - std::lgamma(n - i + 1.0) +
                         static_cast<double>(i) * std::log(p) + static_cast<double>(n - i) * std::log1p(-p));
        return chances;
    };
    const auto coverage = [&](const PureProtocol& protocol, std::size_t n) {
        double sum = 0;
        for (std::size_t tenths = 0; tenths <= 10; ++tenths) {
            const auto holders = static_cast<std::size_t>(std::lround(static_cast<double>(n * tenths) / 10));
            const auto of_holders = law(holders, protocol.p), of_others = law(n - holders, protocol.q);
            for (std::uint64_t i = 0; i <= holders; ++i)
                for (std::uint64_t j = 0; j <= n - holders; ++j) {
                    const std::uint64_t supports[] = {i + j};
                    const auto [low, high] =
                        interval(protocol.frequencies(supports, n, Target::sample)[0], 0.95);
                    const double truth = static_cast<double>(holders) / static_cast<double>(n);
                    if (low <= truth && truth <= high) sum += of_holders[i] * of_others[j] / 11;
                }
        }
        return sum;
    };
    const auto least = [&](std::size_t n) {
        double worst = 1;
        for (const double epsilon : {0.5, 1.0, 2.0, 4.0}) {
            const double e = std::exp(epsilon), root = std::exp(epsilon / 2);
            for (const PureProtocol& protocol :
                 {PureProtocol{e / (e + 3), 1 / (e + 3)}, PureProtocol{e / (e + 15), 1 / (e + 15)},
                  PureProtocol{0.5, 1 / (e + 1)}, PureProtocol{root / (1 + root), 1 / (1 + root)},
                  PureProtocol{e / (e + 1), 0.5}})
                worst = std::min(worst, coverage(protocol, n));
        }
        return worst;
    };
    BOOST_CHECK_LT(least(usual_min_group - 5), 0.92);
    for (std::size_t n = usual_min_group; n <= 40; n += 5) BOOST_CHECK_GE(least(n), 0.92);
}

// The radius of a bound over 10^12 ranges, the number for a domain of 2^24 values.
BOOST_AUTO_TEST_CASE(a_bound_among_many_is_finite) {
    BOOST_CHECK_CLOSE_FRACTION(one_of_many_radius(10), critical_value(1 - 2 * 0.01 / 10), 1e-9);
    const double k = 16777216;
    BOOST_CHECK_GT(one_of_many_radius(k * (k + 1) / 2), 8);
    BOOST_CHECK_LT(one_of_many_radius(k * (k + 1) / 2), 9);
}

// haar_ranges reports through a record of its own, which has fewer attributes than the vector.
BOOST_AUTO_TEST_CASE(ranges_do_not_change) {
    const auto m = mechanism("haar_ranges", 1, unit_attributes(4));
    SeededBits bits(28);
    OwnedSummary summary(*m);
    for (int i = 0; i < 50; ++i) summary.add(m->perturb(std::vector<Cell>(4, 1), bits));
    BOOST_CHECK(refused([&] { static_cast<void>(change(summary.view(), summary.view(), 0, 2)); },
                        Remedy::learn_ranges));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
