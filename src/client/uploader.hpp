// Submits batches to a collection over a libpqxx connection. This file is a header only: libldp does not
// depend on libpqxx, and programs that include the header link libpqxx themselves.
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
#include "core/delivery/column_values.hpp"

namespace ldp {

/// Returns a connection to the server that libpq's connection string names. Missing parameters come from
/// libpq's environment variables (PGHOST, PGDATABASE, …). The session is in UTF-8, with the options of
/// pq::session_options(). Throws Error (environment) where libpqxx would throw an exception of its own.
[[nodiscard]] inline pqxx::connection connect(const std::string& parameters = {}) {
    bool direct = false;
    return pq::connected(parameters, 0, {}, direct,
                         [](const std::string& all) { return pqxx::connection(all); });
}

namespace pq {

// A table's triggers run in the session, and with the rights, of the role that inserts. They can change
// settings and the role and create temporary objects. Therefore statements qualify every name, and the
// session is reset after each transaction in which code of a table's owner may have run.

/// Returns the schema of the extension, quoted for SQL; without the extension, the schema that `ldp attach` made. Throws
/// Error (environment) if the database has neither.
[[nodiscard]] inline std::string extension_schema(pqxx::transaction_base& transaction) {
    const auto found =
        run(transaction,
            "SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_namespace AS n WHERE n.oid "
            "OPERATOR(pg_catalog.=) COALESCE((SELECT e.extnamespace FROM pg_catalog.pg_extension AS e "
            "WHERE e.extname OPERATOR(pg_catalog.=) $1::pg_catalog.name), (SELECT s.oid FROM "
            "pg_catalog.pg_namespace AS s JOIN pg_catalog.pg_namespace AS i ON i.nspowner "
            "OPERATOR(pg_catalog.=) s.nspowner JOIN pg_catalog.pg_class AS t ON t.relnamespace "
            "OPERATOR(pg_catalog.=) i.oid WHERE s.nspname OPERATOR(pg_catalog.=) $1::pg_catalog.name "
            "AND i.nspname OPERATOR(pg_catalog.=) 'ldp_internal'::pg_catalog.name AND t.relname "
            "OPERATOR(pg_catalog.=) 'ldp_refresh'::pg_catalog.name))",
            "ldp");
    if (found.empty())
        raise(
            ErrorCode::environment, "the database has no extension ldp", {},
            "Connect to the database of the collection, or CREATE EXTENSION ldp. Without the extension, use ldp attach.");
    return found[0][0].as<std::string>();
}

/// Throws Failure if a table stored fewer or more reports than were sent. Then the caller must neither commit
/// nor acknowledge the batch.
inline void check_rows(const std::string& collection, std::int64_t took, std::size_t sent) {
    if (std::cmp_equal(took, sent)) return;
    throw Failure({BatchOutcome::later},
                  Error(ErrorCode::environment,
                        "the table of collection \"" + collection + "\" stored " + std::to_string(took) +
                            " of " + std::to_string(sent) + " reports",
                        "A trigger or a rule of the table rejects rows. Nothing was stored.",
                        "The owner of the table must remove the trigger or rule."));
}

/// Throws Failure: a claim made in this transaction is missing at the end of the transaction.
[[noreturn]] inline void refuse_unclaimed(const std::string& collection) {
    throw Failure(
        {BatchOutcome::later},
        Error(ErrorCode::environment,
              "collection \"" + collection + "\" would not count a batch exactly once",
              "At the end of the transaction the batch's claim was missing, or the role had changed. Nothing "
              "was stored.",
              "A trigger of the collection's table is the likely cause. The owner of the table must remove "
              "it."));
}

/// Statements that reset a session. RESET ROLE would return to a role that ALTER ROLE … SET role has set.
#define LDP_RESET                                                                    \
    "CLOSE ALL; RESET SESSION AUTHORIZATION; SET ROLE NONE; RESET ALL; UNLISTEN *; " \
    "SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES"

/// Resets a session that only this library uses. It has the effect of DISCARD ALL, except that cached plans
/// stay: PostgreSQL replans them when an object that they depend on changes. No transaction may be open.
inline void reset_session(pqxx::connection& connection, const std::string& settings = {}) {
    pqxx::nontransaction(connection)
        .exec(LDP_RESET "; DEALLOCATE ALL" + (settings.empty() ? settings : "; " + settings));
}

/// Resets a pooled session at the end of a transaction, after which the session may be another one. Prepared
/// statements stay, because they may be those of the pooler.
inline void reset_pooled(pqxx::transaction_base& transaction) {
    transaction.exec(LDP_RESET);
}

#undef LDP_RESET

/// Settings of a session with which the code of one owner could affect the storage of another owner's
/// reports. Used for connections that an application shares with this library: their other state belongs to
/// the application.
class SessionSettings {
  public:
    /// Reads the settings. Must run before code of a table's owner.
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
    /// Restores the settings that differ. No transaction may be open.
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

/// Throws Error (environment): the collection does not exist.
[[noreturn]] inline void refuse_unknown(const std::string& collection) {
    raise(ErrorCode::environment, "the server has no collection \"" + collection + "\"", {},
          "SELECT name FROM ldp_collections lists the existing collections.");
}

}  // namespace pq

/// Returns the spec of a collection as the server publishes it for clients. Throws Error (environment) if the
/// query fails or the collection does not exist, and the errors of Spec::from_json if this release does not
/// support the spec.
[[nodiscard]] inline Spec fetch_spec(Connection& link, const std::string& collection) {
    return Spec::from_json(link.persist("fetching the spec", [&](pqxx::connection& connection) {
        pqxx::work transaction(connection);
        link.prepare(transaction);
        const auto answer = pq::run(transaction,
                                    "SELECT " + pq::extension_schema(transaction) +
                                        ".ldp_client_spec($1::pg_catalog.text)::pg_catalog.text",
                                    collection);
        if (answer.empty() || answer[0][0].is_null()) pq::refuse_unknown(collection);
        return answer[0][0].as<std::string>();
    }));
}
/// Returns the spec of a collection over an open connection.
[[nodiscard]] inline Spec fetch_spec(pqxx::connection& connection, const std::string& collection) {
    Connection link(connection);
    return fetch_spec(link, collection);
}

/// Returns the public columns of a collection. Throws as fetch_spec does.
[[nodiscard]] inline std::vector<PublicColumn> fetch_public_columns(Connection& link,
                                                                    const std::string& collection) {
    return link.persist("fetching the public columns", [&](pqxx::connection& connection) {
        pqxx::work transaction(connection);
        link.prepare(transaction);
        std::vector<PublicColumn> columns;
        for (const auto& row : pq::run(transaction,
                                       "SELECT * FROM " + pq::extension_schema(transaction) +
                                           ".ldp_public_columns($1::pg_catalog.text)",
                                       collection))
            columns.push_back({row[0].template as<std::string>(), row[1].template as<std::string>(),
                               row[2].template as<bool>()});
        return columns;
    });
}

/// Returns the values that are invalid for the public column, in a transaction of the caller that stores nothing.
[[nodiscard]] inline std::vector<InvalidValue> find_invalid_values(pqxx::transaction_base& transaction,
                                                                   const std::string& schema,
                                                                   const std::string& collection,
                                                                   const ColumnValues& asked) {
    transaction.exec("SET TRANSACTION READ ONLY");
    std::vector<InvalidValue> invalid;
    for (const auto& row : pq::run(transaction,
                                   "SELECT * FROM " + schema +
                                       ".ldp_invalid_values($1::pg_catalog.text, "
                                       "$2::pg_catalog.jsonb OPERATOR(pg_catalog.->>) 'column', "
                                       "ARRAY(SELECT v.value FROM pg_catalog.jsonb_array_elements_text("
                                       "$2::pg_catalog.jsonb OPERATOR(pg_catalog.->) 'values') AS v))",
                                   collection, asked.json()))
        invalid.push_back({row[0].template as<std::string>(), row[1].template as<std::string>()});
    return invalid;
}

/// Returns the values that are invalid for the public column. Stores nothing. Code of the table's owner may run: of
/// domains and CHECK constraints. Throws as fetch_spec does.
[[nodiscard]] inline std::vector<InvalidValue> find_invalid_values(Connection& link,
                                                                   const std::string& collection,
                                                                   const ColumnValues& asked) {
    return link.persist("checking the public columns", [&](pqxx::connection& connection) {
        std::vector<InvalidValue> invalid;
        std::optional<pq::SessionSettings> before;
        {
            pqxx::work transaction(connection);
            if (link.borrows()) before.emplace(transaction);
            link.prepare(transaction);
            invalid = find_invalid_values(transaction, pq::extension_schema(transaction), collection, asked);
            if (!before && !link.direct()) pq::reset_pooled(transaction);
        }
        if (before)
            before->restore(connection);
        else if (link.direct())
            pq::reset_session(connection);
        return invalid;
    });
}

/// Delivers each batch in one transaction and under the batch's id. A batch is counted as a whole or not at
/// all, and exactly once even if it is sent repeatedly. Temporary failures are retried by the connection's
/// retry policy. The database role needs only the rights of ldp_submitter.
///
/// A connection may serve collections of several owners. Triggers of an owner's table can change the session,
/// so the session is reset after each batch. A connection that Connection opened is reset completely; behind
/// a pooler, prepared statements stay. In a borrowed connection, only settings that could cause lost or
/// repeated batches are restored (search_path, role, timeouts and similar ones). Other objects that a trigger
/// creates in a borrowed session remain, such as temporary tables and prepared statements. An application
/// with its own work in the session should lend a separate connection.
class Uploader final : public BatchTransport {
  public:
    /// The SQL function that stores a batch.
    enum class Method {
        insert,  ///< ldp_insert of reports that the client packs; the fastest
        call,    ///< ldp_submit_batch, as used by clients without this library
    };

    /// Borrows the connection, which must outlive the uploader. No transaction may be open in it while a
    /// batch is delivered.
    explicit Uploader(Connection& link, std::string collection, Method method = Method::insert)
        : link_(link), collection_(std::move(collection)), method_(method) {}
    /// Borrows a connection of libpqxx. If the connection breaks, the delivery is not retried.
    explicit Uploader(pqxx::connection& connection, std::string collection, Method method = Method::insert)
        : own_(std::make_unique<Connection>(connection)),
          link_(*own_),
          collection_(std::move(collection)),
          method_(method) {}

    /// Sends the client's queued reports: client.flush(*this, …). Throws Error (environment) if the server
    /// cannot be reached. Reports that are not known to be counted stay queued.
    Flushed flush(Client& client, std::size_t most = 10000, const Client::Progress& progress = {}) {
        return client.flush(*this, most, progress);
    }

    /// Implements BatchTransport::deliver. Throws Undelivered if the batch was certainly not counted. Throws
    /// Error (environment) if the outcome is unknown; then the caller delivers the same batch again.
    bool deliver(const Batch& batch) override { return prepare(batch)(); }
    /// Implements BatchTransport::destination, by Connection::address().
    [[nodiscard]] Destination destination() const override { return {link_.address(), collection_}; }
    /// Implements BatchTransport::history.
    [[nodiscard]] std::string history() const override { return history_; }
    /// Implements BatchTransport::prepare: packs the batch and computes its digest.
    [[nodiscard]] Delivery prepare(const Batch& batch) override {
        EncodedBatch encoded{
            batch.id, batch.reports.size(), batch.digest(), batch.round, {}, {}, batch.columns, {}};
        if (method_ == Method::insert)
            if (auto packed = batch.packed()) encoded.packed = std::move(*packed);
        // A batch that cannot be packed is sent as an array: only the server can decide that it was not
        // counted before, and reject it.
        if (encoded.packed.empty())
            encoded.reports = listed(batch);
        else if (const auto token = encoded.columns.take(token_column))
            encoded.token = sha256(std::as_bytes(std::span(*token)));
        return [this, encoded = std::move(encoded)] { return send(encoded); };
    }

  private:
    /// A batch in the form in which it is sent.
    struct EncodedBatch {
        std::string id;
        std::size_t count;
        std::array<std::byte, 32> digest;
        std::int32_t round;
        std::vector<std::vector<std::byte>>
            packed;            ///< the reports as batch frames; if empty, `reports` is set
        std::string reports;   ///< the reports as an SQL array
        PublicValues columns;  ///< public columns of all reports; without the token if `packed` is set
        std::optional<std::array<std::byte, 32>> token;  ///< digest of the token, if `packed` is set
    };

    struct ReportTable {
        std::string schema;  ///< the extension's schema, quoted for SQL
        std::string name;    ///< the table's qualified name, quoted for SQL
    };

    bool send(const EncodedBatch& batch) {
        Error why(ErrorCode::environment, "submitting to collection \"" + collection_ + "\"");
        DeliveryStep step = taken(DeliveryRequest::submit, BatchOutcome::later, batch, why);
        // This attempt was rolled back. An earlier attempt with an unknown outcome holds its claim until it
        // ends. The claim of the revocation waits for that end, and is new only if no attempt was or will be
        // counted.
        if (step.action == DeliveryAction::revoke)
            step = taken(DeliveryRequest::revoke, step.outcome, batch, why);
        if (step.outcome == BatchOutcome::delivered) return true;
        if (step.outcome == BatchOutcome::repeated) return false;
        throw Undelivered(step.outcome, why);
    }

    /// Returns the step after a request and stores the server's error in `why`. Throws pq::Failure if the
    /// outcome is unknown.
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
            // The rejection of a claim alone does not concern the batch, unless its id belongs to other
            // reports, or only the token was missing.
            const DeliveryReply reply = submitting || failure.sqlstate().empty()
                                            ? failure.reply()
                                            : sql_reply(request, failure.sqlstate(), false);
            if (reply.outcome == BatchOutcome::later) throw;
            if (submitting) why = failure;
            return next_step(request, so_far, reply);
        }
    }

    /// Returns true if the batch was not counted before, and claims its id for this transaction.
    bool claim(pqxx::transaction_base& transaction, const ReportTable& into, const EncodedBatch& batch) {
        // The statement without a token also serves databases of `ldp attach`.
        const std::string begin =
            "SELECT " + into.schema +
            ".ldp_claim_batch($1::pg_catalog.text, $2::pg_catalog.uuid, $3::pg_catalog.int8, $4::pg_catalog.bytea";
        const std::string end = "), ldp_internal.ldp_history()", count = std::to_string(batch.count);
        const auto claimed =
            batch.token
                ? pq::run(transaction, begin + ", $5::pg_catalog.bytea" + end, collection_, batch.id, count,
                          pq::binary(batch.digest), pq::binary(*batch.token))
                : pq::run(transaction, begin + end, collection_, batch.id, count, pq::binary(batch.digest));
        history_ = claimed[0][1].is_null() ? std::string() : claimed[0][1].template as<std::string>();
        return claimed[0][0].template as<bool>();
    }
    /// Claims in a transaction that is rolled back. No code of a table's owner runs in it.
    bool claimed(pqxx::connection& connection, const EncodedBatch& batch) {
        const ReportTable& into = table(connection);
        pqxx::work undone(connection);
        link_.prepare(undone, true);
        return claim(undone, into, batch);
    }

    bool insert(pqxx::connection& connection, const EncodedBatch& batch) {
        return guarded(connection, batch, [&](pqxx::transaction_base& transaction, const ReportTable& into) {
            const bool fresh = claim(transaction, into, batch);
            if (!fresh) return false;
            std::int64_t took = 0;
            for (const auto& each : batch.packed)
                took += pq::insert(transaction, into.schema, into.name, each, batch.round, batch.columns);
            pq::check_rows(collection_, took, batch.count);
            return true;
        });
    }

    bool call(pqxx::connection& connection, const EncodedBatch& batch) {
        return guarded(connection, batch, [&](pqxx::transaction_base& transaction, const ReportTable& into) {
            return pq::run(transaction,
                           "SELECT " + into.schema +
                               ".ldp_submit_batch($1::pg_catalog.text, $2::pg_catalog.uuid, $3::" +
                               into.schema + ".ldp_report[], $4::pg_catalog.int4, $5::pg_catalog.jsonb)",
                           collection_, batch.id, batch.reports, std::to_string(batch.round),
                           pq::json(batch.columns))[0][0]
                       .template as<std::int64_t>() > 0;
        });
    }

    /// Runs `store(transaction, table)` in a transaction and returns its result: whether the batch is new.
    /// Before the commit, the claim is checked again by the role that made it, because a trigger could have
    /// removed it. Afterwards the session is restored.
    template <class Store>
    bool guarded(pqxx::connection& connection, const EncodedBatch& batch, Store store) {
        const ReportTable& into = table(connection);
        std::optional<pq::SessionSettings> before;
        bool fresh;
        {
            pqxx::work transaction(connection);
            if (link_.borrows()) before.emplace(transaction);
            link_.prepare(transaction, true);
            fresh = store(transaction, into);
            if (fresh) {
                transaction.exec("SET CONSTRAINTS ALL IMMEDIATE");
                if (claim(transaction, into, batch)) pq::refuse_unclaimed(collection_);
            }
            if (!before && !link_.direct()) pq::reset_pooled(transaction);
            transaction.commit();
        }
        if (before)
            before->restore(connection);
        else if (link_.direct())
            pq::reset_session(connection);
        return fresh;
    }

    /// Returns the batch's reports as an SQL array.
    [[nodiscard]] static std::string listed(const Batch& batch) {
        std::string reports;
        for (const Report& report : batch.reports) reports += (reports.empty() ? "{" : ",") + to_hex(report);
        return reports + "}";
    }

    const ReportTable& table(pqxx::connection& connection) {
        if (!table_) {
            pqxx::work transaction(connection);
            link_.prepare(transaction);
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
            table_ = ReportTable{schema, found[0][0].as<std::string>()};
        }
        return *table_;
    }

    std::unique_ptr<Connection> own_;
    Connection& link_;
    std::string collection_;
    Method method_;
    std::optional<ReportTable> table_;
    std::string history_;  ///< of the server of the last claim
};

}  // namespace ldp
