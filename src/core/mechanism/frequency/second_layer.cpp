#include "core/mechanism/frequency/second_layer.hpp"

#include "core/base/text.hpp"
#include "core/channel/odds.hpp"

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

void check_first_epsilon(const Draft& draft) {
    const double found = first_epsilon_of(draft);
    if (!suits(found, draft.epsilon))
        throw Error(ErrorCode::invalid_spec,
                    "\"first_epsilon\" must be at least 0.0005 and less than \"epsilon\"",
                    "Found " + std::to_string(found) + " and " + std::to_string(draft.epsilon) + ".",
                    "It is what one report tells; \"epsilon\" is what all reports of one value tell.");
}

}  // namespace

void settle_first_epsilon(Draft& draft) {
    double& first_epsilon = first_epsilon_of(draft);
    if (first_epsilon == 0) first_epsilon = draft.epsilon / 2;
    check_first_epsilon(draft);
}

void settle_second_layer(Draft& draft) {
    if (first_epsilon_of(draft) != 0) check_first_epsilon(draft);
}

void write_layers(const Spec& spec, Writer& writer) {
    write_domain(spec, writer);
    writer.put(spec.real(first_epsilon_option.name));
}

void write_second_layer(const Spec& spec, Writer& writer) {
    if (const double first = spec.real(second_layer_option.name); first != 0) writer.put(first);
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

double take_second_layer(Reader& reader, const Header& header) {
    const double first_epsilon = reader.empty() ? header.epsilon : take_first_epsilon(reader, header);
    reader.finish();
    return first_epsilon;
}

}  // namespace ldp
