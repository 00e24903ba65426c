#include "core/mechanism/frequency/second_layer.hpp"

#include "core/base/text.hpp"
#include "core/channel/epsilon_odds.hpp"

namespace ldp {

namespace {

/// Half of the smallest ε∞, so that the default is valid.
constexpr double least = min_epsilon / 2;

bool suits(double report_epsilon, double epsilon) {
    return report_epsilon >= least && report_epsilon < epsilon;
}

double& report_epsilon_of(const SettingsDraft& draft) {
    return std::get<double>(draft.options.at(report_epsilon_option.name));
}

void check_report_epsilon(const SettingsDraft& draft) {
    const double found = report_epsilon_of(draft);
    if (!suits(found, draft.epsilon))
        raise(ErrorCode::invalid_spec, "\"report_epsilon\" must be at least 0.0005 and less than \"epsilon\"",
              "Found " + std::to_string(found) + " and " + std::to_string(draft.epsilon) + ".",
              "\"report_epsilon\" bounds the privacy loss of one report; \"epsilon\" bounds the total "
              "privacy loss of all reports of one value.");
}

}  // namespace

void settle_report_epsilon(SettingsDraft& draft) {
    double& report_epsilon = report_epsilon_of(draft);
    if (report_epsilon == 0) report_epsilon = draft.epsilon / 2;
    check_report_epsilon(draft);
}

void settle_second_layer(SettingsDraft& draft) {
    if (report_epsilon_of(draft) != 0) check_report_epsilon(draft);
}

void write_layers(const Settings& settings, Writer& writer) {
    write_domain(settings, writer);
    writer.put(settings.real(report_epsilon_option.name));
}

void write_second_layer(const Settings& settings, Writer& writer) {
    if (const double first = settings.real(second_layer_option.name); first != 0) writer.put(first);
}

double take_report_epsilon(Reader& reader, const Header& header) {
    const auto found = reader.take<double>();
    if (!suits(found, header.epsilon))
        refuse_block("the epsilon of one report is out of range", "Found " + std::to_string(found) +
                                                                      "; the permanent response has " +
                                                                      std::to_string(header.epsilon) + ".");
    return found;
}

double take_second_layer(Reader& reader, const Header& header) {
    const double report_epsilon = reader.empty() ? header.epsilon : take_report_epsilon(reader, header);
    reader.finish();
    return report_epsilon;
}

}  // namespace ldp
