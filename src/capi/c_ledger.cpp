#include "capi/c_boundary.hpp"
#include "core/base/json.hpp"
#include "core/format/fingerprint.hpp"

using namespace ldp;
using namespace ldp::capi;

ldp_status ldp_ledger_in_memory(const uint8_t* state, size_t size, ldp_ledger** ledger, ldp_error** error) {
    return guarded(error, [&] {
        auto& made = place(ledger, "pointer for the ledger");
        if (size > 0) need(state, "state");
        auto memory =
            size == 0
                ? std::make_shared<MemoryLedger>()
                : std::make_shared<MemoryLedger>(Bytes(reinterpret_cast<const std::byte*>(state), size));
        const MemoryLedger* held = memory.get();
        made = new ldp_ledger{std::move(memory), held};
    });
}
void ldp_ledger_free(ldp_ledger* ledger) {
    delete ledger;
}

ldp_status ldp_ledger_state(const ldp_ledger* ledger, uint8_t** state, size_t* size, ldp_error** error) {
    return guarded(error, [&] {
        auto& bytes = place(state, "pointer for the state");
        auto& count = place(size, "pointer for the size");
        need(ledger, "ledger");
        if (ledger->memory == nullptr)
            raise(ErrorCode::unsupported, "the ledger is a file", {},
                  "Copy the file instead, while no client uses it.");
        const std::vector<std::byte> saved = ledger->memory->snapshot();
        bytes = handed_over<uint8_t>(saved.data(), saved.size());
        count = saved.size();
    });
}

ldp_status ldp_ledger_accounts(const ldp_ledger* ledger, char** json, ldp_error** error) {
    return guarded(error, [&] {
        auto& text = place(json, "pointer for the accounts");
        need(ledger, "ledger");
        Json all = Json::array();
        for (const LedgerEntry& entry : ledger->ledger->entries())
            all.push_back({{"group", entry.group},
                           {"epsilon", entry.limit},
                           {"person", entry.person},
                           {"fingerprint", fingerprint_text(entry.fingerprint)},
                           {"title", entry.title},
                           {"spent", entry.spent},
                           {"at_most", entry.reserved}});
        const std::string written = json_text(all);
        text = handed_over<char>(written.data(), written.size());
    });
}

ldp_status ldp_ledger_limit(ldp_ledger* ledger, const char* group, double epsilon, ldp_error** error) {
    return guarded(error, [&] {
        need(ledger, "ledger");
        const std::string name(group == nullptr ? std::string_view() : text_of(group, LDP_TO_END, "group"));
        if (group != nullptr && name.empty())
            raise(ErrorCode::invalid_value, "the name of the group is empty", {},
                  "Pass null for the limit of all collections.");
        ledger->ledger->set_limit(name, epsilon);
    });
}

ldp_status ldp_client_use_ledger(ldp_client* client, const ldp_ledger* ledger, ldp_error** error) {
    return guarded(error, [&] {
        need(client, "client");
        need(ledger, "ledger");
        client->client.set_ledger(ledger->ledger);
    });
}
