// The layouts of an answer page, as text, CSV, SVG and HTML, and the accessibility of its structure.

#include <map>
#include <set>
#include <sstream>

#include "cli/answers/answer_sections.hpp"
#include "cli/answers/layouts.hpp"
#include "cli/answers/results.hpp"
#include "cli/answers/source.hpp"
#include "cli/template.hpp"
#include "client_support.hpp"
#include "contrast.hpp"
#include "core/summary/summary.hpp"
#include "figures/figure_drawing.hpp"
#include "markup.hpp"
#include "sample_figures.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(results_page)

using namespace sample;

namespace {

/// A document with every kind of figure.
Document whole() {
    Document document{.title = "Results of " + name("a <survey>"),
                      .news = "A change.",
                      .lead = {{"Reports", "1,000 reports."},
                               {"Dates", "Estimated today.", Fact::Use::dates},
                               {"Caution", "Look.", Fact::Use::warning}},
                      .source = "Reports of a survey.",
                      .citation = "A survey."};
    document.sections = {
        {.title = name("mood & more"),
         .figures = {mood(), changes_of_mood(), mood_by({"Ulm", "Bonn", "Aix"})}},
        {.title = "age", .figures = {age()}},
        {.title = "income", .figures = {income(), quantiles()}},
        {.title = "hours", .figures = {hours()}},
        {.title = "mood and transport", .figures = {pairs()}},
        {.title = "Associations", .figures = {associations()}},
        {.title = "none", .figures = {{.title = "Refused", .sql = "SELECT 2", .refused = "too <few>"}}},
        {.title = "Privacy guarantee",
         .paragraphs = {"A paragraph."},
         .points = {"A point."},
         .tables = {{.title = "Facts",
                     .about = "About the facts.",
                     .sql = "SELECT 3",
                     .header = {{"name", true}, {"number"}},
                     .rows = {{{"one"}, {"1.0", 1}}}}}}};
    for (Section& section : document.sections) conclude(section);
    document.notes = explanations(document);
    return document;
}

std::string page() {
    std::ostringstream out;
    write_html(out, whole());
    return out.str();
}

}  // namespace

BOOST_AUTO_TEST_CASE(text_of_a_document) {
    Document document{.title = "Results of " + name("survey"),
                      .lead = {{"Reports", "1,000 reports."}, {"Warning", "Look."}}};
    document.sections = {{.title = name("mood"), .figures = {mood(), mood_by({"Ulm", "Bonn"})}}};
    conclude(document.sections[0]);
    std::ostringstream out;
    write_text(out, document, 72);
    BOOST_CHECK_EQUAL(out.str(), R"(Results of survey
1,000 reports.
Warning: Look.

mood
  “ok” is the most frequent answer: 48 % (46–50). The order of the other
  3 answers is uncertain.

Shares of mood
  ok     48 % (46–50)                                              |-o-|
  bad    27 % (25–29)                          |-o-|
  good   26 % (24–28)                         |-o-|
  never     0 % (0–1)  o|
  SELECT 1;

Shares of mood by town
  Of the “Ulm” group, 28 % (26–30) answered “bad”; of the “Bonn” group,
  20 % (18–22). This difference is clear.
  answer              Ulm           Bonn
  ok        50.0 %  ± 2.0  50.0 %  ± 2.0
  bad     28.0 %  ± 2.0 ▲  20.0 %  ± 2.0
)");
}

// A label that a spreadsheet would take for a formula gets an apostrophe.
BOOST_AUTO_TEST_CASE(csv_keeps_the_order_and_the_numbers_of_the_server) {
    Document document;
    Figure figure{.title = "Shares of mood", .shares = true};
    figure.rows = {row("=1,\"a\"", -0.25, 0.0625), row("b", 0.5, 0.125, "g")};
    document.sections = {{.title = "mood", .figures = {figure}}};
    std::ostringstream out;
    write_csv(out, document);
    BOOST_CHECK_EQUAL(out.str(),
                      "figure,label,group,at,estimate,stderr,lower,upper,n,note\n"
                      "Shares of mood,\"'=1,\"\"a\"\"\",,,-0.25,0.0625,-0.375,-0.125,1000,\n"
                      "Shares of mood,b,g,,0.5,0.125,0.25,0.75,1000,\n");
}

BOOST_AUTO_TEST_CASE(drawings_show_no_negative_share) {
    for (const Figure& figure : {mood(), income(), changes_of_mood(), mood_by({"Ulm", "Bonn"}), pairs()}) {
        Figure low = figure;
        for (Row& one : low.rows) {
            one.estimate -= 0.6;
            one.lower -= 0.6;
            one.upper -= 0.6;
        }
        const std::string svg = drawn(low).svg;
        BOOST_CHECK_EQUAL(svg.find("\u2212"), std::string::npos);  // no tick or title below zero
        BOOST_CHECK_EQUAL(svg.find("=\"-"), std::string::npos);    // and nothing beyond the axis
    }
}

BOOST_AUTO_TEST_CASE(drawings_show_no_share_above_one) {
    Figure figure = changes_of_mood();
    figure.rows[0] = at(1, row("", 1.05, 0.02, "bad"));
    const std::string svg = drawn(figure).svg;
    BOOST_CHECK_NE(svg.find(">100\u00A0%</text>"), std::string::npos);
    for (const char* beyond : {">120\u00A0%", ">150\u00A0%", "105"})
        BOOST_CHECK_EQUAL(svg.find(beyond), std::string::npos);
}

BOOST_AUTO_TEST_CASE(dates_and_times_have_texts) {
    BOOST_CHECK_EQUAL(date_of_days(0), "1970-01-01");
    BOOST_CHECK_EQUAL(date_of_days(-1), "1969-12-31");
    BOOST_CHECK_EQUAL(date_of_days(20513), "2026-03-01");
    BOOST_CHECK_EQUAL(date_of_days(20513.75), "2026-03-01 18:00");
    BOOST_CHECK_EQUAL(date_of_days(20513 + 1.0 / 86400), "2026-03-01 00:00:01");
    BOOST_CHECK_EQUAL(date_of_days(NAN), "none");
    BOOST_CHECK_EQUAL(time_of_hours(0.5), "00:30");
    BOOST_CHECK_EQUAL(time_of_hours(23.75 + 5.0 / 3600), "23:45:05");
}

BOOST_AUTO_TEST_CASE(drawings_of_curves_have_dates_and_units) {
    const auto count = [](const std::string& text, const std::string& part) {
        std::size_t found = 0;
        for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
        return found;
    };
    Figure figure = hours_over_date();
    const std::string svg = unmarked(drawn(figure).svg);
    for (const char* text : {">2026-03-01</text>", ">2026-03-31</text>", ">\u2191 h</text>", ">seen</text>",
                             "<title>2026-03-01: 8.0\u00A0h (7.8\u20138.2)</title>"})
        BOOST_CHECK_EQUAL(count(svg, text), 1);
    BOOST_CHECK_EQUAL(count(svg, "<title>"), 2);  // a point without an estimate is not drawn
    std::ostringstream csv;
    write_csv_rows(csv, figure);
    BOOST_CHECK_EQUAL(count(csv.str(), "\n"), 3);
    BOOST_CHECK_EQUAL(count(csv.str(), ",2026-03-01,,20513,8,0.1,7.8,8.2,1000,\n"), 1);
    BOOST_CHECK_EQUAL(count(csv.str(), ",,20514,,0.1,,,1000,too few reports within the bandwidth\n"), 1);
    // Numbers have round labels.
    figure.position = nullptr;
    BOOST_CHECK_EQUAL(count(drawn(figure).svg, ">2026-"), 0);
    std::ostringstream html;
    write_html(html, {.title = "Curves", .sections = {{.title = "Curves", .figures = {figure}}}});
    BOOST_CHECK_NE(
        html.str().find("Lines or band: 95\u00A0% confidence intervals, each for its point alone."),
        std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_page_is_well_formed_and_loads_nothing) {
    const Markup markup(page());
    BOOST_CHECK_EQUAL(markup.fault(), "");
    for (const Markup::Element& one : markup.all()) {
        for (const char* name : {"script", "link", "img", "iframe", "object"}) BOOST_CHECK_NE(one.name, name);
        for (const auto& [attribute, value] : one.attributes) {
            BOOST_CHECK_NE(attribute, "style");
            BOOST_CHECK_NE(attribute, "src");
            BOOST_CHECK(!attribute.starts_with("on"));
            if (attribute == "href")
                BOOST_CHECK(value.starts_with("#") || value.starts_with("data:text/csv;charset=utf-8,"));
        }
    }
    BOOST_CHECK_EQUAL(page().find("<survey>"), std::string::npos);
    BOOST_CHECK_NE(page().find("<bdi>a &lt;survey&gt;</bdi>"), std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_page_has_a_structure_for_screen_readers) {
    const Markup markup(page());
    std::set<std::string> identifiers;
    for (const Markup::Element& one : markup.all())
        if (const std::string id = one.attribute("id"); !id.empty())
            BOOST_CHECK(identifiers.insert(id).second);
    int level = 0;
    for (const Markup::Element& one : markup.all()) {
        BOOST_TEST_CONTEXT(one.name << " " << one.text) {
            // Headings skip no level; one is the first.
            if (one.name.size() == 2 && one.name[0] == 'h' && one.name[1] >= '1' && one.name[1] <= '6') {
                BOOST_CHECK_LE(one.name[1] - '0', level + 1);
                BOOST_CHECK(!one.text.empty());
                level = one.name[1] - '0';
            }
            for (const char* reference : {"aria-labelledby", "aria-describedby"})
                if (const std::string id = one.attribute(reference); !id.empty())
                    BOOST_CHECK(identifiers.contains(id));
            if (const std::string target = one.attribute("href"); target.starts_with("#"))
                BOOST_CHECK(identifiers.contains(target.substr(1)));
            if (one.name == "section" || one.name == "nav")
                BOOST_CHECK(!one.attribute("aria-labelledby").empty());
            if (one.name == "table") BOOST_CHECK_EQUAL(one.children.at(0)->name, "caption");
            if (one.name == "th")
                BOOST_CHECK(one.attribute("scope") == "col" || one.attribute("scope") == "row");
            if (one.name == "tr") BOOST_CHECK_EQUAL(one.children.at(0)->name, "th");
            if (one.name == "input") BOOST_CHECK_EQUAL(one.parent->name, "label");
            if (one.name == "fieldset") BOOST_CHECK_EQUAL(one.children.at(0)->name, "legend");
            if (one.name == "figure") BOOST_CHECK(!one.children.empty());
            if (one.name == "svg" && one.parent->name == "figure") {
                BOOST_CHECK_EQUAL(one.attribute("role"), "img");
                BOOST_CHECK_EQUAL(one.children.at(0)->name, "title");
                BOOST_CHECK_EQUAL(one.children.at(1)->name, "desc");
                const char* const table = one.parent->attribute("class") == "lead"
                                              ? "has all numbers."
                                              : "The table below the drawing has all numbers.";
                BOOST_CHECK_NE(one.children.at(1)->text.find(table), std::string::npos);
            }
            // No positive tabindex changes the order of the document.
            BOOST_CHECK(one.attribute("tabindex").empty() || one.attribute("tabindex") == "0");
        }
    }
    BOOST_CHECK_EQUAL(markup.count("h1"), 1);
    BOOST_CHECK_EQUAL(markup.count("main"), 1);
    BOOST_CHECK_EQUAL(markup.count("nav"), 1);
    BOOST_CHECK_EQUAL(markup.count("header"), 1);
    // Nine figures with a drawing and a table, the refused one, the first one again, and the table of facts.
    BOOST_CHECK_EQUAL(markup.count("figure"), 11);
    BOOST_CHECK_EQUAL(markup.count("table"), 10);
    // The first stop of the keyboard is the link to the results.
    const auto stops = [](const Markup::Element& one) {
        return one.name == "a" || one.name == "input" || one.name == "summary" ||
               !one.attribute("tabindex").empty();
    };
    const auto first = std::ranges::find_if(markup.all(), stops);
    BOOST_REQUIRE(first != markup.all().end());
    BOOST_CHECK_EQUAL(first->attribute("class"), "skip");
    BOOST_CHECK_EQUAL(first->attribute("href"), "#answers");
}

BOOST_AUTO_TEST_CASE(the_page_states_each_result_once_and_links_to_it) {
    const Markup markup(page());
    std::map<std::string, int> sentences;
    for (const Markup::Element& one : markup.all())
        if ((one.name == "dd" && one.parent->parent->parent->name == "nav") ||
            one.attribute("class") == "headline")
            if (one.attribute("class") != "difference") ++sentences[one.text];
    // At a glance and in its section.
    BOOST_CHECK_EQUAL(sentences.size(), 6);
    for (const auto& [sentence, times] : sentences) BOOST_CHECK_EQUAL(times, 2);
    const std::string html = page();
    // Intervals in sentences do not break.
    BOOST_CHECK_NE(html.find("(46\u2013\u206050)"), std::string::npos);
    // The unbiased estimate of a share below zero, exactly.
    BOOST_CHECK_NE(html.find("<data value=\"-0.01\">\u22121.0\u00A0%</data>"), std::string::npos);
    BOOST_CHECK_NE(html.find("<p class=\"refused\">too &lt;few&gt;</p>"), std::string::npos);
}

BOOST_AUTO_TEST_CASE(rows_can_be_saved_without_a_server) {
    const Markup markup(page());
    std::vector<const Markup::Element*> links;
    for (const Markup::Element& one : markup.all())
        if (!one.attribute("download").empty()) links.push_back(&one);
    BOOST_REQUIRE_EQUAL(links.size(), 9);
    std::string text, link = links[0]->attribute("href");
    link.erase(0, link.find(',') + 1);
    for (std::size_t i = 0; i < link.size(); ++i)
        if (link[i] == '%') {
            text += static_cast<char>(std::stoi(link.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else {
            text += link[i];
        }
    std::ostringstream csv;
    csv << csv_header;
    write_csv_rows(csv, mood());
    BOOST_CHECK_EQUAL(text, csv.str());
    BOOST_CHECK_NE(text.find("never,,,-0.01,0.01,"), std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_page_begins_with_the_news_and_ends_with_the_source) {
    const Markup markup(page());
    const auto of_class = [&](const std::string& name) {
        return std::ranges::find(markup.all(), name, [](const auto& one) { return one.attribute("class"); });
    };
    BOOST_REQUIRE(of_class("news") != markup.all().end());
    BOOST_CHECK_EQUAL(of_class("news")->text, "A change.");
    // A drawing and the warnings are before the text about the numbers.
    BOOST_CHECK(of_class("news") < of_class("lead") && of_class("lead") < of_class("warning"));
    BOOST_CHECK(of_class("warning") < of_class("overview"));
    BOOST_CHECK_EQUAL(of_class("dates")->text, "Estimated today.");
    BOOST_CHECK_EQUAL(of_class("warning")->text, "Caution: Look.");
    // The drawing is the one with a clear difference; it has no table of its own.
    BOOST_CHECK_NE(of_class("lead")->text.find("Shares of mood, round by round"), std::string::npos);
    BOOST_CHECK_NE(of_class("overview")->text.find("1,000 reports."), std::string::npos);
    BOOST_CHECK_EQUAL(markup.count("footer"), 1);
    const std::string html = page(), css(template_text("page.css"));
    for (const char* part : {"</strong> Reports of a survey.", "</strong> A survey."})
        BOOST_CHECK_NE(html.find(part), std::string::npos);
    BOOST_CHECK_NE(css.find("counter(page) \" of \" counter(pages)"), std::string::npos);
}

// Nobody spends 4 in four rounds if the devices stop at 2.
BOOST_AUTO_TEST_CASE(the_page_states_the_budget_of_a_group) {
    const auto of = [](const char* at_most) {
        const Collection c(
            resolve(R"({"mechanism": "grr", "epsilon": 1, "domain": 2, "budget": {"group": "acme",
            "epsilon": 5)" +
                    std::string(at_most) + "}}"));
        std::vector<std::byte> summary(summary_size(c.mechanism()));
        start_summary(c.mechanism(), summary);
        SystemRandom bits;
        for (int i = 0; i < 100; ++i)
            BOOST_REQUIRE((accumulate(c.mechanism(), summary, c.perturb({{0.0}}, bits).report,
                                      Rounds::only(1 + i % 4)) == Outcome::ok));
        Source source(c.spec(), {.groups = {{.summary = summary}}}, {.collection = "c"});
        const Document document = answers_of(source);
        const auto privacy = std::ranges::find(document.lead, "Privacy", &Fact::title);
        const auto promise = std::ranges::find(document.sections, "Privacy guarantee", &Section::title);
        BOOST_REQUIRE((privacy != document.lead.end() && promise != document.sections.end()));
        return unmarked(privacy->text + "\n" + promise->points.back());
    };
    const std::string all =
        "all collections of the group “acme” together cost a person at most ε\u00A0=\u00A0"
        "5";
    const std::string bound =
        " Then it is at most 99.34\u00A0% of cases. A suspicion of 1\u00A0% can become at most 60\u00A0%.";
    std::string text = of("");
    BOOST_TEST(text.find("each of 4 rounds spends ε\u00A0=\u00A0"
                         "4. Then it is at most 98.3\u00A0% of cases") != std::string::npos,
               text);
    BOOST_TEST(text.ends_with(all + "." + bound), text);
    text = of(R"(, "at_most": 2)");
    BOOST_TEST(text.find("in all rounds to ε\u00A0=\u00A0"
                         "2. Then it is at most 89\u00A0% of cases") != std::string::npos,
               text);
    BOOST_TEST(text.ends_with(all + ", and this one at most 2." + bound), text);
    text = of(R"(, "at_most": 1)");
    BOOST_TEST(text.find("in all rounds to ε\u00A0=\u00A0"
                         "1.") != std::string::npos,
               text);
}

BOOST_AUTO_TEST_CASE(colours_of_the_page_have_enough_contrast) {
    const std::string css(template_text("page.css"));
    const auto colours_after = [&](const std::string& selector) {
        const std::size_t begin = css.find(selector);
        BOOST_REQUIRE_NE(begin, std::string::npos);
        const std::string block = css.substr(begin, css.find('}', begin) - begin);
        std::map<std::string, std::string> found;
        for (std::size_t at = block.find("--"); at != std::string::npos; at = block.find("--", at + 2)) {
            const std::size_t colon = block.find(':', at), hash = block.find('#', colon);
            const std::size_t end = block.find_first_not_of("0123456789abcdef", hash + 1);
            found[block.substr(at + 2, colon - at - 2)] = block.substr(hash, end - hash);
        }
        return found;
    };
    const auto light = colours_after(":root {");
    const auto toggled = colours_after(":root:is([data-theme=\"dark\"], :has(#theme-dark:checked))");
    const auto preferred =
        colours_after(":root:not(:is([data-theme=\"light\"], :has(#theme-light:checked)))");
    BOOST_CHECK(toggled == preferred);
    for (const auto& theme : {light, toggled})
        for (const char* text : {"ink", "soft", "link"})
            for (const char* ground : {"paper", "wash"}) BOOST_TEST_CONTEXT(text << " on " << ground)
    BOOST_CHECK_GE(contrast(theme.at(text), theme.at(ground)), 4.5);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
