// Rows about views for a second round: the predicted error of each choice.

#include "core/choice/view_plan.hpp"

#include <string>

#include "core/math/insecure_bits.hpp"
#include "estimate_rows.hpp"

using namespace ldp;

namespace {

constexpr Column view_plan_columns[] = {{"views", JSONBOID}, {"error", FLOAT8OID}};

struct Plans {
    struct ViewPlanRow {
        const char* views;  // in the format of a spec
        double error;
    };
    ViewPlanRow* rows = nullptr;
    std::size_t count = 0;

    void write(RowWriter<view_plan_columns>& row, std::size_t number) const {
        row.put("views", TypedDatum<JSONBOID>{json_value(rows[number].views)});
        row.put("error", rows[number].error);
    }
};

std::string listed(const AttributeSets& views, const Labels& labels) {
    std::string all;
    for (const std::vector<std::size_t>& view : views) {
        std::string set;
        for (const std::size_t j : view) set += (set.empty() ? "" : ",") + labels.json_name(j);
        all += (all.empty() ? "[" : ",[") + set + "]";
    }
    return "[" + all + "]";
}

Plans planned(const Subject& subject, double people, const char* queries) {
    return ask(subject.summary, Plans{}, [&](const SummaryView& view) {
        const std::vector<std::uint64_t> sizes = view.mechanism->cells();
        const Labels& labels = subject.labels.fitting(sizes);
        InsecureBits bits(1);
        const std::vector<ViewPlan> found = planned_views(
            measured_for_model(view), sizes.size(),
            {view.mechanism->header().epsilon, people, labels.sets(queries, sizes.size())}, bits);
        Plans all{
            static_cast<Plans::ViewPlanRow*>(try_palloc((found.size() + 1) * sizeof(Plans::ViewPlanRow)))};
        for (const ViewPlan& plan : found)
            all.rows[all.count++] = {
                keep(plan.word.empty() ? listed(plan.views, labels) : '"' + plan.word + '"'), plan.error};
        return all;
    });
}

}  // namespace

/// (summary, people, queries): a row for each choice, best first.
LDP_FUNCTION_OF_REPORTS(ldp_plan_views, ERRCODE_INVALID_PARAMETER_VALUE) {
    return rows<view_plan_columns>(fcinfo, [=] {
        const char* queries = json_argument(fcinfo, 2);
        const Subject subject = whole_argument(fcinfo);
        return planned(subject, PG_GETARG_FLOAT8(1), queries);
    });
}
