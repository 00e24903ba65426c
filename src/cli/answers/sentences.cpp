// What may be said of a collection beside its estimates: for people who know no statistics, and for those who
// have to answer for it.

#include <algorithm>
#include <cmath>

#include "accounting/posterior_odds.hpp"
#include "cli/answers/answer_sections.hpp"
#include "cli/answers/formatting.hpp"
#include "core/base/text.hpp"
#include "core/mechanism/mechanism.hpp"
#include "core/summary/pooling.hpp"

namespace ldp::cli {

namespace {

/// Reports are looked at by so many tests that one in a thousand is no news.
constexpr double noticeable = 1e-3, alarming = 1e-6;
/// The share of forged reports that is told of.
constexpr double forged = 0.01;

std::string percent(double share) {
    return rounded(std::round(1000 * share) / 10) + "\u00A0%";
}

std::string reports(std::uint64_t count) {
    return grouped(count) + (count == 1 ? " report" : " reports");
}

/// What lies in a range, or is one of some values.
std::string values_of(const Attribute& attribute) {
    if (attribute.of_numbers()) {
        const std::string range = rounded(attribute.min) + " to " + rounded(attribute.max);
        return attribute.binned() ? range + ", in " + std::to_string(attribute.domain) + " bins" : range;
    }
    std::string text = grouped(attribute.domain) + " values";
    if (attribute.labels.empty()) return text;
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < std::min(most, attribute.labels.size()); ++i)
        text += (i == 0 ? ": " : ", ") + name(attribute.labels[i], 30);
    return attribute.labels.size() > most ? text + ", \u2026" : text;
}

/// What people were asked.
Section collected(const Source& source) {
    const Spec& spec = source.spec();
    Section section{.title = "What was collected"};
    Table table{.title = "Attributes", .header = {{"attribute", true}, {"values", true}}};
    const bool drawn =
        std::ranges::any_of(spec.attributes(), [](const Attribute& one) { return !one.mechanism.empty(); });
    if (drawn) table.header.push_back({"randomized by", true});
    for (const Attribute& attribute : spec.attributes()) {
        std::vector<Cell> row{{name(attribute.name)}, {values_of(attribute)}};
        if (attribute.derived()) row[1].text += ", the product of others, made on the device";
        if (drawn) row.push_back({attribute.mechanism});
        table.rows.push_back(std::move(row));
    }
    section.paragraphs.push_back("Each report was randomized on a person\u2019s own device by \u201C" +
                                 std::string(spec.mechanism().name) + "\u201D (" + spec.mechanism().title +
                                 ") before it was sent. No server ever had what people really answered.");
    if (spec.chosen())
        section.paragraphs.push_back("The method was chosen automatically: " + spec.chosen()->reason + ".");
    section.tables.push_back(std::move(table));
    return section;
}

/// What they were promised, in plain words, and what it cost them.
Section promise(const Source& source) {
    const Spec& spec = source.spec();
    const double epsilon = spec.epsilon();
    const bool series = spec.mechanism().series;
    Section section{.title = "What people were promised"};
    section.paragraphs = {
        "Privacy loss: \u03B5 = " + rounded(epsilon) +
            (spec.delta() == 0 ? "" : ", \u03B4 = " + shortest(spec.delta())) +
            (series ? " for all rounds of a person\u2019s series together." : " for a report."),
        "Whatever a person\u2019s true " + std::string(series ? "series of values" : "answer") +
            " is, anything they may send is at most e^\u03B5 = " + reported_factor(odds_factor(epsilon)) +
            " times as likely under it as under any other. Who holds two answers to be equally likely, and "
            "then "
            "sees what the person sent, can guess right in " +
            reported_percent(right_guess(epsilon, spec.delta())) + "\u00A0%" +
            " of all cases at most, instead of 50\u00A0%. Who gave an answer a chance of 1\u00A0% before can "
            "give "
            "it " +
            reported_percent(posterior(0.01, epsilon)) + "\u00A0% at most afterwards."};
    if (spec.delta() != 0)
        section.paragraphs.push_back(
            "All this holds but for a probability of \u03B4 = " + shortest(spec.delta()) +
            " a report, with which one may tell more, in the worst case everything.");
    section.points = {
        "This holds for everybody who looks, the server and its operators included, and whatever else they "
        "know.",
        "It covers what the report says. It does not hide who took part, when, from which address, or what "
        "stands in other columns of the table.",
        "It does not stop people from lying, or others from sending made-up reports: see \u201CWhether to "
        "trust it\u201D."};
    if (series) {
        section.points.emplace_back("When a value changed is protected as well as what it was.");
    } else if (spec.evolving()) {
        const auto most = std::min(spec.budget()->epsilon,
                                   epsilon * static_cast<double>(std::min(source.mechanism().most_keys(),
                                                                          spec.budget()->answers(epsilon))));
        section.points.push_back(
            "People report again and again. An answer that comes back is repeated from memory and costs "
            "nothing; each new one costs " +
            rounded(epsilon) + ", and nobody spends more than " + rounded(most) + " in all: a factor of " +
            reported_factor(odds_factor(most)) + " at most.");
        section.points.emplace_back("That somebody\u2019s answer changed, and when, can be seen.");
    } else {
        section.points.push_back("Each report costs \u03B5 again: who reports twice has spent " +
                                 rounded(2 * epsilon) + (spec.delta() == 0 ? "" : ", twice \u03B4 as well") +
                                 ", a factor of " + reported_factor(odds_factor(2 * epsilon)) + ".");
    }
    return section;
}

/// Whether the reports look like those of honest devices.
Table health(Source& source, bool& alarm) {
    Table table{.title = "Do the reports look honest?",
                .header = {{"statistic", true}, {"observed"}, {"expected"}, {"p-value"}}};
    double least = 1;
    source.ask(table, "SELECT * FROM ldp_health({summary})", [&](const pq::Row& row) {
        const double observed = number(row, "observed"), expected = number(row, "expected"),
                     p = number(row, "p_value");
        least = std::min(least, std::isnan(p) ? 1 : p);
        table.rows.push_back({{text(row, "statistic")},
                              {rounded(observed), observed},
                              {rounded(expected), expected},
                              {rounded(p), p}});
    });
    if (table.rows.empty()) return table;
    least *= static_cast<double>(table.rows.size());  // of so many tests
    alarm = least < alarming;
    table.about =
        alarm ? "No. Reports of honest devices would hardly ever look like this: some were made by something "
                "else than the randomizer."
        : least < noticeable
            ? "Honest reports would rarely look like this. It may be chance; look again when there are more."
            : "Nothing speaks against it. That says little: well-made forgeries do not show.";
    return table;
}

/// Signs of liars, and how far they get.
Section trust(Source& source, bool& alarm) {
    Section section{.title = "Whether to trust it"};
    if (source.view()) section.tables.push_back(health(source, alarm));
    Table bias{.title = "If one report in a hundred were forged",
               .header = {{"attribute", true}, {"down by"}, {"up by"}}};
    bias.about = "The furthest that forgers could move an estimate at most, whatever they send.";
    source.ask(bias, "SELECT * FROM ldp_influence(ldp_client_spec({name}), " + shortest(forged) + ")",
               [&](const pq::Row& row) {
                   const double down = number(row, "down"), up = number(row, "up");
                   if (std::isnan(down)) return;  // nothing is told of it
                   const auto found = std::ranges::find(source.spec().attributes(), text(row, "attribute"),
                                                        &Attribute::name);
                   const bool share = found == source.spec().attributes().end() || !found->numeric();
                   bias.rows.push_back({{name(text(row, "attribute"))},
                                        {shown(std::abs(down), std::abs(down), share), down},
                                        {shown(up, up, share), up}});
               });
    if (!bias.rows.empty() || !bias.refused.empty()) section.tables.push_back(std::move(bias));
    return section;
}

/// The errors that the spec let expect, beside those that came out.
Section planned(const Source& source, const Section& figures) {
    struct Errors {
        double squares = 0, count = 0;
    };
    const auto& attributes = source.spec().attributes();
    const bool series = source.spec().mechanism().series;
    std::vector<Errors> found(attributes.size());
    for (const Figure& figure : figures.figures)
        for (const Row& row : figure.rows)
            if (row.attribute && std::isfinite(row.error)) {
                Errors& errors = found[series ? 0 : *row.attribute];
                errors.squares += row.error * row.error;
                ++errors.count;
            }
    Section section{.title = "How sure the answers are"};
    Table table{.title = "Planned, and what came out",
                .header = {{"attribute", true}, {"expected"}, {"came out"}, {"ratio"}}};
    const auto view = source.view();
    if (source.asked().target != "sample" || !view) return section;
    for (std::size_t j = 0; j < attributes.size(); ++j) {
        if (found[j].count == 0) continue;
        const bool share = !attributes[j].numeric();
        const double unit = share ? 1 : (attributes[j].max - attributes[j].min) / 2;
        double variance = source.mechanism().expected_variance(j);
        if (series) {
            variance = 0;
            const std::size_t rounds = source.mechanism().cells().size();
            for (std::size_t t = 0; t < rounds; ++t)
                variance += source.mechanism().expected_variance(t) / static_cast<double>(rounds);
        }
        const double expected = unit * std::sqrt(variance / static_cast<double>(view->n));
        const double came = std::sqrt(found[j].squares / found[j].count);
        table.rows.push_back({{name(attributes[j].name)},
                              {shown(expected, expected, share), expected},
                              {shown(came, came, share), came},
                              {rounded(std::round(1000 * came / expected) / 1000)}});
    }
    if (table.rows.empty()) return section;
    table.about =
        "Standard errors: what the spec let expect of so many reports before there was any, and what the "
        "reports led to. "
        "Of shares the root mean square of all values; of a mean the expectation is that of the worst case.";
    section.tables.push_back(std::move(table));
    return section;
}

}  // namespace

Document answers_of(Source& source) {
    const Spec& spec = source.spec();
    const auto view = source.view();
    const std::string collection = name(source.asked().collection, 60);
    Document document{.title = "Answers of \u201C" + collection + "\u201D"};
    std::vector<std::string> asked;
    for (const Attribute& attribute : spec.attributes())
        if (!attribute.derived()) asked.push_back(name(attribute.name, 40));
    constexpr std::size_t most = 6;
    if (asked.size() > most) {
        const std::size_t more = asked.size() - most;
        asked.resize(most);
        asked.push_back("and " + std::to_string(more) + " more");
    }
    const std::string about = " about " + joined(asked);
    const std::string round =
        source.asked().round ? " of round " + std::to_string(*source.asked().round) : "";
    if (!view || view->n == 0) {
        document.lead.push_back("There are no reports" + round + about + ", or fewer than " +
                                std::to_string(spec.min_group()) +
                                ", which is too few for this role to see what they add up to.");
    } else {
        std::string from =
            reports(view->n) + round + about +
            ", each randomized on a person\u2019s own device at \u03B5 = " + rounded(spec.epsilon()) +
            (spec.delta() == 0 ? "" : " and \u03B4 = " + shortest(spec.delta()));
        if (view->rounds.recorded() && view->rounds.most() > 1 && !source.asked().round)
            from += "; rounds " + std::to_string(view->rounds.first) + " to " +
                    std::to_string(view->rounds.last) + ", from " + grouped(fewest_people(*view)) +
                    " people or more";
        document.lead.push_back(from + ".");
        document.lead.push_back("The interval beside each estimate holds, with a probability of " +
                                percent(source.asked().confidence) +
                                (source.asked().target == "sample"
                                     ? ", what is true of those who reported."
                                     : ", what is true of all those from whom they were drawn."));
        const std::string why = note(*view);
        if (!why.empty()) document.lead.push_back("Note: " + why + ".");
        document.sections.push_back(figures_of(source));
        document.sections.push_back(planned(source, document.sections.front()));
    }
    document.sections.push_back(collected(source));
    document.sections.push_back(promise(source));
    bool alarm = false;
    document.sections.push_back(trust(source, alarm));
    if (alarm)
        document.lead.emplace_back(
            "Warning: some of these reports do not look as if honest devices had made them, and estimates "
            "may "
            "be far off. See \u201CWhether to trust it\u201D.");
    std::erase_if(document.sections, [](const Section& section) {
        return section.paragraphs.empty() && section.figures.empty() && section.tables.empty();
    });
    return document;
}

}  // namespace ldp::cli
