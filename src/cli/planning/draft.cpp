#include "cli/planning/draft.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "cli/command.hpp"
#include "cli/file_options.hpp"
#include "cli/input/people_file.hpp"
#include "client/in_quotes.hpp"
#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"
#include "core/contract/attributes.hpp"

namespace ldp::cli {

namespace {

using Json = nlohmann::ordered_json;

/// A column with more labels than `most_labels` is not a category. Numbers with at most `few` distinct values
/// are one.
constexpr std::size_t most_labels = 100, few_numbers = 12;
/// Largest number of value labels that a file may give a category.
constexpr std::size_t most_value_labels = 1000;
/// Largest size of a label of a spec in bytes.
constexpr std::size_t longest_label = 200;
/// A longer variable label, or one with a question mark, is a question. A question is at most `longest_question` bytes, and
/// the title of a spec `longest_spec_title`.
constexpr std::size_t longest_title = 60, longest_question = 1000, longest_spec_title = 200;
/// Largest number of codes of missing answers at one end of a column that are recognized.
constexpr std::size_t most_codes = 4;
/// A column with a different value in each of at least this number of rows may be an identifier.
constexpr std::size_t fewest_identified = 20;
/// A range this many times longer than the mean distance of the numbers from its lower end is remarked.
constexpr double wide_range = 100;
constexpr const char* no_answer = "(none)";

std::optional<double> number(std::string_view text) {
    double found = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), found);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(found)) return {};
    return found;
}

/// Whether other programs write this text instead of a missing number.
bool no_number(std::string_view text) {
    static constexpr std::string_view texts[] = {"NA", "N/A", "NaN", "nan", "NULL", "null", "."};
    return std::ranges::find(texts, text) != std::end(texts);
}

/// Whether programs name identifiers so: "id", "person_id", "ResponseId".
bool is_named_as_identifier(const std::string& name) {
    if (name == "id" || name == "Id" || name == "ID") return true;
    static constexpr std::string_view ends[] = {"_id", "-id", ".id",  " id",  "_ID",
                                                "Id",  "ID",  "uuid", "token"};
    return std::ranges::any_of(ends, [&](std::string_view end) { return name.ends_with(end); });
}

/// Contents of a column.
struct ColumnProfile {
    std::map<std::string, double> labels;  ///< some of them with their numbers, infinite for texts
    std::set<double> lowest, highest;      ///< some of the distinct numbers
    bool numbers = true;
    std::uint64_t empty = 0, rows = 0;
    std::uint64_t no_numbers = 0;           ///< rows with one of the texts of no_number()
    std::set<std::string> no_number_texts;  ///< these texts
    bool integers = true;                   ///< whether all numbers are integers
    double sum = 0;                         ///< of the numbers
    std::unordered_set<std::string> seen;   ///< all texts, while no text is repeated
    bool repeats = false;

    /// `digits` is the text with a point as its decimal mark.
    void add(std::string_view text, std::string_view digits) {
        ++rows;
        if (text.empty()) {
            ++empty;
            return;
        }
        if (!repeats && !seen.emplace(text).second) {
            repeats = true;
            seen.clear();
        }
        const bool none = no_number(text);
        const std::optional<double> value = none ? std::nullopt : number(digits);
        if (labels.size() <= most_labels)
            labels.emplace(text, value.value_or(std::numeric_limits<double>::infinity()));
        if (none) {
            ++no_numbers;
            no_number_texts.emplace(text);
            return;
        }
        numbers = numbers && value;
        if (!value) return;
        integers = integers && *value == std::floor(*value);
        sum += *value;
        lowest.insert(*value);
        if (lowest.size() > most_codes + 1) lowest.erase(std::prev(lowest.end()));
        highest.insert(*value);
        if (highest.size() > most_codes + 1) highest.erase(highest.begin());
    }

    [[nodiscard]] double low() const { return *lowest.begin(); }
    [[nodiscard]] double high() const { return *highest.rbegin(); }
    /// Whether all texts are numbers or no_number().
    [[nodiscard]] bool is_number() const { return numbers && !lowest.empty(); }
    /// The number of rows with a number.
    [[nodiscard]] double count() const { return static_cast<double>(rows - empty - no_numbers); }
    /// Whether each person has another value, and the values are texts, consecutive integers or named as identifiers are.
    [[nodiscard]] bool identifies(const std::string& name) const {
        if (repeats || rows - empty < fewest_identified) return false;
        if (!is_number()) return true;
        return integers && (high() - low() + 1 == count() || is_named_as_identifier(name));
    }
    /// The labels, numbers in ascending order.
    [[nodiscard]] std::vector<std::string> ordered() const {
        std::vector<std::string> all;
        for (const auto& [text, value] : labels) all.push_back(text);
        if (is_number())
            std::ranges::stable_sort(all, {}, [this](const std::string& text) { return labels.at(text); });
        return all;
    }
};

/// Whether programs often write this number for a missing answer: -9, 99, 888 and the like, and 97 and 98.
bool usual_code(double value) {
    if (value != std::floor(value) || std::abs(value) > 1e6 || std::abs(value) < 7) return value == -1;
    const std::string digits = shortest(std::abs(value));
    const char last = digits.back();
    const bool equal = digits.find_first_not_of(last) == std::string::npos;
    const bool nines = digits.find_first_not_of('9') == digits.size() - 1;
    return last >= '7' && (equal || nines);
}

/// Returns numbers at the ends of a column that are probably codes of missing answers: usual ones at a distance from
/// the others.
std::vector<std::string> probable_codes(const ColumnProfile& column) {
    std::vector<std::string> codes;
    std::vector<double> low(column.lowest.begin(), column.lowest.end());
    std::size_t below = 0;
    while (below < low.size() && low[below] < 0 && usual_code(low[below])) ++below;
    if (below > 0 && below < low.size() && low[below] >= 0)
        for (std::size_t i = 0; i < below; ++i) codes.push_back(shortest(low[i]));
    const std::vector<double> high(column.highest.begin(), column.highest.end());
    for (std::size_t above = 1; above < high.size(); ++above) {
        const double first = high[high.size() - above], before = high[high.size() - above - 1];
        if (!usual_code(first) || first < 0) break;
        const double start = below < low.size() ? low[below] : low.back();
        if (first - before <= (before - start) / 10) continue;
        for (std::size_t i = high.size() - above; i < high.size(); ++i) codes.push_back(shortest(high[i]));
        break;
    }
    return codes;
}

/// Lists the codes of missing answers with their labels: "98 (refused), 99".
std::string list_of(const std::vector<ValueLabel>& codes) {
    std::vector<std::string> all;
    for (const auto& [code, label] : codes) all.push_back(label.empty() ? code : code + " (" + label + ")");
    return joined(all);
}

/// Returns a range that contains a column's numbers. Its ends are multiples of 1, 2 or 5 times a power of
/// ten, about a tenth of the range, such as 0 and 2500 for 3 to 2417. The lower end is 0 if the numbers start
/// close above it.
std::pair<Json, Json> round_range(double low, double high) {
    const double length = (high - low) / 10;
    const int exponent = static_cast<int>(std::floor(std::log10(length)));
    const double unit = std::pow(10, exponent);
    const double digit = length <= unit ? 1 : length <= 2 * unit ? 2 : length <= 5 * unit ? 5 : 10;
    // Converted by its decimal digits, so that the written number is exact.
    const auto end = [&](double steps) -> Json {
        const double value = std::stod(shortest(steps * digit) + "e" + std::to_string(exponent));
        if (std::abs(value) < 1e15 && value == std::floor(value)) return static_cast<std::int64_t>(value);
        return value;
    };
    const double step = digit * unit;
    return {end(low >= 0 && low < step ? 0 : std::floor(low / step)), end(std::ceil(high / step))};
}

/// Whether the numbers are probably those of a scale such as 0 to 10.
bool is_scale(const ColumnProfile& column) {
    constexpr double shortest_end = 6, longest_end = 10;
    return column.is_number() && column.integers && (column.low() == 0 || column.low() == 1) &&
           column.high() >= shortest_end && column.high() <= longest_end &&
           column.labels.size() <= few_numbers;
}

/// Returns the ends of the scale: 0 or 1, and 7 or 10.
std::pair<Json, Json> scale_range(const ColumnProfile& column) {
    const std::int64_t low = column.low() == 0 ? 0 : 1;
    return {low, column.high() <= 7 && low == 1 ? 7 : 10};
}

/// Adds what makes an attribute of numbers.
void draft_number(Json& made, const ColumnProfile& column, const CodebookColumn* described,
                  std::string& note) {
    const auto [low, high] =
        is_scale(column) ? scale_range(column) : round_range(column.low(), column.high());
    made["min"] = low;
    made["max"] = high;
    const std::uint64_t missing = column.empty + column.no_numbers;
    note = is_scale(column) ? "a number on a scale; if the numbers are codes, use \"domain\" instead"
                            : "a number";
    const double start = low.get<double>(), length = high.get<double>() - start;
    // One extreme value should not raise the mean that it is compared with.
    const double others = (column.sum - column.high()) / std::max(column.count() - 1, 1.0);
    if (length >= wide_range * (others - start))
        note +=
            "; the range is more than " + shortest(wide_range) +
            " times the mean. Noise grows with the range. Choose a smaller range; larger numbers are then "
            "clamped";
    if (missing > 0 || (described != nullptr && !described->missing.empty())) made["missing"] = true;
    if (missing > 0)
        note += ", missing in " + std::to_string(missing) + " of " + std::to_string(column.rows) + " rows";
    if (column.no_numbers > 0)
        note += "; " + std::to_string(column.no_numbers) + " of them contain text: add --missing " + [&] {
            std::string all;
            for (const std::string& text : column.no_number_texts) all += (all.empty() ? "" : ",") + text;
            return all;
        }() + " here and to ldp submit";
    if (described != nullptr && !described->labels.empty())
        note += "; the value labels " + list_of(described->labels) + " are not used";
    if (const std::vector<std::string> codes = probable_codes(column); !codes.empty())
        note += "; not known: whether " + joined(codes) +
                " is a number or the code of a missing answer. If it is a "
                "code, add --missing here and to ldp submit";
}

/// Adds the labels of a category and, if there are missing answers, their label. Returns false if there are not enough
/// labels.
bool draft_category(Json& made, const std::vector<std::string>& labels, bool missing) {
    if (labels.size() + (missing ? 1 : 0) < 2) return false;
    made["domain"] = labels;
    if (!missing) return true;
    std::string name = no_answer;
    while (std::ranges::find(labels, name) != labels.end()) name = "(" + name + ")";
    made["domain"].push_back(name);
    made["missing_label"] = name;
    return true;
}

/// Whether a label is too long for a spec.
bool has_long_label(const std::vector<std::string>& labels, std::string& note) {
    if (std::ranges::none_of(labels, [](const std::string& label) { return label.size() > longest_label; }))
        return false;
    note = "a label has more than " + std::to_string(longest_label) + " bytes: omitted";
    return true;
}

/// Returns the value labels of a column and the codes without one that the rows have, in ascending order of codes.
std::vector<ValueLabel> all_codes(const ColumnProfile& column, const CodebookColumn& described) {
    std::vector<ValueLabel> all = described.labels;
    for (const auto& [code, value] : column.labels)
        if (std::ranges::find(all, code, &ValueLabel::code) == all.end()) all.push_back({code, {}});
    if (described.kind == CodebookColumn::ColumnKind::number)
        std::ranges::stable_sort(all, {},
                                 [](const ValueLabel& each) { return number(each.code).value_or(0); });
    return all;
}

/// Adds a category of value labels. Returns false if the column is omitted.
bool draft_labelled(Json& made, const std::vector<ValueLabel>& codes, const ColumnProfile& column,
                    const CodebookColumn& described, std::string& note) {
    std::vector<std::string> labels;
    std::size_t unlabelled = 0, equal = 0;
    for (const auto& [code, label] : codes) {
        unlabelled += label.empty() ? 1 : 0;
        const std::string& text = label.empty() ? code : label;
        if (labels.size() > most_value_labels) break;
        if (std::ranges::find(labels, text) == labels.end())
            labels.push_back(text);
        else
            ++equal;
    }
    if (labels.size() > most_value_labels) {
        note = "more than " + std::to_string(most_value_labels) + " labels: omitted";
        return false;
    }
    if (has_long_label(labels, note)) return false;
    const bool missing = column.empty > 0 || !described.missing.empty();
    if (!draft_category(made, labels, missing)) {
        note = "one value in all rows: omitted";
        return false;
    }
    note = std::to_string(labels.size()) + " labels in the order of their codes";
    if (unlabelled > 0) note += ", " + std::to_string(unlabelled) + " of them codes without a label";
    if (equal > 0)
        note += "; " + std::to_string(equal) + " codes have the label of another code and are merged with it";
    if (column.empty > 0)
        note +=
            "; missing in " + std::to_string(column.empty) + " of " + std::to_string(column.rows) + " rows";
    return true;
}

/// Returns the attribute for a column; none if the column cannot be an attribute. `described` is null without a codebook.
std::optional<Json> attribute(const std::string& name, const ColumnProfile& column,
                              const CodebookColumn* described, std::string& note) {
    Json made{{"name", name}};
    if (!is_attribute_name(name)) {
        note = "the name is not valid for an attribute: omitted";
        return {};
    }
    if (described != nullptr && described->kind == CodebookColumn::ColumnKind::date) {
        note = "a date: omitted. Collect a category, such as the year or the quarter";
        return {};
    }
    if (described != nullptr && !described->labels.empty()) {
        const std::vector<ValueLabel> codes = all_codes(column, *described);
        const auto unlabelled = static_cast<std::size_t>(
            std::ranges::count_if(codes, [](const ValueLabel& each) { return each.label.empty(); }));
        const bool scale = described->measure == CodebookColumn::Measure::scale;
        if (!column.is_number() || unlabelled <= (scale ? 0 : few_numbers)) {
            if (draft_labelled(made, codes, column, *described, note)) return made;
            return {};
        }
    }
    const auto distinct =
        column.labels.size() - static_cast<std::size_t>(std::ranges::count_if(
                                   column.labels, [](const auto& each) { return no_number(each.first); }));
    const bool scale = described != nullptr && !described->labels.empty();
    if (described == nullptr && column.identifies(name)) {
        note = "a different value in every row, probably an identifier: omitted";
        return {};
    }
    if (column.is_number() &&
        (distinct > few_numbers || (scale && distinct > 1) || (!scale && is_scale(column)))) {
        draft_number(made, column, described, note);
        return made;
    }
    if (column.labels.size() > most_labels) {
        note = "more than " + std::to_string(most_labels) +
               " labels: list the important labels and a label \"other\". Omitted";
        return {};
    }
    const std::vector<std::string> labels = column.ordered();
    if (has_long_label(labels, note)) return {};
    const bool missing = column.empty > 0 || (described != nullptr && !described->missing.empty());
    if (!draft_category(made, labels, missing)) {
        note = "one value in all rows: omitted";
        return {};
    }
    note = std::to_string(column.labels.size()) + " labels" +
           (column.empty > 0 ? ", and some missing values" : "");
    if (!column.is_number() && column.labels.size() > 2)
        note += "; their order is not known: sort the labels if they have one";
    if (!column.no_number_texts.empty())
        note += "; not known: whether " + joined(column.no_number_texts) +
                " is an answer. If not, add --missing here and to ldp submit";
    return made;
}

/// Returns whether a text may be a text of a spec with at most `most` bytes.
bool is_spec_text(const std::string& text, std::size_t most) {
    return !text.empty() && text.size() <= most && without_controls(text) == text;
}

/// Adds the variable label, as a title or as a question, and that an ordinal category is ordered.
void draft_texts(Json& made, const CodebookColumn& described) {
    const std::string& text = described.title;
    const bool title = text.size() <= longest_title && text.find('?') == std::string::npos;
    if (is_spec_text(text, title ? longest_title : longest_question))
        made[title ? "title" : "question"] = text;
    if (made.contains("domain") && described.measure == CodebookColumn::Measure::ordinal)
        made["scale"] = "ordered";
}

/// Returns what a person reads about a column before its note.
std::string heading(const std::string& name, const CodebookColumn* described) {
    return in_quotes(name) +
           (described == nullptr || described->title.empty() ? "" : " (" + described->title + ")");
}

/// A set of labels whose columns state whether a person has them.
struct LabelColumns {
    std::string name;
    std::vector<std::pair<std::string, std::size_t>> labels;  ///< with their columns
};

/// Returns the name of a set and the label in the name of one of its columns, as REDCap ("pets___1"), LimeSurvey ("pets[1]") and
/// statistics packages ("pets_1") write it.
std::optional<std::pair<std::string, std::string>> label_in(const std::string& column) {
    if (const std::size_t at = column.find("___"); at != std::string::npos && at > 0)
        return std::pair(column.substr(0, at), column.substr(at + 3));
    if (const std::size_t at = column.find('['); at != std::string::npos && at > 0 && column.ends_with(']'))
        return std::pair(column.substr(0, at), column.substr(at + 1, column.size() - at - 2));
    const std::size_t at = column.find_last_of("_.");
    if (at == std::string::npos || at == 0 || at + 1 == column.size()) return {};
    const std::string label = column.substr(at + 1);
    if (column[at] == '_' && label.find_first_not_of("0123456789") != std::string::npos) return {};
    return std::pair(column.substr(0, at), label);
}

/// Whether a column has only texts that state whether a person has a label.
bool is_yes_or_no(const ColumnProfile& column) {
    static constexpr std::string_view words[] = {"0",    "1",     "Checked", "Unchecked", "Y",
                                                 "N",    "Yes",   "No",      "yes",       "no",
                                                 "TRUE", "FALSE", "true",    "false"};
    return !column.labels.empty() && std::ranges::all_of(column.labels, [](const auto& each) {
        return std::ranges::find(words, each.first) != std::end(words);
    });
}

/// Returns the sets of a file, of at least two columns each.
std::vector<LabelColumns> label_columns(const std::vector<std::string>& header,
                                        const std::vector<ColumnProfile>& columns) {
    std::vector<LabelColumns> sets;
    for (std::size_t j = 0; j < header.size(); ++j) {
        const auto part = label_in(header[j]);
        if (!part || part->second.empty() || !is_yes_or_no(columns[j])) continue;
        auto set = std::ranges::find(sets, part->first, &LabelColumns::name);
        if (set == sets.end()) set = sets.insert(set, {part->first, {}});
        set->labels.emplace_back(part->second, j);
    }
    std::erase_if(sets, [&](const LabelColumns& set) {
        return set.labels.size() < 2 || std::ranges::find(header, set.name) != header.end();
    });
    return sets;
}

/// Returns the attribute of a set, and adds the options with which its columns are found.
Json draft_set(const LabelColumns& set, const std::vector<std::string>& header, std::string& options) {
    Json made{{"name", set.name}, {"several", true}, {"domain", Json::array()}};
    for (const auto& [label, column] : set.labels) {
        made["domain"].push_back(label);
        const std::string name = set.name + "." + label;
        if (header[column] != name) options += " --column '" + name + "=" + header[column] + "'";
    }
    return made;
}

}  // namespace

int draft_spec(const std::string& name, const CsvFormat& format) {
    PeopleFile file(name, format);
    CsvReader& csv = file.rows();
    csv.need_columns();
    std::vector<ColumnProfile> columns(csv.header().size());
    while (csv.next())
        for (std::size_t j = 0; j < columns.size(); ++j) columns[j].add(csv.field(j), csv.number_field(j));
    if (columns[0].rows == 0)
        throw Error(ErrorCode::malformed, name + " has no rows", {}, "Each row must describe one person.");
    const Codebook* const codebook = csv.format().codebook;
    Json spec{{"mechanism", "auto"}, {"epsilon", 1}};
    if (codebook != nullptr && is_spec_text(codebook->title, longest_spec_title))
        spec["title"] = codebook->title;
    spec["attributes"] = Json::array();
    const std::vector<LabelColumns> sets = label_columns(csv.header(), columns);
    std::string options;
    for (std::size_t j = 0; j < columns.size(); ++j) {
        const auto in_set = [j](const auto& label) { return label.second == j; };
        const auto set = std::ranges::find_if(
            sets, [&](const LabelColumns& each) { return std::ranges::any_of(each.labels, in_set); });
        if (set != sets.end()) {
            if (set->labels.front().second != j) continue;
            spec["attributes"].push_back(draft_set(*set, csv.header(), options));
            std::cerr << without_controls(in_quotes(set->name) + ": a set of " +
                                          std::to_string(set->labels.size()) +
                                          " labels, each with a column that states whether a person has it")
                      << "\n";
            continue;
        }
        const CodebookColumn* const described = codebook == nullptr ? nullptr : &codebook->columns[j];
        std::string note;
        auto made = attribute(csv.header()[j], columns[j], described, note);
        if (made && described != nullptr) draft_texts(*made, *described);
        if (made) spec["attributes"].push_back(*made);
        if (made && described != nullptr && !described->missing.empty())
            note += "; missing answers: " + list_of(described->missing);
        std::cerr << without_controls(heading(csv.header()[j], described) + ": " + note) << "\n";
    }
    if (spec["attributes"].empty())
        throw Error(ErrorCode::malformed, "no column of " + name + " can be an attribute",
                    "Standard error shows the reasons.",
                    "Write the spec by hand: doc/spec.md describes its keys.");
    const std::string text = spec.dump(2);
    (void)resolve(text);
    std::cout << text << std::endl;
    std::cerr << "This spec is a draft. A spec is public and must not contain private values: use ranges and "
                 "labels\n"
                 "that are known without the data. Remove attributes that you do not need, choose epsilon\n"
                 "(doc/privacy.md), and predict the errors: ldp plan, ldp simulate once.\n";
    if (csv.blank() > 0) std::cerr << grouped(csv.blank()) << " rows without any value are omitted.\n";
    if (options = format_options(format) + options; !options.empty())
        std::cerr << "Submit the file with the same options:" << options << "\n";
    return Exit::done;
}

}  // namespace ldp::cli
