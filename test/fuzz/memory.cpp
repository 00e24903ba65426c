// A person's memory in a store, damaged where no digest detects it. A client rejects it, or continues with
// reports that a server accepts.

#include "client/memory_store.hpp"
#include "client/reporter.hpp"
#include "core/base/error.hpp"
#include "core/base/sha256.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "examine.hpp"
#include "forge.hpp"

namespace ldp::fuzz {

namespace {

std::vector<Collection> examples() {
    const std::string two =
        R"("attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 1}])";
    const std::string moving = R"("attributes": [{"name": "a", "min": 0, "max": 9, "evolving": true}])";
    const std::string parts[] = {
        R"("mechanism": "pdp", "grid": 1000, )" + moving,
        R"("mechanism": "onebit", "report_epsilon": 1, )" + moving,
        R"("mechanism": "l_grr", "domain": 5)",
        R"("mechanism": "l_sue", "domain": 11)",
        R"("mechanism": "loloha", "domain": 20)",
        R"("mechanism": "dbitflip", "domain": 20, "bits_per_report": 4)",
        R"("mechanism": "rappor", "domain": 20, "filter_bits": 16, "cohorts": 3, "report_epsilon": 1)",
        R"("mechanism": "subset", "domain": 20)",
        R"("mechanism": "projective", "domain": 20)",
        R"("mechanism": "haar_ordered", "domain": 20)",
        R"("mechanism": "tree", "domain": 20)",
        R"("mechanism": "dithered", "domain": 20, "order": "circle", "report_epsilon": 1)",
        R"("mechanism": "dithered", "min": 0, "max": 9)",
        R"("mechanism": "haar", )" + two,
        R"("mechanism": "haar_ranges", )" + two,
        R"("mechanism": "duchi_vector", )" + two,
        R"("mechanism": "joint", "attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 7},
           {"name": "c", "domain": 20}])",
        R"("mechanism": "joint_haar", "attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 20}])",
        R"("mechanism": "strings", "strings": {"alphabet": "a-z", "max_length": 5})",
        R"("mechanism": "sampled", "per_report": 2, "attributes": [{"name": "a", "min": 0, "max": 1},
           {"name": "b", "domain": 20, "mechanism": "olh"},
           {"name": "c", "domain": 20, "mechanism": "oue", "weight": 2}])",
    };
    std::vector<Collection> all;
    for (const char* when : {"repeat", "stop"})
        for (const std::string& part : parts)
            all.emplace_back(
                resolve(R"({"epsilon": 2, "evolving": {}, "budget": {"epsilon": 8, "when_spent": ")" +
                        std::string(when) + "\"}, " + part + "}"));
    all.emplace_back(
        resolve(R"({"mechanism": "ddrm", "epsilon": 2, "domain": 5, "rounds": 8, "changes": 2})"));
    all.emplace_back(resolve(
        R"({"mechanism": "threshold_series", "epsilon": 2, "min": 0, "max": 5, "rounds": 8, "changes": 2})"));
    all.emplace_back(resolve(
        R"({"mechanism": "sampled", "epsilon": 2, "evolving": {}, "budget": {"epsilon": 4}, "attributes":
           [{"name": "plan", "domain": 5, "mechanism": "ddrm", "rounds": 8, "changes": 2},
            {"name": "wage", "min": 0, "max": 5, "mechanism": "pdp"},
            {"name": "weight", "min": 0, "max": 5, "mechanism": "threshold_series", "rounds": 8}]})"));
    return all;
}

std::vector<Value> record(const Collection& collection, Choices& choices) {
    std::vector<Value> values;
    static constexpr const char* words[] = {"", "a", "bc", "defgh", "too long"};
    for (const Attribute& attribute : collection.spec().attributes())
        if (attribute.strings)
            values.emplace_back(words[choices.up_to(4)]);
        else
            values.emplace_back(attribute.numeric()
                                    ? attribute.max * static_cast<double>(choices.up_to(11)) / 10
                                    : static_cast<double>(choices.up_to(attribute.domain)));
    return values;
}

/// A client's way through some rounds; every report is one that a server takes.
Memory live(const Collection& collection, Store& store, Choices& choices, std::int32_t from) {
    const auto reporter = make_reporter(collection, store, choices);
    const std::int32_t rounds = 1 + static_cast<std::int32_t>(choices.up_to(4));
    for (std::int32_t round = from; round < from + rounds; ++round)
        refused({ErrorCode::invalid_value}, [&] {
            const auto reported = reporter->report(record(collection, choices), round, choices);
            for (const Report& each : reported.reports)
                need(!refused({ErrorCode::malformed}, [&] { check_report(collection.mechanism(), each); }),
                     "a client makes a report that no server takes");
            store.append(reported.reports, round, {}, reporter->unsaved());
            reporter->commit(round);
        });
    return store.memory();
}

/// The same as bytes, damaged under a digest that fits: what is taken has an end, and can be sent.
void from_a_snapshot(const Collection& collection, MemoryStore& store, Choices& choices) {
    constexpr std::size_t digest_size = 32;
    if (choices.rarely(2)) static_cast<void>(store.next_batch(1 + choices.up_to(4)));
    std::vector<std::byte> bytes = store.snapshot();
    need(MemoryStore(bytes).snapshot() == bytes, "a snapshot does not become the store that it was taken of");
    std::vector<std::byte> content(bytes.begin() + digest_size, bytes.end());
    damage(content, choices);
    Sha256 hash;
    hash.add(content);
    const auto digest = hash.digest();
    content.insert(content.begin(), digest.begin(), digest.end());
    refused({ErrorCode::environment, ErrorCode::malformed, ErrorCode::incompatible}, [&] {
        MemoryStore damaged(content);
        damaged.bind(collection.contract());
        static_cast<void>(live(collection, damaged, choices, 9));
        std::uint64_t left = damaged.pending();
        while (const auto batch = damaged.next_batch(1 + choices.up_to(4))) {
            damaged.confirm(batch->id);
            need(damaged.pending() == left - batch->reports.size(), "a batch leaves with other reports");
            left = damaged.pending();
        }
        need(left == 0, "a queue is not empty at its end");
    });
}

}  // namespace

bool memory(Bytes bytes) {
    static const std::vector<Collection> collections = examples();
    Choices choices(bytes);
    const Collection& collection = collections[choices.up_to(collections.size())];
    // Of a new store each time, half of the time would go into its secret.
    static const std::vector<std::byte> fresh = MemoryStore().snapshot();
    MemoryStore store(fresh);
    Memory remembered = live(collection, store, choices, 1);
    if (choices.rarely(2)) damage(remembered.public_randomness, choices);
    if (choices.rarely(2)) damage(remembered.progress, choices);
    for (PermanentResponse& response : remembered.responses) {
        if (choices.rarely(2)) damage(response.permanent, choices);
        if (choices.rarely(4) && !response.key.empty())
            response.key[choices.up_to(response.key.size())] = choices.word();
        if (choices.rarely(16)) response.key.resize(choices.up_to(4));
        if (choices.rarely(16)) response.epsilon = choices.real();
    }
    if (choices.rarely(16)) remembered.responses.clear();
    MemoryStore implanted(fresh);
    implanted.append({}, 0, {}, {remembered.public_randomness, remembered.progress, remembered.responses});
    const bool taken = !refused({ErrorCode::environment},
                                [&] { static_cast<void>(live(collection, implanted, choices, 5)); });
    from_a_snapshot(collection, implanted, choices);
    return taken;
}

}  // namespace ldp::fuzz
