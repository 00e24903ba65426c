#include "client/client.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string>

#include "client/in_quotes.hpp"
#include "client/reporter.hpp"
#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/base/text.hpp"
#include "core/contract/response_count.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/role/spent_signal.hpp"

namespace ldp {

namespace {

/// The checkpoint with the number of reports under a budget of a group, if each one is a fresh draw.
constexpr const char* reports_made_name = "budget.reports";
/// The checkpoint with the history of the server at the last delivery.
constexpr const char* history_name = "ldp.history";

/// Discards buffered random bits at the end of a report. A copy of a running virtual machine would otherwise
/// use the same bits as the original.
class Discarded {
  public:
    explicit Discarded(SystemRandom& bits) noexcept : bits_(bits) {}
    ~Discarded() { bits_.discard(); }
    Discarded(const Discarded&) = delete;
    Discarded& operator=(const Discarded&) = delete;

  private:
    SystemRandom& bits_;
};

/// The checkpoint with the reported rounds among 64 consecutive ones, a bit each.
class ReportedRounds {
  public:
    ReportedRounds(const Store& store, std::int32_t round)
        : name_("ldp.rounds." + std::to_string(round >> 6)),
          bit_(std::uint64_t{1} << (round & 63)),
          reported_(static_cast<std::uint64_t>(store.checkpoint(name_).value_or(0))) {}
    [[nodiscard]] bool has_round() const noexcept { return (reported_ & bit_) != 0; }
    /// Returns the checkpoint with the round; valid as long as this object.
    [[nodiscard]] Checkpoint with_round() const noexcept {
        return {name_, static_cast<std::int64_t>(reported_ | bit_)};
    }

  private:
    std::string name_;
    std::uint64_t bit_, reported_;
};

/// Whether each report is drawn anew. Parts of a record may be a series; see Client::draws_anew.
bool draws_fresh(const Collection& collection) {
    return !collection.spec().evolving() && !is_series(collection.mechanism());
}

}  // namespace

Error queue_set_aside(std::uint64_t reports, const std::string& reason) {
    return {ErrorCode::incompatible, "the server reports that another copy of the store is in use",
            "It answered: " + in_quotes(reason, 400) + ". " + grouped(reports) +
                (reports == 1 ? " report was" : " reports were") +
                " moved to the dead letters. All responses and their cost stay in the store.",
            "Later reports are sent as usual. If no other copy of the store has sent reports, queue the dead "
            "letters again. A new store would draw all responses again, at the full cost."};
}

Error server_set_back() {
    return {
        ErrorCode::environment,
        "the server was restored from an older state or replaced since the last delivery",
        "It may lack reports that were delivered before, as after a failover or a recovery.",
        "Inform the owner of the collection. A store that keeps delivered reports can send them again; no "
        "report counts twice."};
}

Client::Client(Collection collection, std::unique_ptr<Store> store)
    : collection_(std::move(collection)),
      store_(std::move(store)),
      agreement_(*store_, collection_),
      bits_(std::make_unique<SystemRandom>()),
      clamped_{std::vector<std::uint64_t>(collection_.spec().attributes().size())} {
    const ContractTerms& terms = collection_.terms();
    counts_reports_ =
        draws_fresh(collection_) && (collection_.spec().budget() || terms.reports || terms.life_epsilon ||
                                     store_->checkpoint(reports_made_name));
    const Discarded discarded(*bits_);
    reporter_ = make_reporter(collection_, *store_, *bits_);
}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Contract Client::contract() const {
    const std::string stored = store_->contract();
    return stored.empty() ? collection_.contract() : Contract::from_json(stored);
}

std::string Client::contract_json() const {
    return agreement_.to_json(contract());
}

void Client::accept(std::string_view digest) {
    agreement_.accept(*store_, digest);
    knows_in_clear_ = false;
}

void Client::check_in_clear(const PublicValues& columns) {
    if (columns.empty()) return;
    if (!knows_in_clear_) {
        in_clear_ = Contract::in_clear_of(store_->contract());
        knows_in_clear_ = true;
    }
    collection_.check_in_clear(columns, in_clear_);
}

void Client::check_terms(std::uint64_t reports) const {
    const ContractTerms& terms = collection_.terms();
    if (!draws_anew() || reports == 0 || (!terms.reports && !terms.life_epsilon)) return;
    const double epsilon = collection_.contract().report_epsilon;
    std::uint64_t most = terms.reports.value_or(std::numeric_limits<std::uint64_t>::max());
    if (terms.life_epsilon) most = std::min(most, Budget{.epsilon = *terms.life_epsilon}.responses(epsilon));
    if (reports_made() + reports <= most) return;
    raise(ErrorCode::spent, "the terms of the client do not allow further reports",
          "They allow " + std::to_string(most) + " reports at epsilon " + shortest(epsilon) + "; " +
              std::to_string(reports_made()) + " were made.",
          "Nothing was reported.");
}

Receipt Client::report(std::span<const Value> record, std::int32_t round, const PublicValues& columns) {
    require_agreed();
    check_in_clear(columns);
    const auto is_token = [](const auto& one) { return one.first == token_column; };
    if (reports_series() && std::ranges::any_of(columns.values(), is_token))
        raise(ErrorCode::unsupported, "a report of a series takes no token",
              "A record of a series may queue no report or several reports, and a token admits one report.",
              "Use a collection without tokens, or a mechanism that reports each record by itself.");
    std::optional<ReportedRounds> rounds;
    if (once_per_round_ && rounds.emplace(*store_, round).has_round()) return {{}, Origin::ignored};
    const Discarded discarded(*bits_);
    auto [reports, receipt] = reporter_->report(record, round, *bits_);
    try {
        if (!reserve(staged_count_ + reports.size())) {
            reporter_->undo();
            return {{}, Origin::silent};
        }
        const ColumnRun run{reports.size(), columns};
        std::optional<Checkpoint> reported;
        if (rounds) reported = rounds->with_round();
        append(reports, round, reported ? std::span(&*reported, 1) : std::span<const Checkpoint>(),
               columns.empty() ? std::span<const ColumnRun>() : std::span(&run, 1));
    } catch (...) {
        reporter_->undo();
        throw;
    }
    clamped_.add(receipt.clamped);
    return std::move(receipt);
}

Receipt Client::stage(std::span<const Value> record, const PublicValues& columns) {
    if (once_per_round_)
        raise(ErrorCode::unsupported, "the client accepts one record per round",
              "Staged records have no round before they are queued.",
              "Report the records one by one, or allow any number of records per round.");
    require_agreed();
    check_in_clear(columns);
    const Discarded discarded(*bits_);
    auto [reports, receipt] = reporter_->report(record, std::nullopt, *bits_);
    try {
        if (!reserve(staged_count_ + reports.size())) {
            reporter_->undo();
            return {{}, Origin::silent};
        }
        auto& group = staged_.try_emplace(columns).first->second;
        group.insert(group.end(), std::move_iterator(reports.begin()), std::move_iterator(reports.end()));
        staged_count_ += reports.size();
    } catch (...) {
        reporter_->undo();
        throw;
    }
    clamped_.add(receipt.clamped);
    return std::move(receipt);
}

bool Client::reports_series() const noexcept {
    return reporter_->reports_series();
}

Spent Client::spent(double delta) const {
    const Mechanism& mechanism = collection_.mechanism();
    return ldp::spent(ledger().size(), collection_.spec().epsilon(), delta,
                      has_signal(mechanism) && reporter_->pays_for_signal() ? signal_epsilon(mechanism) : 0);
}

bool Client::draws_anew() const noexcept {
    return !collection_.spec().evolving() && !reporter_->reports_series();
}

std::uint64_t Client::reports_made() const {
    return static_cast<std::uint64_t>(store_->checkpoint(reports_made_name).value_or(0));
}

void Client::set_ledger(std::shared_ptr<BudgetLedger> ledger) {
    budget_ledger_ = std::move(ledger);
    spent_in_group_ = reserved_in_group_ = 0;
    pays_in_total_ = budget_ledger_ && budget_ledger_->limits().contains({});
    counts_reports_ = counts_reports_ || (pays_in_total_ && draws_fresh(collection_));
}

bool Client::reserve(std::uint64_t reports) {
    check_terms(reports);
    const Spec& spec = collection_.spec();
    const BudgetGroup* const group = spec.budget() && spec.budget()->group ? &*spec.budget()->group : nullptr;
    if (group == nullptr && !pays_in_total_) return true;
    const Budget budget = spec.budget().value_or(Budget{.epsilon = std::numeric_limits<double>::infinity()});
    if (!budget_ledger_)
        raise(ErrorCode::unsupported, "the client has no ledger of the group " + in_quotes(group->name),
              "The budget of the spec is shared by all collections of the group.",
              "Set the ledger that all collections of the group use.");
    LedgerEntry entry;
    if (group != nullptr) {
        entry.group = group->name;
        entry.limit = group->epsilon;
    }
    entry.fingerprint = spec.fingerprint();
    entry.title = spec.texts().title.empty() ? spec.mechanism().name : spec.texts().title;
    const double epsilon = spec.epsilon();
    if (draws_anew()) {
        if (reports == 0) return true;
        const std::uint64_t count = reports_made() + reports;
        if (group != nullptr && budget.epsilon < group->epsilon && count > budget.responses(epsilon)) {
            if (budget.when_spent == Budget::WhenSpent::stop) return false;
            raise(ErrorCode::spent,
                  "the share of this collection in the budget of the group " + in_quotes(group->name) +
                      " is spent",
                  "It pays for " + std::to_string(budget.responses(epsilon)) + " reports at epsilon " +
                      shortest(epsilon) + "; the limit is " + shortest(budget.epsilon) + ", and " +
                      rounded(std::max(0.0, budget.epsilon - static_cast<double>(count - 1) * epsilon), 6) +
                      " is left.",
                  "Nothing was reported.");
        }
        entry.spent = entry.reserved = static_cast<double>(count) * epsilon;
    } else if (spec.evolving()) {
        const std::size_t responses = reporter_->ledger().size();
        if (responses == 0) return true;
        const Mechanism& mechanism = collection_.mechanism();
        entry.reserved = most_epsilon(spec, mechanism);
        entry.spent = static_cast<double>(responses) * epsilon +
                      (has_signal(mechanism) && reporter_->pays_for_signal() ? signal_epsilon(mechanism) : 0);
    } else {
        entry.spent = entry.reserved = epsilon;
    }
    if (entry.spent <= spent_in_group_ && entry.reserved <= reserved_in_group_) return true;
    StoreIdentity identity = store_->identity();
    entry.person = std::move(identity.person);
    entry.store = std::move(identity.store);
    if (const std::optional<double> left = budget_ledger_->reserve(entry)) {
        if (budget.when_spent == Budget::WhenSpent::stop) return false;
        const double needed = entry.reserved - reserved_in_group_;
        double limit = group == nullptr ? 0 : group->epsilon, of_group = limit;
        for (const LedgerEntry& one : budget_ledger_->entries())
            if (one.group == entry.group && one.person == entry.person) of_group -= one.reserved;
        const LedgerLimits limits = budget_ledger_->limits();
        const auto of_all = limits.find({});
        const bool total = of_all != limits.end() && (group == nullptr || of_group >= needed * (1 - 1e-9));
        if (total) limit = of_all->second;
        raise(ErrorCode::spent,
              total ? std::string("the budget of all collections of the person is spent")
                    : "the budget of the group " + in_quotes(group->name) + " is spent",
              "The report would raise the total of this person by epsilon " + rounded(needed, 6) + "; " +
                  rounded(*left, 6) + " of " + shortest(limit) + " is left.",
              total ? "Nothing was reported. The person's ledger has this limit."
                    : "Nothing was reported. The budget covers all reports of a person in the group.");
    }
    spent_in_group_ = entry.spent;
    reserved_in_group_ = entry.reserved;
    return true;
}

void Client::append(std::span<const Report> reports, std::int32_t round,
                    std::span<const Checkpoint> checkpoints, std::span<const ColumnRun> runs) {
    std::vector<Checkpoint> all;
    if (!reports.empty() && counts_reports_ && draws_anew()) {
        all.assign(checkpoints.begin(), checkpoints.end());
        all.push_back({reports_made_name, static_cast<std::int64_t>(reports_made() + reports.size())});
        checkpoints = all;
    }
    store_->append(reports, round, checkpoints, reporter_->unsaved(), runs);
    reporter_->commit(round);
}

void Client::commit(std::int32_t round, std::span<const Checkpoint> checkpoints) {
    if (staged_.size() == 1) {
        const auto& [columns, group] = *staged_.begin();
        const ColumnRun run{group.size(), columns};
        append(group, round, checkpoints, std::span(&run, 1));
    } else {
        std::vector<Report> reports;
        std::vector<ColumnRun> runs;
        reports.reserve(staged_count_);
        for (const auto& [columns, group] : staged_) {
            reports.insert(reports.end(), group.begin(), group.end());
            runs.push_back({group.size(), columns});
        }
        append(reports, round, checkpoints, runs);
    }
    staged_.clear();
    staged_count_ = 0;
}

void Client::discard() {
    staged_.clear();
    staged_count_ = 0;
    reporter_->rollback();
}

std::span<const PermanentResponse> Client::ledger() const {
    return reporter_->ledger();
}

Flushed Client::flush(BatchTransport& transport, std::size_t most, const Progress& progress) {
    return Flush(*this, most, transport.destination()).run(transport, progress);
}

Flush::Flush(Client& client, std::size_t most, Destination destination)
    : Flush(*client.store_, client.batch_size_, most, std::move(destination)) {
    client.agreement_.require_destination(store_, *destination_);
}

Flush::Flush(Store& store, BatchSize& size, std::size_t most, Destination destination)
    : store_(store),
      size_(size),
      most_(most),
      refused_before_(store.refused().size()),
      destination_(std::move(destination)) {
    if (most == 0)
        raise(ErrorCode::invalid_value, "the maximum size of a batch must be at least 1", "Found 0.",
              "About 10000 reports per batch are recommended.");
}

Flushed Flush::run(BatchTransport& transport, const Progress& progress) {
    destination_ = transport.destination();
    store_.compare_destination(*destination_).require_agreed();
    while (next()) {
        try {
            const bool fresh = transport.deliver(*batch_);
            delivered(!fresh, transport.history());
        } catch (const Undelivered& why) {
            if (!undelivered(why)) throw;
            continue;
        }
        if (progress) progress(flushed_);
    }
    return flushed_;
}

const std::optional<Batch>& Flush::next() {
    batch_ =
        !batch_ && ahead_ ? std::exchange(ahead_, std::nullopt) : store_.next_batch(size_.at_most(most_));
    if (batch_) return batch_;
    store_history();
    flushed_.refused = store_.refused().size() - refused_before_;
    if (refusal_ && flushed_.batches == 0) refuse_all("the server rejects all reports");
    return batch_;
}

const std::optional<Batch>& Flush::ahead() {
    if (batch_ && !ahead_) ahead_ = store_.batch_after(size_.at_most(most_));
    return ahead_;
}

void Flush::compare_history(std::string_view history) {
    std::uint64_t number = 0;
    const char* const end = history.data() + history.size();
    const auto [at, error] = std::from_chars(history.data(), end, number, 16);
    if (history.empty() || error != std::errc() || at != end) return;
    const auto before = store_.checkpoint(history_name),
               now = std::optional(static_cast<std::int64_t>(number));
    flushed_.set_back = flushed_.set_back || (before && before != now);
    history_ = before == now ? std::nullopt : now;
    if (!before) store_history();
}

void Flush::store_history() {
    if (!history_) return;
    const Checkpoint now{history_name, *history_};
    store_.append({}, 0, std::span(&now, 1));
    history_.reset();
}

void Flush::delivered(bool earlier, std::string_view history) {
    store_.confirm(batch_->id);
    compare_history(history);
    if (destination_) store_.learn_destination(*std::exchange(destination_, std::nullopt));
    size_.delivered();
    in_a_row_ = 0;
    ++flushed_.batches;
    flushed_.reports += batch_->reports.size();
    flushed_.repeated += earlier ? 1 : 0;
    batch_.reset();
}

bool Flush::undelivered(const Undelivered& why) {
    constexpr int suspicious = 10;
    const std::string reason = std::string(why.what()) + (why.detail().empty() ? "" : "; " + why.detail());
    if (why.outcome() == BatchOutcome::outdated) {
        const std::uint64_t reports = store_.pending();
        store_.set_queue_aside(reason);
        batch_.reset();
        ahead_.reset();
        const Error error = queue_set_aside(reports, reason);
        raise(error.code(), error.what(), error.detail(), error.hint());
    }
    if (const std::size_t reports = batch_->reports.size(); reports > 1) {
        store_.release(batch_->id);
        batch_.reset();
        ahead_.reset();
        size_.halve(reports, why.outcome() == BatchOutcome::too_large);
        return true;
    }
    if (why.outcome() == BatchOutcome::too_large) {  // the id is void, and nothing refuses the report
        store_.release(batch_->id);
        batch_.reset();
        ahead_.reset();
        return false;
    }
    store_.move_to_dead_letters(batch_->id, reason);
    batch_.reset();
    ahead_.reset();
    refusal_.emplace(why);
    if (++in_a_row_ == suspicious) refuse_all("the server rejects one report after another");
    return true;
}

void Flush::refuse_all(const char* what) const {
    raise(ErrorCode::environment, std::string(what) + ": " + refusal_->what(), refusal_->detail(),
          "The reports were moved to the dead letters. Remove the cause, then requeue the reports." +
              (refusal_->hint().empty() ? "" : " " + refusal_->hint()));
}

}  // namespace ldp
