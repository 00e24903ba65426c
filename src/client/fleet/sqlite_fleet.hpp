// Many people's stores in one file, for a server that stands in for their devices: a proxy, a simulation.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "client/client.hpp"
#include "client/sqlite_store.hpp"

namespace ldp {

/// Stores of many people in one SQLite file, all of one spec. What is remembered of each is as safe as in a
/// file of their own, and the file is opened, locked, moved and damaged as one: all that SqliteStore says of
/// its file holds of it. It is as secret as the values of all of them together.
///
/// The queue is one. So a batch has reports of many people, and a flush, by the fleet or by any of its
/// clients, sends everybody's; pending() and refused() of any of its stores tell of them all, and a copy of
/// the file that goes its own way is retired for all.
///
/// A fleet, its stores and their clients belong to one thread at a time. A store keeps the file open, and may
/// outlive its fleet.
class SqliteFleet {
  public:
    /// Opens the file, or creates it if there is none; a file that had one store goes on as a fleet. Throws
    /// as SqliteStore does.
    explicit SqliteFleet(const std::string& path);

    /// The store of one person, under a name of the program's choice that tells them from all others. It goes
    /// on with what is remembered of them, and writes nothing before there is something. Throws Error
    /// (invalid_value) if the name is empty, and Error (environment) if this person's store is open.
    [[nodiscard]] SqliteStore store(std::string_view person);

    /// Runs `work`, in which clients may be made and may report, and does all that their stores are told in
    /// it in one durable step, at the price of one: whole, or not at all if it throws, or if any store fails.
    /// Reports that it queues cannot leave before its end; to ask for a batch is an Error (environment).
    ///
    /// If nothing was done, the clients that were made or reported in it are ahead of the file: their stores
    /// fail from then on with Error (environment), and are to be made anew. Throws what `work` throws, Error
    /// (environment) if the file cannot be written, and Error (unsupported) within another such step.
    void together(const std::function<void()>& work);

    /// Sends everybody's reports, as Client::flush does.
    Flushed flush(BatchTransport& transport, std::size_t most = 10000, const Flush::Progress& progress = {});

    /// Reports queued and not known to be counted, of everybody.
    [[nodiscard]] std::uint64_t pending() const { return queue_.pending(); }
    /// People of whom something is remembered.
    [[nodiscard]] std::uint64_t people() const;
    /// The queue of all, and nobody's memory: what was refused, and what becomes of it.
    [[nodiscard]] Store& queue() noexcept { return queue_; }

  private:
    std::shared_ptr<sqlite::Contents> contents_;
    SqliteStore queue_;
    BatchSize batch_size_;
};

}  // namespace ldp
