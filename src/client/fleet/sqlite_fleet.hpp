// The stores of many people in one file, for a server that acts for their devices, such as a proxy.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "client/client.hpp"
#include "client/sqlite_store.hpp"

namespace ldp {

/// The stores of many people of one spec in one SQLite file. All properties of the file of a SqliteStore
/// hold: durability, locking, and the rules for moving and copying it. The file is as secret as the values of
/// all people together.
///
/// The people share one queue. A batch contains reports of many people. A flush by the fleet or by any client
/// sends the reports of all people. The functions pending() and refused() of any store refer to the whole
/// file. An outdated copy of the file is invalidated for all people.
///
/// A fleet, its stores and their clients may be used by one thread at a time. A store keeps the file open,
/// and may outlive its fleet.
class SqliteFleet {
  public:
    /// Opens the file, or creates it if it does not exist. A file with a single store can be opened as a
    /// fleet. Throws as SqliteStore does.
    explicit SqliteFleet(const std::string& path);

    /// Returns the store of one person. `person` is a unique name, which the application chooses. The store contains the state
    /// of the person, if the file has one. Nothing is written before the first change. Throws Error (invalid_value) if the name
    /// is empty, and Error (environment) if this person's store is open.
    [[nodiscard]] SqliteStore store(std::string_view person);

    /// Runs `work`, in which clients may be made and may report, and writes all changes of their stores in
    /// one durable step. If `work` throws or a store fails, no change is written. The queued reports can be
    /// sent only after the step; a flush within it throws Error (environment).
    ///
    /// After a failed step, the clients that were made or that reported in it must be made again: their
    /// stores throw Error (environment) in every call. Throws the exceptions of `work`, Error (environment)
    /// if the file cannot be written, and Error (unsupported) within another such step.
    void together(const std::function<void()>& work);

    /// Sends the reports of all people, as Client::flush does.
    Flushed flush(BatchTransport& transport, std::size_t most = 10000, const Flush::Progress& progress = {});

    /// Returns the number of reports of all people that are queued and not known to be counted.
    [[nodiscard]] std::uint64_t pending() const { return queue_.pending(); }
    /// Returns the number of people with a state in the file.
    [[nodiscard]] std::uint64_t people() const;
    /// Returns a store with the shared queue and its dead letters, and without the state of any person.
    [[nodiscard]] Store& queue() noexcept { return queue_; }

  private:
    std::shared_ptr<sqlite::Contents> contents_;
    SqliteStore queue_;
    BatchSize batch_size_;
};

}  // namespace ldp
