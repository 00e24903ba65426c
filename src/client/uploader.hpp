// Carries batches to a collection over a libpqxx connection. Header-only, so that libldp itself needs no
// libpqxx: programs that include this link it themselves.
#pragma once

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
        insert,  ///< ldp_insert of what the client packs, or INSERT of batches: the fastest
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
        Parcel parcel{
            batch.id, std::to_string(batch.reports.size()), "\\x" + to_hex(batch.digest()), batch.round, {},
            {}};
        if (method_ == Method::insert)
            if (const auto packed = batch.packed())
                for (const auto& each : *packed) parcel.packed.push_back(to_hex(each));
        // What cannot be packed the server is to refuse, who alone knows that it was not counted before.
        if (parcel.packed.empty()) parcel.reports = listed(batch);
        return [this, parcel = std::move(parcel)] { return send(parcel); };
    }

  private:
    /// A batch as it travels.
    struct Parcel {
        std::string id, count, digest;
        std::int32_t round;
        std::vector<std::string> packed;  ///< its reports as batches; or none, and
        std::string reports;              ///< as an array
    };

    bool send(const Parcel& parcel) {
        const std::string doing = "submitting to collection \"" + collection_ + "\"";
        try {
            return link_.persist(doing, [&](pqxx::connection& connection) {
                return parcel.packed.empty() ? call(connection, parcel) : insert(connection, parcel);
            });
        } catch (const pq::Failure& failure) {
            if (failure.fault() == pq::Fault::outdated) throw Undelivered(Verdict::outdated, failure);
            if (failure.fault() != pq::Fault::refused && failure.fault() != pq::Fault::too_large) throw;
            // This attempt was undone. An earlier one, whose end nobody saw, holds its claim until it ends:
            // the claim waits for it, and is free only if no attempt was or will be counted.
            const bool free = link_.persist(doing, [&](pqxx::connection& connection) {
                pqxx::work undone(connection);
                return claim(undone, parcel);
            });
            if (!free) return false;
            throw Undelivered(failure.fault() == pq::Fault::refused ? Verdict::refused : Verdict::too_large,
                              failure);
        }
    }

    /// Whether the batch was not counted before; then it is this transaction's.
    bool claim(pqxx::transaction_base& transaction, const Parcel& parcel) {
        const auto claimed =
            pq::run(transaction, "SELECT ldp_claim_batch($1, $2::uuid, $3::bigint, $4::bytea)", collection_,
                    parcel.id, parcel.count, parcel.digest);
        return claimed[0][0].as<bool>();
    }

    bool insert(pqxx::connection& connection, const Parcel& parcel) {
        const Table& into = table(connection);
        pqxx::work transaction(connection);
        const bool fresh = claim(transaction, parcel);
        for (const std::string& each : parcel.packed)
            if (fresh) pq::insert(transaction, into.name, into.batches, each, parcel.round);
        transaction.commit();
        return fresh;
    }

    bool call(pqxx::connection& connection, const Parcel& parcel) {
        pqxx::work transaction(connection);
        const auto counted =
            pq::run(transaction, "SELECT ldp_submit_batch($1, $2::uuid, $3::ldp_report[], $4::integer)",
                    collection_, parcel.id, parcel.reports, std::to_string(parcel.round));
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

    struct Table {
        std::string name;  ///< quoted as SQL needs it on this connection's search path
        bool batches;      ///< whether its rows hold batches
    };
    const Table& table(pqxx::connection& connection) {
        if (!table_) {
            pqxx::work transaction(connection);
            const auto found = pq::run(
                transaction, "SELECT reports::text, rows = 'batches' FROM ldp_collections WHERE name = $1",
                collection_);
            if (found.empty()) pq::refuse_unknown(collection_);
            table_ = Table{found[0][0].as<std::string>(), found[0][1].as<bool>()};
        }
        return *table_;
    }

    std::unique_ptr<Link> own_;
    Link& link_;
    std::string collection_;
    Method method_;
    std::optional<Table> table_;
};

}  // namespace ldp
