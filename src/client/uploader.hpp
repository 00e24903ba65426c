// Carries batches to a collection over a libpqxx connection. Header-only, so that libldp itself needs no
// libpqxx: programs that include this link it themselves.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/client.hpp"
#include "client/transport.hpp"

namespace ldp {

/// A connection to the server that libpq's connection string names; what it leaves out comes from PGHOST,
/// PGDATABASE and their like. Throws Error (environment) where libpqxx would throw an exception of its own.
[[nodiscard]] inline pqxx::connection connect(const std::string& parameters = {}) {
    return pq::guarded(
        "connecting to the server", [&] { return pqxx::connection(parameters); }, true);
}

namespace pq {

/// Throws the Error of a collection that there is not.
[[noreturn]] inline void refuse_unknown(const std::string& collection) {
    raise(ErrorCode::environment, "the server has no collection \"" + collection + "\"", {},
          "SELECT name FROM ldp_collections lists those there are.");
}

}  // namespace pq

/// The spec of a collection, as the server hands it to clients. Throws Error (environment) if the server
/// cannot be asked or has no such collection, and what Spec::from_json throws if this release does not know
/// the spec.
[[nodiscard]] inline Spec fetch_spec(Link& link, const std::string& collection) {
    return Spec::from_json(link.persist("fetching the spec", [&](pqxx::connection& connection) {
        pqxx::work transaction(connection);
        const auto answer = pq::run(transaction, "SELECT ldp_client_spec($1)::text", collection);
        if (answer.empty() || answer[0][0].is_null()) pq::refuse_unknown(collection);
        return answer[0][0].as<std::string>();
    }));
}
/// The same, by a connection that is there.
[[nodiscard]] inline Spec fetch_spec(pqxx::connection& connection, const std::string& collection) {
    Link link(connection);
    return fetch_spec(link, collection);
}

/// Delivers each batch in one transaction, so that it is counted whole or not at all, and under its id, so
/// that however often it is sent, it counts once. What passes is tried again as the link's patience has it.
/// Needs the rights of the role ldp_submitter and no others.
class Uploader final : public Carrier {
  public:
    /// How a batch is written.
    enum class Method {
        insert,  ///< ldp_insert of what the client packs: the fastest
        call,    ///< ldp_submit_batch, as clients without a library of ldp do
    };

    /// Borrows the link or the connection, which must outlive this, and have no transaction open while a
    /// batch is delivered.
    explicit Uploader(Link& link, std::string collection, Method method = Method::insert)
        : link_(link), collection_(std::move(collection)), method_(method) {}
    /// The same, of a connection: what breaks it is not tried again.
    explicit Uploader(pqxx::connection& connection, std::string collection, Method method = Method::insert)
        : own_(std::make_unique<Link>(connection)),
          link_(*own_),
          collection_(std::move(collection)),
          method_(method) {}

    /// Sends what the client has queued: client.flush(*this, …). Throws Error (environment) if the server
    /// cannot be reached; what is not known to be counted stays queued.
    Flushed flush(Client& client, std::size_t most = 10000, const Client::Progress& progress = {}) {
        return client.flush(*this, most, progress);
    }

    /// As Carrier::deliver. Throws Error (environment); whether the batch may have been counted all the same
    /// makes no difference to what is to be done: deliver it again. Undelivered says that it was not.
    bool deliver(const Batch& batch) override { return prepare(batch)(); }
    /// As Carrier::prepare: packs the batch and takes its digest.
    [[nodiscard]] Delivery prepare(const Batch& batch) override {
        EncodedBatch encoded{batch.id, batch.reports.size(), batch.digest(), batch.round, {}, {}};
        if (method_ == Method::insert)
            if (auto packed = batch.packed()) encoded.packed = std::move(*packed);
        // What cannot be packed the server is to refuse, who alone knows that it was not counted before.
        if (encoded.packed.empty()) encoded.reports = listed(batch);
        return [this, encoded = std::move(encoded)] { return send(encoded); };
    }

  private:
    /// A batch as it travels.
    struct EncodedBatch {
        std::string id;
        std::size_t count;
        std::array<std::byte, 32> digest;
        std::int32_t round;
        std::vector<std::vector<std::byte>> packed;  ///< its reports as batches; or none, and
        std::string reports;                         ///< as an array of SQL
    };

    bool send(const EncodedBatch& batch) {
        Error why(ErrorCode::environment, "submitting to collection \"" + collection_ + "\"");
        DeliveryStep step = taken(DeliveryRequest::submit, BatchOutcome::later, batch, why);
        // This attempt was undone. An earlier one, whose end nobody saw, holds its claim until it ends: the
        // claim of a revocation waits for it, and is new only if no attempt was or will be counted.
        if (step.action == DeliveryAction::revoke)
            step = taken(DeliveryRequest::revoke, step.outcome, batch, why);
        if (step.outcome == BatchOutcome::delivered) return true;
        if (step.outcome == BatchOutcome::repeated) return false;
        throw Undelivered(step.outcome, why);
    }

    /// The step after a request, whose refusal becomes `why`. Throws pq::Failure if nothing is certain.
    DeliveryStep taken(DeliveryRequest request, BatchOutcome so_far, const EncodedBatch& batch, Error& why) {
        const bool submitting = request == DeliveryRequest::submit;
        try {
            const bool fresh = link_.persist(
                "submitting to collection \"" + collection_ + "\"", [&](pqxx::connection& connection) {
                    if (!submitting) return claimed(connection, batch);
                    return batch.packed.empty() ? call(connection, batch) : insert(connection, batch);
                });
            return next_step(request, so_far, sql_reply(request, "00000", fresh));
        } catch (const pq::Failure& failure) {
            // What refuses a claim alone says nothing of the batch, unless its id has other reports.
            if (failure.is(BatchOutcome::later) || (!submitting && !failure.is(BatchOutcome::outdated)))
                throw;
            if (submitting) why = failure;
            return next_step(request, so_far, failure.reply());
        }
    }

    /// Whether the batch was not counted before; then it is this transaction's.
    bool claim(pqxx::transaction_base& transaction, const EncodedBatch& batch) {
        const auto found =
            pq::run(transaction, "SELECT ldp_claim_batch($1, $2::uuid, $3::bigint, $4::bytea)", collection_,
                    batch.id, std::to_string(batch.count), pq::binary(batch.digest));
        return found[0][0].as<bool>();
    }
    /// The same in a transaction that is undone.
    bool claimed(pqxx::connection& connection, const EncodedBatch& batch) {
        pqxx::work undone(connection);
        return claim(undone, batch);
    }

    bool insert(pqxx::connection& connection, const EncodedBatch& batch) {
        const std::string& into = table(connection);
        pqxx::work transaction(connection);
        const bool fresh = claim(transaction, batch);
        for (const auto& each : batch.packed)
            if (fresh) pq::insert(transaction, into, each, batch.round);
        transaction.commit();
        return fresh;
    }

    bool call(pqxx::connection& connection, const EncodedBatch& batch) {
        pqxx::work transaction(connection);
        const auto counted =
            pq::run(transaction, "SELECT ldp_submit_batch($1, $2::uuid, $3::ldp_report[], $4::integer)",
                    collection_, batch.id, batch.reports, std::to_string(batch.round));
        const bool fresh = counted[0][0].as<std::int64_t>() > 0;
        transaction.commit();
        return fresh;
    }

    /// The batch's reports as an array of SQL.
    [[nodiscard]] static std::string listed(const Batch& batch) {
        std::string reports;
        for (const Report& report : batch.reports) reports += (reports.empty() ? "{" : ",") + to_hex(report);
        return reports + "}";
    }

    /// The collection's table, quoted as SQL needs it on this connection's search path.
    const std::string& table(pqxx::connection& connection) {
        if (!table_) {
            pqxx::work transaction(connection);
            const auto found = pq::run(
                transaction, "SELECT reports::text FROM ldp_collections WHERE name = $1", collection_);
            if (found.empty()) pq::refuse_unknown(collection_);
            table_ = found[0][0].as<std::string>();
        }
        return *table_;
    }

    std::unique_ptr<Link> own_;
    Link& link_;
    std::string collection_;
    Method method_;
    std::optional<std::string> table_;
};

}  // namespace ldp
