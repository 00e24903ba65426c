// A state of plain counters, one 64-bit number per output, for mechanisms whose report is one output.
#pragma once

#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/interrupt.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/role/fields.hpp"

namespace ldp {

inline constexpr std::size_t counter_size = sizeof(std::uint64_t);

[[nodiscard]] inline std::uint64_t counter(Bytes state, std::size_t i) noexcept {
    return load<std::uint64_t>(state.data() + i * counter_size);
}

[[nodiscard]] inline std::vector<std::uint64_t> counters(Bytes state) {
    std::vector<std::uint64_t> all;
    all.reserve(state.size() / counter_size);
    for_each_index(state.size() / counter_size, [&](std::size_t i) { all.push_back(counter(state, i)); });
    return all;
}

inline void merge_counters(MutableBytes state, Bytes other) noexcept {
    for (std::size_t at = 0; at < state.size(); at += counter_size)
        add(state.data() + at, load<std::uint64_t>(other.data() + at));
}

/// Returns whether the counters add up to n without overflow. Requires n ≤ 2^40.
[[nodiscard]] inline bool counters_sum_to(Bytes state, std::uint64_t n) noexcept {
    std::uint64_t left = n;
    for (std::size_t at = 0; at < state.size(); at += counter_size) {
        const auto count = load<std::uint64_t>(state.data() + at);
        if (count > left) return false;
        left -= count;
    }
    return left == 0;
}

/// Counts each report in one counter of the state. `Self` has counter_at(payload): the offset of the counter of a valid
/// payload in bytes.
template <class Self, class Base>
class CountedReports : public Base {
  public:
    using Base::Base;

    bool accumulate(MutableBytes state, Bytes payload) const noexcept final {
        return count(state, payload, 1);
    }
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept final {
        return payloads.for_each_run(
            [&](Bytes payload, std::uint64_t times) { return count(state, payload, times); });
    }
    void merge(MutableBytes state, Bytes other) const noexcept final { merge_counters(state, other); }
    void append_own_sums(std::size_t, std::vector<OwnSum>&) const final {}
    bool valid_state(const Counts& counts) const noexcept final {
        return counters_sum_to(counts.state, counts.n);
    }

  private:
    [[nodiscard]] bool count(MutableBytes state, Bytes payload, std::uint64_t times) const noexcept {
        const auto& self = static_cast<const Self&>(*this);
        if (!self.valid_payload(payload)) return false;
        add(state.data() + self.counter_at(payload), times);
        return true;
    }
};

/// A mechanism whose report is the index of an output, and whose state has a counter per output.
template <class Base>
class Counting : public CountedReports<Counting<Base>, Base> {
  public:
    std::size_t payload_size() const noexcept final { return width_; }
    std::size_t state_size() const noexcept final { return outputs_ * counter_size; }
    bool valid_payload(Bytes payload) const noexcept final { return load_output(payload) < outputs_; }
    [[nodiscard]] std::size_t counter_at(Bytes payload) const noexcept {
        return load_output(payload) * counter_size;
    }

  protected:
    /// `outputs` is the number of outputs; the arguments are those of the base.
    template <class... Arguments>
    explicit Counting(std::uint64_t outputs, const Arguments&... arguments)
        : CountedReports<Counting, Base>(arguments...), outputs_(outputs), width_(cell_width(outputs)) {}

    [[nodiscard]] std::uint64_t outputs() const noexcept { return outputs_; }
    [[nodiscard]] std::uint64_t load_output(Bytes payload) const noexcept {
        return load_cell(payload.data(), width_);
    }
    void store_output(MutableBytes payload, std::uint64_t output) const noexcept {
        store_cell(payload.data(), width_, output);
    }

  private:
    std::uint64_t outputs_;
    std::size_t width_;
};

using CountingOracle = Counting<FrequencyOracle>;

}  // namespace ldp
