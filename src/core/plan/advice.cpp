#include "core/plan/advice.hpp"

#include <algorithm>
#include <cmath>

#include "core/mechanism/entries.hpp"
#include "core/mechanism/mechanism.hpp"
#include "core/mechanism/vector/joint.hpp"
#include "core/plan/outlook.hpp"
#include "core/spec/json_object.hpp"

namespace ldp {

namespace {

bool about_tables(const Json& spec) {
    return spec.is_object() &&
           (spec.contains("views") || spec.value("mechanism", Json()) == joint::entry.name);
}

/// The spec with `joint` for whatever mechanism it names.
Spec of_tables(Json document) {
    for (const char* key : {"derived", "chosen", "max_report_bytes", "max_decode_cost"}) document.erase(key);
    document["mechanism"] = joint::entry.name;
    return Spec::from_json(json_text(document));
}

/// n·Var of a cell of the two attributes that are told worst, or of a value of one where no view has two. Of
/// people who are spread evenly all cells of a table have the same.
double worst_cell(const Mechanism& mechanism, const Spec& spec) {
    constexpr double many = 0x1p40;  // people: so many that none of them are rounded away
    const Outlook outlook(mechanism, spec.attributes(), {});
    double worst = 0;
    bool pairs = false;
    for (const std::vector<std::size_t>& view : find_capability<JointViews>(mechanism)->views())
        for (std::size_t i = 0; i < view.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                pairs = true;
                worst = std::max(worst, many * outlook.pair({view[j], view[i]}, {0, 0}, many).noise);
            }
    for (std::size_t j = 0; !pairs && j < spec.attributes().size(); ++j)
        worst = std::max(worst, mechanism.promised_variance(j));
    return worst;
}

Candidate tables(const Json& document) {
    return measured_candidate(joint::entry, [&](Candidate& told) {
        const Spec spec = of_tables(document);
        auto mechanism = make_mechanism(spec);
        told.n_variance = worst_cell(*mechanism, spec);
        told.pull = 0;
        for (std::size_t j = 0; j < spec.attributes().size(); ++j) {
            const auto [down, up] = mechanism->promised_pull(j, 0.01);
            told.pull = std::max({told.pull, -down, up});
        }
        return mechanism;
    });
}

}  // namespace

Ranking ranking_for(std::string_view spec) {
    Ranking ranking = advise(spec);
    const Json document = parse_json(spec);
    if (!about_tables(document)) return ranking;
    for (Candidate& each : ranking.candidates)
        if (each.obstacle.empty()) each.obstacle = "its reports tell no cross tables";
    ranking.candidates.insert(ranking.candidates.begin(), tables(document));
    return ranking;
}

}  // namespace ldp
