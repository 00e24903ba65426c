// Text as a question to specs of every kind, of which it draws one: what is taken has an error, or is
// refused well.

#include <cmath>

#include "choices.hpp"
#include "core/choice/plan/plan.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "examine.hpp"

namespace ldp::fuzz {

namespace {

constexpr const char* texts[] = {
    R"({"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "a", "domain": ["x", "y", "z"]}]})",
    R"({"mechanism": "exponential", "epsilon": 1, "attributes": [{"name": "a", "domain": 4}]})",
    R"({"mechanism": "pdp", "epsilon": 1, "attributes": [{"name": "a", "min": 0, "max": 8}]})",
    R"({"mechanism": "tree", "epsilon": 1, "grid": 15, "attributes": [{"name": "a", "min": 0, "max": 15}]})",
    R"({"mechanism": "square_wave", "epsilon": 1, "grid": 16, "attributes": [{"name": "a", "min": 0, "max": 8}]})",
    R"({"mechanism": "joint", "epsilon": 1, "attributes": [{"name": "a", "domain": 3},
        {"name": "b", "min": 0, "max": 8, "bins": 4}]})",
    R"({"mechanism": "joint_haar", "epsilon": 1, "attributes": [{"name": "a", "domain": 3},
        {"name": "b", "min": 0, "max": 8, "bins": 5}]})",
    R"({"mechanism": "sampled", "epsilon": 1, "attributes": [{"name": "a", "min": 0, "max": 8},
        {"name": "b", "domain": 4}]})",
    R"({"mechanism": "sampled", "epsilon": 1, "attributes": [{"name": "a", "domain": 4}, {"name": "b", "domain": 3},
        {"name": "c", "min": 0, "max": 8, "mechanism": "tree", "grid": 16},
        {"name": "d", "vector": 3, "min": 0, "max": 8}], "joint_tables": [["a", "b"]]})",
    R"({"mechanism": "l_osue", "epsilon": 1, "evolving": {}, "budget": {"epsilon": 9},
        "attributes": [{"name": "a", "domain": 4}]})",
    R"({"mechanism": "ddrm", "epsilon": 1, "rounds": 4, "attributes": [{"name": "a", "domain": 4}]})",
    R"({"mechanism": "threshold_series", "epsilon": 1, "rounds": 4,
        "attributes": [{"name": "a", "min": 0, "max": 4}]})",
};

struct Planned {
    explicit Planned(const char* json) : spec(resolve(json)), mechanism(make_mechanism(spec)) {}
    Spec spec;
    std::unique_ptr<const Mechanism> mechanism;
};

}  // namespace

bool question(Bytes bytes) {
    static const std::vector<Planned> all(std::begin(texts), std::end(texts));
    const auto [first, end] = Drawn(bytes).among(all.size());
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    bool taken = false;
    for (std::size_t i = first; i < end; ++i) {
        const auto& entry = all[i];
        const auto& spec = entry.spec;
        const auto& mechanism = entry.mechanism;
        std::optional<PlanningTarget> question;
        if (refused({ErrorCode::malformed, ErrorCode::invalid_spec},
                    [&] { question = PlanningTarget::from_json(text, spec); }))
            continue;
        taken = true;
        refused({ErrorCode::unsupported}, [&] {
            const Prediction found = predict(*mechanism, spec, *question, 1000);
            need(found.error() >= 0, "an error is no number");
            for (const auto& source : found.sources) need(source.square >= 0, "a source takes some off");
        });
    }
    return taken;
}

}  // namespace ldp::fuzz
