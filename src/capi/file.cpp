// Stands by itself, since where there are no files there is no SQLite either.
#include "capi/c_boundary.hpp"
#include "client/sqlite_store.hpp"

using namespace ldp;
using namespace ldp::capi;

ldp_status ldp_client_in_file(const ldp_collection* collection, const char* path, ldp_client** client,
                              ldp_error** error) {
    return guarded(error, [&] {
        auto& made = place(client, "place for the client");
        need(collection, "collection");
        auto store = std::make_unique<SqliteStore>(std::string(text_of(path, LDP_TO_END, "path")));
        made = new ldp_client(collection->collection, std::move(store));
    });
}
