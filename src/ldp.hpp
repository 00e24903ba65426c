// The client library without the database connection. For the connection, include <ldp/client/uploader.hpp> and link libpqxx.
#pragma once

#include "client/client.hpp"
#include "client/collection.hpp"
#include "client/fleet/sqlite_fleet.hpp"
#include "client/fleet/sqlite_ledger.hpp"
#include "client/fleet/user_means.hpp"
#include "client/memory_store.hpp"
#include "client/sqlite_store.hpp"
#include "core/base/error.hpp"
#include "core/base/random.hpp"
