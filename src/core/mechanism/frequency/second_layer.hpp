// What the mechanisms with a second layer share. The permanent response keeps ε∞, the "epsilon" of the spec,
// however often it is sent; the second layer, which is drawn anew for every report, hides it so far that one
// report by itself keeps ε₁ < ε∞. Who sees one report learns less, and who sees many does not see when the
// value changed.
#pragma once

#include "core/format/header.hpp"
#include "core/mechanism/fields.hpp"

namespace ldp {

/// ε₁; 0 stands for ε∞/2.
inline constexpr Option first_epsilon_option{.name = "first_epsilon", .real = true};

/// The same of a mechanism that has a second layer only if it is asked for; 0 stands for none.
inline constexpr Option second_layer_option{.name = "first_epsilon", .real = true, .optional = true};

/// Fills in ε₁. Throws Error (invalid_spec) unless 0.0005 ≤ ε₁ < ε∞.
void settle_first_epsilon(SettingsDraft& draft);
/// The same, or no second layer.
void settle_second_layer(SettingsDraft& draft);

/// Writes the domain's size (4 bytes) and ε₁ (8), all the parameters of an oracle with a second layer.
void write_layers(const Settings& settings, Writer& writer);
/// Takes ε₁; Error (malformed) outside its bounds.
[[nodiscard]] double take_first_epsilon(Reader& reader, const Header& header);

/// Writes ε₁ if there is a second layer.
void write_second_layer(const Settings& settings, Writer& writer);
/// Takes the last parameter: ε₁, or ε∞ if nothing is left. Error (malformed) outside its bounds.
[[nodiscard]] double take_second_layer(Reader& reader, const Header& header);

}  // namespace ldp
