#include "core/results/json_query.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/json.hpp"
#include "core/base/number_text.hpp"
#include "core/base/text.hpp"
#include "core/contract/json_object.hpp"
#include "core/results/row_functions.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

// The library of JSON writes values recursively, so a document nested too deeply would exhaust the stack.
Json parsed_query(std::string_view text) {
    constexpr int max_depth = 8;
    return json_of(text, Unsound::allowed, [](int depth, Json::parse_event_t, const Json&) {
        if (depth > max_depth)
            raise(ErrorCode::malformed, "the query is nested too deeply",
                  "A query has at most " + std::to_string(max_depth) + " levels.");
        return true;
    });
}

namespace {

/// Whether a query has groups instead of a summary.
bool is_grouped(const RowFunction& function, const Json& object) {
    return function.needs_groups() ||
           (function.may_have_groups() && (object.contains("groups") || object.contains("summaries")));
}

/// Arguments that a query views.
class QueryArguments {
  public:
    QueryArguments(const RowFunction& function, const Json& object) : query_(function.defaults) {
        if (is_grouped(function, object))
            parameters_.assign(group_parameters().begin(), group_parameters().end());
        parameters_.insert(parameters_.end(), function.parameters.begin(), function.parameters.end());
        for (const QueryParameter& parameter : parameters_) {
            const auto found = object.find(parameter.name);
            if (found != object.end() && !found->is_null())
                std::visit([&](auto member) { read(member, *found, parameter.name); }, parameter.member);
            else if (parameter.required)
                raise(ErrorCode::invalid_value, std::string("the query has no \"") + parameter.name + "\"",
                      std::string("The arguments of ") + function.name + " are " + names() + ".");
        }
        for (const auto& [key, value] : object.items())
            if (key != "function" &&
                std::ranges::find(parameters_, key, &QueryParameter::name) == parameters_.end())
                raise(ErrorCode::invalid_value, "the query has an unknown key " + shown(Json(key)),
                      std::string("The arguments of ") + function.name + " are " + names() + ".");
    }
    [[nodiscard]] const SummaryQuery& query() const noexcept { return query_; }

  private:
    [[nodiscard]] std::string names() const {
        std::string all;
        for (const QueryParameter& one : parameters_)
            all += (all.empty() ? "" : ", ") + std::string(one.name);
        return all.empty() ? "none" : all;
    }
    [[noreturn]] static void refuse(const char* name, const char* allowed, const Json& found) {
        raise(ErrorCode::invalid_value, std::string("argument \"") + name + "\" must be " + allowed,
              "Found " + shown(found) + ".");
    }
    template <class Whole>
    static Whole whole(const Json& found, const char* name) {
        const bool in_range =
            found.is_number_unsigned()
                ? std::in_range<Whole>(found.get<std::uint64_t>())
                : found.is_number_integer() && std::in_range<Whole>(found.get<std::int64_t>());
        if (!in_range) refuse(name, "a whole number", found);
        return found.get<Whole>();
    }
    static double number(const Json& found, const char* name) {
        if (!found.is_number()) refuse(name, "a number", found);
        return found.get<double>();
    }
    std::string_view kept(std::string text) {
        return *texts_.emplace_back(std::make_unique<std::string>(std::move(text)));
    }
    std::string_view word(const Json& found, const char* name) {
        if (!found.is_string()) refuse(name, "a text", found);
        return kept(found.get<std::string>());
    }
    Bytes bytes(const Json& found, const char* name) {
        if (!found.is_string()) refuse(name, "a summary in hexadecimal", found);
        const auto& digits = found.get_ref<const std::string&>();
        std::vector<std::byte>& all = *byte_lists_.emplace_back(std::make_unique<std::vector<std::byte>>());
        all.resize(digits.size() / 2);
        if (digits.size() % 2 != 0 || !from_hex(digits, all.data()))
            refuse(name, "a summary in hexadecimal", found);
        return all;
    }
    template <class Element, class Read>
    std::span<const Element> list(std::vector<std::unique_ptr<std::vector<Element>>>& all, const Json& found,
                                  Read one) {
        std::vector<Element>& elements = *all.emplace_back(std::make_unique<std::vector<Element>>());
        if (found.is_array())
            for (const Json& element : found) elements.push_back(one(element));
        else
            elements.push_back(one(found));
        return elements;
    }
    SummaryQuery::Texts words(const Json& found, const char* name) {
        // Pairs of texts may be arrays, too.
        Json flat = Json::array();
        if (found.is_array())
            for (const Json& element : found) {
                if (!element.is_array())
                    flat.push_back(element);
                else
                    flat.insert(flat.end(), element.begin(), element.end());
            }
        return list<std::string_view>(word_lists_, found.is_array() ? flat : found,
                                      [&](const Json& one) { return word(one, name); });
    }

    void read(bool SummaryQuery::*member, const Json& found, const char* name) {
        if (!found.is_boolean()) refuse(name, "true or false", found);
        query_.*member = found.get<bool>();
    }
    void read(double SummaryQuery::*member, const Json& found, const char* name) {
        query_.*member = number(found, name);
    }
    void read(std::int32_t SummaryQuery::*member, const Json& found, const char* name) {
        query_.*member = whole<std::int32_t>(found, name);
    }
    void read(std::int64_t SummaryQuery::*member, const Json& found, const char* name) {
        query_.*member = whole<std::int64_t>(found, name);
    }
    void read(std::string_view SummaryQuery::*member, const Json& found, const char* name) {
        query_.*member = word(found, name);
    }
    void read(JsonText SummaryQuery::*member, const Json& found, const char*) {
        query_.*member = {kept(json_text(found))};
    }
    void read(Bytes SummaryQuery::*member, const Json& found, const char* name) {
        query_.*member = bytes(found, name);
    }
    void read(std::span<const double> SummaryQuery::*member, const Json& found, const char* name) {
        query_.*member =
            list<double>(number_lists_, found, [&](const Json& one) { return number(one, name); });
    }
    void read(std::span<const std::int32_t> SummaryQuery::*member, const Json& found, const char* name) {
        query_.*member = list<std::int32_t>(whole_lists_, found,
                                            [&](const Json& one) { return whole<std::int32_t>(one, name); });
    }
    void read(SummaryQuery::Texts SummaryQuery::*member, const Json& found, const char* name) {
        query_.*member = words(found, name);
    }
    void read(std::optional<std::string_view> SummaryQuery::*member, const Json& found, const char* name) {
        query_.*member = word(found, name);
    }
    void read(std::optional<double> SummaryQuery::*member, const Json& found, const char* name) {
        query_.*member = number(found, name);
    }
    void read(std::optional<std::int32_t> SummaryQuery::*member, const Json& found, const char* name) {
        query_.*member = whole<std::int32_t>(found, name);
    }
    void read(std::optional<JsonText> SummaryQuery::*member, const Json& found, const char*) {
        query_.*member = JsonText{kept(json_text(found))};
    }
    void read(std::optional<SummaryQuery::Texts> SummaryQuery::*member, const Json& found, const char* name) {
        query_.*member = words(found, name);
    }
    void read(SummaryQuery::OptionalTexts SummaryQuery::*member, const Json& found, const char* name) {
        using Word = std::optional<std::string_view>;
        query_.*member = list<Word>(optional_lists_, found, [&](const Json& one) {
            return one.is_null() ? Word() : Word(word(one, name));
        });
    }
    void read(std::span<const Bytes> SummaryQuery::*member, const Json& found, const char* name) {
        query_.*member =
            list<Bytes>(summary_lists_, found, [&](const Json& one) { return bytes(one, name); });
    }

    SummaryQuery query_;
    std::vector<QueryParameter> parameters_ = {};
    std::vector<std::unique_ptr<std::string>> texts_ = {};
    std::vector<std::unique_ptr<std::vector<std::string_view>>> word_lists_ = {};
    std::vector<std::unique_ptr<std::vector<double>>> number_lists_ = {};
    std::vector<std::unique_ptr<std::vector<std::int32_t>>> whole_lists_ = {};
    std::vector<std::unique_ptr<std::vector<std::byte>>> byte_lists_ = {};
    std::vector<std::unique_ptr<std::vector<std::optional<std::string_view>>>> optional_lists_ = {};
    std::vector<std::unique_ptr<std::vector<Bytes>>> summary_lists_ = {};
};

/// A number in JSON: the shortest text of the same double.
std::string json_number(double number) {
    if (std::isinf(number)) return number > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    return shortest(number);
}

template <class All, class Text>
std::string json_array(const All& all, Text text) {
    std::string list;
    for (const auto& one : all) list += (list.empty() ? "" : ",") + text(one);
    return "[" + list + "]";
}

std::string json_cell(ColumnType type, const ResultCell& cell) {
    const auto quoted = [](const std::string& text) { return json_text(Json(text)); };
    if (!cell.known) return "null";
    switch (type) {
        case ColumnType::text:
            return quoted(cell.text);
        case ColumnType::group:
            return cell.truth ? quoted(cell.text) : "null";
        case ColumnType::number:
            return json_number(cell.number);
        case ColumnType::integer:
        case ColumnType::bigint:
            return std::to_string(cell.whole);
        case ColumnType::truth:
            return cell.truth ? "true" : "false";
        case ColumnType::texts:
            return json_array(cell.texts, quoted);
        case ColumnType::integers:
            return json_array(cell.integers, [](std::int32_t one) { return std::to_string(one); });
        case ColumnType::json:
            return cell.text;
    }
    return "null";
}

std::string json_of_rows(Results& results) {
    std::string all;
    for (std::size_t row = 0; row < results.count(); ++row) {
        const std::span<const ResultCell> cells = results.row(row);
        all += row == 0 ? "{" : ",\n{";
        for (std::size_t i = 0; i < cells.size(); ++i)
            all += (i == 0 ? "\"" : ",\"") + std::string(results.columns()[i].name) +
                   "\":" + json_cell(results.columns()[i].type, cells[i]);
        all += "}";
    }
    return "[" + all + "]";
}

/// Throws Error (incompatible) unless the summary has the spec of this mechanism.
void check_spec(const Mechanism& mechanism, Bytes summary) {
    if (is_summary_of(mechanism, summary)) return;
    (void)checked_mechanism(summary);  // bytes that are no summary are that error
    raise_incompatible(mechanism.block(), summary);
}

}  // namespace

std::string rows_of_query(const Labels& labels, const Mechanism* mechanism, std::optional<Bytes> summary,
                          const Json& object) {
    const auto name = object.is_object() ? object.find("function") : object.end();
    if (name == object.end() || !name->is_string())
        raise(ErrorCode::malformed, "the query is not a JSON object with the key \"function\"",
              object.is_discarded() ? "" : "Found " + shown(object) + ".",
              "For example: {\"function\": \"estimate\", \"confidence\": 0.9}.");
    const RowFunction& function = row_function(name->get<std::string>());
    if (is_grouped(function, object) == summary.has_value())
        raise(ErrorCode::invalid_value,
              std::string("function \"") + function.name +
                  (summary ? "\" accepts only the summaries of its groups" : "\" needs a summary"));
    const QueryArguments arguments(function, object);
    const SummaryQuery& found = arguments.query();
    if (mechanism != nullptr) {
        if (summary) check_spec(*mechanism, *summary);
        for (const Bytes one : found.summaries) check_spec(*mechanism, one);
    }
    const std::unique_ptr<Results> rows =
        function.rows({.summary = summary.value_or(Bytes()), .labels = &labels}, found);
    return json_of_rows(*rows);
}

std::string json_rows(const Labels& labels, const Mechanism* mechanism, std::optional<Bytes> summary,
                      std::string_view query) {
    return rows_of_query(labels, mechanism, summary, parsed_query(query));
}

}  // namespace ldp
