// Carries batches to a collection through an endpoint (ldp collect): what devices use, which have no
// connection to a database.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "client/client.hpp"
#include "client/http/http_connection.hpp"
#include "core/base/sha256.hpp"

namespace ldp {

namespace web {

/// Where a collection lies below an endpoint, its name encoded as RFC 3986 has it.
[[nodiscard]] inline std::string path_of(std::string_view collection) {
    constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    std::string path = "/collections/";
    for (const char c : collection) {
        if (plain.find(c) != std::string_view::npos)
            path += c;
        else
            path += "%" + to_hex(std::as_bytes(std::span(&c, 1)));
    }
    return path;
}

/// The reply to GET of a spec, whose receipt proves that the endpoint gave it for this collection.
[[nodiscard]] inline HttpConnection::Reply fetched_spec(HttpConnection& link, const std::string& collection) {
    constexpr const char* doing = "fetching the spec";
    return link.request(
        doing, HttpConnection::Method::get, path_of(collection) + "/spec",
        [&](const HttpConnection::Reply& reply) -> std::optional<TransportFailure> {
            const bool receipt =
                reply.receipt == delivery_receipt("GET", reply.status, collection, {}, 0,
                                                  sha256(std::as_bytes(std::span(reply.body))));
            const DeliveryReply meaning = http_reply(reply.status, receipt);
            if (meaning.outcome == BatchOutcome::delivered) return {};
            if (reply.status == 404)
                return TransportFailure(
                    Error(ErrorCode::environment, "the endpoint has no collection \"" + collection + "\"", {},
                          "It offers those that its role may submit to."),
                    false);
            return TransportFailure(endpoint_error(doing, reply.status, reply.body, receipt),
                                    meaning.passing);
        });
}

}  // namespace web

/// The spec of a collection, as the endpoint hands it to clients. Throws Error (environment) if it cannot be
/// asked or has no such collection, and what Spec::from_json throws if this release does not know the spec.
[[nodiscard]] inline Spec fetch_spec(HttpConnection& link, const std::string& collection) {
    return Spec::from_json(web::fetched_spec(link, collection).body);
}

/// When a collection was created, as an HTTP date: what tells it from another one of its name. Throws as
/// fetch_spec does.
[[nodiscard]] inline std::string fetch_created(HttpConnection& link, const std::string& collection) {
    return web::fetched_spec(link, collection).last_modified;
}

/// Posts each batch under its id, so that however often it is sent, it counts once. What passes is tried
/// again as the link's patience has it. What was begun through a database connection must not go on here, nor
/// the reverse, before all of it is delivered: the two know batches by other names.
class HttpUploader final : public BatchTransport {
  public:
    /// Borrows the link, which must outlive this.
    HttpUploader(HttpConnection& link, const std::string& collection)
        : link_(link),
          collection_(collection),
          path_(web::path_of(collection) + "/batches/"),
          doing_("submitting to collection \"" + collection + "\"") {}

    /// As BatchTransport::deliver. Throws TransportFailure; whether the batch may have been counted all the
    /// same makes no difference to what is to be done: deliver it again. Undelivered says that it was not.
    bool deliver(const Batch& batch) override { return prepare(batch)(); }
    /// As BatchTransport::prepare: packs the batch.
    [[nodiscard]] Delivery prepare(const Batch& batch) override {
        return [this, id = batch.id, round = batch.round, frames = batch.packed()] {
            return post(id, round, frames);
        };
    }

  private:
    using Frames = std::optional<std::vector<std::vector<std::byte>>>;

    bool post(const std::string& id, std::int32_t round, const Frames& frames) {
        if (!frames) {
            const Error damaged(ErrorCode::environment, doing_ + ": a report is damaged");
            return settled(revoked(id, BatchOutcome::refused), damaged);
        }
        if (frames->size() > 1)  // so it was never sent
            throw Undelivered(BatchOutcome::too_large,
                              Error(ErrorCode::environment, doing_ + ": too much at once"));
        const std::vector<std::byte>& frame = frames->front();
        const auto content = sha256(frame);
        Error why(ErrorCode::environment, doing_);
        DeliveryStep step{};
        const HttpConnection::Judge judge =
            [&](const HttpConnection::Reply& reply) -> std::optional<TransportFailure> {
            const bool receipt =
                reply.receipt == delivery_receipt("POST", reply.status, collection_, id, round, content);
            step = next_step(DeliveryRequest::submit, BatchOutcome::later,
                             http_reply(DeliveryRequest::submit, reply.status, receipt));
            why = endpoint_error(doing_, reply.status, reply.body, receipt);
            return failure(step, why);
        };
        const std::string filed = round == 0 ? "" : "?round=" + std::to_string(round);
        (void)link_.request(doing_, HttpConnection::Method::post, path_ + id + filed, judge,
                            std::string(reinterpret_cast<const char*>(frame.data()), frame.size()));
        if (step.action == DeliveryAction::revoke) step.outcome = revoked(id, step.outcome);
        return settled(step.outcome, why);
    }

    /// The outcome of a batch after the endpoint has revoked its id, which was refused with `so_far`.
    BatchOutcome revoked(const std::string& id, BatchOutcome so_far) {
        DeliveryStep step{};
        const HttpConnection::Judge judge = [&](const HttpConnection::Reply& reply) {
            const bool receipt =
                reply.receipt == delivery_receipt("DELETE", reply.status, collection_, id, 0, sha256({}));
            step = next_step(DeliveryRequest::revoke, so_far,
                             http_reply(DeliveryRequest::revoke, reply.status, receipt));
            return failure(step, endpoint_error(doing_, reply.status, reply.body, receipt));
        };
        (void)link_.request(doing_, HttpConnection::Method::delete_, path_ + id, judge);
        return step.outcome;
    }

    /// The failure that a step is, if it is not to go on.
    static std::optional<TransportFailure> failure(DeliveryStep step, const Error& why) {
        if (step.action == DeliveryAction::repeat) return TransportFailure(why, true);
        if (step.action == DeliveryAction::stop) return TransportFailure(why, false);
        return {};
    }
    /// Whether a batch with this final outcome was counted now. Throws Undelivered if it was not counted.
    static bool settled(BatchOutcome outcome, const Error& why) {
        if (outcome == BatchOutcome::delivered) return true;
        if (outcome == BatchOutcome::repeated) return false;
        throw Undelivered(outcome, why);
    }

    HttpConnection& link_;
    std::string collection_, path_, doing_;
};

}  // namespace ldp
