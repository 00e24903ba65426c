#include "cli/records.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <ostream>
#include <utility>

#include "client/in_quotes.hpp"
#include "core/base/text.hpp"
#include "core/contract/products.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/record/record_parts.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace ldp::cli {

namespace {

constexpr std::uint64_t most_notices = 10;

/// Whether an attribute's values in a file are texts rather than numbers.
bool by_label(const Attribute& attribute) {
    return attribute.strings || (!attribute.labels.empty() && !attribute.binned());
}

const Choice<BadRow> bad_row_choice{"on-bad-row", {{"stop", BadRow::stop}, {"skip", BadRow::skip}}};
const Choice<Outside> outside_choice{"outside", {{"clamp", Outside::clamp}, {"refuse", Outside::refuse}}};

}  // namespace

std::string summary(const Tally& tally, const Spec& spec, const std::string& what_was_done) {
    std::uint64_t clamped = 0, other = 0, changed = 0, sets = 0;
    std::string clamped_in, other_in, changed_in, sets_in;  // which attributes
    for (std::size_t j = 0; j < tally.clamped.attributes.size(); ++j) {
        const std::uint64_t count = tally.clamped.attributes[j];
        if (count == 0) continue;
        const Attribute& attribute = spec.attributes()[j];
        (attribute.of_numbers() ? clamped
         : attribute.strings    ? changed
         : attribute.several()  ? sets
                                : other) += count;
        std::string& where = attribute.of_numbers() ? clamped_in
                             : attribute.strings    ? changed_in
                             : attribute.several()  ? sets_in
                                                    : other_in;
        where += (where.empty() ? "" : ", ") + attribute.name + " " + grouped(count);
    }
    std::vector<std::string> parts{grouped(tally.rows) + " rows read", grouped(tally.skipped) + " skipped"};
    if (tally.people > 0) {
        parts.push_back(grouped(tally.people) + " people averaged");
        parts.push_back(grouped(tally.people_skipped) + " skipped");
    }
    if (clamped > 0) parts.push_back(grouped(clamped) + " numbers clamped (" + clamped_in + ")");
    if (other > 0) parts.push_back(grouped(other) + " labels counted as other (" + other_in + ")");
    if (changed > 0)
        parts.push_back(grouped(changed) + " strings truncated or with replaced characters (" + changed_in +
                        ")");
    if (sets > 0)
        parts.push_back(grouped(sets) +
                        " sets reduced to the maximum number of labels or with labels counted as other (" +
                        sets_in + ")");
    if (tally.clamped.coefficients > 0)
        parts.push_back(grouped(tally.clamped.coefficients) + " coefficients clamped");
    if (tally.panel && tally.panel->spent > 0)
        parts.push_back(grouped(tally.panel->spent) + " without a report because the budget is spent");
    parts.push_back(grouped(tally.accepted()) + " reports " + what_was_done);
    if (tally.panel && spec.evolving())
        parts.push_back(grouped(tally.panel->memoized) + " of " + grouped(tally.accepted()) +
                        " responses from memory");
    return joined(parts);
}

const std::string& ColumnMap::source(const Attribute& attribute) const {
    const auto named = of.find(attribute.name);
    return named == of.end() ? attribute.name : named->second;
}

std::string ColumnMap::source(const Attribute& attribute, const std::string& label) const {
    std::string name = attribute.name + "." + label;
    const auto named = of.find(name);
    return named == of.end() ? name : named->second;
}

std::vector<std::string> ColumnMap::sources(const Attribute& attribute) const {
    std::vector<std::string> all;
    if (!attribute.several() || !names_labels(attribute)) all.push_back(source(attribute));
    if (attribute.several())
        for (const std::string& label : attribute.labels) all.push_back(source(attribute, label));
    return all;
}

bool ColumnMap::names_labels(const Attribute& attribute) const {
    return attribute.several() && std::ranges::any_of(attribute.labels, [&](const std::string& label) {
               return of.contains(attribute.name + "." + label);
           });
}

std::uint64_t ColumnMap::hash() const {
    ContentHash hash;
    const auto add = [&](const std::string& text) { hash.add(std::to_string(text.size()) + " " + text); };
    add(person);
    if (!time.empty()) add("slope over " + time);
    for (const auto& [attribute, column] : of) {
        add(attribute);
        add(column);
    }
    for (const PublicSource& one : filled) {
        add("public " + one.column.name);
        add(one.source);
    }
    if (!panel_person.empty()) add("panel " + panel_person);
    return hash.value();
}

Records::Records(CsvReader& csv, const Spec& spec, BadRow policy, const ColumnMap& columns,
                 std::ostream* notices)
    : csv_(csv), policy_(policy), notices_(notices) {
    const bool changes =
        spec.evolving() || spec.budget() || spec.mechanism().series || has_series(spec.attributes());
    if (spec.budget() && !spec.evolving() && columns.panel_person.empty())
        throw Error(ErrorCode::unsupported, "a budget of a group needs a column that identifies the person",
                    "The ledger of the group has an account of each person.",
                    "Use ldp submit --person COLUMN --round COLUMN --ledger FILE, or the client library.");
    if (changes && columns.panel_person.empty())
        throw Error(ErrorCode::unsupported, "values that change need a column that identifies the person",
                    "The spec has changing values: each person has memoized responses.",
                    "Use ldp submit --person COLUMN --round COLUMN, or the client library.");
    if (!changes && !columns.panel_person.empty())
        throw Error(
            ErrorCode::unsupported, "--person requires a spec with changing values or a budget",
            "Without \"evolving\" and without a series, reports of one person are independent, and each "
            "costs epsilon.",
            "Use --average-by for one report per person, or add \"evolving\" to the spec.");
    for (const std::size_t j : given(spec.attributes())) {
        const Attribute& attribute = spec.attributes()[j];
        given_.push_back(&attribute);
        find_values(attribute, columns, spec.attributes().size() == 1);
    }
    sets_.resize(given_.size());
    values_.reserve(columns_.size());
    tally_.clamped.attributes.resize(spec.attributes().size());
    find_side(columns);
    if (!columns.panel_person.empty()) {
        names_ = csv.column(columns.panel_person, "--person names this column.");
        if (!columns.panel_round.empty())
            rounds_ = csv.column(columns.panel_round, "--round names this column.");
        tally_.panel.emplace();
    }
    if (columns.person.empty()) return;
    means_.emplace(spec);
    names_ = csv.column(columns.person, "--average-by names this column.");
    if (columns.time.empty()) return;
    slopes_.emplace(spec);
    times_ = csv.column(columns.time, "--slope-over names this column.");
}

void Records::find_values(const Attribute& attribute, const ColumnMap& columns, bool only) {
    const std::vector<std::string>& header = csv_.header();
    const auto in_header = [&](const std::string& name) {
        return std::ranges::find(header, name) != header.end();
    };
    auto& labels = label_columns_.emplace_back();
    const std::string& source = columns.source(attribute);
    const bool by_labels =
        attribute.several() &&
        (columns.names_labels(attribute) ||
         (!in_header(source) && std::ranges::any_of(attribute.labels, [&](const std::string& label) {
             return in_header(columns.source(attribute, label));
         })));
    if (by_labels) {
        for (const std::string& label : attribute.labels) {
            const std::string name = columns.source(attribute, label);
            // People outside the listed labels may have no column.
            if (label == attribute.other && !in_header(name)) continue;
            labels.emplace_back(
                label, csv_.column(name, "Each label of the set " + in_quotes(attribute.name) +
                                             " needs a column. If it has another name, use --column " +
                                             in_quotes(attribute.name + "." + label + "=NAME", 200) + "."));
        }
        columns_.push_back(labels.front().second);
        return;
    }
    columns_.push_back(csv_.column(source, "The spec has the attribute " + in_quotes(attribute.name) +
                                               ". If its column has another name, use --column " +
                                               (only ? "NAME" : in_quotes(attribute.name + "=NAME")) + "."));
    if (by_label(attribute) && !attribute.several()) csv_.use_labels(columns_.back(), attribute.labels);
}

namespace {

std::string_view without_spaces(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

/// Whether a field states that a set has a label. Throws Error (invalid_value) for other texts.
bool has_label(std::string_view field, const std::string& label) {
    static constexpr std::string_view yes[] = {"1",  "yes", "true",    "y",       "t",
                                               "on", "x",   "checked", "selected"},
                                      no[] = {"",  "0",   "no",        "false",       "n",
                                              "f", "off", "unchecked", "not selected"};
    std::string word(without_spaces(field));
    if (word == label) return true;  // as Qualtrics and Google Forms write it
    std::ranges::transform(word, word.begin(),
                           [](unsigned char c) { return c < 0x80 ? std::tolower(c) : c; });
    if (std::ranges::find(yes, word) != std::end(yes)) return true;
    if (std::ranges::find(no, word) != std::end(no)) return false;
    throw Error(ErrorCode::invalid_value, in_quotes(field) + " does not state whether a set has a label",
                "The value is in the column of the label " + in_quotes(label) + ".",
                "Use 1 and 0, or yes and no. An empty field is no.");
}

}  // namespace

std::string_view Records::set_field(std::size_t j) {
    const std::string_view field = csv_.field(columns_[j]);
    const std::string& separator = csv_.format().set_separator;
    std::string& set = sets_[j];
    const auto add = [&](std::string_view label) {
        if (!set.empty()) set += ';';
        set += label;
    };
    set.clear();
    if (!label_columns_[j].empty()) {
        for (const auto& [label, column] : label_columns_[j])
            if (has_label(csv_.field(column), label)) add(label);
        return set;
    }
    if (separator == ";") return field;
    for (std::size_t at = 0; at < field.size();) {
        const std::size_t end = std::min(field.find(separator, at), field.size());
        add(without_spaces(field.substr(at, end - at)));
        at = end + 1;
    }
    return set;
}

void Records::find_side(const ColumnMap& columns) {
    for (const PublicSource& one : columns.filled) {
        side_.emplace_back(one.column, csv_.column(one.source, "It must have the public column " +
                                                                   in_quotes(one.column.name) + "."));
        if (!is_public_number(one.column)) csv_.use_labels(side_.back().second, {});
    }
}

void Records::read_side() {
    public_values_ = {};
    for (const auto& [column, at] : side_)
        set_public_value(public_values_, column,
                         is_public_number(column) ? csv_.number_field(at) : csv_.field(at));
    if (refused_ == nullptr || refused_->empty()) return;
    for (const auto& [column, value] : public_values_.values()) {
        const auto of = refused_->find(column);
        if (of == refused_->end()) continue;
        if (const auto found = of->second.find(value); found != of->second.end())
            throw refused_value(column, value, found->second);
    }
}

std::optional<std::int32_t> Records::round() const {
    if (!rounds_) return {};
    const std::string_view field = csv_.field(*rounds_);
    std::int32_t round = 0;
    const auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), round);
    if (problem != std::errc() || end != field.data() + field.size())
        throw Error(ErrorCode::invalid_value, in_quotes(field) + " is not a round",
                    "A round is an integer from -2147483648 to 2147483647.",
                    "Number the rounds, for example 1, 2, 3 for three days.");
    return round;
}

void Records::check_side() const {
    const auto known = means_->find(std::string(csv_.field(names_)));
    if (known && side_of_people_[*known] != public_values_)
        throw Error(ErrorCode::invalid_value, "the public columns of a person differ",
                    "The person's first row is " + csv_.record_name(first_lines_[*known]) + ".",
                    "With --average-by, all rows of a person must have the same public columns.");
}

void Records::resume(const RecordPosition& position, Tally tally) {
    if (!means_) {
        csv_.seek(position.row);
        tally_ = std::move(tally);
        return;
    }
    average();
    person_ = position.person;
    tally_.people_skipped = tally.people_skipped;
    tally_.clamped = std::move(tally.clamped);
}

void Records::average() {
    if (averaged_) return;
    while (attempt([&] {
        if (!next_row()) return false;
        check_side();
        const double at = slopes_ ? time() : 0;
        means_->add(csv_.field(names_), values_);
        if (slopes_) slopes_->add(csv_.field(names_), at, values_);
        if (means_->size() > first_lines_.size()) {
            first_lines_.push_back(csv_.line());
            side_of_people_.push_back(public_values_);
        }
        ++tally_.rows;
        return true;
    }))
        continue;
    tally_.people = means_->size();
    averaged_ = true;
}

bool Records::next_person() {
    if (person_ == means_->size()) return false;
    const std::size_t person = person_++;
    values_ = slopes_ ? slopes_->record(person) : means_->record(person);
    return true;
}

double Records::time() const {
    const std::string_view digits = csv_.number_field(times_);
    double number = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (problem != std::errc() || end != digits.data() + digits.size())
        throw Error(ErrorCode::invalid_value, in_quotes(csv_.field(times_)) + " is not a time",
                    "The value is in the column of --slope-over.",
                    "Write times as numbers, for example the number of days since the first value.");
    return number;
}

bool Records::next_row() {
    if (!csv_.next()) return false;
    read_side();
    values_.clear();
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        const std::string_view field = csv_.field(columns_[j]);
        const Attribute& attribute = *given_[j];
        if (attribute.several()) {
            values_.emplace_back(set_field(j));
            continue;
        }
        if (by_label(attribute)) {
            values_.emplace_back(field);
            continue;
        }
        double number = 0;
        const std::string_view digits = csv_.number_field(columns_[j]);
        const char* const end = digits.data() + digits.size();
        const auto [stopped, problem] = std::from_chars(digits.data(), end, number);
        if (problem == std::errc::result_out_of_range)
            throw Error(ErrorCode::invalid_value, "number " + in_quotes(field) + " is out of range",
                        "The value is in column " + in_quotes(attribute.name) + ".");
        if (field.empty() && may_be_missing(attribute)) {
            values_.emplace_back(field);
            continue;
        }
        if (field.empty())
            throw Error(
                ErrorCode::invalid_value, "column " + in_quotes(attribute.name) + " is empty", {},
                "If people may have no value, add \"missing\": true to the attribute. For bins, use a "
                "category with an additional label named in \"missing_label\".");
        if (problem != std::errc() || stopped != end)
            throw Error(
                ErrorCode::invalid_value, in_quotes(field) + " is not a number",
                "The value is in column " + in_quotes(attribute.name) + ".",
                csv_.format().decimal == ','
                    ? "With --decimal , write numbers as 12, -0,5 or 1e3, without spaces or separators."
                    : "Write numbers as 12, -0.5 or 1e3, without spaces or separators. Use --decimal , "
                      "for numbers such as 0,5, and --missing TEXT for a text that means a missing answer.");
        values_.emplace_back(number);
    }
    return true;
}

namespace {

/// A message without the value at its start, so that equal faults count together: "x" is not a number.
std::string without_value(const std::string& message) {
    if (!message.starts_with('"')) return message;
    const std::size_t end = message.find("\" ", 1);
    return end == std::string::npos ? message : "\"\u2026" + message.substr(end);
}

}  // namespace

void Records::refuse(const Error& error) {
    if (error.code() != ErrorCode::invalid_value) throw;
    const std::uint64_t line = averaged_ ? first_lines_[person_ - 1] : csv_.line();
    const std::string where =
        csv_.name() + ", " + csv_.record_name(line) + (averaged_ ? " and others of the same person: " : ": ");
    if (policy_ == BadRow::stop)
        throw Error(ErrorCode::invalid_value, where + error.what(), error.detail(),
                    error.hint() + (error.hint().empty() ? "" : " ") + "--on-bad-row skip omits such " +
                        (averaged_ ? "people" : "rows") + ".");
    if (averaged_) {
        ++tally_.people_skipped;
    } else {
        ++tally_.rows;
        ++tally_.skipped;
    }
    constexpr std::size_t most_reasons = 1000;
    const std::string reason = without_value(error.what());
    if (reasons_.size() < most_reasons || reasons_.contains(reason)) ++reasons_[reason];
    const std::uint64_t skipped = tally_.skipped + tally_.people_skipped;
    if (notices_ == nullptr || skipped > most_notices + 1) return;
    if (skipped <= most_notices)
        *notices_ << "skipped: " << where << error.what() << "\n";
    else
        *notices_ << "skipped: further rows are only counted\n";
}

std::string Records::reasons() const {
    constexpr std::size_t most_shown = 5;
    std::vector<std::pair<std::uint64_t, std::string>> all;
    for (const auto& [reason, count] : reasons_) all.emplace_back(count, reason);
    std::ranges::stable_sort(all, std::ranges::greater(), &std::pair<std::uint64_t, std::string>::first);
    std::string text;
    if (csv_.blank() > 0) text += grouped(csv_.blank()) + " rows without any value omitted\n";
    for (std::size_t i = 0; i < std::min(most_shown, all.size()); ++i)
        text += "skipped " + grouped(all[i].first) + ": " + all[i].second + "\n";
    if (all.size() > most_shown) text += "skipped others for further reasons\n";
    return text;
}

void add_record_options(Options& options) {
    namespace po = boost::program_options;
    options.add_options()(bad_row_choice.option, po::value<std::string>()->default_value("stop"),
                          "invalid rows: stop or skip")(
        outside_choice.option, po::value<std::string>()->default_value("clamp"),
        "numbers outside their range: clamp (to the nearer bound, and count) or refuse (as an invalid row)")(
        "average-by", po::value<std::string>(),
        "column that identifies the person: one report per person, with the averages of the person's rows")(
        "slope-over", po::value<std::string>(),
        "with --average-by: column of the time, a number. The report contains the slopes of the person's values over "
        "this column instead of their averages")(
        "column", po::value<std::vector<std::string>>(),
        "ATTRIBUTE=NAME, the column of an attribute, if their names differ; NAME alone if the spec has one "
        "attribute. Its values are randomized. ATTRIBUTE.LABEL=NAME: the column that states whether a set has this label");
}

BadRow bad_row_policy(const Arguments& arguments) {
    return bad_row_choice.chosen(arguments);
}
Outside outside_policy(const Arguments& arguments) {
    return outside_choice.chosen(arguments);
}
ColumnMap record_columns(const Arguments& arguments, const Spec& spec) {
    ColumnMap columns;
    if (arguments.count("average-by") != 0) {
        columns.person = arguments["average-by"].as<std::string>();
        if (columns.person.empty()) throw UsageError("--average-by must name a column");
    }
    if (arguments.count("slope-over") != 0) {
        columns.time = arguments["slope-over"].as<std::string>();
        if (columns.time.empty()) throw UsageError("--slope-over must name a column");
        if (columns.person.empty()) throw UsageError("--slope-over needs --average-by");
    }
    if (arguments.count("column") == 0) return columns;
    const std::vector<Attribute>& attributes = spec.attributes();
    for (const std::string& given : arguments["column"].as<std::vector<std::string>>()) {
        bool of_label = false;
        for (const Attribute& each : attributes)
            for (const std::string& label : each.labels) {
                const std::string name = each.name + "." + label;
                if (!each.several() || !given.starts_with(name + "=")) continue;
                of_label = true;
                if (!columns.of.emplace(name, given.substr(name.size() + 1)).second)
                    throw UsageError("--column names two columns for " + in_quotes(name));
            }
        if (of_label) continue;
        const auto meant = std::ranges::find_if(attributes, [&](const Attribute& each) {
            return !each.derived() && given.starts_with(each.name + "=");
        });
        if (meant == attributes.end() && attributes.size() > 1)
            throw UsageError("--column must be ATTRIBUTE=NAME with an attribute of the spec's records, not " +
                             in_quotes(given));
        const bool named = meant != attributes.end();
        const std::string& attribute = named ? meant->name : attributes[0].name;
        const std::string column = named ? given.substr(attribute.size() + 1) : given;
        if (!columns.of.emplace(attribute, column).second)
            throw UsageError("--column names two columns for " + in_quotes(attribute));
    }
    return columns;
}

}  // namespace ldp::cli
