// The parts of a record: which attributes are reported together, through which mechanism, and how often.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/mechanism/role/registry.hpp"

namespace ldp {

/// Consecutive attributes of a record that one mechanism reports together.
struct PartAttributes {
    std::size_t first;  ///< the first attribute
    std::size_t count;  ///< of attributes
    bool joint;         ///< whether the attributes are a set, or several sets, of "joint_tables"
};

/// Divides attributes into parts. The sets of `together`, by number, are one part if they have categories only; a set
/// of a category and a number is a part of its own. A vector is one part, and so is every other attribute. Throws
/// Error (invalid_spec) if the attributes of such a part are not consecutive, or if a set is not of two or three
/// different attributes.
[[nodiscard]] std::vector<PartAttributes> parts_of(const std::vector<Attribute>& attributes,
                                                   const IntegerRows& together);

/// The options of a record that its parts share.
struct PartTerms {
    double epsilon;               ///< of a part
    double report_epsilon;        ///< of the first report of a part in two layers; 0 in one layer
    std::uint64_t grid;           ///< of numbers whose attribute has no grid of its own
    const IntegerRows& together;  ///< sets of attributes in joint tables
};

/// Whether the mechanism reports the parts of a record by other mechanisms.
[[nodiscard]] bool is_record_of_parts(const MechanismEntry& entry) noexcept;
/// Whether a part of a record can be reported through the mechanism at all.
[[nodiscard]] bool reports_parts(const MechanismEntry& entry) noexcept;
/// Whether the mechanism reports the attribute, or the vector of which it is an element, under these terms.
[[nodiscard]] bool suits(const MechanismEntry& entry, const Attribute& attribute,
                         const PartTerms& terms) noexcept;
/// Whether the attribute leaves its mechanism open.
[[nodiscard]] bool is_open(const Attribute& attribute) noexcept;

/// What an attribute is, for errors: "number", "category", "text" or "vector".
[[nodiscard]] std::string kind_of_part(const Attribute& attribute);
/// The name of the attribute, or of the vector of which it is an element.
[[nodiscard]] const std::string& name_of_part(const Attribute& attribute);
/// The reason why no mechanism suits an attribute at all.
[[nodiscard]] std::string no_mechanism_for(const Attribute& attribute, const PartTerms& terms);

/// The attributes of a part as if they were reported alone.
[[nodiscard]] std::vector<Attribute> reported_alone(const std::vector<Attribute>& attributes,
                                                    const PartAttributes& part);
/// The complete settings of a part that this mechanism reports.
[[nodiscard]] Settings settings_through(const MechanismEntry& entry, const std::vector<Attribute>& attributes,
                                        const PartAttributes& part, const PartTerms& terms);
/// The complete settings of a part for the mechanism that its attributes name.
[[nodiscard]] Settings settings_of_part(const std::vector<Attribute>& attributes, const PartAttributes& part,
                                        const PartTerms& terms);

/// Completes mechanism, options and share of the attributes of a part. Throws Error (invalid_spec) if the
/// mechanism does not suit, or if the attributes leave it open.
void settle_part(std::vector<Attribute>& attributes, const PartAttributes& part, const PartTerms& terms);

/// Returns whether an attribute names a mechanism for series.
[[nodiscard]] bool has_series(const std::vector<Attribute>& attributes) noexcept;
/// Throws Error (invalid_spec) if the record has series and several parts in a report, or series of different
/// numbers of rounds. The attributes are complete.
void check_series(const std::vector<Attribute>& attributes, std::uint64_t per_report);

/// The weight of a part in the draw: its attribute's share. A category and a number have the larger share of both. Joint
/// tables have the sum of the shares of the attributes and, for each set, the largest share of its attributes.
[[nodiscard]] std::uint64_t share_of_part(const std::vector<Attribute>& attributes,
                                          const PartAttributes& part, const IntegerRows& together);

/// The number of shares whose sum share_of_part() is, if they are equal.
[[nodiscard]] std::size_t shares_in_part(const std::vector<Attribute>& attributes, const PartAttributes& part,
                                         const IntegerRows& together);

/// A record with its parts and their terms.
struct RecordLayout {
    IntegerRows together;               ///< sets of attributes in joint tables, sorted
    std::vector<PartAttributes> parts;  ///< the parts
    std::uint64_t per_report;           ///< number of parts in a report

    /// Returns the terms of the parts for reports with this number of parts. They refer to the layout.
    [[nodiscard]] PartTerms terms(double epsilon, const OptionValues& options, std::uint64_t reported) const;
};
/// Sorts the sets of "joint_tables" in the options of a record, which are complete with their defaults, and
/// divides its attributes. `per_report` is 0 if the spec leaves it open. Throws Error (invalid_spec).
[[nodiscard]] RecordLayout layout_of_record(SettingsDraft& draft);
/// Checks the number of parts in a report and the ε of its layers. Throws Error (invalid_spec).
void check_layout(SettingsDraft& draft, const RecordLayout& layout);

}  // namespace ldp
