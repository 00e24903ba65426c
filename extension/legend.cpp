#include "legend.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "core/spec/spec.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
}

namespace ldp {

namespace {

char* fingerprint(Bytes summary) {
    return keep(fingerprint_text(read_header(summary, Kind::summary).fingerprint));
}

/// ldp_legend(fingerprint), beside the function that was called.
Jsonb* look_up(FunctionCallInfo fcinfo, const char* fingerprint) {
    char* schema = get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid));
    char name[] = "ldp_legend";
    const Oid argument = TEXTOID;
    const Oid function =
        LookupFuncName(list_make2(makeString(schema), makeString(name)), 1, &argument, false);
    return DatumGetJsonbP(OidFunctionCall1(function, CStringGetTextDatum(fingerprint)));
}

std::size_t size(JsonbContainer* array) {
    return array == nullptr ? 0 : JsonContainerSize(array);
}

std::string_view string_at(JsonbContainer* array, std::size_t place) {
    const JsonbValue* value = getIthJsonbValueFromContainer(array, static_cast<std::uint32_t>(place));
    return {value->val.string.val, static_cast<std::size_t>(value->val.string.len)};
}

std::string_view name_at(JsonbContainer* attributes, std::size_t place) {
    const JsonbValue* attribute =
        getIthJsonbValueFromContainer(attributes, static_cast<std::uint32_t>(place));
    JsonbValue name;
    if (getKeyJsonValueFromContainer(attribute->val.binary.data, "name", 4, &name) == nullptr) return "";
    return {name.val.string.val, static_cast<std::size_t>(name.val.string.len)};
}

Datum text(std::string_view text) {
    return PointerGetDatum(cstring_to_text_with_len(text.data(), static_cast<int>(text.size())));
}

Datum digits(std::size_t number) {
    char text[32];
    text[pg_ulltoa_n(number, text)] = '\0';
    return CStringGetTextDatum(text);
}

std::optional<std::size_t> number_in(std::string_view text) {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

/// "there is no NOUN "name"", and some of those there are.
template <class At>
[[noreturn]] void none_called(const char* noun, const char* list, std::string_view name, std::size_t count,
                              At at) {
    constexpr std::size_t shown = 20;
    StringInfoData some;
    initStringInfo(&some);
    for (std::size_t i = 0; i < std::min(count, shown); ++i) {
        const std::string_view other = at(i);
        appendStringInfo(&some, "%s%.*s", i == 0 ? "" : ", ", static_cast<int>(other.size()), other.data());
    }
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("there is no %s \"%.*s\"", noun, static_cast<int>(name.size()), name.data()),
                    errdetail("There are %s%s.", some.data, count > shown ? ", …" : ""),
                    count > shown ? errhint("All are listed by %s(summary).", list) : 0));
    pg_unreachable();
}

}  // namespace

Legend::Legend(FunctionCallInfo fcinfo, Bytes summary) {
    // A direct call has no schema to look in.
    if (fcinfo->flinfo != nullptr) attributes_ = &look_up(fcinfo, fingerprint(summary))->root;
}

const char* Legend::json() const {
    return attributes_ == nullptr ? "[]" : core_text(JsonbToCString(nullptr, attributes_, 0)).data();
}

Datum Legend::name(std::size_t attribute) const {
    return attribute < size(attributes_) ? text(name_at(attributes_, attribute)) : digits(attribute);
}

Datum Legend::label(std::size_t attribute, std::size_t value) const {
    JsonbContainer* known = labels(attribute);
    return value < size(known) ? text(string_at(known, value)) : digits(value);
}

std::size_t Legend::attribute_called(std::string_view name) const {
    const std::size_t count = size(attributes_);
    for (std::size_t i = 0; i < count; ++i)
        if (name_at(attributes_, i) == name) return i;
    if (const std::optional<std::size_t> number = number_in(name)) return *number;
    if (count == 0)
        ereport(ERROR,
                (errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("the names of the attributes are not known"),
                 errdetail("No collection has the summary's spec."),
                 errhint("Give the attribute's number, from 0.")));
    none_called("attribute", "ldp_attributes", name, count,
                [this](std::size_t i) { return name_at(attributes_, i); });
}

std::size_t Legend::value_called(std::size_t attribute, std::string_view label) const {
    JsonbContainer* known = labels(attribute);
    const std::size_t count = size(known);
    for (std::size_t i = 0; i < count; ++i) {
        CHECK_FOR_INTERRUPTS();
        if (string_at(known, i) == label) return i;
    }
    if (count > 0)
        none_called("value", "ldp_labels", label, count, [=](std::size_t i) { return string_at(known, i); });
    if (const std::optional<std::size_t> number = number_in(label)) return *number;
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("there is no value \"%.*s\"", static_cast<int>(label.size()), label.data()),
             errdetail("No collection with the summary's spec gives its values labels, so they are called "
                       "by their numbers.")));
    pg_unreachable();
}

JsonbContainer* Legend::labels(std::size_t attribute) const {
    if (attribute >= size(attributes_)) return nullptr;
    const JsonbValue* one = getIthJsonbValueFromContainer(attributes_, static_cast<std::uint32_t>(attribute));
    JsonbValue domain;
    if (getKeyJsonValueFromContainer(one->val.binary.data, "domain", 6, &domain) == nullptr ||
        domain.type != jbvBinary || !JsonContainerIsArray(domain.val.binary.data))
        return nullptr;
    return domain.val.binary.data;
}

}  // namespace ldp
