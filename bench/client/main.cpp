// Speed of a client that remembers: reports whose answers are kept, and reports with fresh ones, durable in
// batches of a hundred in a file in FOLDER. `bench-client FOLDER`; make bench starts it. By the clock most of
// the time is the disk's, which has to be waited for once a batch; by the processor's time it is what one
// core could do. Then the time to open a collection, from an open and from a canonical spec. Last, the bytes that a
// program writes for each report if it keeps a state in memory as snapshots, or as a snapshot and changes.

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>

#include "client/client.hpp"
#include "client/fleet/sqlite_fleet.hpp"
#include "client/memory_store.hpp"
#include "core/base/error.hpp"
#include "core/choice/resolve.hpp"

namespace {

using namespace ldp;

constexpr int batch = 100;
constexpr int people = 10000;

struct Speed {
    double by_clock, by_processor;  ///< reports a second
};

/// Of `batches` batches, the i-th report being of value(i).
Speed speed(Client& client, int batches, const std::function<double(int)>& value) {
    const auto began = std::chrono::steady_clock::now();
    const std::clock_t worked = std::clock();
    for (int i = 0; i < batches * batch; ++i) {
        client.stage({value(i)});
        if ((i + 1) % batch == 0) client.commit(i / batch);
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    const double reports = batches * batch;
    return {reports / took.count(), reports * CLOCKS_PER_SEC / static_cast<double>(std::clock() - worked)};
}

/// Of people in a fleet, each of whom gets a client, reports, and loses the client, all durable together.
Speed fleet_speed(SqliteFleet& fleet, const Collection& collection, int round) {
    const auto began = std::chrono::steady_clock::now();
    const std::clock_t worked = std::clock();
    fleet.together([&] {
        for (int i = 0; i < people; ++i)
            Client(collection, fleet.store(std::to_string(i))).report({3.6 * (i % 50)}, round);
    });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    return {people / took.count(),
            double{people} * CLOCKS_PER_SEC / static_cast<double>(std::clock() - worked)};
}

double milliseconds(const std::function<void()>& work) {
    const std::clock_t began = std::clock();
    int calls = 0;
    do {
        work();
        ++calls;
    } while (std::clock() - began < CLOCKS_PER_SEC / 4);
    return 1000.0 * static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC / calls;
}

void opening() {
    std::string numbers, mixed;
    for (int j = 0; j < 64; ++j)
        numbers +=
            (j == 0 ? "" : ", ") + ("{\"name\": \"a" + std::to_string(j) + "\", \"min\": 0, \"max\": 1}");
    for (int j = 0; j < 20; ++j)
        mixed += (j == 0 ? "{\"name\": \"a" : ", {\"name\": \"a") + std::to_string(j) +
                 (j % 2 == 0 ? "\", \"min\": 0, \"max\": " : "\", \"domain\": ") + std::to_string(j + 2) +
                 "}";
    const std::pair<const char*, std::string> specs[] = {
        {"haar, 64 numbers", R"({"mechanism": "haar", "epsilon": 1, "attributes": [)" + numbers + "]}"},
        {"haar, global details",
         R"({"mechanism": "haar", "epsilon": 1, "details": "global", "attributes": [)" + numbers + "]}"},
        {"auto, 20 parts", R"({"mechanism": "auto", "epsilon": 1, "attributes": [)" + mixed + "]}"},
        {"exponential, 256 values",
         R"({"mechanism": "exponential", "epsilon": 1, "max_distance": 2, "domain": 256})"}};
    std::printf("\nOpening a collection, ms of a processor\n%-32s %12s %14s\n", "", "as written",
                "canonical");
    for (const auto& [what, spec] : specs) {
        const std::string canonical = resolve(spec).to_json();
        const double open = milliseconds([&] { const Collection collection(resolve(spec)); });
        const double closed = milliseconds([&] { const Collection collection(Spec::from_json(canonical)); });
        std::printf("%-32s %12.2f %14.2f\n", what, open, closed);
    }
}

void persisting(const Collection& collection) {
    std::printf(
        "\nA state in memory that is written after each report, bytes written a report\n%-32s %12s %14s\n",
        "reports in the queue", "snapshots", "changes");
    for (const int reports : {100, 1000, 4000}) {
        auto owned = std::make_unique<MemoryStore>();
        MemoryStore& store = *owned;
        Client client(collection, std::move(owned));
        store.record_changes(store.snapshot());
        double snapshots = 0, changes = 0;
        for (int i = 0; i < reports; ++i) {
            client.report({3.6 * (i % 50)}, i);
            changes += static_cast<double>(store.changes().size());
            if (i % 100 == 0) snapshots += 100 * static_cast<double>(store.snapshot().size());
        }
        std::printf("%-32d %12.0f %14.0f\n", reports, snapshots / reports, changes / reports);
    }
}

void run(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / ("ldp-bench." + std::to_string(getpid()));
    const Collection minutes(resolve(R"({"mechanism": "pdp", "epsilon": 1, "budget": {"epsilon": 1000000},
        "attributes": [{"name": "minutes", "min": 0, "max": 360, "evolving": true}]})"));
    const Collection numbers(resolve(R"({"mechanism": "pdp", "epsilon": 1, "budget": {"epsilon": 1000000},
        "grid": 1000000, "evolving": {}, "attributes": [{"name": "number", "min": 0, "max": 1000000}]})"));
    const auto measure = [&](const char* what, const Collection& collection, int batches,
                             const std::function<double(int)>& value) {
        Client client(collection, SqliteStore(file.string()));
        for (int i = 0; i < batch; ++i) client.stage({value(i)});
        client.commit();
        const std::size_t before = client.ledger().size();
        const auto [clock, processor] = speed(client, batches, [&](int i) { return value(i + batch); });
        std::printf("%-32s %12.0f %14.0f %14zu\n", what, clock, processor, client.ledger().size() - before);
    };
    const auto remove = [&] {
        for (const char* suffix : {"", "-wal"}) std::filesystem::remove(file.string() + suffix);
    };
    try {
        std::printf("A client of one person, reports durable in batches of %d; reports a second\n", batch);
        std::printf("%-32s %12s %14s %14s\n", "", "by the clock", "of a processor", "answers drawn");
        measure("reports whose answers are kept", minutes, 10000, [](int i) { return 3.6 * (i % 50); });
        remove();
        measure("reports with fresh answers", numbers, 1000, [](int i) { return i; });
        remove();
        std::printf("\nA fleet of %d people, a client of each made, reporting, and gone, durable together\n",
                    people);
        SqliteFleet fleet(file.string());
        for (int round = 1; round <= 2; ++round) {
            const auto [clock, processor] = fleet_speed(fleet, minutes, round);
            std::printf("%-32s %12.0f %14.0f %14d\n",
                        round == 1 ? "people who are new" : "people who are known", clock, processor,
                        round == 1 ? people : 0);
        }
    } catch (...) {
        remove();
        throw;
    }
    remove();
    opening();
    persisting(minutes);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        run(argc > 1 ? argv[1] : ".");
    } catch (const ldp::Error& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
