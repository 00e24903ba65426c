#include "client/sqlite/new_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace ldp::sqlite {

namespace {

/// Makes the directory entry of a new file durable.
void sync_directory(const std::filesystem::path& directory) {
    const int descriptor = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    fsync(descriptor);
    close(descriptor);
}

/// Creates a new file under a temporary name and links it when it is complete. So a file is never incomplete,
/// and an empty one is damaged. Its journal is in memory until then, and a failed draft is
/// deleted, so that no other file remains after a failure.
void create(const std::string& path, const std::function<void(Database&)>& fill, const char* kind) {
    std::string draft = path + ".XXXXXX";
    const auto cannot = [&](int reason) {
        fail(path, "cannot be created", std::strerror(reason),
             "Its directory must exist and be writable, and its disk must have space.", kind);
    };
    const int descriptor = mkostemp(draft.data(), O_CLOEXEC);
    if (descriptor < 0) cannot(errno);
    close(descriptor);
    try {
        Database database(draft, kind);
        database.run("PRAGMA journal_mode = MEMORY");
        database.run("PRAGMA synchronous = FULL");
        database.run("BEGIN IMMEDIATE");
        fill(database);
        database.run("COMMIT");
        database.close();
    } catch (const Error& error) {
        unlink(draft.c_str());
        fail(path, "cannot be created", error.detail(), error.hint(), kind);
    } catch (...) {
        unlink(draft.c_str());
        throw;
    }
    // link() does not overwrite: if another process was faster, its file is used.
    const bool placed = link(draft.c_str(), path.c_str()) == 0 || errno == EEXIST;
    const int reason = errno;
    unlink(draft.c_str());
    if (!placed) cannot(reason);
    sync_directory(std::filesystem::absolute(path).parent_path());
}

}  // namespace

void create_unless_exists(const std::string& path, const std::function<void(Database&)>& fill,
                          const char* kind) {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0) {
        if (errno != ENOENT)
            fail(path, "cannot be opened", std::strerror(errno), "Check the path and its permissions.", kind);
        create(path, fill, kind);
    } else if (!S_ISREG(found.st_mode)) {
        fail(path, "not a regular file", {}, "Choose another name.", kind);
    } else if (found.st_size == 0) {
        fail(path, "damaged: it is empty", std::string("A ") + kind + " is never empty, not even a new one.",
             "If you created an empty file, delete it: ldp creates the file. Otherwise, restore it from a "
             "backup.",
             kind);
    }
}

}  // namespace ldp::sqlite
