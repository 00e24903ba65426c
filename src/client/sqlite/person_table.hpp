// Whose memory a state file holds: one person's, or many people's.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/sqlite/state_file.hpp"

namespace ldp::sqlite {

/// What is remembered of a person, beside their answers and marks.
struct Person {
    std::string name;          ///< who they are in this file; empty where there is only one
    std::int64_t id = 0;       ///< their number in it, from 1; 0 if nothing is remembered of them yet
    std::int64_t answers = 0;  ///< how many were drawn
    std::vector<std::byte> public_randomness = {}, course = {};
};

/// The rows of people. What is written of a person goes through a copy of what was read of them, which its
/// owner takes in the place of the old one when the step is done.
class People {
  public:
    /// Throws Error (environment) if a person or a mark has changed: both are asked for by name, so one whose
    /// name changed would be taken for none.
    explicit People(const StateFile& file);

    /// The person of this name, of whom the file may know nothing yet.
    [[nodiscard]] Person find(std::string_view name) const;
    /// How many people the file knows.
    [[nodiscard]] std::uint64_t count() const;
    /// Gives a person a number, if they have none. It counts once something is remembered of them.
    void enrol(Person& person) noexcept {
        if (person.id == 0) person.id = ++newest_;
    }
    /// Writes what is to be remembered of a person, who has a number, from now on.
    void remember(Step& step, const Person& person);

    /// One more answer, to be followed by remember().
    void answer(Step& step, Person& person, Bytes key, Bytes response, double epsilon, std::int64_t round);
    /// What answer() was told, in that order. Throws Error (environment) if any of it has changed or is
    /// missing.
    using Told =
        std::function<void(Bytes key, std::vector<std::byte> response, double epsilon, std::int64_t round)>;
    void answers(const Person& person, const Told& told) const;

    /// Sets a mark of a person who has a number.
    void set_mark(Step& step, const Person& person, std::string_view name, std::int64_t value);
    [[nodiscard]] std::optional<std::int64_t> mark(const Person& person, std::string_view name) const;

  private:
    const StateFile& database_;
    Statement find_{database_, "SELECT id, answers, public_randomness, course FROM person WHERE name = ?"};
    Statement count_{database_, "SELECT count(*), coalesce(max(id), 0) FROM person"};
    Statement digest_{database_, "SELECT digest FROM person WHERE id = ?"};
    Statement remember_{database_,
                        "INSERT INTO person VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
                        "answers = excluded.answers, public_randomness = excluded.public_randomness, "
                        "course = excluded.course, digest = excluded.digest"};
    Statement answer_{database_, "INSERT INTO answer VALUES (?, ?, ?, ?, ?, ?, ?)"};
    Statement answers_{database_,
                       "SELECT number, key, response, epsilon, round, digest FROM answer WHERE person = ? "
                       "ORDER BY number"};
    Statement get_mark_{database_, "SELECT value, digest FROM mark WHERE person = ? AND name = ?"};
    Statement set_mark_{database_, "INSERT OR REPLACE INTO mark VALUES (?, ?, ?, ?)"};
    std::int64_t newest_ = 0;  ///< the highest number that was given to anybody
};

}  // namespace ldp::sqlite
