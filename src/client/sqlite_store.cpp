#include "client/sqlite_store.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace ldp {

namespace {

constexpr std::int64_t application = 0x4C445043;  // "LDPC": what makes an SQLite file ours
constexpr std::int64_t unreleased = 0x4C445031;   // what it was before 1.0, of schemas that never came out
constexpr int patience_ms = 1000;

// The outbox is a queue by id. A batch is a stretch at its front, so that naming one costs one row however
// many reports it holds; the table has at most that row.
//
// A person's memory is what does not change (public randomness), what each report changes (course) and the
// answers, the permanent randomized responses, which are the ledger too. Pages of SQLite have no checksums;
// what a bit of damage would make a person spend twice has a digest of its own.
constexpr std::int64_t schema_version = 1;
constexpr const char* schema = R"(
    CREATE TABLE binding (fingerprint INTEGER NOT NULL);
    CREATE TABLE outbox (id INTEGER PRIMARY KEY, round INTEGER NOT NULL, report BLOB NOT NULL);
    CREATE TABLE batch (id TEXT NOT NULL, last INTEGER NOT NULL);
    CREATE TABLE mark (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE public_randomness (id INTEGER PRIMARY KEY CHECK (id = 0), content BLOB NOT NULL,
                                    digest INTEGER NOT NULL);
    CREATE TABLE course (id INTEGER PRIMARY KEY CHECK (id = 0), content BLOB NOT NULL,
                         digest INTEGER NOT NULL);
    CREATE TABLE answer (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, response BLOB NOT NULL,
                         epsilon REAL NOT NULL, round INTEGER NOT NULL, digest INTEGER NOT NULL);
)";

[[noreturn]] void fail(const std::string& path, const std::string& what, const std::string& detail,
                       const std::string& hint) {
    raise(ErrorCode::environment, "state file " + path + ": " + what, detail, hint);
}

constexpr const char* never_replaced =
    "It was left as it is. Restore it from a backup, or choose another file, which starts without what this "
    "one remembers.";

[[noreturn]] void damaged(const std::string& path, const std::string& detail) {
    fail(path, "damaged", detail, never_replaced);
}

/// Of contents one after another.
template <class... Contents>
std::int64_t digest(const Contents&... contents) {
    ContentHash hash;
    const auto add = [&](Bytes bytes) {
        hash.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    };
    (add(contents), ...);
    return static_cast<std::int64_t>(hash.value());
}

class Database {
  public:
    explicit Database(std::string path) : path_(std::move(path)) {
        sqlite3* opened = nullptr;
        const int code = sqlite3_open_v2(path_.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
        handle_.reset(opened);  // also after a failure: it holds the reason, and must be closed
        check(code);
        sqlite3_busy_timeout(opened, patience_ms);
    }
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    ~Database() = default;

    void run(const char* sql) { check(sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr)); }
    void check(int code) const {
        if (code != SQLITE_OK) throw failure(code);
    }

    [[nodiscard]] sqlite3* handle() const noexcept { return handle_.get(); }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

  private:
    [[nodiscard]] Error failure(int code) const {
        const std::string detail =
            std::string("SQLite says: ") + (handle_ ? sqlite3_errmsg(handle()) : sqlite3_errstr(code)) + ".";
        const auto error = [&](const char* what, const char* hint) {
            return Error(ErrorCode::environment, "state file " + path_ + ": " + what, detail, hint);
        };
        switch (code & 0xFF) {
            case SQLITE_BUSY:
            case SQLITE_LOCKED:
                return error("in use by another process or store", "Wait for it to end.");
            case SQLITE_NOTADB:
            case SQLITE_CORRUPT:
                return error("damaged, or not a state file of ldp", never_replaced);
            case SQLITE_READONLY:
            case SQLITE_PERM:
            case SQLITE_CANTOPEN:
                return error("cannot be written",
                             "The file and its directory must be writable by the user who runs this.");
            case SQLITE_FULL:
                return error("no space left", "Free some space on the disk and repeat the call.");
            default:
                return error("cannot be used", "Look into the cause above; the file was left as it is.");
        }
    }

    struct Close {
        void operator()(sqlite3* handle) const noexcept { sqlite3_close(handle); }
    };
    std::string path_;
    std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement, compiled once and run many times.
class Statement {
  public:
    Statement(const Database& database, const char* sql) : database_(database) {
        database_.check(
            sqlite3_prepare_v3(database_.handle(), sql, -1, SQLITE_PREPARE_PERSISTENT, &handle_, nullptr));
    }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement() { sqlite3_finalize(handle_); }

    /// One run of the statement. Its parameters must outlive it; it holds its locks no longer than it lives.
    class Run {
      public:
        explicit Run(const Statement& statement) : statement_(statement) {}
        Run(const Run&) = delete;
        Run& operator=(const Run&) = delete;
        ~Run() { sqlite3_reset(statement_.handle_); }

        /// The next row, if there is one.
        [[nodiscard]] bool row() {
            const int code = sqlite3_step(statement_.handle_);
            if (code != SQLITE_ROW && code != SQLITE_DONE) statement_.database_.check(code);
            return code == SQLITE_ROW;
        }
        void finish() {
            while (row()) continue;
        }
        /// The number in the first column of the first row, if there is a row.
        [[nodiscard]] std::optional<std::int64_t> number() {
            return row() ? std::optional(integer(0)) : std::nullopt;
        }

        [[nodiscard]] std::int64_t integer(int column) const {
            return sqlite3_column_int64(statement_.handle_, column);
        }
        [[nodiscard]] double real(int column) const {
            return sqlite3_column_double(statement_.handle_, column);
        }
        [[nodiscard]] std::string text(int column) const {
            const auto* at = reinterpret_cast<const char*>(sqlite3_column_text(statement_.handle_, column));
            return at == nullptr ? std::string() : std::string(at, size(column));
        }
        [[nodiscard]] Report blob(int column) const {
            const auto* at = static_cast<const std::byte*>(sqlite3_column_blob(statement_.handle_, column));
            return at == nullptr ? Report() : Report(at, at + size(column));
        }

      private:
        [[nodiscard]] std::size_t size(int column) const {
            return static_cast<std::size_t>(sqlite3_column_bytes(statement_.handle_, column));
        }
        const Statement& statement_;
    };

    template <class... Parameters>
    [[nodiscard]] Run operator()(const Parameters&... parameters) const {
        int position = 0;
        (bind(++position, parameters), ...);
        return Run(*this);
    }

  private:
    void bind(int at, std::int64_t value) const { database_.check(sqlite3_bind_int64(handle_, at, value)); }
    void bind(int at, std::string_view text) const {
        database_.check(
            sqlite3_bind_text64(handle_, at, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8));
    }
    void bind(int at, double value) const { database_.check(sqlite3_bind_double(handle_, at, value)); }
    void bind(int at, Bytes blob) const {
        database_.check(sqlite3_bind_blob64(handle_, at, blob.data(), blob.size(), SQLITE_STATIC));
    }

    const Database& database_;
    sqlite3_stmt* handle_ = nullptr;
};

/// A write transaction: undone unless committed.
class Transaction {
  public:
    explicit Transaction(Database& database) : database_(database) { database_.run("BEGIN IMMEDIATE"); }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction() {
        if (!sqlite3_get_autocommit(database_.handle()))
            sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
    void commit() { database_.run("COMMIT"); }

  private:
    Database& database_;
};

void sync_directory(const std::filesystem::path& directory) {
    const int descriptor = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    fsync(descriptor);
    close(descriptor);
}

/// Builds a new state file under another name and moves it into place complete: a file of this name is never
/// half made, so an empty one can only be a damaged one.
void create(const std::string& path) {
    std::string draft = path + ".XXXXXX";
    const auto cannot = [&](int reason) {
        fail(path, "cannot be created", std::strerror(reason), "Its directory must exist and be writable.");
    };
    const int descriptor = mkostemp(draft.data(), O_CLOEXEC);
    if (descriptor < 0) cannot(errno);
    close(descriptor);
    try {
        Database database(draft);
        database.run("PRAGMA journal_mode = WAL");
        database.run("PRAGMA synchronous = FULL");
        Transaction transaction(database);
        database.run(schema);
        database.run(("PRAGMA user_version = " + std::to_string(schema_version)).c_str());
        database.run(("PRAGMA application_id = " + std::to_string(application)).c_str());
        transaction.commit();
    } catch (...) {
        unlink(draft.c_str());
        throw;
    }
    // link() refuses to overwrite: if another process was faster, its file is the one that counts.
    const bool placed = link(draft.c_str(), path.c_str()) == 0 || errno == EEXIST;
    const int reason = errno;
    unlink(draft.c_str());
    if (!placed) cannot(reason);
    sync_directory(std::filesystem::absolute(path).parent_path());
}

/// The path of a state file that exists.
const std::string& existing(const std::string& path) {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0) {
        if (errno != ENOENT)
            fail(path, "cannot be opened", std::strerror(errno), "Check the path and its permissions.");
        create(path);
    } else if (!S_ISREG(found.st_mode)) {
        fail(path, "not a regular file", {}, "Choose another name.");
    } else if (found.st_size == 0) {
        fail(path, "damaged: it is empty", "A state file is never empty, not even a new one.",
             "If it was made empty by hand, delete it: ldp creates its own. If not, restore it from a "
             "backup.");
    }
    return path;
}

/// A state file that is ours, writable, sound and locked.
class StateFile : public Database {
  public:
    explicit StateFile(const std::string& path) : Database(existing(path)) {
        if (sqlite3_db_readonly(handle(), "main") == 1)
            fail(path, "read-only", {},
                 "The file and its directory must be writable by the user who runs this.");
        run("PRAGMA locking_mode = EXCLUSIVE");
        run("PRAGMA trusted_schema = OFF");
        {
            Transaction lock(*this);  // takes the lock, which stays, and shows that the file can be written
            identify();
            lock.commit();
        }
        run("PRAGMA journal_mode = WAL");
        run("PRAGMA synchronous = FULL");
        const Statement check(*this, "PRAGMA quick_check(1)");
        auto verdict = check();
        if (!verdict.row() || verdict.text(0) != "ok") damaged(path, "SQLite says: " + verdict.text(0) + ".");
    }

  private:
    [[nodiscard]] std::int64_t pragma(const char* sql) const {
        return Statement(*this, sql)().number().value_or(0);
    }
    /// Throws Error (environment) unless this release can read the file.
    void identify() const {
        const std::int64_t mark = pragma("PRAGMA application_id");
        if (mark == unreleased)
            fail(path(), "written by a version of ldp before 1.0", "Such versions were never released.",
                 "Use what wrote it to submit what it holds, then choose another name.");
        if (mark != application)
            fail(path(), "damaged, or not a state file of ldp",
                 "It has not the mark that ldp leaves in its files.", "Choose another name.");
        if (const std::int64_t version = pragma("PRAGMA user_version"); version != schema_version)
            fail(path(), "written by another release of ldp",
                 "Its schema has version " + std::to_string(version) + "; this release reads version " +
                     std::to_string(schema_version) + ".",
                 "Use the release that wrote it, or a newer one.");
    }
};

}  // namespace

class SqliteStore::File {
  public:
    explicit File(const std::string& path) : database(path) {}

    StateFile database;
    Statement get_binding{database, "SELECT fingerprint FROM binding"};
    Statement set_binding{database, "INSERT INTO binding VALUES (?)"};
    Statement get_mark{database, "SELECT value FROM mark WHERE name = ?"};
    Statement set_mark{database, "INSERT OR REPLACE INTO mark VALUES (?, ?)"};
    Statement get_public_randomness{database, "SELECT content, digest FROM public_randomness"};
    Statement set_public_randomness{database,
                                    "INSERT INTO public_randomness VALUES (0, ?, ?)"};  // once and for ever
    Statement get_course{database, "SELECT content, digest FROM course"};
    Statement set_course{database, "INSERT OR REPLACE INTO course VALUES (0, ?, ?)"};
    Statement get_answers{database,
                          "SELECT id, key, response, epsilon, round, digest FROM answer ORDER BY id"};
    Statement put_answer{database,
                         "INSERT INTO answer (key, response, epsilon, round, digest) VALUES (?, ?, ?, ?, ?)"};
    Statement put{database, "INSERT INTO outbox (round, report) VALUES (?, ?)"};
    Statement count{database, "SELECT count(*) FROM outbox"};
    Statement front{database, "SELECT id, round, report FROM outbox WHERE id <= ? ORDER BY id LIMIT ?"};
    Statement drop_front{database, "DELETE FROM outbox WHERE id <= ?"};
    Statement get_batch{database, "SELECT id, last FROM batch"};
    Statement set_batch{database, "INSERT INTO batch VALUES (?, ?)"};
    Statement drop_batch{database, "DELETE FROM batch"};
    std::uint64_t pending = static_cast<std::uint64_t>(count().number().value_or(0));

    struct NamedBatch {
        std::string id;
        std::int64_t last;
    };
    /// The batch that was named and not confirmed, if there is one.
    [[nodiscard]] std::optional<NamedBatch> named_batch() const {
        auto found = get_batch();
        if (!found.row()) return std::nullopt;
        return NamedBatch{found.text(0), found.integer(1)};
    }
};

SqliteStore::SqliteStore(const std::string& path) : file_(std::make_unique<File>(path)) {}
SqliteStore::SqliteStore(SqliteStore&&) noexcept = default;
SqliteStore& SqliteStore::operator=(SqliteStore&&) noexcept = default;
SqliteStore::~SqliteStore() = default;

void SqliteStore::bind(std::uint64_t fingerprint) {
    Transaction transaction(file_->database);
    const auto bound = file_->get_binding().number();
    if (bound && static_cast<std::uint64_t>(*bound) != fingerprint)
        refuse_spec(static_cast<std::uint64_t>(*bound), fingerprint);
    if (!bound) file_->set_binding(static_cast<std::int64_t>(fingerprint)).finish();
    transaction.commit();
}

void SqliteStore::append(std::span<const Report> reports, std::int32_t round, std::span<const Mark> marks,
                         const Notes& notes) {
    Transaction transaction(file_->database);
    if (!notes.public_randomness.empty())
        file_->set_public_randomness(notes.public_randomness, digest(notes.public_randomness)).finish();
    if (!notes.course.empty()) file_->set_course(notes.course, digest(notes.course)).finish();
    for (const Answer& answer : notes.answers) {
        Writer key;
        for (const Cell cell : answer.key) key.put(cell);
        file_
            ->put_answer(Bytes(key.bytes()), Bytes(answer.permanent), answer.epsilon, std::int64_t{round},
                         digest(key.bytes(), answer.permanent))
            .finish();
    }
    for (const Report& report : reports) file_->put(std::int64_t{round}, Bytes(report)).finish();
    for (const Mark& mark : marks) file_->set_mark(mark.name, mark.value).finish();
    transaction.commit();
    file_->pending += reports.size();
}

Memory SqliteStore::memory() const {
    const std::string& path = file_->database.path();
    Memory memory;
    if (const auto bound = file_->get_binding().number())
        memory.fingerprint = static_cast<std::uint64_t>(*bound);
    const auto read = [&](const Statement& statement, std::vector<std::byte>& content) {
        auto found = statement();
        if (!found.row()) return;
        content = found.blob(0);
        if (digest(content) != found.integer(1)) damaged(path, "What it remembers has changed.");
    };
    read(file_->get_public_randomness, memory.public_randomness);
    read(file_->get_course, memory.course);
    auto answers = file_->get_answers();
    while (answers.row()) {
        const std::vector<std::byte> key = answers.blob(1);
        Answer answer{{}, answers.blob(2), answers.real(3), static_cast<std::int32_t>(answers.integer(4))};
        if (answers.integer(0) != static_cast<std::int64_t>(memory.answers.size()) + 1)
            damaged(path, "An answer is missing.");
        if (key.size() % sizeof(Cell) != 0 || digest(key, answer.permanent) != answers.integer(5))
            damaged(path, "An answer has changed.");
        for (Reader reader(key); answer.key.size() < key.size() / sizeof(Cell);)
            answer.key.push_back(reader.take<Cell>());
        memory.answers.push_back(std::move(answer));
    }
    return memory;
}

std::optional<std::int64_t> SqliteStore::mark(std::string_view name) const {
    return file_->get_mark(name).number();
}

std::uint64_t SqliteStore::pending() const {
    return file_->pending;
}

std::optional<Batch> SqliteStore::next_batch(std::size_t most) {
    constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
    Transaction transaction(file_->database);
    const auto named = file_->named_batch();
    Batch batch{};
    std::int64_t last = named ? named->last : all;
    {
        auto front = file_->front(last, named ? all : static_cast<std::int64_t>(most));
        while (front.row()) {
            const auto round = static_cast<std::int32_t>(front.integer(1));
            if (batch.reports.empty()) batch.round = round;
            if (round != batch.round) break;
            last = front.integer(0);
            batch.reports.push_back(front.blob(2));
        }
    }
    if (named && batch.reports.empty())
        damaged(file_->database.path(), "The reports of its current batch are missing.");
    if (batch.reports.empty()) return std::nullopt;
    batch.id = named ? named->id : random_id();
    if (!named) file_->set_batch(std::string_view(batch.id), last).finish();
    transaction.commit();
    return batch;
}

void SqliteStore::confirm(std::string_view id) {
    Transaction transaction(file_->database);
    const auto named = file_->named_batch();
    if (!named || named->id != id) return;
    file_->drop_front(named->last).finish();
    const auto dropped = static_cast<std::uint64_t>(sqlite3_changes64(file_->database.handle()));
    file_->drop_batch().finish();
    transaction.commit();
    file_->pending -= dropped;
}

}  // namespace ldp
