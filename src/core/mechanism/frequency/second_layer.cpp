#include "core/mechanism/frequency/second_layer.hpp"

#include "core/base/text.hpp"
#include "core/channel/epsilon_odds.hpp"

namespace ldp {

namespace {

/// Half of the smallest ε∞, so that the default is valid.
constexpr double least = min_epsilon / 2;

bool suits(double first_epsilon, double epsilon) {
    return first_epsilon >= least && first_epsilon < epsilon;
}

double& first_epsilon_of(const SettingsDraft& draft) {
    return std::get<double>(draft.options.at(first_epsilon_option.name));
}

void check_first_epsilon(const SettingsDraft& draft) {
    const double found = first_epsilon_of(draft);
    if (!suits(found, draft.epsilon))
        raise(
            ErrorCode::invalid_spec, "\"first_epsilon\" must be at least 0.0005 and less than \"epsilon\"",
            "Found " + std::to_string(found) + " and " + std::to_string(draft.epsilon) + ".",
            "\"first_epsilon\" bounds the privacy loss of one report; \"epsilon\" bounds that of all reports "
            "of one value.");
}

}  // namespace

void settle_first_epsilon(SettingsDraft& draft) {
    double& first_epsilon = first_epsilon_of(draft);
    if (first_epsilon == 0) first_epsilon = draft.epsilon / 2;
    check_first_epsilon(draft);
}

void settle_second_layer(SettingsDraft& draft) {
    if (first_epsilon_of(draft) != 0) check_first_epsilon(draft);
}

void write_layers(const Settings& settings, Writer& writer) {
    write_domain(settings, writer);
    writer.put(settings.real(first_epsilon_option.name));
}

void write_second_layer(const Settings& settings, Writer& writer) {
    if (const double first = settings.real(second_layer_option.name); first != 0) writer.put(first);
}

double take_first_epsilon(Reader& reader, const Header& header) {
    const auto found = reader.take<double>();
    if (!suits(found, header.epsilon))
        raise(ErrorCode::malformed, "the epsilon of one report is out of range",
              "Found " + std::to_string(found) + "; the permanent response has " +
                  std::to_string(header.epsilon) + ".",
              "The bytes were damaged or forged.");
    return found;
}

double take_second_layer(Reader& reader, const Header& header) {
    const double first_epsilon = reader.empty() ? header.epsilon : take_first_epsilon(reader, header);
    reader.finish();
    return first_epsilon;
}

}  // namespace ldp
