// The contents of a state file, shared by the stores that have it open.
#pragma once

#include <set>
#include <string>

#include "client/sqlite/delivered.hpp"
#include "client/sqlite/outbox.hpp"
#include "client/sqlite/person_table.hpp"
#include "client/sqlite/refusals.hpp"
#include "client/sqlite/state_file.hpp"

namespace ldp::sqlite {

struct Contents {
    /// Opens the file, or creates it with this secret if it does not exist. Throws Error (environment).
    Contents(const std::string& path, const std::array<std::byte, 32>& secret) : file(path, secret) {}

    StateFile file;
    Outbox outbox{file};
    Refusals refusals{file};
    People people{file};
    Delivered delivered{file};
    std::int64_t keep_for = 0;  ///< seconds for which batches are kept that are confirmed from now on
    std::string route = {};     ///< how they are delivered
    Statement contract{file, "SELECT json, digest FROM contract"};
    Statement put_contract{file, "INSERT OR REPLACE INTO contract VALUES (0, ?, ?)"};

    std::set<std::string, std::less<>> open = {};  ///< the people whose stores are open
    /// Joint steps of several stores are numbered from 1; 0 stands for no step.
    std::uint64_t together = 0;           ///< the current step
    std::uint64_t begun = 0;              ///< number of steps begun
    std::set<std::uint64_t> undone = {};  ///< steps that were rolled back
};

}  // namespace ldp::sqlite
