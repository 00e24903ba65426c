// All that stands in a state file, for the stores that are open on it.
#pragma once

#include <set>
#include <string>

#include "client/sqlite/outbox.hpp"
#include "client/sqlite/person_table.hpp"
#include "client/sqlite/refusals.hpp"
#include "client/sqlite/state_file.hpp"

namespace ldp::sqlite {

struct Contents {
    /// Opens the file, or makes it if there is none, with this secret. Throws Error (environment).
    Contents(const std::string& path, const std::array<std::byte, 32>& secret) : file(path, secret) {}

    StateFile file;
    Outbox outbox{file};
    Refusals refusals{file};
    People people{file};

    std::set<std::string, std::less<>> open = {};  ///< the people whose stores are open
    /// Steps of several stores together have numbers, from 1; 0 is no such step.
    std::uint64_t together = 0;           ///< the one that is going on
    std::uint64_t begun = 0;              ///< how many there were
    std::set<std::uint64_t> undone = {};  ///< which of them were not done
};

}  // namespace ldp::sqlite
