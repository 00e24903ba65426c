// The common part of mechanisms with a second layer. The permanent response has ε∞, the "epsilon" of the
// spec, however often it is sent. The second layer is drawn anew for each report and limits the loss of a
// single report to ε₁ < ε∞. It also hides the time of a change from an observer of many reports.
#pragma once

#include "core/format/header.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/fields.hpp"

namespace ldp {

/// ε₁; 0 stands for ε∞/2.
inline constexpr Option report_epsilon_option{.name = "report_epsilon", .real = true};

/// ε₁ of mechanisms with an optional second layer; 0 stands for none.
inline constexpr Option second_layer_option{.name = "report_epsilon", .real = true, .optional = true};

/// Sets the default of ε₁. Error (invalid_spec) unless 0.0005 ≤ ε₁ < ε∞.
void settle_report_epsilon(SettingsDraft& draft);
/// Checks ε₁ of an optional second layer. Error (invalid_spec) as above.
void settle_second_layer(SettingsDraft& draft);

/// Writes the domain size (4 bytes) and ε₁ (8), the parameters of an oracle with a second layer.
void write_layers(const Settings& settings, Writer& writer);
/// Reads ε₁. Error (malformed) outside its bounds.
[[nodiscard]] double take_report_epsilon(Reader& reader, const Header& header);

/// Writes ε₁ if there is a second layer.
void write_second_layer(const Settings& settings, Writer& writer);
/// Reads the last parameter: ε₁, or ε∞ at the end of the block. Error (malformed) outside its bounds.
[[nodiscard]] double take_second_layer(Reader& reader, const Header& header);

}  // namespace ldp
