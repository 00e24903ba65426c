#include "core/mechanism/spent_signal.hpp"

#include "core/base/exact.hpp"
#include "core/mechanism/capability.hpp"

namespace ldp {

Exact SpentSignal::probability(bool spent, bool bit) const {
    return channel_.probability(spent ? 1 : 0, bit ? 1 : 0);
}

Exact SpentSignal::worst_ratio() const {
    return channel_.worst_ratio();
}

double signal_epsilon(const Mechanism& mechanism) {
    return parts_of(mechanism)[0].mechanism->first_epsilon();
}

bool valid_sent(const Mechanism& mechanism, Bytes sent) noexcept {
    if (has_signal(mechanism) && sent.back() > std::byte{1}) return false;
    return mechanism.valid_payload(sent.first(mechanism.payload_size()));
}

std::optional<std::uint64_t> spent_ones(const SummaryView& view) noexcept {
    if (!has_signal(*view.mechanism)) return {};
    return load<std::uint64_t>(view.state.data() + view.mechanism->state_size());
}

void merge_counted(const Mechanism& mechanism, MutableBytes into, Bytes other) noexcept {
    const std::size_t size = mechanism.state_size();
    mechanism.merge(into.first(size), other.first(size));
    if (into.size() > size) add(into.data() + size, load<std::uint64_t>(other.data() + size));
}

}  // namespace ldp
