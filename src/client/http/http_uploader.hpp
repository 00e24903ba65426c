// Carries batches to a collection through an endpoint (ldp collect): what devices use, which have no
// connection to a database.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "client/client.hpp"
#include "client/http/http_link.hpp"

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

[[nodiscard]] inline HttpLink::Reply fetched_spec(HttpLink& link, const std::string& collection) {
    constexpr const char* doing = "fetching the spec";
    HttpLink::Reply reply = link.request(doing, HttpLink::Method::get, path_of(collection) + "/spec");
    if (reply.status == 404)
        raise(ErrorCode::environment, "the endpoint has no collection \"" + collection + "\"", {},
              "It offers those that its role may submit to.");
    if (reply.status != 200) throw TransportFailure(endpoint_error(doing, reply.status, reply.body), false);
    return reply;
}

}  // namespace web

/// The spec of a collection, as the endpoint hands it to clients. Throws Error (environment) if it cannot be
/// asked or has no such collection, and what Spec::from_json throws if this release does not know the spec.
[[nodiscard]] inline Spec fetch_spec(HttpLink& link, const std::string& collection) {
    return Spec::from_json(web::fetched_spec(link, collection).body);
}

/// When a collection was created, as an HTTP date: what tells it from another one of its name. Throws as
/// fetch_spec does.
[[nodiscard]] inline std::string fetch_created(HttpLink& link, const std::string& collection) {
    return web::fetched_spec(link, collection).last_modified;
}

/// Posts each batch under its id, so that however often it is sent, it counts once. What passes is tried
/// again as the link's patience has it. What was begun through a database connection must not go on here, nor
/// the reverse, before all of it is delivered: the two know batches by other names.
class HttpUploader final : public Carrier {
  public:
    /// Borrows the link, which must outlive this.
    HttpUploader(HttpLink& link, const std::string& collection)
        : link_(link),
          path_(web::path_of(collection) + "/batches/"),
          doing_("submitting to collection \"" + collection + "\"") {}

    /// As Carrier::deliver. Throws TransportFailure; whether the batch may have been counted all the same
    /// makes no difference to what is to be done: deliver it again. Undelivered says that it was not.
    bool deliver(const Batch& batch) override { return prepare(batch)(); }
    /// As Carrier::prepare: packs the batch.
    [[nodiscard]] Delivery prepare(const Batch& batch) override {
        return [this, id = batch.id, round = batch.round, frames = batch.packed()] {
            return post(id, round, frames);
        };
    }

  private:
    using Frames = std::optional<std::vector<std::vector<std::byte>>>;

    bool post(const std::string& id, std::int32_t round, const Frames& frames) {
        if (!frames)
            return give_up(id, Verdict::refused,
                           Error(ErrorCode::environment, doing_ + ": a report is damaged"));
        if (frames->size() > 1)  // so it was never sent
            throw Undelivered(Verdict::too_large,
                              Error(ErrorCode::environment, doing_ + ": too much at once"));
        const std::vector<std::byte>& frame = frames->front();
        const std::string filed = round == 0 ? "" : "?round=" + std::to_string(round);
        const HttpLink::Reply reply =
            link_.request(doing_, HttpLink::Method::post, path_ + id + filed,
                          std::string(reinterpret_cast<const char*>(frame.data()), frame.size()));
        switch (reply.status) {
            case 201:
                return true;
            case 200:
                return false;
            case 409:
                return give_up(id, Verdict::outdated, endpoint_error(doing_, reply.status, reply.body));
            case 413:
                return give_up(id, Verdict::too_large, endpoint_error(doing_, reply.status, reply.body));
            case 400:
            case 422:
                return give_up(id, Verdict::refused, endpoint_error(doing_, reply.status, reply.body));
            default:
                throw TransportFailure(endpoint_error(doing_, reply.status, reply.body), false);
        }
    }

    /// This attempt was refused; an earlier one, whose end nobody saw, may have been counted, or be on its
    /// way still. Once the endpoint has its id for void, neither is possible.
    bool give_up(const std::string& id, Verdict verdict, const Error& why) {
        const HttpLink::Reply reply = link_.request(doing_, HttpLink::Method::delete_, path_ + id);
        if (reply.status == 204)
            // An id that stands for another batch cannot be made void: this one was, before.
            throw Undelivered(verdict == Verdict::outdated ? Verdict::refused : verdict, why);
        if (reply.status != 409)
            throw TransportFailure(endpoint_error(doing_, reply.status, reply.body), false);
        if (verdict == Verdict::outdated) throw Undelivered(verdict, why);
        return false;
    }

    HttpLink& link_;
    std::string path_, doing_;
};

}  // namespace ldp
