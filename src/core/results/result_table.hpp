// Rows of results: typed columns, and the cells of one row at a time.
//
// A row type is an array of ResultColumns, declared once. A type of rows is a struct whose `count` is the number of its
// rows, and whose `write(row, number)` writes one of them. Hosts read all results through the interface Results.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/unknown.hpp"

namespace ldp {

/// The type of a column. An integer has 32 bits, a bigint 64. A group is the name of a group, which hosts may show as its columns.
enum class ColumnType : std::uint8_t { text, number, integer, bigint, truth, texts, integers, json, group };

/// Text in JSON.
struct JsonText {
    std::string_view text = {};
};

/// The name of a group, and its number among the query's groups; -1 for a point in time without a group. A group without a
/// name has a number.
struct GroupName {
    std::optional<std::string_view> text = {};
    std::int64_t number = -1;
};

struct ResultColumn {
    const char* name;
    ColumnType type;
};

/// The columns of a row type, each declared by its type and its name: "bigint people". Compilation fails for other texts.
template <std::size_t... sizes>
[[nodiscard]] consteval std::array<ResultColumn, sizeof...(sizes)> columns(
    const char (&... declared)[sizes]) {
    constexpr std::string_view types[] = {"text",  "number",   "integer", "bigint", "truth",
                                          "texts", "integers", "json",    "group"};
    const auto column = [&](const char* one) -> ResultColumn {
        const std::size_t size = std::string_view(one).find(' ');
        std::size_t type = 0;
        while (types[type] != std::string_view(one, size)) ++type;
        return {one + size + 1, static_cast<ColumnType>(type)};
    };
    return {column(declared)...};
}

/// The columns with which the rows of every estimate begin.
inline constexpr auto answer_prefix =
    columns("text attribute", "text label", "text statistic", "number estimate", "number stderr",
            "number lower", "number upper", "bigint n", "group group_key", "text note", "text source");

/// The columns of an estimate: the prefix, and the columns that its function adds.
template <std::size_t... sizes>
[[nodiscard]] consteval auto answer_columns(const char (&... added)[sizes]) {
    std::array<ResultColumn, answer_prefix.size() + sizeof...(sizes)> all{};
    std::ranges::copy(answer_prefix, all.begin());
    if constexpr (sizeof...(sizes) > 0)
        std::ranges::copy(columns(added...), all.begin() + answer_prefix.size());
    return all;
}

/// A cell. Beside `known`, only the member of the column's type has a meaning.
struct ResultCell {
    bool known = false;      ///< false for NULL
    bool truth = false;      ///< of a group: whether it has a name
    double number = 0;       ///< never NaN
    std::int64_t whole = 0;  ///< of an integer, a bigint or a group
    std::string text = {};   ///< in UTF-8; a value of the type json is here, too
    std::vector<std::string> texts = {};
    std::vector<std::int32_t> integers = {};
};

/// The index of a row type's column, from 0. Without a column of this name and type, compilation fails.
template <const auto& columns>
[[nodiscard]] consteval std::size_t result_column(std::string_view name, ColumnType type) {
    std::size_t number = 0;
    while (number < std::size(columns) && !(columns[number].name == name && columns[number].type == type))
        ++number;
    if (number == std::size(columns)) throw "the row type has no column of this name and type";
    return number;
}

/// The cells of one row of a row type. A cell that is not written is NULL. A name or type that the row type does not
/// have is a compilation error, so no index is out of bounds.
template <const auto& columns>
class RowCells {
    template <ColumnType type>
    struct Name {
        // NOLINTNEXTLINE(google-explicit-constructor): a literal is the name.
        consteval Name(const char* name) : index(result_column<columns>(name, type)) {}
        std::size_t index;
    };

  public:
    /// Whether the row type has a column of this name.
    [[nodiscard]] static constexpr bool has(const char* name) {
        for (const ResultColumn& column : columns)
            if (std::string_view(column.name) == name) return true;
        return false;
    }

    /// A number; NULL if unknown.
    void put(Name<ColumnType::number> name, double number) noexcept {
        if (!std::isnan(number)) known(name.index).number = number;
    }
    void put(Name<ColumnType::integer> name, std::int32_t number) noexcept {
        known(name.index).whole = number;
    }
    void put(Name<ColumnType::bigint> name, std::uint64_t number) noexcept {
        known(name.index).whole = static_cast<std::int64_t>(number);
    }
    void put(Name<ColumnType::truth> name, bool truth) noexcept { known(name.index).truth = truth; }
    void put(Name<ColumnType::group> name, const GroupName& group) {
        ResultCell& cell = known(name.index);
        cell.text = group.text.value_or("");
        cell.truth = group.text.has_value();
        cell.whole = group.number;
    }
    void put(Name<ColumnType::text> name, std::string_view text) { known(name.index).text = text; }
    void put(Name<ColumnType::text> name, const char* text) { known(name.index).text = text; }
    void put(Name<ColumnType::json> name, const JsonText& json) { known(name.index).text = json.text; }
    void put(Name<ColumnType::texts> name, std::span<const std::string> texts) {
        known(name.index).texts.assign(texts.begin(), texts.end());
    }
    void put(Name<ColumnType::integers> name, std::span<const std::int32_t> numbers) {
        known(name.index).integers.assign(numbers.begin(), numbers.end());
    }

    [[nodiscard]] std::span<const ResultCell> all() const noexcept { return cells_; }
    /// Makes all cells NULL; their memory is kept for the next row.
    void clear() noexcept {
        for (ResultCell& cell : cells_) cell.known = false;
    }

  private:
    ResultCell& known(std::size_t index) noexcept {
        cells_[index].known = true;
        return cells_[index];
    }

    std::array<ResultCell, std::size(columns)> cells_ = {};
};

/// Rows of a result.
class Results {
  public:
    virtual ~Results() = default;
    Results(const Results&) = delete;
    Results& operator=(const Results&) = delete;

    [[nodiscard]] std::span<const ResultColumn> columns() const noexcept { return columns_; }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    /// Whether the rows have a column source that set_source() sets.
    [[nodiscard]] virtual bool takes_source() const noexcept {
        return std::ranges::any_of(
            columns_, [](const ResultColumn& one) { return std::string_view(one.name) == "source"; });
    }
    /// Sets what the column source has in all rows that have no source.
    void set_source(const std::string& source) { source_ = source; }
    /// Sets what the column group_key has in all rows. The name must outlive the rows.
    void set_group(const GroupName& group) { group_ = group; }
    /// Returns the cells of a row, one for each column. They are valid until the next call.
    [[nodiscard]] virtual std::span<const ResultCell> row(std::size_t number) = 0;
    /// Returns the cell of a row in the column of this name, which must exist.
    [[nodiscard]] const ResultCell& cell(std::size_t number, std::string_view column) {
        std::size_t at = 0;
        while (columns_[at].name != column) ++at;
        return row(number)[at];
    }

  protected:
    Results(std::span<const ResultColumn> columns, std::size_t count) noexcept
        : columns_(columns), count_(count) {}
    [[nodiscard]] const std::string& source() const noexcept { return source_; }
    [[nodiscard]] const std::optional<GroupName>& group() const noexcept { return group_; }

  private:
    std::span<const ResultColumn> columns_;
    std::size_t count_;
    std::string source_ = {};
    std::optional<GroupName> group_ = {};
};

template <const auto& row_type, class Rows>
class ResultsOf final : public Results {
  public:
    explicit ResultsOf(Rows rows) : Results(row_type, rows.count), rows_(std::move(rows)) {}
    std::span<const ResultCell> row(std::size_t number) override {
        cells_.clear();
        rows_.write(cells_, number);
        if constexpr (RowCells<row_type>::has("source"))
            if (!source().empty()) cells_.put("source", source());
        if constexpr (RowCells<row_type>::has("group_key"))
            if (group()) cells_.put("group_key", *group());
        return cells_.all();
    }

  private:
    Rows rows_;
    RowCells<row_type> cells_ = {};
};

/// Rows as results of a row type.
template <const auto& row_type, class Rows>
[[nodiscard]] std::unique_ptr<Results> results(Rows rows) {
    return std::make_unique<ResultsOf<row_type, Rows>>(std::move(rows));
}

/// The rows of several groups, one after another.
class GroupedResults final : public Results {
  public:
    /// The groups have at least one element; all have the same columns.
    explicit GroupedResults(std::vector<std::unique_ptr<Results>> groups)
        : Results(groups[0]->columns(), rows_in(groups)), groups_(std::move(groups)) {}
    /// Each group has its own source.
    [[nodiscard]] bool takes_source() const noexcept override { return false; }
    std::span<const ResultCell> row(std::size_t number) override {
        if (number < first_) group_ = 0, first_ = 0;
        for (; number - first_ >= groups_[group_]->count(); ++group_) first_ += groups_[group_]->count();
        return groups_[group_]->row(number - first_);
    }

  private:
    static std::size_t rows_in(const std::vector<std::unique_ptr<Results>>& groups) noexcept {
        std::size_t all = 0;
        for (const auto& one : groups) all += one->count();
        return all;
    }

    std::vector<std::unique_ptr<Results>> groups_;
    std::size_t group_ = 0, first_ = 0;  ///< the group of the last row, and the number of its first row
};

/// Reserves memory for rows. Throws std::bad_alloc above 1 GiB: results are bounded.
template <class Row>
void reserve_rows(std::vector<Row>& rows, std::size_t count) {
    if (count > (std::size_t{1} << 30) / sizeof(Row)) throw std::bad_alloc();
    rows.reserve(count);
}

}  // namespace ldp
