// A separate source, like file.cpp, because builds without files have no fleet.
#include <unordered_map>

#include "capi/c_boundary.hpp"
#include "client/fleet/sqlite_fleet.hpp"
#include "core/contract/products.hpp"

using namespace ldp;
using namespace ldp::capi;

struct ldp_fleet {
    ldp_fleet(const Collection& of, const std::string& path)
        : collection(of),
          fleet(path),
          agreement(fleet.queue(), of),
          values(given(of.spec().attributes()).size()) {}
    Collection collection;
    SqliteFleet fleet;
    StoreAgreement agreement;
    std::size_t values;  ///< of a record
    BatchSize batch_size = {};
    bool once_per_round = false;
    std::shared_ptr<BudgetLedger> ledger = nullptr;
};

ldp_status ldp_fleet_in_file(const ldp_collection* collection, const char* path, ldp_fleet** fleet,
                             ldp_error** error) {
    return guarded(error, [&] {
        auto& made = place(fleet, "pointer for the fleet");
        need(collection, "collection");
        made = new ldp_fleet(collection->collection, std::string(text_of(path, LDP_TO_END, "path")));
    });
}
void ldp_fleet_free(ldp_fleet* fleet) {
    delete fleet;
}

ldp_status ldp_fleet_once_per_round(ldp_fleet* fleet, int once, ldp_error** error) {
    return guarded(error, [&] {
        need(fleet, "fleet");
        fleet->once_per_round = once != 0;
    });
}

ldp_status ldp_fleet_contract(ldp_fleet* fleet, char** json, ldp_error** error) {
    return guarded(error, [&] {
        auto& text = place(json, "pointer for the contract");
        need(fleet, "fleet");
        const std::string contract =
            fleet->agreement.to_json(Contract::from_json(fleet->fleet.queue().contract()));
        text = handed_over<char>(contract.data(), contract.size());
    });
}

ldp_status ldp_fleet_accept(ldp_fleet* fleet, const char* digest, ldp_error** error) {
    return guarded(error, [&] {
        need(fleet, "fleet");
        fleet->agreement.accept(fleet->fleet.queue(), text_of(digest, LDP_TO_END, "digest"));
    });
}

ldp_status ldp_fleet_use_ledger(ldp_fleet* fleet, const ldp_ledger* ledger, ldp_error** error) {
    return guarded(error, [&] {
        need(fleet, "fleet");
        need(ledger, "ledger");
        fleet->ledger = ledger->ledger;
    });
}

ldp_status ldp_fleet_report(ldp_fleet* fleet, const ldp_entry* entries, size_t entry_count,
                            const ldp_value* values, size_t count, size_t* done, ldp_error** error) {
    size_t uncounted = 0;
    size_t& taken = done == nullptr ? uncounted : *done;
    taken = 0;
    return guarded(error, [&] {
        need(fleet, "fleet");
        if (entry_count > 0) need(entries, "array of entries");
        if (count / fleet->values != entry_count)
            raise(ErrorCode::invalid_value, "the number of records differs from the number of entries",
                  "Found " + std::to_string(entry_count) + " entries and " + std::to_string(count) +
                      " values; a record has " + std::to_string(fleet->values) + ".");
        fleet->agreement.require();
        fleet->fleet.together([&] {
            std::unordered_map<std::string, Client> clients;  // a person may have several entries
            for_each_record(values, count, fleet->values, taken, [&](std::span<const Value> record) {
                const ldp_entry& entry = entries[taken];
                const std::string person(text_of(entry.person, LDP_TO_END, "name of a person"));
                auto client = clients.find(person);
                if (client == clients.end()) {
                    client =
                        clients.emplace(person, Client(fleet->collection, fleet->fleet.store(person))).first;
                    client->second.set_once_per_round(fleet->once_per_round);
                    client->second.set_ledger(fleet->ledger);
                }
                client->second.report(record, entry.round, read_columns(entry.columns, entry.column_count));
            });
        });
    });
}

uint64_t ldp_fleet_pending(const ldp_fleet* fleet) {
    return fleet == nullptr ? 0 : fleet->fleet.pending();
}
uint64_t ldp_fleet_people(const ldp_fleet* fleet) {
    return fleet == nullptr ? 0 : fleet->fleet.people();
}

ldp_status ldp_fleet_flush_start(ldp_fleet* fleet, const ldp_destination* to, size_t most, ldp_flush** flush,
                                 ldp_error** error) {
    return guarded(error, [&] {
        auto& made = place(flush, "pointer for the flush");
        need(fleet, "fleet");
        Destination destination = destination_of(to);
        fleet->agreement.require_destination(fleet->fleet.queue(), destination);
        made = new ldp_flush{fingerprint_text(fleet->collection.spec().fingerprint()),
                             Flush(fleet->fleet.queue(), fleet->batch_size, most, std::move(destination)),
                             history_of(to)};
    });
}
