#include "core/format/batch_frame.hpp"

#include <algorithm>
#include <array>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/format/fingerprint.hpp"

namespace ldp {

namespace {

constexpr std::size_t fingerprint_at = 2, count_at = fingerprint_at + sizeof(std::uint64_t);

}  // namespace

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

std::vector<std::byte> short_form_of(Bytes batch, std::size_t block_size) {
    Writer writer;
    writer.put(format_version);
    writer.put(short_batch_kind);
    writer.put(unchecked_header(batch).fingerprint);
    writer.put_bytes(batch.subspan(block_size));
    return std::move(writer.bytes());
}

std::vector<std::byte> with_block(Bytes short_form, Bytes block) {
    check_version(short_form);
    if (short_form.size() < short_head_size || !is_short_batch(short_form))
        raise(ErrorCode::malformed, "these bytes are not an ldp batch",
              "Found " + std::to_string(short_form.size()) + " bytes; the short form begins with " +
                  std::to_string(short_head_size) + ".",
              "They are truncated or damaged, or do not come from ldp.");
    const auto found = load<std::uint64_t>(short_form.data() + fingerprint_at);
    const std::uint64_t expected = unchecked_header(block).fingerprint;
    if (found != expected)
        raise(ErrorCode::incompatible,
              "the batch was made for another collection or another version of its spec",
              "The spec of the collection has the fingerprint " + fingerprint_text(expected) +
                  "; the batch has " + fingerprint_text(found) + ".",
              "Fetch the spec of the collection again.");
    Writer writer;
    writer.put_bytes(block);
    writer.put_bytes(short_form.subspan(count_at));
    set_kind(writer.bytes(), Kind::batch);
    return std::move(writer.bytes());
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
