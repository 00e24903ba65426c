// Results of estimates: clear differences, precision, sentences, order and tables.

#include "cli/answers/results.hpp"

#include "cli/answers/clear_differences.hpp"
#include "cli/answers/figure_numbers.hpp"
#include "cli/answers/formatting.hpp"
#include "client_support.hpp"
#include "sample_figures.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(results)

using namespace sample;

namespace {

std::string result(const Figure& figure) {
    return unmarked(result_of(figure, 0.95));
}

}  // namespace

// Whole numbers that are evenly distributed have bars of one height, whatever bins their grid has.
BOOST_AUTO_TEST_CASE(bins_of_whole_numbers_have_heights_of_equal_points) {
    for (const std::size_t points : {2, 5, 12, 21, 25, 61, 101, 1025})
        for (const std::size_t bins : {1, 2, 7, 12}) {
            if (bins > points) continue;
            const std::vector<double> heights = bin_heights(points, bins);
            BOOST_REQUIRE_EQUAL(heights.size(), bins);
            std::vector<double> shares(bins);
            for (std::size_t point = 0; point < points; ++point) {
                // A point on an edge belongs to the bin that begins there, except for the last edge.
                const std::size_t bin = std::min(bins - 1, point * bins / (points - 1));
                shares[bin] += 1 / static_cast<double>(points);
            }
            for (std::size_t bin = 0; bin < bins; ++bin)
                BOOST_TEST(shares[bin] * heights[bin] == 1 / static_cast<double>(bins),
                           boost::test_tools::tolerance(1e-9));
        }
}

BOOST_AUTO_TEST_CASE(differences_of_independent_estimates) {
    const RowDifference found = row_difference(row("", 0.5, 0.03), row("", 0.4, 0.04), 0.95);
    BOOST_CHECK_CLOSE(found.estimate, 0.1, 1e-9);
    BOOST_CHECK_CLOSE(found.error, 0.05, 1e-9);
    BOOST_CHECK_CLOSE(found.lower, 0.1 - 1.959963984540054 * 0.05, 1e-6);
    BOOST_CHECK_CLOSE(found.upper, 0.1 + 1.959963984540054 * 0.05, 1e-6);
    // Of a quantile only the interval is known.
    BOOST_CHECK_CLOSE(normal_error({.estimate = 5, .lower = 3, .upper = 7}, 0.95),
                      4 / (2 * 1.959963984540054), 1e-6);
    BOOST_CHECK(std::isnan(row_difference(row("", 0.5, 0.03), {}, 0.95).estimate));
}

BOOST_AUTO_TEST_CASE(clear_differences_are_significant_among_all_comparisons) {
    const auto with = [](double deviations) { return RowDifference{.estimate = deviations, .error = 1}; };
    BOOST_CHECK(is_clear(with(1.97), 1) && is_clear(with(-1.97), 1));
    BOOST_CHECK(!is_clear(with(1.95), 1));
    // 0.05 / 10: 2.807 standard errors.
    BOOST_CHECK(is_clear(with(2.81), 10));
    BOOST_CHECK(!is_clear(with(2.80), 10));
    BOOST_CHECK(!is_clear({}, 1));
    BOOST_CHECK(!is_clear({.estimate = 1, .error = 0}, 1));
}

BOOST_AUTO_TEST_CASE(groups_are_compared_with_all_others) {
    const auto contrasts = [](const Figure& figure) {
        std::string text;
        for (const Row& one : figure.rows)
            text += one.contrast == Contrast::above     ? '+'
                    : one.contrast == Contrast::below   ? '-'
                    : one.contrast == Contrast::unclear ? '0'
                                                        : '.';
        return text;
    };
    BOOST_CHECK_EQUAL(contrasts(mood_by({"Ulm"})), "..");
    BOOST_CHECK_EQUAL(contrasts(mood_by({"Ulm", "Bonn"})), "+0-0");
    // Bonn, and Aix with three times the reports of Ulm: 0.2 against 0.22 and 0.2267.
    BOOST_CHECK_EQUAL(contrasts(mood_by({"Ulm", "Bonn", "Aix"})), "+00000");
    // Two groups are one comparison: 0.08 / sqrt(2 · 0.0255²) = 2.22 standard errors are clear for one value
    // only.
    Figure figure{.kind = Kind::comparison};
    figure.rows = {row("a", 0.28, 0.0255, "x"), row("a", 0.2, 0.0255, "y")};
    compare_groups(figure, 0.95);
    BOOST_CHECK_EQUAL(contrasts(figure), "+-");
    figure.rows.push_back(row("b", 0.5, 0.01, "x"));
    figure.rows.push_back(row("b", 0.5, 0.01, "y"));
    compare_groups(figure, 0.95);
    BOOST_CHECK_EQUAL(contrasts(figure), "0000");
    // A group without an estimate, or without others, is not compared.
    figure.rows = {row("a", 0.28, 0.01, "x"), {.label = "a", .group = "y", .n = "3", .note = "too few"}};
    compare_groups(figure, 0.95);
    BOOST_CHECK_EQUAL(contrasts(figure), "..");
}

BOOST_AUTO_TEST_CASE(changes_are_from_the_first_round_to_the_last) {
    Figure figure = changes_of_mood();
    const auto found = changes(figure, 0.95);
    BOOST_REQUIRE_EQUAL(found.size(), 2);
    BOOST_CHECK_CLOSE(found[0].difference.estimate, 0.08, 1e-6);
    BOOST_CHECK(found[0].clear && !found[1].clear);
    figure.rows.erase(figure.rows.begin() + 2, figure.rows.end());
    BOOST_CHECK(changes(figure, 0.95)[0].first == nullptr);
    BOOST_CHECK_EQUAL(result(figure), "");
}

BOOST_AUTO_TEST_CASE(a_figure_has_one_precision) {
    const Figure figure = mood();
    const FigureNumbers numbers(figure);
    const auto& rows = figure.rows;
    BOOST_CHECK_EQUAL(numbers.estimate_and_interval(rows[0]), "27\u00A0% (25\u201329)");
    BOOST_CHECK_EQUAL(numbers.exact(rows[0].estimate, rows[0]), "27.0\u00A0%");
    BOOST_CHECK_EQUAL(numbers.margin(rows[0]), "\u00B1\u00A02.4");
    // Text and drawings limit shares, tables do not.
    BOOST_CHECK_EQUAL(numbers.estimate_and_interval(rows[2]), "0\u00A0% (0\u20131)");
    BOOST_CHECK_EQUAL(numbers.exact(rows[2].estimate, rows[2]), "\u22121.0\u00A0%");
    BOOST_CHECK_EQUAL(numbers.exact(rows[2].lower, rows[2]), "\u22123.0\u00A0%");
    BOOST_CHECK_EQUAL(numbers.estimate(Row{.estimate = 1.02}), "100\u00A0%");
    BOOST_CHECK_EQUAL(numbers.size_of(-0.04, rows[0]), "4 points");
    BOOST_CHECK_EQUAL(numbers.size_of(0.01, rows[0]), "1 point");
    BOOST_CHECK_EQUAL(numbers.size_of(-1.05, rows[0]), "100 points");
    BOOST_CHECK_EQUAL(numbers.estimate_and_interval({.note = "too few"}), "no estimate: too few");
    BOOST_CHECK_EQUAL(numbers.estimate_and_interval({}), "no estimate");
    const Figure means = hours();
    BOOST_CHECK_EQUAL(FigureNumbers(means).estimate_and_interval(means.rows[1]), "\u22121 (\u22125 to 3)");
    BOOST_CHECK_EQUAL(FigureNumbers(means).exact(96.2, means.rows[2]), "96.2");
    // An asymmetric interval: the greater distance is the margin.
    const Figure asymmetric = quantiles();
    BOOST_CHECK_EQUAL(FigureNumbers(asymmetric).margin(asymmetric.rows[0]), "\u00B1\u00A0150");
    // Rows in different units have their own precision.
    Figure units{.kind = Kind::mean, .rows = {row("a", 0.51234, 0.01), row("b", 5123.4, 100)}};
    units.rows[0].scale = Interval{0, 1};
    units.rows[1].scale = Interval{0, 10000};
    BOOST_CHECK_EQUAL(FigureNumbers(units).estimate(units.rows[0]), "0.51");
    BOOST_CHECK_EQUAL(FigureNumbers(units).estimate(units.rows[1]), "5,123");
}

BOOST_AUTO_TEST_CASE(results_of_categories) {
    Figure figure = mood();
    BOOST_CHECK_EQUAL(
        result(figure),
        "The most frequent answer is \u201Cok\u201D with 48\u00A0% (46\u201350), followed by \u201Cbad\u201D "
        "with 27\u00A0% (25\u201329) and \u201Cgood\u201D with 26\u00A0% (24\u201328).");
    figure.rows[1].estimate = 0.29;
    figure.rows[1].lower = 0.27;
    BOOST_CHECK_EQUAL(
        result(figure),
        "The most frequent answers are \u201Cok\u201D with 29\u00A0% (27\u201350), \u201Cbad\u201D with "
        "27\u00A0% (25\u201329) and \u201Cgood\u201D with 26\u00A0% (24\u201328); their intervals overlap, "
        "so their order is uncertain.");
    figure.rows.push_back(row("new", 0.28, 0.01));
    BOOST_CHECK(result(figure).starts_with(
        "No answer is clearly the most frequent; the largest estimates are those "));
    for (Row& one : figure.rows) one = row(one.label, 0.01, 0.01);
    BOOST_CHECK_EQUAL(result(figure), "No share is clearly above zero.");
    figure.rows = {row("no", 0.28, 0.01), row("yes", 0.72, 0.01)};
    BOOST_CHECK_EQUAL(
        result(figure),
        "\u201Cyes\u201D with 72\u00A0% (70\u201374); \u201Cno\u201D with 28\u00A0% (26\u201330).");
    figure.rows = {{.label = "a", .note = "too few"}};
    BOOST_CHECK_EQUAL(result(figure), "");
}

BOOST_AUTO_TEST_CASE(results_of_numbers) {
    BOOST_CHECK_EQUAL(result(age()), "The mean is 41.3 (40.5\u201342.1).");
    BOOST_CHECK_EQUAL(
        result(hours()),
        "The mean is largest for \u201C16h\u201D with 96 (92\u2013100), and smallest for \u201C8h\u201D with "
        "\u22121 (\u22125 to 3).");
    BOOST_CHECK_EQUAL(
        result(quantiles()),
        "Half of the values are below 2,240 (2,090\u20132,380); the middle half lies between 1,580 and "
        "3,160.");
    BOOST_CHECK_EQUAL(result(income()),
                      "The interval with the largest share is 0 to 3,000: 50\u00A0% (46\u201354).");
    Section section{.figures = {income(), quantiles()}};
    conclude(section, 0.95);
    BOOST_CHECK(section.result.starts_with("Half of the values"));
    BOOST_CHECK(section.figures[0].result.empty() && section.figures[1].result.empty());
}

BOOST_AUTO_TEST_CASE(results_of_several_attributes) {
    BOOST_CHECK_EQUAL(
        result(pairs()),
        "The most frequent combination is \u201Cok\u201D and \u201Ccar\u201D with 41\u00A0% (39\u201343).");
    BOOST_CHECK_EQUAL(
        result(associations()),
        "The strongest association is that of \u201Cmood\u201D and \u201Ctransport\u201D with 0.31 "
        "(0.27\u20130.35).");
    Figure figure = associations();
    figure.rows.pop_back();
    BOOST_CHECK_EQUAL(result(figure), "No association is clearly different from zero.");
}

BOOST_AUTO_TEST_CASE(results_of_changes_and_groups) {
    BOOST_CHECK_EQUAL(
        result(changes_of_mood()),
        "From round 1 to round 3, \u201Cbad\u201D rises by 8 points (5\u201311), a clear change.");
    Figure figure = changes_of_mood();
    for (Row& one : figure.rows) one.estimate = 0.3;
    BOOST_CHECK_EQUAL(result(figure), "From round 1 to round 3, no change is clear.");
    Figure mean{.kind = Kind::change, .axis = "round"};
    mean.rows = {at(0, row("", 120, 2)), at(4, row("", 100, 2))};
    BOOST_CHECK_EQUAL(result(mean),
                      "From round 0 to round 4, the mean falls by 20 (14\u201326), a clear change.");
    BOOST_CHECK_EQUAL(
        result(mood_by({"Ulm", "Bonn"})),
        "Compared with the other groups by town, the share of \u201Cbad\u201D is clearly higher for "
        "\u201CUlm\u201D (28\u00A0%) and clearly lower for \u201CBonn\u201D (20\u00A0%).");
    Figure median{.kind = Kind::comparison, .axis = "town", .quantity = "median"};
    median.rows = {row("", 120, 2, "Ulm"), row("", 119, 2, "Bonn")};
    compare_groups(median, 0.95);
    BOOST_CHECK_EQUAL(result(median), "No difference by town is clear.");
    median.rows[0].estimate = 140;
    compare_groups(median, 0.95);
    BOOST_CHECK_EQUAL(
        result(median),
        "Compared with the other groups by town, the median is clearly higher for \u201CUlm\u201D (140) and "
        "clearly lower for \u201CBonn\u201D (119).");
    BOOST_CHECK_EQUAL(result(mood_by({"Ulm"})), "");
}

BOOST_AUTO_TEST_CASE(explanations_are_of_what_the_document_has) {
    Document document;
    document.sections = {{.figures = {age()}}};
    BOOST_CHECK_EQUAL(explanations(document).size(), 1);
    BOOST_CHECK(explanations(document)[0].find("95\u00A0% confidence interval") != std::string::npos);
    BOOST_CHECK(explanations(document)[0].find("margin of error") != std::string::npos);
    document.confidence = 0.995;
    BOOST_CHECK(explanations(document)[0].find("99.5\u00A0% confidence interval") != std::string::npos);
    document.sections[0].figures = {mood()};
    BOOST_REQUIRE_EQUAL(explanations(document).size(), 2);
    BOOST_CHECK(explanations(document)[1].find("negative") != std::string::npos);
    document.sections[0].figures = {mood_by({"Ulm", "Bonn"})};
    BOOST_REQUIRE_EQUAL(explanations(document).size(), 2);
    BOOST_CHECK(explanations(document)[1].find("clear") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(categories_without_an_order_are_sorted_by_size) {
    const auto labels = [](const Figure& figure) {
        std::string text;
        for (const Row* one : display_order(figure))
            text += one->label + (one->group.empty() ? " " : "/" + one->group + " ");
        return text;
    };
    Figure figure = mood();
    figure.rows[0].estimate = NAN;
    BOOST_CHECK_EQUAL(labels(figure), "ok good never bad ");
    figure.ordered = true;
    BOOST_CHECK_EQUAL(labels(figure), "bad ok never good ");
    BOOST_CHECK_EQUAL(labels(hours()), "0h 8h 16h ");
    figure = mood_by({"Ulm", "Bonn"});
    BOOST_CHECK_EQUAL(labels(figure), "ok/Ulm ok/Bonn bad/Ulm bad/Bonn ");
    for (Row& one : figure.rows) one.at = one.label == "ok";
    figure.ordered = true;
    BOOST_CHECK_EQUAL(labels(figure), "bad/Ulm bad/Bonn ok/Ulm ok/Bonn ");
}

BOOST_AUTO_TEST_CASE(tables_have_four_columns_and_notes) {
    const auto line = [](const std::vector<ldp::cli::Cell>& cells) {
        std::string text;
        for (const ldp::cli::Cell& cell : cells)
            text += unmarked(cell.text) + (cell.to.empty() ? "" : " to " + cell.to) +
                    (cell.note.empty() ? "" : " [" + cell.note + "]") + "|";
        return text;
    };
    Table table = table_of(mood(), 0.95);
    BOOST_CHECK_EQUAL(table.about, "1,000 reports");
    BOOST_REQUIRE_EQUAL(table.header.size(), 4);
    BOOST_CHECK_EQUAL(table.header[2].title, "margin of error");
    BOOST_CHECK_EQUAL(table.header[3].title, "95\u00A0% confidence interval");
    BOOST_CHECK_EQUAL(line(table.rows[0]), "ok|48.0\u00A0%|\u00B1\u00A02.0|46.0\u00A0% to 50.0\u00A0%|");
    BOOST_CHECK_EQUAL(line(table.rows[3]),
                      "never|\u22121.0\u00A0%|\u00B1\u00A02.0|\u22123.0\u00A0% to 1.0\u00A0%|");
    BOOST_CHECK_EQUAL(table.rows[3][1].value, -0.01);
    // Different numbers of reports, notes and clear differences are second lines.
    table = table_of(mood_by({"Ulm", "Bonn"}), 0.9);
    BOOST_CHECK_EQUAL(table.about, "");
    BOOST_CHECK_EQUAL(table.header[0].title, "answer, " + name("town"));
    BOOST_CHECK_EQUAL(table.header[3].title, "90\u00A0% confidence interval");
    BOOST_CHECK_EQUAL(line(table.rows[2]),
                      "bad, Ulm [\u25B2 clearly above the others, 1,000 "
                      "reports]|28.0\u00A0%|\u00B1\u00A02.0|26.0\u00A0% to "
                      "30.0\u00A0%|");
    Figure few{.kind = Kind::mean, .rows = {{.label = "a", .n = "3", .note = "too few"}}};
    BOOST_CHECK_EQUAL(line(table_of(few, 0.95).rows[0]), "a [too few]|none|none|none|");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
