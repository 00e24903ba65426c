// The parts of a record: which attributes are reported together, through which mechanism, and how often.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/choice/selection.hpp"
#include "core/mechanism/registry.hpp"

namespace ldp {

/// Consecutive attributes of a record that one mechanism reports together.
struct PartAttributes {
    std::size_t first;  ///< the first attribute
    std::size_t count;  ///< of attributes
    bool joint;         ///< whether joint tables of the attributes are reported
};

/// Divides attributes into parts: the attributes of `together` (sets of attributes, by number) are one part,
/// a vector is one part, and every other attribute is a part of its own. Throws Error (invalid_spec) if the
/// attributes of `together` are not consecutive, or if a set is not of two or three different attributes.
[[nodiscard]] std::vector<PartAttributes> parts_of(const std::vector<Attribute>& attributes,
                                                   const IntegerRows& together);

/// The options of a record that its parts share.
struct PartTerms {
    double epsilon;        ///< of a part
    double first_epsilon;  ///< of the first report of a part in two layers; 0 in one layer
    std::uint64_t grid;    ///< of numbers whose attribute has no grid of its own
    const IntegerRows& together;
    const Limits& limits;  ///< of the mechanisms that are chosen
    /// For memoized responses: the limit of those of one part that a person reports. Null otherwise.
    const ResponseLimit* responses = nullptr;
};

/// Whether a part of a record can be reported through the mechanism at all.
[[nodiscard]] bool reports_parts(const MechanismEntry& entry) noexcept;

/// A chosen mechanism of a part, and the options that its choice includes.
struct PartChoice {
    const MechanismEntry* mechanism = nullptr;
    OptionValues options = {};
};
/// Choices that depend on the size of the domain alone (0 for a number).
using ChosenBySize = std::map<std::uint64_t, PartChoice>;

/// Chooses the mechanism of a part, if its attributes leave it open, and writes mechanism, options and share
/// into the attributes. Throws Error (invalid_spec) if no mechanism suits, or if the one named does not.
void settle_part(std::vector<Attribute>& attributes, const PartAttributes& part, const PartTerms& terms,
                 ChosenBySize& chosen);

/// The mechanism for a vector that is reported alone: "haar" for "want": "ranges", else the one of least
/// expected variance of the means. Throws Error (invalid_spec).
[[nodiscard]] const MechanismEntry& choose_vector_mechanism(const std::vector<Attribute>& attributes,
                                                            double epsilon, const Limits& limits,
                                                            const ResponseLimit* responses = nullptr);

/// Chooses the mechanisms that a record of memoized responses leaves open, and writes them and their options
/// into the attributes. `options` are the given options of the record. Without "per_report", a person reports
/// one part, because a response for several parts is lost if any of them changes. Throws Error (invalid_spec)
/// if no mechanism keeps to the limit.
void choose_parts_within(std::vector<Attribute>& attributes, OptionValues& options, double epsilon,
                         const Limits& limits, const ResponseLimit& responses);

/// The complete settings of a part whose attributes are settled.
[[nodiscard]] Settings settings_of_part(const std::vector<Attribute>& attributes, const PartAttributes& part,
                                        const PartTerms& terms);

/// The weight of a part in the draw: its attribute's share; of joint tables the sum of the shares of the
/// attributes and, for each set, the largest share of its attributes.
[[nodiscard]] std::uint64_t share_of_part(const std::vector<Attribute>& attributes,
                                          const PartAttributes& part, const IntegerRows& together);

/// Returns the mean logarithm of n·Var over the parts, if each person reports a part with this chance.
/// Mechanisms that are left open are chosen as by settle_part().
[[nodiscard]] double log_variance(std::vector<Attribute> attributes, const std::vector<PartAttributes>& parts,
                                  const PartTerms& terms, double chance);

/// If an attribute has a margin, replaces all shares by the smallest integers that divide people between the
/// parts in the proportions that reach the margins. An attribute without a margin has one of 5 % of its
/// range, or of 0.05 for shares, if the number of people suffices. Throws Error (invalid_spec) if `people` (0
/// if unknown) do not suffice for the margins of the spec.
void settle_margins(std::vector<Attribute>& attributes, const std::vector<PartAttributes>& parts,
                    const PartTerms& terms, std::uint64_t people, std::uint64_t per_report);

}  // namespace ldp
