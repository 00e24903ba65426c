#include "core/plan/advice.hpp"

#include <algorithm>
#include <cmath>

#include "core/mechanism/entries.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/mechanism.hpp"
#include "core/plan/outlook.hpp"
#include "core/spec/json_object.hpp"

namespace ldp {

namespace {

constexpr const MechanismEntry* of_several[] = {&joint::entry, &joint_haar::entry};

bool about_tables(const Json& spec) {
    return spec.is_object() &&
           (spec.contains("views") || std::ranges::any_of(of_several, [&](const MechanismEntry* entry) {
                return spec.value("mechanism", Json()) == entry->name;
            }));
}

/// The spec with this mechanism for whatever it names.
Spec spec_through(const MechanismEntry& entry, Json document) {
    for (const char* key : {"derived", "chosen", "max_report_bytes", "max_decode_cost"}) document.erase(key);
    document["mechanism"] = entry.name;
    return Spec::from_json(json_text(document));
}

constexpr double many = 0x1p40;  // people: so many that none of them are rounded away

/// n·Var of a cell of two attributes who are spread evenly, of which all have the same.
double cell_of(const Outlook& outlook, std::size_t first, std::size_t second) {
    return many * outlook.pair({first, second}, {0, 0}, many).noise;
}

/// The same of a box half as wide as both, on average over where it begins.
double box_of(const Outlook& outlook, const Spec& spec, std::size_t first, std::size_t second) {
    constexpr std::size_t places = 8;
    double sum = 0;
    for (std::size_t place = 0; place < places; ++place) {
        JointShares::Box box;
        for (const std::size_t j : {first, second}) {
            const std::uint64_t size = spec.attributes()[j].domain,
                                half = std::max<std::uint64_t>(1, size / 2);
            const std::uint64_t begin = (size - half) * place / (places - 1);
            auto& values = box.emplace_back(size);
            std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(begin), half, true);
        }
        sum += many * outlook.box({first, second}, box, many).noise / places;
    }
    return sum;
}

/// n·Var of a cell, or of a box, of the two attributes that are told worst, or of a value of one where no
/// view has two.
double worst_of_pairs(const Mechanism& mechanism, const Spec& spec, bool boxes) {
    const Outlook outlook(mechanism, spec.attributes(), {});
    double worst = 0;
    bool pairs = false;
    for (const std::vector<std::size_t>& view : find_capability<JointViews>(mechanism)->views())
        for (std::size_t i = 0; i < view.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                pairs = true;
                worst = std::max(worst, boxes ? box_of(outlook, spec, view[j], view[i])
                                              : cell_of(outlook, view[j], view[i]));
            }
    for (std::size_t j = 0; !pairs && j < spec.attributes().size(); ++j)
        worst = std::max(worst, mechanism.promised_variance(j));
    return worst;
}

Candidate candidate(const MechanismEntry& entry, const Json& document) {
    return measured_candidate(entry, [&](Candidate& told) {
        const Spec spec = spec_through(entry, document);
        auto mechanism = make_mechanism(spec);
        told.n_variance = worst_of_pairs(*mechanism, spec, document.value("target", Json()) == "ranges");
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
    std::vector<Candidate> first;
    for (const MechanismEntry* entry : of_several) first.push_back(candidate(*entry, document));
    std::ranges::stable_sort(first, [](const Candidate& a, const Candidate& b) {
        return a.obstacle.empty() != b.obstacle.empty() ? a.obstacle.empty() : a.n_variance < b.n_variance;
    });
    ranking.candidates.insert(ranking.candidates.begin(), first.begin(), first.end());
    return ranking;
}

}  // namespace ldp
