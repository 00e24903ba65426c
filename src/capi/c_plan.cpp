// Predicted errors, without a server.

#include "capi/c_boundary.hpp"
#include "core/base/json.hpp"
#include "core/mechanism/registry.hpp"
#include "core/plan/plan.hpp"
#include "core/spec/json_object.hpp"

using namespace ldp;
using namespace ldp::capi;

ldp_status ldp_plan(const char* spec, size_t spec_length, const char* target, size_t target_length,
                    uint64_t people, char** rows, ldp_error** error) {
    return guarded(error, [&] {
        auto& made = place(rows, "place for the rows");
        if (people > Planning::most_people)
            raise(ErrorCode::invalid_value, "there are too many people",
                  "Found " + std::to_string(people) + ".");
        const Planning planning(
            text_of(spec, spec_length, "spec"),
            target == nullptr ? std::string_view("{}") : text_of(target, target_length, "planning target"));
        const Planning::Plan plan =
            planning.plan(people == 0 ? std::nullopt : std::optional(static_cast<std::int64_t>(people)));
        const double total = plan.prediction.error();
        Json all = Json::array();
        const auto add = [&](const char* source, double stderr_of_source, double part) {
            const bool first = all.empty();
            all.push_back({{"source", source},
                           {"stderr", stderr_of_source},
                           {"part", part},
                           {"margin", first ? Json(planning.margin(total)) : Json()},
                           {"effect", first ? Json(planning.least_effect(total)) : Json()},
                           {"n", plan.people},
                           {"epsilon", plan.spec.epsilon()},
                           {"mechanism", plan.spec.mechanism().name},
                           {"canonical", json_of(plan.spec.to_json(), Unsound::refused)}});
        };
        add("all", total, 1);
        for (const Prediction::Source& source : plan.prediction.sources)
            add(source.name, plan.prediction.error_of(source), plan.prediction.part_of(source));
        const std::string text = json_text(all);
        made = handed_over<char>(text.data(), text.size());
    });
}
