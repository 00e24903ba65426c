// The sections after the questions: precision, collection, privacy guarantee and diagnostics.
// Length: a function for each section, which share the wording of privacy costs.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <span>
#include <tuple>

#include "accounting/posterior_odds.hpp"
#include "cli/answers/answer_sections.hpp"
#include "cli/answers/clear_differences.hpp"
#include "cli/answers/formatting.hpp"
#include "cli/answers/results.hpp"
#include "core/base/text.hpp"
#include "core/budget/spent.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/mechanism.hpp"
#include "core/mechanism/spent_signal.hpp"
#include "core/spec/attributes.hpp"
#include "core/spec/response_count.hpp"
#include "core/summary/pooling.hpp"

namespace ldp::cli {

namespace {

/// The diagnostics are several tests, so one p-value of 0.001 is not unusual.
constexpr double noticeable = 1e-3, alarming = 1e-6;
/// The share of forged reports in the table of their largest shift.
constexpr double forged = 0.01;

/// "2026-03-02" as "2 March 2026".
std::string day(const std::string& iso) {
    static constexpr const char* months[] = {"January",   "February", "March",    "April",
                                             "May",       "June",     "July",     "August",
                                             "September", "October",  "November", "December"};
    const std::size_t month = iso.size() == 10 ? std::strtoul(iso.c_str() + 5, nullptr, 10) : 0;
    if (month < 1 || month > 12) return iso;
    return std::to_string(std::strtoul(iso.c_str() + 8, nullptr, 10)) + " " + months[month - 1] + " " +
           iso.substr(0, 4);
}

std::string reports(std::uint64_t count) {
    return grouped(count) + (count == 1 ? " report" : " reports");
}

/// Whether an attribute is no element of a vector, or its first one.
bool is_first_element(const Spec& spec, const Attribute& attribute) {
    return attribute.vector.empty() || &attribute == spec.attributes().data() ||
           (&attribute)[-1].vector != attribute.vector;
}

/// The range, or the values, of an attribute.
std::string values_of(const Source& source, std::size_t j) {
    const Attribute& attribute = source.spec().attributes()[j];
    const std::string unit = source.unit(j);
    if (attribute.of_numbers()) {
        const std::string range =
            rounded(attribute.min) + " to " + rounded(attribute.max) + (unit.empty() ? "" : "\u00A0" + unit);
        return attribute.binned() ? range + ", in " + std::to_string(attribute.domain) + " bins" : range;
    }
    if (attribute.strings)
        return "text, of which at most the first " + std::to_string(attribute.strings->longest) +
               " characters";
    std::string text = attribute.several() ? "up to " + grouped(attribute.most) + " of " +
                                                 grouped(attribute.domain) + " labels"
                                           : grouped(attribute.domain) + " values";
    if (attribute.labels.empty()) return text;
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < std::min(most, attribute.labels.size()); ++i)
        text += (i == 0 ? ": " : ", ") + name(source.display_text(j, attribute.labels[i]), 30);
    return attribute.labels.size() > most ? text + ", \u2026" : text;
}

/// The same of a vector, whose elements have one range or each their own.
std::string values_of_vector(const Source& source, std::size_t first, std::size_t size) {
    const auto elements = std::span(source.spec().attributes()).subspan(first, size);
    const std::string count = grouped(elements.size()) + " numbers";
    const auto same = [&](const Attribute& one) {
        return one.min == elements[0].min && one.max == elements[0].max;
    };
    if (std::ranges::all_of(elements, same)) return count + ", each " + values_of(source, first);
    std::string text = count;
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < std::min(most, elements.size()); ++i)
        text += (i == 0 ? ": " : ", ") + name(source.label_of(first + i), 30) + " " +
                values_of(source, first + i);
    return elements.size() > most ? text + ", \u2026" : text;
}

/// The attributes and their randomization.
Section collected(const Source& source) {
    const Spec& spec = source.spec();
    Section section{.title = "Collection"};
    Table table{.title = "Attributes", .header = {{"attribute", true}, {"values", true}}};
    const bool drawn =
        std::ranges::any_of(spec.attributes(), [](const Attribute& one) { return !one.mechanism.empty(); });
    if (drawn) table.header.push_back({"randomized by", true});
    for (std::size_t j = 0; j < spec.attributes().size(); ++j) {
        const Attribute& attribute = spec.attributes()[j];
        if (!is_first_element(spec, attribute)) continue;
        const bool vector = !attribute.vector.empty();
        const auto count = static_cast<std::size_t>(
            std::ranges::count(spec.attributes(), attribute.vector, &Attribute::vector));
        std::vector<Cell> row{{source.called_whole(j, 200)},
                              {vector ? values_of_vector(source, j, count) : values_of(source, j)}};
        if (!source.texts(j).title.empty()) row[0].note = name(vector ? attribute.vector : attribute.name);
        if (attribute.derived()) row[1].text += ", a product of others that the device computes";
        if (drawn) row.push_back({attribute.mechanism});
        table.rows.push_back(std::move(row));
    }
    section.paragraphs.push_back("Each report was randomized on a person\u2019s own device by \u201C" +
                                 std::string(spec.mechanism().name) + "\u201D (" + spec.mechanism().title +
                                 ") before it was sent. No server received the true answers.");
    if (spec.chosen())
        section.paragraphs.push_back("The method was chosen automatically: " + spec.chosen()->reason + ".");
    section.tables.push_back(std::move(table));
    return section;
}

/// The budget that a collection shares with others; empty if it has none.
std::string shared_budget(const Spec& spec, const Mechanism& mechanism) {
    if (!spec.budget() || !spec.budget()->group) return {};
    const BudgetGroup& group = *spec.budget()->group;
    const double most = most_epsilon(spec, mechanism);
    return "The devices limit the total cost: all collections of the group \u201C" + name(group.name) +
           "\u201D together cost a person at most \u03B5\u00A0=\u00A0" + rounded(group.epsilon) +
           (most < group.epsilon ? ", and this one at most " + rounded(most) + "." : ".");
}

/// The largest probability that a suspicion of 1 % can become.
std::string suspicion(double epsilon) {
    return reported_percent(posterior(0.01, epsilon)) + "\u00A0%";
}

/// The bound of a factor of odds, with separators of thousands: "163,000".
std::string factor(double epsilon) {
    std::string text = reported_factor(odds_factor(epsilon));
    if (text.find('e') != std::string::npos) return text;
    for (std::size_t at = std::min(text.find('.'), text.size()); at > 3;) text.insert(at -= 3, 1, ',');
    return text;
}

/// A sentence about a cost at which almost any suspicion can become almost certain; else empty.
std::string weak(double epsilon) {
    return posterior(0.01, epsilon) > 0.9 ? " In the worst case, this gives little protection." : "";
}

/// The privacy guarantee in words and in odds, and its limits.
Section promise(const Source& source) {
    const Spec& spec = source.spec();
    const double epsilon = spec.epsilon();
    const SeriesParts* parts = series_parts(source.mechanism());
    const bool some = parts != nullptr;  // of the attributes are series
    const bool series = spec.mechanism().series || (some && parts->only_series());
    Section section{.title = "Privacy guarantee"};
    section.paragraphs = {
        "Privacy loss: \u03B5\u00A0=\u00A0" + rounded(epsilon) +
            (spec.delta() == 0 ? "" : ", \u03B4\u00A0=\u00A0" + shortest(spec.delta())) +
            (series ? " for all rounds of a person\u2019s series together." : " for a report."),
        "For any two true " + std::string(series ? "series of values" : "answers") +
            ", the probabilities of a report differ by a factor of at most e^\u03B5\u00A0=\u00A0" +
            factor(epsilon) +
            ". Suppose that an observer considers two answers equally likely. With the report, the observer "
            "guesses "
            "right in at most " +
            reported_percent(right_guess(epsilon, spec.delta())) +
            "\u00A0% of all cases, instead of 50\u00A0%. An answer with a probability of 1\u00A0% before the "
            "report "
            "has one of at most " +
            reported_percent(posterior(0.01, epsilon)) + "\u00A0% after it."};
    if (spec.delta() != 0)
        section.paragraphs.push_back(
            "With a probability of at most \u03B4\u00A0=\u00A0" + shortest(spec.delta()) +
            " a report, this guarantee does not hold, and a report may reveal everything.");
    section.points = {
        "The guarantee holds against every observer, including the operators of the server, with any "
        "background "
        "knowledge.",
        "It covers the content of the report. It does not hide who took part, when, from which address, or "
        "the other "
        "columns of the table.",
        "It does not prevent false answers or forged reports: see \u201CDiagnostics\u201D."};
    if (series) {
        section.points.emplace_back("It covers the values and the times of their changes.");
    } else if (spec.evolving()) {
        const Mechanism& mechanism = source.mechanism();
        const double signal = has_signal(mechanism) ? signal_epsilon(mechanism) : 0;
        const double most = most_epsilon(spec, mechanism);
        section.points.push_back(
            "People report repeatedly. The response to an answer that returns is repeated from memory at no cost. "
            "Each new response costs " +
            rounded(epsilon) + ", and no person spends more than " + rounded(most) +
            " in all: a factor of at most " + factor(most) + ".");
        section.points.emplace_back(
            some ? "Some attributes are time series. The guarantee covers all values of "
                   "the series and the times of their changes together. Of the other "
                   "attributes, an observer can see that an answer changed, and when."
                 : "An observer can see that an answer changed, and when.");
        if (signal > 0)
            section.points.push_back(
                "Each report also has a randomized bit that says whether the person\u2019s budget is spent. It "
                "costs " +
                rounded(signal) + ", once, with the first report. This is part of the sum above.");
    } else {
        section.points.push_back("Each report costs \u03B5 again: a person with two reports has spent " +
                                 rounded(2 * epsilon) + (spec.delta() == 0 ? "" : ", twice \u03B4 as well") +
                                 ", a factor of " + factor(2 * epsilon) + ".");
    }
    if (std::string shared = shared_budget(spec, source.mechanism()); !shared.empty())
        section.points.push_back(std::move(shared));
    return section;
}

/// Tests whether honest devices could have made the reports. The tests assume one report per person. If
/// memoized responses repeat, the reports of each round are tested, and the smallest p-value of a statistic
/// is multiplied by the number of rounds.
Table health(Source& source, bool& alarm) {
    const auto view = source.view();
    const bool by_round = view && (repeats(*view) || !source.earlier_rounds().empty());
    Table table{.title = "Tests of the reports",
                .header = {{"statistic", true}, {"observed"}, {"expected"}, {"p-value"}}};
    if (by_round && !source.has_rounds()) return table;
    if (by_round) table.header.push_back({"round"});
    double least = 1;
    // Of each statistic the round with the least p-value, corrected for the number of rounds.
    struct LeastStatistic {
        double observed, expected, p;
        std::string round;
        double count = 0;
    };
    std::map<std::string, LeastStatistic> found;
    std::vector<std::string> order;
    source.ask(
        table,
        by_round ? "SELECT DISTINCT ON (h.statistic) h.statistic, h.observed, h.expected, "
                   "least(1, h.p_value * count(*) OVER (PARTITION BY h.statistic)) AS p_value, g.name AS "
                   "round FROM {groups}, ldp_health(g.summary) AS h "
                   "ORDER BY h.statistic, h.p_value, g.name::integer"
                 : "SELECT * FROM ldp_health({summary})",
        [](const Subject& whole) { return accessors::health(whole, {}); },
        [&](const NamedRow& row) {
            const LeastStatistic one{number(row, "observed"), number(row, "expected"), number(row, "p_value"),
                                     text(row, "name")};
            const auto [at, first] = found.emplace(text(row, "statistic"), one);
            if (first) order.push_back(at->first);
            const double count = at->second.count + 1;
            // As in SQL, an unknown number is the largest one.
            const auto order_of = [](const LeastStatistic& statistic) {
                return std::tuple(std::isnan(statistic.p), std::isnan(statistic.p) ? 0 : statistic.p,
                                  std::strtol(statistic.round.c_str(), nullptr, 10));
            };
            if (order_of(one) < order_of(at->second)) at->second = one;
            at->second.count = count;
        },
        by_round ? "round" : "");
    if (by_round) std::ranges::sort(order);
    for (const std::string& statistic : order) {
        const auto& [observed, expected, least_p, round, count] = found[statistic];
        // As in SQL, the least of 1 and an unknown number is 1.
        const double p = !by_round ? least_p : least_p * count < 1 ? least_p * count : 1.0;
        least = std::min(least, std::isnan(p) ? 1 : p);
        table.rows.push_back(
            {{statistic}, {rounded(observed), observed}, {rounded(expected), expected}, {rounded(p), p}});
        if (by_round) table.rows.back().push_back({round});
    }
    if (table.rows.empty()) return table;
    least *= static_cast<double>(table.rows.size());  // a bound over all tests
    alarm = least < alarming;
    table.about =
        alarm ? "Honest devices would hardly ever cause such a result. Some reports were not made by the "
                "randomizer."
        : least < noticeable
            ? "Honest reports rarely have such a result. It may be chance: repeat the test with more reports."
            : "The tests found no sign of forged reports. They cannot find well-made forgeries.";
    table.about +=
        " A test alarms only if its p-value, multiplied by the number of rows, is below 0.001, even if the observed number "
        "differs from the expected one.";
    if (by_round)
        table.about +=
            " Each round was tested; a row has the round with the smallest p-value, multiplied by the number "
            "of rounds.";
    return table;
}

/// Signs of forged reports, and their largest effect.
Section trust(Source& source, bool& alarm) {
    Section section{.title = "Diagnostics"};
    if (source.view()) section.tables.push_back(health(source, alarm));
    Table bias{.title = "Effect of forged reports", .header = {{"attribute", true}, {"down by"}, {"up by"}}};
    bias.about = "The largest shift of an estimate if one report in a hundred is forged, with any content.";
    bias.sql =
        source.spelled("SELECT * FROM ldp_influence(ldp_client_spec({name}), " + shortest(forged) + ")");
    const auto& attributes = source.spec().attributes();
    for (std::size_t j = 0; j < attributes.size(); ++j) {
        const auto [down, up] = source.mechanism().promised_bias(j, forged);
        if (std::isnan(down)) continue;  // there is no bound
        const bool share = !attributes[j].numeric();
        const auto size = [](double shift, bool of_share) {
            return of_share ? shown(100 * shift, 100 * shift, false) + "\u00A0points"
                            : shown(shift, shift, false);
        };
        // Elements with one range have one bound.
        const auto same = [&](std::size_t other) {
            if (other >= attributes.size() || attributes[j].vector.empty() ||
                attributes[other].vector != attributes[j].vector)
                return false;
            const Interval bound = source.mechanism().promised_bias(other, forged);
            return bound.lower == down && bound.upper == up;
        };
        if (j > 0 && same(j - 1)) continue;
        bias.rows.push_back(
            {{same(j + 1) ? "each element of " + source.called_whole(j, 200) : source.called(j, 200)},
             {size(std::abs(down), share), down},
             {size(up, share), up}});
    }
    if (!bias.rows.empty()) section.tables.push_back(std::move(bias));
    return section;
}

/// The errors that the spec predicts, beside the estimated ones.
Section planned(const Source& source, const std::vector<Section>& questions) {
    struct Errors {
        double squares = 0, count = 0;
    };
    const auto& attributes = source.spec().attributes();
    std::vector<Errors> found(attributes.size());
    for (const Section& question : questions)
        for (const Figure& figure : question.figures)
            for (const Row& row : figure.rows)
                if (row.attribute && std::isfinite(row.error)) {
                    Errors& errors = found[*row.attribute];
                    errors.squares += row.error * row.error;
                    ++errors.count;
                }
    Section section{.title = "Precision"};
    Table table{.title = "Planned and estimated standard errors",
                .header = {{"attribute", true}, {"planned"}, {"estimated"}, {"ratio"}}};
    const auto view = source.view();
    if (source.asked().target != "sample" || !view) return section;
    std::string last_vector;
    double last_ratio = 0;
    for (std::size_t j = 0; j < attributes.size(); ++j) {
        if (found[j].count == 0) continue;
        const bool share = !attributes[j].numeric();
        const double unit = share ? 1 : (attributes[j].max - attributes[j].min) / 2;
        const SummaryView reported = part(*view, j);
        double variance = source.mechanism().expected_variance(j);
        auto people = static_cast<double>(view->n);
        if (const auto* series = find_capability<SeriesRandomizer>(*reported.mechanism)) {
            people = static_cast<double>(reported.n) / series->reports_per_user();
            variance = reported.mechanism->expected_variance_of_part(0, reported.drawn);
        }
        // Repeated responses of one person have one noise: a person counts once.
        const Estimate fresh{0, unit * std::sqrt(variance / people)};
        const double expected = Inflation(reported).inflated(fresh, fresh).standard_error;
        const double came = std::sqrt(found[j].squares / found[j].count);
        const double ratio = came / expected;
        // The elements of a vector have one row, that of the largest ratio.
        if (const std::string& vector = attributes[j].vector; !vector.empty()) {
            if (vector == last_vector && ratio <= last_ratio) continue;
            if (vector == last_vector) table.rows.pop_back();
            last_ratio = ratio;
        }
        last_vector = attributes[j].vector;
        table.rows.push_back({{source.called(j, 200)},
                              {shown(expected, expected, share), expected},
                              {shown(came, came, share), came},
                              {rounded(std::round(1000 * ratio) / 1000)}});
    }
    if (table.rows.empty()) return section;
    table.about =
        "The planned error follows from the spec and the number of people who reported" +
        std::string(repeats(*view) ? ": memoized responses of one person count as one report" : "") +
        ". For shares it is the root mean "
        "square "
        "over all values; for a mean it is that of the worst case. Of a vector, "
        "the element with the largest ratio is shown.";
    section.tables.push_back(std::move(table));
    return section;
}

/// The privacy cost of a person, with odds in words.
std::string privacy_of(const Source& source) {
    const Spec& spec = source.spec();
    const double epsilon = spec.epsilon();
    const SeriesParts* parts = series_parts(source.mechanism());
    const auto all = source.view_of_all();
    const std::string meaning = "\u03B5\u00A0=\u00A0" + rounded(epsilon) +
                                ". They multiply the odds of a guess about this person by at most " +
                                factor(epsilon) + ", so a suspicion of 1\u00A0% can become at most " +
                                suspicion(epsilon) + ".";
    if (spec.mechanism().series || (parts != nullptr && parts->only_series()))
        return "All reports of one person together cost " + meaning;
    // Memoized responses cost once, however many reports repeat them.
    std::string text = std::string(spec.evolving() ? "A new response" : "One report") +
                       " costs a person \u03B5\u00A0=\u00A0" + rounded(epsilon) +
                       ". It multiplies the odds of a guess about this person by at most " + factor(epsilon) +
                       ", so a suspicion of 1\u00A0% can become at most " + suspicion(epsilon) + ".";
    double most = 0;
    if (spec.evolving()) {
        const Mechanism& mechanism = source.mechanism();
        most = most_epsilon(spec, mechanism);
        text += " A response that is repeated from memory costs nothing.";
        if (has_signal(mechanism))
            text += " The first report also pays \u03B5\u00A0=\u00A0" + rounded(signal_epsilon(mechanism)) +
                    ", once, for the bit that says whether the budget is spent: \u03B5\u00A0=\u00A0" +
                    rounded(epsilon + signal_epsilon(mechanism)) + " in all.";
        text += " All reports of a person in all rounds cost at most ";
    } else if (all && all->rounds.recorded() && all->rounds.most() > 1) {
        most = epsilon * static_cast<double>(all->rounds.most());
        if (spec.budget() && most_epsilon(spec, source.mechanism()) < most) {
            most = most_epsilon(spec, source.mechanism());
            text += " The devices limit the reports of a person in all rounds to ";
        } else {
            text += " A person who reports in each of " + grouped(all->rounds.most()) + " rounds spends ";
        }
    }
    if (most > epsilon)
        text += "\u03B5\u00A0=\u00A0" + rounded(most) + ": a factor of " + factor(most) +
                ", with which a suspicion of 1\u00A0% can become at most " + suspicion(most) + "." +
                weak(most);
    else if (most > 0)
        text += spec.evolving() ? "no more than one new response." : "the cost of one report.";
    return text;
}

/// The number of people who sent these reports. A report has no name, and one person sends at least one of them.
std::string people_of(std::uint64_t fewest, std::uint64_t most) {
    if (fewest >= most) return grouped(most) + " people";
    return "between " + grouped(fewest) + " and " + grouped(most) +
           " people: reports are not linked between rounds";
}

/// The reports of the results, and those of all rounds.
std::string reports_of(const Source& source, const Dates& dates, const std::vector<std::string>& attributes) {
    const auto view = source.view();
    const std::string round = source.round() ? " of round " + std::to_string(*source.round()) : "";
    std::string text = reports(view->n) + round + " about " + joined(attributes);
    if (!dates.first.empty())
        text += dates.first == dates.last ? ", of " + day(dates.first)
                                          : ", from " + day(dates.first) + " to " + day(dates.last);
    const auto in_rounds = [](const SummaryView& all) {
        return "in rounds " + std::to_string(all.rounds.first) + " to " + std::to_string(all.rounds.last) +
               ", sent by " + people_of(fewest_people(all), all.n);
    };
    if (view->rounds.recorded() && view->rounds.most() > 1 && !source.round())
        return text + ", " + in_rounds(*view) + ".";
    text += ".";
    if (const auto all = source.view_of_all(); all && all->n != view->n)
        text += " All " + grouped(all->n) + " reports are " + in_rounds(*all) + ".";
    return text;
}

}  // namespace

Document answers_of(Source& source) {
    const Spec& spec = source.spec();
    const auto view = source.view();
    const std::string collection = name(source.asked().collection, 60);
    const SpecTexts& texts = source.spec_texts();
    Document document{.title = !source.asked().title.empty() ? name(source.asked().title)
                               : !texts.title.empty()        ? name(texts.title)
                                                             : "Results of \u201C" + collection + "\u201D",
                      .confidence = source.asked().confidence};
    std::vector<std::string> attributes;
    for (const Attribute& attribute : spec.attributes())
        if (!attribute.derived() && is_first_element(spec, attribute))
            attributes.push_back(
                source.called_whole(static_cast<std::size_t>(&attribute - spec.attributes().data()), 40));
    constexpr std::size_t most = 6;
    if (attributes.size() > most) {
        const std::size_t more = attributes.size() - most;
        attributes.resize(most);
        attributes.push_back("and " + std::to_string(more) + " more");
    }
    const std::string round = source.round() ? " of round " + std::to_string(*source.round()) : "";
    const Dates dates = source.dates();
    document.description = texts.description.empty() ? "" : name(texts.description, 4000);
    const auto add = [&](const char* title, const std::string& text) {
        if (!text.empty()) document.lead.push_back({title, text});
    };
    if (!view || view->n == 0) {
        add("Reports", "There are no reports" + round + " about " + joined(attributes) + ", or fewer than " +
                           std::to_string(spec.min_group()) + ", too few for this role.");
    } else {
        add("Reports", reports_of(source, dates, attributes));
        add("Response", response_of(source));
        add("Estimates",
            "Each report was randomized on a person\u2019s own device at \u03B5\u00A0=\u00A0" +
                rounded(spec.epsilon()) +
                (spec.delta() == 0 ? "" : " and \u03B4\u00A0=\u00A0" + shortest(spec.delta())) +
                ", so all numbers are estimates for " +
                (source.asked().target == "sample" ? "the people who reported."
                                                   : "the population from which these people were drawn.") +
                " In parentheses: " + interval_title(source.asked().confidence) + "s.");
        add("Privacy", privacy_of(source));
        const std::string why = note(*view), spent = enough(*view) ? SpentBudgets(*view).note() : "";
        for (std::string each : {why, spent})
            if (!each.empty()) {
                each[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(each[0])));
                add("Note", each + ".");
            }
        document.sections = questions_of(source);
        mark_clear(document.sections);
        align_axes(document.sections);
        for (Section& section : document.sections) conclude(section);
        document.news = news_of(document.sections, source.asked().by);
        if (!document.news.empty())
            std::ranges::find(document.lead, "Estimates", &Fact::title)->text += " " + meaning_of_clear();
        if (document.news.empty() && document.sections.size() == 1)
            document.news = document.sections[0].result;
        document.sections.push_back(response_section(source, document.sections));
        document.sections.push_back(planned(source, document.sections));
        document.source = "Reports of the collection \u201C" + collection + "\u201D" +
                          (source.round() ? ", round " + std::to_string(*source.round()) : "") +
                          ", estimated with ldp.";
        document.citation =
            document.title + (source.round() ? ", round " + std::to_string(*source.round()) : "") +
            ". Estimates from " + reports(view->n) +
            " under local differential privacy (\u03B5\u00A0=\u00A0" + rounded(spec.epsilon()) + ")" +
            (dates.today.empty() ? "" : ", " + day(dates.today)) + ".";
    }
    add("Date", dates.today.empty() ? "" : "Estimated on " + day(dates.today) + ".");
    document.sections.push_back(collected(source));
    document.sections.push_back(promise(source));
    bool alarm = false;
    document.sections.push_back(trust(source, alarm));
    if (alarm)
        add("Warning",
            "Honest devices would hardly ever send such reports, and the estimates may be far off. See "
            "\u201CDiagnostics\u201D.");
    std::erase_if(document.sections, [](const Section& section) {
        return section.paragraphs.empty() && section.figures.empty() && section.tables.empty();
    });
    if (view && view->n > 0) document.notes = explanations(document);
    return document;
}

}  // namespace ldp::cli
