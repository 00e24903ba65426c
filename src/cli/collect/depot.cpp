#include "cli/collect/depot.hpp"

#include "core/spec/spec.hpp"
#include "core/summary/batch.hpp"

namespace ldp::collect {

namespace {

using namespace std::chrono_literals;

constexpr auto between_looks = 2s;
/// Clients come again; what is bridged here is a connection that was cut while nobody used it.
constexpr Patience short_patience{500ms, 50ms, 100ms};

/// As an array of SQL: of items without quotes, commas or braces.
template <class Item>
std::string array(std::span<const Waiting> group, Item item) {
    std::string text;
    for (const Waiting& waiting : group) text += (text.empty() ? "{" : ",") + item(waiting.submission);
    return text + "}";
}

/// Which ids are new, in the group's order; from now on they are this transaction's. Throws pq::Failure, of
/// BatchOutcome::outdated if one is known with other content.
std::vector<bool> claim(pqxx::transaction_base& transaction, std::span<const Waiting> group) {
    const auto claimed =
        pq::run(transaction,
                "SELECT ldp_claim_batch($1, u.id, u.reports, pg_catalog.decode(u.digest, 'hex')) "
                "FROM ROWS FROM (pg_catalog.unnest($2::uuid[]), pg_catalog.unnest($3::bigint[]), "
                "pg_catalog.unnest($4::text[])) AS u (id, reports, digest)",
                group.front().submission.to->name, array(group, [](const Submission& one) { return one.id; }),
                array(group, [](const Submission& one) { return std::to_string(one.reports()); }),
                array(group, [](const Submission& one) { return to_hex(one.digest); }));
    std::vector<bool> fresh;
    for (const auto& row : claimed) fresh.push_back(row[0].as<bool>());
    return fresh;
}

bool is_void(std::span<const Waiting> group) noexcept {
    return group.front().submission.frame.empty();
}

}  // namespace

Depot::Depot(Queue& queue, const std::string& dsn, std::set<std::string> only, Observer observer)
    : queue_(queue), link_(dsn, short_patience), only_(std::move(only)), observer_(std::move(observer)) {
    const bool superuser = link_.persist("connecting", [](pqxx::connection& connection) {
        pqxx::work transaction(connection);
        return pq::run(transaction,
                       "SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user")[0][0]
            .as<bool>();
    });
    if (superuser)
        raise(ErrorCode::environment, "the endpoint must not run as a superuser",
              "What it runs in the database is what strangers send, and triggers of tables that others own.",
              "Connect as a role of its own that is a member of ldp_submitter and of nothing else.");
    refresh();
}

void Depot::run() {
    auto next_look = Clock::now() + between_looks;
    while (!queue_.done()) {
        Group group = queue_.take(next_look);
        if (!group.empty()) store(std::move(group));
        if (Clock::now() < next_look) continue;
        refresh();
        next_look = Clock::now() + between_looks;
    }
}

void Depot::refresh() {
    try {
        const auto rows = link_.persist("looking collections up", [](pqxx::connection& connection) {
            pqxx::work transaction(connection);
            return pq::run(
                transaction,
                "SELECT name, reports::text, rows = 'batches', fingerprint, "
                "pg_catalog.to_char(created AT TIME ZONE 'UTC', 'Dy, DD Mon YYYY HH24:MI:SS \"GMT\"') "
                "FROM ldp_collections "
                "WHERE pg_catalog.has_any_column_privilege(reports::oid, 'INSERT')");
        });
        set_alive(true);
        auto found = std::make_shared<Catalog>();
        for (const auto& row : rows) {
            Offered listed{row[0].as<std::string>(),
                           row[1].as<std::string>(),
                           row[2].as<bool>(),
                           row[3].as<std::string>(),
                           row[4].as<std::string>(),
                           {},
                           {}};
            if (!only_.empty() && !only_.contains(listed.name)) continue;
            const auto before = catalog_->find(listed.name);
            const bool same = before != catalog_->end() && before->second->table == listed.table &&
                              before->second->batches == listed.batches &&
                              before->second->fingerprint == listed.fingerprint &&
                              before->second->created == listed.created;
            const auto offered = same ? before->second : read_collection(listed);
            if (offered) found->emplace(listed.name, offered);
        }
        if (*found == *catalog_) return;
        catalog_ = std::move(found);
        observer_.catalog(catalog_);
    } catch (const pq::Failure& failure) {
        set_alive(false);
        observer_.complain(failure);
    }
}

/// With its spec; nothing if it is gone, or of a release that this one does not know.
std::shared_ptr<const Offered> Depot::read_collection(const Offered& listed) {
    try {
        const auto text = link_.persist("fetching a spec", [&](pqxx::connection& connection) {
            pqxx::work transaction(connection);
            const auto found = pq::run(transaction, "SELECT ldp_client_spec($1)::text", listed.name);
            return found[0][0].is_null() ? std::string() : found[0][0].as<std::string>();
        });
        if (text.empty()) return nullptr;
        return std::make_shared<const Offered>(Offered{listed.name, listed.table, listed.batches,
                                                       listed.fingerprint, listed.created, text,
                                                       make_mechanism(Spec::from_json(text))});
    } catch (const pq::Failure& failure) {
        if (failure.passing()) throw;
        observer_.complain(failure);
    } catch (const Error& error) {
        observer_.complain(error);
    }
    return nullptr;
}

Depot::Attempt Depot::attempt(pqxx::connection& connection, std::span<const Waiting> group, bool singly) {
    pqxx::work transaction(connection);
    std::vector<Claim> claims;
    const auto note = [&](std::span<const Waiting> some) {
        for (const bool fresh : claim(transaction, some))
            claims.push_back(fresh ? Claim::fresh : Claim::known);
    };
    if (!singly) note(group);
    // Not by pqxx::subtransaction, which in version 6 does not begin before a statement without parameters.
    for (std::size_t i = 0; singly && i < group.size(); ++i) {
        transaction.exec("SAVEPOINT one");
        try {
            pq::guarded("claiming a batch", [&] { note(group.subspan(i, 1)); });
        } catch (const pq::Failure& failure) {
            if (!failure.is(BatchOutcome::outdated)) throw;
            transaction.exec("ROLLBACK TO SAVEPOINT one");
            claims.push_back(Claim::other);
        }
        transaction.exec("RELEASE SAVEPOINT one");
    }
    if (!is_void(group)) {
        std::vector<Bytes> fresh;
        for (std::size_t i = 0; i < group.size(); ++i)
            if (claims[i] == Claim::fresh) fresh.push_back(group[i].submission.bytes());
        if (fresh.empty() || fresh.size() < queue_.limits().hold) return {std::move(claims), false};
        const Offered& to = *group.front().submission.to;
        // In an order that tells nothing of who sent which (batch_frame.hpp).
        for (const auto& batch : merge(*to.mechanism, fresh))
            pq::insert(transaction, to.table, batch, group.front().submission.round);
    }
    transaction.commit();
    return {std::move(claims), true};
}

void Depot::store(Group group) {
    const auto attempted = [&](bool singly) {
        return link_.persist("storing reports", [&](pqxx::connection& connection) {
            return attempt(connection, group, singly);
        });
    };
    const auto began = Clock::now();
    Attempt done;
    try {
        try {
            done = attempted(false);
        } catch (const pq::Failure& failure) {
            if (!failure.is(BatchOutcome::outdated)) throw;
            done = attempted(true);
        }
    } catch (const pq::Failure& failure) {
        // Whoever is refused shall not have others refused. Held ones must not be stored in smaller groups.
        if (!failure.is(BatchOutcome::refused) || group.size() == 1 || queue_.limits().hold > 1)
            return end(group, failure);
        for (Waiting& waiting : group) {
            Group alone;
            alone.push_back(std::move(waiting));
            store(std::move(alone));
        }
        return;
    }
    set_alive(true);
    std::uint64_t reports = 0;
    std::size_t batches = 0;
    Group again;
    for (std::size_t i = 0; i < group.size(); ++i) {
        const Submission& one = group[i].submission;
        if (done.claims[i] == Claim::other) {
            group[i].end(problem(409, "this id stands for another batch, or was given up",
                                 "Give every batch an id of its own, and repeat a batch unchanged."));
        } else if (one.frame.empty()) {
            group[i].end({204});
        } else if (done.claims[i] == Claim::known) {
            group[i].end({200});
        } else if (done.committed) {
            ++batches;
            reports += one.reports();
            group[i].end({201});
        } else {
            again.push_back(std::move(group[i]));
        }
    }
    if (done.committed && batches > 0)
        observer_.stored(batches, reports, std::chrono::duration<double>(Clock::now() - began).count());
    queue_.add_again(std::move(again));
}

void Depot::end(std::span<const Waiting> group, const pq::Failure& failure) {
    const Answer answer = [&]() -> Answer {
        switch (failure.reply().outcome) {
            case BatchOutcome::refused:
                // Without the detail, which may quote a row.
                return problem(422, failure.what());
            case BatchOutcome::too_large:
                if (group.size() > 1) return later(503, 1, "too much came at once");
                return problem(413, failure.what(), "Send the reports in smaller batches.");
            default:
                if (failure.lost()) set_alive(false);
                observer_.complain(failure);
                return later(503, 2, "the database cannot store it now");
        }
    }();
    for (const Waiting& waiting : group) waiting.end(answer);
}

void Depot::set_alive(bool alive) {
    if (alive_ == alive) return;
    alive_ = alive;
    observer_.alive(alive);
}

}  // namespace ldp::collect
