// Long texts with names in them.

#include "cli/template.hpp"

#include <stdexcept>

#include "client_support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(templates)

using namespace ldp::cli;

namespace {

std::string loud(std::string_view text) {
    return "!" + std::string(text);
}
std::string fill(std::string_view text, const Fields& fields) {
    return filled(text, fields, loud);
}

}  // namespace

BOOST_AUTO_TEST_CASE(values_are_escaped_unless_they_are_markup) {
    const Fields fields{.values = {{"a", "<"}, {"b", "{{a}}"}}};
    BOOST_CHECK_EQUAL(fill("", fields), "");
    BOOST_CHECK_EQUAL(fill("x {{a}} {{{a}}} y", fields), "x !< < y");
    // A value is no template.
    BOOST_CHECK_EQUAL(fill("{{{b}}}", fields), "{{a}}");
    BOOST_CHECK_EQUAL(fill("e^{{a}}, ${a} { {a} }", fields), "e^!<, ${a} { {a} }");
}

BOOST_AUTO_TEST_CASE(sections_repeat) {
    Fields fields{.values = {{"a", "outer"}}};
    fields.sections["list"] = {{.values = {{"b", "1"}}}, {.values = {{"a", "inner"}, {"b", "2"}}}};
    fields.sections["none"] = {};
    BOOST_CHECK_EQUAL(fill("{{#list}}[{{b}} {{a}}]{{/list}}{{a}}", fields), "[!1 !outer][!2 !inner]!outer");
    BOOST_CHECK_EQUAL(fill("{{#none}}{{#list}}{{absent}}{{/list}}{{/none}}.", fields), ".");
    BOOST_CHECK_EQUAL(fill("{{^none}}nothing{{/none}}{{^list}}something{{/list}}", fields), "nothing");
    fields.show("shown", true);
    fields.show("hidden", false);
    BOOST_CHECK_EQUAL(fill("{{#shown}}{{#list}}{{b}}{{/list}}{{/shown}}{{#hidden}}x{{/hidden}}", fields),
                      "!1!2");
}

BOOST_AUTO_TEST_CASE(a_line_with_a_section_alone_leaves_none) {
    Fields fields;
    fields.sections["list"] = {{}, {}};
    fields.sections["none"] = {};
    BOOST_CHECK_EQUAL(fill("a\n{{#list}}\nb\n{{/list}}\nc\n", fields), "a\nb\nb\nc\n");
    BOOST_CHECK_EQUAL(fill("a\n{{#none}}\nb\n{{/none}}\nc\n", fields), "a\nc\n");
    BOOST_CHECK_EQUAL(fill("a {{#list}}\nb{{/list}}\nc\n", fields), "a \nb\nb\nc\n");
}

BOOST_AUTO_TEST_CASE(faulty_templates_are_refused) {
    Fields fields{.values = {{"a", "1"}}};
    fields.show("s", true);
    for (const char* text : {"{{b}}", "{{{b}}}", "{{a", "{{{a}}", "{{#s}}", "{{/s}}", "{{#s}}{{/t}}{{/s}}",
                             "{{#t}}{{/t}}", "{{^t}}{{/t}}", "{{}}"})
        BOOST_CHECK_THROW((void)fill(text, fields), std::logic_error);
    BOOST_CHECK_THROW((void)template_text("nothing.md"), std::logic_error);
}

BOOST_AUTO_TEST_CASE(the_build_has_all_files) {
    for (const char* name : {"assessment.md", "consent.md", "ldp.1", "ldp.bash", "ldp.fish", "ldp.zsh",
                             "page.css", "page.html", "page_cell.html", "page_table.html", "summary.md"}) {
        const std::string_view text = template_text(name);
        BOOST_CHECK(!text.empty() && text.back() == '\n');
    }
    BOOST_CHECK(template_text("page.html").starts_with("<!DOCTYPE html>\n"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
