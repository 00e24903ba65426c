#include "core/mechanism/spent_signal.hpp"

#include "core/base/exact.hpp"
#include "core/mechanism/capability.hpp"

namespace ldp {

namespace {

/// The number of parts whose reports are counted; 0 unless the mechanism is a record.
std::size_t counted_parts(const Mechanism& mechanism) noexcept {
    const auto* record = find_capability<Record>(mechanism);
    return record == nullptr ? 0 : record->counted_parts();
}

/// A number behind the state of a whole summary.
std::uint64_t number_behind(const SummaryView& view, std::size_t index) noexcept {
    return load<std::uint64_t>(view.state.data() + view.mechanism->state_size() +
                               index * sizeof(std::uint64_t));
}

}  // namespace

Exact SpentSignal::probability(bool spent, bool bit) const {
    return channel_.probability(spent ? 1 : 0, bit ? 1 : 0);
}

Exact SpentSignal::worst_ratio() const {
    return channel_.worst_ratio();
}

double signal_epsilon(const Mechanism& mechanism) {
    return parts_of(mechanism)[0].mechanism->report_epsilon();
}

bool valid_sent(const Mechanism& mechanism, Bytes sent) noexcept {
    if (has_signal(mechanism) && sent.back() > std::byte{1}) return false;
    return mechanism.valid_payload(sent.first(mechanism.payload_size()));
}

std::size_t counted_size(const Mechanism& mechanism) noexcept {
    const std::size_t state = mechanism.state_size();
    return has_signal(mechanism) ? state + (1 + counted_parts(mechanism)) * sizeof(std::uint64_t) : state;
}

std::optional<std::uint64_t> spent_ones(const SummaryView& view) noexcept {
    if (!has_signal(*view.mechanism)) return {};
    return number_behind(view, 0);
}

std::optional<std::uint64_t> spent_ones(const SummaryView& view, std::size_t part) noexcept {
    if (!has_signal(*view.mechanism) || counted_parts(*view.mechanism) == 0) return spent_ones(view);
    return number_behind(view, 1 + part);
}

bool valid_ones(const SummaryView& view) {
    const std::optional<std::uint64_t> all = spent_ones(view);
    if (!all) return true;
    if (*all > view.n) return false;
    if (counted_parts(*view.mechanism) == 0) return true;
    const auto& record = capability<Record>(*view.mechanism);
    Uint128 sum = 0;
    for (const RecordPart& part : parts_of(*view.mechanism)) {
        const std::uint64_t ones = number_behind(view, 1 + part.number);
        if (ones > *all || ones > record.part(view, part.first).n) return false;
        sum += ones;
    }
    return sum == Uint128{*all} * record.per_report();
}

void merge_counted(const Mechanism& mechanism, MutableBytes into, Bytes other) noexcept {
    const std::size_t size = mechanism.state_size();
    mechanism.merge(into.first(size), other.first(size));
    for (std::size_t at = size; at < into.size(); at += sizeof(std::uint64_t))
        add(into.data() + at, load<std::uint64_t>(other.data() + at));
}

}  // namespace ldp
