#include "client/fleet/sqlite_fleet.hpp"

#include "client/sqlite/contents.hpp"
#include "core/base/error.hpp"

namespace ldp {

SqliteFleet::SqliteFleet(const std::string& path)
    : contents_(SqliteStore::open(path)), queue_(SqliteStore(contents_, {})) {}

SqliteStore SqliteFleet::store(std::string_view person) {
    if (person.empty())
        raise(ErrorCode::invalid_value, "a person of a fleet needs a name", "Found an empty one.",
              "Any text will do that tells them from all others, and stays.");
    return SqliteStore(contents_, person);
}

void SqliteFleet::together(const std::function<void()>& work) {
    sqlite::Contents& contents = *contents_;
    if (contents.together != 0)
        raise(ErrorCode::unsupported, "a step of several stores is going on", "There is none within another.",
              "Let the inner one be a part of the outer.");
    sqlite::Step step(contents.file);
    contents.together = ++contents.begun;
    try {
        work();
        contents.outbox.settle(step);
        step.commit();
    } catch (...) {
        contents.outbox.forget();
        contents.undone.insert(contents.together);
        contents.together = 0;
        throw;
    }
    contents.together = 0;
}

Flushed SqliteFleet::flush(BatchTransport& transport, std::size_t most, const Flush::Progress& progress) {
    return Flush(queue_, batch_size_, most).run(transport, progress);
}

std::uint64_t SqliteFleet::people() const {
    return contents_->people.count();
}

}  // namespace ldp
