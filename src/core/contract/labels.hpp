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

/// Returns the number of the attribute with this name. For the name of a vector, returns the number of its
/// first element.
[[nodiscard]] std::optional<std::size_t> find_attribute(std::span<const Attribute> attributes,
                                                        std::string_view name) noexcept;
/// Returns the number of the attribute with this name. If no attribute has the name, and it is the number of
/// an attribute in digits, returns that number.
[[nodiscard]] std::optional<std::size_t> find_attribute_or_number(std::span<const Attribute> attributes,
                                                                  std::string_view name) noexcept;
/// Returns the number of the value with this label, by a search through all labels. Returns nothing for an
/// attribute of strings.
[[nodiscard]] std::optional<std::size_t> find_label(const Attribute& attribute,
                                                    std::string_view label) noexcept;
/// Returns the label of a value, or its number if it has no label.
[[nodiscard]] std::string label_or_number(const Attribute& attribute, std::uint64_t value);

/// Labels of attributes, with an index from label to number. A value's number may be the code of a string, of
/// 64 bits. Without attributes, numbers replace names. A number in digits is accepted in place of the name of
/// an attribute; names take precedence.
class Labels {
  public:
    /// No names are known.
    Labels() = default;
    /// Creates the labels of these attributes, which must outlive this object.
    explicit Labels(std::span<const Attribute> attributes);

    [[nodiscard]] bool known() const noexcept { return !attributes_.empty(); }
    [[nodiscard]] std::span<const Attribute> attributes() const noexcept { return attributes_; }

    /// Returns whether the attribute's values are strings of an open domain. Their numbers are codes.
    [[nodiscard]] bool of_strings(std::size_t attribute) const noexcept {
        return attribute < attributes_.size() && attributes_[attribute].strings.has_value();
    }

    // Functions from a number to its name. Without a name, they return nothing, or the number in digits.

    [[nodiscard]] std::optional<std::string_view> find_name(std::size_t attribute) const noexcept;
    [[nodiscard]] std::optional<std::string_view> find_label(std::size_t attribute,
                                                             std::uint64_t value) const noexcept;
    [[nodiscard]] std::string name(std::size_t attribute) const;
    /// Returns the label as estimates show it. With `prefix`, a prefix ends with three dots, and a whole
    /// string has no mark at its end. The labels of `other` and `missing_label` stand for other answers: they
    /// have neither dots nor marks, and are in parentheses if a string has the same text.
    [[nodiscard]] std::string label(std::size_t attribute, std::uint64_t value) const;
    /// Returns JSON: a name or a label of the spec is a string, and the number of a value is a number.
    [[nodiscard]] std::string json_name(std::size_t attribute) const;
    [[nodiscard]] std::string json_label(std::size_t attribute, std::uint64_t value) const;
    /// Returns the ends of a number's bins in ascending order, including the ends of its range. Returns no
    /// ends if the attribute is not a number with bins.
    [[nodiscard]] std::vector<double> ends(std::size_t attribute) const;

    // Functions from a name to its number.

    /// Returns the number of the value with a label that label() returned, or with this label of the spec.
    [[nodiscard]] std::optional<std::uint64_t> find_value(std::size_t attribute,
                                                          std::string_view label) const;
    /// Returns the number of the attribute with this name or number; it must be below `count`. Throws Error
    /// (invalid_value) that lists names. If the list is incomplete, `hint` states where to find the other
    /// names.
    [[nodiscard]] std::size_t attribute_called(std::string_view name,
                                               std::size_t count = std::numeric_limits<std::size_t>::max(),
                                               const std::string& hint = {}) const;
    /// Returns the number of the value with this label. For values without labels, the label is the number in
    /// digits. Throws as attribute_called().
    [[nodiscard]] std::uint64_t value_called(std::size_t attribute, std::string_view label,
                                             const std::string& hint = {}) const;

    /// Returns how many attributes a name denotes: for a vector the number of its elements, otherwise 1.
    /// `first` is the number of the first one.
    [[nodiscard]] std::size_t attributes_called(std::size_t first, std::string_view name) const noexcept;

    // `sizes` are the numbers of values of the reports' attributes. Without labels, nothing else is known
    // about the attributes.

    /// Throws Error (malformed) if the labels belong to other attributes.
    void check_fit(std::span<const std::uint64_t> sizes) const;

    /// Values of some attributes, in ascending order of the attributes.
    struct Conditions {
        std::vector<std::size_t> attributes;
        JointShares::Box box;
    };
    /// Reads a JSON object that maps an attribute's name or number to a label or to an array of labels, any
    /// of which may occur. For a number with bins, the value may also be an array [low, high]: the bins from
    /// low up to below high, where null stands for no bound. Values without labels are given by their
    /// numbers. Throws Error (invalid_value) if the JSON is anything else, if no value meets a condition, or
    /// if a bound lies inside a bin; Error (malformed) for a text that is not JSON.
    [[nodiscard]] Conditions conditions(std::string_view json, std::span<const std::uint64_t> sizes) const;

    /// The weight of a quantity in a sum. The quantity is the share of a value, or, without a value, the mean
    /// of an attribute.
    struct QuantityWeight {
        std::size_t attribute;
        std::optional<std::uint64_t> value;
        double weight;
    };
    /// Reads a JSON object that maps an attribute's name or number to the weight of its mean, or to an object
    /// with a weight for each of some labels. Returns the weights by attribute and value, without weights of
    /// 0. Throws Error (invalid_value) if it is anything else, if no weight differs from 0, or for weights
    /// above 1e100; Error (malformed) for a text that is not JSON.
    [[nodiscard]] std::vector<QuantityWeight> weights(std::string_view json,
                                                      std::span<const std::uint64_t> sizes) const;
    /// Reads a JSON object that maps an attribute's name or number to an object with the total of every
    /// value. Returns the share of each value, by attribute and value. Throws as weights(), also for totals
    /// below 0.
    [[nodiscard]] std::vector<QuantityWeight> margins(std::string_view json,
                                                      std::span<const std::uint64_t> sizes) const;

    /// Returns sets of attributes, each in ascending order. `json` is a JSON array of arrays of names, or the
    /// word "pairs" or "triples" for all sets of that size among `count` attributes. Throws as conditions().
    [[nodiscard]] std::vector<std::vector<std::size_t>> sets(std::string_view json, std::size_t count) const;

  private:
    /// Returns the number of the value with this label of the spec.
    [[nodiscard]] std::optional<std::uint64_t> find_spec_label(std::size_t attribute,
                                                               std::string_view label) const noexcept;
    /// Returns the numbers for weights() and margins(), including zeros. `what` and `example` are for errors.
    [[nodiscard]] std::vector<QuantityWeight> numbers(std::string_view json,
                                                      std::span<const std::uint64_t> sizes, const char* what,
                                                      const char* example) const;
    [[nodiscard]] bool has_labels(std::size_t attribute) const noexcept {
        return attribute < attributes_.size() && !attributes_[attribute].labels.empty();
    }

    std::span<const Attribute> attributes_;
    /// An open hash table for each attribute. A slot contains the number of a value plus 1, or 0 if it is
    /// empty. The size of a table is a power of two; a table of few labels is empty.
    std::vector<std::vector<std::uint32_t>> index_;
};

}  // namespace ldp
