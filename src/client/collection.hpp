// A collection as a device knows it: which records it takes, and how they enter the randomizer.
#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "client/receipt.hpp"
#include "core/base/input_code.hpp"
#include "core/format/report_frame.hpp"
#include "core/spec/spec.hpp"

namespace ldp {

class BitSource;
class Mechanism;

/// One value of a record: a number, in the attribute's own unit, or the label of a category, in UTF-8; an
/// empty one where there is no answer. It views its text, which must outlive the call it is passed to.
class Value : public std::variant<double, std::string_view> {
  public:
    /// Any number; a `char` is refused because 'a' is more likely a label than 97.
    template <class Number>
    requires(std::integral<Number> || std::floating_point<Number>) &&
        (!std::same_as<Number, char>)constexpr Value(Number number) noexcept
        : variant(static_cast<double>(number)) {}
    /// A label, or the text of a person's answer.
    constexpr Value(std::string_view label) noexcept : variant(label) {}
    /// The same, which ends with a zero.
    constexpr Value(const char* label) : variant(std::string_view(label)) {}
    /// The same, which must outlive the value.
    Value(const std::string& label) noexcept : variant(std::string_view(label)) {}
};

/// What becomes of a number outside its declared range. (A label outside the domain goes where the spec
/// says.)
enum class Outside {
    clamp,   ///< it is moved to the nearer end, and the receipt says so
    refuse,  ///< the record is refused
};

/// A record ready for the randomizer.
struct Encoded {
    std::vector<Cell> cells;  ///< one for each attribute
    Clamped clamped;          ///< what was moved to get there
};

/// A record on the mechanism's grids, before numbers are rounded to their points.
struct Placed {
    std::vector<double> positions;  ///< one for each attribute, from 0 to its cells − 1
    Clamped clamped;                ///< what was moved to get there
};

/// A record's report.
struct Perturbed {
    Report report;    ///< what may leave the device
    Clamped clamped;  ///< what was moved of the record
};

/// A spec and its mechanism. Immutable, cheap to copy, and safe to share between threads.
class Collection {
  public:
    /// Throws Error (invalid_spec) if the spec needs more parameters than a report can carry.
    explicit Collection(Spec spec, Outside outside = Outside::clamp);

    /// The spec it was made of.
    [[nodiscard]] const Spec& spec() const noexcept;
    /// Of use to sources of ldp only: programs need nothing of it.
    [[nodiscard]] const Mechanism& mechanism() const noexcept;
    /// What becomes of numbers outside their range.
    [[nodiscard]] Outside outside() const noexcept;

    /// Cells of a record that gives one value for each attribute of the spec but its products, in its order;
    /// products are made of the others, once those lie inside their ranges. A label becomes
    /// its index, an empty one that of "none" and one outside the domain that of "other", if the spec has
    /// them; with "prefix", a string is looked up by its beginning, as Attribute::label_of says. A category
    /// without labels is given by its number, 0 to domain − 1; any other number is placed on the mechanism's
    /// grid, between two points at the nearer one more often, so that the mean is kept.
    ///
    /// Throws Error (invalid_value), naming attribute, value and what is allowed, for a label outside a
    /// domain without "other", a string unfit for "prefix", a number that is not finite, a number where a
    /// label is due or the reverse, a record of another length, and under Outside::refuse a number outside
    /// its range.
    [[nodiscard]] Encoded encode(std::span<const Value> record, BitSource& bits) const;
    /// The first half of encode(): the same without the rounding. Throws as that does.
    [[nodiscard]] Placed place(std::span<const Value> record) const;
    /// encode() and the randomizer in one: a report of the record, drawn anew, which costs ε each time.
    /// Throws as encode() does, and Error (invalid_value) under a mechanism of series, whose input is more
    /// than one record.
    [[nodiscard]] Perturbed perturb(std::span<const Value> record, BitSource& bits) const;

  private:
    struct Plan;
    std::shared_ptr<const Plan> plan_;
};

}  // namespace ldp
