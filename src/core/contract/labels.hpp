// The labels of a spec: the names of its attributes and of their values, and the numbers that these stand
// for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/mechanism/joint/cross_tables.hpp"
#include "core/mechanism/role/settings.hpp"

namespace ldp {

/// The number of the attribute with this name; of a vector's name that of its first element.
[[nodiscard]] std::optional<std::size_t> find_attribute(std::span<const Attribute> attributes,
                                                        std::string_view name) noexcept;
/// The same, or, if none has this name, the number in digits if it is one of theirs.
[[nodiscard]] std::optional<std::size_t> find_attribute_or_number(std::span<const Attribute> attributes,
                                                                  std::string_view name) noexcept;
/// The number of the value with this label, by a search through all labels; of strings none.
[[nodiscard]] std::optional<std::size_t> find_label(const Attribute& attribute,
                                                    std::string_view label) noexcept;
/// The label of a value, or its number if it has none.
[[nodiscard]] std::string label_or_number(const Attribute& attribute, std::uint64_t value);

/// Labels of attributes, with an index from label to number. A value's number may be the code of a string, of 64 bits. Without attributes, numbers stand for names. A
/// number written in digits stands for an attribute wherever a name does; names come first.
class Labels {
  public:
    /// No names are known.
    Labels() = default;
    /// Of these attributes, which must outlive it.
    explicit Labels(std::span<const Attribute> attributes);

    [[nodiscard]] bool known() const noexcept { return !attributes_.empty(); }
    [[nodiscard]] std::span<const Attribute> attributes() const noexcept { return attributes_; }

    /// Returns whether the attribute's values are strings of an open domain. Their numbers are codes.
    [[nodiscard]] bool of_strings(std::size_t attribute) const noexcept {
        return attribute < attributes_.size() && attributes_[attribute].strings.has_value();
    }

    // From a number to its name; nothing, or the number in digits, if it has none.

    [[nodiscard]] std::optional<std::string_view> find_name(std::size_t attribute) const noexcept;
    [[nodiscard]] std::optional<std::string_view> find_label(std::size_t attribute,
                                                             std::uint64_t value) const noexcept;
    [[nodiscard]] std::string name(std::size_t attribute) const;
    [[nodiscard]] std::string label(std::size_t attribute, std::uint64_t value) const;
    /// As JSON: a name or a label is a string, the number of a value stays a number.
    [[nodiscard]] std::string json_name(std::size_t attribute) const;
    [[nodiscard]] std::string json_label(std::size_t attribute, std::uint64_t value) const;
    /// The ends of a number's bins, ascending, with those of its range; none if it is no number in bins.
    [[nodiscard]] std::vector<double> ends(std::size_t attribute) const;

    // From a name to its number.

    [[nodiscard]] std::optional<std::uint64_t> find_value(std::size_t attribute,
                                                          std::string_view label) const noexcept;
    /// The number of the attribute with this name, or of this number, which must be below `count`. Throws
    /// Error (invalid_value) that lists names; `hint` says where the others are if some are left out.
    [[nodiscard]] std::size_t attribute_called(std::string_view name,
                                               std::size_t count = std::numeric_limits<std::size_t>::max(),
                                               const std::string& hint = {}) const;
    /// The number of the value with this label; of values without labels, the number in digits. Throws as
    /// attribute_called().
    [[nodiscard]] std::uint64_t value_called(std::size_t attribute, std::string_view label,
                                             const std::string& hint = {}) const;

    /// The number of attributes that a name stands for: of a vector its elements, else 1. `first` is the
    /// first.
    [[nodiscard]] std::size_t attributes_called(std::size_t first, std::string_view name) const noexcept;

    // `sizes` are the numbers of values of the reports' attributes. Without labels nothing else is known.

    /// Throws Error (malformed) if the labels belong to other attributes.
    void check_fit(std::span<const std::uint64_t> sizes) const;

    /// Values of some attributes, ascending.
    struct Conditions {
        std::vector<std::size_t> attributes;
        JointShares::Box box;
    };
    /// A JSON object that maps an attribute's name or number to a label or an array of labels, any of which
    /// may occur. For a number in bins it may be an array [low, high], null for no bound: the bins from low
    /// up to below high. Values without labels are given by their numbers. Throws Error (invalid_value) if it
    /// is anything else, if no value meets a condition, or if a bound lies inside a bin; Error (malformed)
    /// for text that is no JSON.
    [[nodiscard]] Conditions conditions(std::string_view json, std::span<const std::uint64_t> sizes) const;

    /// The weight of a quantity in a sum: of the share of a value, or, without a value, of the mean of an attribute.
    struct QuantityWeight {
        std::size_t attribute;
        std::optional<std::uint64_t> value;
        double weight;
    };
    /// A JSON object that maps an attribute's name or number to the weight of its mean, or to an object with a weight
    /// for each of some labels. Returns the weights by attribute and value, without weights of 0. Throws Error
    /// (invalid_value) if it is anything else, if no weight differs from 0, or for weights above 1e100; Error
    /// (malformed) for text that is no JSON.
    [[nodiscard]] std::vector<QuantityWeight> weights(std::string_view json,
                                                      std::span<const std::uint64_t> sizes) const;
    /// A JSON object that maps an attribute's name or number to an object with the total of every value. Returns the
    /// share of each value, by attribute and value. Throws as weights(), also for totals below 0.
    [[nodiscard]] std::vector<QuantityWeight> margins(std::string_view json,
                                                      std::span<const std::uint64_t> sizes) const;

    /// Sets of attributes, each ascending: of a JSON array of arrays of names, or of the word "pairs" or
    /// "triples" all sets of that size among `count` attributes. Throws as conditions().
    [[nodiscard]] std::vector<std::vector<std::size_t>> sets(std::string_view json, std::size_t count) const;

  private:
    /// The numbers of weights() and margins(), also zeros. `what` and `example` are for errors.
    [[nodiscard]] std::vector<QuantityWeight> numbers(std::string_view json,
                                                      std::span<const std::uint64_t> sizes, const char* what,
                                                      const char* example) const;
    [[nodiscard]] bool has_labels(std::size_t attribute) const noexcept {
        return attribute < attributes_.size() && !attributes_[attribute].labels.empty();
    }

    std::span<const Attribute> attributes_;
    /// Of each attribute an open hash table of its values' numbers plus 1, 0 for an empty slot. Its size is a
    /// power of two; a table of few labels is empty.
    std::vector<std::vector<std::uint32_t>> index_;
};

}  // namespace ldp
