#include <algorithm>

#include "capi/c_boundary.hpp"
#include "client/memory_store.hpp"
#include "core/contract/products.hpp"

using namespace ldp;
using namespace ldp::capi;

static_assert(LDP_DRAWN == static_cast<int>(Origin::drawn) &&
              LDP_MEMOIZED == static_cast<int>(Origin::memoized) &&
              LDP_NEAREST == static_cast<int>(Origin::nearest) &&
              LDP_SILENT == static_cast<int>(Origin::silent) &&
              LDP_IGNORED == static_cast<int>(Origin::ignored));

ldp_client::ldp_client(const Collection& collection, std::unique_ptr<Store> own)
    : store(own.get()),
      client(collection, std::move(own)),
      values(given(collection.spec().attributes()).size()) {}

ldp_status ldp_client_in_memory(const ldp_collection* collection, const uint8_t* state, size_t size,
                                ldp_client** client, ldp_error** error) {
    return guarded(error, [&] {
        auto& made = place(client, "pointer for the client");
        need(collection, "collection");
        if (size > 0) need(state, "state");
        auto store = std::make_unique<MemoryStore>(
            size == 0 ? MemoryStore() : MemoryStore(Bytes(reinterpret_cast<const std::byte*>(state), size)));
        made = new ldp_client(collection->collection, std::move(store));
    });
}
ldp_status ldp_client_contract(const ldp_client* client, char** json, ldp_error** error) {
    return guarded(error, [&] {
        auto& text = place(json, "pointer for the contract");
        need(client, "client");
        const std::string contract = client->client.contract_json();
        text = handed_over<char>(contract.data(), contract.size());
    });
}
ldp_status ldp_client_accept(ldp_client* client, const char* digest, ldp_error** error) {
    return guarded(error, [&] {
        need(client, "client");
        client->client.accept(text_of(digest, LDP_TO_END, "digest"));
    });
}
void ldp_client_free(ldp_client* client) {
    delete client;
}

ldp_status ldp_client_once_per_round(ldp_client* client, int once, ldp_error** error) {
    return guarded(error, [&] {
        need(client, "client");
        client->client.set_once_per_round(once != 0);
    });
}

ldp_status ldp_client_state(const ldp_client* client, uint8_t** state, size_t* size, ldp_error** error) {
    return guarded(error, [&] {
        auto& bytes = place(state, "pointer for the state");
        auto& count = place(size, "pointer for the size");
        need(client, "client");
        const auto* store = dynamic_cast<const MemoryStore*>(client->store);
        if (store == nullptr)
            raise(ErrorCode::unsupported, "the client keeps its state in a file", {},
                  "Move or copy the file instead, while no client has it open.");
        const std::vector<std::byte> saved = store->snapshot();
        bytes = handed_over<uint8_t>(saved.data(), saved.size());
        count = saved.size();
    });
}

PublicValues ldp::capi::read_columns(const ldp_column* columns, std::size_t count) {
    PublicValues values;
    if (count > 0) need(columns, "array of public columns");
    for (std::size_t i = 0; i < std::min(count, PublicValues::most + 1); ++i)
        values.set(text_of(columns[i].name, LDP_TO_END, "name of a public column"),
                   text_of(columns[i].text, columns[i].length, "value of a public column"));
    return values;
}

ldp_status ldp_client_report(ldp_client* client, const ldp_value* values, size_t count, int32_t round,
                             ldp_receipt* receipt, ldp_error** error) {
    return ldp_client_report_columns(client, values, count, nullptr, 0, round, receipt, error);
}

ldp_status ldp_client_report_columns(ldp_client* client, const ldp_value* values, size_t count,
                                     const ldp_column* columns, size_t column_count, int32_t round,
                                     ldp_receipt* receipt, ldp_error** error) {
    return guarded(error, [&] {
        if (receipt != nullptr) *receipt = ldp_receipt{};
        need(client, "client");
        if (count > 0) need(values, "array of values");
        // What is too many is not even read.
        std::vector<Value> record;
        read_values(values, std::min(count, client->values), record);
        if (count > client->values) record.resize(client->values + 1, Value(0));
        const auto [clamped, origin] =
            client->client.report(record, round, read_columns(columns, column_count));
        if (receipt != nullptr)
            *receipt = {static_cast<ldp_origin>(origin), static_cast<uint32_t>(clamped.attributes.size()),
                        clamped.coefficients};
    });
}

ldp_status ldp_client_stage(ldp_client* client, const ldp_value* values, size_t count, size_t* done,
                            ldp_error** error) {
    return ldp_client_stage_columns(client, values, count, nullptr, 0, done, error);
}

ldp_status ldp_client_stage_columns(ldp_client* client, const ldp_value* values, size_t count,
                                    const ldp_column* columns, size_t column_count, size_t* done,
                                    ldp_error** error) {
    size_t uncounted = 0;
    size_t& staged = done == nullptr ? uncounted : *done;
    staged = 0;
    return guarded(error, [&] {
        need(client, "client");
        const PublicValues filled = read_columns(columns, column_count);
        for_each_record(values, count, client->values, staged,
                        [&](std::span<const Value> record) { client->client.stage(record, filled); });
    });
}
ldp_status ldp_client_commit(ldp_client* client, int32_t round, ldp_error** error) {
    return guarded(error, [&] {
        need(client, "client");
        client->client.commit(round);
    });
}
ldp_status ldp_client_discard(ldp_client* client, ldp_error** error) {
    return guarded(error, [&] {
        need(client, "client");
        client->client.discard();
    });
}

uint64_t ldp_client_pending(const ldp_client* client) {
    return client == nullptr ? 0 : client->client.pending();
}
uint64_t ldp_client_staged(const ldp_client* client) {
    return client == nullptr ? 0 : client->client.staged();
}
uint64_t ldp_client_clamped(const ldp_client* client, size_t i) {
    if (client == nullptr) return 0;
    const auto& clamped = client->client.clamped().attributes;
    return i < clamped.size() ? clamped[i] : 0;
}
uint64_t ldp_client_clamped_coefficients(const ldp_client* client) {
    return client == nullptr ? 0 : client->client.clamped().coefficients;
}

ldp_status ldp_client_ledger(const ldp_client* client, ldp_response* responses, size_t capacity,
                             size_t* count, ldp_error** error) {
    return guarded(error, [&] {
        auto& size = place(count, "pointer for the count");
        need(client, "client");
        if (capacity > 0) need(responses, "pointer for the responses");
        const auto ledger = client->client.ledger();
        for (std::size_t i = 0; i < std::min(capacity, ledger.size()); ++i)
            responses[i] = {ledger[i].epsilon, ledger[i].round};
        size = ledger.size();
    });
}
ldp_status ldp_client_spent(const ldp_client* client, double delta, ldp_spending* spending,
                            ldp_error** error) {
    return guarded(error, [&] {
        auto& all = place(spending, "pointer for the spending");
        need(client, "client");
        const Spent spent = client->client.spent(delta);
        const auto most = client->store->checkpoint("budget.responses").value_or(0);
        all = {spent.responses, static_cast<uint64_t>(most), spent.epsilon, spent.sum, spent.advanced};
    });
}

ldp_status ldp_client_refused(const ldp_client* client, size_t* count, ldp_error** error) {
    return guarded(error, [&] {
        auto& size = place(count, "pointer for the count");
        need(client, "client");
        size = client->store->refused().size();
    });
}
ldp_status ldp_client_refusal(const ldp_client* client, size_t i, char** reason, ldp_error** error) {
    return guarded(error, [&] {
        auto& text = place(reason, "pointer for the reason");
        need(client, "client");
        const std::vector<Refused> refused = client->store->refused();
        if (i >= refused.size())
            raise(ErrorCode::invalid_value, "there is no dead letter with this number",
                  "Found " + std::to_string(i) + "; there are " + std::to_string(refused.size()) +
                      ", counted from 0.");
        text = handed_over<char>(refused[i].reason.data(), refused[i].reason.size());
    });
}
ldp_status ldp_client_requeue_refused(ldp_client* client, uint64_t* count, ldp_error** error) {
    return guarded(error, [&] {
        if (count != nullptr) *count = 0;
        need(client, "client");
        const std::uint64_t queued = client->store->requeue_refused();
        if (count != nullptr) *count = queued;
    });
}
ldp_status ldp_client_drop_refused(ldp_client* client, uint64_t* count, ldp_error** error) {
    return guarded(error, [&] {
        if (count != nullptr) *count = 0;
        need(client, "client");
        const std::uint64_t dropped = client->store->drop_refused();
        if (count != nullptr) *count = dropped;
    });
}
