// Carries batches to a collection over a libpqxx connection. Header-only, so that libldp itself needs no
// libpqxx: programs that include this link it themselves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/client.hpp"
#include "client/pqxx_compat.hpp"

namespace ldp {

/// A connection to the server that libpq's connection string names; what it leaves out comes from PGHOST,
/// PGDATABASE and their like. Throws Error (environment) where libpqxx would throw an exception of its own.
[[nodiscard]] inline pqxx::connection connect(const std::string& parameters = {}) {
    return pq::guarded(
        "connecting to the server", [&] { return pqxx::connection(parameters); }, true);
}

namespace pq {

// A table's triggers run in the session, and with the rights, of the role that inserts. They can leave
// settings, a role, temporary objects and much else behind. So statements qualify every name, and a session
// is put back after each transaction in which an owner's code may have run.

/// The schema of the extension, quoted for SQL. Throws Error (environment) if the database has no extension
/// ldp.
[[nodiscard]] inline std::string extension_schema(pqxx::transaction_base& transaction) {
    const auto found = run(transaction,
                           "SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension AS e "
                           "JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace "
                           "WHERE e.extname OPERATOR(pg_catalog.=) $1::pg_catalog.name",
                           "ldp");
    if (found.empty())
        raise(ErrorCode::environment, "the database has no extension ldp", {},
              "Connect to the database of the collection, or CREATE EXTENSION ldp.");
    return found[0][0].as<std::string>();
}

/// Throws unless a table took as many reports as it was sent. Then nothing may be committed or acknowledged.
inline void check_rows(const std::string& collection, std::int64_t took, std::size_t sent) {
    if (std::cmp_equal(took, sent)) return;
    throw Failure({BatchOutcome::later},
                  Error(ErrorCode::environment,
                        "the table of collection \"" + collection + "\" took " + std::to_string(took) +
                            " reports of " + std::to_string(sent),
                        "A trigger or a rule of the table keeps rows out. Nothing was stored.",
                        "The owner of the table has to remove it."));
}

/// Throws: a claim made in this transaction is not there at its end.
[[noreturn]] inline void refuse_unclaimed(const std::string& collection) {
    throw Failure(
        {BatchOutcome::later},
        Error(ErrorCode::environment, "collection \"" + collection + "\" would not count a batch once",
              "The batch's claim was gone, or the role was another, at the end of the transaction. Nothing "
              "was stored.",
              "A trigger of the collection's table is likely to be the cause; its owner has to remove it."));
}

/// Puts a session back to its start, for connections that serve this library alone: DISCARD ALL, except that
/// plans stay, which are made anew by themselves when what they depend on changes. No transaction may be
/// open.
inline void reset_session(pqxx::connection& connection, const std::string& settings = {}) {
    pqxx::nontransaction(connection)
        .exec(
            "CLOSE ALL; RESET SESSION AUTHORIZATION; RESET ROLE; RESET ALL; DEALLOCATE ALL; UNLISTEN *; "
            "SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES" +
            (settings.empty() ? settings : "; " + settings));
}

/// The settings of a session by which one owner's code could change how another's reports are stored, or
/// whether. For connections that an application shares with this library, and whose other state is its own.
class SessionSettings {
  public:
    /// Reads them: before any owner's code runs.
    explicit SessionSettings(pqxx::transaction_base& transaction) {
        std::string list;
        for (const char* name : names)
            list += std::string(list.empty() ? "SELECT " : ", ") + "pg_catalog.current_setting('" + name +
                    "', true)";
        const auto found = transaction.exec(list);
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto field = found[0][static_cast<int>(i)];
            if (!field.is_null()) values_[i] = field.template as<std::string>();
        }
    }
    /// Sets those that differ as they were. No transaction may be open.
    void restore(pqxx::connection& connection) const {
        pqxx::nontransaction session(connection);
        const SessionSettings now(session);
        std::string list;
        for (std::size_t i = 0; i < names.size(); ++i)
            if (values_[i] != now.values_[i])
                list += std::string(list.empty() ? "SELECT " : ", ") + "pg_catalog.set_config('" + names[i] +
                        "', " + connection.quote(values_[i].value_or("")) + ", false)";
        if (!list.empty()) session.exec(list);
    }

  private:
    static constexpr std::array names{"search_path",
                                      "statement_timeout",
                                      "lock_timeout",
                                      "idle_in_transaction_session_timeout",
                                      "idle_session_timeout",
                                      "transaction_timeout",
                                      "default_transaction_isolation",
                                      "default_transaction_read_only",
                                      "default_transaction_deferrable",
                                      "synchronous_commit",
                                      "row_security",
                                      "client_encoding",
                                      "role"};
    std::array<std::optional<std::string>, names.size()> values_;
};

/// Throws the Error of a collection that there is not.
[[noreturn]] inline void refuse_unknown(const std::string& collection) {
    raise(ErrorCode::environment, "the server has no collection \"" + collection + "\"", {},
          "SELECT name FROM ldp_collections lists those there are.");
}

}  // namespace pq

/// The spec of a collection, as the server hands it to clients. Throws Error (environment) if the server
/// cannot be asked or has no such collection, and what Spec::from_json throws if this release does not know
/// the spec.
[[nodiscard]] inline Spec fetch_spec(Connection& link, const std::string& collection) {
    return Spec::from_json(link.persist("fetching the spec", [&](pqxx::connection& connection) {
        pqxx::work transaction(connection);
        const auto answer = pq::run(transaction,
                                    "SELECT " + pq::extension_schema(transaction) +
                                        ".ldp_client_spec($1::pg_catalog.text)::pg_catalog.text",
                                    collection);
        if (answer.empty() || answer[0][0].is_null()) pq::refuse_unknown(collection);
        return answer[0][0].as<std::string>();
    }));
}
/// The same, by a connection that is there.
[[nodiscard]] inline Spec fetch_spec(pqxx::connection& connection, const std::string& collection) {
    Connection link(connection);
    return fetch_spec(link, collection);
}

/// Delivers each batch in one transaction, so that it is counted whole or not at all, and under its id, so
/// that however often it is sent, it counts once. What passes is tried again as the link's patience has it.
/// Needs the rights of the role ldp_submitter and no others.
///
/// A connection may serve several collections, of several owners. Triggers of one owner's table can change
/// the session; after each batch it is put back. A connection that a link made itself is reset as a whole; of
/// a borrowed one, the settings by which batches could be lost or counted twice are set as they were
/// (search_path, role, time limits and the like). What else a trigger left in a borrowed session, such as
/// temporary tables or prepared statements, stays: an application that has work of its own to do there should
/// lend another connection.
class Uploader final : public BatchTransport {
  public:
    /// How a batch is written.
    enum class Method {
        insert,  ///< ldp_insert of what the client packs: the fastest
        call,    ///< ldp_submit_batch, as clients without a library of ldp do
    };

    /// Borrows the link or the connection, which must outlive this, and have no transaction open while a
    /// batch is delivered.
    explicit Uploader(Connection& link, std::string collection, Method method = Method::insert)
        : link_(link), collection_(std::move(collection)), method_(method) {}
    /// The same, of a connection: what breaks it is not tried again.
    explicit Uploader(pqxx::connection& connection, std::string collection, Method method = Method::insert)
        : own_(std::make_unique<Connection>(connection)),
          link_(*own_),
          collection_(std::move(collection)),
          method_(method) {}

    /// Sends what the client has queued: client.flush(*this, …). Throws Error (environment) if the server
    /// cannot be reached; what is not known to be counted stays queued.
    Flushed flush(Client& client, std::size_t most = 10000, const Client::Progress& progress = {}) {
        return client.flush(*this, most, progress);
    }

    /// As BatchTransport::deliver. Throws Error (environment); whether the batch may have been counted all
    /// the same makes no difference to what is to be done: deliver it again. Undelivered says that it was
    /// not.
    bool deliver(const Batch& batch) override { return prepare(batch)(); }
    /// As BatchTransport::prepare: packs the batch and takes its digest.
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

    struct Table {
        std::string schema;  ///< of the extension; quoted as SQL needs it, as is
        std::string name;    ///< with its schema
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
    bool claim(pqxx::transaction_base& transaction, const Table& into, const EncodedBatch& batch) {
        return pq::run(transaction,
                       "SELECT " + into.schema +
                           ".ldp_claim_batch($1::pg_catalog.text, $2::pg_catalog.uuid, $3::pg_catalog.int8, "
                           "$4::pg_catalog.bytea)",
                       collection_, batch.id, std::to_string(batch.count), pq::binary(batch.digest))[0][0]
            .template as<bool>();
    }
    /// The same in a transaction that is undone. No code of an owner runs in it.
    bool claimed(pqxx::connection& connection, const EncodedBatch& batch) {
        const Table& into = table(connection);
        pqxx::work undone(connection);
        return claim(undone, into, batch);
    }

    bool insert(pqxx::connection& connection, const EncodedBatch& batch) {
        return guarded(connection, batch, [&](pqxx::transaction_base& transaction, const Table& into) {
            const bool fresh = claim(transaction, into, batch);
            if (!fresh) return false;
            std::int64_t took = 0;
            for (const auto& each : batch.packed)
                took += pq::insert(transaction, into.schema, into.name, each, batch.round);
            pq::check_rows(collection_, took, batch.count);
            return true;
        });
    }

    bool call(pqxx::connection& connection, const EncodedBatch& batch) {
        return guarded(connection, batch, [&](pqxx::transaction_base& transaction, const Table& into) {
            return pq::run(transaction,
                           "SELECT " + into.schema +
                               ".ldp_submit_batch($1::pg_catalog.text, $2::pg_catalog.uuid, $3::" +
                               into.schema + ".ldp_report[], $4::pg_catalog.int4)",
                           collection_, batch.id, batch.reports, std::to_string(batch.round))[0][0]
                       .template as<std::int64_t>() > 0;
        });
    }

    /// Runs `store(transaction, table)`, which says whether the batch is new, as a transaction. Before it is
    /// committed, the claim is looked for again, by the role that made it: no trigger undid it. Afterwards
    /// the session is as it was.
    template <class Store>
    bool guarded(pqxx::connection& connection, const EncodedBatch& batch, Store store) {
        const Table& into = table(connection);
        std::optional<pq::SessionSettings> before;
        bool fresh;
        {
            pqxx::work transaction(connection);
            if (link_.borrows()) before.emplace(transaction);
            fresh = store(transaction, into);
            if (fresh) {
                transaction.exec("SET CONSTRAINTS ALL IMMEDIATE");
                if (claim(transaction, into, batch)) pq::refuse_unclaimed(collection_);
            }
            transaction.commit();
        }
        if (before)
            before->restore(connection);
        else
            pq::reset_session(connection);
        return fresh;
    }

    /// The batch's reports as an array of SQL.
    [[nodiscard]] static std::string listed(const Batch& batch) {
        std::string reports;
        for (const Report& report : batch.reports) reports += (reports.empty() ? "{" : ",") + to_hex(report);
        return reports + "}";
    }

    const Table& table(pqxx::connection& connection) {
        if (!table_) {
            pqxx::work transaction(connection);
            const std::string schema = pq::extension_schema(transaction);
            const auto found = pq::run(
                transaction,
                "SELECT pg_catalog.format('%I.%I', n.nspname, t.relname) FROM " + schema +
                    ".ldp_collections AS c JOIN pg_catalog.pg_class AS t "
                    "ON t.oid OPERATOR(pg_catalog.=) c.reports "
                    "JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) t.relnamespace "
                    "WHERE c.name OPERATOR(pg_catalog.=) $1::pg_catalog.text",
                collection_);
            if (found.empty()) pq::refuse_unknown(collection_);
            table_ = Table{schema, found[0][0].as<std::string>()};
        }
        return *table_;
    }

    std::unique_ptr<Connection> own_;
    Connection& link_;
    std::string collection_;
    Method method_;
    std::optional<Table> table_;
};

}  // namespace ldp
