#include "summary_rows.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <variant>

extern "C" {
#include "utils/json.h"
#include "utils/jsonb.h"
}

using namespace ldp;

namespace {

constexpr std::size_t most_columns = 32;

Oid sql_type(ColumnType type) noexcept {
    switch (type) {
        case ColumnType::text:
            return TEXTOID;
        case ColumnType::number:
            return FLOAT8OID;
        case ColumnType::integer:
            return INT4OID;
        case ColumnType::bigint:
            return INT8OID;
        case ColumnType::truth:
            return BOOLOID;
        case ColumnType::texts:
            return TEXTARRAYOID;
        case ColumnType::integers:
            return INT4ARRAYOID;
        case ColumnType::json:
        case ColumnType::group:
            return JSONBOID;
    }
    return InvalidOid;
}

Datum text_array(const std::vector<std::string>& texts) {
    auto* words = static_cast<Datum*>(palloc(sizeof(Datum) * (texts.size() + 1)));
    for (std::size_t i = 0; i < texts.size(); ++i) words[i] = text_datum(texts[i]);
    return PointerGetDatum(
        construct_array(words, static_cast<int>(texts.size()), TEXTOID, -1, false, TYPALIGN_INT));
}

Datum number_array(const std::vector<std::int32_t>& numbers) {
    auto* all = static_cast<Datum*>(palloc(sizeof(Datum) * (numbers.size() + 1)));
    for (std::size_t i = 0; i < numbers.size(); ++i) all[i] = Int32GetDatum(numbers[i]);
    return PointerGetDatum(construct_array(all, static_cast<int>(numbers.size()), INT4OID,
                                           sizeof(std::int32_t), true, TYPALIGN_INT));
}

Datum cell_value(ColumnType type, const ResultCell& cell) {
    switch (type) {
        case ColumnType::text:
            return text_datum(cell.text);
        case ColumnType::number:
            return Float8GetDatum(cell.number);
        case ColumnType::integer:
            return Int32GetDatum(static_cast<std::int32_t>(cell.whole));
        case ColumnType::bigint:
            return Int64GetDatum(cell.whole);
        case ColumnType::truth:
            return BoolGetDatum(cell.truth);
        case ColumnType::texts:
            return text_array(cell.texts);
        case ColumnType::integers:
            return number_array(cell.integers);
        case ColumnType::json:
        case ColumnType::group:
            return json_value(cell.text.c_str());
    }
    pg_unreachable();
}

void release(void* kept) noexcept {
    static_cast<KeptResults*>(kept)->~KeptResults();
}

/// The names of groups, as UTF-8.
SummaryQuery::OptionalTexts names_of(ArrayType* array) {
    Datum* values;
    bool* missing;
    int count;
    deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &values, &missing, &count);
    using Word = std::optional<std::string_view>;
    auto* words = static_cast<Word*>(palloc(sizeof(Word) * (static_cast<std::size_t>(count) + 1)));
    for (int i = 0; i < count; ++i) {
        new (&words[i]) Word();
        if (!missing[i]) words[i] = core_text(TextDatumGetCString(values[i]));
    }
    return {words, static_cast<std::size_t>(count)};
}

/// The summaries of groups. Raises an error for NULL.
std::span<const Bytes> summaries_of(ArrayType* array) {
    Datum* values;
    bool* missing;
    int count;
    deconstruct_array(array, ARR_ELEMTYPE(array), -1, false, TYPALIGN_INT, &values, &missing, &count);
    auto* bytes = static_cast<Bytes*>(palloc(sizeof(Bytes) * (static_cast<std::size_t>(count) + 1)));
    for (int i = 0; i < count; ++i) {
        if (missing[i])
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a summary must not be NULL"),
                            errdetail("It is number %d of %d.", i + 1, count),
                            errhint("Omit groups without reports.")));
        new (&bytes[i]) Bytes(contents(PG_DETOAST_DATUM_PACKED(values[i])));
        check_state_size(bytes[i].size());
    }
    return {bytes, static_cast<std::size_t>(count)};
}

/// The name of the only column of a group; null if it has several columns, or is NULL.
const char* only_column(Datum group) {
    if (group == 0) return nullptr;
    Jsonb* object = DatumGetJsonbP(group);
    if (!JB_ROOT_IS_OBJECT(object) || JB_ROOT_COUNT(object) != 1) return nullptr;
    JsonbIterator* iterator = JsonbIteratorInit(&object->root);
    JsonbValue key;
    JsonbIteratorNext(&iterator, &key, true);
    JsonbIteratorNext(&iterator, &key, true);
    return pnstrdup(key.val.string.val, static_cast<std::size_t>(key.val.string.len));
}

/// The columns of groups; the null pointer for NULL.
GroupKeys keys_of(ArrayType* groups) {
    Datum* rows;
    bool* missing;
    int count;
    deconstruct_array(groups, ARR_ELEMTYPE(groups), -1, false, TYPALIGN_DOUBLE, &rows, &missing, &count);
    GroupKeys keys{.count = static_cast<std::size_t>(count)};
    auto* values = static_cast<Datum*>(palloc(sizeof(Datum) * (static_cast<std::size_t>(count) + 1)));
    for (int i = 0; i < count; ++i) {
        bool none = missing[i];
        values[i] = none ? Datum{0} : GetAttributeByNum(DatumGetHeapTupleHeader(rows[i]), 1, &none);
        if (none) values[i] = 0;
    }
    if (count > 0)
        if (const char* column = only_column(values[0])) keys.column = column;
    keys.values = values;
    return keys;
}

/// The columns of groups as the names that objects in JSON are; no name for the null pointer.
SummaryQuery::OptionalTexts objects_of(const GroupKeys& keys) {
    using Word = std::optional<std::string_view>;
    auto* words = static_cast<Word*>(palloc(sizeof(Word) * (keys.count + 1)));
    for (std::size_t i = 0; i < keys.count; ++i) {
        new (&words[i]) Word();
        if (keys.values[i] == 0) continue;
        Jsonb* object = DatumGetJsonbP(keys.values[i]);
        words[i] = core_text(JsonbToCString(nullptr, &object->root, static_cast<int>(VARSIZE(object))));
    }
    return {words, keys.count};
}

/// Reads one argument into the member of the query that it belongs to.
struct ArgumentReader {
    FunctionCallInfo fcinfo;
    int number;
    const char* name;
    SummaryQuery* query;

    void operator()(bool SummaryQuery::*member) const { query->*member = PG_GETARG_BOOL(number); }
    void operator()(double SummaryQuery::*member) const { query->*member = PG_GETARG_FLOAT8(number); }
    void operator()(std::int32_t SummaryQuery::*member) const { query->*member = PG_GETARG_INT32(number); }
    void operator()(std::int64_t SummaryQuery::*member) const { query->*member = PG_GETARG_INT64(number); }
    void operator()(std::string_view SummaryQuery::*member) const {
        query->*member = word_argument(fcinfo, number);
    }
    void operator()(JsonText SummaryQuery::*member) const {
        query->*member = {json_argument(fcinfo, number)};
    }
    /// A second source; empty if it has no reports.
    void operator()(Bytes SummaryQuery::*member) const {
        query->*member = within_limit(source_summary(fcinfo, number).value_or(Bytes()));
    }
    void operator()(std::span<const double> SummaryQuery::*member) const {
        const Numbers numbers = numbers_argument(fcinfo, number);
        query->*member = {numbers.numbers, numbers.count};
    }
    void operator()(std::span<const std::int32_t> SummaryQuery::*member) const {
        Datum* values;
        bool* missing;
        int count;
        deconstruct_array(PG_GETARG_ARRAYTYPE_P(number), INT4OID, sizeof(std::int32_t), true, TYPALIGN_INT,
                          &values, &missing, &count);
        auto* numbers =
            static_cast<std::int32_t*>(palloc(sizeof(std::int32_t) * (static_cast<std::size_t>(count) + 1)));
        std::size_t known = 0;
        for (int i = 0; i < count; ++i)
            if (!missing[i]) numbers[known++] = DatumGetInt32(values[i]);
        query->*member = {numbers, known};
    }
    void operator()(SummaryQuery::Texts SummaryQuery::*member) const {
        query->*member = texts_argument(fcinfo, number, name);
    }
    void operator()(std::optional<std::string_view> SummaryQuery::*member) const {
        query->*member = word_argument(fcinfo, number);
    }
    void operator()(std::optional<double> SummaryQuery::*member) const {
        query->*member = PG_GETARG_FLOAT8(number);
    }
    void operator()(std::optional<std::int32_t> SummaryQuery::*member) const {
        query->*member = PG_GETARG_INT32(number);
    }
    void operator()(std::optional<JsonText> SummaryQuery::*member) const {
        query->*member = JsonText{json_argument(fcinfo, number)};
    }
    void operator()(std::optional<SummaryQuery::Texts> SummaryQuery::*member) const {
        if (member == &SummaryQuery::texts) {
            const ArrayType* array = PG_GETARG_ARRAYTYPE_P(number);
            if (ARR_NDIM(array) != 0 && (ARR_NDIM(array) != 2 || ARR_DIMS(array)[1] != 2))
                ereport(ERROR,
                        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                         errmsg("texts must be an array of pairs of an attribute and a text"),
                         errhint("Use an array such as '{{brand,acme},{brand,globex}}', or the pairs of "
                                 "attribute and label from ldp_frequent_strings.")));
        }
        query->*member = texts_argument(fcinfo, number, name);
    }
    void operator()(SummaryQuery::OptionalTexts SummaryQuery::*member) const {
        query->*member = names_of(PG_GETARG_ARRAYTYPE_P(number));
    }
    void operator()(std::span<const Bytes> SummaryQuery::*member) const {
        query->*member = summaries_of(PG_GETARG_ARRAYTYPE_P(number));
    }
};

/// Reads arguments from a number on; NULL leaves the default.
void read_arguments(FunctionCallInfo fcinfo, int number, std::span<const QueryParameter> parameters,
                    SummaryQuery& query) {
    for (const QueryParameter& parameter : parameters) {
        if (!PG_ARGISNULL(number))
            std::visit(ArgumentReader{fcinfo, number, parameter.name, &query}, parameter.member);
        ++number;
    }
}

/// The number of the first argument behind the source, and behind the grouping columns of a source of groups unless they are
/// an argument of the function.
int first_argument(const RowFunction& function) noexcept {
    return function.groups == GroupUse::required ? 2 : 1;
}

/// The number of the argument that names a column of weights; nothing if the function has none.
std::optional<int> weight_argument(const RowFunction& function) {
    const QueryParameter::Member weights = &SummaryQuery::weight_column;
    const auto found = std::ranges::find(function.parameters, weights, &QueryParameter::member);
    if (found == function.parameters.end()) return std::nullopt;
    return first_argument(function) + static_cast<int>(found - function.parameters.begin());
}

/// Whether a missing argument is NULL in SQL, too.
bool is_optional(const QueryParameter& parameter) noexcept {
    return std::visit(
        []<class Type>(Type SummaryQuery::*) {
            return std::is_same_v<Type, std::optional<std::string_view>> ||
                   std::is_same_v<Type, std::optional<double>> ||
                   std::is_same_v<Type, std::optional<std::int32_t>> ||
                   std::is_same_v<Type, std::optional<JsonText>> ||
                   std::is_same_v<Type, std::optional<SummaryQuery::Texts>>;
        },
        parameter.member);
}

/// Whether no argument from a number on is NULL that must not be.
bool are_given(FunctionCallInfo fcinfo, int number, std::span<const QueryParameter> parameters) {
    for (const QueryParameter& parameter : parameters) {
        if (PG_ARGISNULL(number) && !is_optional(parameter)) return false;
        ++number;
    }
    return true;
}

/// The labels of groups. May jump.
Subject subject_of_groups(FunctionCallInfo fcinfo, const SummaryQuery& query) {
    Subject subject;
    if (!query.summaries.empty()) subject.labels = &summary_labels(fcinfo, query.summaries[0]);
    return subject;
}

/// Whether a second source has no reports.
bool lacks_reports(const RowFunction& function, const SummaryQuery& query) noexcept {
    return std::ranges::any_of(function.parameters, [&](const QueryParameter& parameter) {
        const auto* const other = std::get_if<Bytes SummaryQuery::*>(&parameter.member);
        return other != nullptr && (query.**other).empty();
    });
}

}  // namespace

namespace ldp {

KeptResults* new_results() {
    auto* kept = new (palloc(sizeof(KeptResults))) KeptResults{};
    kept->callback.func = release;
    kept->callback.arg = kept;
    MemoryContextRegisterResetCallback(CurrentMemoryContext, &kept->callback);
    return kept;
}

void check_columns(FunctionCallInfo fcinfo, TupleDesc result, std::span<const ResultColumn> columns) {
    SqlColumn written[most_columns];
    for (std::size_t i = 0; i < columns.size(); ++i)
        written[i] = {columns[i].name, sql_type(columns[i].type)};
    check_columns(fcinfo, result, std::span<const SqlColumn>(written, columns.size()));
}

void check_columns(FunctionCallInfo fcinfo, TupleDesc result, std::span<const SqlColumn> columns) {
    const auto found = static_cast<std::size_t>(result->natts);
    for (std::size_t i = 0; i < std::max(found, columns.size()); ++i) {
        const FormData_pg_attribute* returned =
            i < found ? TupleDescAttr(result, static_cast<int>(i)) : nullptr;
        const SqlColumn* written = i < columns.size() ? &columns[i] : nullptr;
        if (returned != nullptr && written != nullptr && returned->atttypid == written->type &&
            std::string_view(NameStr(returned->attname)) == written->name)
            continue;
        const char* column = written != nullptr ? written->name : NameStr(returned->attname);
        ereport(
            ERROR,
            (errcode(ERRCODE_INTERNAL_ERROR),
             errmsg("result columns of function %s do not match the library",
                    get_func_name(fcinfo->flinfo->fn_oid)),
             returned == nullptr  ? errdetail("Column \"%s\" is not returned.", column)
             : written == nullptr ? errdetail("Column \"%s\" is not written.", column)
                                  : errdetail("Column %d is \"%s\" of type %s; \"%s\" of type %s is written.",
                                              static_cast<int>(i) + 1, NameStr(returned->attname),
                                              format_type_be(returned->atttypid), written->name,
                                              format_type_be(written->type)),
             errhint("The extension's script and library are of different versions: run ALTER EXTENSION ldp "
                     "UPDATE, and connect again.")));
    }
}

namespace {

/// The columns of the group, or an object with its name: times between groups have rows without a group.
Datum group_value(const GroupKeys& keys, const ResultCell& group) {
    if (group.whole >= 0) return keys.values[group.whole];
    StringInfoData text;
    initStringInfo(&text);
    appendStringInfoChar(&text, '{');
    escape_json(&text, keys.column);
    appendStringInfoChar(&text, ':');
    escape_json(&text, server_text(group.text.c_str()));
    appendStringInfoChar(&text, '}');
    return DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data));
}

}  // namespace

Datum KeptResults::row(std::size_t number, TupleDesc shape) const {
    const std::span<const ResultCell> cells = results->row(number);
    Datum values[most_columns] = {};
    bool missing[most_columns];
    for (std::size_t i = 0; i < cells.size(); ++i) {
        missing[i] = !cells[i].known;
        const ColumnType type = results->columns()[i].type;
        if (!cells[i].known) continue;
        values[i] = type == ColumnType::group ? group_value(groups, cells[i]) : cell_value(type, cells[i]);
        missing[i] = type == ColumnType::group && values[i] == 0;
    }
    return HeapTupleGetDatum(heap_form_tuple(shape, values, missing));
}

SummaryQuery::Texts texts_argument(FunctionCallInfo fcinfo, int number, const char* of) {
    if (std::strcmp(of, "strings") == 0 && array_contains_nulls(PG_GETARG_ARRAYTYPE_P(number)))
        ereport(ERROR,
                (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("a string must not be NULL"),
                 errhint("Remove the NULL element. The empty string counts people without a string.")));
    Datum* values;
    bool* missing;
    int count;
    deconstruct_array(PG_GETARG_ARRAYTYPE_P(number), TEXTOID, -1, false, TYPALIGN_INT, &values, &missing,
                      &count);
    auto* words = static_cast<std::string_view*>(
        palloc(sizeof(std::string_view) * (static_cast<std::size_t>(count) + 1)));
    for (int i = 0; i < count; ++i) {
        if (missing[i])
            ereport(ERROR,
                    (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                     errmsg("name of %s must not be NULL",
                            std::strcmp(of, "by") == 0 ? "a column" : "an attribute"),
                     errdetail("It is number %d of %d.", i + 1, count), errhint("Remove the NULL element.")));
        new (&words[i]) std::string_view(core_text(TextDatumGetCString(values[i])));
    }
    return {words, static_cast<std::size_t>(count)};
}

SummaryQuery query_arguments(FunctionCallInfo fcinfo, const RowFunction& function) {
    SummaryQuery query = function.defaults;
    read_arguments(fcinfo, first_argument(function), function.parameters, query);
    return query;
}

bool has_arguments(FunctionCallInfo fcinfo, const RowFunction& function) {
    return !PG_ARGISNULL(0) && are_given(fcinfo, first_argument(function), function.parameters);
}

Datum source_rows(FunctionCallInfo fcinfo, const char* name) {
    return result_rows(fcinfo, [=](KeptResults& kept) {
        const RowFunction& function = row_function(name);
        if (!has_arguments(fcinfo, function)) return;
        SummaryQuery query = query_arguments(fcinfo, function);
        std::optional<Subject> subject;
        const int by = function.may_have_groups()
                           ? first_argument(function) + static_cast<int>(function.parameters.size())
                           : 1;
        if (function.needs_groups() ||
            (function.may_have_groups() && (!PG_ARGISNULL(by) || is_groups(PG_GETARG_DATUM(0))))) {
            const SourceGroups groups = source_groups(fcinfo, by, weight_argument(function));
            query.groups = names_of(groups.names);
            query.summaries = summaries_of(groups.summaries);
            kept.groups = keys_of(groups.groups);
            if (function.has_columns()) query.groups = objects_of(kept.groups);
            subject = subject_of_groups(fcinfo, query);
            if (function.may_have_groups() && query.summaries.empty()) return;
        } else {
            subject = source_argument(fcinfo);
            if (!subject || lacks_reports(function, query)) return;
        }
        kept.results = function.rows(*subject, query);
    });
}

}  // namespace ldp
