#include "client/sqlite/person_table.hpp"

#include <utility>

namespace ldp::sqlite {

namespace {

std::int64_t digest_of(const Person& person) {
    return RowDigest::of("person", person.id, person.name, person.responses, Bytes(person.public_randomness),
                         Bytes(person.progress));
}

std::int64_t digest_of_response(std::int64_t person, std::int64_t number, Bytes key, Bytes response,
                                double epsilon, std::int64_t round) {
    return RowDigest::of("response", person, number, key, response, epsilon, round);
}

std::int64_t digest_of_checkpoint(std::int64_t person, std::string_view name, std::int64_t value) {
    return RowDigest::of("checkpoint", person, name, value);
}

}  // namespace

People::People(const StateFile& file) : database_(file) {
    const Statement people(file,
                           "SELECT name, id, responses, public_randomness, progress, digest FROM person");
    for (auto row = people(); row.row();)
        if (digest_of({row.text(0), row.integer(1), row.integer(2), row.blob(3), row.blob(4)}) !=
            row.integer(5))
            damaged(file.path(), "The state of a person has changed.");
    const Statement checkpoints(file, "SELECT person, name, value, digest FROM checkpoint");
    for (auto row = checkpoints(); row.row();)
        if (digest_of_checkpoint(row.integer(0), row.text(1), row.integer(2)) != row.integer(3))
            damaged(file.path(), "A checkpoint has changed.");
    auto known = count_();
    if (known.row()) newest_ = known.integer(1);
}

Person People::find(std::string_view name) const {
    Person person{std::string(name)};
    if (auto row = find_(name); row.row()) {
        person.id = row.integer(0);
        person.responses = row.integer(1);
        person.public_randomness = row.blob(2);
        person.progress = row.blob(3);
    }
    return person;
}

std::uint64_t People::count() const {
    return static_cast<std::uint64_t>(count_().number().value_or(0));
}

void People::remember(Step& step, const Person& person) {
    if (const auto before = digest_(person.id).number()) step.went(*before);
    const std::int64_t digest = digest_of(person);
    remember_(person.id, person.name, person.responses, Bytes(person.public_randomness),
              Bytes(person.progress), digest)
        .finish();
    step.came(digest);
}

void People::add_response(Step& step, Person& person, Bytes key, Bytes response, double epsilon,
                          std::int64_t round) {
    const std::int64_t number = ++person.responses;
    const std::int64_t digest = digest_of_response(person.id, number, key, response, epsilon, round);
    insert_response_(person.id, number, key, response, epsilon, round, digest).finish();
    step.came(digest);
}

void People::responses(const Person& person, const TakeResponse& take) const {
    std::int64_t number = 0;
    for (auto row = select_responses_(person.id); row.row();) {
        if (row.integer(0) != ++number) damaged(database_.path(), "A permanent response is missing.");
        const std::vector<std::byte> key = row.blob(1);
        std::vector<std::byte> response = row.blob(2);
        const double epsilon = row.real(3);
        const std::int64_t round = row.integer(4);
        if (digest_of_response(person.id, number, key, response, epsilon, round) != row.integer(5))
            damaged(database_.path(), "A permanent response has changed.");
        take(key, std::move(response), epsilon, round);
    }
    if (number != person.responses) damaged(database_.path(), "A permanent response is missing.");
}

void People::set_checkpoint(Step& step, const Person& person, std::string_view name, std::int64_t value) {
    if (auto before = get_checkpoint_(person.id, name); before.row()) step.went(before.integer(1));
    const std::int64_t digest = digest_of_checkpoint(person.id, name, value);
    set_checkpoint_(person.id, name, value, digest).finish();
    step.came(digest);
}

std::optional<std::int64_t> People::checkpoint(const Person& person, std::string_view name) const {
    return get_checkpoint_(person.id, name).number();
}

}  // namespace ldp::sqlite
