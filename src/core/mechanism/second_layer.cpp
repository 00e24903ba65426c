#include "second_layer.hpp"

#include "../channel/odds.hpp"
#include "../text.hpp"

namespace ldp {

namespace {

/// Half of the least ε∞, so that there is room for the default.
constexpr double least = min_epsilon / 2;

bool suits(double first_epsilon, double epsilon) {
    return first_epsilon >= least && first_epsilon < epsilon;
}

double& first_epsilon_of(const Draft& draft) {
    return std::get<double>(draft.options.at(first_epsilon_option.name));
}

}  // namespace

void check_first_epsilon(const Draft& draft) {
    const double found = first_epsilon_of(draft);
    if (!suits(found, draft.epsilon))
        throw Error(ErrorCode::invalid_spec,
                    "\"first_epsilon\" must be at least 0.0005 and less than \"epsilon\"",
                    "Found " + std::to_string(found) + " and " + std::to_string(draft.epsilon) + ".",
                    "It is what one report tells; \"epsilon\" is what all reports of one value tell.");
}

void settle_first_epsilon(Draft& draft) {
    double& first_epsilon = first_epsilon_of(draft);
    if (first_epsilon == 0) first_epsilon = draft.epsilon / 2;
    check_first_epsilon(draft);
}

void write_layers(const Spec& spec, Writer& writer) {
    write_domain(spec, writer);
    writer.put(spec.real(first_epsilon_option.name));
}

double take_first_epsilon(Reader& reader, const Header& header) {
    const auto found = reader.take<double>();
    if (!suits(found, header.epsilon))
        throw Error(
            ErrorCode::malformed, "the epsilon of one report is out of range",
            "Found " + std::to_string(found) + "; the memo has " + std::to_string(header.epsilon) + ".",
            "The bytes were damaged or forged.");
    return found;
}

}  // namespace ldp
