// Optional functions of mechanisms. A capability is an interface in addition to the roles. It is declared
// next to the mechanisms that implement it, and its name is `offers`. find_capability() finds it, and
// capability() throws one error if it is missing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/mechanism/role/mechanism.hpp"

namespace ldp {

/// The base class of all capabilities.
class Capability {
  public:
    Capability() = default;
    Capability(const Capability&) = delete;
    Capability& operator=(const Capability&) = delete;
    virtual ~Capability() = default;
};

/// Throws Error (unsupported), which names the quantities that the mechanism estimates instead of `what`, and
/// the functions for them.
[[noreturn]] void refuse(const Mechanism& mechanism, const char* what);

/// Returns the mechanism's capability of this type; null if it does not have it.
template <class T>
[[nodiscard]] const T* find_capability(const Mechanism& mechanism) noexcept {
    return dynamic_cast<const T*>(&mechanism);
}

/// Returns the mechanism's capability; throws Error (unsupported) if it does not have it.
template <class T>
[[nodiscard]] const T& capability(const Mechanism& mechanism) {
    if (const T* found = find_capability<T>(mechanism)) return *found;
    refuse(mechanism, T::offers);
}

/// Throws Error (unsupported) unless the mechanism estimates the quantity.
void check_can_estimate(const Mechanism& mechanism, Quantity quantity);

// Capabilities of several kinds of mechanisms --------------------------------------------------------------

/// A part of a record: consecutive attributes that one mechanism reports together.
struct RecordPart {
    const Mechanism* mechanism;  ///< of the part's attributes
    std::size_t number;          ///< of the part, from 0
    std::size_t first;           ///< the first attribute
    std::size_t count;           ///< the number of attributes
    double chance;               ///< the probability that a person reports the part
};

class RangeLearner;  // vector/range_learning.hpp
class SeriesParts;   // longitudinal/series.hpp

/// A record of parts. Each report is about a few of them, which the client draws at random. A part is a
/// single attribute, a vector of numbers, or attributes whose joint tables are reported.
class Record : public Capability {
  public:
    static constexpr const char* offers = "single attributes of a record";

    /// The number of attributes of all parts together.
    [[nodiscard]] virtual std::size_t attributes() const noexcept = 0;
    /// The part with an attribute. Throws Error (invalid_value) if there is no such attribute.
    [[nodiscard]] virtual RecordPart part_of(std::size_t attribute) const = 0;
    /// The reports about the part with an attribute, and their state; n may be 0. The rounds are unknown,
    /// since a state has none: ldp::part() adds them. Throws Error (invalid_value) if there is no such
    /// attribute.
    [[nodiscard]] virtual SummaryView part(const Counts& counts, std::size_t attribute) const = 0;
    /// The number of parts of every report.
    [[nodiscard]] virtual std::uint64_t per_report() const noexcept = 0;
    /// The number of parts, if count_parts() counts them; 0 otherwise.
    [[nodiscard]] virtual std::size_t counted_parts() const noexcept { return 0; }
    /// Adds 1 to the counter, of 8 bytes, of each part that a valid payload is about.
    virtual void count_parts(Bytes /*payload*/, MutableBytes /*counters*/) const noexcept {}

    /// The series among the parts; null if no part is a series.
    [[nodiscard]] virtual const SeriesParts* series_parts() const noexcept { return nullptr; }
    /// The ranges that the reports estimate instead of the attributes; null if they estimate the attributes.
    [[nodiscard]] virtual const RangeLearner* range_learner() const noexcept { return nullptr; }

    /// The mechanism of the part with an attribute.
    [[nodiscard]] const Mechanism& reporter(std::size_t attribute) const {
        return *part_of(attribute).mechanism;
    }
};

/// The contribution of one attribute of a record to a sum of estimates: variances of its weighted mean or
/// shares, in squares of the sum's unit.
struct Addend {
    double variance;  ///< against a population
    double noise;     ///< the part from the randomizer, and parts that cannot be separated from it
    double sampled;   ///< the part from the sample of people, or an upper bound of it
    double left;      ///< the share of people who did not report it; 1 against a population
};
/// Returns an upper bound of the variance of the sum, if every report is about `per_report` attributes.
[[nodiscard]] double variance_of_sum(std::span<const Addend> addends, std::uint64_t per_report) noexcept;

/// Tests whether a value has a share greater than zero.
class Significance : public Capability {
  public:
    static constexpr const char* offers = "tests of single values";

    /// Returns the one-sided p-value of one item: the probability of an estimate at least as large if its
    /// share is 0. By default, it uses the normal distribution with the estimated error; 1 if the error is
    /// unknown. Throws Error (unsupported) if the mechanism does not estimate shares, for example trees over
    /// numbers.
    [[nodiscard]] virtual double p_value(std::uint64_t n, const Estimate& estimate) const;
};

struct ErrorLaw;  // error_law.hpp

/// The mean of several numeric attributes together.
class GroupMean : public Capability {
  public:
    static constexpr const char* offers = "the mean of several attributes";

    /// Returns the mean of all values of the attributes first..last, each in its own unit; n ≥ 1, and both
    /// are below cells().size().
    [[nodiscard]] virtual Estimate group_mean(const Counts& counts, std::size_t first, std::size_t last,
                                              Target target) const = 0;
    /// Returns the distribution of its error; by default the normal one.
    [[nodiscard]] virtual ErrorLaw group_law(const Counts& counts, std::size_t first, std::size_t last,
                                             Target target) const;
};

/// Throws Error (invalid_value) unless the attribute is below this number.
void check_attribute(std::size_t attribute, std::size_t attributes);
/// Returns the part of a mechanism with an attribute: one of the parts of a record, otherwise the whole
/// mechanism. Throws Error (invalid_value) if there is no such attribute.
[[nodiscard]] RecordPart part_of(const Mechanism& mechanism, std::size_t attribute);
/// Returns the parts of a mechanism in order: the parts of a record, otherwise the whole mechanism.
[[nodiscard]] std::vector<RecordPart> parts_of(const Mechanism& mechanism);
/// Returns the reports of a summary about the part with an attribute: for a record some of the reports,
/// otherwise all of them. Throws as part_of().
[[nodiscard]] SummaryView part(const SummaryView& view, std::size_t attribute);

}  // namespace ldp
