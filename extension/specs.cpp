// Specs in SQL, bounds on the effect of forged reports under a spec, and the CHECK of a collection's
// table.

#include "core/choice/resolve.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "accounting/spec_rows.hpp"
#include "core/choice/response_needs.hpp"
#include "core/choice/winsorized.hpp"
#include "core/contract/contract_digest.hpp"
#include "core/contract/privacy_statement.hpp"
#include "summary_rows.hpp"

using namespace ldp;

namespace {

/// A canonical spec, and a statement about the end of people's budgets, or null.
struct CanonicalText {
    char* json;
    char* notice;
};

CanonicalText canonical(const Spec& spec, const char* text) {
    std::string statement;
    if (!has_derived(text)) {
        statement = statement_of_budget(spec, text);
        const std::string group =
            spec.budget() ? statement_of_group(spec, *make_mechanism(spec)) : std::string();
        if (!group.empty()) statement += (statement.empty() ? "" : "; ") + group;
    }
    return {keep(spec.to_json()), statement.empty() ? nullptr : keep(statement)};
}

CanonicalText canonical_in(const char* text) {
    return canonical(resolve(text), text);
}

char* without_texts(const char* text) {
    return keep(resolve(text).with_texts({}).to_json());
}

char* texts_in(const char* text) {
    return keep(resolve(text).texts().to_json());
}

char* changed_texts(const char* text, const char* changes) {
    return keep(with_changed_texts(resolve(text), changes).texts().to_json());
}

varlena* parameters(const Spec& spec) {
    const std::unique_ptr<const Mechanism> mechanism = make_mechanism(spec);
    mechanism->check_estimates();
    varlena* block = new_value(mechanism->block().size());
    std::ranges::copy(mechanism->block(), writable(block).begin());
    return block;
}

char* fingerprint(const Spec& spec) {
    return keep(fingerprint_text(spec.fingerprint()));
}

/// The digest of the contract of a spec with its texts, whose clients fill the columns of a JSON array.
char* digest_of_contract(const char* text, const char* columns) {
    return keep(contract_digest(resolve(text), std::string_view(columns)));
}

double copies_by_chance(const Mechanism& mechanism, Bytes report, std::int64_t copies, std::int64_t reports) {
    check_report(mechanism, report);
    if (copies < 1 || reports < copies)
        throw Error(ErrorCode::invalid_value, "copies must be between 1 and the number of reports",
                    "Found " + std::to_string(copies) + " of " + std::to_string(reports) + ".");
    const double max_probability =
        mechanism.max_probability(payload_of(report, mechanism.block()).first(mechanism.payload_size()));
    return chance_of_copies(max_probability, static_cast<std::uint64_t>(copies),
                            static_cast<std::uint64_t>(reports));
}

/// Texts in UTF-8; none if `texts` is null.
struct Texts {
    char** texts;
    std::size_t count;
};

/// The labels of a spec's first attribute.
Texts labels_of(const Spec& spec) {
    const std::vector<std::string>& labels = spec.attributes()[0].labels;
    if (labels.empty()) return {nullptr, 0};
    auto** all = static_cast<char**>(try_palloc(labels.size() * sizeof(char*)));
    for (std::size_t i = 0; i < labels.size(); ++i) all[i] = keep(labels[i]);
    return {all, labels.size()};
}

constexpr SqlColumn info_columns[] = {
    {"canonical", JSONBOID}, {"parameters", BYTEAOID}, {"fingerprint", TEXTOID}, {"labels", TEXTARRAYOID}};

/// What ldp_spec_info returns.
struct SpecFacts {
    CanonicalText canonical;
    varlena* parameters;
    char* fingerprint;
    Texts labels;
};

SpecFacts facts_of(const char* text) {
    const Spec spec = resolve(text);
    return {canonical(spec, text), parameters(spec), fingerprint(spec), labels_of(spec)};
}

/// Applies a function to the spec. The spec no longer exists when the function returns.
template <class Result>
Result of_spec(const char* text, Result (*find)(const Spec&)) {
    return find(resolve(text));
}

char* second_round(const char* text, Bytes summary) {
    const Spec first = resolve(text);
    const std::shared_ptr<const Mechanism> mechanism = checked_mechanism(summary);
    return keep(winsorized_second_round(first, view_of(*mechanism, summary)));
}

// What may jump. ---------------------------------------------------------------------------------------------

/// The canonical spec, after its notice.
Datum canonical_value(const CanonicalText& found) {
    if (found.notice != nullptr) ereport(NOTICE, (errmsg("%s", found.notice)));
    return json_value(found.json);
}

/// The labels as an array; 0 without labels.
Datum labels_value(const Texts& found) {
    if (found.texts == nullptr) return 0;
    auto* labels = static_cast<Datum*>(palloc(sizeof(Datum) * found.count));
    for (std::size_t i = 0; i < found.count; ++i) {
        CHECK_FOR_INTERRUPTS();
        labels[i] = CStringGetTextDatum(server_text(found.texts[i]));
    }
    return PointerGetDatum(
        construct_array(labels, static_cast<int>(found.count), TEXTOID, -1, false, TYPALIGN_INT));
}

}  // namespace

/// (spec): canonical spec, parameter block, fingerprint and labels, in one row.
LDP_FUNCTION_OF_REPORTS(ldp_spec_info, ERRCODE_INVALID_PARAMETER_VALUE) {
    const SpecFacts facts = facts_of(json_argument(fcinfo, 0));
    TupleDesc shape;
    if (get_call_result_type(fcinfo, nullptr, &shape) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "return type must be a row type");
    check_columns(fcinfo, shape, info_columns);
    Datum values[] = {canonical_value(facts.canonical), PointerGetDatum(facts.parameters),
                      CStringGetTextDatum(facts.fingerprint), labels_value(facts.labels)};
    bool missing[] = {false, false, false, facts.labels.texts == nullptr};
    return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(shape), values, missing));
}

LDP_FUNCTION_OF_REPORTS(ldp_spec_canonical, ERRCODE_INVALID_PARAMETER_VALUE) {
    return canonical_value(canonical_in(json_argument(fcinfo, 0)));
}

LDP_FUNCTION_OF_REPORTS(ldp_spec_without_texts, ERRCODE_INVALID_PARAMETER_VALUE) {
    return json_value(without_texts(json_argument(fcinfo, 0)));
}

LDP_FUNCTION_OF_REPORTS(ldp_spec_texts, ERRCODE_INVALID_PARAMETER_VALUE) {
    return json_value(texts_in(json_argument(fcinfo, 0)));
}

/// (spec, changes): the texts of the spec after a merge patch.
LDP_FUNCTION_OF_REPORTS(ldp_changed_texts, ERRCODE_INVALID_PARAMETER_VALUE) {
    return json_value(changed_texts(json_argument(fcinfo, 0), json_argument(fcinfo, 1)));
}

/// (spec): the labels of its first attribute's values.
LDP_FUNCTION_OF_REPORTS(ldp_spec_labels, ERRCODE_INVALID_PARAMETER_VALUE) {
    const Texts labels = of_spec(json_argument(fcinfo, 0), labels_of);
    if (labels.texts == nullptr) PG_RETURN_NULL();
    return labels_value(labels);
}

/// (spec, summary): the spec of the second round of a winsorized mean.
LDP_FUNCTION_OF_REPORTS(ldp_winsorized_spec, ERRCODE_INVALID_PARAMETER_VALUE) {
    return json_value(second_round(json_argument(fcinfo, 0), summary_argument(fcinfo, 1)));
}

LDP_FUNCTION_OF_REPORTS(ldp_spec_parameters, ERRCODE_INVALID_PARAMETER_VALUE) {
    PG_RETURN_POINTER(of_spec(json_argument(fcinfo, 0), parameters));
}

LDP_FUNCTION_OF_REPORTS(ldp_spec_fingerprint, ERRCODE_INVALID_PARAMETER_VALUE) {
    PG_RETURN_TEXT_P(cstring_to_text(of_spec(json_argument(fcinfo, 0), fingerprint)));
}

/// (spec, columns): the digest of the contract.
LDP_FUNCTION_OF_REPORTS(ldp_contract_digest, ERRCODE_INVALID_PARAMETER_VALUE) {
    PG_RETURN_TEXT_P(cstring_to_text(digest_of_contract(json_argument(fcinfo, 0), json_argument(fcinfo, 1))));
}

/// (spec, users): the mechanisms that support the spec, with their errors and costs.
LDP_FUNCTION_OF_REPORTS(ldp_advise, ERRCODE_INVALID_PARAMETER_VALUE) {
    return strict_rows(fcinfo, [=](KeptResults& kept) {
        kept.results = advice_rows(json_argument(fcinfo, 0), PG_GETARG_INT64(1));
    });
}

/// (spec, forged): a row per attribute.
LDP_FUNCTION_OF_REPORTS(ldp_influence, ERRCODE_INVALID_PARAMETER_VALUE) {
    return strict_rows(fcinfo, [=](KeptResults& kept) {
        kept.results = influence_rows(json_argument(fcinfo, 0), PG_GETARG_FLOAT8(1));
    });
}

/// (report, copies, reports): bound on the probability of this number of copies among honest reports.
LDP_FUNCTION(ldp_duplicates) {
    const Bytes report = contents(PG_GETARG_VARLENA_PP(0));
    PG_RETURN_FLOAT8(copies_by_chance(mechanism_of(fcinfo, report, Kind::report), report, PG_GETARG_INT64(1),
                                      PG_GETARG_INT64(2)));
}

/// (round, first, last): true, or an error. Runs for every inserted row.
LDP_FUNCTION(ldp_check_round) {
    const std::int32_t round = PG_GETARG_INT32(0);
    const std::int32_t first = PG_GETARG_INT32(1);
    const std::int32_t last = PG_GETARG_INT32(2);
    if (likely(first <= round && round <= last)) PG_RETURN_BOOL(true);
    ereport(ERROR, (errcode(ERRCODE_CHECK_VIOLATION), errmsg("round %d is not open", round),
                    errdetail("The rounds %d to %d are open.", first, last),
                    errhint("The owner of the collection opens rounds with ldp_open_rounds.")));
    pg_unreachable();
}
