// The module's exports. An instance serves one collection and at most one client. So it needs no handles, and
// an instance with an error can be discarded.
//
// The host passes bytes through the buffer of `input` and reads results from the buffer of `output`. A
// function that returns a size has written this number of bytes. Results remain valid until the next call.
// Numbers are little-endian.

#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <optional>

#include "client/client.hpp"
#include "client/memory_store.hpp"
#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/base/sha256.hpp"
#include "core/delivery/delivery_receipt.hpp"
#include "core/delivery/next_step.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/summary/batch.hpp"
#include "wasm/host.hpp"

using namespace ldp;

namespace {

using wasm::give, wasm::in;
ContractTerms allowed;
std::string endpoint_name, collection_name;
std::vector<PublicColumn> offered_columns;
std::optional<Collection> collection;
std::optional<SystemRandom> bits;
std::vector<Value> record;
std::deque<std::string> labels;  // that the record views
std::vector<Cell> cells;
PublicValues columns;                   // of the next records
std::unique_ptr<MemoryStore> restored;  // until it has a client
bool restored_once = false;
MemoryStore* held = nullptr;  // the client's store
std::optional<Client> client;
MemoryStore* member_store = nullptr;  // of the person
std::optional<Client> member;         // a person of a fleet
std::optional<Flush> flushing;
std::shared_ptr<MemoryLedger> group_ledger;  // of the group that pays for the reports

/// The accounts of a fleet's person.
class MemberLedger final : public BudgetLedger {
  public:
    explicit MemberLedger(std::string_view person) : person_(person) {}
    [[nodiscard]] std::optional<double> reserve(const LedgerEntry& entry) override {
        LedgerEntry of_person = entry;
        of_person.person = person_;
        of_person.store =
            held->identity().store;  // that of the fleet, which was stored before the first report
        return group_ledger->reserve(of_person);
    }
    [[nodiscard]] std::vector<LedgerEntry> entries() const override { return group_ledger->entries(); }
    [[nodiscard]] LedgerLimits limits() const override { return group_ledger->limits(); }

  private:
    std::string person_;
};

std::string_view text(std::size_t from, std::size_t size) {
    return {reinterpret_cast<const char*>(in.data()) + from, size};
}

/// Origin, coefficients moved, attributes moved; what follows it.
void put(Writer& writer, Origin origin, const Clamped& clamped) {
    writer.put(static_cast<std::uint32_t>(origin));
    writer.put(static_cast<std::uint32_t>(clamped.coefficients));
    writer.put(static_cast<std::uint32_t>(clamped.attributes.size()));
    for (const std::size_t attribute : clamped.attributes) writer.put(static_cast<std::uint32_t>(attribute));
}
std::size_t give(const Receipt& receipt) {
    Writer writer;
    put(writer, receipt.origin, receipt.clamped);
    return give(std::move(writer.bytes()));
}

/// Returns the outcome of a draw of core/base/random.hpp. Draws are identified by numbers, and unused
/// arguments are 0. Sums are passed by address and count.
extern "C" [[clang::import_module("ldp"), clang::import_name("draw")]] std::uint64_t host_draw(
    int draw, std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d);

class HostBits final : public BitSource {
  public:
    std::uint64_t word() override { return host_draw(0, 0, 0, 0, 0); }
    std::uint64_t below(std::uint64_t bound) override { return host_draw(1, bound, 0, 0, 0); }
    std::uint64_t fair(unsigned count) override { return throws(1, 1, count); }
    bool chance(std::uint64_t heads, std::uint64_t total) override {
        return host_draw(2, heads, total, 0, 0) != 0;
    }
    bool lands(Uint128 heads, unsigned sides) override {
        return host_draw(3, static_cast<std::uint64_t>(heads >> 64), static_cast<std::uint64_t>(heads), sides,
                         0) != 0;
    }
    std::uint64_t throws(std::uint64_t heads, unsigned sides, unsigned count) override {
        return host_draw(4, heads, sides, count, 0);
    }
    std::uint64_t pick(const Weights& weights) override {
        return host_draw(5, weights.high, weights.highs, weights.low, weights.lows);
    }
    std::uint64_t pick(std::span<const std::uint64_t> sums) override {
        return host_draw(6, reinterpret_cast<std::uintptr_t>(sums.data()), sums.size(), 0, 0);
    }
};

std::size_t give(const Error& error) {
    return give(std::string(error.what()) + "\n" + error.detail() + "\n" + error.hint());
}

/// The destination in the input: the address of the endpoint, of this size, and the name of the collection.
Destination destination_in(std::size_t endpoint) {
    return {std::string(text(0, endpoint)), std::string(text(endpoint, in.size() - endpoint))};
}

void forget_record() {
    record.clear();
    labels.clear();
}

}  // namespace

/// The input is what the caller allows, in JSON (client/contract.hpp). Before `open`, if at all.
EXPORT(terms, void) {
    allowed = ContractTerms::from_json(text(0, in.size()));
}
/// The input is the address of the endpoint, the name of the collection, of these sizes, and the public columns in JSON, or
/// nothing if they are not known. Before `open`, if at all.
EXPORT(source, void, std::size_t endpoint, std::size_t name) {
    endpoint_name = text(0, endpoint);
    collection_name = text(endpoint, name);
    const std::string_view columns_json = text(endpoint + name, in.size() - endpoint - name);
    if (!columns_json.empty()) offered_columns = public_columns(columns_json);
}
/// The input is a spec. Gives its canonical form. Before anything else, once. Raises an error if the terms do not allow
/// the collection.
EXPORT(open, std::size_t, bool refuse_outside) {
    collection.emplace(
        Offer{Spec::from_json(text(0, in.size())), offered_columns, endpoint_name, collection_name}, allowed,
        refuse_outside ? Outside::refuse : Outside::clamp);
    bits.emplace();
    return give(collection->spec().to_json());
}
/// The spec's fingerprint, as people see it.
EXPORT(fingerprint, std::size_t) {
    return give(fingerprint_text(collection->spec().fingerprint()));
}

/// The contract that the collection offers, in JSON. A client has its own.
EXPORT(offered, std::size_t) {
    return give(collection->contract().to_json());
}
/// Lines for people about the contract that the collection offers.
EXPORT(summary, std::size_t) {
    return give(collection->contract().summary());
}

// A record, value by value.

EXPORT(number, void, double value) {
    record.emplace_back(value);
}
/// The next `size` bytes of the input from `from` on, in UTF-8.
EXPORT(label, void, std::size_t from, std::size_t size) {
    record.emplace_back(labels.emplace_back(text(from, size)));
}

/// A report of the record, drawn anew: what was moved, then the report.
EXPORT(perturb, std::size_t) {
    Perturbed perturbed = collection->perturb(record, *bits);
    bits->discard();
    forget_record();
    Writer writer;
    put(writer, Origin::drawn, perturbed.clamped);
    writer.put_bytes(perturbed.report);
    return give(std::move(writer.bytes()));
}

// What the vectors of the format and the proofs start from: a record on the randomizer's grids.

/// The number of cells of each code of an input. A series has a code for each round.
EXPORT(cells, std::size_t) {
    Writer writer;
    for (const std::uint64_t count : collection->mechanism().input_cells()) writer.put(count);
    return give(std::move(writer.bytes()));
}
EXPORT(cell, void, std::uint64_t cell) {
    cells.push_back(cell);
}
/// A report of the cells.
EXPORT(perturb_cells, std::size_t) {
    std::vector<std::byte> report = collection->mechanism().perturb(std::exchange(cells, {}), *bits);
    bits->discard();
    return give(std::move(report));
}

/// The same, with each draw taken from the host: a proof follows all outcomes of each, so that what it proves
/// is proven of these very bytes of code.
EXPORT(explore_cells, std::size_t) {
    HostBits draws;
    return give(collection->mechanism().perturb(std::exchange(cells, {}), draws));
}

// The ledger of a group. The caller must persist `snapshot_ledger` before `snapshot`.

/// Restores the ledger for all clients that are restored later. The input is a snapshot, or empty for a new one.
EXPORT(restore_ledger, void) {
    group_ledger = in.empty() ? std::make_shared<MemoryLedger>() : std::make_shared<MemoryLedger>(Bytes(in));
}
/// Sets a limit of the ledger: of the group in the input, or of all accounts together.
EXPORT(limit_ledger, void, double epsilon) {
    group_ledger->set_limit(std::string(text(0, in.size())), epsilon);
}
EXPORT(snapshot_ledger, std::size_t) {
    return give(group_ledger->snapshot());
}

// A client. The caller must persist `snapshot` after each change, before anything is sent, or append `changes`
// to the last snapshot. A snapshot that is not persisted makes the instance useless.

/// Restores the state of a client, which takes one record per round if `once` is true. The input is a snapshot, or
/// empty for a new client. `apply` and `begin` follow.
EXPORT(restore, void, bool once) {
    auto store = in.empty() ? std::make_unique<MemoryStore>() : std::make_unique<MemoryStore>(Bytes(in));
    if (!in.empty()) store->record_changes(in);
    restored = std::move(store);
    restored_once = once;
}
/// Repeats the next changes that were appended to the snapshot.
EXPORT(apply, void) {
    restored->apply(in);
}
/// Makes the client of the restored state, after all changes.
EXPORT(begin, void) {
    held = restored.get();
    client.emplace(*collection, std::move(restored));
    client->set_once_per_round(restored_once);
    client->set_ledger(group_ledger);
}
/// The complete state. `changes` are those since the last snapshot.
EXPORT(snapshot, std::size_t) {
    std::vector<std::byte> snapshot = held->snapshot();
    held->record_changes(snapshot);
    return give(std::move(snapshot));
}
/// The changes since the last snapshot or since the last call; empty without a change, and before the first
/// snapshot of a new client.
EXPORT(changes, std::size_t) {
    return give(held->changes());
}
/// Drops the public columns of the preceding records.
EXPORT(clear_columns, void) {
    columns = {};
}
/// Sets a public column of the next records. The input is its name, of this size, and its value.
EXPORT(column, void, std::size_t name) {
    columns.set(text(0, name), text(name, in.size() - name));
}
EXPORT(report, std::size_t, std::int32_t round) {
    const Receipt receipt = client->report(record, round, columns);
    forget_record();
    return give(receipt);
}
EXPORT(stage, std::size_t) {
    const Receipt receipt = client->stage(record, columns);
    forget_record();
    return give(receipt);
}
EXPORT(commit, void, std::int32_t round) {
    client->commit(round);
}

// A fleet: the client has the queue of all people, and each person has a client of their own.

/// Restores a person's client, which takes one record per round if `once` is true. The input is a snapshot,
/// or empty for a new person.
EXPORT(restore_member, void, bool once) {
    auto store = in.empty() ? std::make_unique<MemoryStore>() : std::make_unique<MemoryStore>(Bytes(in));
    store->bind(client->contract());
    member_store = store.get();
    member.emplace(*collection, std::move(store));
    member->set_once_per_round(once);
}
/// The state of the person, without the contract, which is that of the fleet.
EXPORT(snapshot_member, std::size_t) {
    member_store->drop_contract();
    return give(member_store->snapshot());
}
/// Sets the person's name, which is the input, for the accounts in the ledger.
EXPORT(name_member, void) {
    if (group_ledger) member->set_ledger(std::make_shared<MemberLedger>(text(0, in.size())));
}
/// Reports a record of the person. Its reports are queued by the fleet's client.
EXPORT(report_member, std::size_t, std::int32_t round) {
    const Receipt receipt = member->report(record, round, columns);
    forget_record();
    constexpr auto all = std::numeric_limits<std::size_t>::max();
    while (const std::optional<Batch> batch = member_store->next_batch(all)) {
        const ColumnRun run{batch->reports.size(), batch->columns};
        held->append(batch->reports, batch->round, {}, {}, std::span(&run, 1));
        member_store->confirm(batch->id);
    }
    return give(receipt);
}

/// The contract of the client in JSON, with "changes" and "waiting" (Client::contract_json).
EXPORT(contract, std::size_t) {
    return give(client->contract_json());
}
/// Accepts the offered contract. The input is its digest.
EXPORT(accept, void) {
    client->accept(text(0, in.size()));
}
/// Lines for people about the contract of the client.
EXPORT(agreed_summary, std::size_t) {
    return give(client->contract().summary());
}
/// The contract of a restored state in JSON, before `begin`; empty if it has none. It needs no collection.
EXPORT(agreed, std::size_t) {
    return give(restored->contract());
}
/// Compares the destination of the next flush with the contract. The input is the address of the endpoint, of this size, and
/// the name of the collection. Another destination waits for `accept`.
EXPORT(destination, void, std::size_t endpoint) {
    client->compare_destination(destination_in(endpoint));
}

EXPORT(pending, double) {
    return static_cast<double>(client->pending());
}
/// Writes the number of permanent responses, ε of each, the sum of ε, and ε of all except with probability δ.
EXPORT(spent, std::size_t, double delta) {
    const Spent spent = client->spent(delta);
    Writer writer;
    for (const double figure :
         {static_cast<double>(spent.responses), spent.epsilon, spent.sum, spent.advanced})
        writer.put(figure);
    return give(std::move(writer.bytes()));
}
/// What was set aside: of each its round, the size of the reason, the reason.
EXPORT(refused, std::size_t) {
    Writer writer;
    for (const Refused& refused : client->store().refused()) {
        writer.put(refused.round);
        writer.put(static_cast<std::uint32_t>(refused.reason.size()));
        writer.put_bytes(std::as_bytes(std::span(refused.reason)));
    }
    return give(std::move(writer.bytes()));
}
EXPORT(requeue_refused, double) {
    return static_cast<double>(held->requeue_refused());
}
EXPORT(drop_refused, double) {
    return static_cast<double>(held->drop_refused());
}

// A flush, in steps.

/// The input is the destination, as of `destination`. Raises an error if it waits for an acceptance.
EXPORT(flush, void, std::size_t most, std::size_t endpoint) {
    flushing.emplace(*client, std::min<std::size_t>(most, batch_frame(collection->mechanism()).most()),
                     destination_in(endpoint));
}
/// The next batch: its id (36 bytes), its round, the number of reports, the size of its public columns, and the
/// body of the request. The body is the public columns with a line feed, if the batch has any, and the frame.
/// Nothing at the end.
EXPORT(next, std::size_t) {
    const std::optional<Batch>& batch = flushing->next();
    if (!batch) return give(std::vector<std::byte>{});
    Writer writer;
    writer.put_bytes(std::as_bytes(std::span(batch->id)));
    writer.put(batch->round);
    writer.put(static_cast<std::uint32_t>(batch->reports.size()));
    const std::string side = batch->columns.empty() ? std::string() : batch->columns.json() + "\n";
    writer.put(static_cast<std::uint32_t>(side.size()));
    writer.put_bytes(std::as_bytes(std::span(side)));
    const Mechanism& mechanism = collection->mechanism();
    writer.put_bytes(short_form_of(pack(mechanism, batch->reports).front(), mechanism.block().size()));
    return give(std::move(writer.bytes()));
}
/// The input is the history of the server, or empty.
EXPORT(delivered, void, bool earlier) {
    flushing->delivered(earlier, text(0, in.size()));
}
/// Message, detail and hint of the error of a server that was set back, with line feeds between them; empty if it was not.
EXPORT(set_back, std::size_t) {
    return flushing->done().set_back ? give(server_set_back()) : give(std::vector<std::byte>{});
}
/// Sets the queue aside, because the id of its batch was counted with other reports. Gives the message, the detail and
/// the hint of the error that ends the flush, with line feeds between them.
EXPORT(set_queue_aside, std::size_t) {
    const std::uint64_t reports = held->pending();
    held->set_queue_aside(Store::outdated_copy);
    return give(queue_set_aside(reports, Store::outdated_copy));
}
/// Records that the current batch was not counted. The input is the error's message, of this number of bytes,
/// and its detail. Returns whether the flush continues. For an outdated batch the caller uses
/// `set_queue_aside` instead, because an exception would discard the state.
EXPORT(undelivered, bool, int outcome, std::size_t message) {
    const Error why(ErrorCode::environment, std::string(text(0, message)),
                    std::string(text(message, in.size() - message)));
    return flushing->undelivered(Undelivered(static_cast<BatchOutcome>(outcome), why));
}

// The rule of delivery (core/delivery), which needs no collection.

/// The input is a method, a collection's name, a batch's id and the content, of these sizes but the last.
/// Gives the receipt of a response with this status.
EXPORT(receipt, std::size_t, unsigned status, std::int32_t round, std::size_t method, std::size_t name,
       std::size_t id) {
    const std::size_t head = method + name + id;
    return give(delivery_receipt(text(0, method), status, text(method, name), text(method + name, id), round,
                                 sha256(Bytes(in).subspan(head))));
}
/// The next step after a response: eight times the action, and the outcome.
EXPORT(http_step, unsigned, unsigned request, unsigned so_far, unsigned status, bool receipt) {
    const auto asked = static_cast<DeliveryRequest>(request);
    const auto [action, outcome] =
        next_step(asked, static_cast<BatchOutcome>(so_far), http_reply(asked, status, receipt));
    return 8 * static_cast<unsigned>(action) + static_cast<unsigned>(outcome);
}
/// The same of a GET of a spec: the action.
EXPORT(spec_step, unsigned, unsigned status, bool receipt) {
    const DeliveryReply reply = http_reply(status, receipt);
    const auto otherwise = reply.passing ? DeliveryAction::repeat : DeliveryAction::stop;
    return static_cast<unsigned>(reply.outcome == BatchOutcome::delivered ? DeliveryAction::settle
                                                                          : otherwise);
}
/// A message and a hint, with a line feed between them, of a response that the endpoint did not give; nothing
/// of any other.
EXPORT(foreign, std::size_t, unsigned status, bool receipt) {
    const std::string_view message = foreign_response(status, receipt);
    if (message.empty()) return give(std::vector<std::byte>{});
    return give(std::string(message) + "\n" + std::string(foreign_hint()));
}
