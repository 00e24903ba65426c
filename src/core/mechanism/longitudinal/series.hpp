// Series: a person's value in each of so many rounds, answered for piece by piece while it unfolds, under one
// ε for all of it.
#pragma once

#include <cstdint>

#include "core/mechanism/capability.hpp"

namespace ldp {

/// Where a person's series stands: all that their client remembers from one round to the next.
struct SeriesState {
    std::uint32_t round = 0;    ///< the last round with a value; 0 before the first
    std::uint32_t value = 0;    ///< the value in that round
    std::uint32_t told = 0;     ///< what the answers so far add up to
    std::uint32_t changes = 0;  ///< how often that has changed
    friend bool operator==(const SeriesState&, const SeriesState&) = default;
};

/// A mechanism whose input is a series, a record of one attribute over and over: its j-th cell is the value
/// in round j+1, and the frequencies of "attribute" j are those in that round. epsilon() is the cost of a
/// whole series, of what changes in it and when, to whoever sees all of a person's reports.
///
/// One draw of permanent_response() is a person's answers to all rounds. A client cannot wait for the last
/// round, and draws the same answers one by one. perturb() tells one of them, of a series that is known to
/// its end.
class SeriesRandomizer : public Capability {
  public:
    static constexpr const char* offers = "a series: rounds of theirs are a column to group by";

    [[nodiscard]] virtual std::uint32_t rounds() const noexcept = 0;
    /// Goes on to the next round, in which the person holds `value`, a cell. If one of their answers is due
    /// at its end, draws it and fills in the payload; whether one is depends on the public randomness and the
    /// round alone, as do the words drawn. To be called at most rounds() times for a person.
    [[nodiscard]] virtual bool advance(SeriesState& series_state, Cell value, Bytes public_randomness,
                                       BitSource& bits, MutableBytes payload) const = 0;
    /// Whether an public randomness and a standing can be those of a person.
    [[nodiscard]] virtual bool possible(const SeriesState& series_state,
                                        Bytes public_randomness) const noexcept = 0;
};

}  // namespace ldp
