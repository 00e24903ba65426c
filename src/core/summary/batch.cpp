#include "core/summary/batch.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/format/summary_frame.hpp"
#include "core/mechanism/role/registry.hpp"

namespace ldp {

namespace {

/// The cost of validating and counting one report, in steps of core/base/interrupt.hpp.
std::size_t steps(const Mechanism& mechanism) noexcept {
    return 1 + sent_size(mechanism) / 8 + static_cast<std::size_t>(mechanism.cost().per_report);
}

[[noreturn]] void malformed(const std::string& what, const std::string& detail) {
    raise(ErrorCode::malformed, what, detail, "It is truncated or damaged, or does not come from ldp.");
}

/// Puts sorted payloads into the smallest number of batches.
std::vector<std::vector<std::byte>> framed(const Mechanism& mechanism, MutableBytes payloads) {
    const BatchFrame frame = batch_frame(mechanism);
    const std::size_t size = sent_size(mechanism);
    sort_payloads(payloads, size);
    std::vector<std::vector<std::byte>> batches;
    while (!payloads.empty()) {
        const std::size_t count = std::min<std::size_t>(payloads.size() / size, frame.most());
        std::vector<std::byte>& batch = batches.emplace_back(frame.size(count));
        frame.start(batch, mechanism.block(), static_cast<std::uint32_t>(count));
        std::ranges::copy(payloads.first(count * size), frame.payloads(MutableBytes(batch)).begin());
        payloads = payloads.subspan(count * size);
    }
    return batches;
}

}  // namespace

BatchFrame batch_frame(const Mechanism& mechanism) noexcept {
    return {mechanism.block().size(), sent_size(mechanism)};
}

std::vector<std::vector<std::byte>> pack(const Mechanism& mechanism, std::span<const Report> reports) {
    const Bytes block = mechanism.block();
    std::vector<std::byte> payloads;
    payloads.reserve(reports.size() * sent_size(mechanism));
    for (const Report& report : reports) {
        if (!begins_with_block(report, block)) raise_incompatible(block, report);
        check_report(mechanism, report);
        const Bytes payload = payload_of(Bytes(report), block);
        payloads.insert(payloads.end(), payload.begin(), payload.end());
    }
    return framed(mechanism, payloads);
}

std::vector<std::vector<std::byte>> merge(const Mechanism& mechanism, std::span<const Bytes> batches) {
    const BatchFrame frame = batch_frame(mechanism);
    std::vector<std::byte> payloads;
    for (const Bytes batch : batches) {
        const Bytes more = frame.payloads(batch);
        payloads.insert(payloads.end(), more.begin(), more.end());
    }
    return framed(mechanism, payloads);
}

Outcome accumulate_batch(const Mechanism& mechanism, MutableBytes summary, Bytes batch,
                         const Rounds& rounds) {
    const BatchFrame frame = batch_frame(mechanism);
    if (!begins_with_block(batch, mechanism.block()) || !is_batch(batch)) return Outcome::mismatch;
    if (!frame.fits(batch, mechanism.block())) return Outcome::malformed;
    const SummaryFrame counted(mechanism.block().size());
    const std::uint64_t count = frame.count(batch), before = counted.count(summary);
    if (before > max_count || count > max_count - before) return Outcome::full;
    const ReportCounter counter(mechanism);
    const MutableBytes counted_bytes = counted.state(summary);
    const std::size_t each = steps(mechanism);
    // Mechanisms count 16 bit strings together.
    constexpr std::size_t together = 16;
    const std::size_t size = sent_size(mechanism);
    const std::size_t segment = std::max(Work::segment / each / together, std::size_t{1}) * together;
    const Payloads all(frame.payloads(batch).data(), count, size, size);
    Work work;
    for (std::size_t i = 0; i < count; i += segment) {
        const Payloads some = all.range(i, std::min<std::size_t>(segment, count - i));
        if (!counter.count_all_sent(counted_bytes, some)) return Outcome::malformed;
        work.done(some.count() * each);
    }
    counted.add_count(summary, count, rounds);
    return Outcome::ok;
}

std::vector<std::byte> summarize(const Mechanism& mechanism, Bytes reports,
                                 std::span<const std::int32_t> rounds) {
    const std::size_t each = mechanism.block().size() + sent_size(mechanism), count = reports.size() / each;
    if (reports.size() % each != 0)
        raise(ErrorCode::malformed, "the reports have " + std::to_string(reports.size()) + " bytes",
              "Each report of this spec has " + std::to_string(each) + ".");
    if (!rounds.empty() && rounds.size() != count)
        raise(ErrorCode::invalid_value, "there are " + std::to_string(count) + " reports and " +
                                            std::to_string(rounds.size()) + " rounds");
    std::vector<std::byte> counted(summary_size(mechanism));
    start_summary(mechanism, counted);
    Work work;
    for (std::size_t i = 0; i < count; ++i, work.done()) {
        const Bytes report = reports.subspan(i * each, each);
        const Rounds round = rounds.empty() ? Rounds::unrecorded() : Rounds::only(rounds[i]);
        const Outcome outcome = accumulate(mechanism, counted, report, round);
        if (outcome == Outcome::ok) continue;
        check_report(mechanism, report);
        raise_outcome(outcome, counted, report);
    }
    return counted;
}

std::vector<std::byte> merge_summaries(Bytes one, Bytes other) {
    const std::shared_ptr<const Mechanism> mechanism = mechanism_of(one);
    check_summary(*mechanism, one);
    if (!is_summary_of(*mechanism, other)) {
        check_summary(*mechanism_of(other), other);
        raise_incompatible(one, other);
    }
    check_summary(*mechanism, other);
    std::vector<std::byte> merged(one.begin(), one.end());
    const Outcome outcome = merge(*mechanism, merged, other);
    if (outcome != Outcome::ok) raise_outcome(outcome, merged, other);
    return merged;
}

void check_batch(const Mechanism& mechanism, Bytes batch) {
    const BatchFrame frame = batch_frame(mechanism);
    if (!frame.fits(batch, mechanism.block())) {
        if (batch.size() < frame.payloads_at())
            malformed("the batch has the wrong length", "Found " + std::to_string(batch.size()) +
                                                            " bytes; the number of reports ends at byte " +
                                                            std::to_string(frame.payloads_at()) + ".");
        const std::uint64_t count = frame.count(batch);
        if (count < 1 || count > frame.most())
            malformed("the batch has too few or too many reports",
                      "Found " + std::to_string(count) + "; a batch under its parameters has 1 to " +
                          std::to_string(frame.most()) + ".");
        malformed("the batch has the wrong length",
                  "Found " + std::to_string(batch.size()) + " bytes; its parameters and its " +
                      std::to_string(count) + " reports require " + std::to_string(frame.size(count)) + ".");
    }
    const std::size_t count = frame.count(batch), size = sent_size(mechanism), each = steps(mechanism);
    Work work;
    for (std::size_t i = 0; i < count; ++i, work.done(each)) {
        const Bytes payload = frame.payload(batch, i);
        if (!valid_sent(mechanism, payload))
            malformed("the payload of a report is invalid",
                      "It is number " + std::to_string(i + 1) + " of a batch of " + std::to_string(count) +
                          "; no randomizer with its parameters can produce it.");
        if (i > 0 && std::memcmp(payload.data() - size, payload.data(), size) > 0)
            malformed("the reports of the batch are not in order",
                      "Payload " + std::to_string(i + 1) + " of " + std::to_string(count) +
                          " is smaller than the preceding one; payloads must be in ascending order.");
    }
}

void check_value(const Mechanism& mechanism, Bytes bytes, Kind kind) {
    switch (kind) {
        case Kind::report:
            return check_report(mechanism, bytes);
        case Kind::summary:
            return check_summary(mechanism, bytes);
        case Kind::batch:
            return check_batch(mechanism, bytes);
    }
}

}  // namespace ldp
