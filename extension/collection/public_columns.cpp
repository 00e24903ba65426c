#include "collection/public_columns.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "collection/session_plans.hpp"
#include "core/delivery/public_values.hpp"
#include "core/delivery/time_form.hpp"

extern "C" {
#include "access/htup_details.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
}

namespace ldp {

namespace {

/// Columns that ldp or the submission itself fills.
constexpr const char* internal[] = {"report", "batch", "round", "ldp_arrival", "ldp_token"};

/// What is known of a column, and its name, which is the caller's.
struct TargetColumn {
    PublicColumnValue column;
    std::int32_t modifier;
};

[[noreturn]] void refuse_column(Oid table, const char* name) {
    ereport(
        ERROR,
        (errcode(ERRCODE_UNDEFINED_COLUMN),
         errmsg("table \"%s\" has no public column \"%s\"", get_rel_name(table), name),
         errdetail(
             "Clients can set public columns only, not reports, rounds, or generated or internal columns."),
         errhint("SELECT * FROM ldp_public_columns(...) lists the public columns of a collection.")));
    pg_unreachable();
}

TargetColumn target_column(Oid table, char* name) {
    for (const char* other : internal)
        if (std::strcmp(name, other) == 0) refuse_column(table, name);
    HeapTuple found = SearchSysCacheAttName(table, name);
    if (!HeapTupleIsValid(found)) refuse_column(table, name);
    const auto* attribute = reinterpret_cast<Form_pg_attribute>(GETSTRUCT(found));
    const bool fillable = attribute->attnum > 0 && attribute->attgenerated == '\0' &&
                          attribute->attidentity != ATTRIBUTE_IDENTITY_ALWAYS;
    const TargetColumn target{{name, attribute->attnum, attribute->atttypid, 0, nullptr},
                              attribute->atttypmod};
    ReleaseSysCache(found);
    if (!fillable) refuse_column(table, name);
    return target;
}

/// A name that no attribute of a spec has. The fingerprint of a spec covers the names of its attributes.
struct CheckedName {
    char fingerprint[65], name[NAMEDATALEN];
};

/// The last names that this session checked.
struct CheckedNames {
    CheckedName names[64];
    std::size_t next;

    [[nodiscard]] bool contain(std::string_view fingerprint, std::string_view name) const noexcept {
        return std::ranges::any_of(names, [&](const CheckedName& one) {
            return name == one.name && fingerprint == one.fingerprint;
        });
    }
    void add(std::string_view fingerprint, std::string_view name) noexcept {
        CheckedName& one = names[next];
        if (fingerprint.size() >= sizeof one.fingerprint || name.size() >= sizeof one.name) return;
        *std::ranges::copy(fingerprint, one.fingerprint).out = '\0';
        *std::ranges::copy(name, one.name).out = '\0';
        next = (next + 1) % std::size(names);
    }
};

/// Raises an error if one of the columns has the name of an attribute of the table's collection.
void refuse_attributes(Oid table, const PublicTexts& all) {
    static CheckedNames checked;
    const StatementParameter reports{REGCLASSOID, ObjectIdGetDatum(table)};
    SPI_connect();
    if (run_kept(
            PlanCache::catalog,
            "SELECT c.fingerprint FROM ldp_internal.ldp_collection AS c WHERE c.reports OPERATOR(pg_catalog.=) $1",
            &reports, 1) == 1) {
        bool none;
        const std::string_view fingerprint =
            TextDatumGetCString(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &none));
        const auto is_checked = [&](const PublicText& one) { return checked.contain(fingerprint, one.name); };
        if (!std::all_of(all.texts, all.texts + all.count, is_checked)) {
            auto* names = static_cast<Datum*>(palloc(static_cast<std::size_t>(all.count) * sizeof(Datum)));
            for (int i = 0; i < all.count; ++i) names[i] = CStringGetTextDatum(all.texts[i].name);
            ArrayType* columns = construct_array(names, all.count, TEXTOID, -1, false, TYPALIGN_INT);
            const StatementParameter both[] = {reports, {TEXTARRAYOID, PointerGetDatum(columns)}};
            run_kept(PlanCache::catalog, "SELECT ldp_internal.ldp_check_public_columns($1, $2)", both, 2);
            for (int i = 0; i < all.count; ++i)
                if (!is_checked(all.texts[i])) checked.add(fingerprint, all.texts[i].name);
        }
    }
    SPI_finish();
}

/// Throws the error that is being handled once more, as one about the value of this column.
[[noreturn]] void rethrow(const char* name, const char* text, MemoryContextData* caller) {
    MemoryContextSwitchTo(caller);
    const int category = ERRCODE_TO_CATEGORY(geterrcode());
    if (category != ERRCODE_DATA_EXCEPTION && category != ERRCODE_INTEGRITY_CONSTRAINT_VIOLATION)
        PG_RE_THROW();
    ErrorData* error = CopyErrorData();
    FlushErrorState();
    error->detail =
        error->detail == nullptr ? error->message : psprintf("%s %s", error->message, error->detail);
    error->message = psprintf("invalid value for public column \"%s\": \"%s\"", name, text);
    ReThrowError(error);
    pg_unreachable();
}

/// Raises an error if a date or time is not in ISO 8601.
void check_form(Oid type, const char* name, const char* text) {
    const Oid base = getBaseType(type);
    if (base != DATEOID && base != TIMESTAMPOID && base != TIMESTAMPTZOID) return;
    const TimeForm form = time_form(text);
    const bool time = base != DATEOID;
    if (form == TimeForm::date || (time && (form == TimeForm::local || form == TimeForm::instant))) return;
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_DATETIME_FORMAT),
             errmsg("invalid value for public column \"%s\": \"%s\"", name, text),
             errdetail("The column has the type %s. Dates and times are in ISO 8601.", format_type_be(type)),
             time ? errhint("Write 2026-11-25 10:30 for UTC, or 2026-11-25 10:30+01.")
                  : errhint("Write 2026-11-25.")));
}

/// Returns the text of a time in UTC; a time without an offset is in UTC already. Text of other types is returned
/// as it is. DateStyle must be ISO.
char* in_utc(Oid type, char* text) {
    const Oid base = getBaseType(type);
    // PostgreSQL would drop the offset. An instant and its time in UTC are the same number.
    if (base == TIMESTAMPOID && time_form(text) == TimeForm::instant)
        return DatumGetCString(DirectFunctionCall1(
            timestamp_out, DirectFunctionCall3(timestamptz_in, CStringGetDatum(text),
                                               ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1))));
    return text;
}

/// Whether values of a type may be written in several ways, of which settings of the session choose one: times,
/// and types that contain others.
bool depends_on_session(Oid type) {
    char category = 0;
    bool preferred = false;
    get_type_category_preferred(getBaseType(type), &category, &preferred);
    return std::strchr("SNBE", category) == nullptr;
}

/// Converts text to the column's type.
void convert(TargetColumn& target, char* text) {
    PublicColumnValue& column = target.column;
    MemoryContextData* caller = CurrentMemoryContext;
    if (std::strlen(text) > PublicValues::longest_value)
        ereport(ERROR, (errcode(ERRCODE_STRING_DATA_RIGHT_TRUNCATION),
                        errmsg("the value of public column \"%s\" is too long", column.name),
                        errdetail("It has %zu bytes; at most %zu are allowed.", std::strlen(text),
                                  PublicValues::longest_value)));
    check_form(column.type, column.name, text);
    PG_TRY();
    {
        Oid input, parameter;
        getTypeInputInfo(column.type, &input, &parameter);
        const int settings = depends_on_session(column.type) ? NewGUCNestLevel() : 0;
        if (settings != 0) {
            for (const auto& [setting, value] : {std::pair{"DateStyle", "ISO, YMD"}, {"TimeZone", "UTC"}})
                (void)set_config_option(setting, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
                                        false);
        }
        column.value = OidInputFunctionCall(input, in_utc(column.type, text), parameter, target.modifier);
        if (settings != 0) AtEOXact_GUC(true, settings);
    }
    PG_CATCH();
    { rethrow(column.name, text, caller); }
    PG_END_TRY();
    // COPY reads the binary form; a type may have none.
    HeapTuple type = SearchSysCache1(TYPEOID, ObjectIdGetDatum(column.type));
    const auto* form = reinterpret_cast<Form_pg_type>(GETSTRUCT(type));
    const Oid send = OidIsValid(form->typreceive) ? form->typsend : InvalidOid;
    ReleaseSysCache(type);
    if (OidIsValid(send)) column.sent = OidSendFunctionCall(send, column.value);
}

/// The value of a key as text; null for null.
char* text_of(const JsonbValue& value) {
    switch (value.type) {
        case jbvNull:
            return nullptr;
        case jbvString:
            return pnstrdup(value.val.string.val, static_cast<Size>(value.val.string.len));
        case jbvNumeric:
            return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value.val.numeric)));
        case jbvBool:
            return pstrdup(value.val.boolean ? "true" : "false");
        default:
            return JsonbToCString(nullptr, value.val.binary.data, value.val.binary.len);
    }
}

}  // namespace

PublicTexts public_texts(FunctionCallInfo fcinfo, int argument) {
    PublicTexts all{nullptr, 0};
    if (fcinfo->nargs <= argument || PG_ARGISNULL(argument)) return all;
    Jsonb* values = PG_GETARG_JSONB_P(argument);
    if (JB_ROOT_IS_SCALAR(values) || !JB_ROOT_IS_OBJECT(values)) {
        JsonbValue scalar;
        if (JB_ROOT_IS_SCALAR(values) && JsonbExtractScalar(&values->root, &scalar) && scalar.type == jbvNull)
            return all;
        char* found = JsonbToCString(nullptr, &values->root, static_cast<int>(VARSIZE(values)));
        found[pg_mbcharcliplen(found, static_cast<int>(std::strlen(found)), 100)] = '\0';
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("the values of public columns must be a JSON object"),
                        errdetail("Found %s.", found), errhint("For example {\"country\": \"de\"}.")));
    }
    const std::uint32_t most = JB_ROOT_COUNT(values);
    all.texts = static_cast<PublicText*>(palloc0(most * sizeof(PublicText)));
    JsonbIterator* iterator = JsonbIteratorInit(&values->root);
    JsonbValue item;
    for (JsonbIteratorToken token = JsonbIteratorNext(&iterator, &item, true); token != WJB_DONE;
         token = JsonbIteratorNext(&iterator, &item, true)) {
        if (token != WJB_KEY) continue;
        char* name = pnstrdup(item.val.string.val, static_cast<Size>(item.val.string.len));
        JsonbIteratorNext(&iterator, &item, true);
        all.texts[all.count++] = {name, text_of(item)};
    }
    return all;
}

PublicColumns public_columns(Oid table, FunctionCallInfo fcinfo, int argument) {
    PublicColumns filled{nullptr, 0, true};
    const PublicTexts all = public_texts(fcinfo, argument);
    if (all.count == 0) return filled;
    refuse_attributes(table, all);
    filled.columns = static_cast<PublicColumnValue*>(
        palloc0(static_cast<std::size_t>(all.count) * sizeof(PublicColumnValue)));
    for (int i = 0; i < all.count; ++i) {
        const auto [name, text] = all.texts[i];
        TargetColumn target = target_column(table, name);
        if (text == nullptr) continue;
        convert(target, text);
        filled.sendable = filled.sendable && target.column.sent != nullptr;
        filled.columns[filled.count++] = target.column;
    }
    return filled;
}

/// (table, column, values): raises the error of an insertion for the first value that the column cannot have.
LDP_FUNCTION(ldp_check_values) {
    const Oid table = PG_GETARG_OID(0);
    PublicText column{text_to_cstring(PG_GETARG_TEXT_PP(1)), nullptr};
    refuse_attributes(table, {&column, 1});
    TargetColumn target = target_column(table, column.name);
    Datum* values = nullptr;
    bool* missing = nullptr;
    int count = 0;
    deconstruct_array(PG_GETARG_ARRAYTYPE_P(2), TEXTOID, -1, false, TYPALIGN_INT, &values, &missing, &count);
    for (int i = 0; i < count; ++i) {
        CHECK_FOR_INTERRUPTS();
        if (!missing[i]) convert(target, TextDatumGetCString(values[i]));
    }
    PG_RETURN_VOID();
}

}  // namespace ldp
