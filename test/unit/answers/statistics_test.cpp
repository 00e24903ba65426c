// Estimates are unbiased, their variance is the closed form's, their intervals cover: by simulation.

#include <cmath>

#include "core/base/exact.hpp"
#include "core/channel/window_channel.hpp"
#include "core/results/row_functions.hpp"
#include "proof.hpp"
#include "repeated_draws.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(statistics)

namespace {}  // namespace

BOOST_AUTO_TEST_CASE(oracles_agree_with_golden_constants) {
    for (const char* name : {"grr", "oue", "sue"}) check_golden_oracle(name);
}

BOOST_AUTO_TEST_CASE(windows_agree_with_golden_constants) {
    // The constants are those of the continuous mechanism; a grid of G steps is off by O(1/G), because its
    // window is a whole number of cells.
    for (const char* epsilon : {"0.5", "1.0", "2.0", "4.0"})
        for (const char* name : {"piecewise", "pdp"}) {
            const auto m = mechanism(name, std::stod(epsilon), "\"min\": -1, \"max\": 1, \"grid\": 1048576");
            for (const char* x : {"0.0", "0.5", "1.0"})
                BOOST_CHECK_CLOSE_FRACTION(
                    m->n_variance(std::stod(x)),
                    golden(name, std::string("epsilon=") + epsilon + ";x=" + x, "n_var"), 1e-5);
        }
}

BOOST_AUTO_TEST_CASE(window_moments_are_those_of_its_weights) {
    for (const double epsilon : {0.5, 2.0})
        for (const std::uint64_t width : {1, 3, 9}) {
            const WindowChannel channel(6, width, epsilon);
            for (std::uint64_t s = 0; s < channel.inputs(); ++s) {
                // Exact first and second moments of the output, fed to invert() as the sums of 2^40 reports.
                Exact mean = exact(0, 1), square = exact(0, 1);
                for (std::uint64_t out = 0; out < channel.outputs(); ++out) {
                    const Exact p = exact(channel.weight(s, out), channel.total());
                    mean = mean + p * exact(out, 1);
                    square = square + p * exact(out * out, 1);
                }
                const double n = std::ldexp(1.0, 40);
                const auto m1 = static_cast<double>(mean), m2 = static_cast<double>(square);
                const auto moments = channel.invert({n, n * m1, n * m2});
                const auto at = static_cast<double>(s);
                BOOST_CHECK_SMALL(moments.mean - at, 1e-9);
                BOOST_CHECK_SMALL(moments.mean_square - at * at, 1e-8);
                BOOST_CHECK_CLOSE_FRACTION(moments.noise, channel.noise_at(at), 1e-8);
                BOOST_CHECK_SMALL(moments.sampling, 1e-8);
                const auto slope =
                    static_cast<double>(channel.width()) *
                    static_cast<double>(channel.weight(0, 0) - channel.weight(channel.steps(), 0)) /
                    static_cast<double>(channel.total());
                BOOST_CHECK_CLOSE_FRACTION(channel.noise_at(at), (m2 - m1 * m1) / (slope * slope), 1e-9);
            }
        }
}

BOOST_AUTO_TEST_CASE(one_report_has_an_error_bar_too) {
    SeededBits bits(1);
    for (const char* name : {"piecewise", "pdp"}) {
        const auto m = mechanism(name, 1, "\"min\": 0, \"max\": 10");
        OwnedSummary summary(*m);
        summary.add(m->perturb(std::vector<Cell>{5000}, bits));
        BOOST_CHECK_GT(summary.estimate(Quantity::means)[0].standard_error, 8);
    }
}

BOOST_AUTO_TEST_CASE(reports_come_as_often_as_stated, *boost::unit_test::label("slow")) {
    std::uint64_t seed = 71;
    const std::vector<Cell> input{1, 3, 2};
    for (const char* spec : {R"({"mechanism": "grr", "epsilon": 1, "domain": 5})",
                             R"({"mechanism": "oue", "epsilon": 1, "domain": 5})",
                             R"({"mechanism": "sue", "epsilon": 1, "domain": 5})",
                             R"({"mechanism": "rappor", "epsilon": 1, "domain": 5, "filter_bits": 8})",
                             R"({"mechanism": "piecewise", "epsilon": 1, "min": 0, "max": 1, "grid": 7})",
                             R"({"mechanism": "pdp", "epsilon": 1, "min": 0, "max": 1, "grid": 7})",
                             R"({"mechanism": "square_wave", "epsilon": 1, "min": 0, "max": 1, "grid": 7})",
                             R"({"mechanism": "haar", "epsilon": 1, "grid": 3, "attributes": [
                                 {"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 1},
                                 {"name": "c", "min": 0, "max": 1}]})",
                             R"({"mechanism": "haar", "epsilon": 1, "grid": 3, "details": "global",
                                 "coefficients": [[-1, 1], [-0.5, 0.5]], "attributes": [
                                 {"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 1}]})",
                             R"({"mechanism": "haar", "epsilon": 1, "grid": 3, "report_epsilon": 0.5,
                                 "attributes": [{"name": "a", "min": 0, "max": 1},
                                 {"name": "b", "min": 0, "max": 1}]})",
                             R"({"mechanism": "duchi_vector", "epsilon": 1, "grid": 3, "attributes": [
                                 {"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 1},
                                 {"name": "c", "min": 0, "max": 1}]})"}) {
        const auto m = mechanism(spec);
        check_frequencies_of_reports(*m, Input(input).first(m->cells().size()), seed++);
    }
}

BOOST_AUTO_TEST_CASE(grr_estimates, *boost::unit_test::label("slow")) {
    check_oracle("grr", 1, 11);
    check_oracle("grr", 3, 12);
}

BOOST_AUTO_TEST_CASE(oue_estimates, *boost::unit_test::label("slow")) {
    check_oracle("oue", 1, 21);
    check_oracle("oue", 3, 22);
}

BOOST_AUTO_TEST_CASE(sue_estimates, *boost::unit_test::label("slow")) {
    check_oracle("sue", 1, 23);
    check_oracle("sue", 3, 24);
}

BOOST_AUTO_TEST_CASE(window_estimates, *boost::unit_test::label("slow")) {
    constexpr std::uint64_t grid = 1024;
    std::vector<std::vector<Cell>> people;
    double sum = 0, noise_1 = 0;
    for (Cell i = 0; i < 300; ++i) people.push_back({i * i * grid / (299 * 299)});  // skewed to the left end
    for (const auto& person : people) sum += static_cast<double>(person[0]);
    const double steps = grid;
    std::uint64_t seed = 31;
    for (const char* name : {"piecewise", "pdp"})
        for (const double epsilon : {0.5, 1.0, 4.0}) {
            const auto m = mechanism(name, epsilon, "\"min\": 100, \"max\": 200, \"grid\": 1024");
            noise_1 = 0;
            for (const auto& person : people)
                noise_1 += m->n_variance(2 * static_cast<double>(person[0]) / steps - 1);
            const auto n = static_cast<double>(people.size());
            const auto simulation =
                simulate(*m, people, {100 + 100 * sum / n / steps}, Quantity::means, 20000, seed++);
            simulation.check_unbiased();
            simulation.check_coverage();
            simulation.check_variance(0, noise_1 / n * 50 * 50 / n);
        }
}

BOOST_AUTO_TEST_CASE(haar_estimates, *boost::unit_test::label("slow")) {
    // Six attributes on two ranges (padded to eight), 1000 people who differ.
    const auto m =
        mechanism("haar", 2,
                  "\"grid\": 1024, \"attributes\": [{\"name\": \"a\", \"min\": 0, \"max\": 10}, "
                  "{\"name\": \"b\", \"min\": 0, \"max\": 10}, {\"name\": \"c\", \"min\": 0, \"max\": 10}, "
                  "{\"name\": \"d\", \"min\": -1, \"max\": 1}, {\"name\": \"e\", \"min\": -1, \"max\": 1}, "
                  "{\"name\": \"f\", \"min\": -1, \"max\": 1}]");
    std::vector<std::vector<Cell>> people;
    std::vector<double> means(6);
    for (Cell i = 0; i < 1000; ++i)
        people.push_back({i % 1025, 500, (7 * i) % 1025, 1000 - i, 100 + i % 7, 1024});
    for (const auto& person : people)
        for (std::size_t j = 0; j < 6; ++j) means[j] += static_cast<double>(person[j]) / 1024 / 1000;
    for (std::size_t j = 0; j < 6; ++j) means[j] = j < 3 ? 10 * means[j] : 2 * means[j] - 1;
    const auto leaves = simulate(*m, people, means, Quantity::means, 5000, 41);
    leaves.check_unbiased();
    leaves.check_coverage();
}

// A report in two layers errs as one layer at ε₁, and two reports of one person share the noise at ε∞.
BOOST_AUTO_TEST_CASE(haar_in_two_layers_errs_as_its_report_epsilon, *boost::unit_test::label("slow")) {
    std::uint64_t seed = 53;
    for (const char* randomizer : {"optimal", "duchi"}) {
        const std::string rest = unit_attributes(4) + R"(, "grid": 1024, "randomizer": ")" + randomizer + '"';
        const auto two = mechanism("haar", 2, rest + R"(, "report_epsilon": 1)"),
                   one = mechanism("haar", 1, rest), kept = mechanism("haar", 2, rest);
        for (const double truth : {-1.0, 0.0, 0.3})
            BOOST_CHECK_CLOSE_FRACTION(two->n_variance(truth), one->n_variance(truth), 1e-6);
        if (std::string_view(randomizer) == "duchi")  // the decoded values of optimal are those for ε₁
            BOOST_CHECK_CLOSE_FRACTION(two->n_covariance(0.3), kept->n_variance(0.3), 1e-6);
        BOOST_CHECK_LT(two->n_covariance(0.3), 0.7 * two->n_variance(0.3));
        const std::vector<std::vector<Cell>> people(1500, {768, 768, 768, 768});
        const auto simulation = simulate(*two, people, {0.5, 0.5, 0.5, 0.5}, Quantity::means, 4000, seed++);
        simulation.check_unbiased();
        simulation.check_coverage();
        for (std::size_t j = 0; j < 4; ++j) {
            BOOST_TEST_MESSAGE(randomizer << ", n·Var " << 1500 * simulation.variance(j) << " of "
                                          << two->n_variance(0.5));
            simulation.check_variance(j, two->n_variance(0.5) / 1500);
        }
    }
}

BOOST_AUTO_TEST_CASE(haar_variance_is_its_closed_form, *boost::unit_test::label("slow")) {
    // All leaves equal, so that every coefficient's share in a leaf's variance is known: n_variance().
    const auto m = mechanism("haar", 1, unit_attributes(4) + ", \"grid\": 1024");
    const std::vector<std::vector<Cell>> people(1500, {768, 768, 768, 768});
    const auto simulation = simulate(*m, people, {0.5, 0.5, 0.5, 0.5}, Quantity::means, 4000, 51);
    simulation.check_unbiased();
    // Dividing by the number who drew a coefficient, not by its expectation, adds 1/(nπ) < 0.4 % to the
    // closed form.
    for (std::size_t j = 0; j < 4; ++j) simulation.check_variance(j, m->n_variance(0.5) / 1500);
    const auto coefficients = simulate(*m, people, {0.5, 0, 0, 0}, Quantity::coefficients, 4000, 52);
    coefficients.check_unbiased();
    coefficients.check_coverage();
}

BOOST_AUTO_TEST_CASE(population_intervals_cover, *boost::unit_test::label("slow")) {
    // Each repetition draws new people; the truth is the population they come from.
    constexpr std::size_t people = 400, repetitions = 20000;
    const auto oracle = mechanism("oue", 4, "\"domain\": 3");
    const auto number = mechanism("pdp", 6, "\"min\": 0, \"max\": 1, \"grid\": 1024");
    SeededBits bits(61);
    Simulation frequencies, means;
    for (std::size_t r = 0; r < repetitions; ++r) {
        OwnedSummary values(*oracle), numbers(*number);
        for (std::size_t i = 0; i < people; ++i) {
            const std::uint64_t u = bits.below(10);
            values.add(oracle->perturb(std::vector<Cell>{u < 5 ? 0u : u < 9 ? 1u : 2u}, bits));
            numbers.add(number->perturb(std::vector<Cell>{u < 7 ? 0u : 1024u}, bits));
        }
        frequencies.add(values.estimate(Quantity::frequencies, Target::population), {0.5, 0.4, 0.1});
        means.add(numbers.estimate(Quantity::means, Target::population), {0.3});
    }
    frequencies.check_unbiased();
    frequencies.check_coverage();
    means.check_unbiased();
    means.check_coverage();
}

// One rule for one attribute and for records: each selected statistic is one of a selected attribute. Other attributes have no row.
BOOST_AUTO_TEST_CASE(a_selected_statistic_is_one_of_a_selected_attribute) {
    struct SelectedRows {
        const char* spec;
        std::string attribute, statistics,
            found;  ///< the number of rows, or the statistic that is missing and those that exist
    };
    const char *category = R"({"mechanism": "grr", "epsilon": 1, "domain": 4})",
               *number = R"({"mechanism": "duchi", "epsilon": 1, "min": 0, "max": 1})",
               *table = R"({"mechanism": "joint", "epsilon": 1, "attributes": [{"name": "a", "domain": 4},
                           {"name": "b", "domain": 3}]})",
               *record = R"({"mechanism": "sampled", "epsilon": 1, "attributes": [{"name": "a", "domain": 4},
                            {"name": "b", "min": 0, "max": 1}]})";
    SeededBits bits(1503);
    for (const auto& [spec, attribute, statistics, found] : std::vector<SelectedRows>{
             {category, "", "proportion", "4"},
             {category, "", "mean", "mean: proportion"},
             {category, "", "proportion mean", "mean: proportion"},
             {category, "", "response_rate", "response_rate: proportion"},
             {number, "", "mean", "1"},
             {number, "", "proportion", "proportion: mean"},
             {table, "", "proportion", "7"},
             {table, "1", "proportion", "3"},
             {table, "", "mean", "mean: proportion"},
             {record, "", "mean", "1"},
             {record, "", "proportion", "4"},
             {record, "", "mean proportion", "5"},
             {record, "0", "mean", "mean: proportion"},
             {record, "0", "mean proportion", "mean: proportion"},
             {record, "1", "proportion", "proportion: mean"},
             {record, "", "set_size", "set_size: proportion, mean"},
         })
        for (const int reports : {0, 200})
            BOOST_TEST_CONTEXT(spec << ", " << attribute << ", " << statistics << ", " << reports) {
                const auto m = mechanism(spec);
                OwnedSummary summary(*m);
                for (int i = 0; i < reports; ++i) {
                    std::vector<Cell> input;
                    for (const std::uint64_t cells : m->input_cells()) input.push_back(bits.below(cells));
                    summary.draw(input, bits);
                }
                std::vector<std::string_view> names;
                for (std::size_t at = 0, end = 0; at < statistics.size(); at = end + 1) {
                    end = std::min(statistics.find(' ', at), statistics.size());
                    names.push_back(std::string_view(statistics).substr(at, end - at));
                }
                const std::string_view selected[] = {attribute};
                SummaryQuery query;
                query.statistics = names;
                if (!attribute.empty()) query.attributes = selected;
                if (const auto separator = found.find(": "); separator != std::string::npos) {
                    BOOST_CHECK_EXCEPTION(
                        (void)row_function("estimate").find({.summary = summary.bytes()}, query), Error,
                        [&](const Error& error) {
                            const std::string who =
                                attribute.empty() ? "these reports have" : "the selected attributes have";
                            BOOST_CHECK_EQUAL(error.what(),
                                              who + " no statistic \"" + found.substr(0, separator) + "\"");
                            std::string others;
                            for (const char* one : {"mean", "proportion"})
                                if (found.find(one, separator) != std::string::npos)
                                    others += (others.empty() ? "" : ", ") + std::string(one);
                            BOOST_CHECK_EQUAL(error.detail(), "Available statistics are: " + others + ".");
                            return error.code() == ErrorCode::unsupported;
                        });
                } else {
                    const auto rows = row_function("estimate").find({.summary = summary.bytes()}, query);
                    BOOST_CHECK_EQUAL(rows->count(), reports == 0 ? 0 : std::stoul(found));
                }
            }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
