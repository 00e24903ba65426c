// Keys and words of a spec that are read in one place and written in another, with their bounds.
#pragma once

#include "core/contract/spec.hpp"
#include "core/format/header.hpp"
#include "core/mechanism/role/settings.hpp"

namespace ldp::keys {

inline constexpr std::uint64_t version = 1;
inline constexpr const char* automatic = "auto";
/// The mean of a number in two rounds; see choice/winsorized.hpp.
inline constexpr const char* winsorized = "winsorized";
inline constexpr Option report_bytes{"max_report_bytes", Limits{}.report_bytes, 26, 100000};
inline constexpr Option decode_cost{"max_decode_cost", Limits{}.decode_cost, 1, 1000000000};
inline constexpr Option share{.name = "weight", .fallback = 0, .least = 1, .most = 1000};
/// Of a number or a vector whose mechanism is chosen.
inline constexpr Option grid{.name = "grid", .fallback = 0, .least = 1, .most = std::uint64_t{1} << 20};
inline constexpr Option bins{"bins", 0, 2, 4096};
inline constexpr Option prefix{"prefix", 0, 1, Attribute::max_string};
inline constexpr const char* most = "most";
inline constexpr Option longest{"max_length", 0, 1, 63};
inline constexpr Option min_group{"min_group", usual_min_group, 1, 65535};
inline constexpr Option window{"window", Evolving{}.window, 1, 10000};
inline constexpr Option base_levels{"base_levels", Evolving{}.base_levels, 1, std::uint64_t{1} << 20};
inline constexpr const char* group = "group";
inline constexpr const char* at_most = "at_most";
inline constexpr const char* report_spent = "report_spent";
inline constexpr const char* when_spent[] = {"repeat", "stop"};  // as Budget::WhenSpent

}  // namespace ldp::keys
