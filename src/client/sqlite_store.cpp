#include "client/sqlite_store.hpp"

#include <algorithm>
#include <utility>

#include "client/in_quotes.hpp"
#include "client/sqlite/contents.hpp"
#include "core/base/error.hpp"

namespace ldp {

using sqlite::damaged;
using sqlite::Person;
using sqlite::Step;

namespace {

/// Encodes public columns for a row: canonical JSON, or an empty text without public columns.
std::string stored(const PublicValues& columns) {
    return columns.empty() ? std::string() : columns.json();
}
PublicValues columns_of(const std::string& json) {
    if (json.empty()) return {};
    try {
        return PublicValues::from_json(json);
    } catch (const Error& error) {
        raise(ErrorCode::malformed, "the state has an invalid public column", error.what(),
              "Restore the state file from a copy.");
    }
}

/// Moves damaged rows, which the queue no longer has, to the dead letters: they must not block the others.
void keep_damaged(sqlite::Contents& contents, Step& step,
                  const std::vector<sqlite::Outbox::OutboxRow>& rows) {
    for (const auto& row : rows) {
        std::vector<Report> lost;
        if (row.segment.possible())
            row.segment.append_to(lost);
        else
            lost.push_back(row.segment.content);
        for (const Report& report : lost)
            contents.refusals.keep(
                step, {row.round, report, "the report was damaged in the state file", false, row.columns});
    }
}

std::int64_t digest_of_contract(const std::string& json) {
    return sqlite::RowDigest::of("contract", std::string_view(json));
}

/// The checkpoint with the last kept batch that was sent again; -1 if no batch is to be sent again.
constexpr const char* again_name = "ldp.again";

std::int64_t now() {
    using std::chrono::system_clock;
    return std::chrono::duration_cast<std::chrono::seconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace

/// An open file, with the person of a store.
class SqliteStore::Opened {
  public:
    Opened(std::shared_ptr<sqlite::Contents> contents, std::string_view name)
        : contents_(std::move(contents)),
          person_(contents_->people.find(name)),
          changed_in_(contents_->together) {
        if (!contents_->open.emplace(name).second)
            sqlite::fail(path(), "the store of " + in_quotes(name) + " is in use",
                         "Two stores of one person would draw two responses for one value.",
                         "Share one store.");
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    ~Opened() { contents_->open.erase(person_.name); }

    [[nodiscard]] sqlite::Contents& contents() const noexcept { return *contents_; }
    /// Must be called before each access to the person's memory or the spec. Throws if a joint step that
    /// changed this store was rolled back, because the store's data are then not in the file.
    void require_done() const {
        if (contents_->undone.contains(changed_in_))
            sqlite::fail(path(), "the store of " + in_quotes(person_.name) + " is ahead of the file",
                         "Its changes belonged to a joint step that failed and was rolled back.",
                         "Reopen the client and its store.");
    }
    void changes() noexcept {
        if (contents_->together != 0) changed_in_ = contents_->together;
    }
    [[nodiscard]] const sqlite::Head& head() const noexcept { return contents_->file.head(); }
    [[nodiscard]] const std::string& path() const { return contents_->file.path(); }
    [[nodiscard]] const Person& person() const noexcept { return person_; }
    void know(Person person) noexcept { person_ = std::move(person); }

    /// Returns the id of the current batch, and that of the following one. The batch must exist.
    [[nodiscard]] std::string current() const {
        return batch_id(head().ids, head().batches - (head().ahead ? 2 : 1));
    }
    [[nodiscard]] std::string ahead() const { return batch_id(head().ids, head().batches - 1); }
    [[nodiscard]] bool is_current(std::string_view id) const { return head().last && current() == id; }

  private:
    std::shared_ptr<sqlite::Contents> contents_;
    Person person_;
    std::uint64_t changed_in_;  ///< number of the last joint step that made or changed this store
};

std::shared_ptr<sqlite::Contents> SqliteStore::open(const std::string& path) {
    return std::make_shared<sqlite::Contents>(path, draw_secret());
}

SqliteStore::SqliteStore(std::shared_ptr<sqlite::Contents> contents, std::string_view person)
    : opened_(std::make_unique<Opened>(std::move(contents), person)) {}
SqliteStore::SqliteStore(const std::string& path) : SqliteStore(open(path), {}) {}
SqliteStore::SqliteStore(SqliteStore&&) noexcept = default;
SqliteStore& SqliteStore::operator=(SqliteStore&&) noexcept = default;
SqliteStore::~SqliteStore() = default;

void SqliteStore::bind(const Contract& contract) {
    opened_->require_done();
    const auto bound = opened_->head().spec();
    if (bound.value_or(contract.fingerprint) != contract.fingerprint)
        refuse_spec(*bound, contract.fingerprint);
    const std::string json = contract.to_json(), stored = this->contract();
    if (bound && json == stored) return;
    opened_->changes();
    Step step(opened_->contents().file);
    step.head.fingerprint.assign(contract.fingerprint.digest.begin(), contract.fingerprint.digest.end());
    if (!stored.empty()) step.went(digest_of_contract(stored));
    step.came(digest_of_contract(json));
    opened_->contents().put_contract(std::string_view(json), digest_of_contract(json)).finish();
    step.commit();
}

std::string SqliteStore::contract() const {
    opened_->require_done();
    auto row = opened_->contents().contract();
    if (!row.row()) return {};
    std::string json = row.text(0);
    if (row.integer(1) != digest_of_contract(json)) damaged(opened_->path(), "Its contract has changed.");
    return json;
}

void SqliteStore::append(std::span<const Report> reports, std::int32_t round,
                         std::span<const Checkpoint> checkpoints, const StateDelta& delta,
                         std::span<const ColumnRun> runs) {
    opened_->require_done();
    opened_->changes();
    sqlite::Contents& contents = opened_->contents();
    sqlite::People& people = contents.people;
    Step step(contents.file);
    Person person = opened_->person();
    const bool changed =
        !delta.public_randomness.empty() || !delta.progress.empty() || !delta.responses.empty();
    if (changed || (person.id == 0 && !checkpoints.empty())) {
        people.enrol(person);
        const auto take = [](std::vector<std::byte>& into, Bytes bytes) {
            if (!bytes.empty()) into.assign(bytes.begin(), bytes.end());
        };
        take(person.public_randomness, delta.public_randomness);
        take(person.progress, delta.progress);
        for (const PermanentResponse& memoized : delta.responses) {
            Writer key;
            for (const Cell cell : memoized.key) key.put(cell);
            people.add_response(step, person, key.bytes(), memoized.permanent, memoized.epsilon, round);
        }
        people.remember(step, person);
    }
    for (const Checkpoint& checkpoint : checkpoints)
        people.set_checkpoint(step, person, checkpoint.name, checkpoint.value);
    for (const ColumnRun& run : runs) {
        const std::size_t count = std::min(run.reports, reports.size());
        contents.outbox.append(step, reports.first(count), round, stored(run.columns));
        reports = reports.subspan(count);
    }
    contents.outbox.append(step, reports, round, {});
    step.commit();
    opened_->know(std::move(person));
}

Memory SqliteStore::memory() const {
    opened_->require_done();
    const Person& person = opened_->person();
    Memory memory{{}, person.public_randomness, person.progress, {}};
    memory.fingerprint = opened_->head().spec();
    opened_->contents().people.responses(
        person, [&](Bytes key, std::vector<std::byte> response, double epsilon, std::int64_t round) {
            if (key.size() % sizeof(Cell) != 0) damaged(opened_->path(), "A permanent response has changed.");
            PermanentResponse& memoized = memory.responses.emplace_back();
            for (Reader cells(key); !cells.empty();) memoized.key.push_back(cells.take<Cell>());
            memoized.permanent = std::move(response);
            memoized.epsilon = epsilon;
            memoized.round = static_cast<std::int32_t>(round);
        });
    return memory;
}

std::optional<std::int64_t> SqliteStore::checkpoint(std::string_view name) const {
    opened_->require_done();
    return opened_->contents().people.checkpoint(opened_->person(), name);
}

std::uint64_t SqliteStore::pending() const {
    return static_cast<std::uint64_t>(opened_->head().waiting);
}

void SqliteStore::require_leaving() {
    if (opened_->contents().together != 0)
        sqlite::fail(
            opened_->path(), "reports cannot be sent yet",
            "A joint step of several stores is in progress. The reports of the step are durable when it ends.",
            "Flush after the step.");
}

Batch SqliteStore::named(std::string id, std::optional<std::int64_t> after, std::int64_t last) const {
    auto front = opened_->contents().outbox.up_to(last, after);
    if (!front) damaged(opened_->path(), "The reports of its current batch have changed.");
    return {std::move(id), static_cast<std::int32_t>(front->round), std::move(front->reports),
            columns_of(front->columns)};
}

std::optional<Batch> SqliteStore::name_next(std::size_t most) {
    sqlite::Contents& contents = opened_->contents();
    Step step(contents.file);
    const auto behind = step.head.last;
    auto front = contents.outbox.first(step, most, behind);
    keep_damaged(contents, step, front.damaged);
    if (front.reports.empty() && front.damaged.empty()) {
        if (behind) return std::nullopt;
        damaged(opened_->path(), "The queue has fewer reports than recorded.");
    }
    Batch batch{
        {}, static_cast<std::int32_t>(front.round), std::move(front.reports), columns_of(front.columns)};
    if (!batch.reports.empty()) {
        batch.id = batch_id(step.head.ids, step.head.batches++);
        (behind ? step.head.ahead : step.head.last) = front.last;
    }
    step.commit();
    if (batch.reports.empty()) return behind ? name_next(most) : next_batch(most);
    return batch;
}

std::optional<Batch> SqliteStore::next_batch(std::size_t most) {
    require_leaving();
    // The current batch may have been sent, so it must not change.
    if (const auto last = opened_->head().last) return named(opened_->current(), std::nullopt, *last);
    if (pending() == 0) return std::nullopt;
    return name_next(most);
}

std::optional<Batch> SqliteStore::batch_after(std::size_t most) {
    require_leaving();
    const sqlite::Head& head = opened_->head();
    if (!head.last) return std::nullopt;
    if (head.ahead) return named(opened_->ahead(), head.last, *head.ahead);
    return name_next(most);
}

void SqliteStore::confirm(std::string_view id) {
    if (!opened_->is_current(id)) return;
    sqlite::Contents& contents = opened_->contents();
    // If a crash undoes this step, the same batch is sent again, and the server has its id.
    Step step(contents.file, sqlite::Durable::with_others);
    if (contents.keep_for > 0) {
        const auto front = contents.outbox.up_to(*step.head.last, std::nullopt);
        if (front)
            contents.delivered.keep(
                step, {0, std::string(id), front->round, front->columns, contents.route, front->reports},
                now() + contents.keep_for);
    }
    contents.outbox.drop(step, *step.head.last);
    step.head.last = std::exchange(step.head.ahead, std::nullopt);
    step.commit();
}

void SqliteStore::keep_delivered(std::chrono::seconds time, std::string route) {
    sqlite::Contents& contents = opened_->contents();
    contents.keep_for = time.count();
    contents.route = std::move(route);
    Step step(contents.file);
    contents.delivered.drop_until(step, now());
    step.commit();
}

std::uint64_t SqliteStore::kept() const {
    return opened_->contents().delivered.reports();
}

std::uint64_t SqliteStore::send_again() {
    const Checkpoint from{again_name, 0};
    append({}, 0, std::span(&from, 1));
    return kept();
}

std::optional<SqliteStore::KeptBatch> SqliteStore::next_again() const {
    const std::int64_t behind = checkpoint(again_name).value_or(-1);
    if (behind < 0) return std::nullopt;
    auto found = opened_->contents().delivered.after(behind);
    if (!found) return std::nullopt;
    return KeptBatch{{std::move(found->id), static_cast<std::int32_t>(found->round),
                      std::move(found->reports), columns_of(found->columns)},
                     std::move(found->route),
                     found->last};
}

void SqliteStore::sent_again(const KeptBatch& kept) {
    const bool more = opened_->contents().delivered.after(kept.last).has_value();
    const Checkpoint next{again_name, more ? kept.last : -1};
    append({}, 0, std::span(&next, 1));
}

void SqliteStore::queue_again(const KeptBatch& kept) {
    sqlite::Contents& contents = opened_->contents();
    Step step(contents.file);
    contents.delivered.drop(step, kept.batch.id);
    contents.outbox.append(step, kept.batch.reports, kept.batch.round, stored(kept.batch.columns));
    step.commit();
}

void SqliteStore::release(std::string_view id) {
    if (!opened_->is_current(id)) return;
    Step step(opened_->contents().file);
    step.head.last.reset();
    step.head.ahead.reset();
    step.commit();
}

void SqliteStore::move_to_dead_letters(std::string_view id, std::string_view reason) {
    if (!opened_->is_current(id)) return;
    const Batch batch = next_batch(1).value();
    sqlite::Contents& contents = opened_->contents();
    Step step(contents.file);
    contents.outbox.drop(step, *step.head.last);
    for (const Report& report : batch.reports)
        contents.refusals.keep(step, {batch.round, report, std::string(reason), true, stored(batch.columns)});
    step.head.last.reset();
    step.head.ahead.reset();
    step.commit();
}

std::vector<Refused> SqliteStore::refused() const {
    std::vector<Refused> all;
    for (auto& [round, report, reason, sound, columns] : opened_->contents().refusals.all())
        all.push_back({static_cast<std::int32_t>(round), std::move(report), std::move(reason), sound,
                       sound ? columns_of(columns) : PublicValues()});
    return all;
}

std::uint64_t SqliteStore::requeue_refused() {
    sqlite::Contents& contents = opened_->contents();
    const auto all = contents.refusals.all();
    Step step(contents.file);
    contents.refusals.drop(step);
    std::uint64_t queued = 0;
    std::vector<Report> together;  // reports of one round with the same public columns
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& [round, report, reason, sound, columns] = all[i];
        if (sound)
            together.push_back(report);
        else
            contents.refusals.keep(step, all[i]);
        if (i + 1 < all.size() && all[i + 1].round == round && all[i + 1].columns == columns) continue;
        contents.outbox.append(step, together, round, columns);
        queued += together.size();
        together.clear();
    }
    step.commit();
    return queued;
}

std::uint64_t SqliteStore::drop_refused() {
    sqlite::Contents& contents = opened_->contents();
    Step step(contents.file);
    const std::uint64_t dropped = contents.refusals.drop(step);
    step.commit();
    return dropped;
}

StoreIdentity SqliteStore::identity() const {
    return {opened_->person().name, name_of_store(opened_->head().secret)};
}

void SqliteStore::set_queue_aside(std::string_view reason) {
    sqlite::Contents& contents = opened_->contents();
    Step step(contents.file);
    step.head.last.reset();
    step.head.ahead.reset();
    while (step.head.waiting > 0) {
        const auto front = contents.outbox.first(step, 10000, std::nullopt);
        keep_damaged(contents, step, front.damaged);
        if (front.reports.empty()) {
            if (!front.damaged.empty()) continue;
            damaged(opened_->path(), "The queue has fewer reports than recorded.");
        }
        for (const Report& report : front.reports)
            contents.refusals.keep(step, {front.round, report, std::string(reason), true, front.columns});
        contents.outbox.drop(step, front.last);
    }
    step.head.ids = draw_secret();
    step.commit();
}

}  // namespace ldp
