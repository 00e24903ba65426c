// Planning in SQL: predicted errors of a spec and a planning target, before any data is collected.

#include "core/choice/plan/plan.hpp"

#include "accounting/spec_rows.hpp"
#include "summary_rows.hpp"

using namespace ldp;

namespace {

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
    return result_rows(fcinfo, [=](KeptResults& kept) {
        if (PG_ARGISNULL(0) || PG_ARGISNULL(1)) return;
        const bool counted = !PG_ARGISNULL(2);
        const std::int64_t people = counted ? PG_GETARG_INT64(2) : 0;
        kept.results = plan_rows(json_argument(fcinfo, 0), json_argument(fcinfo, 1),
                                 counted ? std::optional(people) : std::nullopt);
    });
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
