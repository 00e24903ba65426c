#include "core/proof/input_text.hpp"

#include "core/base/text.hpp"
#include "core/contract/labels.hpp"
#include "core/mechanism/frequency/label_codes.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/role/fields.hpp"

namespace ldp {

namespace {

/// A set of labels as text: "mail; phone".
std::string set_text(const Attribute& attribute, Cell code) {
    std::string text;
    for (const Cell label : set_of_code(attribute.domain, code))
        text += (text.empty() ? "" : "; ") + label_or_number(attribute, label);
    return text.empty() ? "no label" : text;
}

}  // namespace

std::vector<InputCode> input_codes(const Spec& spec, const Mechanism& mechanism) {
    std::vector<InputCode> all;
    for (std::size_t j = 0; j < spec.attributes().size(); ++j)
        if (const std::size_t rounds = is_series(mechanism, j) ? rounds_of_series(mechanism) : 0; rounds == 0)
            all.push_back({j});
        else
            for (std::size_t round = 1; round <= rounds; ++round) all.push_back({j, round});
    return all;
}

std::string input_text(const Spec& spec, const Mechanism& mechanism, Input input) {
    const std::vector<InputCode> codes = input_codes(spec, mechanism);
    const std::vector<std::uint64_t> cells = mechanism.input_cells();
    std::vector<std::string> parts;
    for (std::size_t j = 0; j < input.size(); ++j) {
        const Attribute& attribute = spec.attributes()[codes[j].attribute];
        std::string value =
            attribute.several() ? set_text(attribute, input[j]) : label_or_number(attribute, input[j]);
        const std::uint64_t steps = grid_steps(attribute, cells[j]);
        if (attribute.numeric() && input[j] > steps) {
            value = attribute.none;
        } else if (attribute.numeric()) {
            const double share = static_cast<double>(input[j]) / static_cast<double>(steps);
            value = shortest(attribute.min + (attribute.max - attribute.min) * share);
        }
        const bool named = codes[j].round <= 1 && (codes[j].round == 0 || spec.attributes().size() > 1);
        std::string part = named ? attribute.name : "";
        if (codes[j].round > 0)
            part += (part.empty() ? "round " : " round ") + std::to_string(codes[j].round);
        if (!part.empty()) part += " ";
        parts.push_back(part += value);
    }
    return shortened(joined(parts), 200);
}

}  // namespace ldp
