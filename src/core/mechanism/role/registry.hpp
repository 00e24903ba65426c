// The registry of mechanisms, and their static descriptions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/format/header.hpp"
#include "core/mechanism/role/settings.hpp"

namespace ldp {

class Mechanism;

/// The attributes that a mechanism accepts.
enum class Shape {
    one_categorical,  ///< one category
    one_numeric,      ///< one number
    one_ordered,      ///< a number, or a category whose values are ordered
    one_string,       ///< strings of an open domain
    one_set,          ///< one set of labels
    numeric_vector,   ///< two or more numbers
    record,           ///< two or more of any kind
};

/// The estimates for which a mechanism is made. Choices and records distinguish these.
enum class Purpose {
    values,               ///< shares or means
    distribution,         ///< the distribution of an ordered attribute, unbiased
    smooth_distribution,  ///< a smooth fit of the distribution of an ordered attribute
    vector_ranges,        ///< means of ranges of a vector
    range_learning,       ///< ranges of the coordinates of a vector, for a second round
    joint_tables,         ///< cells of tables of several attributes
    joint_boxes,          ///< boxes of several attributes
    means_by_group,       ///< means of a number by a category
    direction,            ///< the mean direction of values on a circle
};

/// An option that bounds the number of a person's different responses.
struct ResponseOption {
    const char* name = nullptr;  ///< null if the mechanism has none
    std::uint64_t more = 0;      ///< number of responses beyond the option's value
};

/// Properties of some mechanisms only.
struct EntryTraits {
    bool automatic = false;             ///< whether "auto" may choose it
    std::span<const Option> options{};  ///< keys of the spec that it supports beyond the common keys
    /// Completes options that have no fixed default, so that the canonical form contains them. Error
    /// (invalid_spec) if they are invalid.
    void (*settle)(SettingsDraft&) = nullptr;
    /// Whether ε covers a user's whole series of values instead of one value; see series.hpp.
    bool series = false;
    Purpose purpose = Purpose::values;  ///< the estimates for which it is made
    ResponseOption responses{};         ///< for memoized responses: the option that bounds their number
    bool literature = false;  ///< kept for comparison with the literature only: no choice considers it
};

/// The static description of a mechanism.
struct MechanismEntry : EntryTraits {
    std::uint8_t id;    ///< number in headers; never reused
    const char* name;   ///< name in a spec
    const char* title;  ///< name in a sentence
    /// The content of a report in the words of the consent text: completes "What leaves your device is …".
    const char* leaves;
    Shape shape;             ///< attributes that it accepts
    std::uint64_t max_size;  ///< largest domain of one attribute, or largest number of attributes
    /// Writes the parameters that are specific to the mechanism.
    void (*write)(const Settings&, Writer&);
    /// Reads the parameters from untrusted bytes. Error (malformed) if they are out of range or inconsistent.
    /// Every block that load() accepts keeps its ε.
    std::unique_ptr<const Mechanism> (*load)(const Header&, Bytes block);

    /// The arguments are the members above in their order.
    constexpr MechanismEntry(std::uint8_t number, const char* word, const char* words, const char* consent,
                             Shape accepted, std::uint64_t most, decltype(write) writer,
                             decltype(load) loader, const EntryTraits& traits = {}) noexcept
        // clang-format off
        : EntryTraits(traits), id(number), name(word), title(words), leaves(consent), shape(accepted), max_size(most),
          write(writer), load(loader) {}
    // clang-format on

    /// Whether it estimates several attributes together.
    [[nodiscard]] bool joint() const noexcept {
        return purpose == Purpose::joint_tables || purpose == Purpose::joint_boxes;
    }
};

/// Returns all mechanisms, in the order of their ids.
[[nodiscard]] std::span<const MechanismEntry* const> registry() noexcept;
/// Returns whether the mechanism of this name exists, but is missing in this build: a mechanism of the literature, or one
/// that a program for devices does not list.
[[nodiscard]] bool is_left_out(std::string_view name) noexcept;
/// Returns the mechanism of this name; null if it does not exist.
[[nodiscard]] const MechanismEntry* find_mechanism(std::string_view name) noexcept;
/// Returns the first mechanism with this purpose. Error (invalid_spec) if it is missing in this build.
[[nodiscard]] const MechanismEntry& mechanism_for(Purpose purpose);
/// Returns the mechanism with this id; null if it does not exist.
[[nodiscard]] const MechanismEntry* find_mechanism(std::uint8_t id) noexcept;

/// Returns the mechanism of a parameter block, or of a report or summary, which begins with one. Error
/// (malformed) if the block is invalid.
[[nodiscard]] std::unique_ptr<const Mechanism> load_mechanism(Bytes bytes, Kind kind);
/// Returns the mechanism of these settings. Its reports contain the terms of the spec. Error (invalid_spec)
/// if the settings are invalid.
[[nodiscard]] std::unique_ptr<const Mechanism> make_mechanism(const Settings& settings,
                                                              const Terms& terms = {});

}  // namespace ldp
