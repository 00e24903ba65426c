// Results of estimates: clear differences, precision, sentences, order and tables.
// Length: a case for each kind of figure.

#include "cli/answers/results.hpp"

#include "cli/answers/clear_differences.hpp"
#include "cli/answers/figure_tables.hpp"
#include "client_support.hpp"
#include "figures/figure_numbers.hpp"
#include "figures/formatting.hpp"
#include "sample_figures.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(results)

using namespace sample;

namespace {

std::string result(const Figure& figure) {
    return unmarked(result_of(figure));
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

// Holm (1979) among all figures of a family: 0.05 / 3, then 0.05 / 2, then 0.05.
BOOST_AUTO_TEST_CASE(clear_changes_are_significant_among_all_of_a_page) {
    const auto marked = [](const std::vector<double>& p_values) {
        std::vector<Section> sections;
        for (const double p_value : p_values)
            sections.push_back({.figures = {{.changes = {{.from = 1, .to = 2, .p_value = p_value}}}}});
        mark_clear(sections);
        std::string text;
        for (const Section& section : sections) text += section.figures[0].changes[0].clear ? '+' : '0';
        return text;
    };
    BOOST_CHECK_EQUAL(marked({0.049}), "+");
    BOOST_CHECK_EQUAL(marked({0.051}), "0");
    BOOST_CHECK_EQUAL(marked({0.04, 0.016, 0.024}), "+++");
    BOOST_CHECK_EQUAL(marked({0.04, 0.017, 0.024}), "000");
    BOOST_CHECK_EQUAL(marked({0.051, 0.016, 0.024}), "0++");
    BOOST_CHECK_EQUAL(marked({0.016, NAN}), "+0");
    // Changes since the last round, those since the first one, and groups are three families.
    Figure lines = changes_of_mood();
    BOOST_REQUIRE_EQUAL(lines.changes.size(), 4);
    BOOST_CHECK(is_latest(lines, lines.changes[1]) && !is_latest(lines, lines.changes[2]));
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
    compare_normal_groups(figure);
    mark(figure);
    BOOST_CHECK_EQUAL(contrasts(figure), "+-");
    figure.rows.push_back(row("b", 0.5, 0.01, "x"));
    figure.rows.push_back(row("b", 0.5, 0.01, "y"));
    compare_normal_groups(figure);
    mark(figure);
    BOOST_CHECK_EQUAL(contrasts(figure), "0000");
    // A group without an estimate, or without others, is not compared.
    figure.rows = {row("a", 0.28, 0.01, "x"), {.label = "a", .group = "y", .n = "3", .note = "too few"}};
    compare_normal_groups(figure);
    mark(figure);
    BOOST_CHECK_EQUAL(contrasts(figure), "..");
}

BOOST_AUTO_TEST_CASE(changes_are_from_the_round_before_and_from_the_first_one) {
    Figure figure = changes_of_mood();
    const auto& found = figure.changes;
    BOOST_REQUIRE_EQUAL(found.size(), 4);
    BOOST_CHECK_CLOSE(found[0].estimate, 0.04, 1e-6);
    BOOST_CHECK_EQUAL(found[0].from, 2);
    BOOST_CHECK_CLOSE(found[2].estimate, 0.08, 1e-6);
    BOOST_CHECK_EQUAL(found[2].from, 1);
    BOOST_CHECK_EQUAL(found[2].to, 3);
    BOOST_CHECK(found[0].clear && !found[1].clear && found[2].clear && !found[3].clear);
    figure.rows.erase(figure.rows.begin() + 2, figure.rows.end());
    compare_normal_rounds(figure);
    BOOST_CHECK(figure.changes.empty());
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
    BOOST_CHECK_EQUAL(numbers.size_and_interval(0.058, {0.032, 0.084}, rows[0]), "5.8 points (3.2 to 8.4)");
    BOOST_CHECK_EQUAL(numbers.size_and_interval(-0.04, {-0.06, 0.01}, rows[0]),
                      "4.0 points (\u22121.0 to 6.0)");
    BOOST_CHECK_EQUAL(numbers.size_and_interval(-1.02, {-1.1, -0.9}, rows[0]),
                      "100.0 points (90.0 to 100.0)");
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
        "\u201Cok\u201D is the most frequent answer: 48\u00A0% (46\u201350). The order of the other 3 answers is uncertain.");
    figure.rows[1].estimate = 0.29;
    figure.rows[1].lower = 0.27;
    BOOST_CHECK_EQUAL(
        result(figure),
        "These reports cannot show which answer is the most frequent. The largest estimates: \u201Cok\u201D, 29\u00A0% (27\u201350); \u201Cbad\u201D, 27\u00A0% (25\u201329); \u201Cgood\u201D, 26\u00A0% (24\u201328).");
    figure.rows.push_back(row("new", 0.28, 0.01));
    BOOST_CHECK(result(figure).starts_with(
        "These reports cannot show which answer is the most frequent. The largest estimates: "));
    for (Row& one : figure.rows) one = row(one.label, 0.01, 0.01);
    BOOST_CHECK_EQUAL(result(figure), "These reports do not show whether any share is above zero.");
    figure.rows = {row("no", 0.28, 0.01), row("yes", 0.72, 0.01)};
    BOOST_CHECK_EQUAL(
        result(figure),
        "72\u00A0% (70\u201374) answered \u201Cyes\u201D, and 28\u00A0% (26\u201330) answered \u201Cno\u201D.");
    figure.rows = {{.label = "a", .note = "too few"}};
    BOOST_CHECK_EQUAL(result(figure), "");
}

BOOST_AUTO_TEST_CASE(results_of_numbers) {
    BOOST_CHECK_EQUAL(result(age()), "The mean of age is 41.3 (40.5\u201342.1).");
    BOOST_CHECK_EQUAL(result(hours()), "The mean is largest for \u201C16h\u201D, 96 (92\u2013100).");
    // The smallest mean is named if it is clearly the smallest, within the range, and different from 0.
    Figure vector = hours();
    vector.vector = "Activity";
    vector.range = Interval{0, 100};
    for (const auto& [smallest, named] :
         std::vector<std::pair<double, bool>>{{6, false}, {4.5, false}, {-6, false}, {3, false}}) {
        vector.rows[1] = at(1, row("8h", smallest, 2));
        BOOST_CHECK_EQUAL(result(vector).find("smallest") != std::string::npos, named);
    }
    vector.rows[0] = at(0, row("0h", 30, 2));
    vector.rows[1] = at(1, row("8h", 10, 2));
    BOOST_CHECK_EQUAL(
        result(vector),
        "The mean of Activity is largest for element \u201C16h\u201D, 96 (92\u2013100), and smallest "
        "for element \u201C8h\u201D, 10 (6\u201314).");
    vector.rows[0] = at(0, row("0h", 90, 2));
    BOOST_CHECK_EQUAL(
        result(vector),
        "The largest means of Activity: elements \u201C16h\u201D, 96 (92\u2013100); \u201C0h\u201D, 90 (86\u201394). Their order is uncertain.");
    Figure rate{.shares = true,
                .kind = Kind::mean,
                .rows = {row("share who answer", 0.9, 0.01)},
                .whom = "whose report was about Age"};
    BOOST_CHECK_EQUAL(result(rate),
                      "Of the people whose report was about Age, 90\u00A0% (88\u201392) gave a number.");
    BOOST_CHECK_EQUAL(
        result(quantiles()),
        "Half of the people have less than 2,240; the true number is probably between 2,090 and 2,380. The middle half has between 1,580 and 3,160.");
    BOOST_CHECK_EQUAL(result(income()),
                      "The interval with the largest share is 0 to 3,000: 50\u00A0% (46\u201354).");
    Figure monotone = income();  // the sentence has the share that is drawn
    monotone.rows[0].drawn = 0.48;
    BOOST_CHECK_EQUAL(result(monotone),
                      "The interval with the largest share is 0 to 3,000: 48\u00A0% (46\u201354).");
    Section section{.figures = {income(), quantiles()}};
    conclude(section);
    BOOST_CHECK(section.result.starts_with("Half of the people"));
    BOOST_CHECK(section.figures[0].result.empty() && section.figures[1].result.empty());
}

BOOST_AUTO_TEST_CASE(results_of_several_attributes) {
    BOOST_CHECK_EQUAL(
        result(pairs()),
        "Of all people, 41\u00A0% (39\u201343) answered \u201Cok\u201D and \u201Ccar\u201D, the largest estimate of all pairs.");
    Figure named = pairs();
    named.row_of = "mood";
    named.axis = "way";
    BOOST_CHECK(result(named).starts_with(
        "Of all people, 41\u00A0% (39\u201343) answered \u201Cok\u201D to mood and \u201Ccar\u201D to way, "));
    BOOST_CHECK_EQUAL(
        result(associations()),
        "The strongest estimated association: \u201Cmood\u201D and \u201Ctransport\u201D, 0.31 (0.27\u20130.35).");
    Figure figure = associations();
    figure.rows.pop_back();
    BOOST_CHECK_EQUAL(
        result(figure),
        "These reports cannot show whether \u201Cmood\u201D and \u201Ctown\u201D are associated. No other pair of questions was compared.");
}

BOOST_AUTO_TEST_CASE(results_of_curves) {
    Figure figure = hours_over_date();
    BOOST_CHECK_EQUAL(
        result(figure),
        "The mean is 8.0\u00A0h (7.8\u20138.2) at seen 2026-03-01, and 6.5\u00A0h (6.3\u20136.7) at "
        "seen 2026-03-31.");
    const Table table = table_of(figure, 0.95);
    BOOST_CHECK_EQUAL(unmarked(table.header[0].title), "seen");
    BOOST_REQUIRE_EQUAL(table.rows.size(), 3);
    BOOST_CHECK_EQUAL(unmarked(table.rows[0][0].text), "2026-03-01");
    BOOST_CHECK_EQUAL(table.rows[1][0].note, "too few reports within the bandwidth");
    BOOST_CHECK_EQUAL(table.rows[2][3].value, figure.rows[2].lower);
    figure.rows.resize(2);
    BOOST_CHECK_EQUAL(result(figure), "");
}

BOOST_AUTO_TEST_CASE(results_of_changes_and_groups) {
    BOOST_CHECK_EQUAL(
        result(changes_of_mood()),
        "From round 2 to round 3, \u201Cbad\u201D rises from 27.0\u00A0% to 31.0\u00A0%, by 4.0 points (1.2 to 6.8), a "
        "clear change. From round 1 to round 3, \u201Cbad\u201D rises from 23.0\u00A0% to 31.0\u00A0%, by 8.0 points "
        "(5.2 to 10.8), a clear change.");
    Figure figure = changes_of_mood();
    for (Row& one : figure.rows) one.estimate = 0.3;
    compare_normal_rounds(figure);
    mark(figure);
    BOOST_CHECK_EQUAL(
        result(figure),
        "From round 2 to round 3, these reports cannot show whether anything changed. From round 1 to round 3, these reports cannot show whether anything changed.");
    Figure mean{.kind = Kind::change, .axis = "round"};
    mean.rows = {at(0, row("", 120, 2)), at(4, row("", 100, 2))};
    compare_normal_rounds(mean);
    mark(mean);
    BOOST_CHECK_EQUAL(
        result(mean),
        "From round 0 to round 4, the mean falls from 120.0 to 100.0, by 20.0 (14.3 to 25.7), a clear "
        "change.");
    // Of two values that all people have one of, the change of the first one says everything.
    Figure two{.shares = true, .kind = Kind::change, .axis = "round"};
    two.rows = {at(1, row("", 0.4, 0.01, "yes")), at(1, row("", 0.6, 0.01, "no")),
                at(2, row("", 0.5, 0.01, "yes")), at(2, row("", 0.5, 0.01, "no"))};
    compare_normal_rounds(two);
    mark(two);
    BOOST_CHECK_EQUAL(
        result(two),
        "From round 1 to round 2, \u201Cyes\u201D rises from 40.0\u00A0% to 50.0\u00A0%, by 10.0 points (7.2 to 12.8), "
        "a clear change.");
    BOOST_CHECK_EQUAL(
        result(mood_by({"Ulm", "Bonn"})),
        "Of the \u201CUlm\u201D group, 28\u00A0% (26\u201330) answered \u201Cbad\u201D; of the \u201CBonn\u201D group, "
        "20\u00A0% (18\u201322). This difference is clear.");
    // With three groups or more, each is compared with the others together.
    BOOST_CHECK_EQUAL(
        result(mood_by({"Ulm", "Bonn", "Aix"})),
        "Of the \u201CUlm\u201D group, 28\u00A0% (26\u201330) answered \u201Cbad\u201D: clearly more than of all "
        "other groups together.");
    Figure median{.kind = Kind::comparison, .axis = "town", .quantity = "median"};
    median.rows = {row("", 120, 2, "Ulm"), row("", 119, 2, "Bonn")};
    compare_normal_groups(median);
    mark(median);
    BOOST_CHECK_EQUAL(
        result(median),
        "These reports cannot show whether the groups differ. This does not mean that they are equal.");
    // Intervals that do not overlap are no clear difference by themselves.
    median.rows = {row("", 123.2, 1, "Ulm"), row("", 119, 1, "Bonn")};
    compare_normal_groups(median);
    std::vector<Section> page{{.figures = {median}}};
    page[0].figures[0].contrasts[0].p_value = 0.06;
    mark_clear(page);
    BOOST_CHECK_EQUAL(
        result(page[0].figures[0]),
        "These reports cannot show whether the groups differ. This does not mean that they are equal.");
    median.rows = {row("", 140, 2, "Ulm"), row("", 119, 2, "Bonn")};
    compare_normal_groups(median);
    mark(median);
    BOOST_CHECK_EQUAL(
        result(median),
        "In the \u201CUlm\u201D group, the median is 140 (136\u2013144); in the \u201CBonn\u201D group, 119 "
        "(115\u2013123). This difference is clear.");
    BOOST_CHECK_EQUAL(result(mood_by({"Ulm"})), "");
}

BOOST_AUTO_TEST_CASE(the_news_are_the_clear_changes_and_differences) {
    std::vector<Section> sections{
        {.title = "mood", .figures = {mood(), changes_of_mood(), mood_by({"Ulm", "Bonn"})}},
        {.title = "age", .repeated = true, .figures = {age()}},
        {.title = "shop", .figures = {mood()}},
        {.title = "mood and transport", .asked = false, .figures = {pairs()}}};
    mark_clear(sections);
    BOOST_CHECK_EQUAL(
        unmarked(news_of(sections, "town")),
        "Since round 2, clear change: mood, \u201Cbad\u201D rises from 27.0\u00A0% to 31.0\u00A0%, by 4.0 points "
        "(1.2 to 6.8). The responses to 1 question were all repeated from memory, which cannot show a change. Not "
        "compared: shop. The groups of town differ clearly. mood: Of the \u201CUlm\u201D group, 28\u00A0% (26\u201330) answered "
        "\u201Cbad\u201D; of the \u201CBonn\u201D group, 20\u00A0% (18\u201322).");
    // Questions without a clear difference are not equal.
    std::vector<Section> two = sections;
    two.push_back({.title = "other", .figures = {mood_by({"Ulm", "Bonn"})}});
    for (GroupContrast& contrast : two.back().figures[0].contrasts) contrast.p_value = 0.5;
    for (Row& one : two.back().figures[0].rows) one.contrast = Contrast::none;
    mark_clear(two);
    BOOST_CHECK(
        unmarked(news_of(two, "town"))
            .ends_with(
                "In the other question, these reports cannot show whether they differ. This does not mean "
                "that they are equal."));
    // Repeated responses and texts are not among the compared questions.
    std::vector<Section> several = sections;
    several.push_back({.title = "health", .figures = {changes_of_mood()}});
    for (LineChange& change : several.back().figures[0].changes) change.p_value = 0.5;
    several.push_back(several[1]);
    mark_clear(several);
    const std::string news = unmarked(news_of(several, "town"));
    BOOST_CHECK(
        news.starts_with("Since round 2, a clear change in 1 of the 2 questions with new responses: mood, "));
    BOOST_CHECK_NE(
        news.find("The responses to 2 questions were all repeated from memory, which cannot show a change. "
                  "Not compared: shop."),
        std::string::npos);
    std::erase_if(several, &Section::repeated);
    BOOST_CHECK(
        unmarked(news_of(several, "town")).starts_with("Since round 2, a clear change in 1 of 2 compared "));
    // Without a clear change since the last round but one, those since the first round follow.
    for (LineChange& change : sections[0].figures[1].changes)
        if (change.from == 2) change.p_value = 0.5;
    sections.resize(1);
    sections[0].figures.pop_back();
    mark_clear(sections);
    BOOST_CHECK_EQUAL(
        unmarked(news_of(sections, "")),
        "Since round 2, these reports cannot show whether anything changed. Since round 1, clear change: mood, \u201Cbad\u201D rises from 23.0\u00A0% to "
        "31.0\u00A0%, by 8.0 points (5.2 to 10.8).");
    sections[0].figures = {mood()};
    BOOST_CHECK_EQUAL(news_of(sections, ""), "");
}

BOOST_AUTO_TEST_CASE(drawings_of_shares_have_one_axis_in_a_question) {
    std::vector<Section> sections{{.figures = {mood(), income(), changes_of_mood(), age(), pairs()}},
                                  {.figures = {mood()}}};
    for (Row& row : sections[1].figures[0].rows) row.upper = std::min(row.upper, row.estimate /= 4);
    align_axes(sections);
    const auto& figures = sections[0].figures;
    BOOST_CHECK_CLOSE(figures[0].end, 0.6, 1e-9);  // 0.52 is the largest end of an interval
    BOOST_CHECK_EQUAL(figures[2].end, figures[0].end);
    BOOST_CHECK_CLOSE(figures[1].end, 0.6, 1e-9);  // 0.54
    BOOST_CHECK(std::isnan(figures[3].end) && std::isnan(figures[4].end));
    BOOST_CHECK_CLOSE(sections[1].figures[0].end, 0.15,
                      1e-9);  // that of another question fits its own shares: 0.12
}

BOOST_AUTO_TEST_CASE(axes_of_numbers_begin_at_zero_if_it_is_near) {
    Figure figure = quantiles();
    figure.kind = Kind::comparison;
    BOOST_CHECK(axis_from_zero(figure));  // 1,430 to 3,300
    figure.rows.erase(figure.rows.begin());
    BOOST_CHECK(!axis_from_zero(figure));
    BOOST_CHECK(axis_from_zero(mood()));
}

BOOST_AUTO_TEST_CASE(means_from_zero_to_one_are_in_per_cent) {
    Figure figure = age();
    figure.rows[0].unit = "years";
    figure.rows.push_back(row("works part-time", 0.1, 0.01));
    figure.rows[1].scale = Interval{0, 1};
    figure.rows[1].proportion = true;
    BOOST_CHECK_EQUAL(result(figure),
                      "The means: \u201Cage\u201D, 41.3\u00A0years (40.5\u201342.1); \u201Cworks "
                      "part-time\u201D, 10\u00A0% (8\u201312).");
    const FigureNumbers numbers(figure);
    BOOST_CHECK_EQUAL(numbers.exact(0.1, figure.rows[1]), "10.0\u00A0%");
    BOOST_CHECK_EQUAL(numbers.margin(figure.rows[1]), "\u00B1\u00A02.0");
}

BOOST_AUTO_TEST_CASE(rounds_and_groups_are_matrices) {
    const auto text = [](const Table& table) {
        std::string lines;
        for (const Column& column : table.header) lines += unmarked(column.title) + "|";
        for (const auto& one : table.rows) {
            lines += "\n";
            for (const ldp::cli::Cell& cell : one)
                lines += unmarked(cell.text) + (cell.note.empty() ? "" : " " + cell.note) + "|";
        }
        return lines;
    };
    const auto rounds = tables_of(changes_of_mood(), 0.95);
    BOOST_REQUIRE_EQUAL(rounds.size(), 1);
    const std::string lines = text(rounds[0]);
    for (const char* part :
         {"answer|round\u00A01|round\u00A02|round\u00A03|change since round\u00A02, points|",
          "\nbad|23.0\u00A0% \u00B1\u00A02.0|27.0\u00A0% \u00B1\u00A02.0|",
          "|+4.0 +1.2 to +6.8, p\u00A0=\u00A00.005 \u25B2|", "|+1.0 \u22121.8 to +3.8, p\u00A0=\u00A00.48|"})
        BOOST_CHECK_NE(lines.find(part), std::string::npos);
    BOOST_CHECK_EQUAL(text(tables_of(mood_by({"Ulm", "Bonn"}), 0.95)[0]),
                      "answer|Ulm|Bonn|\nok|50.0\u00A0% \u00B1\u00A02.0|50.0\u00A0% \u00B1\u00A02.0|\n"
                      "bad|28.0\u00A0% \u00B1\u00A02.0 \u25B2|20.0\u00A0% \u00B1\u00A02.0|");
    // More rounds than a row has room for are read downwards; more values as well are several tables.
    BOOST_CHECK_EQUAL(text(tables_of(changes_of_mood(), 0.95, 2)[0]).substr(0, 23),
                      "round|bad|ok|\nround\u00A01|");
    Figure wide{.shares = true, .kind = Kind::change, .axis = "round"};
    for (int round = 1; round <= 7; ++round)
        for (int value = 0; value < 7; ++value)
            wide.rows.push_back(at(round, row("", 0.1, 0.01, std::to_string(value))));
    const auto several = tables_of(wide, 0.95);
    BOOST_REQUIRE_EQUAL(several.size(), 2);
    BOOST_CHECK_EQUAL(several[0].header.size(), 6);
    BOOST_CHECK_EQUAL(several[1].header.size(), 3);
    BOOST_CHECK_EQUAL(several[1].rows.size(), 7);
    BOOST_CHECK_EQUAL(tables_of(mood(), 0.95).size(), 1);
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
    BOOST_CHECK(explanations(document)[1].find("below 0") != std::string::npos);
    document.sections[0].figures = {mood_by({"Ulm", "Bonn"})};
    BOOST_REQUIRE_EQUAL(explanations(document).size(), 2);
    BOOST_CHECK(explanations(document)[1].find("mark a difference") != std::string::npos);
    BOOST_CHECK(explanations(document)[1].find("change") == std::string::npos);
    document.sections[0].figures = {changes_of_mood()};
    BOOST_REQUIRE_EQUAL(explanations(document).size(), 3);
    BOOST_CHECK(explanations(document)[2].find("not corrected") != std::string::npos);
    // Intervals beyond the declared range are explained.
    document.sections[0].figures = {hours()};
    BOOST_CHECK_EQUAL(explanations(document).size(), 1);
    document.sections[0].figures[0].range = Interval{0, 120};
    BOOST_REQUIRE_EQUAL(explanations(document).size(), 2);
    BOOST_CHECK(explanations(document)[1].find("beyond the declared range") != std::string::npos);
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
    Figure noted = mood();
    for (Row& one : noted.rows) one.note = "some repeat";
    BOOST_CHECK_EQUAL(table_of(noted, 0.95).about, "1,000 reports; some repeat");
    BOOST_CHECK_EQUAL(table_of(noted, 0.95).rows[0][0].note, "");
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
