// Planning in SQL: predicted errors of a spec and a planning target, before any data is collected.

#include "core/plan/plan.hpp"

#include "core/mechanism/estimate.hpp"
#include "result_rows.hpp"

using namespace ldp;

namespace {

constexpr Column plan_columns[] = {{"source", TEXTOID},    {"stderr", FLOAT8OID},  {"part", FLOAT8OID},
                                   {"margin", FLOAT8OID},  {"effect", FLOAT8OID},  {"n", INT8OID},
                                   {"epsilon", FLOAT8OID}, {"mechanism", TEXTOID}, {"canonical", JSONBOID}};

/// A row for the whole error, and one for each source, in PostgreSQL's memory.
struct Sources {
    struct SourceRow {
        const char* source;
        double error, part;
    };
    const SourceRow* items;
    std::size_t count;
    double margin, effect;
    std::uint64_t people;
    double epsilon;
    const char* mechanism;
    const char* spec;

    void write(RowWriter<plan_columns>& row, std::size_t number) const {
        const auto& [source, error, part] = items[number];
        row.put("source", source);
        row.put("stderr", error);
        row.put("part", part);
        if (number == 0) {
            row.put("margin", margin);
            row.put("effect", effect);
        }
        row.put("n", people);
        row.put("epsilon", epsilon);
        row.put("mechanism", mechanism);
        row.put("canonical", TypedDatum<JSONBOID>{json_value(spec)});
    }
};

Sources sources(const char* spec, const char* target, bool counted, std::int64_t people) {
    const Planning planning(spec, target);
    const Planning::Plan plan = planning.plan(counted ? std::optional(people) : std::nullopt);
    const auto& all = plan.prediction.sources;
    const double error = plan.prediction.error();
    auto* items = static_cast<Sources::SourceRow*>(try_palloc((1 + all.size()) * sizeof(Sources::SourceRow)));
    items[0] = {"all", error, 1};
    for (std::size_t i = 0; i < all.size(); ++i)
        items[i + 1] = {all[i].name, plan.prediction.error_of(all[i]), plan.prediction.part_of(all[i])};
    return {items,       1 + all.size(),      planning.margin(error),     planning.least_effect(error),
            plan.people, plan.spec.epsilon(), plan.spec.mechanism().name, keep(plan.spec.to_json())};
}

std::uint64_t required_people(const char* spec, const char* target) {
    return Planning(spec, target).required_people();
}
double required_epsilon(const char* spec, const char* target, std::int64_t people) {
    return Planning(spec, target).required_epsilon(people);
}
double power(const char* spec, const char* target, std::int64_t people) {
    return Planning(spec, target).power(people);
}

}  // namespace

/// (spec, target, people): the error to expect, and its sources.
LDP_FUNCTION_OF_REPORTS(ldp_plan, ERRCODE_INVALID_PARAMETER_VALUE) {
    return rows<plan_columns>(
        fcinfo,
        [=] {
            const bool counted = !PG_ARGISNULL(2);
            return sources(json_argument(fcinfo, 0), json_argument(fcinfo, 1), counted,
                           counted ? PG_GETARG_INT64(2) : 0);
        },
        1);
}

/// (spec, target): how many people are needed.
LDP_FUNCTION_OF_REPORTS(ldp_required_n, ERRCODE_INVALID_PARAMETER_VALUE) {
    PG_RETURN_INT64(
        static_cast<std::int64_t>(required_people(json_argument(fcinfo, 0), json_argument(fcinfo, 1))));
}

/// (spec, target, people): the ε that is needed.
LDP_FUNCTION_OF_REPORTS(ldp_required_epsilon, ERRCODE_INVALID_PARAMETER_VALUE) {
    PG_RETURN_FLOAT8(
        required_epsilon(json_argument(fcinfo, 0), json_argument(fcinfo, 1), PG_GETARG_INT64(2)));
}

/// (spec, target, people): the chance that the effect asked about is found.
LDP_FUNCTION_OF_REPORTS(ldp_power, ERRCODE_INVALID_PARAMETER_VALUE) {
    PG_RETURN_FLOAT8(power(json_argument(fcinfo, 0), json_argument(fcinfo, 1), PG_GETARG_INT64(2)));
}
