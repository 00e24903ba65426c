#include "core/choice/wanted_use.hpp"

#include "core/mechanism/role/registry.hpp"

namespace ldp {

namespace {

constexpr const char* want_key = "estimate";

/// The attributes of a spec, if it lists them.
const Json* listed(const Json& spec) {
    const auto found = spec.is_object() ? spec.find("attributes") : spec.end();
    return found != spec.end() && found->is_array() ? &*found : nullptr;
}

}  // namespace

std::optional<OrderedUse> ordered_use(const Json& spec) {
    if (!spec.is_object()) return {};
    const Json* found = spec.contains(want_key) ? &spec[want_key] : nullptr;
    const Json* attribute = &spec;
    if (const Json* attributes = listed(spec)) {
        if (found != nullptr)
            invalid("\"estimate\" is a key of an attribute", "The spec has \"attributes\" as well.",
                    "Move it into the attribute.");
        if (attributes->size() > 1) return {};  // each attribute of a record has its own
        if (attributes->empty()) return {};
        const Json& one = (*attributes)[0];
        if (!one.is_object() || one.contains("vector")) return {};
        if (one.contains(want_key)) {
            attribute = &one;
            found = &one[want_key];
        }
    }
    if (found == nullptr) return {};
    const bool number =
        !attribute->contains("domain") && !attribute->contains("bins") && !attribute->contains("edges");
    if (*found == "distribution") return OrderedUse::ranges;
    if (*found == "quantiles") return OrderedUse::quantiles;
    if (*found == "shape") return OrderedUse::shape;
    if (*found == "mean" && number) return {};
    JsonObject::wrong(want_key, *found,
                      number ? "one of \"mean\", \"distribution\", \"quantiles\", \"shape\""
                             : "\"distribution\" or \"quantiles\" for ordered values");
}

std::optional<OrderedUse> advised_use(const Json& spec) {
    if (const std::optional<OrderedUse> wanted = ordered_use(spec)) return wanted;
    if (!spec.is_object() || !spec.value("mechanism", Json()).is_string()) return {};
    const MechanismEntry* entry = find_mechanism(spec["mechanism"].get<std::string>());
    if (entry == nullptr || !is_ordered(*entry)) return {};
    const Json* attributes = listed(spec);
    if (attributes != nullptr && attributes->size() != 1) return {};
    return entry->shape == Shape::one_ordered ? OrderedUse::ranges : OrderedUse::shape;
}

OrderedRequest ordered_request(const Json& spec, const SelectionRequest& demand, OrderedUse use) {
    std::optional<std::uint64_t> grid;
    if (spec.contains("grid")) {
        const Json& found = spec["grid"];
        if (!found.is_number_integer() || found.get<std::int64_t>() < 1)
            JsonObject::wrong("grid", found, "a whole number of steps");
        grid = found.get<std::uint64_t>();
    }
    return {demand.epsilon, demand.attributes[0], grid, demand.limits, use};
}

}  // namespace ldp
