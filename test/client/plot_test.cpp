// Drawings: axes, colours, and what stands in the SVG.

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include "client_support.hpp"
#include "contrast.hpp"
#include "plot/bars.hpp"
#include "plot/chart.hpp"
#include "plot/intervals.hpp"
#include "plot/sheet.hpp"
#include "plot/style.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(drawings)

using namespace ldp::plot;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(linear_ticks_are_round_and_few) {
    for (const auto& [low, high] : std::vector<std::pair<double, double>>{
             {0, 1}, {-1, 1}, {0.231, 0.2419}, {0, 1e-7}, {3, 1e12}, {-2500, -2400}, {17, 18.5}}) {
        const auto ticks = Scale{low, high}.ticks();
        BOOST_TEST_CONTEXT(low << " to " << high) {
            BOOST_CHECK_GE(ticks.size(), 2);
            BOOST_CHECK_LE(ticks.size(), 7);
            for (std::size_t i = 0; i < ticks.size(); ++i) {
                BOOST_CHECK_GE(ticks[i], low - 1e-6 * (high - low));
                BOOST_CHECK_LE(ticks[i], high + 1e-6 * (high - low));
                if (i == 0) continue;
                const double step = ticks[i] - ticks[i - 1];
                const double digit = step / std::pow(10, std::floor(std::log10(step) + 1e-6));
                BOOST_CHECK(std::abs(digit - 1) < 1e-6 || std::abs(digit - 2) < 1e-6 ||
                            std::abs(digit - 5) < 1e-6);
            }
        }
    }
    BOOST_CHECK(Scale({0, 1}).ticks() == (std::vector<double>{0, 0.2, 0.4, 3 * 0.2, 0.8, 1}));
}

BOOST_AUTO_TEST_CASE(ticks_end_whatever_the_range) {
    const double most = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
    for (const auto& [low, high] : std::vector<std::pair<double, double>>{
             {1e17, 1e17 + 16}, {-most, most}, {0, least}, {0, most}, {1, 1 + 1e-16}})
        BOOST_CHECK_LE(Scale({low, high}).ticks().size(), 20);
    for (const auto& [low, high] :
         std::vector<std::pair<double, double>>{{1e-300, 1e300}, {1, 1.01}, {1e-3, 1e3}})
        BOOST_CHECK_LE(Scale({low, high, 0, 100, true}).ticks().size(), 20);
}

BOOST_AUTO_TEST_CASE(logarithmic_ticks_are_powers_of_ten_or_more) {
    const auto ticks = [](double low, double high) { return Scale{low, high, 0, 100, true}.ticks(); };
    BOOST_CHECK(ticks(0.5, 2000) == (std::vector<double>{1, 10, 100, 1000}));
    BOOST_CHECK(ticks(1, 40) == (std::vector<double>{1, 2, 5, 10, 20}));
    BOOST_CHECK(ticks(2, 5) == (std::vector<double>{2, 3, 4, 5}));
}

BOOST_AUTO_TEST_CASE(positions) {
    const Scale linear{10, 20, 0, 100}, logarithmic{1, 100, 0, 100, true}, down{0, 1, 300, 100};
    BOOST_CHECK_EQUAL(linear.at(12.5), 25);
    BOOST_CHECK_EQUAL(linear.at(1e9), 100);
    BOOST_CHECK_EQUAL(linear.at(-1e9), 0);
    BOOST_CHECK_CLOSE(logarithmic.at(10), 50, 1e-9);
    BOOST_CHECK_EQUAL(down.at(0.75), 150);
    BOOST_CHECK(!logarithmic.holds(0) && !logarithmic.holds(-1) && linear.holds(0));
    BOOST_CHECK(!linear.holds(NAN) && !linear.holds(HUGE_VAL));
    Scale none = Scale::empty(0, 100), one = none;
    none.include(NAN);
    none.close();
    BOOST_CHECK(none.low == 0 && none.high == 1);
    one.include(7);
    one.close();
    BOOST_CHECK_EQUAL(one.at(7), 50);
    Scale zero = Scale::empty(0, 100);
    zero.include(0);
    zero.close();
    BOOST_CHECK(zero.low == 0 && zero.high == 1);
}

BOOST_AUTO_TEST_CASE(numbers_have_powers_of_ten) {
    BOOST_CHECK_EQUAL(number(0), "0");
    BOOST_CHECK_EQUAL(number(0.25), "0.25");
    BOOST_CHECK_EQUAL(number(-1.5), "\u22121.5");
    BOOST_CHECK_EQUAL(number(10000), "10\u2074");
    BOOST_CHECK_EQUAL(number(-2e-5), "\u22122\u00B710\u207B\u2075");
    BOOST_CHECK_EQUAL(number(1.5e12), "1.5\u00B710\u00B9\u00B2");
}

BOOST_AUTO_TEST_CASE(colours_can_be_read_and_told_apart) {
    const Colour& paper = ldp::plot::colours()[0];
    BOOST_REQUIRE_EQUAL(paper.name, "paper");
    for (const Colour& colour : ldp::plot::colours()) {
        const std::string name = colour.name;
        if (name == "paper" || name == "grid" || name == "zero") continue;
        BOOST_TEST_CONTEXT(name) {
            BOOST_CHECK_GE(contrast(colour.light, paper.light), 4.5);
            BOOST_CHECK_GE(contrast(colour.dark, paper.dark), 4.5);
        }
    }
    const std::string style = style_sheet();
    for (const Colour& colour : ldp::plot::colours()) {
        const std::string property = std::string("--plot-") + colour.name;
        // The light theme, the reader's dark one, and the page's.
        BOOST_CHECK_EQUAL(count(style, property + ": " + colour.light + ";"), 1);
        BOOST_CHECK_EQUAL(count(style, property + ": " + colour.dark + ";"), 2);
        BOOST_CHECK_GE(count(style, "var(" + property + ")"), 1);
    }
    BOOST_CHECK_GE(count(style, ":root:is([data-theme=\"dark\"], :has(#theme-dark:checked))"), 1);
    BOOST_CHECK_GE(count(style, ":root:not(:is([data-theme=\"light\"], :has(#theme-light:checked)))"), 1);
    BOOST_CHECK_EQUAL(colour_of(0), colour_of(series_colours()));
    std::map<std::string, int> signs;
    for (std::size_t series = 0; series < 3 * series_colours(); ++series) {
        Canvas canvas;
        canvas.marker(0, 0, 1, series);
        ++signs[canvas.drawing(0).svg];
    }
    BOOST_CHECK_EQUAL(signs.size(), 3 * series_colours());
}

BOOST_AUTO_TEST_CASE(text_is_escaped_and_wrapped) {
    BOOST_CHECK_EQUAL(escaped("<a b='\"&\u00e9"), "&lt;a b=&#39;&quot;&amp;\u00e9");
    BOOST_CHECK(wrapped("one two three", 7) == (std::vector<std::string>{"one two", "three"}));
    BOOST_CHECK(wrapped("\u00e9\u00e9\u00e9 \u00e9\u00e9\u00e9", 7).size() == 1);
    BOOST_CHECK(wrapped("", 7) == std::vector<std::string>{""});
    BOOST_CHECK(wrapped("unbreakable", 3) == std::vector<std::string>{"unbreakable"});
    const Chart chart{.title = "<script>", .x = "a & b", .series = {{"\"quoted\"", {{1, 2, 1, 3, "<tip>"}}}}};
    const std::string svg = charts({{chart}});
    for (const char* raw : {"<script>", "a & b", "<tip>", ">\"quoted\"<"})
        BOOST_CHECK_EQUAL(count(svg, raw), 0);
    for (const char* safe : {"&lt;script&gt;", "a &amp; b", "&lt;tip&gt;", "&quot;quoted&quot;"})
        BOOST_CHECK_EQUAL(count(svg, safe), 1);
}

BOOST_AUTO_TEST_CASE(charts_draw_points_with_a_position) {
    Chart chart{
        .logarithmic = true,
        .series = {{"few", {{1, 10, 5, 20}, {2, NAN}, {4, 0}, {8, -1}, {16, HUGE_VAL}, {32, 40, 30, 60}}}}};
    std::string svg = drawn(chart).svg;
    BOOST_CHECK_EQUAL(count(svg, "<circle"), 2 + 1);  // and in the key
    BOOST_CHECK_EQUAL(count(svg, "nan") + count(svg, "inf"), 0);
    BOOST_CHECK_EQUAL(count(svg, "<polyline"), 1);
    // An interval that reaches below every position ends at the axis.
    chart.series[0].points[0].low = -5;
    BOOST_CHECK_EQUAL(count(drawn(chart).svg, "nan"), 0);
    // Nothing to draw is no reason to fail.
    chart.series = {{"none", {{1, NAN}}}, {"empty", {}}};
    BOOST_CHECK_EQUAL(count(drawn(chart).svg, "nan"), 0);
    // Many points: a band instead of bars.
    Chart many{.series = {{"", {}}}};
    for (int i = 0; i < 100; ++i) many.series[0].points.push_back({double(i), 1, 0.5, 1.5});
    svg = drawn(many).svg;
    BOOST_CHECK_EQUAL(count(svg, "<polygon"), 1);
    BOOST_CHECK_EQUAL(count(svg, "<circle"), 0);
    many.series[0].points.resize(20);
    svg = drawn(many).svg;
    BOOST_CHECK_EQUAL(count(svg, "<polygon"), 0);
    BOOST_CHECK_EQUAL(count(svg, "<circle"), 20);
    BOOST_CHECK_EQUAL(count(svg, "class=\"s c0\""), 20);
}

BOOST_AUTO_TEST_CASE(intervals_have_one_scale_or_their_own) {
    std::vector<ldp::plot::PlottedEstimate> marks{
        {.name = "a", .estimate = 0.5, .low = 0.25, .high = 0.75, .truth = 0.5}, {.name = "b"}};
    const std::string common = drawn(marks, 0, number).svg;
    // From zero to 0.75, between 1 and 99 per cent.
    BOOST_CHECK_EQUAL(count(common, "<line x1=\"33.6667%\" y1=\"29\" x2=\"99%\" y2=\"29\" class=\"s c0\"/>"),
                      1);
    BOOST_CHECK_EQUAL(count(common, "<circle"), 1);
    BOOST_CHECK_EQUAL(count(common, "<path"), 1);
    marks[0].range = {0, 1};
    const std::string own = drawn(marks, 0, number).svg;
    BOOST_CHECK_EQUAL(count(own, "<line x1=\"25.5%\" y1=\"29\" x2=\"74.5%\" y2=\"29\" class=\"s c0\"/>"), 1);
    // Without an end of its own, the scale has that of the interval.
    BOOST_CHECK_EQUAL(count(drawn({marks[1], {.estimate = 0.5, .low = 0.25, .high = 0.75}}, NAN, number).svg,
                            "<line x1=\"1%\" y1=\"73\" x2=\"99%\" y2=\"73\" class=\"s c0\"/>"),
                      1);
    // The ends of an own range may have labels of their own.
    marks[0].label = [](double) { return std::string("end"); };
    BOOST_CHECK_EQUAL(count(drawn(marks, 0, number).svg, ">end</text>"), 2);
    marks[0].ends = "25–75";
    const Grid grid{
        {"x", "y"}, {{"r", {marks[0], std::nullopt}}, {"s", {std::nullopt, marks[0]}}}, "rows", "of x"};
    const std::string cells = drawn(grid).svg;
    BOOST_CHECK_EQUAL(count(cells, "<rect"), 2);
    BOOST_CHECK_EQUAL(count(cells, ">25–75</text>"), 2);
    BOOST_CHECK_EQUAL(count(cells, ">rows</text>") + count(cells, ">of x</text>"), 2);
}

BOOST_AUTO_TEST_CASE(dots_leave_the_caps_of_short_intervals_visible) {
    Canvas canvas;
    draw(canvas, {.estimate = 50, .low = 49.9, .high = 50.1}, {0, 100, 0, 100}, 20, "c0");
    const std::string svg = canvas.drawing(40).svg;
    for (const char* cap :
         {"x1=\"49.9%\" y1=\"15\" x2=\"49.9%\" y2=\"25\"", "x1=\"50.1%\" y1=\"15\" x2=\"50.1%\" y2=\"25\""})
        BOOST_CHECK_EQUAL(count(svg, cap), 1);
    BOOST_CHECK_EQUAL(count(svg, "r=\"3\""), 1);
}

BOOST_AUTO_TEST_CASE(values_stand_at_their_points_or_behind_the_name) {
    const auto written = [](const std::string& name, double estimate, double high) {
        Canvas canvas;
        write_above(canvas, {.name = name, .value = "12345", .estimate = estimate, .high = high},
                    {0, 100, 0, 100}, 0, 12, "t b");
        return canvas.drawing(20).svg;
    };
    // Wherever the interval ends.
    for (const double high : {50.0, 99.0})
        BOOST_CHECK_EQUAL(
            count(written("a", 50, high), "<text x=\"50%\" y=\"12\" class=\"t c\">12345</text>"), 1);
    BOOST_CHECK_EQUAL(count(written("a", 99, 99), "<text x=\"99.5%\" y=\"12\" class=\"t e\">12345</text>"),
                      1);
    BOOST_CHECK_EQUAL(count(written("a name", 10, 99), "a name</tspan><tspan dx=\"6\">\u00A012345</tspan>"),
                      1);
    BOOST_CHECK_EQUAL(count(written("a name", NAN, NAN), "a name</tspan><tspan dx=\"6\">\u00A012345</tspan>"),
                      1);
}

BOOST_AUTO_TEST_CASE(bars_begin_at_zero_and_values_stand_above_them) {
    std::vector<ldp::plot::PlottedEstimate> marks{
        {.name = "a", .value = "50 %", .title = "a: 50 %", .estimate = 0.5, .low = 0.25, .high = 1},
        {.name = "b"}};
    // The scale from 0 to 1 is between 0.5 and 99 %.
    std::string svg = bars(marks, NAN, number).svg;
    BOOST_CHECK_EQUAL(count(svg, "<rect x=\"0.5%\" y=\"17\" width=\"49.25%\" height=\"14\""), 1);
    BOOST_CHECK_EQUAL(count(svg, "<line x1=\"25.125%\" y1=\"24\" x2=\"99%\" y2=\"24\" class=\"s c0\"/>"), 1);
    BOOST_CHECK_EQUAL(count(svg, "<text x=\"49.75%\" y=\"12\" class=\"t c\">50 %</text>"), 1);
    BOOST_CHECK_EQUAL(count(svg, "<title>a: 50 %</title>"), 1);
    BOOST_CHECK_EQUAL(count(svg, "<rect"), 1);  // none without an estimate
    // An axis that ends at 2 halves the bar.
    svg = bars(marks, 2, number).svg;
    BOOST_CHECK_EQUAL(count(svg, "width=\"24.625%\" height=\"14\""), 1);
    BOOST_CHECK_EQUAL(count(svg, ">2</text>"), 1);
    BOOST_CHECK_EQUAL(count(bars({}, NAN, number).svg, "nan"), 0);
}

BOOST_AUTO_TEST_CASE(histograms_label_as_many_edges_as_have_room) {
    std::vector<ldp::plot::PlottedEstimate> marks(12, {.estimate = 0.1, .low = 0, .high = 0.2});
    std::vector<std::string> edges;
    for (int i = 0; i <= 12; ++i) edges.push_back(std::to_string(10000 + 1000 * i));
    std::string svg = histogram(marks, edges, NAN, number).svg;
    BOOST_CHECK_EQUAL(count(svg, "<rect"), 12);
    // An edge of five digits takes 10.5 % of the width, a bar 7.3 %: every second edge is shown.
    for (int i = 0; i <= 12; ++i)
        BOOST_CHECK_EQUAL(count(svg, ">" + edges[static_cast<std::size_t>(i)] + "</text>"),
                          i % 2 == 0 ? 1 : 0);
    // Half of the plane's 170 pixels.
    BOOST_CHECK_EQUAL(count(svg, " y=\"103\""), 12);
    BOOST_CHECK_EQUAL(count(svg, "height=\"85\" rx"), 12);
    // Values that fit stand above the bars, beside their intervals.
    for (auto& mark : marks) mark.value = "10";
    BOOST_CHECK_EQUAL(count(histogram(marks, edges, NAN, number).svg, ">10</text>"), 12);
    for (auto& mark : marks) mark.value = "10.25";
    BOOST_CHECK_EQUAL(count(histogram(marks, edges, NAN, number).svg, ">10.25</text>"), 0);
    svg = histogram(marks, edges, NAN, number, "hours", "share").svg;
    BOOST_CHECK_EQUAL(count(svg, ">hours</text>") + count(svg, ">share</text>"), 2);
    marks[3].estimate = NAN;
    svg = histogram(marks, edges, NAN, number).svg;
    BOOST_CHECK_EQUAL(count(svg, "<rect"), 11);
    BOOST_CHECK_EQUAL(count(svg, "nan") + count(histogram({}, {}, NAN, number).svg, "nan"), 0);
}

BOOST_AUTO_TEST_CASE(blocks_have_one_scale_and_a_colour_for_each_group) {
    const std::vector<Block> all{{"x",
                                  {{.name = "a", .estimate = 1, .low = 0, .high = 2},
                                   {.name = "b", .estimate = 2, .low = 1, .high = 4}}},
                                 {"", {{.name = "a", .estimate = 3, .low = 2, .high = 4}}}};
    const std::string svg = blocks(all, NAN, true, number).svg;
    BOOST_CHECK_EQUAL(count(svg, ">x</text>"), 1);
    BOOST_CHECK_EQUAL(count(svg, "<circle cx=\"25.875%\""), 1);  // 1 of 4, between 1.5 and 99 %
    BOOST_CHECK_EQUAL(count(svg, "<circle cx=\"50.25%\""), 1);
    // No group has the colour of all people, or a red one.
    BOOST_CHECK_EQUAL(count(svg, "class=\"h c2\""), 2);
    BOOST_CHECK_EQUAL(count(svg, "class=\"h c3\""), 1);
    std::map<std::size_t, int> series;
    for (std::size_t group = 0; group < 20; ++group) ++series[series_of_group(group)];
    BOOST_CHECK_EQUAL(series.size(), 20);
    for (const std::size_t other : {0, 1, 11})
        for (const auto& [one, times] : series) BOOST_CHECK_NE(one % series_colours(), other);
    Chart chart{.groups = true, .series = {{"one", {{1, 2}, {2, 3}}}}};
    BOOST_CHECK_EQUAL(count(drawn(chart).svg, "c0\""), 0);
}

BOOST_AUTO_TEST_CASE(charts_have_names_and_signs) {
    Chart chart{.series = {{"", {{0, 10, 5, 15, "", "up"}, {1, 12, 8, 16}}}}, .names = {"first", "second"}};
    std::string svg = drawn(chart).svg;
    BOOST_CHECK_EQUAL(count(svg, ">first</text>") + count(svg, ">second</text>"), 2);
    BOOST_CHECK_EQUAL(count(svg, ">up</text>"), 1);
    // An interval that ends just below zero does not make room for a whole step.
    chart.series[0].points = {{0, 90, -3, 100}, {1, 80, 70, 90}};
    svg = drawn(chart).svg;
    BOOST_CHECK_EQUAL(count(svg, ">\u221250</text>"), 0);
    BOOST_CHECK_EQUAL(count(svg, ">0</text>"), 1);
    chart.series[0].points = {{0, 90, -30, 100}, {1, 80, 70, 90}};
    BOOST_CHECK_EQUAL(count(drawn(chart).svg, ">\u221250</text>"), 1);
}

BOOST_AUTO_TEST_CASE(names_stand_beside_the_last_points) {
    Chart chart{.end = 2,
                .direct = true,
                .series = {{"one", {{1, 1}, {2, 1}}}, {"two two two two", {{1, 1}, {2, 1}}}}};
    const std::string svg = drawn(chart).svg;
    BOOST_CHECK_EQUAL(count(svg, ">one</text>") + count(svg, ">two two two two</text>"), 2);
    BOOST_CHECK_EQUAL(count(svg, "class=\"s c0\""), 0);  // no key
    BOOST_CHECK_EQUAL(count(svg, ">2</text>"), 2);       // both axes
    // Names at one height do not overlap: they are a line and a gap apart.
    const auto height = [&](const std::string& name) {
        const std::size_t at = svg.rfind("y=\"", svg.find(">" + name + "<")) + 3;
        return std::strtod(svg.c_str() + at, nullptr);
    };
    BOOST_CHECK_CLOSE(std::abs(height("one") - height("two two two two")), 17, 1e-6);
    chart.direct = false;
    BOOST_CHECK_EQUAL(count(drawn(chart).svg, "class=\"s c0\""), 1);
}

BOOST_AUTO_TEST_CASE(sheets_fit_a_narrow_screen) {
    const Chart chart{.series = {{"one", {{1, 2}, {2, 3}}}}};
    const std::string one = charts({{chart}}), three = charts({{chart, chart, chart, chart}}, 3);
    BOOST_CHECK_EQUAL(count(one, "width=\"520\""), 1);
    BOOST_CHECK_EQUAL(count(one, "max-width: 100%; min-width: 340px"), 1);
    BOOST_CHECK_EQUAL(count(three, "width=\"1560\""), 1);
    BOOST_CHECK_EQUAL(count(three, "<polyline"), 4);
    BOOST_CHECK_EQUAL(one.substr(one.size() - 7), "</svg>\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
