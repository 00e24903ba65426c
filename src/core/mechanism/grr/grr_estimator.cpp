#include "core/mechanism/grr/grr_estimator.hpp"

#include "core/mechanism/frequency/counters.hpp"

namespace ldp::grr {

std::size_t Estimator::state_size() const noexcept {
    return parameters_.k() * counter_size;
}

bool Estimator::accumulate(MutableBytes state, Bytes payload) const noexcept {
    const std::uint64_t output = load_cell(payload.data(), parameters_.width);
    if (output >= parameters_.k()) return false;
    add<std::uint64_t>(state.data() + output * counter_size, 1);
    return true;
}

void Estimator::merge(MutableBytes state, Bytes other) const noexcept {
    merge_counters(state, other);
}

bool Estimator::valid_payload(Bytes payload) const noexcept {
    return load_cell(payload.data(), parameters_.width) < parameters_.k();
}

bool Estimator::valid_state(const Counts& counts) const noexcept {
    return counters_sum_to(counts.state, counts.n);
}

PureProtocol Estimator::protocol() const noexcept {
    return {parameters_.channel.p(), parameters_.channel.q()};
}

std::vector<std::uint64_t> Estimator::supports(Bytes state) const {
    return counters(state);
}

std::uint64_t Estimator::support(Bytes state, Cell value) const {
    return counter(state, value);
}

}  // namespace ldp::grr
