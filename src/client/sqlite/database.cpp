#include "client/sqlite/database.hpp"

#include <cstring>
#include <utility>

namespace ldp::sqlite {

namespace {

constexpr int retry_ms = 1000;
constexpr const char* never_replaced =
    "The file was not changed. Restore it from a backup, or choose another file, which starts without "
    "memoized responses.";

}  // namespace

void fail(const std::string& path, const std::string& what, const std::string& detail,
          const std::string& hint, const char* kind) {
    raise(ErrorCode::environment, std::string(kind) + " " + path + ": " + what, detail, hint);
}

void damaged(const std::string& path, const std::string& detail) {
    fail(path, "damaged", detail, never_replaced);
}

Database::Database(std::string path, const char* kind) : path_(std::move(path)), kind_(kind) {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(path_.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
    handle_.reset(opened);  // also after a failure: it holds the reason, and must be closed
    check(code);
    sqlite3_busy_timeout(opened, retry_ms);
}

Error Database::failure(int code) const {
    std::string detail =
        std::string("SQLite says: ") + (handle_ ? sqlite3_errmsg(handle()) : sqlite3_errstr(code)) + ".";
    const auto error = [&](const std::string& what, const char* hint) {
        return Error(ErrorCode::environment, std::string(kind_) + " " + path_ + ": " + what, detail, hint);
    };
    switch (code & 0xFF) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return error("in use by another process or store", "Wait for it to end.");
        case SQLITE_NOTADB:
        case SQLITE_CORRUPT:
            return error(std::string("damaged, or not a ") + kind_ + " of ldp", never_replaced);
        case SQLITE_READONLY:
        case SQLITE_PERM:
        case SQLITE_CANTOPEN:
            return error("cannot be written",
                         "The file and its directory must be writable by the user who runs this.");
        case SQLITE_FULL:
            return error("no space left", "Free some space on the disk and repeat the call.");
        case SQLITE_IOERR:
            if (const int reason = handle_ ? sqlite3_system_errno(handle()) : 0; reason != 0)
                detail += std::string(" The system says: ") + std::strerror(reason) + ".";
            return error(
                "cannot be read or written",
                "Remove the cause: a full disk, a limit on the size of files, or a failing disk. The call "
                "had no effect; repeat it afterwards.");
        default:
            return error("cannot be used", "Remove the cause; the file was not changed.");
    }
}

}  // namespace ldp::sqlite
