// The settings of a mechanism: ε, the attributes, and the mechanism's options. A spec consists of settings
// and of terms that only the client uses.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ldp {

struct MechanismEntry;  // registry.hpp

/// A factor of a product: another attribute of the record. A numeric factor is the number minus the middle of
/// its range. A categorical factor is 1 for users who hold the given value and 0 for others.
struct Factor {
    std::size_t attribute;               ///< its index, from 0
    std::optional<std::uint64_t> value;  ///< of a category

    friend bool operator==(const Factor&, const Factor&) = default;
};

/// A range within [−1,1] in steps of 1/127, the resolution of a parameter block.
struct UnitRange {
    static constexpr double steps = 127;  ///< steps from 0 to 1
    std::int8_t lo = -127;                ///< lower end, in steps
    std::int8_t hi = 127;                 ///< upper end, in steps

    /// Returns the lower end.
    [[nodiscard]] double low() const noexcept { return lo / steps; }
    /// Returns the upper end.
    [[nodiscard]] double high() const noexcept { return hi / steps; }
    /// Returns the middle of the range.
    [[nodiscard]] double middle() const noexcept { return (lo + hi) / (2 * steps); }
    /// Returns half the width.
    [[nodiscard]] double half() const noexcept { return (hi - lo) / (2 * steps); }
    friend bool operator==(const UnitRange&, const UnitRange&) = default;
};

/// Rows of integers: coordinates, or a table.
using IntegerRows = std::vector<std::vector<std::int64_t>>;

/// The value of an option: an integer, a string, a range per attribute, a real number, or rows of integers.
using OptionValue = std::variant<std::uint64_t, std::string, std::vector<UnitRange>, double, IntegerRows>;
/// Options by name.
using OptionValues = std::map<std::string, OptionValue>;

/// An open domain: all strings over an alphabet, distinguished by their first `longest` characters. See
/// strings/string_codes.hpp.
struct StringDomain {
    std::u32string alphabet;    ///< characters in ascending order, without repetitions
    std::uint64_t longest = 0;  ///< number of leading characters that are reported
    bool fold = false;          ///< whether the letters A to Z are reported as a to z
    std::u32string other;       ///< replacement for other characters; empty if strings with them are rejected

    friend bool operator==(const StringDomain&, const StringDomain&) = default;
};

/// One column of a user's record: numeric with a declared range, or categorical with a declared domain.
struct Attribute {
    std::string name;  ///< as in the spec
    double min = 0;    ///< of a number, also if it is reported as a category: lower end of the declared range
    double max = 0;    ///< upper end of the range
    std::uint64_t domain = 0;         ///< categorical: the number of values; 0 if numeric
    std::vector<std::string> labels;  ///< categorical: the labels of the values, if declared
    bool circular =
        false;  ///< of a number: whether both ends of the range are the same value, as for hours of the day
    std::vector<double> edges;  ///< of a number that is reported as a category: the inner bin edges
    std::string other;          ///< the label of all values outside the domain, if declared
    std::string none;           ///< the label for users without a value, if declared
    std::uint64_t prefix = 0;   ///< if not 0, users hold strings, and labels are prefixes of this length
    std::uint64_t most = 0;  ///< of a set of labels: the largest number of labels; 0 if users have one value
    /// Set for strings of an open domain. They have no labels, and `domain` is the number of their codes.
    std::optional<StringDomain> strings;
    /// In a record: the factors of a product that the client computes, see spec/products.hpp. Empty if users
    /// provide the value.
    std::vector<Factor> product;
    std::string vector;       ///< in a record: the name of the vector of which this is an element, or empty
    std::string mechanism;    ///< in a record: the mechanism of this attribute; empty otherwise
    std::uint64_t share = 0;  ///< in a record: sampling weight relative to the other attributes; outside of
                              ///< records 0
    /// In a record: the options of the mechanism. For a vector, the options of its first element apply.
    OptionValues options;
    /// In a record, for "auto": the estimates to optimize ("mean", "distribution", "quantiles", "shape"; for
    /// a vector "means" or "ranges"), or empty.
    std::string want;
    double margin = 0;  ///< in a record, for "auto": the margin of error at 95 %, in its units; 0 if none
    /// numeric: whether it is rounded to the scale of its movement; see spec/evolving.hpp
    bool evolving = false;

    /// Returns whether the attribute is reported as a number.
    [[nodiscard]] bool numeric() const noexcept { return domain == 0; }
    /// Returns whether users have a set of labels; the share of each label is estimated.
    [[nodiscard]] bool several() const noexcept { return most != 0; }
    /// Returns whether the attribute is computed from other attributes of the record.
    [[nodiscard]] bool derived() const noexcept { return !product.empty(); }
    /// Returns whether the attribute has settings that only records support.
    [[nodiscard]] bool of_record() const noexcept {
        return !mechanism.empty() || share != 0 || !options.empty() || !want.empty() || margin != 0;
    }
    /// Returns whether users hold a number and report its bin. The attribute is then a category, and its
    /// labels are the bins.
    [[nodiscard]] bool binned() const noexcept { return !edges.empty(); }
    /// Returns whether users hold a number, however it is reported.
    [[nodiscard]] bool of_numbers() const noexcept { return numeric() || binned(); }
    /// Returns the ends of a bin.
    [[nodiscard]] std::pair<double, double> bin(std::size_t number) const noexcept {
        return {number == 0 ? min : edges[number - 1], number == edges.size() ? max : edges[number]};
    }
    /// Returns the string that is looked up among the labels. Without `prefix`, this is the text. With
    /// `prefix`, it is the first `prefix` characters of the text and a terminator. So "ab" stands for every
    /// longer string with this prefix, and "a\u0003" for "a" itself. With `prefix`, the result is empty if
    /// the text is not valid UTF-8, has more than max_string bytes, or contains the terminator.
    [[nodiscard]] std::optional<std::string> label_of(std::string_view text) const;
    static constexpr char separator = ';';         ///< between the labels of a set
    static constexpr char terminator = '\x03';     ///< marks the end of a whole string
    static constexpr std::size_t max_string = 64;  ///< maximum length of a user's string in bytes

    friend bool operator==(const Attribute&, const Attribute&) = default;
};

/// The limits of a choice. In a record, the limits apply to each attribute as if it were reported alone.
struct Limits {
    std::uint64_t report_bytes = 64;   ///< maximum size of a whole report, parameter block included
    std::uint64_t decode_cost = 1000;  ///< maximum of Cost::decode(): steps per report at a million reports
    friend bool operator==(const Limits&, const Limits&) = default;
};

/// A key of the spec that only some mechanisms support.
struct Option {
    const char* name;            ///< name in a spec
    std::uint64_t fallback = 0;  ///< of an integer: the default
    std::uint64_t least = 0;     ///< of an integer: the minimum
    std::uint64_t most = 0;      ///< of an integer: the maximum
    /// of a string: the permitted values; the first is the default
    std::span<const char* const> choices = {};
    bool ranges = false;      ///< one range within [−1,1] per attribute; the default is [−1,1]
    bool real = false;        ///< a real number, which the mechanism's settle() checks; the default is 0
    bool rows = false;        ///< rows of integers, which the mechanism checks; empty by default
    bool groups = false;      ///< a string or sets of attributes, stored as rows of attribute indexes
    bool of_numbers = false;  ///< applies only if the first attribute is a number
    /// Whether the option may be absent, which is the default and is not written.
    bool optional = false;

    /// Returns whether the option applies to these attributes.
    [[nodiscard]] bool applies(const std::vector<Attribute>& attributes) const {
        return !of_numbers || attributes[0].numeric();
    }
    /// Returns the default value.
    [[nodiscard]] OptionValue fallback_for(std::size_t attributes) const;
};

/// Complete settings of one mechanism.
class Settings {
  public:
    /// Completes given options with defaults, and with values that follow from ε and the attributes. Error
    /// (invalid_spec) if the mechanism does not accept the attributes, or if a choice is left open.
    Settings(const MechanismEntry& mechanism, double epsilon, std::vector<Attribute> attributes,
             OptionValues given = {});

    /// Returns the mechanism of the settings.
    [[nodiscard]] const MechanismEntry& mechanism() const noexcept { return *mechanism_; }
    /// Returns ε of a report; for a series, ε of all reports of a user together.
    [[nodiscard]] double epsilon() const noexcept { return epsilon_; }
    /// Returns δ, an option of the few mechanisms that support it; 0 for all others.
    [[nodiscard]] double delta() const;
    /// Returns the attributes that users report, in order.
    [[nodiscard]] const std::vector<Attribute>& attributes() const noexcept { return attributes_; }
    /// Returns an option, given or default.
    [[nodiscard]] const OptionValue& option(const std::string& name) const { return options_.at(name); }
    /// Returns an integer option.
    [[nodiscard]] std::uint64_t number(const std::string& option) const;
    /// Returns a string option.
    [[nodiscard]] const std::string& word(const std::string& option) const;
    /// Returns a real option.
    [[nodiscard]] double real(const std::string& option) const;
    /// Returns an option with a range per attribute, rounded outwards to whole steps.
    [[nodiscard]] const std::vector<UnitRange>& ranges(const std::string& option) const;

  private:
    const MechanismEntry* mechanism_;
    double epsilon_;
    std::vector<Attribute> attributes_;
    OptionValues options_;
};

/// Settings that a mechanism's settle() completes.
struct SettingsDraft {
    double epsilon;                      ///< ε of a report
    std::vector<Attribute>& attributes;  ///< the attributes that users report
    OptionValues& options;               ///< given or default values
};

/// Returns the options, with defaults for options that are not given.
[[nodiscard]] OptionValues with_defaults(const MechanismEntry& mechanism,
                                         const std::vector<Attribute>& attributes, OptionValues given);

/// Throws Error (invalid_spec): the spec leaves a choice open, for example by "auto".
[[noreturn]] void refuse_open_choice(const std::string& detail);

}  // namespace ldp
