// Summaries and their results, without a server.

#include <variant>

#include "capi/c_boundary.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/results/row_functions.hpp"
#include "core/spec/json_object.hpp"
#include "core/summary/summary.hpp"

using namespace ldp;
using namespace ldp::capi;

namespace ldp::capi {

namespace {

/// Arguments that a query views.
class QueryArguments {
  public:
    QueryArguments(const RowFunction& function, const Json& object) : query_(function.defaults) {
        for (const QueryParameter& parameter : function.parameters) {
            const auto found = object.find(parameter.name);
            if (found != object.end() && !found->is_null())
                std::visit([&](auto member) { read(member, *found, parameter.name); }, parameter.member);
            else if (parameter.required)
                raise(ErrorCode::invalid_value, std::string("the query has no \"") + parameter.name + "\"",
                      std::string("The arguments of ") + function.name + " are " + names(function) + ".");
        }
        for (const auto& [key, value] : object.items())
            if (key != "function" && std::ranges::find(function.parameters, key, &QueryParameter::name) ==
                                         function.parameters.end())
                raise(ErrorCode::invalid_value, "the query has an unknown key " + shown(Json(key)),
                      std::string("The arguments of ") + function.name + " are " + names(function) + ".");
    }
    [[nodiscard]] const SummaryQuery& query() const noexcept { return query_; }

  private:
    static std::string names(const RowFunction& function) {
        std::string all;
        for (const QueryParameter& one : function.parameters)
            all += (all.empty() ? "" : ", ") + std::string(one.name);
        return all.empty() ? "none" : all;
    }
    [[noreturn]] static void refuse(const char* name, const char* allowed, const Json& found) {
        raise(ErrorCode::invalid_value, std::string("argument \"") + name + "\" must be " + allowed,
              "Found " + shown(found) + ".");
    }
    template <class Whole>
    static Whole whole(const Json& found, const char* name) {
        if (!found.is_number_integer() ||
            !(found.get<double>() >= static_cast<double>(std::numeric_limits<Whole>::min()) &&
              found.get<double>() <= static_cast<double>(std::numeric_limits<Whole>::max())))
            refuse(name, "a whole number", found);
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
    template <class Element, class Read>
    std::span<const Element> list(std::vector<std::unique_ptr<std::vector<Element>>>& all, const Json& found,
                                  const char* name, Read one) {
        if (!found.is_array()) refuse(name, "an array", found);
        std::vector<Element>& elements = *all.emplace_back(std::make_unique<std::vector<Element>>());
        for (const Json& element : found) elements.push_back(one(element));
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
        return list<std::string_view>(word_lists_, found.is_array() ? flat : found, name,
                                      [&](const Json& one) { return word(one, name); });
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
        const std::string_view digits = word(found, name);
        std::vector<std::byte>& bytes = *byte_lists_.emplace_back(std::make_unique<std::vector<std::byte>>());
        bytes.resize(digits.size() / 2);
        if (digits.size() % 2 != 0 || !from_hex(digits, bytes.data()))
            refuse(name, "a summary in hexadecimal", found);
        query_.*member = bytes;
    }
    void read(std::span<const double> SummaryQuery::*member, const Json& found, const char* name) {
        query_.*member =
            list<double>(number_lists_, found, name, [&](const Json& one) { return number(one, name); });
    }
    void read(std::span<const std::int32_t> SummaryQuery::*member, const Json& found, const char* name) {
        query_.*member = list<std::int32_t>(whole_lists_, found, name,
                                            [&](const Json& one) { return whole<std::int32_t>(one, name); });
    }
    void read(SummaryQuery::Texts SummaryQuery::*member, const Json& found, const char* name) {
        query_.*member = words(found, name);
    }
    void read(std::optional<std::string_view> SummaryQuery::*member, const Json& found, const char* name) {
        query_.*member = word(found, name);
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

    SummaryQuery query_;
    std::vector<std::unique_ptr<std::string>> texts_ = {};
    std::vector<std::unique_ptr<std::vector<std::string_view>>> word_lists_ = {};
    std::vector<std::unique_ptr<std::vector<double>>> number_lists_ = {};
    std::vector<std::unique_ptr<std::vector<std::int32_t>>> whole_lists_ = {};
    std::vector<std::unique_ptr<std::vector<std::byte>>> byte_lists_ = {};
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

std::string json_rows(Results& results) {
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

}  // namespace

}  // namespace ldp::capi

ldp_status ldp_summarize(const ldp_collection* collection, const uint8_t* reports, size_t count,
                         const int32_t* rounds, uint8_t** summary, size_t* size, ldp_error** error) {
    return guarded(error, [&] {
        auto& made = place(summary, "place for the summary");
        auto& made_size = place(size, "place for the size");
        need(collection, "collection");
        if (count > 0) need(reports, "array of reports");
        const Mechanism& mechanism = collection->collection.mechanism();
        const std::size_t each = ldp_collection_report_size(collection);
        std::vector<std::byte> counted(summary_size(mechanism));
        start_summary(mechanism, counted);
        for (std::size_t i = 0; i < count; ++i) {
            const Bytes report{reinterpret_cast<const std::byte*>(reports) + i * each, each};
            const Rounds round = rounds == nullptr ? Rounds::unrecorded() : Rounds::only(rounds[i]);
            const Outcome outcome = accumulate(mechanism, counted, report, round);
            if (outcome != Outcome::ok) {
                check_report(mechanism, report);
                raise_outcome(outcome, counted, report);
            }
        }
        made = handed_over<uint8_t>(counted.data(), counted.size());
        made_size = counted.size();
    });
}

ldp_status ldp_query_summary(const ldp_collection* collection, const uint8_t* summary, size_t size,
                             const char* query, size_t length, char** rows, ldp_error** error) {
    return guarded(error, [&] {
        auto& made = place(rows, "place for the rows");
        need(summary, "summary");
        // A second summary may be large.
        need(query, "query");
        const std::string_view text_of_query(query, length == LDP_TO_END ? std::strlen(query) : length);
        const Json object = json_of(text_of_query, Unsound::allowed);
        const auto name = object.is_object() ? object.find("function") : object.end();
        if (name == object.end() || !name->is_string())
            raise(ErrorCode::malformed, "the query is no JSON object with the key \"function\"",
                  object.is_discarded() ? "" : "Found " + shown(object) + ".",
                  "For example: {\"function\": \"means\", \"confidence\": 0.9}.");
        const RowFunction& function = row_function(name->get<std::string>());
        const QueryArguments arguments(function, object);
        const Labels labels =
            collection == nullptr ? Labels() : Labels(collection->collection.spec().attributes());
        const Bytes bytes{reinterpret_cast<const std::byte*>(summary), size};
        if (collection != nullptr && !is_summary_of(collection->collection.mechanism(), bytes)) {
            (void)checked_mechanism(bytes);  // bytes that are no summary are that error
            raise_incompatible(collection->collection.mechanism().block(), bytes);
        }
        const std::unique_ptr<Results> found =
            function.find({.summary = bytes, .labels = &labels}, arguments.query());
        const std::string all = json_rows(*found);
        made = handed_over<char>(all.data(), all.size());
    });
}
