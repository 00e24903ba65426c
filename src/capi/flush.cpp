#include "capi/c_boundary.hpp"

using namespace ldp;
using namespace ldp::capi;

const char* ldp_batch_id(const ldp_batch* batch) {
    return batch == nullptr ? nullptr : batch->batch.id.c_str();
}
const char* ldp_batch_fingerprint(const ldp_batch* batch) {
    return batch == nullptr ? nullptr : batch->fingerprint.c_str();
}
int32_t ldp_batch_round(const ldp_batch* batch) {
    return batch == nullptr ? 0 : batch->batch.round;
}
size_t ldp_batch_reports(const ldp_batch* batch) {
    return batch == nullptr ? 0 : batch->batch.reports.size();
}
const uint8_t* ldp_batch_report(const ldp_batch* batch, size_t i, size_t* size) {
    const bool there = i < ldp_batch_reports(batch);
    if (size != nullptr) *size = there ? batch->batch.reports[i].size() : 0;
    return there ? reinterpret_cast<const uint8_t*>(batch->batch.reports[i].data()) : nullptr;
}

ldp_status ldp_batch_frame(const ldp_batch* batch, uint8_t** frame, size_t* size, ldp_error** error) {
    return guarded(error, [&] {
        auto& bytes = place(frame, "pointer for the frame");
        auto& count = place(size, "pointer for the size");
        need(batch, "batch");
        const auto packed = batch->batch.packed_shortly();
        if (!packed) raise(ErrorCode::malformed, "a report of the batch is damaged");
        if (packed->size() > 1) raise(ErrorCode::full, "the batch is too large for one value");
        bytes = handed_over<uint8_t>(packed->front().data(), packed->front().size());
        count = packed->front().size();
    });
}

const char* ldp_batch_columns(const ldp_batch* batch) {
    return batch == nullptr ? nullptr : batch->columns.c_str();
}
ldp_status ldp_batch_body(const ldp_batch* batch, uint8_t** body, size_t* size, const char** type,
                          ldp_error** error) {
    if (type != nullptr) *type = nullptr;
    uint8_t* frame = nullptr;
    const ldp_status framed = ldp_batch_frame(batch, &frame, size, error);
    if (body != nullptr) *body = nullptr;
    if (framed != LDP_OK) return framed;
    const std::unique_ptr<uint8_t, void (*)(void*)> owned(frame, &ldp_free);
    return guarded(error, [&] {
        auto& bytes = place(body, "pointer for the body");
        need(type, "pointer for the type");
        const bool columned = !batch->batch.columns.empty();
        std::string text = columned ? batch->columns + "\n" : std::string();
        text.append(reinterpret_cast<const char*>(frame), *size);
        bytes = handed_over<uint8_t>(text.data(), text.size());
        *size = text.size();
        *type = columned ? columned_batch_type : "application/octet-stream";
    });
}
ldp_status ldp_batch_digest(const ldp_batch* batch, uint8_t digest[32], ldp_error** error) {
    return guarded(error, [&] {
        need(batch, "batch");
        need(digest, "pointer for the digest");
        const auto found = batch->batch.digest();
        std::memcpy(digest, found.data(), found.size());
    });
}

namespace ldp::capi {

namespace {

constexpr const char* unnamed = "the transport gave no reason";

void settle(ldp_flush& flush, ldp_outcome outcome, const char* reason) {
    if (!flush.batch)
        raise(ErrorCode::invalid_value, "the flush has no current batch", {}, "Call ldp_flush_next() first.");
    if (outcome == LDP_LATER) return;
    if (outcome < LDP_DELIVERED || outcome > LDP_OUTDATED)
        raise(ErrorCode::invalid_value, "unknown outcome of a batch",
              "Found " + std::to_string(outcome) + ".",
              "The state of the batch is unknown; it will be sent again.");
    // It is gone from here also where what follows fails: the next one is asked of the store.
    flush.batch.reset();
    if (outcome == LDP_DELIVERED || outcome == LDP_REPEATED)
        return flush.flush.delivered(
            outcome == LDP_REPEATED,
            flush.history == nullptr
                ? std::string_view()
                : std::string_view(flush.history, strnlen(flush.history, LDP_HISTORY_SIZE)));
    const Error why(ErrorCode::environment, reason);
    if (!flush.flush.undelivered(Undelivered(static_cast<BatchOutcome>(outcome), why)))
        raise(ErrorCode::environment, std::string("a single report is too large: ") + reason);
}

const ldp_batch* next(ldp_flush& flush) {
    if (flush.batch) return &*flush.batch;
    const auto& batch = flush.flush.next();
    if (!batch) {
        if (!flush.flush.done().set_back || std::exchange(flush.set_back_raised, true)) return nullptr;
        const Error error = server_set_back();
        raise(error.code(), error.what(), error.detail(), error.hint());
    }
    return &flush.batch.emplace(ldp_batch{*batch, flush.fingerprint, batch->columns.json()});
}

ldp_flush flush_of(ldp_client& client, const ldp_destination* to, std::size_t most) {
    return {fingerprint_text(client.client.collection().spec().fingerprint()),
            Flush(client.client, most, destination_of(to)), history_of(to)};
}

ldp_flushed result_of(const ldp_flush& flush) {
    const Flushed& done = flush.flush.done();
    return {done.batches, done.reports, done.repeated, done.refused, done.set_back ? 1U : 0U};
}

/// The reason that a transport wrote, which ends within its place whatever it wrote there.
const char* ended(char* reason) {
    reason[LDP_REASON_SIZE - 1] = '\0';
    return *reason == '\0' ? unnamed : reason;
}

}  // namespace

Destination destination_of(const ldp_destination* to) {
    if (to == nullptr) return {};
    if (to->size != sizeof(ldp_destination))
        raise(ErrorCode::invalid_value, "the size of the destination does not match this release",
              "Found " + std::to_string(to->size) + "; expected " + std::to_string(sizeof(ldp_destination)) +
                  ".",
              "Set `size` to sizeof(ldp_destination), with the header of the installed library.");
    const auto text = [](const char* found, const char* what) {
        return found == nullptr ? std::string() : std::string(text_of(found, LDP_TO_END, what));
    };
    return {text(to->endpoint, "endpoint"), text(to->collection, "name of the collection")};
}
const char* history_of(const ldp_destination* to) {
    return to == nullptr ? nullptr : to->history;
}

}  // namespace ldp::capi

ldp_status ldp_client_flush(ldp_client* client, const ldp_destination* to, ldp_transport transport,
                            void* context, size_t most, ldp_flushed* flushed, ldp_error** error) {
    if (flushed != nullptr) *flushed = ldp_flushed{};
    return guarded(error, [&] {
        need(client, "client");
        need(reinterpret_cast<const void*>(transport), "transport");
        ldp_flush flush = flush_of(*client, to, most);
        const auto update = [&] {
            if (flushed != nullptr) *flushed = result_of(flush);
        };
        while (const ldp_batch* batch = next(flush)) {
            char reason[LDP_REASON_SIZE] = "";
            const ldp_outcome outcome = transport(context, batch, reason);
            if (outcome == LDP_LATER)
                raise(ErrorCode::environment, std::string("the batch was not delivered: ") + ended(reason),
                      {}, "Repeat the call: a batch counts once, however often it is sent.");
            settle(flush, outcome, ended(reason));
            update();
        }
        update();
    });
}

ldp_status ldp_flush_start(ldp_client* client, const ldp_destination* to, size_t most, ldp_flush** flush,
                           ldp_error** error) {
    return guarded(error, [&] {
        auto& made = place(flush, "pointer for the flush");
        need(client, "client");
        made = new ldp_flush(flush_of(*client, to, most));
    });
}
ldp_status ldp_flush_next(ldp_flush* flush, const ldp_batch** batch, ldp_error** error) {
    return guarded(error, [&] {
        auto& offered = place(batch, "pointer for the batch");
        need(flush, "flush");
        offered = next(*flush);
    });
}
ldp_status ldp_flush_settle(ldp_flush* flush, ldp_outcome outcome, const char* reason, ldp_error** error) {
    return guarded(error, [&] {
        need(flush, "flush");
        const std::string why(reason == nullptr ? unnamed : text_of(reason, LDP_TO_END, "reason"));
        settle(*flush, outcome, why.c_str());
    });
}
ldp_status ldp_flush_done(const ldp_flush* flush, ldp_flushed* flushed, ldp_error** error) {
    return guarded(error, [&] {
        auto& done = place(flushed, "pointer for the result");
        need(flush, "flush");
        done = result_of(*flush);
    });
}
void ldp_flush_free(ldp_flush* flush) {
    delete flush;
}
