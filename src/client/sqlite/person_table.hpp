// The memory of one or many people in a state file.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/sqlite/state_file.hpp"

namespace ldp::sqlite {

/// The memory of a person, except permanent responses and checkpoints.
struct Person {
    std::string name;            ///< unique in the file; empty in a file with a single store
    std::int64_t id = 0;         ///< number in the file, from 1; 0 if the person is not in the file yet
    std::int64_t responses = 0;  ///< number of permanent responses
    std::vector<std::byte> public_randomness = {}, progress = {};
};

/// The rows of people. The caller changes a copy of a Person, and replaces the original by it after the step.
class People {
  public:
    /// Checks the digests of all people and checkpoints, because a row with a changed name would not be
    /// found. Throws Error (environment) if a row has changed.
    explicit People(const StateFile& file);

    /// Returns the person with this name, with id 0 if the person is not in the file.
    [[nodiscard]] Person find(std::string_view name) const;
    /// Returns the number of people in the file.
    [[nodiscard]] std::uint64_t count() const;
    /// Assigns a number to a person without one. remember() stores it.
    void enrol(Person& person) noexcept {
        if (person.id == 0) person.id = ++newest_;
    }
    /// Stores the memory of a person, who must have a number.
    void remember(Step& step, const Person& person);

    /// Stores another permanent response. The caller must call remember() afterwards.
    void add_response(Step& step, Person& person, Bytes key, Bytes response, double epsilon,
                      std::int64_t round);
    /// Receives the arguments of add_response().
    using TakeResponse =
        std::function<void(Bytes key, std::vector<std::byte> response, double epsilon, std::int64_t round)>;
    /// Calls `take` with the person's permanent responses, in their order. Throws Error (environment) if one
    /// has changed or is missing.
    void responses(const Person& person, const TakeResponse& take) const;

    /// Sets a checkpoint of a person, who must have a number.
    void set_checkpoint(Step& step, const Person& person, std::string_view name, std::int64_t value);
    [[nodiscard]] std::optional<std::int64_t> checkpoint(const Person& person, std::string_view name) const;

  private:
    const StateFile& database_;
    Statement find_{database_,
                    "SELECT id, responses, public_randomness, progress FROM person WHERE name = ?"};
    Statement count_{database_, "SELECT count(*), coalesce(max(id), 0) FROM person"};
    Statement digest_{database_, "SELECT digest FROM person WHERE id = ?"};
    Statement remember_{database_,
                        "INSERT INTO person VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
                        "responses = excluded.responses, public_randomness = excluded.public_randomness, "
                        "progress = excluded.progress, digest = excluded.digest"};
    Statement insert_response_{database_, "INSERT INTO response VALUES (?, ?, ?, ?, ?, ?, ?)"};
    Statement select_responses_{
        database_,
        "SELECT number, key, response, epsilon, round, digest FROM response WHERE person = ? "
        "ORDER BY number"};
    Statement get_checkpoint_{database_,
                              "SELECT value, digest FROM checkpoint WHERE person = ? AND name = ?"};
    Statement set_checkpoint_{database_, "INSERT OR REPLACE INTO checkpoint VALUES (?, ?, ?, ?)"};
    std::int64_t newest_ = 0;  ///< the highest assigned number
};

}  // namespace ldp::sqlite
