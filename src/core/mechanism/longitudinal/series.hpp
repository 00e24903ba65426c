// Series: a user's value in each of a fixed number of rounds, reported piece by piece, under one ε for the
// whole series.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/input_code.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/error_law.hpp"

namespace ldp {

/// The state of a user's series: all that the client stores between rounds.
struct SeriesState {
    std::uint32_t round = 0;    ///< the last round with a value; 0 before the first
    std::uint32_t value = 0;    ///< the value in that round
    std::uint32_t sign = 0;     ///< the sum of the reported differences
    std::uint32_t changes = 0;  ///< number of changes of the reported sign
    friend bool operator==(const SeriesState&, const SeriesState&) = default;
};

/// A round of a series in a weighted sum of rounds.
struct RoundWeight {
    std::uint32_t round;  ///< from 1
    double weight;
};

/// An estimate and the law of its error, for interval().
struct RoundEstimate : Estimate {
    ErrorLaw law = {};
};

/// The bias of the estimates for given users.
struct SeriesBias {
    std::vector<std::vector<double>> of_rounds;  ///< of each value's share, or of the mean on [−1,1]
    /// Share of users who change more often than declared; for numbers, share of the users' thresholds.
    double beyond = 0;
};

/// Capability of mechanisms whose input is a series: a record of one attribute in each round. Its j-th input
/// code is the value in round j+1. The frequencies of attribute j are the frequencies in round j+1. epsilon()
/// is the cost of a whole series, including the times of its changes, to an observer of all reports of a
/// user.
///
/// One permanent_response() contains a user's responses in all rounds. Clients draw the same responses one by
/// one with advance(). perturb() returns one of them for a complete series.
class SeriesRandomizer : public Capability {
  public:
    static constexpr const char* offers = "a series; group reports by round instead";

    [[nodiscard]] virtual std::uint32_t rounds() const noexcept = 0;
    /// Returns the expected number of reports of a user in all rounds.
    [[nodiscard]] virtual double reports_per_user() const = 0;
    /// Advances to the next round, in which the user holds `value`, an input code. If a response is due at
    /// its end, draws it, writes the payload, and returns true. Whether a response is due, and the number of
    /// random words, depend only on the public randomness and the round. Call it at most rounds() times per
    /// user.
    [[nodiscard]] virtual bool advance(SeriesState& series_state, Cell value, Bytes public_randomness,
                                       BitSource& bits, MutableBytes payload) const = 0;
    /// Returns whether this public randomness and this series state can belong to one user.
    [[nodiscard]] virtual bool possible(const SeriesState& series_state,
                                        Bytes public_randomness) const noexcept = 0;

    /// Returns the estimate of a weighted sum of rounds, such as their mean or a difference of two: one estimate
    /// for each value of a category, or one for a number. The error includes the covariance of the rounds, which
    /// share reports. NaN if the reports do not reach a round. Requires n ≥ 1. Throws Error (invalid_value) if
    /// the series does not have a round.
    [[nodiscard]] virtual std::vector<RoundEstimate> round_sum(const Counts& counts,
                                                               std::span<const RoundWeight> weights,
                                                               Target target) const = 0;
    /// Returns the expected bias in each of these rounds, from 0, for users with these series, each with rounds()
    /// codes. It is 0 if no user changes more often than declared.
    [[nodiscard]] virtual SeriesBias expected_bias(std::span<const std::vector<Cell>> series,
                                                   std::span<const std::size_t> rounds) const = 0;
};

/// The series among the parts of a record. A person who draws such a part reports the series of
/// its attribute under one ε, and nothing else. The other parts are reported in each round, from memoized
/// responses.
class SeriesParts {
  public:
    virtual ~SeriesParts() = default;

    /// Returns the number of rounds of all series.
    [[nodiscard]] virtual std::uint32_t rounds() const noexcept = 0;
    /// Returns whether all parts are series, so that no response is memoized.
    [[nodiscard]] virtual bool only_series() const noexcept = 0;
    /// Returns the attribute whose series a person reports; nothing if the person drew another part.
    [[nodiscard]] virtual std::optional<std::size_t> series_attribute(Bytes public_randomness) const = 0;
    /// As SeriesRandomizer::advance, for a person who reports a series. Writes the payload of the record.
    [[nodiscard]] virtual bool advance(SeriesState& series_state, Cell value, Bytes public_randomness,
                                       BitSource& bits, MutableBytes payload) const = 0;
    /// As SeriesRandomizer::possible, for a person who reports a series.
    [[nodiscard]] virtual bool possible(const SeriesState& series_state, Bytes public_randomness) const = 0;
    /// Returns the input of a person who has one record, with a code for each attribute, in all rounds.
    [[nodiscard]] virtual std::vector<Cell> constant_input(Input record) const = 0;
};

/// Returns the series among the parts of a record; null if no part is a series, and for other mechanisms.
[[nodiscard]] inline const SeriesParts* series_parts(const Mechanism& mechanism) noexcept {
    const auto* record = find_capability<Record>(mechanism);
    return record == nullptr ? nullptr : record->series_parts();
}
/// Returns the number of rounds of the series that people report; 0 without series.
[[nodiscard]] inline std::uint32_t rounds_of_series(const Mechanism& mechanism) noexcept {
    if (const auto* series = find_capability<SeriesRandomizer>(mechanism)) return series->rounds();
    const SeriesParts* parts = series_parts(mechanism);
    return parts == nullptr ? 0 : parts->rounds();
}
/// Returns whether the reports are about one series. In a record, this is a property of a part.
[[nodiscard]] inline bool is_series(const Mechanism& mechanism) noexcept {
    return find_capability<SeriesRandomizer>(mechanism) != nullptr;
}
/// Returns whether an attribute is reported as a series.
[[nodiscard]] inline bool is_series(const Mechanism& mechanism, std::size_t attribute) {
    return is_series(mechanism) || is_series(*part_of(mechanism, attribute).mechanism);
}

/// Throws Error (unsupported) if an attribute of a record is a series, which has estimates of each round.
void check_no_series(const Mechanism& mechanism, std::size_t attribute);

}  // namespace ldp
