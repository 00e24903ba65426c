// The response to a collection: people who were asked, reports, and the share who answer each question.

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/answers/answer_sections.hpp"
#include "core/base/text.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/summary/pooling.hpp"
#include "figures/figure_numbers.hpp"
#include "figures/formatting.hpp"

namespace ldp::cli {

namespace {

std::string rate_of(std::uint64_t people, std::uint64_t asked) {
    return with_digits(100 * static_cast<double>(people) / static_cast<double>(asked), 1) + "\u00A0%";
}

std::string people(std::uint64_t count) {
    return grouped(count) + (count == 1 ? " person was" : " people were");
}

/// The number of reports that the first figure of a question used; empty if its rows have different ones.
std::string reports_used(const std::vector<Section>& questions, const std::string& title) {
    const auto found = std::ranges::find(questions, title, &Section::title);
    if (found == questions.end() || found->figures.empty() || found->figures[0].rows.empty()) return {};
    const auto& rows = found->figures[0].rows;
    const bool same = std::ranges::all_of(rows, [&](const Row& row) { return row.n == rows[0].n; });
    return same ? rows[0].n : std::string();
}

/// Whether people may have sent reports in several of the rounds that the results cover.
bool in_rounds(const Source& source, const SummaryView& view) {
    return !source.round() && view.rounds.recorded() && view.rounds.most() > 1;
}

/// The people who were asked in the only round of the results, or in each of several rounds.
std::optional<std::uint64_t> people_asked(const Source& source, const SummaryView& view) {
    std::optional<std::int32_t> round = source.round();
    if (!round && view.rounds.recorded() && view.rounds.most() == 1) round = view.rounds.first;
    return source.spec().texts().asked_in(round);
}

/// The reports of each round, beside the people who were asked in it.
Table by_round(Source& source) {
    Table table{.title = "Response by round",
                .header = {{"round", true}, {"people asked"}, {"reports"}, {"response rate"}}};
    table.sql = source.spelled("SELECT g.name, ldp_count(g.summary) AS reports FROM {groups}", "round");
    for (const auto& [round, count] : source.reports_by_round()) {
        const std::optional<std::uint64_t> asked = source.spec().texts().asked_in(round);
        table.rows.push_back({{std::to_string(round)},
                              {asked ? grouped(*asked) : "not stated"},
                              {grouped(count), static_cast<double>(count)},
                              {asked ? rate_of(count, *asked) : "unknown"}});
    }
    return table;
}

/// The estimated shares of people who answer, by attribute; none without attributes that may be missing.
std::map<std::size_t, std::string> answer_rates(Source& source) {
    const auto& attributes = source.spec().attributes();
    std::map<std::size_t, std::string> rates;
    if (std::ranges::none_of(attributes, may_be_missing)) return rates;
    Figure figure{.title = "Shares of people who answer", .shares = true};
    std::vector<std::size_t> about;
    source.ask(figure, "", source.statistics("{summary}", "response_rate").find, [&](const NamedRow& row) {
        about.push_back(static_cast<std::size_t>(number(row, "attribute_number")));
        figure.rows.push_back(row_of(row));
    });
    const FigureNumbers numbers(figure);
    for (std::size_t i = 0; i < about.size(); ++i)
        rates[about[i]] = numbers.estimate_and_interval(figure.rows[i]);
    return rates;
}

/// The reports about each question.
Table by_question(Source& source, const SummaryView& view, const std::vector<Section>& questions) {
    Table table{.title = "Response by question", .header = {{"question", true}, {"reports"}}};
    const std::map<std::size_t, std::string> rates = answer_rates(source);
    if (!rates.empty()) table.header.push_back({"share who answer"});
    bool differ = false, together = false;
    for (const auto& [j, count, own] : counts_by_question(source, questions)) {
        together = together || own;
        differ = differ || count != view.n;
        std::vector<Cell> row{{source.called_whole(j, 200)},
                              {grouped(count), own ? NAN : static_cast<double>(count)}};
        if (!rates.empty()) row.push_back({rates.contains(j) ? rates.at(j) : std::string("not estimated")});
        table.rows.push_back(std::move(row));
    }
    if (!differ && rates.empty()) table.rows.clear();
    if (differ)
        table.about =
            "Each report is about some of the questions, which the device draws at random. "
            "Few reports about a question are therefore no sign of refused answers.";
    if (together)
        table.about +=
            " Reports about several questions together count for each. The query counts reports about any of these "
            "questions.";
    const std::string round = source.round() ? ", " + std::to_string(*source.round()) : "";
    if (source.of_collection()) table.sql = source.spelled("SELECT * FROM ldp_response({name}" + round + ")");
    return table;
}

}  // namespace

std::vector<QuestionCount> counts_by_question(const Source& source, const std::vector<Section>& questions) {
    std::vector<QuestionCount> counts;
    const auto view = source.view();
    const auto& attributes = source.spec().attributes();
    for (std::size_t j = 0; view && j < attributes.size(); ++j) {
        if (attributes[j].derived()) continue;
        if (j > 0 && !attributes[j].vector.empty() && attributes[j - 1].vector == attributes[j].vector)
            continue;
        QuestionCount one{j, part(*view, j).n, false};
        // The reports about several attributes together: of one attribute, only some of them.
        if (find_capability<JointViews>(source.reporter(j)) != nullptr)
            if (const std::string used = reports_used(questions, source.called_whole(j));
                !used.empty() && std::stoull(used) != one.reports)
                one = {j, std::stoull(used), true};
        counts.push_back(one);
    }
    return counts;
}

std::string response_of(const Source& source) {
    const auto view = source.view();
    const auto asked = view ? people_asked(source, *view) : std::nullopt;
    if (!asked) return "It is not known how many people were asked, and how many refused.";
    const bool rounds = in_rounds(source, *view);
    const std::uint64_t found = rounds ? fewest_people(*view) : view->n;
    const std::string when = rounds           ? "In each round, "
                             : source.round() ? "In round " + std::to_string(*source.round()) + ", "
                                              : "";
    std::string text = when + people(*asked) + " asked; ";
    if (found > *asked)
        return text + "the reports are more, so people reported repeatedly, or the number is out of date.";
    return text + "the response rate is " + rate_of(found, *asked) + (rounds ? " or more." : ".");
}

Section response_section(Source& source, const std::vector<Section>& questions) {
    Section section{.title = "Response"};
    const auto view = source.view();
    if (!view) return section;
    if (people_asked(source, *view)) section.paragraphs.push_back(response_of(source));
    const SpecTexts& texts = source.spec().texts();
    if ((in_rounds(source, *view) || !source.earlier_rounds().empty()) && source.has_rounds() &&
        (texts.people_asked || !texts.people_asked_by_round.empty()))
        section.tables.push_back(by_round(source));
    if (!enough(*view)) return section;
    if (Table table = by_question(source, *view, questions); !table.rows.empty())
        section.tables.push_back(std::move(table));
    return section;
}

}  // namespace ldp::cli
