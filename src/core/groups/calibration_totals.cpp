#include "core/groups/calibration_totals.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "core/base/error.hpp"
#include "core/base/json.hpp"
#include "core/base/number_text.hpp"
#include "core/base/text.hpp"

namespace ldp {

namespace {

constexpr const char* example =
    "For margins of each column, use {\"region\": {\"north\": 700, \"south\": 300}}. For combinations of all columns, use "
    "[{\"region\": \"north\", \"age\": \"young\", \"total\": 200}].";
constexpr const char* too_few = "no group has enough reports and a positive weight";
constexpr std::string_view total_key = "total";

[[noreturn]] void refuse(const std::string& what, const std::string& detail = {},
                         const std::string& hint = example) {
    raise(ErrorCode::invalid_value, what, detail, hint);
}

/// The values of a cell: of one column in raking, of all columns in post-stratification.
using Key = std::vector<std::optional<std::string>>;

std::string shown(const Key& key) {
    std::string text;
    for (const auto& value : key)
        text += (text.empty() ? "" : ", ") + (value ? json_text(Json(*value), Unsound::allowed) : "null");
    return "[" + text + "]";
}

/// Whether a text is an integer of 64 bits in its usual form.
bool is_integer(const std::string& text) {
    std::int64_t number = 0;
    (void)std::from_chars(text.data(), text.data() + text.size(), number);
    return std::to_string(number) == text;
}

/// A total and the place that it has in the list of all totals.
struct KnownTotal {
    std::size_t column;  ///< of its values; 0 in post-stratification
    Key key;
    double total;
};

/// The totals, and how the values of a group are compared with them.
class Totals {
  public:
    Totals(const GroupColumns& groups, std::optional<std::string_view> json)
        : columns_(groups.columns), numeric_(groups.numeric) {
        if (!json) return;
        const Json document = json_of(*json, Unsound::allowed);
        if (document.is_object())
            read_margins(document);
        else if (document.is_array())
            read_combinations(document);
        else
            refuse("totals must be an object or an array");
    }

    /// The number of cells that each group has.
    [[nodiscard]] std::size_t width() const noexcept { return width_; }
    [[nodiscard]] std::vector<KnownTotal>& cells() noexcept { return cells_; }
    /// Whether the totals belong to combinations of all columns.
    [[nodiscard]] bool of_combinations() const noexcept { return combined_; }
    /// The names of the columns of a cell.
    [[nodiscard]] std::string columns_of(const KnownTotal& cell) const {
        return combined_ ? joined(columns_) : columns_[cell.column];
    }
    /// The key of a group in the i-th place.
    [[nodiscard]] Key key_of(std::span<const std::optional<std::string>> values, std::size_t i) const {
        Key key;
        for (std::size_t c = combined_ ? 0 : i; c < (combined_ ? columns_.size() : i + 1); ++c)
            key.push_back(values[c] ? std::optional(comparable(c, *values[c])) : std::nullopt);
        return key;
    }
    /// The place of the cell with this key among all cells; nothing if it has no total.
    [[nodiscard]] std::optional<std::size_t> find(std::size_t column, const Key& key) const {
        const auto found = places_.find({column, key});
        return found == places_.end() ? std::nullopt : std::optional(found->second);
    }

  private:
    void add(std::size_t column, Key key, const Json& total) {
        const double number = total.is_number() ? total.get<double>() : std::nan("");
        if (!(number >= 0 && std::isfinite(number)))
            refuse("invalid total of " + shown(key), {},
                   "A total must be a number of at least 0. A total of 0 leaves the groups out.");
        if (!places_.try_emplace({column, key}, cells_.size()).second)
            refuse(shown(key) + " has two totals", {}, "Name each combination once.");
        cells_.push_back({column, std::move(key), number});
    }

    void read_margins(const Json& document) {
        width_ = columns_.size();
        const std::set<std::string> names(columns_.begin(), columns_.end());
        const auto differ = [&](const std::string& name) {
            refuse("totals and grouping columns do not have the same columns: \"" + name + "\"",
                   "The grouping columns are " + joined(columns_) + ".");
        };
        for (const auto& [name, of_column] : document.items())
            if (!names.contains(name)) differ(name);
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const auto of_column = document.find(columns_[c]);
            if (of_column == document.end()) differ(columns_[c]);
            if (!of_column->is_object())
                refuse("the totals of column \"" + columns_[c] + "\" are not an object");
            for (const auto& [value, total] : of_column->items()) add(c, {comparable(c, value)}, total);
        }
    }

    void read_combinations(const Json& document) {
        combined_ = true;
        width_ = 1;
        if (std::ranges::find(columns_, total_key) != columns_.end())
            refuse("a grouping column cannot have the name \"total\"");
        for (const Json& element : document) {
            const bool whole = element.is_object() && element.contains(total_key) &&
                               element.size() == columns_.size() + 1 &&
                               std::ranges::all_of(
                                   columns_, [&](const std::string& name) { return element.contains(name); });
            if (!whole)
                refuse("an element of totals has keys other than the grouping columns and \"total\"",
                       "Found " + shortened(json_text(element, Unsound::allowed), 200) + ".");
            for (std::size_t c = 0; c < columns_.size(); ++c)
                numeric_[c] = numeric_[c] || element[columns_[c]].is_number();
        }
        for (const Json& element : document) {
            Key key;
            for (std::size_t c = 0; c < columns_.size(); ++c) {
                const Json& value = element[columns_[c]];
                if (value.is_null())
                    key.emplace_back();
                else
                    key.emplace_back(comparable(c, value.is_string() ? value.get<std::string>()
                                                                     : json_text(value, Unsound::allowed)));
            }
            add(0, std::move(key), element[total_key]);
        }
    }

    /// Numbers are equal whatever their digits are, such as 1.5 and 1.50, in a column in which groups or totals have numbers.
    [[nodiscard]] std::string comparable(std::size_t column, std::string value) const {
        if (!numeric_[column] || is_integer(value)) return value;
        const std::optional<double> number = parsed_number(value);
        return number && std::isfinite(*number) ? ecmascript_text(*number) : value;
    }

    std::span<const std::string> columns_;
    std::vector<bool> numeric_;  ///< of each column, whether groups or combinations have numbers in it
    std::size_t width_ = 0;
    bool combined_ = false;
    std::vector<KnownTotal> cells_ = {};
    std::map<std::pair<std::size_t, Key>, std::size_t> places_ = {};
};

/// Adds each total in `missing` to the totals of cells with reports: those that have the most first columns in common with
/// it, or in raking all others of its column.
void collapse(Totals& totals, std::size_t columns, const std::vector<std::size_t>& missing) {
    std::vector<KnownTotal>& cells = totals.cells();
    const auto takes = [&](std::size_t i, const KnownTotal& gone, std::size_t agreeing) {
        const auto end = cells[i].key.begin() + static_cast<std::ptrdiff_t>(agreeing);
        return cells[i].column == gone.column && cells[i].total > 0 &&
               !std::ranges::binary_search(missing, i) &&
               std::equal(cells[i].key.begin(), end, gone.key.begin());
    };
    for (const std::size_t one : missing) {
        std::vector<std::size_t> others;
        for (std::size_t agreeing = totals.of_combinations() ? columns : 1; others.empty() && agreeing-- > 0;)
            for (std::size_t i = 0; i < cells.size(); ++i)
                if (takes(i, cells[one], agreeing)) others.push_back(i);
        if (others.empty()) refuse(too_few, {}, "Wait for more reports.");
        double sum = 0;
        for (const std::size_t other : others) sum += cells[other].total;
        const double more = 1 + cells[one].total / sum;
        cells[one].total = 0;
        for (const std::size_t other : others) cells[other].total *= more;
    }
}

std::string note_of_collapse(std::size_t used, std::size_t all, std::size_t added) {
    return std::to_string(used) + " of " + std::to_string(all) + " groups are used, and " +
           (added == 0   ? "no totals were"
            : added == 1 ? "1 total was"
                         : std::to_string(added) + " totals were") +
           " added to other groups (collapse)";
}

}  // namespace

CalibrationPlan plan_calibration(const CalibrationGroups& groups, std::optional<std::string_view> json) {
    if (!json && !groups.weight_column)
        refuse("neither totals nor weights are given", {},
               "Pass known totals of the groups, the name of a public column with weights, or both.");
    const std::size_t columns = groups.of.columns.size(), count = groups.reports.size();
    if (json && columns == 0)
        refuse("totals need grouping columns", {}, "Group the reports by the columns that the totals have.");
    const auto values = [&](std::size_t g) {
        return std::span(groups.of.values).subspan(g * columns, columns);
    };
    Totals totals(groups.of, json);
    std::vector<KnownTotal>& cells = totals.cells();
    CalibrationPlan plan;
    for (std::size_t g = 0; g < count; ++g) {
        const double weight = groups.weight_column ? groups.of.weights[g] : 1;
        if (!(weight >= 0 && std::isfinite(weight)))
            refuse("column \"" + std::string(*groups.weight_column) + "\" has a value that is not a weight",
                   "The group is " + shortened(groups.of.names[g], 200) + ".",
                   "A weight must be a number of at least 0.");
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < totals.width(); ++i) {
            const Key key = totals.key_of(values(g), i);
            const auto place = totals.find(totals.of_combinations() ? 0 : i, key);
            if (!place)
                refuse(
                    "reports with " + shown(key) + " have no total",
                    "The columns are " + joined(groups.of.columns) + ".",
                    !totals.of_combinations() && !key[0]
                        ? "NULL has totals in combinations only, as in [{\"region\": null, \"age\": \"young\", \"total\": 0}]."
                        : "Add their total. A total of 0 leaves them out.");
            places.push_back(*place);
        }
        const double start = static_cast<double>(groups.reports[g]) * weight;
        if (!(start > 0) || groups.reports[g] < groups.fewest.value_or(0) ||
            !std::ranges::all_of(places, [&](std::size_t place) { return cells[place].total > 0; }))
            continue;
        plan.groups.push_back(g);
        plan.start.push_back(start);
        for (const std::size_t place : places) plan.cells.push_back(static_cast<std::int32_t>(place));
    }
    if (plan.groups.empty()) refuse(too_few, {}, "Wait for more reports.");

    std::vector<bool> has_reports(cells.size());
    for (const std::int32_t cell : plan.cells) has_reports[static_cast<std::size_t>(cell)] = true;
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < cells.size(); ++i)
        if (cells[i].total > 0 && !has_reports[i]) missing.push_back(i);
    if (!missing.empty() && !groups.fewest)
        refuse("no reports with " + shown(cells[missing[0]].key),
               "The columns are " + totals.columns_of(cells[missing[0]]) + ".",
               "Merge the total with another one, or use collapse => true.");
    collapse(totals, columns, missing);
    if (groups.fewest && (plan.groups.size() < count || !missing.empty()))
        plan.note = note_of_collapse(plan.groups.size(), count, missing.size());
    for (const KnownTotal& cell : cells) plan.totals.push_back(cell.total);
    return plan;
}

}  // namespace ldp
