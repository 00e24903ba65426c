#include "core/mechanism/role/spent_signal.hpp"

#include <limits>

#include "core/base/exact.hpp"
#include "core/mechanism/role/capability.hpp"

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

SpentSignal::SpentSignal(double epsilon, double report_epsilon)
    : epsilon_(epsilon), report_epsilon_(report_epsilon), kept_(1, epsilon) {
    if (report_epsilon < epsilon) sent_.emplace(2, second_odds(kept_.odds(), 2, report_epsilon));
}

SpentSignal::SpentSignal(const Mechanism& mechanism)
    : SpentSignal(signal_epsilon(mechanism), signal_report_epsilon(mechanism)) {}

double SpentSignal::second_epsilon() const noexcept {
    return sent_ ? sent_->epsilon() : std::numeric_limits<double>::infinity();
}

Exact SpentSignal::probability(bool spent, bool bit) const {
    return kept_.probability(spent ? 1 : 0, bit ? 1 : 0);
}

Exact SpentSignal::report_probability(bool spent, bool bit) const {
    const Exact as_is = probability(spent, bit);
    if (!sent_) return as_is;
    const Exact stays = exact(sent_->weight(1, 1), sent_->total());
    return as_is * stays + as_is.complement() * stays.complement();
}

double SpentSignal::share_of_ones(bool spent) const noexcept {
    const double kept =
        static_cast<double>(kept_.weight(spent ? 1 : 0, 1)) / static_cast<double>(kept_.total());
    return sent_ ? kept * sent_->p() + (1 - kept) * sent_->q() : kept;
}

Exact SpentSignal::worst_ratio() const {
    return kept_.worst_ratio();
}

Exact SpentSignal::report_ratio() const {
    return report_probability(true, true) / report_probability(false, true);
}

double signal_epsilon(const Mechanism& mechanism) {
    return parts_of(mechanism)[0].mechanism->epsilon();
}

double signal_report_epsilon(const Mechanism& mechanism) {
    return parts_of(mechanism)[0].mechanism->report_epsilon();
}

bool equal_signals(const Mechanism& one, const Mechanism& other) {
    return signal_epsilon(one) == signal_epsilon(other) &&
           signal_report_epsilon(one) == signal_report_epsilon(other);
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
