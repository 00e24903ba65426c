// Stands by itself, since where there are no files there is no SQLite either.
#include "capi/c_boundary.hpp"
#include "client/fleet/sqlite_ledger.hpp"
#include "client/sqlite_store.hpp"

using namespace ldp;
using namespace ldp::capi;

ldp_status ldp_client_in_file(const ldp_collection* collection, const char* path, ldp_client** client,
                              ldp_error** error) {
    return guarded(error, [&] {
        auto& made = place(client, "pointer for the client");
        need(collection, "collection");
        auto store = std::make_unique<SqliteStore>(std::string(text_of(path, LDP_TO_END, "path")));
        made = new ldp_client(collection->collection, std::move(store));
    });
}

ldp_status ldp_ledger_in_file(const char* path, ldp_ledger** ledger, ldp_error** error) {
    return guarded(error, [&] {
        auto& made = place(ledger, "pointer for the ledger");
        made = new ldp_ledger{std::make_shared<SqliteLedger>(std::string(text_of(path, LDP_TO_END, "path"))),
                              nullptr};
    });
}
