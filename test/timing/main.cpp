// Makes reports whose instructions callgrind counts, each between CALLGRIND_ZERO_STATS and CALLGRIND_DUMP_STATS_AT. Under
// each sequence of random words, all reports are made twice, and counted the second time. In the first turn, the allocator
// reaches a steady state, the dynamic linker finds functions, and tables are made that are made at their first use.
//
// Prints a line for each dump, in the same order: the case, what was counted (the randomizer or the report of a client) and
// the record. Then come the number of the sequence, the random words drawn, the reports made and the bytes stored.
// test/timing/run starts the program, and compares the counts with the manual.

#include <cstdio>
#include <random>

#include "cases.hpp"
#include "client/client.hpp"
#include "client/memory_store.hpp"
#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "words.hpp"
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(name)
#endif

namespace ldp::test {

namespace {

/// Sequences of random words under which each record is reported.
constexpr std::uint64_t sequences = 3;

/// What was counted, for the line.
struct Counted {
    const char* part;
    const std::string& record;
    std::uint64_t sequence;
    std::uint64_t words = 0, reports = 0, bytes = 0;
};

void print(const std::string& name, const Counted& counted) {
    std::printf(
        "%s\t%s\t%s\t%llu\t%llu\t%llu\t%llu\n", name.c_str(), counted.part, counted.record.c_str(),
        static_cast<unsigned long long>(counted.sequence), static_cast<unsigned long long>(counted.words),
        static_cast<unsigned long long>(counted.reports), static_cast<unsigned long long>(counted.bytes));
}

/// The two turns of reports.
enum class Turn { uncounted, counted };
constexpr Turn turns[] = {Turn::uncounted, Turn::counted};

/// Does the work under a sequence of words, and returns the number of words. Counts the instructions in the second turn.
template <class Work>
std::uint64_t count(Turn turn, std::uint64_t sequence, Work work) {
    scripted_words().restart(sequence);
    CALLGRIND_ZERO_STATS;
    work();
    if (turn == Turn::counted) {
        CALLGRIND_DUMP_STATS_AT("report");
    }
    return scripted_words().drawn;
}

/// Returns inputs at the lowest, the middle, the highest and at random codes of every attribute.
std::vector<std::pair<std::string, std::vector<Cell>>> inputs_of(const Mechanism& mechanism) {
    std::mt19937_64 words(2026);
    std::vector<std::pair<std::string, std::vector<Cell>>> all{{"lowest", {}},   {"middle", {}},
                                                               {"highest", {}},  {"random 1", {}},
                                                               {"random 2", {}}, {"random 3", {}}};
    for (const std::uint64_t cells : mechanism.input_cells()) {
        const Cell codes[] = {0, cells / 2, cells - 1, words() % cells, words() % cells, words() % cells};
        for (std::size_t i = 0; i < all.size(); ++i) all[i].second.push_back(codes[i]);
    }
    return all;
}

/// Counts the randomizer alone.
void count_randomizer(const TimedCase& one) {
    const auto mechanism = make_mechanism(resolve(one.spec));
    const auto inputs = inputs_of(*mechanism);
    SystemRandom bits;
    std::size_t size = 0;
    const auto perturb = [&](const std::vector<Cell>& input) {
        size = mechanism->perturb(input, bits).size();
    };
    for (std::uint64_t sequence = 1; sequence <= sequences; ++sequence)
        for (const Turn turn : turns)
            for (const auto& [name, input] : inputs) {
                const std::uint64_t words = count(turn, sequence, [&] { perturb(input); });
                if (turn == Turn::counted) print(one.name, {"randomizer", name, sequence, words, 1, size});
            }
}

std::vector<Value> values_of(const OwnedRecord& record) {
    std::vector<Value> values;
    for (const auto& value : record) std::visit([&](const auto& each) { values.emplace_back(each); }, value);
    return values;
}

/// A client with its store.
struct TimedClient {
    /// Reports the records. The random words are the same for all clients.
    TimedClient(const Collection& collection, const std::vector<OwnedRecord>& before)
        : store((scripted_words().restart(0), new MemoryStore)),
          client(collection, std::unique_ptr<Store>(store)) {
        for (const OwnedRecord& record : before) report(record);
    }

    void report(const OwnedRecord& record) {
        const std::vector<Value> values = values_of(record);
        static_cast<void>(client.report(values, ++round));
    }

    MemoryStore* store;  ///< of `client`
    Client client;
    std::int32_t round = 0;
};

/// Counts a report of a new client, from the record to the queue.
void count_report(const TimedCase& one, const Collection& collection, const TimedRecord& record,
                  std::uint64_t sequence, Turn turn) {
    TimedClient person(collection, record.before);
    const std::vector<Value> values = values_of(record.record);
    const std::uint64_t pending = person.client.pending();
    const std::size_t stored = person.store->snapshot().size();
    Counted counted{"report", record.name, sequence};
    counted.words =
        count(turn, sequence, [&] { static_cast<void>(person.client.report(values, person.round + 1)); });
    counted.reports = person.client.pending() - pending;
    counted.bytes = person.store->snapshot().size() - stored;
    if (turn == Turn::counted) print(one.name, counted);
}

void count_reports(const TimedCase& one) {
    const Collection collection(resolve(one.spec));
    for (std::uint64_t sequence = 1; sequence <= sequences; ++sequence)
        for (const Turn turn : turns)
            for (const TimedRecord& record : one.records)
                count_report(one, collection, record, sequence, turn);
}

/// Returns whether a rejected record has drawn, queued and stored nothing.
bool leaves_nothing(const Collection& collection, const TimedRecord& record) {
    TimedClient person(collection, record.before);
    const std::vector<std::byte> snapshot = person.store->snapshot();
    scripted_words().restart(1);
    try {
        person.report(record.record);
    } catch (const Error& error) {
        return error.code() == ErrorCode::invalid_value && scripted_words().drawn == 0 &&
               person.store->snapshot() == snapshot;
    }
    return false;
}

int run() {
    int failures = 0;
    for (const TimedCase& one : refused_cases()) {
        const Collection collection(resolve(one.spec));
        for (const TimedRecord& record : one.records)
            if (!leaves_nothing(collection, record)) {
                std::fprintf(stderr, "%s: a rejected record left a trace\n", one.name.c_str());
                ++failures;
            }
    }
    CALLGRIND_START_INSTRUMENTATION;
    for (const TimedCase& one : mechanism_cases()) {
        count_randomizer(one);
        count_reports(one);
    }
    for (const TimedCase& one : input_cases()) count_reports(one);
    return failures;
}

}  // namespace

}  // namespace ldp::test

int main() {
    try {
        return ldp::test::run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
