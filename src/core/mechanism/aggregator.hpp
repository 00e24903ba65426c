// What happens on the server: reports are counted in a state of fixed size, and estimates are read off it.
#pragma once

#include <span>
#include <vector>

#include "core/math/statistics.hpp"
#include "core/mechanism/estimate.hpp"
#include "core/mechanism/summary_view.hpp"

namespace ldp {

/// The server's half of a mechanism. Counting and merging throw nothing and allocate nothing.
class Aggregator {
  public:
    virtual ~Aggregator() = default;

    /// Bytes of every state. They depend neither on a value nor on the number of reports.
    [[nodiscard]] virtual std::size_t state_size() const noexcept = 0;
    /// Counts one payload of the right size. False, and no change, if no randomizer could have made it.
    [[nodiscard]] virtual bool accumulate(MutableBytes state, Bytes payload) const noexcept = 0;
    /// Adds another state of the same block. Counters cannot overflow while counts stay below max_count.
    virtual void merge(MutableBytes state, Bytes other) const noexcept = 0;
    /// Whether accumulate would take this payload.
    [[nodiscard]] virtual bool valid_payload(Bytes payload) const noexcept = 0;
    /// Whether so many reports could have led to this state: what a forged summary must pass.
    [[nodiscard]] virtual bool valid_state(const Counts& counts) const noexcept = 0;

    /// Which questions the state answers, the most natural first. What else it can be asked, its capabilities
    /// say.
    [[nodiscard]] virtual std::span<const Quantity> answers() const noexcept = 0;
    /// Whether this is one of them.
    [[nodiscard]] bool tells(Quantity quantity) const noexcept;
    /// One estimate per item. n ≥ 1; the quantity is one of answers().
    [[nodiscard]] virtual std::vector<Estimate> estimate(const Counts& counts,
                                                         const Question& question) const = 0;
    /// Statistics that honest reports must follow whatever people's values are. n ≥ 1.
    [[nodiscard]] virtual std::vector<Check> health(const Counts& counts) const = 0;
};

}  // namespace ldp
