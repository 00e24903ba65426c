#include "cli/planning/draft.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/csv.hpp"
#include "client/in_quotes.hpp"
#include "core/choice/resolve.hpp"

namespace ldp::cli {

namespace {

using Json = nlohmann::ordered_json;

/// A column with more labels than `most_labels` is not a category. Numbers with at most `few` distinct values
/// are one.
constexpr std::size_t most_labels = 100, few_numbers = 12;
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

/// Contents of a column.
struct ColumnProfile {
    std::set<std::string> labels;  ///< some of them, once there are too many
    double low = std::numeric_limits<double>::infinity(), high = -low;
    bool numbers = true;
    std::uint64_t empty = 0, rows = 0;
    std::uint64_t no_numbers = 0;  ///< rows with one of the texts of no_number()

    void add(std::string_view text) {
        ++rows;
        if (text.empty()) {
            ++empty;
            return;
        }
        if (labels.size() <= most_labels) labels.emplace(text);
        if (no_number(text)) {
            ++no_numbers;
            return;
        }
        const std::optional<double> value = number(text);
        numbers = numbers && value;
        if (!value) return;
        low = std::min(low, *value);
        high = std::max(high, *value);
    }

    /// Whether all texts are numbers or no_number().
    [[nodiscard]] bool is_number() const { return numbers && low <= high; }
    /// The labels, numbers in ascending order.
    [[nodiscard]] std::vector<std::string> ordered() const {
        std::vector<std::string> all(labels.begin(), labels.end());
        if (is_number())
            std::ranges::stable_sort(all, {}, [](const std::string& text) {
                return no_number(text) ? std::numeric_limits<double>::infinity() : number(text).value();
            });
        return all;
    }
};

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

/// Returns the attribute for a column; none if the column cannot be an attribute.
std::optional<Json> attribute(const std::string& name, const ColumnProfile& column, std::string& note) {
    Json made{{"name", name}};
    if (name.empty() || name.size() > 63) {
        note = "the name is not valid for an attribute: omitted";
        return {};
    }
    const auto distinct =
        column.labels.size() - static_cast<std::size_t>(std::ranges::count_if(column.labels, no_number));
    if (column.is_number() && distinct > few_numbers) {
        const auto [low, high] = round_range(column.low, column.high);
        made["min"] = low;
        made["max"] = high;
        const std::uint64_t missing = column.empty + column.no_numbers;
        note = "a number";
        if (column.empty > 0) made["missing"] = true;
        if (missing > 0)
            note +=
                ", missing in " + std::to_string(missing) + " of " + std::to_string(column.rows) + " rows";
        if (column.no_numbers > 0)
            note +=
                "; " + std::to_string(column.no_numbers) +
                " of them have a text: leave these fields empty and write \"missing\": true into the attribute";
        return made;
    }
    if (column.labels.size() > most_labels) {
        note = "more than " + std::to_string(most_labels) +
               " labels: list the important ones, and an \"other\". Omitted";
        return {};
    }
    if (column.labels.size() + (column.empty > 0 ? 1 : 0) < 2) {
        note = "one value in all rows: omitted";
        return {};
    }
    made["domain"] = column.ordered();
    if (column.empty > 0) {
        made["domain"].push_back(no_answer);
        made["missing_label"] = no_answer;
    }
    note = std::to_string(column.labels.size()) + " labels" +
           (column.empty > 0 ? ", and some missing values" : "");
    return made;
}

}  // namespace

int draft_spec(const std::string& name) {
    std::ifstream file;
    open(file, name);
    CsvReader csv(file, name);
    std::vector<ColumnProfile> columns(csv.header().size());
    while (csv.next())
        for (std::size_t j = 0; j < columns.size(); ++j) columns[j].add(csv.field(j));
    if (columns[0].rows == 0)
        throw Error(ErrorCode::malformed, name + " has no rows", {}, "Each row is a person.");
    Json spec{{"mechanism", "auto"}, {"epsilon", 1}, {"attributes", Json::array()}};
    for (std::size_t j = 0; j < columns.size(); ++j) {
        std::string note;
        if (auto made = attribute(csv.header()[j], columns[j], note)) spec["attributes"].push_back(*made);
        std::cerr << in_quotes(csv.header()[j]) << ": " << note << "\n";
    }
    if (spec["attributes"].empty())
        throw Error(ErrorCode::malformed, "no column of " + name + " can be an attribute",
                    "The causes are on standard error.",
                    "Write the spec by hand: doc/spec.md describes its keys.");
    const std::string text = spec.dump(2);
    (void)resolve(text);
    std::cout << text << std::endl;
    std::cerr << "This spec is a draft. A spec is public and must not contain private values: use ranges and "
                 "labels\n"
                 "that are known without the data. Remove attributes that you do not need, choose epsilon\n"
                 "(doc/privacy.md), and predict the errors: ldp plan, ldp simulate once.\n";
    return Exit::done;
}

}  // namespace ldp::cli
