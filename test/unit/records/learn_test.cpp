// Ranges learnt in a first round, and what they are worth in a second.

#include "core/summary/queries/learn.hpp"
#include "../../support/draws.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/channel/numeric.hpp"
#include "core/mechanism/vector/haar_vector.hpp"
#include "core/summary/queries/distribution.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(learning)

namespace {

/// A number on a mechanism's grid over a range.
Cell cell(const Mechanism& m, double value, double min, double max, BitSource& bits) {
    const std::uint64_t steps = m.cells()[0] - 1;
    return grid_point((std::clamp(value, min, max) - min) / (max - min) * static_cast<double>(steps), steps)
        .draw(bits);
}

std::vector<Cell> cells(const Mechanism& m, const std::vector<double>& vector, BitSource& bits) {
    std::vector<Cell> all;
    for (const double value : vector) all.push_back(cell(m, value, -1, 1, bits));
    return all;
}

bool refused(const std::function<void()>& action, ErrorCode code) {
    try {
        action();
        return false;
    } catch (const Error& error) {
        return error.code() == code;
    }
}

/// Values of a category; the element v is the number of holders of value v.
OwnedSummary held_by(const Mechanism& m, const std::vector<int>& held, BitSource& bits) {
    OwnedSummary summary(m);
    for (std::size_t v = 0; v < held.size(); ++v)
        for (int i = 0; i < held[v]; ++i) summary.add(m.perturb(std::vector<Cell>{v}, bits));
    return summary;
}

/// haar_ranges of d numbers on a grid of 3 steps, whose facts are reported through this oracle.
std::unique_ptr<const Mechanism> through(const std::string& oracle, double epsilon, std::size_t d) {
    std::string facts = R"({"name": "mean", "domain": 32, "mechanism": ")" + oracle + "\"}";
    for (std::size_t level = 0; level + 1 < HaarTree(d).levels().size(); ++level)
        facts += R"(, {"name": "level)" + std::to_string(level) + R"(", "domain": 15, "mechanism": ")" +
                 oracle + "\"}";
    const auto record = mechanism("sampled", epsilon, "\"attributes\": [" + facts + "], \"per_report\": 1");
    Writer parameters;
    parameters.put(static_cast<std::uint32_t>(d));
    parameters.put(std::uint32_t{3});
    parameters.put_bytes(record->block().subspan(header_size));
    const auto id = find_mechanism("haar_ranges")->id;
    return load_mechanism(make_block(id, {1}, epsilon, parameters.bytes()), Kind::report);
}

/// A level of their own, a slope across the vector, and noise: details get smaller from the root down.
std::vector<double> smooth_vector(std::size_t d, BitSource& bits) {
    const double level = uniform(bits) - 0.5, slope = 0.6 * (uniform(bits) - 0.5);
    std::vector<double> vector;
    for (std::size_t j = 0; j < d; ++j)
        vector.push_back(level + slope * static_cast<double>(j) / static_cast<double>(d) +
                         0.04 * (uniform(bits) - 0.5));
    return vector;
}

}  // namespace

// The block has the oracle for each fact, so that oracles with short reports can be proven at every ε.
BOOST_AUTO_TEST_CASE(haar_ranges_keeps_epsilon, *boost::unit_test::label("slow")) {
    for (const double epsilon : epsilons)
        for (const std::size_t d : {2, 3, 4})
            for (const char* oracle : {"grr", "subset"}) {
                const auto m = through(oracle, epsilon, d);
                if (m->permanent_size() <= 2) prove(*m);
                check_worst_ratio(*m);
            }
    for (const double epsilon : epsilons)
        for (const std::size_t d : {2, 100, 4096})
            check_worst_ratio(*mechanism("haar_ranges", epsilon, unit_attributes(d)));
}

BOOST_AUTO_TEST_CASE(haar_ranges_draws_what_its_probabilities_say) {
    check_frequencies_of_reports(*through("grr", 1, 4), std::vector<Cell>{0, 3, 1, 2}, 101);
}

// At a large ε every report is truthful, so the ranges are the bins of all people's values.
BOOST_AUTO_TEST_CASE(a_vector_falls_in_its_bins) {
    const auto m = mechanism("haar_ranges", 20, unit_attributes(5));
    SeededBits bits(102);
    const std::vector<double> vector{0.75, 0.5, 0.25, 0.25, -0.5};
    OwnedSummary summary(*m);
    for (int i = 0; i < 400; ++i) summary.add(m->perturb(cells(*m, vector, bits), bits));
    const auto learnt = learn_ranges(summary.view(), 0.5);

    const HaarTree tree(5);
    std::vector<double> truth(5);
    tree.forward(vector, truth);
    BOOST_REQUIRE_EQUAL(learnt.size(), 5u);
    const auto levels = tree.levels();
    for (std::size_t c = 0; c < 5; ++c) {
        BOOST_CHECK(learnt[c].coefficient && learnt[c].item == c);
        BOOST_CHECK(learnt[c].low <= truth[c] + 1e-4 && truth[c] <= learnt[c].high + 1e-4);
        if (c == 0) continue;
        double largest = 0;
        const auto below = std::ranges::upper_bound(levels, c);
        for (std::size_t other = below[-1]; other < below[0]; ++other)
            largest = std::max(largest, std::abs(truth[other]));
        BOOST_CHECK_EQUAL(learnt[c].low, -learnt[c].high);
        BOOST_CHECK(learnt[c].high >= largest - 1e-4);
        BOOST_CHECK(learnt[c].high <= std::max(largest * std::sqrt(2.0) * (1 + 1e-4), 1 / 128.0));
    }
    BOOST_CHECK_CLOSE_FRACTION(learnt[0].high - learnt[0].low, 1 / 16.0, 1e-12);

    // They are the coefficients of a second spec, whose noise falls with them, and nothing is clamped.
    std::string ranges;
    for (const LearntRange& range : learnt)
        ranges += (ranges.empty() ? "[" : ", [") + text(range.low) + ", " + text(range.high) + "]";
    const auto second = mechanism("haar", 1, unit_attributes(5) + ", \"coefficients\": [" + ranges + "]");
    BOOST_CHECK_EQUAL(second->clamped(cells(*second, vector, bits)), 0u);
}

// What is learnt holds the share, with the confidence that is promised, and is much narrower than [−1,1].
// A fact has shares of bins to be read; a number with as many grid points has none.
BOOST_AUTO_TEST_CASE(facts_must_be_told_by_frequency_oracles) {
    const auto refuses = [](const std::string& mean) {
        const auto record = mechanism("sampled", 1,
                                      R"("grid": 31, "per_report": 1, "attributes": [)" + mean +
                                          R"(, {"name": "level", "domain": 15, "mechanism": "grr"}])");
        Writer parameters;
        parameters.put(std::uint32_t{2});
        parameters.put(std::uint32_t{3});
        parameters.put_bytes(record->block().subspan(header_size));
        const auto block = make_block(find_mechanism("haar_ranges")->id, {1}, 1, parameters.bytes());
        return malformed([&] { static_cast<void>(load_mechanism(block, Kind::report)); });
    };
    BOOST_CHECK(!refuses(R"({"name": "mean", "domain": 32, "mechanism": "grr"})"));
    BOOST_CHECK(refuses(R"({"name": "mean", "min": 0, "max": 1, "mechanism": "duchi"})"));
}

BOOST_AUTO_TEST_CASE(coefficients_are_held_as_promised, *boost::unit_test::label("slow")) {
    constexpr double coverage = 0.8;
    constexpr std::size_t d = 8, repetitions = 300, n = 6000;
    const auto m = mechanism("haar_ranges", 3, unit_attributes(d));
    const HaarTree tree(d);
    const auto levels = tree.levels();
    SeededBits bits(103);

    std::vector<std::vector<double>> people;
    for (std::size_t i = 0; i < n; ++i) people.push_back(smooth_vector(d, bits));
    std::vector<std::vector<Cell>> inputs;
    std::vector<std::vector<double>> coefficients;
    for (const auto& person : people) {
        inputs.push_back(cells(*m, person, bits));
        tree.forward(person, coefficients.emplace_back(d));
    }
    std::vector<int> failures(levels.size());
    double width = 0;
    for (std::size_t r = 0; r < repetitions; ++r) {
        OwnedSummary summary(*m);
        for (const auto& input : inputs) summary.add(m->perturb(input, bits));
        const auto learnt = learn_ranges(summary.view(), coverage);
        for (std::size_t fact = 0; fact < levels.size(); ++fact) {
            const std::size_t from = fact == 0 ? 0 : levels[fact - 1], to = levels[fact];
            const auto inside = std::ranges::count_if(coefficients, [&](const std::vector<double>& of) {
                for (std::size_t c = from; c < to; ++c)
                    if (of[c] < learnt[c].low || of[c] > learnt[c].high) return false;
                return true;
            });
            failures[fact] += inside < coverage * n;
        }
        for (const LearntRange& range : learnt) width += (range.high - range.low) / 2 / d / repetitions;
    }
    for (const int failed : failures) BOOST_CHECK_LE(failed, 3 + 6 * std::sqrt(3.0));
    BOOST_CHECK_LT(width, 0.35);
}

BOOST_AUTO_TEST_CASE(stretches_of_values) {
    const auto m = mechanism("grr", 12, "\"domain\": 10");
    SeededBits bits(104);
    const OwnedSummary summary = held_by(*m, {0, 100, 0, 300, 4000, 5000, 400, 150, 0, 50}, bits);
    const SummaryView part{{10000, summary.state()}, m.get(), Rounds::only(0)};
    const auto shortest = [&](double coverage) {
        const auto [first, last] = shortest_segment(part, coverage);
        return std::pair<std::size_t, std::size_t>(first, last);
    };
    BOOST_CHECK(shortest(0.45) == std::pair(5ul, 5ul));
    BOOST_CHECK(shortest(0.85) == std::pair(4ul, 5ul));
    BOOST_CHECK(shortest(0.95) == std::pair(3ul, 6ul));
    BOOST_CHECK(shortest(0.99999) == std::pair(0ul, 9ul));
    const auto inner = [&](double below, double above) {
        const auto [first, last] = inner_segment(part, below, above);
        return std::pair<std::size_t, std::size_t>(first, last);
    };
    BOOST_CHECK(inner(0, 0.6) == std::pair(0ul, 4ul));
    BOOST_CHECK(inner(0, 0.1) == std::pair(0ul, 5ul));
    BOOST_CHECK(inner(0.02, 0.03) == std::pair(3ul, 6ul));
    BOOST_CHECK(inner(0.6, 0) == std::pair(5ul, 9ul));
    BOOST_CHECK(inner(0.9, 0.9) == std::pair(5ul, 5ul));
    BOOST_CHECK(inner(1e-5, 1e-5) == std::pair(0ul, 9ul));
    const auto learnt = learn_ranges(summary.view(), 0.85);
    BOOST_REQUIRE_EQUAL(learnt.size(), 1u);
    BOOST_CHECK(learnt[0].item == 0 && learnt[0].low == 4 && learnt[0].high == 5 && !learnt[0].coefficient);
}

// The number that comes with a whole range is one that narrows it, if hardly anybody is in the outer
// sixteenth.
BOOST_AUTO_TEST_CASE(too_few_reports_say_how_many_it_takes) {
    SeededBits bits(106);
    for (const auto& [name, rest] : {std::pair("tree", "\"min\": 0, \"max\": 63, \"grid\": 63"),
                                     std::pair("haar_ordered", "\"min\": 0, \"max\": 63, \"grid\": 63"),
                                     std::pair("projective", "\"domain\": 64")}) {
        const auto m = mechanism(name, 1, rest);
        const double coverage = 0.7;
        const std::uint64_t needed = reports_to_narrow(*m, coverage);
        BOOST_CHECK_GT(reports_to_narrow(*m, 0.9), 2 * needed);
        const auto learnt = [&](std::uint64_t n) {
            OwnedSummary summary(*m);
            for (std::uint64_t i = 0; i < n; ++i) summary.draw(30 + i % 4, bits);
            return learn_ranges(summary.view(), coverage)[0];
        };
        BOOST_TEST_CONTEXT(name << ", " << needed) {
            const LearntRange whole = learnt(std::max<std::uint64_t>(20, needed / 60));
            BOOST_CHECK(whole.low == 0 && whole.high == 63);
            BOOST_CHECK_EQUAL(whole.needed, needed);
            const LearntRange narrowed = learnt(4 * needed);
            BOOST_CHECK(narrowed.low > 0 && narrowed.high < 63);
            BOOST_CHECK(narrowed.low <= 30 && narrowed.high >= 33);
            BOOST_CHECK_EQUAL(narrowed.needed, 0u);
        }
    }
}

BOOST_AUTO_TEST_CASE(stretches_hold_as_promised, *boost::unit_test::label("slow")) {
    SeededBits bits(105);
    for (const char* name : {"grr", "oue", "projective", "olh"}) {
        const auto m = mechanism(name, 2, "\"domain\": 12");
        const std::vector<int> held{10, 20, 30, 60, 300, 900, 500, 100, 50, 20, 6, 4};
        int failures = 0, all = 0;
        for (int r = 0; r < 400; ++r) {
            const OwnedSummary summary = held_by(*m, held, bits);
            const auto range = learn_ranges(summary.view(), 0.75)[0];
            int inside = 0;
            for (auto v = static_cast<std::size_t>(range.low); v <= range.high; ++v) inside += held[v];
            failures += inside < 0.75 * 2000;
            all += range.low == 0 && range.high == 11;
        }
        BOOST_TEST_CONTEXT(name) {
            BOOST_CHECK_LE(failures, 4 + 6 * 2);
            BOOST_CHECK_LT(all, 200);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_record_has_one_range_each) {
    const auto m = mechanism(R"({"mechanism": "sampled", "epsilon": 10, "per_report": 1, "attributes": [
        {"name": "age", "min": 17, "max": 90}, {"name": "bin", "domain": 20},
        {"name": "colour", "domain": 3, "weight": 2}]})");
    SeededBits bits(106);
    OwnedSummary few(*m), many(*m);
    few.add(m->perturb(std::vector<Cell>{0, 3, 2}, bits));
    for (Cell i = 0; i < 8000; ++i) many.add(m->perturb(std::vector<Cell>{0, 3 + i % 4, i % 2 * 2}, bits));
    const auto check = [&](const OwnedSummary& summary,
                           const std::vector<std::pair<double, double>>& ranges) {
        const auto learnt = learn_ranges(summary.view(), 0.9);
        BOOST_REQUIRE_EQUAL(learnt.size(), ranges.size());
        for (std::size_t j = 0; j < ranges.size(); ++j) {
            BOOST_CHECK(learnt[j].item == j && !learnt[j].coefficient);
            BOOST_CHECK(std::pair(learnt[j].low, learnt[j].high) == ranges[j]);
        }
    };
    check(few, {{17, 90}, {0, 19}, {0, 2}});  // of two attributes there are no reports at all
    check(many, {{17, 90}, {3, 6}, {0, 2}});
}

BOOST_AUTO_TEST_CASE(a_number_has_the_range_between_two_quantiles) {
    const auto m = mechanism("square_wave", 3, "\"min\": 0, \"max\": 1000");
    SeededBits bits(107);
    constexpr int n = 40000;
    OwnedSummary few(*m), many(*m);
    for (int i = 0; i < n; ++i) {
        const Report report = m->perturb(
            std::vector<Cell>{cell(*m, 300 + 100 * static_cast<double>(i) / n, 0, 1000, bits)}, bits);
        many.add(report);
        if (i < 5) few.add(report);
    }
    const LearntRange range = learn_ranges(many.view(), 0.9)[0];
    BOOST_CHECK(range.low <= 305 && range.low > 200);
    BOOST_CHECK(range.high >= 395 && range.high < 500);
    const LearntRange widest = learn_ranges(few.view(), 0.9)[0];
    BOOST_CHECK(widest.low == 0 && widest.high == 1000);
}

// Its points are sharp, so that the range begins and ends at one of them.
BOOST_AUTO_TEST_CASE(so_has_a_category_in_order) {
    const auto m = mechanism("haar_ordered", 3, "\"domain\": 100");
    SeededBits bits(110);
    int failures = 0;
    double width = 0;
    for (int r = 0; r < 200; ++r) {
        OwnedSummary summary(*m);
        int below[101] = {};
        for (int i = 0; i < 8000; ++i) {
            const Cell value = 40 + bits.below(10) + bits.below(10);
            ++below[value + 1];
            summary.add(m->perturb(std::vector<Cell>{value}, bits));
        }
        for (int v = 0; v < 100; ++v) below[v + 1] += below[v];
        const LearntRange range = learn_ranges(summary.view(), 0.7)[0];
        BOOST_REQUIRE(range.low == std::floor(range.low) && range.high == std::floor(range.high));
        BOOST_REQUIRE(range.low >= 0 && range.high <= 99 && range.low < range.high);
        failures += below[static_cast<int>(range.high) + 1] - below[static_cast<int>(range.low)] < 0.7 * 8000;
        width += (range.high - range.low) / 200;
    }
    BOOST_CHECK_LE(failures, 2 + 6 * std::sqrt(2.0));
    BOOST_CHECK_LT(width, 40);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_learnt) {
    SeededBits bits(108);
    const auto grr = mechanism("grr", 1, "\"domain\": 4");
    OwnedSummary none(*grr), one(*grr);
    one.add(grr->perturb(std::vector<Cell>{0}, bits));
    const auto learn = [](const OwnedSummary& summary, double coverage) {
        return [&summary, coverage] { static_cast<void>(learn_ranges(summary.view(), coverage)); };
    };
    BOOST_CHECK(refused(learn(none, 0.5), ErrorCode::invalid_value));
    for (const double coverage : {0.0, 1.0, -1.0, 2.0, std::nan("")})
        BOOST_CHECK(refused(learn(one, coverage), ErrorCode::invalid_value));
    for (const auto& m :
         {mechanism("pdp", 1, "\"min\": 0, \"max\": 1"), mechanism("haar", 1, unit_attributes(4)),
          mechanism("duchi_vector", 1, unit_attributes(4))}) {
        OwnedSummary summary(*m);
        summary.add(m->perturb(std::vector<Cell>(m->cells().size()), bits));
        BOOST_CHECK(refused(learn(summary, 0.5), ErrorCode::unsupported));
    }
}

BOOST_AUTO_TEST_CASE(forged_blocks_of_haar_ranges_are_refused) {
    const auto m = mechanism("haar_ranges", 1, unit_attributes(6));
    const std::vector<std::byte> block(m->block().begin(), m->block().end());
    const auto with = [&](std::size_t at, std::uint32_t number) {
        std::vector<std::byte> forged = block;
        store(forged.data() + header_size + at, number);
        return malformed([&] { static_cast<void>(load_mechanism(forged, Kind::report)); });
    };
    for (const std::uint32_t d : {0u, 1u, 2u, 4u, 9u, 4097u, ~0u}) BOOST_CHECK(with(0, d));
    for (const std::uint32_t d : {5u, 7u, 8u}) BOOST_CHECK(!with(0, d));  // as many levels
    for (const std::uint32_t steps : {0u, 1u, (1u << 20) + 1, ~0u}) BOOST_CHECK(with(4, steps));
    for (std::size_t size = header_size; size < block.size(); ++size) {
        std::vector<std::byte> cut(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(size));
        store(cut.data() + 4, static_cast<std::uint16_t>(size));
        BOOST_CHECK(malformed([&] { static_cast<void>(load_mechanism(cut, Kind::report)); }));
    }
}

// Incomes: most small, a few very large. Two rounds of a fifth and the rest know their mean better than one
// round over the whole range, although they clamp.
BOOST_AUTO_TEST_CASE(two_rounds_beat_one_on_heavy_tails, *boost::unit_test::label("slow")) {
    constexpr int n = 40000, pilot = n / 5, repetitions = 20;
    constexpr double most = 2000;
    SeededBits bits(109);
    std::vector<double> values;
    double truth = 0;
    for (int i = 0; i < n; ++i) {
        values.push_back(std::min(most, 10 / std::sqrt(uniform(bits) + 1e-9)));
        truth += values.back() / n;
    }
    const std::string declared = "\"min\": 0, \"max\": " + text(most);
    const auto first = mechanism("square_wave", 1, declared);
    const auto whole = mechanism("pdp", 1, declared);
    double learnt_error = 0, declared_error = 0, width = 0;
    for (int r = 0; r < repetitions; ++r) {
        OwnedSummary asked(*first), plain(*whole);
        for (int i = 0; i < pilot; ++i)
            asked.add(first->perturb(std::vector<Cell>{cell(*first, values[i], 0, most, bits)}, bits));
        const LearntRange range = learn_ranges(asked.view(), 0.8)[0];
        const auto second =
            mechanism("pdp", 1, "\"min\": " + text(range.low) + ", \"max\": " + text(range.high));
        OwnedSummary rest(*second);
        for (int i = 0; i < n; ++i) {
            plain.add(whole->perturb(std::vector<Cell>{cell(*whole, values[i], 0, most, bits)}, bits));
            if (i >= pilot)
                rest.add(second->perturb(
                    std::vector<Cell>{cell(*second, values[i], range.low, range.high, bits)}, bits));
        }
        learnt_error += std::pow(rest.estimate(Quantity::means)[0].value - truth, 2) / repetitions;
        declared_error += std::pow(plain.estimate(Quantity::means)[0].value - truth, 2) / repetitions;
        width += (range.high - range.low) / most / repetitions;
    }
    BOOST_TEST_MESSAGE("mean squared error: learnt " << learnt_error << ", declared " << declared_error
                                                     << "; width " << width);
    BOOST_CHECK_LT(width, 0.4);
    BOOST_CHECK_LT(learnt_error, declared_error / 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
