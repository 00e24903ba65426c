#include "core/format/batch_frame.hpp"

#include <algorithm>
#include <array>

#include "core/base/interrupt.hpp"

namespace ldp {

void BatchFrame::start(MutableBytes batch, Bytes block, std::uint32_t count) const noexcept {
    std::ranges::copy(block, batch.begin());
    set_kind(batch, Kind::batch);
    store(batch.data() + block_, count);
}

bool BatchFrame::fits(Bytes batch, Bytes block) const noexcept {
    if (batch.size() < payloads_at() || !begins_with_block(batch, block) || !is_batch(batch)) return false;
    const std::uint64_t reports = count(batch);
    return reports >= 1 && reports <= most() && batch.size() == size(reports);
}

void sort_payloads(MutableBytes payloads, std::size_t payload_size) {
    Work work;
    if (payload_size == 1) {
        std::array<std::size_t, 256> counts{};
        for (const std::byte payload : payloads) ++counts[std::to_integer<std::size_t>(payload)];
        auto to = payloads.begin();
        for (std::size_t payload = 0; payload < counts.size(); ++payload)
            to = std::fill_n(to, counts[payload], static_cast<std::byte>(payload));
        return;
    }
    const std::vector<std::byte> unsorted(payloads.begin(), payloads.end());
    std::vector<const std::byte*> order;
    order.reserve(unsorted.size() / payload_size);
    for (std::size_t at = 0; at < unsorted.size(); at += payload_size) order.push_back(&unsorted[at]);
    std::ranges::sort(order, [&](const std::byte* a, const std::byte* b) {
        work.done();
        return std::memcmp(a, b, payload_size) < 0;
    });
    std::byte* to = payloads.data();
    for (const std::byte* from : order) {
        std::memcpy(to, from, payload_size);
        to += payload_size;
    }
}

}  // namespace ldp
