// All mechanisms, and what is known of each before there is an instance of it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/format/header.hpp"
#include "core/mechanism/settings.hpp"

namespace ldp {

class Mechanism;

/// Which attributes a mechanism takes.
enum class Shape {
    one_categorical,  ///< one category
    one_numeric,      ///< one number
    one_ordered,      ///< a number, or a category whose values are in order
    numeric_vector,   ///< two or more numbers
    record,           ///< two or more of any kind
};

/// What is known of a mechanism before there is an instance of it.
struct MechanismEntry {
    std::uint8_t id;    ///< as in a header; never reused
    const char* name;   ///< as in a spec
    const char* title;  ///< as in a sentence
    /// What leaves a device, for those who are asked: ends "What leaves your device is …".
    const char* leaves;
    Shape shape;                      ///< which attributes it takes
    std::uint64_t max_size;           ///< most values of one attribute, or most attributes of several
    bool automatic;                   ///< whether "auto" may choose it
    std::span<const Option> options;  ///< keys of the spec that it knows beyond those that all know
    /// Writes the parameters of settings that are this mechanism's.
    void (*write)(const Settings&, Writer&);
    /// Reads them back from untrusted bytes; Error (malformed) if they are out of range or contradict
    /// each other. Whatever is read keeps its ε.
    std::unique_ptr<const Mechanism> (*load)(const Header&, Bytes block);
    /// Fills in what settings may leave to their mechanism beyond defaults, so that the canonical form tells
    /// it. Throws Error (invalid_spec).
    void (*settle)(SettingsDraft&) = nullptr;
    /// Whether ε is that of a person's whole series of values, and not of one: see series.hpp.
    bool series = false;
};

/// All mechanisms, by id.
[[nodiscard]] std::span<const MechanismEntry* const> registry() noexcept;
/// The one of this name; null if there is none.
[[nodiscard]] const MechanismEntry* find_mechanism(std::string_view name) noexcept;
/// The same by its number.
[[nodiscard]] const MechanismEntry* find_mechanism(std::uint8_t id) noexcept;

/// The mechanism that a block, or a report or summary beginning with one, was made under.
/// Throws Error (malformed).
[[nodiscard]] std::unique_ptr<const Mechanism> load_mechanism(Bytes bytes, Kind kind);
/// The mechanism of these settings; its reports tell these terms of a spec. Throws Error (invalid_spec).
[[nodiscard]] std::unique_ptr<const Mechanism> make_mechanism(const Settings& settings,
                                                              const Terms& terms = {});

}  // namespace ldp
