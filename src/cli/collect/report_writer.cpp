// Length: the look-ups and the transactions of one class, which share its sessions.

#include "cli/collect/report_writer.hpp"

#include <algorithm>
#include <map>
#include <thread>

#include "core/contract/spec.hpp"
#include "core/delivery/delivery_receipt.hpp"
#include "core/summary/batch.hpp"

namespace ldp::collect {

namespace {

using namespace std::chrono_literals;

constexpr auto between_looks = 2s;
/// Short, because clients retry, too: these retries replace connections that broke while they were idle.
constexpr RetryPolicy short_retries{500ms, 50ms, 100ms};

constexpr auto between_checks = 200ms;
/// Settings of the session in which no code of table owners runs. The search path excludes objects of other
/// roles. An owner's lock on a table must not delay the look-up of other collections.
std::vector<Session::Setting> control_settings() {
    return {
        {"search_path", "pg_catalog, pg_temp"}, {"statement_timeout", "'10s'"}, {"lock_timeout", "'500ms'"}};
}

using ReceivedBatches = std::vector<const ReceivedBatch*>;

/// Returns an SQL array of items without quotes, commas or braces.
template <class Item>
std::string array(const ReceivedBatches& group, Item item) {
    std::string text;
    for (const ReceivedBatch* one : group) text += (text.empty() ? "{" : ",") + item(*one);
    return text + "}";
}

void add_number(std::vector<std::byte>& bytes, std::int32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes.push_back(static_cast<std::byte>(static_cast<std::uint32_t>(number) >> shift));
}

/// Returns an array of the type bytea[] in PostgreSQL's binary form. Digests as text would be the largest part of a
/// statement. digest(batch) returns a pointer, which is null for NULL.
template <class Digest>
std::vector<std::byte> digests(const ReceivedBatches& group, Digest digest) {
    constexpr std::int32_t dimensions = 1, has_null = 1, bytea = 17, first = 1, none = -1;
    std::vector<std::byte> bytes;
    bytes.reserve(20 + 36 * group.size());
    for (const std::int32_t number :
         {dimensions, has_null, bytea, static_cast<std::int32_t>(group.size()), first})
        add_number(bytes, number);
    for (const ReceivedBatch* one : group) {
        const std::array<std::byte, 32>* const found = digest(*one);
        add_number(bytes, found == nullptr ? none : static_cast<std::int32_t>(found->size()));
        if (found != nullptr) bytes.insert(bytes.end(), found->begin(), found->end());
    }
    return bytes;
}

ReceivedBatches received(std::span<const QueuedBatch> group) {
    ReceivedBatches all;
    for (const QueuedBatch& queued : group) all.push_back(&queued.batch);
    return all;
}

/// Claims the ids of a group for this transaction, and returns the outcome of each claim, in the group's order:
/// `delivered` for a new batch, `repeated`, `outdated`, or `refused` if a new batch has no valid token. Also sets
/// `history` if it is not null.
std::vector<BatchOutcome> claim(pqxx::transaction_base& transaction, const ReceivedBatches& group,
                                std::string* history) {
    const auto contents = digests(group, [](const ReceivedBatch& one) { return &one.digest; });
    const auto tokens =
        digests(group, [](const ReceivedBatch& one) { return one.token ? &*one.token : nullptr; });
    const auto claimed = pq::run(
        transaction,
        std::string("SELECT ldp_internal.ldp_claim_batches($1::pg_catalog.text, $2::pg_catalog.uuid[], "
                    "$3::pg_catalog.int8[], $4::pg_catalog.bytea[], $5::pg_catalog.bytea[])") +
            (history != nullptr ? ", ldp_internal.ldp_history()" : ""),
        group.front()->to->name, array(group, [](const ReceivedBatch& one) { return one.id; }),
        array(group, [](const ReceivedBatch& one) { return std::to_string(one.reports()); }),
        pq::binary(contents), pq::binary(tokens));
    std::vector<BatchOutcome> outcomes;
    const auto all = claimed[0][0].as<std::string>();
    std::string_view rest(all);
    while (rest.size() > 1) {
        rest.remove_prefix(1);  // the brace or a comma
        const std::string_view one = rest.substr(0, rest.find_first_of(",}"));
        rest.remove_prefix(one.size());
        const bool fresh = one == "new", repeated = one == "repeated";
        outcomes.push_back(
            sql_reply(DeliveryRequest::submit, fresh || repeated ? "00000" : one, fresh).outcome);
    }
    if (history != nullptr)
        *history = claimed[0][1].is_null() ? std::string() : claimed[0][1].as<std::string>();
    return outcomes;
}

bool is_void(std::span<const QueuedBatch> group) noexcept {
    return group.front().batch.frame.empty();
}

std::string named(const char* doing, const CatalogEntry& to) {
    return std::string(doing) + " collection \"" + to.name + "\"";
}

/// Without a timeout, libpq waits forever for a server that accepts connections but does not respond.
std::string bounded(const std::string& dsn) {
    setenv("PGCONNECT_TIMEOUT", "10", 0);
    return dsn;
}

}  // namespace

ReportWriter::Worker::Worker(const std::string& dsn, const WriterLimits& limits)
    : session(dsn, short_retries,
              {{"statement_timeout", "'" + std::to_string(limits.duration.count()) + "s'"}},
              limits.duration) {}

ReportWriter::ReportWriter(Queue& queue, const std::string& dsn, std::set<std::string> only,
                           const WriterLimits& limits, Observer observer)
    : queue_(queue),
      limits_(limits),
      control_(bounded(dsn), short_retries, control_settings(), 10s),
      only_(std::move(only)),
      observer_(std::move(observer)) {
    check_role();
    for (std::size_t i = 0; i < limits.sessions; ++i)
        workers_.push_back(std::make_unique<Worker>(dsn, limits));
    refresh();
}

/// Calls the function in a transaction of the control session, with the schema of the extension.
template <class Query>
auto ReportWriter::look_up(const char* doing, Query query) {
    return control_.persist(doing, [&](pqxx::connection& connection, const std::string& schema) {
        pqxx::work transaction(connection);
        control_.begin(transaction);
        return query(transaction, schema);
    });
}

/// Triggers of other owners' tables run with this role's rights, and can switch to any role of which it is a
/// member.
void ReportWriter::check_role() {
    const auto found = look_up("connecting", [&](pqxx::work& transaction, const std::string&) {
        return pq::run(transaction,
                       "SELECT r.rolname::text, r.rolname = session_user, r.rolsuper FROM pg_roles AS r "
                       "WHERE (r.rolsuper OR r.rolcreaterole OR r.rolreplication OR r.rolbypassrls "
                       "OR left(r.rolname::text, 3) = 'pg_' OR r.rolname IN ('ldp_admin', 'ldp_analyst')) "
                       "AND pg_has_role(session_user, r.oid, 'MEMBER') "
                       "ORDER BY r.rolsuper DESC, r.rolname = session_user DESC, r.rolname LIMIT 1");
    });
    if (found.empty()) return;
    const std::string role = "\"" + found[0][0].as<std::string>() + "\"";
    const bool itself = found[0][1].as<bool>(), superuser = found[0][2].as<bool>();
    raise(
        ErrorCode::environment,
        superuser && itself ? "the endpoint must not run as a superuser"
        : superuser         ? "the endpoint must not run as a member of the superuser " + role
        : itself ? "the endpoint must not run as a role that may create roles, replicate or bypass policies"
                 : "the endpoint must not run as a member of the role " + role,
        "The endpoint stores reports from untrusted clients, and runs triggers of tables with other owners.",
        "Connect as a separate role that is a member of ldp_submitter and of no other role.");
}

void ReportWriter::run() {
    std::vector<std::jthread> threads;
    working_ = workers_.size();
    const auto start = [&](Worker& worker) {
        threads.emplace_back([this, &worker] {
            std::exception_ptr failure;
            try {
                work(worker);
            } catch (...) {
                failure = std::current_exception();
                queue_.abandon();
                abandon();
            }
            const std::lock_guard lock(mutex_);
            if (failure) failure_ = failure;
            if (--working_ == 0) ended_.notify_one();
        });
    };
    try {
        for (const auto& worker : workers_) start(*worker);
    } catch (...) {  // the threads that were started must end
        queue_.abandon();
        throw;
    }
    auto next_look = Clock::now() + between_looks;
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, between_checks, [this] { return working_ == 0; })) {
        lock.unlock();
        try {
            end_overdue();
            if (Clock::now() >= next_look) {
                refresh();
                next_look = Clock::now() + between_looks;
            }
        } catch (const std::bad_alloc&) {  // the next attempt may have memory
        }
        lock.lock();
    }
    if (failure_) std::rethrow_exception(failure_);
}

void ReportWriter::work(Worker& worker) {
    while (!queue_.done()) {
        Group group = queue_.take(Clock::now() + between_looks);
        if (group.empty()) continue;
        const std::string owner = group.front().batch.to->owner;
        store(worker, std::move(group));
        worker.session.clean();
        queue_.release(owner);
    }
}

/// Terminates overdue sessions: a statement could catch a cancellation and continue.
void ReportWriter::end_overdue() {
    for (const auto& worker : workers_) {
        const int process = worker->session.overdue();
        if (process == 0) continue;
        try {
            look_up("ending a transaction", [&](pqxx::work& transaction, const std::string&) {
                pq::run(transaction, "SELECT pg_catalog.pg_terminate_backend($1::pg_catalog.int4)",
                        std::to_string(process));
            });
        } catch (const pq::Failure& failure) {
            observer_.complain(failure);
        }
    }
}

void ReportWriter::refresh() {
    const auto began = Clock::now();
    try {
        check_settings();
        std::vector<CatalogEntry> all;
        try {
            all = listed({});
        } catch (const pq::Failure& failure) {
            // One collection may be the cause: a change of its table, or a lock on it.
            if (failure.lost()) throw;
            all = listed_singly();
        }
        auto found = std::make_shared<Catalog>();
        for (CatalogEntry& one : all) {
            if (!only_.empty() && !only_.contains(one.name)) continue;
            const auto before = catalog_->find(one.name);
            const bool same = before != catalog_->end() && before->second->same_as(one);
            std::string name = one.name;
            const auto offered = same ? before->second : read_collection(std::move(one));
            if (offered) found->emplace(std::move(name), offered);
        }
        for (const auto& [name, entry] : *catalog_)
            if (unknown_.contains(name)) found->emplace(name, entry);
        if (*found != *catalog_) {
            catalog_ = std::move(found);
            observer_.catalog(catalog_);
        }
        observer_.looked(began, true);
    } catch (const Error& error) {
        observer_.looked(began, false);
        observer_.complain(error);
    }
}

/// Complains of settings of the endpoint's role: sessions do not use them, and a trigger may have made them.
void ReportWriter::check_settings() {
    const auto found = look_up("looking up the role", [&](pqxx::work& transaction, const std::string&) {
        return pq::run(
            transaction,
            "SELECT left(string_agg(DISTINCT split_part(s.setting, '=', 1), ', '), 200) "
            "FROM pg_db_role_setting AS r, unnest(r.setconfig) AS s (setting) "
            "WHERE r.setrole = (SELECT oid FROM pg_roles WHERE rolname = session_user) AND r.setdatabase "
            "IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))");
    });
    if (found[0][0].is_null()) return;
    observer_.complain(Error(ErrorCode::environment, "the role of the endpoint has settings",
                             "They have no effect: " + found[0][0].as<std::string>() +
                                 ". A trigger of a collection's table may have made them (ALTER ROLE)."));
}

/// Changes if the owner of a collection changes its texts; empty without texts.
constexpr const char* digest_of_texts =
    "CASE WHEN c.texts = '{}' THEN '' ELSE "
    "left(encode(sha256(convert_to(c.texts::text, 'UTF8')), 'hex'), 16) END";

/// Returns the collections that the role may submit to, without specs and mechanisms; only the one of this
/// name if the name is not empty.
std::vector<CatalogEntry> ReportWriter::listed(const std::string& name) {
    const auto rows =
        look_up("looking collections up", [&](pqxx::work& transaction, const std::string& schema) {
            return pq::run(
                transaction,
                "SELECT c.name, format('%I.%I', n.nspname, t.relname), c.fingerprint, "
                "to_char(c.created AT TIME ZONE 'UTC', 'Dy, DD Mon YYYY HH24:MI:SS \"GMT\"'), "
                "t.relowner::text, "
                "(SELECT pg_get_constraintdef(k.oid) FROM pg_constraint AS k "
                "WHERE k.conrelid = t.oid AND k.conname = 'round_is_open'), "
                "(SELECT coalesce(json_agg(json_build_object('name', s.\"column\", 'type', s.type, "
                "'required', s.required)), '[]')::text FROM " +
                    schema +
                    ".ldp_public_columns(c.name) AS s LEFT JOIN pg_attribute AS a "
                    "ON a.attrelid = t.oid AND a.attname = s.\"column\" "
                    "WHERE has_column_privilege(t.oid, a.attnum, 'INSERT') OR s.\"column\" = 'ldp_token'), " +
                    digest_of_texts + ", (SELECT coalesce(ldp_internal.ldp_history(), '')) FROM " + schema +
                    ".ldp_collections AS c JOIN pg_class AS t ON t.oid = c.reports "
                    "JOIN pg_namespace AS n ON n.oid = t.relnamespace "
                    "WHERE has_any_column_privilege(t.oid, 'INSERT') AND ($1 = '' OR c.name = $1)",
                name);
        });
    std::vector<CatalogEntry> all;
    for (const auto& row : rows) {
        std::string called = row[0].as<std::string>();
        try {
            all.push_back({called,
                           row[1].as<std::string>(),
                           row[2].as<std::string>(),
                           row[3].as<std::string>(),
                           {},
                           {},
                           row[4].as<std::string>(),
                           row[5].is_null() ? std::nullopt : parse_rounds(row[5].as<std::string>()),
                           public_columns(row[6].as<std::string>()),
                           row[7].as<std::string>(),
                           row[8].as<std::string>()});
            unknown_.erase(called);
        } catch (const Error& error) {
            // Its columns cannot be read, for example because their names are not UTF-8.
            unknown_.erase(called);
            observer_.complain(Error(ErrorCode::environment, "collection \"" + called + "\": " + error.what(),
                                     error.detail()));
        }
    }
    return all;
}

/// Looks each collection up by itself. Those that cannot be looked up now keep their last state.
std::vector<CatalogEntry> ReportWriter::listed_singly() {
    const auto names =
        look_up("looking collections up", [&](pqxx::work& transaction, const std::string& schema) {
            return pq::run(transaction, "SELECT name FROM " + schema + ".ldp_collections");
        });
    std::vector<CatalogEntry> all;
    unknown_.clear();
    for (const auto& row : names) {
        const std::string name = row[0].as<std::string>();
        try {
            for (CatalogEntry& one : listed(name)) all.push_back(std::move(one));
        } catch (const pq::Failure& failure) {
            if (failure.lost()) throw;
            unknown_.insert(name);
            observer_.complain(
                Error(failure.code(), "collection \"" + name + "\": " + failure.what(), failure.detail()));
        }
    }
    return all;
}

/// Returns the collection with its spec; null if it no longer exists or its spec is not supported.
std::shared_ptr<const CatalogEntry> ReportWriter::read_collection(CatalogEntry&& listed) {
    try {
        listed.spec = look_up("fetching a spec", [&](pqxx::work& transaction, const std::string& schema) {
            const auto found =
                pq::run(transaction, "SELECT " + schema + ".ldp_client_spec($1::text)::text", listed.name);
            return found[0][0].is_null() ? std::string() : found[0][0].as<std::string>();
        });
        if (listed.spec.empty()) return nullptr;
        listed.mechanism = make_mechanism(Spec::from_json(listed.spec));
        return std::make_shared<const CatalogEntry>(std::move(listed));
    } catch (const pq::Failure& failure) {
        if (failure.lost()) throw;
        observer_.complain(failure);
    } catch (const Error& error) {
        observer_.complain(error);
    }
    return nullptr;
}

void ReportWriter::abandon() {
    control_.abandon();
    for (const auto& worker : workers_) worker->session.abandon();
}

std::vector<BatchOutcome> ReportWriter::attempt(Worker& worker, pqxx::connection& connection,
                                                const std::string& schema, std::span<const QueuedBatch> group,
                                                std::size_t hold) {
    pqxx::work transaction(connection);
    worker.session.begin(transaction, true);
    std::vector<BatchOutcome> outcomes = claim(transaction, received(group), &worker.history);
    const auto commit = [&](pqxx::work& work) {
        try {
            work.commit();
        } catch (const pqxx::sql_error&) {
            worker.doubt = worker.doubt || !connection.is_open();
            throw;
        } catch (const std::exception&) {
            worker.doubt = true;
            throw;
        }
    };
    if (!is_void(group)) {
        ReceivedBatches fresh, repeated;
        std::map<PublicValues, std::vector<Bytes>> frames;
        for (std::size_t i = 0; i < group.size(); ++i)
            if (outcomes[i] == BatchOutcome::delivered) {
                fresh.push_back(&group[i].batch);
                frames[group[i].batch.columns].push_back(group[i].batch.bytes());
            } else if (outcomes[i] == BatchOutcome::repeated) {
                repeated.push_back(&group[i].batch);
            }
        if (fresh.empty() || fresh.size() < hold) {
            std::ranges::replace(outcomes, BatchOutcome::delivered, BatchOutcome::later);
            // Repeated batches are acknowledged after a commit, which waits for a standby (ldp_claim_batch).
            if (fresh.empty()) {
                commit(transaction);
            } else if (!repeated.empty()) {
                transaction.abort();
                pqxx::work again(connection);
                worker.session.begin(again, true);
                for (const BatchOutcome outcome : claim(again, repeated, nullptr))
                    if (outcome != BatchOutcome::repeated) pq::refuse_unclaimed(group.front().batch.to->name);
                commit(again);
            }
            return outcomes;
        }
        const CatalogEntry& to = *group.front().batch.to;
        // merge() sorts the reports, so that their order does not depend on the senders (batch_frame.hpp).
        for (const auto& [columns, alike] : frames)
            for (const auto& batch : merge(*to.mechanism, alike))
                pq::check_rows(
                    to.name,
                    pq::insert(transaction, schema, to.table, batch, group.front().batch.round, columns),
                    batch_frame(*to.mechanism).count(batch));
        // Deferrable constraints and constraint triggers are checked now. Afterwards each claim must exist,
        // for the role that made it.
        transaction.exec("SET CONSTRAINTS ALL IMMEDIATE");
        for (const BatchOutcome outcome : claim(transaction, fresh, nullptr))
            if (outcome != BatchOutcome::repeated) pq::refuse_unclaimed(to.name);
        // A trigger may have changed the timeout.
        worker.session.end(transaction);
    }
    commit(transaction);
    return outcomes;
}

void ReportWriter::store(Worker& worker, Group group) {
    try {
        attempt_to_store(worker, group);
    } catch (const std::bad_alloc&) {
        const HttpResponse answer = in_doubt(2, "the endpoint has no memory to store the batch");
        for (const QueuedBatch& queued : group) queued.end(answer);
    }
}

void ReportWriter::check_values(Worker& worker, const QueuedBatch& queued) {
    const auto began = Clock::now();
    const CatalogEntry& to = *queued.batch.to;
    try {
        const auto invalid = worker.session.persist(
            named("checking public columns of", to),
            [&](pqxx::connection& connection, const std::string& schema) {
                pqxx::work transaction(connection);
                worker.session.begin(transaction);
                auto found = find_invalid_values(transaction, schema, to.name, *queued.batch.asked);
                worker.session.end(transaction);
                return found;
            });
        queued.end({200, "application/json", to_json(invalid), {{"Cache-Control", "no-store"}}});
    } catch (const pq::Failure& failure) {
        end({&queued, 1}, failure, false, Clock::now() - began);
    }
}

void ReportWriter::attempt_to_store(Worker& worker, Group& group) {
    if (group.front().batch.asked) {
        for (const QueuedBatch& queued : group) check_values(worker, queued);
        return;
    }
    const std::string doing = named("storing reports of", *group.front().batch.to);
    const auto began = Clock::now();
    worker.doubt = false;
    std::vector<BatchOutcome> outcomes;
    try {
        outcomes =
            worker.session.persist(doing, [&](pqxx::connection& connection, const std::string& schema) {
                return attempt(worker, connection, schema, group, queue_.limits().hold);
            });
    } catch (const pq::Failure& failure) {
        // A rejected batch must not cause the rejection of others, so each is stored alone. With --hold,
        // batches must not be stored in smaller groups.
        if (!failure.is(BatchOutcome::refused) || group.size() == 1 || queue_.limits().hold > 1)
            return this->end(group, failure, worker.doubt, Clock::now() - began);
        for (QueuedBatch& queued : group) {
            Group alone;
            alone.push_back(std::move(queued));
            store(worker, std::move(alone));
        }
        return;
    }
    std::uint64_t reports = 0;
    std::size_t batches = 0;
    Group again;
    const auto end = [&](const QueuedBatch& queued, HttpResponse answer) {
        if (!worker.history.empty()) answer.fields.emplace_back(history_field, worker.history);
        queued.end(answer);
    };
    for (std::size_t i = 0; i < group.size(); ++i) {
        const ReceivedBatch& one = group[i].batch;
        if (outcomes[i] == BatchOutcome::outdated) {
            end(group[i], problem(409, "the id belongs to another batch or was revoked",
                                  "Use a new id for every batch, and repeat a batch unchanged."));
        } else if (outcomes[i] == BatchOutcome::refused) {
            end(group[i], no_token());
        } else if (one.frame.empty()) {
            end(group[i], {204});
        } else if (outcomes[i] == BatchOutcome::repeated) {
            end(group[i], {200});
        } else if (outcomes[i] == BatchOutcome::delivered) {
            ++batches;
            reports += one.reports();
            end(group[i], {201});
        } else {
            again.push_back(std::move(group[i]));
        }
    }
    if (batches > 0)
        observer_.stored(batches, reports, std::chrono::duration<double>(Clock::now() - began).count());
    queue_.add_again(std::move(again));
}

void ReportWriter::end(std::span<const QueuedBatch> group, const pq::Failure& failure, bool doubt,
                       Clock::duration took) {
    const HttpResponse answer = [&]() -> HttpResponse {
        switch (failure.reply().outcome) {
            case BatchOutcome::refused:
                // Omits the detail, which may quote a row.
                return problem(422, failure.message().empty() ? failure.what() : failure.message());
            case BatchOutcome::too_large:
                if (took >= limits_.duration) break;
                if (group.size() > 1) return later(503, 1, "too many reports were sent at once");
                return problem(413, failure.message().empty() ? failure.what() : failure.message(),
                               "Send the reports in smaller batches.");
            default:
                break;
        }
        observer_.complain(failure);
        constexpr const char* now = "the database cannot store the batch now";
        return doubt ? in_doubt(2, now) : later(503, 2, now);
    }();
    for (const QueuedBatch& queued : group) queued.end(answer);
}

}  // namespace ldp::collect
