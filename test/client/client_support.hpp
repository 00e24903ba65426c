// What the client's tests share.
#pragma once

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "client/client.hpp"
#include "client/memory_store.hpp"
#include "client/sqlite_store.hpp"
#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/choice/resolve.hpp"

namespace ldp::test {

inline const char* const colours =
    R"({"mechanism": "grr", "epsilon": 2, "attributes": [{"name": "colour", "domain": ["red", "green", "blue"]}]})";
inline const char* const wages =
    R"({"mechanism": "pdp", "epsilon": 1, "attributes": [{"name": "wage", "min": -100, "max": 300}]})";
inline const char* const people =
    R"({"mechanism": "haar", "epsilon": 3, "attributes": [{"name": "wage", "min": 0, "max": 1000},
        {"name": "age", "min": 17, "max": 90}, {"name": "years", "min": 0, "max": 60}]})";
inline const char* const numbered =
    R"({"mechanism": "oue", "epsilon": 1, "attributes": [{"name": "page", "domain": 100}]})";

inline Collection collection(const char* json, Outside outside = Outside::clamp) {
    return Collection(resolve(json), outside);
}

/// A directory of its own for each test, gone afterwards.
struct Directory {
    Directory() {
        std::string name = (std::filesystem::temp_directory_path() / "ldp-client-test.XXXXXX").string();
        BOOST_REQUIRE(mkdtemp(name.data()) != nullptr);
        root = name;
    }
    ~Directory() { std::filesystem::remove_all(root); }
    [[nodiscard]] std::string file(const char* name) const { return (root / name).string(); }
    std::filesystem::path root;
};

/// Reports that differ only in their numbers.
inline Report report(int number) {
    return {std::byte{1}, static_cast<std::byte>(number >> 8), static_cast<std::byte>(number)};
}
inline std::vector<Report> reports(int from, int to) {
    std::vector<Report> made;
    for (int i = from; i < to; ++i) made.push_back(report(i));
    return made;
}

/// A fingerprint whose first bytes are this number.
inline Fingerprint fingerprint_from(std::uint64_t number) {
    Fingerprint fingerprint;
    store(fingerprint.digest.data(), number);
    return fingerprint;
}

/// A contract of a spec with this fingerprint, for stores alone.
inline Contract contract_of_spec(std::uint64_t number) {
    Contract contract;
    contract.fingerprint = fingerprint_from(number);
    return contract;
}

/// A flush that has the transport prepare the next batch while one is on its way.
inline Flushed flush_ahead(Flush flush, BatchTransport& transport) {
    for (BatchTransport::Delivery ready; const std::optional<Batch>& batch = flush.next();) {
        const BatchTransport::Delivery delivery = ready ? std::move(ready) : transport.prepare(*batch);
        ready = nullptr;
        if (const std::optional<Batch>& ahead = flush.ahead()) ready = transport.prepare(*ahead);
        try {
            flush.delivered(!delivery());
        } catch (const Undelivered& why) {
            if (!flush.undelivered(why)) throw;
            ready = nullptr;
        }
    }
    return flush.done();
}
inline Flushed flush_ahead(Client& client, BatchTransport& transport, std::size_t most) {
    return flush_ahead(Flush(client, most), transport);
}

/// A store that passes all calls to another one, for stores that change some of them.
template <class Wrapped>
class StoreAround : public Store {
  public:
    void bind(const Contract& contract) override { store_.bind(contract); }
    void append(std::span<const Report> reports, std::int32_t round, std::span<const Checkpoint> checkpoints,
                const StateDelta& delta, std::span<const ColumnRun> runs) override {
        store_.append(reports, round, checkpoints, delta, runs);
    }
    [[nodiscard]] std::string contract() const override { return store_.contract(); }
    [[nodiscard]] Memory memory() const override { return store_.memory(); }
    [[nodiscard]] std::optional<std::int64_t> checkpoint(std::string_view name) const override {
        return store_.checkpoint(name);
    }
    [[nodiscard]] std::uint64_t pending() const override { return store_.pending(); }
    [[nodiscard]] std::optional<Batch> next_batch(std::size_t most) override {
        return store_.next_batch(most);
    }
    [[nodiscard]] std::optional<Batch> batch_after(std::size_t most) override {
        return store_.batch_after(most);
    }
    void confirm(std::string_view id) override { store_.confirm(id); }
    void release(std::string_view id) override { store_.release(id); }
    void move_to_dead_letters(std::string_view id, std::string_view reason) override {
        store_.move_to_dead_letters(id, reason);
    }
    [[nodiscard]] std::vector<Refused> refused() const override { return store_.refused(); }
    std::uint64_t requeue_refused() override { return store_.requeue_refused(); }
    std::uint64_t drop_refused() override { return store_.drop_refused(); }
    [[nodiscard]] StoreIdentity identity() const override { return store_.identity(); }
    void set_queue_aside(std::string_view reason) override { store_.set_queue_aside(reason); }

  protected:
    explicit StoreAround(Wrapped store) : store_(std::move(store)) {}
    Wrapped store_;
};

/// A store in memory that goes through a snapshot and through its changes after each call.
class SnapshotStore final : public StoreAround<MemoryStore> {
  public:
    SnapshotStore() : StoreAround(MemoryStore()) { begin(); }
    void bind(const Contract& contract) override {
        pass([&] { store_.bind(contract); });
    }
    void append(std::span<const Report> reports, std::int32_t round, std::span<const Checkpoint> checkpoints,
                const StateDelta& delta, std::span<const ColumnRun> runs) override {
        pass([&] { store_.append(reports, round, checkpoints, delta, runs); });
    }
    [[nodiscard]] std::optional<Batch> next_batch(std::size_t most) override {
        std::optional<Batch> batch;
        pass([&] { batch = store_.next_batch(most); });
        return batch;
    }
    void confirm(std::string_view id) override {
        pass([&] { store_.confirm(id); });
    }
    void release(std::string_view id) override {
        pass([&] { store_.release(id); });
    }
    void move_to_dead_letters(std::string_view id, std::string_view reason) override {
        pass([&] { store_.move_to_dead_letters(id, reason); });
    }
    std::uint64_t requeue_refused() override {
        std::uint64_t queued = 0;
        pass([&] { queued = store_.requeue_refused(); });
        return queued;
    }
    std::uint64_t drop_refused() override {
        std::uint64_t dropped = 0;
        pass([&] { dropped = store_.drop_refused(); });
        return dropped;
    }
    void set_queue_aside(std::string_view reason) override {
        pass([&] { store_.set_queue_aside(reason); });
    }

  private:
    void begin() {
        snapshot_ = store_.snapshot();
        store_ = MemoryStore(Bytes(snapshot_));
        store_.record_changes(snapshot_);
        changes_.clear();
    }
    template <class Work>
    void pass(Work work) {
        work();
        if (std::vector<std::byte> made = store_.changes(); !made.empty())
            changes_.push_back(std::move(made));
        MemoryStore repeated{Bytes(snapshot_)};
        repeated.record_changes(snapshot_);
        for (const std::vector<std::byte>& each : changes_) repeated.apply(each);
        BOOST_REQUIRE((repeated.snapshot() == store_.snapshot()));
        constexpr std::size_t most = 5;
        if (changes_.size() >= most)
            begin();
        else
            store_ = std::move(repeated);
    }

    std::vector<std::byte> snapshot_;
    std::vector<std::vector<std::byte>> changes_;  ///< since the snapshot
};

/// What holds of one store holds of the others.
struct InMemory : Directory {
    MemoryStore store;
};
struct InFile : Directory {
    SqliteStore store{file("state")};
};
struct InSnapshots : Directory {
    SnapshotStore store;
};
using Stores = boost::mpl::list<InMemory, InFile, InSnapshots>;

/// Changes a state file behind its back.
inline void run_sql(const std::string& path, const std::string& sql) {
    sqlite3* database = nullptr;
    BOOST_REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
    BOOST_REQUIRE(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
}

/// Runs a program in a process of its own; its result is the exit code, or −1 after a signal.
inline int in_child(const std::function<int()>& work) {
    const pid_t child = fork();
    BOOST_REQUIRE(child >= 0);
    if (child == 0) {
        int result = 99;
        try {
            result = work();
        } catch (...) {
        }
        _exit(result);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// For BOOST_CHECK_EXCEPTION: whether an error has this code and this text in its message, detail or hint.
inline auto error_with(ErrorCode code, const std::string& text) {
    return [=](const Error& error) {
        const std::string all = std::string(error.what()) + " | " + error.detail() + " | " + error.hint();
        const bool matches = error.code() == code && all.find(text) != std::string::npos;
        if (!matches) BOOST_TEST_MESSAGE("not \"" + text + "\" but: " + all);
        return matches;
    };
}

}  // namespace ldp::test
