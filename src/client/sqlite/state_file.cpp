#include "client/sqlite/state_file.hpp"

#include <algorithm>

#include "client/sqlite/new_file.hpp"

namespace ldp::sqlite {

namespace {

constexpr std::int64_t application = 0x4C445043;  // "LDPC": the application id of a state file
constexpr std::int64_t unreleased = 0x4C445031;   // the application id before 1.0, of unreleased schemas

// The outbox is a queue of segments, each with the number of its first report. A batch consists of segments
// at the front of the queue, so that naming a batch of any size only changes the head. Dead-lettered reports
// have a table of their own, with a flag for unchanged reports. Both tables have the public columns as JSON.
//
// A person's memory has the public randomness, which does not change, the progress, which each report changes,
// checkpoints, and the permanent randomized responses, which are also the ledger.
//
// Every row has a digest, and the head has the sum of all digests. It detects changed, missing and repeated
// rows.
constexpr std::int64_t schema_version = 3;
constexpr const char* schema = R"(
    CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 0), secret BLOB NOT NULL, fingerprint BLOB NOT NULL,
                       reports INTEGER NOT NULL, waiting INTEGER NOT NULL, batches INTEGER NOT NULL,
                       last INTEGER, ahead INTEGER, rows INTEGER NOT NULL,
                       digest INTEGER NOT NULL, ids BLOB NOT NULL);
    CREATE TABLE outbox (id INTEGER PRIMARY KEY, round INTEGER NOT NULL, count INTEGER NOT NULL,
                         shared INTEGER NOT NULL, digest INTEGER NOT NULL, content BLOB NOT NULL,
                         columns TEXT NOT NULL);
    CREATE TABLE refused (id INTEGER PRIMARY KEY, round INTEGER NOT NULL, report BLOB NOT NULL,
                          reason TEXT NOT NULL, sound INTEGER NOT NULL, digest INTEGER NOT NULL,
                          columns TEXT NOT NULL);
    CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, responses INTEGER NOT NULL,
                         public_randomness BLOB NOT NULL, progress BLOB NOT NULL, digest INTEGER NOT NULL);
    CREATE TABLE checkpoint (person INTEGER NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL,
                       digest INTEGER NOT NULL, PRIMARY KEY (person, name)) WITHOUT ROWID;
    CREATE TABLE response (person INTEGER NOT NULL, number INTEGER NOT NULL, key BLOB NOT NULL,
                         response BLOB NOT NULL, epsilon REAL NOT NULL, round INTEGER NOT NULL,
                         digest INTEGER NOT NULL, PRIMARY KEY (person, number),
                         UNIQUE (person, key)) WITHOUT ROWID;
    CREATE TABLE contract (id INTEGER PRIMARY KEY CHECK (id = 0), json TEXT NOT NULL, digest INTEGER NOT NULL);
    CREATE TABLE delivered (id INTEGER PRIMARY KEY, batch TEXT NOT NULL, until INTEGER NOT NULL,
                          round INTEGER NOT NULL, columns TEXT NOT NULL, route TEXT NOT NULL,
                          count INTEGER NOT NULL, shared INTEGER NOT NULL, content BLOB NOT NULL,
                          digest INTEGER NOT NULL);
)";
constexpr const char* all_digests = R"(
    SELECT digest FROM outbox UNION ALL SELECT digest FROM refused UNION ALL SELECT digest FROM person
    UNION ALL SELECT digest FROM checkpoint UNION ALL SELECT digest FROM response
    UNION ALL SELECT digest FROM contract UNION ALL SELECT digest FROM delivered
)";

std::int64_t digest(const Head& head) {
    return RowDigest::of("head", Bytes(head.secret), Bytes(head.fingerprint), head.reports, head.waiting,
                         head.batches, head.last, head.ahead, head.rows, Bytes(head.ids));
}

void write(const Database& database, const Head& head) {
    const Statement put(database, "INSERT OR REPLACE INTO head VALUES (0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    put(Bytes(head.secret), Bytes(head.fingerprint), head.reports, head.waiting, head.batches, head.last,
        head.ahead, head.rows, digest(head), Bytes(head.ids))
        .finish();
}

/// Returns the path of a state file, which is created with this secret if it does not exist.
const std::string& existing(const std::string& path, const std::array<std::byte, 32>& secret) {
    create_unless_exists(path, [&](Database& database) {
        database.run(schema);
        database.run(("PRAGMA user_version = " + std::to_string(schema_version)).c_str());
        database.run(("PRAGMA application_id = " + std::to_string(application)).c_str());
        Head head;
        head.secret = head.ids = secret;
        write(database, head);
    });
    return path;
}

}  // namespace

StateFile::StateFile(const std::string& path, const std::array<std::byte, 32>& secret)
    : Database(existing(path, secret)) {
    if (sqlite3_db_readonly(handle(), "main") == 1)
        fail(path, "read-only", {}, "The file and its directory must be writable by the user who runs this.");
    run("PRAGMA locking_mode = EXCLUSIVE");
    run("PRAGMA trusted_schema = OFF");
    run("PRAGMA secure_delete = ON");  // overwrites what is removed; the default depends on the distribution
    run("BEGIN IMMEDIATE");            // takes the lock, which remains, and fails if the file is read-only
    identify();
    run("COMMIT");
    run("PRAGMA journal_mode = WAL");
    {
        const Statement check(*this, "PRAGMA quick_check(1)");
        auto verdict = check();
        if (!verdict.row() || verdict.text(0) != "ok") damaged(path, "SQLite says: " + verdict.text(0) + ".");
    }
    read_head();
}

std::int64_t StateFile::pragma(const char* sql) const {
    return Statement(*this, sql)().number().value_or(0);
}

void StateFile::identify() {
    const std::int64_t mark = pragma("PRAGMA application_id");
    if (mark == unreleased)
        fail(path(), "written by a version of ldp before 1.0", "Such versions were never released.",
             "Submit its reports with the version that wrote it, then choose another name.");
    if (mark != application)
        fail(path(), "damaged, or not a state file of ldp", "Its application id is not the id of ldp.",
             "Choose another name.");
    const std::int64_t version = pragma("PRAGMA user_version");
    if (version != schema_version)
        fail(path(), "written by another release of ldp",
             "Its schema has version " + std::to_string(version) + "; this release reads version " +
                 std::to_string(schema_version) + ".",
             "Use the release that wrote it, or a newer one.");
}

void StateFile::read_head() {
    const Statement get(*this,
                        "SELECT secret, fingerprint, reports, waiting, batches, last, ahead, rows, digest, "
                        "ids FROM head");
    auto found = get();
    if (!found.row()) damaged(path(), "Its head is missing.");
    const auto take = [&](int column, std::array<std::byte, 32>& into) {
        const std::vector<std::byte> secret = found.blob(column);
        if (secret.size() == into.size()) std::ranges::copy(secret, into.begin());
    };
    take(0, head_.secret);
    head_.fingerprint = found.blob(1);
    head_.reports = found.integer(2);
    head_.waiting = found.integer(3);
    head_.batches = found.integer(4);
    head_.last = found.optional(5);
    head_.ahead = found.optional(6);
    head_.rows = found.integer(7);
    take(9, head_.ids);
    const bool bound = !head_.fingerprint.empty();
    if (digest(head_) != found.integer(8) || (bound && head_.fingerprint.size() != sizeof(Fingerprint)))
        damaged(path(), "Its head has changed.");

    std::uint64_t sum = 0;
    const Statement digests(*this, all_digests);
    for (auto row = digests(); row.row();) sum += static_cast<std::uint64_t>(row.integer(0));
    if (static_cast<std::int64_t>(sum) != head_.rows) damaged(path(), "It was changed by another program.");
}

Step::Step(StateFile& file, Durable durable)
    : head(file.head_), file_(file), before_(file.head_), outer_(file.step_) {
    if (outer_ != nullptr) {
        outer_->require_whole();
        return;
    }
    // The write-ahead log is written in order, so that a durable commit makes all earlier ones durable.
    file_.run(durable == Durable::now ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    file_.run("BEGIN IMMEDIATE");
    file_.step_ = this;
}

Step::~Step() {
    if (outer_ != nullptr) {
        if (!committed_) outer_->spoiled_ = true;
        return;
    }
    file_.step_ = nullptr;
    if (committed_) return;
    if (!sqlite3_get_autocommit(file_.handle()))
        sqlite3_exec(file_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    head = before_;
}

void Step::require_whole() const {
    if (spoiled_)
        fail(file_.path(), "a part of a joint step failed", "The whole step must be rolled back.",
             "End the step with the error of this part.");
}

void Step::commit() {
    require_whole();
    if (outer_ == nullptr) {
        write(file_, head);
        file_.run("COMMIT");
    }
    committed_ = true;
}

}  // namespace ldp::sqlite
