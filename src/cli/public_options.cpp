#include "cli/public_options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "client/in_quotes.hpp"
#include "core/base/error.hpp"
#include "core/delivery/time_form.hpp"

namespace ldp::cli {

namespace {

/// Kinds of SQL types.
enum class TypeKind { other, integer, number, truth, date, time };

TypeKind kind_of(std::string_view type) {
    if (type == "smallint" || type == "integer" || type == "bigint") return TypeKind::integer;
    if (type == "real" || type == "double precision" || type.starts_with("numeric")) return TypeKind::number;
    if (type == "boolean") return TypeKind::truth;
    if (type == "date") return TypeKind::date;
    if (type.starts_with("timestamp")) return TypeKind::time;
    return TypeKind::other;
}

/// Returns the whole text as a number; nothing if it is not a number.
template <class Number>
std::optional<Number> number(std::string_view text) {
    Number value{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size()) return {};
    return value;
}

/// Returns whether a text is a date, or a date and a time if `time_follows`, in the forms that the server takes.
bool dated(std::string_view text, bool time_follows) {
    const TimeForm form = time_form(text);
    return form == TimeForm::date || (time_follows && (form == TimeForm::local || form == TimeForm::instant));
}

bool is_truth(std::string_view text) {
    constexpr std::string_view known[] = {"true", "false", "t", "f", "yes", "no", "on", "off", "1", "0"};
    return std::ranges::find(known, text) != std::end(known);
}

bool fits(std::string_view type, std::string_view text) {
    switch (kind_of(type)) {
        case TypeKind::integer: {
            const auto value = number<std::int64_t>(text);
            if (!value) return false;
            const std::int64_t limit = type == "smallint"  ? INT16_MAX
                                       : type == "integer" ? INT32_MAX
                                                           : INT64_MAX;
            return *value <= limit && *value >= -limit - 1;
        }
        case TypeKind::number:
            return number<double>(text).has_value();
        case TypeKind::truth:
            return is_truth(text);
        case TypeKind::date:
            return dated(text, false);
        case TypeKind::time:
            return dated(text, true);
        case TypeKind::other:
            break;
    }
    return true;
}

const char* example(TypeKind kind) {
    switch (kind) {
        case TypeKind::date:
            return "Write dates as 2026-11-25.";
        case TypeKind::time:
            return "Write times as 2026-11-25 10:30:00+01; without an offset, the time is in UTC.";
        case TypeKind::truth:
            return "Write Boolean values as true or false.";
        default:
            return "Write numbers as 12 or -0.5, without spaces or separators.";
    }
}

}  // namespace

void add_public_options(Options& options) {
    namespace po = boost::program_options;
    options.add_options()(
        "public", po::value<std::vector<std::string>>(),
        "COLUMN or COLUMN=NAME, a public column of the collection and its column in the file. Its values "
        "are sent and stored unchanged, without randomization");
}

std::vector<NamedColumn> public_option(const Arguments& arguments) {
    std::vector<NamedColumn> all;
    if (arguments.count("public") == 0) return all;
    for (const std::string& given : arguments["public"].as<std::vector<std::string>>()) {
        const std::size_t end = given.find('=');
        const std::string name = given.substr(0, end);
        const std::string source = end == std::string::npos ? name : given.substr(end + 1);
        if (name.empty() || source.empty())
            throw UsageError("--public must be COLUMN or COLUMN=NAME, not " + in_quotes(given));
        if (std::ranges::find(all, name, &NamedColumn::name) != all.end())
            throw UsageError("--public names two columns for the public column " + in_quotes(name));
        all.push_back({name, source});
    }
    return all;
}

std::vector<PublicSource> public_sources(const std::vector<NamedColumn>& named,
                                         const std::vector<PublicColumn>& offered) {
    std::vector<PublicSource> sources;
    for (const auto& [name, source] : named) {
        const auto found = std::ranges::find(offered, name, &PublicColumn::name);
        if (found == offered.end())
            throw Error(ErrorCode::incompatible, "the collection has no public column " + in_quotes(name, 63),
                        {}, "Nothing was drawn or sent. Check the names in --public.");
        sources.push_back({*found, source});
    }
    for (const PublicColumn& one : offered)
        if (one.required && std::ranges::find(named, one.name, &NamedColumn::name) == named.end())
            throw Error(ErrorCode::incompatible,
                        "the collection requires the unchanged value of " + in_quotes(one.name, 63),
                        "Its table needs a value in this public column. The value would be sent and stored "
                        "without protection.",
                        "Nothing was drawn or sent. Name a column in --public if you agree to send it.");
    return sources;
}

bool is_public_number(const PublicColumn& column) {
    const TypeKind kind = kind_of(column.type);
    return kind == TypeKind::integer || kind == TypeKind::number;
}

void set_public_value(PublicValues& values, const PublicColumn& column, std::string_view field) {
    if (field.empty()) {
        if (column.required)
            throw Error(ErrorCode::invalid_value, "public column " + in_quotes(column.name) + " has no value",
                        "The column cannot be NULL and has no default.");
        return;
    }
    if (!fits(column.type, field))
        throw Error(ErrorCode::invalid_value,
                    "invalid value for public column " + in_quotes(column.name) + ": " + in_quotes(field),
                    "The column has the type " + in_quotes(column.type, 63) + ".",
                    example(kind_of(column.type)));
    values.set(column.name, field);
}

Error refused_value(const std::string& column, const std::string& value, const std::string& reason) {
    return {ErrorCode::invalid_value,
            "invalid value for public column " + in_quotes(column, 63) + ": " + in_quotes(value),
            server_says(reason)};
}

}  // namespace ldp::cli
