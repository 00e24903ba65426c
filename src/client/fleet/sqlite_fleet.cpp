#include "client/fleet/sqlite_fleet.hpp"

#include "client/sqlite/contents.hpp"
#include "core/base/error.hpp"

namespace ldp {

SqliteFleet::SqliteFleet(const std::string& path)
    : contents_(SqliteStore::open(path)), queue_(SqliteStore(contents_, {})) {}

SqliteStore SqliteFleet::store(std::string_view person) {
    if (person.empty())
        raise(ErrorCode::invalid_value, "the name of a person must not be empty", {},
              "Use a text that is unique to the person and does not change.");
    return SqliteStore(contents_, person);
}

void SqliteFleet::together(const std::function<void()>& work) {
    sqlite::Contents& contents = *contents_;
    if (contents.together != 0)
        raise(ErrorCode::unsupported, "a joint step of several stores is in progress",
              "Joint steps must not be nested.", "Make the changes in the outer step.");
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
