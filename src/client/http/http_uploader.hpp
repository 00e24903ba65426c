// A transport of batches to a collection through an endpoint (ldp collect), for devices without a connection
// to the database.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "client/client.hpp"
#include "client/http/http_connection.hpp"
#include "core/base/sha256.hpp"
#include "core/delivery/column_values.hpp"

namespace ldp {

namespace web {

/// Returns the path of a collection below an endpoint, with the name encoded as in RFC 3986.
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

inline constexpr const char* json_type = "application/json";

/// Time for which a collection that the endpoint does not have may still be found: it looks for new collections
/// every two seconds.
inline constexpr std::chrono::seconds collection_found_within{5};

/// Returns the reply to a GET of a resource of a collection, such as its spec, or to a POST of JSON if there is a
/// body. The receipt proves that the endpoint sent the reply for this collection.
[[nodiscard]] inline HttpConnection::Reply fetched(HttpConnection& link, const std::string& collection,
                                                   const char* what, const char* doing,
                                                   const std::string& body = {}) {
    using std::chrono::steady_clock;
    std::optional<steady_clock::time_point> missing_since;
    return link.request(
        doing, body.empty() ? HttpConnection::Method::get : HttpConnection::Method::post,
        path_of(collection) + "/" + what,
        [&](const HttpConnection::Reply& reply) -> std::optional<TransportFailure> {
            const bool receipt =
                reply.receipt ==
                delivery_receipt(body.empty() ? "GET" : "POST", reply.status, collection, {}, 0,
                                 sha256(std::as_bytes(std::span(body.empty() ? reply.body : body))));
            const DeliveryReply meaning = http_reply(reply.status, receipt);
            if (meaning.outcome == BatchOutcome::delivered) return {};
            if (reply.status == 404) {  // an endpoint finds a new collection within seconds
                if (!missing_since) missing_since = steady_clock::now();
                return TransportFailure(
                    Error(ErrorCode::environment, "the endpoint has no collection \"" + collection + "\"", {},
                          "The endpoint serves the collections to which its role may submit."),
                    steady_clock::now() - *missing_since < collection_found_within);
            }
            return TransportFailure(endpoint_error(doing, reply.status, reply.body, receipt),
                                    meaning.passing);
        },
        body, json_type);
}

/// Returns the reply to a GET of the spec.
[[nodiscard]] inline HttpConnection::Reply fetched_spec(HttpConnection& link, const std::string& collection) {
    return fetched(link, collection, "spec", "fetching the spec");
}

}  // namespace web

/// Returns the spec of a collection, as the endpoint sends it to clients. Throws Error (environment) if the
/// endpoint is unavailable or has no such collection, and the errors of Spec::from_json if this release does
/// not support the spec.
[[nodiscard]] inline Spec fetch_spec(HttpConnection& link, const std::string& collection) {
    return Spec::from_json(web::fetched_spec(link, collection).body);
}

/// Returns the public columns that clients of the endpoint may fill. Throws as fetch_spec does.
[[nodiscard]] inline std::vector<PublicColumn> fetch_public_columns(HttpConnection& link,
                                                                    const std::string& collection) {
    return public_columns(web::fetched(link, collection, "columns", "fetching the public columns").body);
}

/// Returns the values that are invalid for the public column. Stores nothing. Throws as fetch_spec does.
[[nodiscard]] inline std::vector<InvalidValue> find_invalid_values(HttpConnection& link,
                                                                   const std::string& collection,
                                                                   const ColumnValues& asked) {
    return invalid_values(
        web::fetched(link, collection, "columns", "checking the public columns", asked.json()).body);
}

/// Returns the creation time of a collection as an HTTP date. It distinguishes collections of the same name.
/// Throws as fetch_spec does.
[[nodiscard]] inline std::string fetch_created(HttpConnection& link, const std::string& collection) {
    return web::fetched_spec(link, collection).last_modified;
}

/// Posts each batch under its id, so that it counts once even if it is sent repeatedly. Temporary failures
/// are retried under the connection's retry policy. Deliver all batches of a client before switching between
/// this transport and a database connection: the two use different ids for the same batch.
class HttpUploader final : public BatchTransport {
  public:
    /// Borrows the connection, which must outlive this object.
    HttpUploader(HttpConnection& link, const std::string& collection)
        : link_(link),
          collection_(collection),
          path_(web::path_of(collection) + "/batches/"),
          doing_("submitting to collection \"" + collection + "\"") {}

    /// As BatchTransport::deliver. Throws TransportFailure if the outcome is unknown: deliver the batch
    /// again. Throws Undelivered if the batch was not counted.
    bool deliver(const Batch& batch) override { return prepare(batch)(); }
    /// As BatchTransport::prepare: encodes the batch.
    [[nodiscard]] Delivery prepare(const Batch& batch) override {
        return [this, id = batch.id, round = batch.round, frames = batch.packed_shortly(),
                columns = batch.columns] { return post(id, round, frames, columns); };
    }

    /// As BatchTransport::destination.
    [[nodiscard]] Destination destination() const override { return {link_.address(), collection_}; }
    /// As BatchTransport::history.
    [[nodiscard]] std::string history() const override { return history_; }

  private:
    using Frames = std::optional<std::vector<std::vector<std::byte>>>;

    bool post(const std::string& id, std::int32_t round, const Frames& frames, const PublicValues& columns) {
        if (!frames) {
            const Error damaged(ErrorCode::environment, doing_ + ": a report is damaged");
            return settled(revoked(id, BatchOutcome::refused), damaged);
        }
        if (frames->size() > 1)  // the batch was never sent
            throw Undelivered(BatchOutcome::too_large,
                              Error(ErrorCode::environment, doing_ + ": the batch is too large"));
        const std::vector<std::byte>& frame = frames->front();
        std::string body = columns.empty() ? "" : columns.json() + "\n";
        body.append(reinterpret_cast<const char*>(frame.data()), frame.size());
        const auto content = sha256(std::as_bytes(std::span(body)));
        Error why(ErrorCode::environment, doing_);
        DeliveryStep step{DeliveryAction::repeat, BatchOutcome::later};
        const HttpConnection::Judge judge =
            [&](const HttpConnection::Reply& reply) -> std::optional<TransportFailure> {
            const bool receipt =
                reply.receipt == delivery_receipt("POST", reply.status, collection_, id, round, content);
            if (receipt) history_ = reply.history;
            step = next_step(DeliveryRequest::submit, step.outcome,
                             http_reply(DeliveryRequest::submit, reply.status, receipt));
            why = endpoint_error(doing_, reply.status, reply.body, receipt);
            return failure(step, why);
        };
        const std::string filed = round == 0 ? "" : "?round=" + std::to_string(round);
        const auto send = [&](std::string content_sent) {
            (void)link_.request(doing_, HttpConnection::Method::post, path_ + id + filed, judge,
                                std::move(content_sent),
                                columns.empty() ? HttpConnection::octets : columned_batch_type);
        };
        try {
            send(body);
        } catch (const TransportFailure&) {  // one repetition finds a proxy's limit, even without retries
            if (step.outcome != BatchOutcome::too_large) throw;
            send(std::move(body));
        }
        if (step.action == DeliveryAction::revoke) step.outcome = revoked(id, step.outcome);
        return settled(step.outcome, why);
    }

    /// Revokes the id of a batch that was refused with `so_far`, and returns its outcome.
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

    /// Returns the failure for a step, or nothing if the delivery continues.
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
    std::string collection_, path_, doing_, history_;
};

}  // namespace ldp
