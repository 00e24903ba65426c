// Specs in SQL, bounds on the effect of forged reports under a spec, and the CHECK of a collection's
// table.

#include "core/choice/resolve.hpp"

#include <algorithm>
#include <cmath>

#include "accounting/lower_bounds.hpp"
#include "core/base/unknown.hpp"
#include "core/choice/ordered_choice.hpp"
#include "core/choice/response_needs.hpp"
#include "core/mechanism/graded/estimable.hpp"
#include "result_rows.hpp"

extern "C" {
#include "catalog/pg_type.h"
}

using namespace ldp;

namespace {

/// A canonical spec, and a statement about the end of people's budgets, or null.
struct CanonicalText {
    char* json;
    char* notice;
};

CanonicalText canonical(const char* text) {
    const Spec spec = resolve(text);
    const std::string statement = has_derived(text) ? std::string() : statement_of_budget(spec, text);
    return {keep(spec.to_json()), statement.empty() ? nullptr : keep(statement)};
}

varlena* parameters(const char* text) {
    const std::unique_ptr<const Mechanism> mechanism = make_mechanism(resolve(text));
    check_estimates(*mechanism);
    varlena* block = new_value(mechanism->block().size());
    std::ranges::copy(mechanism->block(), writable(block).begin());
    return block;
}

char* fingerprint(const char* text) {
    return keep(fingerprint_text(resolve(text).fingerprint()));
}

constexpr Column advice_columns[] = {{"mechanism", TEXTOID},     {"stderr", FLOAT8OID},
                                     {"lower_bound", FLOAT8OID}, {"worst_case_bias", FLOAT8OID},
                                     {"report_bytes", INT8OID},  {"summary_bytes", INT8OID},
                                     {"decode_cost", FLOAT8OID}, {"obstacle", TEXTOID}};

/// Mechanisms that support a spec, best first, in PostgreSQL's memory.
struct Advice {
    struct AdviceRow {
        const char* mechanism;
        double standard_error, lower_bound, bias;
        std::uint64_t report_bytes, summary_bytes;
        double decode_cost;
        const char* obstacle;
    };
    const AdviceRow* items;
    std::size_t count;

    void write(RowWriter<advice_columns>& row, std::size_t number) const {
        const AdviceRow& one = items[number];
        row.put("mechanism", one.mechanism);
        row.put("stderr", one.standard_error);
        row.put("lower_bound", one.lower_bound);
        row.put("worst_case_bias", one.bias);
        // The sizes of a rejected mechanism are unknown.
        if (one.report_bytes > 0) row.put("report_bytes", one.report_bytes);
        if (one.summary_bytes > 0) row.put("summary_bytes", one.summary_bytes);
        if (one.report_bytes > 0) row.put("decode_cost", one.decode_cost);
        if (one.obstacle != nullptr) row.put("obstacle", server_text(one.obstacle));
    }
};

Advice advice(const char* text, double users) {
    if (users < 1)
        throw Error(ErrorCode::invalid_value, "the number of users must be at least 1",
                    "Found " + std::to_string(static_cast<std::int64_t>(users)) + ".");
    const auto [demand, candidates] = advise(text);
    // The bound applies to means and to single shares.
    const double least = is_ordered(*candidates.front().mechanism)
                             ? unknown
                             : least_worst_error(demand.epsilon, demand.attributes, endless, Target::sample);
    auto* items = static_cast<Advice::AdviceRow*>(try_palloc(candidates.size() * sizeof(Advice::AdviceRow)));
    std::size_t count = 0;
    for (const Candidate& each : candidates)
        items[count++] = {each.mechanism->name,     std::sqrt(each.n_variance / users),
                          std::sqrt(least / users), each.bias,
                          each.report_bytes,        each.summary_bytes,
                          each.decode_cost,         each.obstacle.empty() ? nullptr : keep(each.obstacle)};
    return {items, count};
}

constexpr Column influence_columns[] = {
    {"attribute", TEXTOID}, {"one_report", FLOAT8OID}, {"down", FLOAT8OID}, {"up", FLOAT8OID}};

/// Bounds on the shift by forged reports, in PostgreSQL's memory.
struct Influences {
    struct InfluenceRow {
        const char* attribute;
        double one_report;
        ldp::Interval bias;
    };
    const InfluenceRow* items;
    std::size_t count;

    void write(RowWriter<influence_columns>& row, std::size_t number) const {
        const auto& [attribute, one_report, bias] = items[number];
        row.put("attribute", server_text(attribute));
        row.put("one_report", one_report);
        row.put("down", bias.lower);
        row.put("up", bias.upper);
    }
};

Influences influences(const char* text, double share) {
    if (!(share >= 0 && share < 1))
        throw Error(ErrorCode::invalid_value, "the share of forged reports must be at least 0 and below 1",
                    "Found " + std::to_string(share) + ".", "One in a hundred is 0.01.");
    const Spec spec = resolve(text);
    const std::unique_ptr<const Mechanism> mechanism = make_mechanism(spec);
    const std::size_t count = spec.attributes().size();
    auto* items =
        static_cast<Influences::InfluenceRow*>(try_palloc(count * sizeof(Influences::InfluenceRow)));
    for (std::size_t j = 0; j < count; ++j)
        items[j] = {keep(spec.attributes()[j].name), mechanism->promised_influence(j),
                    mechanism->promised_bias(j, share)};
    return {items, count};
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
Texts labels_of(const char* text) {
    const Spec spec = resolve(text);
    const std::vector<std::string>& labels = spec.attributes()[0].labels;
    if (labels.empty()) return {nullptr, 0};
    auto** all = static_cast<char**>(try_palloc(labels.size() * sizeof(char*)));
    for (std::size_t i = 0; i < labels.size(); ++i) all[i] = keep(labels[i]);
    return {all, labels.size()};
}

char* described(Bytes bytes) {
    return keep(describe(bytes));
}

}  // namespace

LDP_FUNCTION_OF_REPORTS(ldp_spec_canonical, ERRCODE_INVALID_PARAMETER_VALUE) {
    const CanonicalText found = canonical(json_argument(fcinfo, 0));
    if (found.notice != nullptr) ereport(NOTICE, (errmsg("%s", found.notice)));
    return json_value(found.json);
}

/// (spec): the labels of its first attribute's values.
LDP_FUNCTION_OF_REPORTS(ldp_spec_labels, ERRCODE_INVALID_PARAMETER_VALUE) {
    const auto [texts, count] = labels_of(json_argument(fcinfo, 0));
    if (texts == nullptr) PG_RETURN_NULL();
    auto* labels = static_cast<Datum*>(palloc(sizeof(Datum) * count));
    for (std::size_t i = 0; i < count; ++i) {
        CHECK_FOR_INTERRUPTS();
        labels[i] = CStringGetTextDatum(server_text(texts[i]));
    }
    PG_RETURN_ARRAYTYPE_P(construct_array(labels, static_cast<int>(count), TEXTOID, -1, false, TYPALIGN_INT));
}

LDP_FUNCTION_OF_REPORTS(ldp_spec_parameters, ERRCODE_INVALID_PARAMETER_VALUE) {
    PG_RETURN_POINTER(parameters(json_argument(fcinfo, 0)));
}

LDP_FUNCTION_OF_REPORTS(ldp_spec_fingerprint, ERRCODE_INVALID_PARAMETER_VALUE) {
    PG_RETURN_TEXT_P(cstring_to_text(fingerprint(json_argument(fcinfo, 0))));
}

/// (spec, users): the mechanisms that support the spec, with their errors and costs.
LDP_FUNCTION_OF_REPORTS(ldp_advise, ERRCODE_INVALID_PARAMETER_VALUE) {
    return rows<advice_columns>(fcinfo, [=] {
        const auto users = static_cast<double>(PG_GETARG_INT64(1));
        return advice(json_argument(fcinfo, 0), users);
    });
}

/// (spec, forged): a row per attribute.
LDP_FUNCTION_OF_REPORTS(ldp_influence, ERRCODE_INVALID_PARAMETER_VALUE) {
    return rows<influence_columns>(fcinfo,
                                   [=] { return influences(json_argument(fcinfo, 0), PG_GETARG_FLOAT8(1)); });
}

/// (report, copies, reports): bound on the probability of this number of copies among honest reports.
LDP_FUNCTION(ldp_duplicates) {
    const Bytes report = contents(PG_GETARG_VARLENA_PP(0));
    PG_RETURN_FLOAT8(copies_by_chance(mechanism_of(fcinfo, report, Kind::report), report, PG_GETARG_INT64(1),
                                      PG_GETARG_INT64(2)));
}

/// (report or batch, parameter block): true, or an error. Runs for every inserted row. The input function
/// of the type has checked the payloads, so only the block remains to be compared.
LDP_FUNCTION(ldp_check_report) {
    const Bytes report = contents(PG_GETARG_VARLENA_PP(0));
    const Bytes block = contents(PG_GETARG_VARLENA_PP(1));
    const Mechanism& mechanism = mechanism_of(fcinfo, block, Kind::report);
    if (block.size() != mechanism.block().size())
        throw Error(ErrorCode::malformed, "invalid parameter block",
                    "Found " + std::to_string(block.size()) + " bytes; the block requires " +
                        std::to_string(mechanism.block().size()) + ".");
    const Kind kind = is_batch(report) ? Kind::batch : Kind::report;
    if (likely(kind == Kind::report
                   ? begins_with_block(report, block) && report.size() == block.size() + sent_size(mechanism)
                   : batch_frame(mechanism).fits(report, block)))
        PG_RETURN_BOOL(true);
    // Bytes that are not a report raise that error.
    check_value(mechanism_of(fcinfo, report, kind), report, kind);
    const char* ours = described(block);
    const char* theirs = described(report);
    ereport(ERROR,
            (errcode(ERRCODE_CHECK_VIOLATION),
             errmsg("the report was made for another collection or another version of its spec"),
             errdetail("The collection accepts %s; the report is %s.", ours, theirs),
             errhint("Create reports with the spec that ldp_client_spec returns for this collection.")));
    pg_unreachable();
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
