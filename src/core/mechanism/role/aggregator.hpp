// The server side of a mechanism: reports are counted in a state of fixed size, and estimates are computed
// from it.
#pragma once

#include <span>
#include <vector>

#include "core/math/payloads.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/role/estimate.hpp"
#include "core/mechanism/role/summary_view.hpp"

namespace ldp {

struct Range;  // fields.hpp
class Aggregator;

/// A part of a state that is not a sequence of counters: merge() of this aggregator adds it.
struct OwnSum {
    std::size_t at;  ///< the position in the whole state, a multiple of the size of a counter
    const Aggregator* aggregator;
};

/// Interface of the server side. Counting and merging do not throw and do not allocate memory.
class Aggregator {
  public:
    virtual ~Aggregator() = default;

    /// Returns the size of every state in bytes. It depends neither on the values nor on the number of
    /// reports.
    [[nodiscard]] virtual std::size_t state_size() const noexcept = 0;
    /// Counts one payload of the right size. Returns false and leaves the state unchanged if no randomizer
    /// can produce the payload.
    [[nodiscard]] virtual bool accumulate(MutableBytes state, Bytes payload) const noexcept = 0;
    /// Counts payloads of the right size, as accumulate() does one after another. Returns false if a payload is
    /// impossible; the state may then contain some of them.
    [[nodiscard]] virtual bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept {
        for (std::size_t i = 0; i < payloads.count(); ++i)
            if (!accumulate(state, payloads[i])) return false;
        return true;
    }
    /// Adds another state of the same parameter block. Counters do not overflow while counts stay below
    /// max_count.
    virtual void merge(MutableBytes state, Bytes other) const noexcept = 0;
    /// Appends the parts of a state that merge() does not add as counters of 8 bytes, modulo 2^64, in ascending order.
    /// The state begins at `at`. By default it is one such part. All other counters of states in the short form of
    /// core/format/packed_words.hpp are added without their zeros.
    virtual void append_own_sums(std::size_t at, std::vector<OwnSum>& parts) const {
        parts.push_back({at, this});
    }
    /// Returns whether accumulate() accepts the payload.
    [[nodiscard]] virtual bool valid_payload(Bytes payload) const noexcept = 0;
    /// Returns whether counts.n reports can produce the state. Summaries from untrusted sources must pass
    /// this test.
    [[nodiscard]] virtual bool valid_state(const Counts& counts) const noexcept = 0;

    /// Returns the quantities that the state estimates, the natural one first. Further results are offered as
    /// capabilities, see capability.hpp.
    [[nodiscard]] virtual std::span<const Quantity> answers() const noexcept = 0;
    /// Returns whether the quantity is one of answers().
    [[nodiscard]] bool can_estimate(Quantity quantity) const noexcept;
    /// Returns one estimate per item. Requires n ≥ 1 and a quantity from answers().
    [[nodiscard]] virtual std::vector<Estimate> estimate(const Counts& counts,
                                                         const Question& question) const = 0;
    /// Returns test statistics whose distribution under honest reports does not depend on the users' values.
    /// Requires n ≥ 1.
    [[nodiscard]] virtual std::vector<Check> health(const Counts& counts) const = 0;
    /// Returns the declared range if the state estimates the mean of a single number; null otherwise.
    [[nodiscard]] virtual const Range* range_of_number() const noexcept { return nullptr; }
    /// Returns the number of buckets of consecutive values if the estimates are shares of buckets; 0 otherwise.
    [[nodiscard]] virtual std::uint64_t value_buckets() const noexcept { return 0; }
    /// Returns an upper bound of the standard deviation of the rounding of a number that changes, in units of the
    /// attribute. 0 if numbers are not rounded, or if the errors of estimates contain the rounding. Infinity if
    /// only the variance between people bounds it.
    [[nodiscard]] virtual double rounding_deviation(std::size_t /*attribute*/) const noexcept { return 0; }
    /// Throws Error (invalid_spec) if the parameters do not permit any estimate. Servers make this check, which
    /// may be expensive, before they publish a spec. Reports are private in any case.
    virtual void check_estimates() const {}
};

}  // namespace ldp
