// The client's view of a collection: the validation of records and their encoding for the randomizer.
#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "client/contract.hpp"
#include "client/receipt.hpp"
#include "core/base/input_code.hpp"
#include "core/contract/spec.hpp"
#include "core/format/report_frame.hpp"

namespace ldp {

class BitSource;
class Mechanism;
class SetCodes;

/// One value of a record: a number in the attribute's unit, or the label of a category in UTF-8. An empty
/// label stands for a missing value. The object refers to its text, which must outlive the call that it is
/// passed to.
class Value : public std::variant<double, std::string_view> {
  public:
    /// Takes any number. A `char` is rejected, because 'a' is more likely meant as a label than as 97.
    template <class Number>
    requires(std::integral<Number> || std::floating_point<Number>) &&
        (!std::same_as<Number, char>)constexpr Value(Number number) noexcept
        : variant(static_cast<double>(number)) {}
    /// Takes a label, or a string of an attribute with "prefix".
    constexpr Value(std::string_view label) noexcept : variant(label) {}
    /// Takes a null-terminated label.
    constexpr Value(const char* label) : variant(std::string_view(label)) {}
    /// Takes a label, which must outlive the object.
    Value(const std::string& label) noexcept : variant(std::string_view(label)) {}
};

/// The treatment of numbers outside their declared range, and of strings and sets of labels that are too long. (The
/// spec defines the treatment of labels outside the domain.)
enum class Outside {
    clamp,   ///< clamps the number to the nearer end, or cuts the string or set, and counts it in the receipt
    refuse,  ///< rejects the record
};

/// A record in the form that the randomizer accepts.
struct Encoded {
    std::vector<Cell> cells;  ///< one input code for each attribute
    Clamped clamped;          ///< values that were clamped
};

/// A record on the mechanism's grids, before numbers are rounded to grid points.
struct GridRecord {
    /// The code of a string, which may exceed the integers of a double.
    struct Code {
        std::size_t attribute;  ///< the number of the attribute
        Cell cell;              ///< the input code
    };

    /// A set of labels, which may have more labels than are reported.
    struct LabelSet {
        std::size_t attribute;                  ///< the number of the attribute
        std::shared_ptr<const SetCodes> codes;  ///< the codes of its sets
        /// Items of SetCodes::code_of(), or the numbers of too many labels, ascending.
        std::vector<Cell> labels;
    };

    std::vector<double> positions;  ///< one position for each attribute, from 0 to the number of codes − 1
    std::vector<Code> codes;        ///< the codes of strings, whose positions are 0
    std::vector<LabelSet> sets;     ///< sets of labels, whose positions are 0
    Clamped clamped;                ///< values that were clamped

    /// Sets the input codes of strings.
    void set_strings(std::vector<Cell>& cells) const noexcept {
        for (const Code& code : codes) cells[code.attribute] = code.cell;
    }
    /// Sets the input codes of sets of labels. Sets that are too large are cut by the random word of their attribute,
    /// so that equal sets of a person with the same word are cut in the same way. All sets use a word.
    template <class WordOf>
    void set_labels(std::vector<Cell>& cells, WordOf word_of) const {
        for (const LabelSet& set : sets) cells[set.attribute] = code_of_cut_set(set, word_of(set.attribute));
    }
    /// Returns the input code of a set, after a cut by this word.
    [[nodiscard]] static Cell code_of_cut_set(const LabelSet& set, std::uint64_t word);
};

/// A record's report.
struct Perturbed {
    Report report;    ///< the only data that may leave the device
    Clamped clamped;  ///< values that were clamped
};

/// A spec and its mechanism. Immutable, cheap to copy, and safe to share between threads.
class Collection {
  public:
    /// Makes a collection from a spec. Throws Error (invalid_spec) if the spec needs more parameters than a
    /// report can carry, and Error (incompatible) if the terms do not allow it, by compare().
    explicit Collection(Spec spec, Outside outside = Outside::clamp, ContractTerms terms = {});
    /// Makes a collection from an offer of a server. Throws Error (incompatible) if the terms do not allow it, by
    /// compare(), and as the other constructor does.
    Collection(Offer offer, ContractTerms terms, Outside outside = Outside::clamp);
    /// Returns the collection under other terms. Throws Error (incompatible) if they do not allow it.
    [[nodiscard]] Collection under(ContractTerms terms) const;

    /// Returns the spec.
    [[nodiscard]] const Spec& spec() const noexcept;
    /// Returns the mechanism. Applications do not need it.
    [[nodiscard]] const Mechanism& mechanism() const noexcept;
    /// Returns the treatment of numbers outside their range.
    [[nodiscard]] Outside outside() const noexcept;
    /// Returns the terms of the caller.
    [[nodiscard]] const ContractTerms& terms() const noexcept;
    /// Returns the contract that the collection offers.
    [[nodiscard]] const Contract& contract() const noexcept;
    /// Returns the public columns that the server offers, if they are known.
    [[nodiscard]] const std::vector<PublicColumn>& public_columns() const noexcept;
    /// Throws Error (invalid_value) if a value's column has the name of an attribute, or if the terms list the columns that are
    /// sent unchanged and the list does not include it.
    void check_in_clear(const PublicValues& columns,
                        const std::optional<std::set<std::string>>& in_clear) const;

    /// Returns the input codes of a record. The record has one value for each attribute except products, in
    /// the spec's order. Products are computed from the other values after clamping.
    ///
    /// A label is encoded as its index. An empty label stands for "missing_label", and a label outside the domain for
    /// "other", if the spec has them. With "prefix", Attribute::label_of finds the label of a string. The
    /// value of a category without labels is its number, 0 to domain − 1. Any other number is rounded at
    /// random to one of the two adjacent points of the mechanism's grid, so that its expectation is
    /// preserved. A string of an open domain is encoded as its code. It is cut after the longest reported
    /// length, and other characters are replaced if the spec has a replacement.
    ///
    /// A set of labels is a text of labels, or of numbers of values without labels, between semicolons. An empty text
    /// is the empty set, and repeated labels count once. If there are more than "most", as many are drawn at random.
    ///
    /// Throws Error (invalid_value) with the attribute, the value and the allowed values. The causes are:
    ///   - a label outside a domain without "other", or a string that "prefix" does not allow;
    ///   - a string with characters outside its alphabet, or one that is too long under Outside::refuse;
    ///   - a set of too many labels under Outside::refuse;
    ///   - a number that is not finite, or is outside its range under Outside::refuse;
    ///   - a value of the wrong type, or a record of the wrong length.
    [[nodiscard]] Encoded encode(std::span<const Value> record, BitSource& bits) const;
    /// Returns the positions of a record on the mechanism's grid: encode() without the rounding. Throws as
    /// encode() does.
    [[nodiscard]] GridRecord to_grid(std::span<const Value> record) const;
    /// Returns a new report of the record, which costs ε in every call. Throws as encode() does, and Error
    /// (invalid_value) under a mechanism for series, whose input is more than one record.
    [[nodiscard]] Perturbed perturb(std::span<const Value> record, BitSource& bits) const;

  private:
    struct Plan;
    std::shared_ptr<const Plan> plan_;
};

}  // namespace ldp
