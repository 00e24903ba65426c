// Creation of database files, atomically.
#pragma once

#include <functional>
#include <string>

#include "client/sqlite/database.hpp"

namespace ldp::sqlite {

/// Creates a database file with what `fill` writes, in one transaction, unless the file exists. The file
/// appears under its name when it is complete, so that it is never empty. Only its owner can read it. Throws
/// Error (environment) also if the path is not that of a regular file, or if the file is empty. `kind`
/// describes the file in errors.
void create_unless_exists(const std::string& path, const std::function<void(Database&)>& fill,
                          const char* kind = state_file);

}  // namespace ldp::sqlite
