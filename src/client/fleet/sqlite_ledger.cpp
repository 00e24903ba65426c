#include "client/fleet/sqlite_ledger.hpp"

#include "client/sqlite/new_file.hpp"
#include "client/sqlite/state_file.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace ldp {

namespace {

constexpr std::int64_t ledger_application = 0x4C44504C;  // "LDPL": the application id of a ledger
constexpr std::int64_t ledger_version = 3;
constexpr int patience_ms = 10000;
constexpr const char* ledger_kind = "ledger";

// Every row has a digest, since SQLite's pages have no checksums, and the head has their sum. It detects
// changed, missing and repeated rows.
constexpr const char* ledger_schema = R"(
    CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 0), rows INTEGER NOT NULL);
    CREATE TABLE account (name TEXT NOT NULL, epsilon REAL NOT NULL, person TEXT NOT NULL,
                          spec BLOB NOT NULL, store TEXT NOT NULL, title TEXT NOT NULL,
                          spent REAL NOT NULL, reserved REAL NOT NULL, digest INTEGER NOT NULL,
                          PRIMARY KEY (name, person, spec, store)) WITHOUT ROWID;
    CREATE TABLE group_limit (name TEXT PRIMARY KEY, epsilon REAL NOT NULL, digest INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO head VALUES (0, 0);
)";

std::int64_t digest_of_group(const std::string& name, double epsilon) {
    return sqlite::RowDigest::of("group_limit", name, epsilon);
}

std::int64_t digest_of_account(const LedgerEntry& entry) {
    return sqlite::RowDigest::of("account", entry.group, entry.limit, entry.person,
                                 Bytes(entry.fingerprint.digest), entry.store, entry.title, entry.spent,
                                 entry.reserved);
}

[[noreturn]] void refuse_ledger(const std::string& path, const std::string& detail) {
    raise(ErrorCode::environment, "ledger " + path + ": damaged, or not a ledger of ldp", detail,
          "The file was not changed. Restore it from a backup, or choose another name. Without the ledger, "
          "people spend the group's budget again.");
}

}  // namespace

class SqliteLedger::LedgerFile : public sqlite::Database {
  public:
    explicit LedgerFile(const std::string& path) : Database(created(path), ledger_kind) {
        if (sqlite3_db_readonly(handle(), "main") == 1)
            raise(ErrorCode::environment, "ledger " + path + ": read-only", {},
                  "The file and its directory must be writable by the user who runs this.");
        sqlite3_busy_timeout(handle(), patience_ms);
        run("PRAGMA trusted_schema = OFF");
        run("PRAGMA secure_delete = ON");
        run("PRAGMA synchronous = EXTRA");  // FULL does not make the removal of the journal durable
        if (pragma("PRAGMA application_id") != ledger_application)
            refuse_ledger(path, "Its application id is not the id of a ledger.");
        if (const std::int64_t version = pragma("PRAGMA user_version"); version != ledger_version)
            raise(ErrorCode::environment, "ledger " + path + ": written by another release of ldp",
                  "Its schema has version " + std::to_string(version) + "; this release reads version " +
                      std::to_string(ledger_version) + ".",
                  "Use the release that wrote it, or a newer one.");
        static_cast<void>(all());
    }

    /// Returns all entries, which must be those of the head.
    [[nodiscard]] std::vector<LedgerEntry> all() {
        const ReadOnly reading(*this);
        return stored_entries();
    }

    [[nodiscard]] LedgerLimits limits() {
        const ReadOnly reading(*this);
        return stored_limits();
    }

    void set_limit(const std::string& name, double epsilon) {
        run("BEGIN IMMEDIATE");
        try {
            check_limit(stored_entries(), name, epsilon);
            // A limit of all accounts needs all accounts of a person at each report.
            if (name.empty()) run("CREATE INDEX IF NOT EXISTS account_person ON account (person)");
            auto sum = static_cast<std::uint64_t>(
                sqlite::Statement(*this, "SELECT rows FROM head")().number().value_or(0));
            const auto known = stored_limits();
            if (const auto found = known.find(name); found != known.end())
                sum -= static_cast<std::uint64_t>(digest_of_group(name, found->second));
            const std::int64_t digest = digest_of_group(name, epsilon);
            const sqlite::Statement put(*this, "INSERT OR REPLACE INTO group_limit VALUES (?, ?, ?)");
            put(name, epsilon, digest).finish();
            const sqlite::Statement put_head(*this, "UPDATE head SET rows = ?");
            put_head(static_cast<std::int64_t>(sum + static_cast<std::uint64_t>(digest))).finish();
            run("COMMIT");
        } catch (...) {
            sqlite3_exec(handle(), "ROLLBACK", nullptr, nullptr, nullptr);
            throw;
        }
    }

    [[nodiscard]] std::optional<double> reserve(const LedgerEntry& wanted) {
        run("BEGIN IMMEDIATE");
        try {
            std::vector<LedgerEntry> of_person;
            double limit = 0;
            std::uint64_t sum = static_cast<std::uint64_t>(head_().number().value_or(0));
            for (auto row = limit_(wanted.group); row.row();) limit = row.real(0);
            const LedgerLimits limits = stored_limits();
            const bool all = limits.contains({});
            for (auto row = all ? of_person_(wanted.person) : in_group_(wanted.group, wanted.person);
                 row.row();)
                static_cast<void>(add_entry(of_person, row));
            LedgerEntry entry = wanted;
            if (const auto left = raise_entry(of_person, limits, limit, entry)) {
                run("ROLLBACK");
                return left;
            }
            for (const LedgerEntry& one : of_person)
                if (one.same_account(entry)) sum -= static_cast<std::uint64_t>(digest_of_account(one));
            const std::int64_t digest = digest_of_account(entry);
            put_(entry.group, entry.limit, entry.person, Bytes(entry.fingerprint.digest), entry.store,
                 entry.title, entry.spent, entry.reserved, digest)
                .finish();
            put_head_(static_cast<std::int64_t>(sum + static_cast<std::uint64_t>(digest))).finish();
            run("COMMIT");
            return {};
        } catch (...) {
            sqlite3_exec(handle(), "ROLLBACK", nullptr, nullptr, nullptr);
            throw;
        }
    }

  private:
    /// A transaction that reads.
    class ReadOnly {
      public:
        explicit ReadOnly(LedgerFile& file) : file_(file) { file_.run("BEGIN"); }
        ReadOnly(const ReadOnly&) = delete;
        ReadOnly& operator=(const ReadOnly&) = delete;
        ~ReadOnly() { sqlite3_exec(file_.handle(), "ROLLBACK", nullptr, nullptr, nullptr); }

      private:
        LedgerFile& file_;
    };
    [[nodiscard]] Fingerprint fingerprint_in(const std::vector<std::byte>& stored) const {
        Fingerprint found;
        if (stored.size() != found.digest.size()) refuse_ledger(path(), "A fingerprint has another length.");
        std::ranges::copy(stored, found.digest.begin());
        return found;
    }
    /// Adds the entry of a row, and returns its digest.
    template <class Row>
    std::int64_t add_entry(std::vector<LedgerEntry>& to, Row& row) {
        const LedgerEntry& entry =
            to.emplace_back(LedgerEntry{row.text(0), row.real(1), row.text(2), fingerprint_in(row.blob(3)),
                                        row.text(4), row.text(5), row.real(6), row.real(7)});
        const std::int64_t digest = row.integer(8);
        if (digest != digest_of_account(entry)) refuse_ledger(path(), "An entry has changed.");
        return digest;
    }
    [[nodiscard]] std::vector<LedgerEntry> stored_entries() {
        std::vector<LedgerEntry> found;
        std::uint64_t sum = 0;
        for (auto row = all_(); row.row();) sum += static_cast<std::uint64_t>(add_entry(found, row));
        for (const auto& [name, epsilon] : stored_limits())
            sum += static_cast<std::uint64_t>(digest_of_group(name, epsilon));
        if (sqlite::Statement(*this, "SELECT rows FROM head")().number() != static_cast<std::int64_t>(sum))
            refuse_ledger(path(), "Entries are missing, or were added.");
        return found;
    }
    [[nodiscard]] LedgerLimits stored_limits() {
        LedgerLimits found;
        const sqlite::Statement all_groups(*this, "SELECT name, epsilon, digest FROM group_limit");
        for (auto row = all_groups(); row.row();) {
            const std::string name = row.text(0);
            if (row.integer(2) != digest_of_group(name, row.real(1)))
                refuse_ledger(path(), "The budget of a group has changed.");
            found.emplace(name, row.real(1));
        }
        return found;
    }
    static const std::string& created(const std::string& path) {
        sqlite::create_unless_exists(
            path,
            [](Database& database) {
                database.run(ledger_schema);
                database.run(("PRAGMA user_version = " + std::to_string(ledger_version)).c_str());
                database.run(("PRAGMA application_id = " + std::to_string(ledger_application)).c_str());
            },
            ledger_kind);
        return path;
    }
    [[nodiscard]] std::int64_t pragma(const char* sql) const {
        return sqlite::Statement(*this, sql)().number().value_or(0);
    }

#define LDP_ACCOUNTS "SELECT name, epsilon, person, spec, store, title, spent, reserved, digest FROM account "
    sqlite::Statement all_{*this, LDP_ACCOUNTS "ORDER BY name, spec, person, store"};
    sqlite::Statement limit_{*this, "SELECT epsilon FROM account WHERE name = ? LIMIT 1"};
    sqlite::Statement in_group_{*this, LDP_ACCOUNTS "WHERE name = ? AND person = ?"};
    sqlite::Statement of_person_{*this, LDP_ACCOUNTS "WHERE person = ?"};
#undef LDP_ACCOUNTS
    sqlite::Statement put_{*this, "INSERT OR REPLACE INTO account VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"};
    sqlite::Statement head_{*this, "SELECT rows FROM head"};
    sqlite::Statement put_head_{*this, "UPDATE head SET rows = ?"};
};

SqliteLedger::SqliteLedger(const std::string& path) : file_(std::make_unique<LedgerFile>(path)) {}
SqliteLedger::~SqliteLedger() = default;

std::optional<double> SqliteLedger::reserve(const LedgerEntry& entry) {
    return file_->reserve(entry);
}

void SqliteLedger::set_limit(const std::string& group, double epsilon) {
    file_->set_limit(group, epsilon);
}

LedgerLimits SqliteLedger::limits() const {
    return file_->limits();
}

std::vector<LedgerEntry> SqliteLedger::entries() const {
    return file_->all();
}

}  // namespace ldp
