// What tests against a real server have in common: a database of their own, collections in it, and batches.
#pragma once

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "client/uploader.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "ldp.hpp"

namespace ldp::e2e {

/// A database of its own, in which ldp is installed; gone afterwards.
struct Database {
    Database() : name("ldp_e2e_" + std::to_string(getpid())) {
        run_in("postgres", "CREATE DATABASE " + name);
        // PostgreSQL before 15 lets every role create what it likes there.
        run_in(name, "CREATE EXTENSION ldp; REVOKE CREATE ON SCHEMA public FROM PUBLIC");
    }
    ~Database() {
        try {
            run_in("postgres", "DROP DATABASE " + name + " WITH (FORCE)");
        } catch (const std::exception& error) {
            std::cerr << error.what() << "\n";
        }
    }
    static void run_in(const std::string& database, const std::string& sql) {
        pqxx::connection connection("dbname=" + database);
        pqxx::nontransaction(connection).exec(sql);
    }
    std::string name;
};

/// A connection, a directory, and collections by name.
struct Server {
    Server() {
        std::string draft = (std::filesystem::temp_directory_path() / "ldp-e2e.XXXXXX").string();
        BOOST_REQUIRE(mkdtemp(draft.data()) != nullptr);
        directory = draft;
    }
    ~Server() { std::filesystem::remove_all(directory); }

    [[nodiscard]] static std::string dsn() {
        static const Database database;
        return "dbname=" + database.name;
    }
    pqxx::result sql(const std::string& text) {
        pqxx::work transaction(connection);
        pqxx::result found = transaction.exec(text);
        transaction.commit();
        return found;
    }
    std::int64_t number(const std::string& text) { return sql(text)[0][0].as<std::int64_t>(); }
    /// Creates a collection, anew for each test, and fetches its spec back.
    Collection create(const std::string& name, const std::string& spec, const std::string& rows = "reports") {
        sql("SELECT ldp_drop_collection(name) FROM ldp_collections WHERE name = " + connection.quote(name));
        sql("SELECT ldp_create_collection(" + connection.quote(name) + ", " + connection.quote(spec) +
            ", rows => " + connection.quote(rows) + ")");
        return Collection(fetch_spec(connection, name));
    }
    [[nodiscard]] SqliteStore store() const { return SqliteStore((directory / "state").string()); }

    pqxx::connection connection{dsn()};
    std::filesystem::path directory;
};

/// For BOOST_CHECK_EXCEPTION: an environment error with this text in its message, detail or hint.
inline auto says(const std::string& text) {
    return [=](const Error& error) {
        const std::string all = std::string(error.what()) + " | " + error.detail() + " | " + error.hint();
        const bool matches = error.code() == ErrorCode::environment && all.find(text) != std::string::npos;
        if (!matches) BOOST_TEST_MESSAGE("not \"" + text + "\" but: " + all);
        return matches;
    };
}

inline Batch batch_of(const Collection& collection, std::size_t size, std::int32_t round = 0) {
    MemoryStore store;
    SystemRandom bits;
    std::vector<Report> reports;
    for (std::size_t i = 0; i < size; ++i) {
        const std::vector<Cell> cells(collection.spec().attributes().size(), 1);
        reports.push_back(collection.mechanism().perturb(cells, bits));
    }
    store.append(reports, round);
    return store.next_batch(size).value();
}

}  // namespace ldp::e2e
