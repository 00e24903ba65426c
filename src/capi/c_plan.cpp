// Predicted and simulated errors, without a server.

#include <cmath>
#include <vector>

#include "capi/c_boundary.hpp"
#include "core/base/json.hpp"
#include "core/choice/plan/plan.hpp"
#include "core/choice/plan/record_plan.hpp"
#include "core/contract/json_object.hpp"
#include "core/mechanism/role/registry.hpp"
#include "simulation/seeded_random.hpp"
#include "simulation/single_round.hpp"

using namespace ldp;
using namespace ldp::capi;

namespace {

/// The records as a simulation takes them: at least two.
simulation::SimulatedPeople simulated_people(const ldp_collection& collection, const ldp_value* values,
                                             size_t count) {
    simulation::SimulatedPeople people;
    std::size_t taken = 0;
    for_each_record(values, count, collection.names.size(), taken, [&](std::span<const Value> record) {
        people.add(collection.collection.to_grid(record));
    });
    if (people.size() < 2)
        raise(ErrorCode::invalid_value, "a simulation needs at least two records",
              "Found " + std::to_string(people.size()) + ".");
    return people;
}

/// Returns the number of people; empty for 0.
std::optional<std::int64_t> checked_people(std::uint64_t people) {
    if (people > Planning::most_people)
        raise(ErrorCode::invalid_value, "there are too many people", "Found " + std::to_string(people) + ".");
    return people == 0 ? std::nullopt : std::optional(static_cast<std::int64_t>(people));
}

}  // namespace

ldp_status ldp_plan_record(const char* spec, size_t spec_length, const char* target, size_t target_length,
                           uint64_t people, char** rows, ldp_error** error) {
    return guarded(error, [&] {
        auto& made = place(rows, "pointer for the rows");
        const std::optional<std::int64_t> wanted = checked_people(people);
        const std::string of_spec(text_of(spec, spec_length, "spec")),
            of_target(target == nullptr ? "{}" : text_of(target, target_length, "planning target"));
        if (!plans_record(of_spec, of_target))
            raise(
                ErrorCode::invalid_spec, "the spec is not planned as a record",
                "A record has an epsilon and at least two attributes that are reported in parts. The target has no keys except "
                "target, confidence and response_rate.",
                "Plan one estimate with a target that names its attribute.");
        const RecordPlan plan = plan_record(of_spec, of_target, wanted);
        const Json canonical = json_of(plan.spec.to_json(), Unsound::refused);
        Json all = Json::array();
        for (const RecordEstimate& one : plan.estimates)
            all.push_back({{"attribute", one.attribute},
                           {"estimate", one.estimate},
                           {"mechanism", one.mechanism},
                           {"reports", one.reports},
                           {"stderr", one.error},
                           {"margin", one.margin},
                           {"people", one.people ? Json(*one.people) : Json()},
                           {"n", plan.people},
                           {"epsilon", plan.spec.epsilon()},
                           {"canonical", canonical}});
        const std::string text = json_text(all);
        made = handed_over<char>(text.data(), text.size());
    });
}

ldp_status ldp_plan(const char* spec, size_t spec_length, const char* target, size_t target_length,
                    uint64_t people, char** rows, ldp_error** error) {
    return guarded(error, [&] {
        auto& made = place(rows, "pointer for the rows");
        const std::optional<std::int64_t> wanted = checked_people(people);
        const Planning planning(
            text_of(spec, spec_length, "spec"),
            target == nullptr ? std::string_view("{}") : text_of(target, target_length, "planning target"));
        const Planning::Plan plan = planning.plan(wanted);
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

ldp_status ldp_simulate(const ldp_collection* collection, const ldp_value* values, size_t count,
                        uint64_t runs, uint64_t seed, char** rows, ldp_error** error) {
    return guarded(error, [&] {
        need(collection, "collection");
        auto& made = place(rows, "pointer for the rows");
        constexpr std::uint64_t most_runs = 1'000'000;
        if (runs < 1 || runs > most_runs)
            raise(ErrorCode::invalid_value, "the number of runs must be 1 to 1,000,000",
                  "Found " + std::to_string(runs) + ".");
        const simulation::SimulatedPeople people = simulated_people(*collection, values, count);
        simulation::SeededBits bits(seed);
        const auto known = [](double number) { return std::isnan(number) ? Json() : Json(number); };
        Json all = Json::array();
        for (const simulation::Trial& trial : simulation::try_out(collection->collection, people, runs, bits))
            all.push_back({{"attribute", collection->collection.spec().attributes()[trial.attribute].name},
                           {"asked", trial.asked},
                           {"truth", known(trial.truth)},
                           {"predicted", known(trial.predicted)},
                           {"error", known(trial.error)},
                           {"claimed", known(trial.claimed)},
                           {"covered", known(trial.covered)}});
        const std::string text = json_text(all);
        made = handed_over<char>(text.data(), text.size());
    });
}

ldp_status ldp_simulate_summary(const ldp_collection* collection, const ldp_value* values, size_t count,
                                uint64_t seed, uint8_t** summary, size_t* size, ldp_error** error) {
    return guarded(error, [&] {
        need(collection, "collection");
        auto& made = place(summary, "pointer for the summary");
        auto& made_size = place(size, "pointer for the size");
        const simulation::SimulatedPeople people = simulated_people(*collection, values, count);
        simulation::SeededBits bits(seed);
        const std::vector<std::byte> counted =
            simulation::simulated_summary(collection->collection, people, bits);
        made = handed_over<uint8_t>(counted.data(), counted.size());
        made_size = counted.size();
    });
}
