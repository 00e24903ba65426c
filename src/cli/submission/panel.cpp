#include "cli/submission/panel.hpp"

#include <utility>

#include "client/in_quotes.hpp"
#include "core/base/error.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace ldp::cli::submit {

namespace {

/// The checkpoint of a person with the round of the person's last row.
constexpr const char* last_round_name = "panel.round";
/// Clients that are held between two steps; others are read from the state file again.
constexpr std::size_t most_members = 20000;

std::optional<std::int32_t> last_round_of(const Store& store) {
    const auto last = store.checkpoint(last_round_name);
    return last ? std::optional(static_cast<std::int32_t>(*last)) : std::nullopt;
}

}  // namespace

Panel::Panel(const Collection& collection, const std::string& state, std::shared_ptr<BudgetLedger> ledger,
             const std::string& accepted)
    : collection_(collection), fleet_(state), ledger_(std::move(ledger)) {
    const Verdict verdict =
        fleet_.queue().agree(collection.terms(), collection.contract(), collection.public_columns());
    verdict.require_possible();
    if (verdict.kind() != ContractChange::Kind::ask) return;
    if (!verdict.contract.has_digest(accepted)) verdict.require_agreed();
    fleet_.queue().bind(verdict.contract);
}

std::optional<std::int32_t> Panel::last_round(const std::string& person) {
    const auto found = members_.find(person);
    return found == members_.end() ? last_round_of(fleet_.store(person)) : found->second.last;
}

Panel::Member& Panel::member(const std::string& person) {
    const auto found = members_.find(person);
    if (found != members_.end()) return found->second;
    Client client(collection_, fleet_.store(person));
    client.set_ledger(ledger_);
    const auto last = last_round_of(client.store());
    return members_.emplace(person, Member{std::move(client), last}).first->second;
}

Receipt Panel::report(const std::string& person, std::int32_t round, std::span<const Value> record,
                      const PublicValues& columns) {
    auto& [client, last] = member(person);
    require_later(person, last, round);
    // A series has no stage(): its report is queued by report(), in the same step.
    const bool series = rounds_of_series(collection_.mechanism()) > 0;
    Receipt receipt{{}, Origin::silent};
    bool refused = false;
    try {
        receipt = series ? client.report(record, round, columns) : client.stage(record, columns);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::spent) throw;
        refused = true;  // by the budget of the group
    }
    if (refused || (receipt.origin == Origin::silent && !client.reports_series())) ++spent_;
    if (receipt.origin == Origin::memoized) ++memoized_;
    const Checkpoint checkpoint{last_round_name, round};
    client.commit(round, std::span(&checkpoint, 1));
    last = round;
    return receipt;
}

void Panel::together(const std::function<void()>& work) {
    if (members_.size() > most_members) members_.clear();
    fleet_.together(work);
}

void require_later(const std::string& person, std::optional<std::int32_t> last, std::int32_t round) {
    if (!last || round > *last) return;
    throw Error(ErrorCode::invalid_value,
                round == *last
                    ? "person " + in_quotes(person) + " has a second row in round " + std::to_string(round)
                    : "round " + std::to_string(round) + " of person " + in_quotes(person) +
                          " comes after round " + std::to_string(*last),
                "A person has one row in each round, and the rows of a person must be in ascending order of "
                "rounds, across all files with this state file.",
                "Sort the file by the column of the round.");
}

RoundCheck::RoundCheck(const Collection& collection, Panel* panel) : panel_(panel) {
    if (const std::uint32_t rounds = rounds_of_series(collection.mechanism()); rounds > 0) rounds_ = rounds;
}

void RoundCheck::check(const std::string& person, std::int32_t round) {
    if (person.empty())
        throw Error(ErrorCode::invalid_value, "the name of a person is empty", {},
                    "Each row needs a name that is unique to the person and does not change.");
    if (rounds_ && (round < 1 || static_cast<std::uint32_t>(round) > *rounds_))
        throw Error(ErrorCode::invalid_value, "the series does not have round " + std::to_string(round),
                    "Its rounds are 1 to " + std::to_string(*rounds_) + ".");
    const auto [known, added] = last_.try_emplace(person);
    if (added && panel_ != nullptr) known->second = panel_->last_round(person);
    require_later(person, known->second, round);
    known->second = round;
}

}  // namespace ldp::cli::submit
