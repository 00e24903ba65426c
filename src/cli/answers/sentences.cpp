// The sections after the questions: precision, collection, privacy guarantee and diagnostics.
// Length: a function for each section, which share the wording of privacy costs.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <span>
#include <tuple>

#include "accounting/bound_texts.hpp"
#include "cli/answers/answer_sections.hpp"
#include "cli/answers/clear_differences.hpp"
#include "cli/answers/results.hpp"
#include "core/base/text.hpp"
#include "core/choice/plan/planned_error.hpp"
#include "core/contract/attributes.hpp"
#include "core/contract/privacy_statement.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/spent.hpp"
#include "figures/figure_numbers.hpp"
#include "figures/formatting.hpp"

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
        text += (i == 0 ? ": " : ", ") + name(source.label_of_value(j, i), 30);
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
        if (drawn) row.push_back({find_mechanism(source.reporter(j).header().mechanism)->name});
        table.rows.push_back(std::move(row));
    }
    section.paragraphs.push_back("Each report was randomized on a person\u2019s own device by \u201C" +
                                 std::string(spec.mechanism().name) + "\u201D (" + spec.mechanism().title +
                                 ") before it was sent. The server received the changed answers only.");
    if (spec.chosen())
        section.paragraphs.push_back("The method was chosen automatically: " + spec.chosen()->reason + ".");
    section.tables.push_back(std::move(table));
    return section;
}

/// The bound of a factor of odds, with separators of thousands: "163,000".
std::string factor(const PrivacyLoss& loss) {
    std::string text = reported_factor(loss.factor());
    if (text.find('e') != std::string::npos) return text;
    for (std::size_t at = std::min(text.find('.'), text.size()); at > 3;) text.insert(at -= 3, 1, ',');
    return text;
}

std::string epsilon_of(const PrivacyLoss& loss) {
    return "\u03B5\u00A0=\u00A0" + rounded(loss.epsilon) +
           (loss.delta == 0 ? "" : ", \u03B4\u00A0=\u00A0" + shortest(loss.delta));
}

/// A sentence about a loss with which almost any suspicion can become almost certain; else empty.
std::string weak(const PrivacyLoss& loss) {
    return loss.posterior(0.01) > 0.9 ? " In the worst case, this gives little protection." : "";
}

/// The largest probability of a right guess, as sentences.
std::string guess(const PrivacyLoss& loss) {
    return "Of two equally likely answers, an observer picks the right one in at most " +
           reported_percent(loss.right_guess()) + "\u00A0% of cases. Without a report, it is 50\u00A0%." +
           weak(loss);
}
/// The same after guess() of another loss.
std::string then_guess(const PrivacyLoss& loss) {
    return "Then it is at most " + reported_percent(loss.right_guess()) + "\u00A0% of cases." + weak(loss);
}
/// The same, and what a suspicion can become. Readers of a summary take this second number for the first one.
std::string guesses(const PrivacyLoss& loss, std::string (*first)(const PrivacyLoss&)) {
    return first(loss) + " A suspicion of 1\u00A0% can become at most " +
           reported_percent(loss.posterior(0.01)) + "\u00A0%.";
}

/// The budget that a collection shares with others; empty if it has none.
std::string shared_budget(const PrivacyStatement& statement) {
    if (!statement.group) return {};
    const GroupLoss& group = *statement.group;
    const double most = statement.person->epsilon;
    return "The devices limit the total cost: all collections of the group \u201C" + name(group.name) +
           "\u201D together cost a person at most \u03B5\u00A0=\u00A0" + rounded(group.loss.epsilon) +
           (most < group.loss.epsilon ? ", and this one at most " + rounded(most) + ". " : ". ") +
           guesses(group.loss, then_guess);
}

/// The privacy guarantee in words and in odds, and its limits.
Section promise(const Source& source) {
    const Spec& spec = source.spec();
    const PrivacyStatement statement = privacy_statement(spec, source.mechanism());
    const SeriesParts* parts = series_parts(source.mechanism());
    const bool some = parts != nullptr;  // of the attributes are series
    const bool series = statement.covers_changes();
    Section section{.title = "Privacy guarantee"};
    section.paragraphs = {
        "Privacy loss: " + epsilon_of(statement.report) +
            (series ? " for all rounds of a person\u2019s series together."
             : statement.has_signal()
                 ? " for a report. It includes " + epsilon_of(statement.early_report) +
                       " for the answers. The rest is for a randomized bit that states whether the "
                       "person\u2019s budget is spent."
                 : " for a report."),
        "For any two true " + std::string(series ? "series of values" : "answers") +
            ", the probabilities of a report differ by a factor of at most e^\u03B5\u00A0=\u00A0" +
            factor(statement.report) + ". " + guesses(statement.report, guess)};
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
    } else if (statement.repetition == Repetition::memoized) {
        section.points.push_back(
            "People report repeatedly. The response to an answer that returns is repeated from memory at no cost. "
            "Each new response costs " +
            epsilon_of(statement.response) + ", and no person spends more than " +
            epsilon_of(*statement.person) + " in all. " + guesses(*statement.person, then_guess));
        section.points.emplace_back(
            some ? "Some attributes are time series. The guarantee covers all values of "
                   "the series and the times of their changes together. Of the other "
                   "attributes, an observer can see that an answer changed, and when."
                 : "An observer can see that an answer changed, and when. No \u03B5 covers this.");
        if (statement.has_signal())
            section.points.push_back("The bit about the budget costs a person " +
                                     epsilon_of(statement.signal) + ", once. This is part of the sum above.");
    } else {
        section.points.push_back("Each report costs \u03B5 again: a person with two reports has spent " +
                                 epsilon_of(statement.report.times(2)) + ". " +
                                 guesses(statement.report.times(2), then_guess));
    }
    if (std::string shared = shared_budget(statement); !shared.empty())
        section.points.push_back(std::move(shared));
    if (source.asked().certificate_digest)
        section.points.push_back(
            "The probabilities of all reports stand in the certificate with the SHA-256 digest " +
            source.asked().certificate_digest(spec) +
            ". The program check-certificate of ldp verifies \u03B5 with it, without other parts of ldp.");
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
            {{statistic}, {brief(observed), observed}, {brief(expected), expected}, {brief(p), p}});
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
            : "No test raised an alarm. The tests cannot find well-made forgeries.";
    table.about +=
        " The numbers below are for experts: differences between observed and expected numbers are normal. A test raises an "
        "alarm only if its p-value, multiplied by the number of rows, is below 0.001.";
    if (by_round)
        table.about +=
            " Each round was tested; a row has the round with the smallest p-value, multiplied by the number "
            "of rounds.";
    return table;
}

/// The largest margin of error in the first result of a question: its shares, its mean, or the median of its quantiles.
double largest_margin(const Section& section) {
    double margin = NAN;
    for (const Figure& figure : section.figures) {
        if (&figure != section.figures.data() && figure.kind != Figure::Kind::quantiles) continue;
        if (figure.kind == Figure::Kind::distribution) continue;
        for (const Row& row : figure.rows)
            if (figure.kind != Figure::Kind::quantiles || row.at == 0.5)
                margin = std::fmax(margin, margin_of(row));
    }
    return margin;
}

/// A warning that names the questions whose estimates false reports can shift by more than their margins of error.
std::string shift_by_forgery(const Source& source, const std::vector<Section>& questions) {
    const auto& attributes = source.spec().attributes();
    std::vector<std::string> found;
    for (std::size_t j = 0; j < attributes.size(); ++j) {
        if (!is_first_element(source.spec(), attributes[j]) || attributes[j].derived()) continue;
        const auto section = std::ranges::find(questions, source.called_whole(j), &Section::title);
        if (section == questions.end()) continue;
        const auto [down, up] = source.mechanism().promised_bias(j, forged);
        const double shift = std::fmax(std::abs(down), std::abs(up));
        if (!(shift > largest_margin(*section))) continue;
        const std::string unit = source.unit(j);
        found.push_back((attributes[j].numeric() ? "the mean of " : "") + section->title + " by " +
                        (attributes[j].numeric()
                             ? shown(shift, shift, false) + (unit.empty() ? "" : "\u00A0" + unit)
                             : shown(100 * shift, 100 * shift, false) + "\u00A0points"));
    }
    if (found.empty()) return {};
    constexpr std::size_t most = 6;
    if (found.size() > most) {
        const std::size_t more = found.size() - most;
        found.resize(most);
        found.push_back("and " + std::to_string(more) + " more");
    }
    return "If 1 report in 100 is false on purpose, estimates may be wrong by more than their intervals: " +
           joined(found) + ". The tests of the reports cannot find well-made false reports.";
}

/// Signs of forged reports, and their largest effect.
Section trust(Source& source, bool& alarm) {
    Section section{.title = "Diagnostics"};
    if (source.view()) section.tables.push_back(health(source, alarm));
    Table bias{.title = "Effect of forged reports", .header = {{"attribute", true}, {"down by"}, {"up by"}}};
    bias.about =
        "The largest shift of a share, or of the mean of a number, if one report in a hundred is forged, with any content.";
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
    if (!source.of_sample() || !view) return section;
    std::string last_vector;
    double last_ratio = 0;
    for (std::size_t j = 0; j < attributes.size(); ++j) {
        if (found[j].count == 0) continue;
        const bool share = !attributes[j].numeric();
        const double unit = share ? 1 : (attributes[j].max - attributes[j].min) / 2;
        const double expected = planned_error(*view, j, unit);
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
        "over all values; for a mean it is the error of the worst case. For a vector, the element with "
        "the largest ratio is shown. A ratio of about 1 or less means that the estimates are as precise "
        "as planned. Distributions and texts have no planned error, and so no row.";
    section.tables.push_back(std::move(table));
    return section;
}

/// The privacy cost of a person, in probabilities.
std::string privacy_of(const Source& source) {
    const PrivacyStatement statement = privacy_statement(source.spec(), source.mechanism());
    if (statement.covers_changes())
        return "All reports of one person together cost " + epsilon_of(*statement.person) + ". " +
               guess(*statement.person);
    std::string text = "The privacy loss of one report is at most " + epsilon_of(statement.report) + ". " +
                       guess(statement.report);
    const auto all = source.view_of_all();
    if (statement.repetition == Repetition::memoized) {
        text +=
            " A response that is repeated from memory costs nothing more. All reports of a person in all rounds cost "
            "at most " +
            epsilon_of(*statement.person) + ".";
        if (statement.person->epsilon > statement.report.epsilon) text += " " + then_guess(*statement.person);
    } else if (all && all->rounds.recorded() && all->rounds.most() > 1) {
        PrivacyLoss most = statement.report.times(static_cast<double>(all->rounds.most()));
        const bool limited = statement.person && statement.person->epsilon < most.epsilon;
        if (limited) most = *statement.person;
        text += (limited ? " The devices limit the reports of a person in all rounds to "
                         : " A person who reports in each of " + grouped(all->rounds.most()) +
                               " rounds spends ") +
                epsilon_of(most) + ".";
        if (most.epsilon > statement.report.epsilon) text += " " + then_guess(most);
    }
    return text;
}

/// The number of people who sent these reports. A report has no name, and one person sends at least one of them.
std::string people_of(std::uint64_t fewest, std::uint64_t most) {
    if (fewest >= most) return grouped(most) + " people";
    return "between " + grouped(fewest) + " and " + grouped(most) +
           " people: reports are not linked between rounds";
}

/// "Each report covers some questions only: wage 5,546; education 5,612." Empty if each report is about all questions.
std::string reports_by_question(const Source& source, const std::vector<Section>& questions) {
    constexpr std::size_t most = 8;
    const std::uint64_t all = source.view()->n;
    std::vector<std::string> found;
    bool differ = false;
    for (const auto& [attribute, count, own] : counts_by_question(source, questions)) {
        differ = differ || count != all;
        found.push_back(source.called_whole(attribute, 40) + " " + grouped(count));
    }
    if (!differ) return {};
    if (found.size() > most) return " Each report covers some questions only.";
    std::string text;
    for (const std::string& one : found) text += (text.empty() ? "" : "; ") + one;
    return " Each report covers some questions only: " + text + ".";
}

/// The reports of the results, and those of all rounds.
std::string reports_of(const Source& source, const std::vector<std::string>& attributes,
                       const std::vector<Section>& questions) {
    const auto view = source.view();
    const std::string round = source.round() ? " of round " + std::to_string(*source.round()) : "";
    std::string text = reports(view->n) + round + " about " + joined(attributes);
    const auto in_rounds = [](const SummaryView& all) {
        return "in rounds " + std::to_string(all.rounds.first) + " to " + std::to_string(all.rounds.last) +
               ", sent by " + people_of(fewest_people(all), all.n);
    };
    const std::string by_question = reports_by_question(source, questions);
    if (view->rounds.recorded() && view->rounds.most() > 1 && !source.round())
        return text + ", " + in_rounds(*view) + "." + by_question;
    text += "." + by_question;
    if (const auto all = source.view_of_all(); all && all->n != view->n)
        text += " All " + grouped(all->n) + " reports are " + in_rounds(*all) + ".";
    else
        text += " If each person reported once, these are " + grouped(view->n) +
                (view->n == 1 ? " person." : " people.");
    return text;
}

/// The days of collection come first: readers take the day of the computation for them.
std::string dates_of(const Dates& dates) {
    const std::string today = dates.today.empty() ? "" : "omputed on " + day(dates.today) + ".";
    if (dates.first.empty())
        return "The days on which people answered are not known." + (today.empty() ? "" : " C" + today);
    return (dates.first == dates.last ? "Answers of " + day(dates.first)
                                      : "Answers from " + day(dates.first) + " to " + day(dates.last)) +
           (today.empty() ? "." : ", c" + today);
}

/// The texts that the owner did not state, without which a result cannot be quoted.
std::string missing_texts(const Source& source) {
    const auto& attributes = source.spec().attributes();
    struct Texts {
        std::size_t missing = 0, all = 0;
        void count(bool stated) {
            ++all;
            missing += stated ? 0 : 1;
        }
    } questions, units;
    for (std::size_t j = 0; j < attributes.size(); ++j) {
        if (attributes[j].derived() || !is_first_element(source.spec(), attributes[j])) continue;
        questions.count(!source.texts(j).question.empty());
        if (attributes[j].numeric() && !source.is_proportion(j)) units.count(!source.unit(j).empty());
    }
    const auto sentence = [](const Texts& texts, const char* of_all, const char* of_some) {
        return texts.missing == 0 ? "" : texts.missing == texts.all ? of_all : of_some;
    };
    const std::string wording = sentence(questions, "The wording of the questions is not stated.",
                                         "The wording of some questions is not stated.");
    const std::string numbers = sentence(units, "The units of the numbers are not stated.",
                                         "The units of some numbers are not stated.");
    return wording + (wording.empty() || numbers.empty() ? "" : " ") + numbers;
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
                      .confidence = source.asked().confidence,
                      .compares_populations = source.query("change").target == "population" &&
                                              series_parts(source.mechanism()) == nullptr};
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
    const auto add = [&](const char* title, const std::string& text, Fact::Use use = Fact::Use::about) {
        if (!text.empty()) document.lead.push_back({title, text, use});
    };
    if (!view || view->n == 0) {
        add("Reports", "There are no reports" + round + " about " + joined(attributes) + ", or fewer than " +
                           std::to_string(spec.min_group()) + ", too few for this role.");
    } else {
        document.sections = questions_of(source);
        add("Reports", reports_of(source, attributes, document.sections));
        add("Response", response_of(source));
        add("Questions", missing_texts(source));
        add("Estimates",
            "Each report was randomized on a person\u2019s own device at " +
                epsilon_of(privacy_statement(spec, source.mechanism()).report) +
                ", so all numbers are estimates for " +
                (source.of_sample() ? "the people who reported. They need not hold for other people."
                                    : "the population from which these people were drawn.") +
                " In parentheses: " + interval_title(source.asked().confidence) + "s.");
        add("Privacy", privacy_of(source));
        const std::string why = note(*view), spent = enough(*view) ? SpentBudgets(*view).note() : "";
        for (std::string each : {why, spent})
            if (!each.empty()) {
                each[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(each[0])));
                add("Note", each + ".");
            }
        mark_clear(document.sections);
        align_axes(document.sections);
        for (Section& section : document.sections) conclude(section);
        document.news = news_of(document.sections, source.asked().by);
        if (!document.news.empty())
            std::ranges::find(document.lead, "Estimates", &Fact::title)->text +=
                " " + meaning_of_clear(document);
        if (document.news.empty() && document.sections.size() == 1)
            document.news = document.sections[0].result;
        document.sections.push_back(response_section(source, document.sections));
        document.sections.push_back(planned(source, document.sections));
        document.source = "Reports of the collection \u201C" + collection + "\u201D" +
                          (source.round() ? ", round " + std::to_string(*source.round()) : "") +
                          ", estimated with ldp.";
        document.citation = document.title +
                            (source.round() ? ", round " + std::to_string(*source.round()) : "") +
                            ". Estimates from " + reports(view->n) + " under local differential privacy (" +
                            epsilon_of(privacy_statement(spec, source.mechanism()).report) + ")" +
                            (dates.today.empty() ? "" : ", " + day(dates.today)) + ".";
    }
    add("Dates", dates_of(dates), Fact::Use::dates);
    document.sections.push_back(collected(source));
    document.sections.push_back(promise(source));
    bool alarm = false;
    document.sections.push_back(trust(source, alarm));
    if (alarm)
        add("Warning",
            "Honest devices would hardly ever send such reports, and the estimates may be far off. See "
            "\u201CDiagnostics\u201D.",
            Fact::Use::warning);
    add("Caution", shift_by_forgery(source, document.sections), Fact::Use::warning);
    std::erase_if(document.sections, [](const Section& section) {
        return section.paragraphs.empty() && section.figures.empty() && section.tables.empty();
    });
    if (view && view->n > 0) document.notes = explanations(document);
    return document;
}

}  // namespace ldp::cli
