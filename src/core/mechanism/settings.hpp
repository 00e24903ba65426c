// What a mechanism is made from: ε, the attributes that people report, and the options that the mechanism
// knows. A spec is this and what concerns the client alone; a mechanism sees no more than this.
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

/// A factor of a product: another attribute of the record, a number less the middle of its range, or of a
/// category 1 for those who hold this value and 0 for the others.
struct Factor {
    std::size_t attribute;               ///< its number, from 0
    std::optional<std::uint64_t> value;  ///< of a category

    friend bool operator==(const Factor&, const Factor&) = default;
};

/// One column of a person's record: numeric, on a declared range, or categorical, over a declared domain.
struct Attribute {
    std::string name;  ///< as in the spec
    double min = 0;    ///< of a number, also if it is reported as a category: where its declared range begins
    double max = 0;    ///< where it ends
    std::uint64_t domain = 0;         ///< categorical: the number of values; 0 if numeric
    std::vector<std::string> labels;  ///< categorical: their names, if they have any
    std::vector<double> edges;        ///< of a number that is reported as a category: where its bins meet
    std::string other;         ///< the label that stands for all that are not in the domain, if one does
    std::string none;          ///< the label of those who have no answer, if one is
    std::uint64_t prefix = 0;  ///< if not 0, people hold strings, and labels are their beginnings
    /// Of a record: what it is the product of, on the device; see spec/products.hpp. Empty if people give it.
    std::vector<Factor> product;
    std::string mechanism;    ///< of a record: what it is reported through; empty otherwise
    std::uint64_t share = 0;  ///< of a record: how likely it is drawn, beside others; 0 otherwise
    bool evolving = false;  ///< numeric: whether it is rounded as coarsely as it moves; see spec/evolving.hpp

    /// Whether it is reported as a number.
    [[nodiscard]] bool numeric() const noexcept { return domain == 0; }
    /// Whether it follows from the other attributes of the record.
    [[nodiscard]] bool derived() const noexcept { return !product.empty(); }
    /// Whether people hold a number, of which its bin is reported: a category, whose labels are the bins.
    [[nodiscard]] bool binned() const noexcept { return !edges.empty(); }
    /// Whether people hold a number, however it is reported.
    [[nodiscard]] bool of_numbers() const noexcept { return numeric() || binned(); }
    /// The ends of a bin.
    [[nodiscard]] std::pair<double, double> bin(std::size_t number) const noexcept {
        return {number == 0 ? min : edges[number - 1], number == edges.size() ? max : edges[number]};
    }
    /// What a person's text is looked up as among the labels: the text; with `prefix`, the first `prefix`
    /// characters of the text and a terminator, so that "ab" stands for every longer string that begins so,
    /// and "a\u0003" for "a" itself. With `prefix`, nothing if the text is no valid UTF-8, has more than
    /// max_string bytes, or has a terminator of its own.
    [[nodiscard]] std::optional<std::string> label_of(std::string_view text) const;
    static constexpr char terminator = '\x03';     ///< ends a whole string
    static constexpr std::size_t max_string = 64;  ///< bytes of a person's string

    friend bool operator==(const Attribute&, const Attribute&) = default;
};

/// A range within [−1,1], in steps of 1/127, which is what a parameter block has room for.
struct UnitRange {
    static constexpr double steps = 127;  ///< to 1
    std::int8_t lo = -127;                ///< where it begins, in steps
    std::int8_t hi = 127;                 ///< where it ends, in steps

    /// Where it begins.
    [[nodiscard]] double low() const noexcept { return lo / steps; }
    /// Where it ends.
    [[nodiscard]] double high() const noexcept { return hi / steps; }
    /// What lies between.
    [[nodiscard]] double middle() const noexcept { return (lo + hi) / (2 * steps); }
    /// Half its width.
    [[nodiscard]] double half() const noexcept { return (hi - lo) / (2 * steps); }
    friend bool operator==(const UnitRange&, const UnitRange&) = default;
};

/// What "auto" must keep to. In a record it settles each attribute's mechanism, as if that reported alone.
struct Limits {
    std::uint64_t report_bytes = 64;   ///< of a whole report, parameter block included
    std::uint64_t decode_cost = 1000;  ///< Cost::decode(): steps a report, at a million of them
    friend bool operator==(const Limits&, const Limits&) = default;
};

/// Rows of whole numbers: coordinates, or a table.
using IntegerRows = std::vector<std::vector<std::int64_t>>;

/// An option: a whole number, a word, a range for each attribute, a real number, or rows of whole ones.
using OptionValue = std::variant<std::uint64_t, std::string, std::vector<UnitRange>, double, IntegerRows>;
/// Options by name.
using OptionValues = std::map<std::string, OptionValue>;

/// A key of the spec that only some mechanisms know.
struct Option {
    const char* name;                           ///< as in a spec
    std::uint64_t fallback = 0;                 ///< of a whole number: the default
    std::uint64_t least = 0;                    ///< of a whole number
    std::uint64_t most = 0;                     ///< of a whole number
    std::span<const char* const> choices = {};  ///< of a word; the first is the default
    bool ranges = false;      ///< of one range within [−1,1] for each attribute; [−1,1] is the default
    bool real = false;        ///< of a number that the mechanism's settle() bounds; 0 is the default
    bool rows = false;        ///< of rows of whole numbers, which the mechanism bounds; none is the default
    bool groups = false;      ///< of a word, or else of sets of attributes, which are rows of their numbers
    bool of_numbers = false;  ///< known only where the first attribute is a number
    /// Whether the default is to do without, which is not written.
    bool optional = false;

    /// Whether settings of these attributes have it.
    [[nodiscard]] bool applies(const std::vector<Attribute>& attributes) const {
        return !of_numbers || attributes[0].numeric();
    }
    /// The default.
    [[nodiscard]] OptionValue fallback_for(std::size_t attributes) const;
};

/// Complete settings of one mechanism.
class Settings {
  public:
    /// With the options' defaults where none are given; the mechanism settles the rest, the choice of other
    /// mechanisms within the limits. Throws Error (invalid_spec) if it does not take the attributes.
    Settings(const MechanismEntry& mechanism, double epsilon, std::vector<Attribute> attributes,
             OptionValues given = {}, const Limits& limits = {});

    /// Whose settings these are.
    [[nodiscard]] const MechanismEntry& mechanism() const noexcept { return *mechanism_; }
    /// What a report costs; of a series, all of a person's together.
    [[nodiscard]] double epsilon() const noexcept { return epsilon_; }
    /// The probability but for which ε holds: the option of this name, of the few mechanisms that have it; 0
    /// of all others.
    [[nodiscard]] double delta() const;
    /// What people report, in order.
    [[nodiscard]] const std::vector<Attribute>& attributes() const noexcept { return attributes_; }
    /// An option, given or by default.
    [[nodiscard]] const OptionValue& option(const std::string& name) const { return options_.at(name); }
    /// An option that is a whole number.
    [[nodiscard]] std::uint64_t number(const std::string& option) const;
    /// An option that is a word.
    [[nodiscard]] const std::string& word(const std::string& option) const;
    /// An option that is a real number.
    [[nodiscard]] double real(const std::string& option) const;
    /// An option that is a range for each attribute, widened to whole steps.
    [[nodiscard]] const std::vector<UnitRange>& ranges(const std::string& option) const;

  private:
    const MechanismEntry* mechanism_;
    double epsilon_;
    std::vector<Attribute> attributes_;
    OptionValues options_;
};

/// What is still open to a mechanism's settle(): settings before they are complete.
struct SettingsDraft {
    double epsilon;                      ///< of a report
    const Limits& limits;                ///< of the mechanisms that are chosen
    std::vector<Attribute>& attributes;  ///< what people report
    OptionValues& options;               ///< as given, or by default
};

}  // namespace ldp
