#include "client/memory_store.hpp"

#include <algorithm>
#include <iterator>

#include "client/budget/budget_ledger.hpp"
#include "core/base/error.hpp"
#include "core/base/sha256.hpp"

namespace ldp {

namespace {

// A snapshot is a SHA-256 digest followed by the content. Strings and lists are preceded by their length.
constexpr std::size_t digest_size = 32;

// Changes are a digest followed by records: a kind and its arguments.
enum class StoredChange : std::uint8_t {
    append = 1,
    bind,
    begin_batch,
    confirm,
    release,
    move_to_dead_letters,
    requeue_refused,
    drop_refused,
    set_queue_aside,
};

constexpr const char* restore_hint =
    "Restore it from a backup: without memoized responses, a person spends the budget again.";

void put(Writer& writer, Bytes bytes) {
    writer.put(static_cast<std::uint64_t>(bytes.size()));
    writer.put_bytes(bytes);
}
void put(Writer& writer, std::string_view text) {
    put(writer, std::as_bytes(std::span(text)));
}

std::vector<std::byte> take_string(Reader& reader) {
    const Bytes bytes = reader.take_bytes(static_cast<std::size_t>(reader.take<std::uint64_t>()));
    return {bytes.begin(), bytes.end()};
}
std::string take_text(Reader& reader) {
    const auto bytes = take_string(reader);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Writes the length of a list and its elements.
void put_each(Writer& writer, const auto& list, const auto& put_one) {
    writer.put(static_cast<std::uint64_t>(list.size()));
    for (const auto& one : list) put_one(one);
}
void take_each(Reader& reader, const auto& take_one) {
    for (auto left = reader.take<std::uint64_t>(); left > 0; --left) take_one();
}

void put(Writer& writer, const PublicValues& columns) {
    put_each(writer, columns.values(), [&](const auto& one) {
        put(writer, one.first);
        put(writer, one.second);
    });
}
void put(Writer& writer, const PermanentResponse& memoized) {
    put_each(writer, memoized.key, [&](Cell cell) { writer.put(cell); });
    put(writer, memoized.permanent);
    writer.put(memoized.epsilon);
    writer.put(memoized.round);
}
PermanentResponse take_response(Reader& reader) {
    PermanentResponse memoized;
    take_each(reader, [&] { memoized.key.push_back(reader.take<Cell>()); });
    memoized.permanent = take_string(reader);
    memoized.epsilon = reader.take<double>();
    memoized.round = reader.take<std::int32_t>();
    return memoized;
}
Fingerprint take_fingerprint(Reader& reader) {
    Fingerprint fingerprint;
    std::ranges::copy(reader.take_bytes(fingerprint.digest.size()), fingerprint.digest.begin());
    return fingerprint;
}
PublicValues take_columns(Reader& reader) {
    PublicValues columns;
    take_each(reader, [&] {
        const std::string name = take_text(reader);
        const std::string value = take_text(reader);
        try {
            columns.set(name, value);
        } catch (const Error& error) {
            raise(ErrorCode::malformed, "the snapshot has an invalid public column", error.what(),
                  "Restore the snapshot from a copy.");
        }
    });
    return columns;
}

}  // namespace

std::vector<std::byte> MemoryStore::snapshot() const {
    Writer writer;
    writer.put(snapshot_version);
    writer.put(static_cast<std::uint8_t>(memory_.fingerprint.has_value()));
    writer.put_bytes(memory_.fingerprint.value_or(Fingerprint{}).digest);
    put(writer, memory_.public_randomness);
    put(writer, memory_.progress);
    put_each(writer, memory_.responses, [&](const PermanentResponse& memoized) { put(writer, memoized); });
    put_each(writer, queue_, [&](const Queued& queued) {
        writer.put(queued.round);
        put(writer, queued.report);
        put(writer, queued.columns);
    });
    put_each(writer, checkpoints_, [&](const auto& checkpoint) {
        put(writer, checkpoint.first);
        writer.put(checkpoint.second);
    });
    put_each(writer, refused_, [&](const Refused& refused) {
        writer.put(refused.round);
        put(writer, refused.report);
        put(writer, refused.reason);
        put(writer, refused.columns);
    });
    writer.put_bytes(secret_);
    writer.put(batches_);
    put(writer, batch_);
    writer.put(static_cast<std::uint64_t>(taken_));
    writer.put_bytes(ids_);
    put(writer, contract_);
    const auto digest = sha256(writer.bytes());
    writer.bytes().insert(writer.bytes().begin(), digest.begin(), digest.end());
    return std::move(writer.bytes());
}

MemoryStore::MemoryStore(Bytes snapshot) : secret_{} {
    if (snapshot.size() < digest_size ||
        !std::ranges::equal(snapshot.first(digest_size), sha256(snapshot.subspan(digest_size))))
        raise(ErrorCode::environment, "the stored state is damaged", "Its digest does not match its content.",
              restore_hint);
    Reader reader(snapshot.subspan(digest_size));
    const auto version = reader.take<std::uint32_t>();
    if (version >> 24 == MemoryLedger::snapshot_version >> 24)
        raise(
            ErrorCode::environment, "the store has a ledger of budgets instead of a client's state", {},
            "The ledger of a group and each client need separate stores. Use another store for the client.");
    if (version != snapshot_version)
        raise(ErrorCode::environment, "the stored state has an unsupported version",
              "Its version is " + std::to_string(version) + "; this release reads version " +
                  std::to_string(snapshot_version) + ".",
              "The state was not changed. Use the release of ldp that wrote it, or a newer one.");
    const bool bound = reader.take<std::uint8_t>() != 0;
    const Fingerprint fingerprint = take_fingerprint(reader);
    if (bound) memory_.fingerprint = fingerprint;
    memory_.public_randomness = take_string(reader);
    memory_.progress = take_string(reader);
    take_each(reader, [&] { memory_.responses.push_back(take_response(reader)); });
    take_each(reader, [&] {
        const auto round = reader.take<std::int32_t>();
        Report report = take_string(reader);
        queue_.push_back({round, std::move(report), take_columns(reader)});
    });
    take_each(reader, [&] {
        std::string name = take_text(reader);
        checkpoints_.emplace(std::move(name), reader.take<std::int64_t>());
    });
    take_each(reader, [&] {
        Refused& refused = refused_.emplace_back();
        refused.round = reader.take<std::int32_t>();
        refused.report = take_string(reader);
        refused.reason = take_text(reader);
        refused.columns = take_columns(reader);
    });
    std::ranges::copy(reader.take_bytes(secret_.size()), secret_.begin());
    batches_ = reader.take<std::int64_t>();
    batch_ = take_text(reader);
    taken_ = static_cast<std::size_t>(reader.take<std::uint64_t>());
    std::ranges::copy(reader.take_bytes(ids_.size()), ids_.begin());
    contract_ = take_text(reader);
    reader.finish();
    // The digest has no key, so it does not prove that the content is consistent.
    if (taken_ > queue_.size() || batch_.empty() != (taken_ == 0))
        raise(ErrorCode::environment, "the stored state is damaged", "Its current batch is inconsistent.");
}

/// Adds a record to the changes. Unless commit() follows, the record is removed again.
class MemoryStore::Record {
  public:
    /// Calls write(writer) for the arguments of the change.
    template <class Write>
    Record(MemoryStore& store, StoredChange change, Write write)
        : store_(store), size_(store.recorded_.size()) {
        if (!store.records_) return;
        Writer writer;
        writer.put(change);
        write(writer);
        store.recorded_.insert(store.recorded_.end(), writer.bytes().begin(), writer.bytes().end());
    }
    Record(MemoryStore& store, StoredChange change) : Record(store, change, [](Writer&) {}) {}
    Record(const Record&) = delete;
    Record& operator=(const Record&) = delete;
    ~Record() { store_.recorded_.resize(size_); }

    void commit() noexcept { size_ = store_.recorded_.size(); }

  private:
    MemoryStore& store_;
    std::size_t size_;
};

void MemoryStore::record_changes(Bytes snapshot) {
    std::ranges::copy(snapshot.first(digest_size), digest_.begin());
    recorded_.clear();
    records_ = true;
}

std::vector<std::byte> MemoryStore::changes() {
    if (recorded_.empty()) return {};
    Sha256 hash;
    hash.add(digest_);
    hash.add(recorded_);
    const auto digest = hash.digest();
    std::vector<std::byte> made(digest.begin(), digest.end());
    made.insert(made.end(), recorded_.begin(), recorded_.end());
    recorded_.clear();
    digest_ = digest;
    return made;
}

void MemoryStore::apply(Bytes changes) {
    Sha256 hash;
    hash.add(digest_);
    if (changes.size() >= digest_size) hash.add(changes.subspan(digest_size));
    const auto digest = hash.digest();
    if (changes.size() < digest_size || !std::ranges::equal(changes.first(digest_size), digest))
        raise(ErrorCode::environment, "the stored state is damaged",
              "The digest of a change does not match the change and the state before it.", restore_hint);
    Reader reader(changes.subspan(digest_size));
    records_ = false;
    while (!reader.empty()) repeat(reader);
    records_ = true;
    digest_ = digest;
}

void MemoryStore::repeat(Reader& reader) {
    switch (reader.take<StoredChange>()) {
        case StoredChange::append: {
            std::vector<Report> reports;
            std::vector<std::pair<std::string, std::int64_t>> named;
            std::vector<PermanentResponse> responses;
            std::vector<ColumnRun> runs;
            const auto round = reader.take<std::int32_t>();
            take_each(reader, [&] { reports.push_back(take_string(reader)); });
            take_each(reader, [&] {
                std::string name = take_text(reader);
                named.emplace_back(std::move(name), reader.take<std::int64_t>());
            });
            const auto public_randomness = take_string(reader), progress = take_string(reader);
            take_each(reader, [&] { responses.push_back(take_response(reader)); });
            take_each(reader, [&] {
                const auto count = static_cast<std::size_t>(reader.take<std::uint64_t>());
                runs.push_back({count, take_columns(reader)});
            });
            std::vector<Checkpoint> checkpoints;
            for (const auto& [name, value] : named) checkpoints.push_back({name, value});
            append(reports, round, checkpoints, {public_randomness, progress, responses}, runs);
            return;
        }
        case StoredChange::bind: {
            const Fingerprint fingerprint = take_fingerprint(reader);
            bind(fingerprint, take_text(reader));
            return;
        }
        case StoredChange::set_queue_aside: {
            Secret ids;
            std::ranges::copy(reader.take_bytes(ids.size()), ids.begin());
            set_queue_aside(take_text(reader), ids);
            return;
        }
        case StoredChange::begin_batch:
            static_cast<void>(next_batch(static_cast<std::size_t>(reader.take<std::uint64_t>())));
            return;
        case StoredChange::confirm:
            confirm(batch_);
            return;
        case StoredChange::release:
            release(batch_);
            return;
        case StoredChange::move_to_dead_letters:
            move_to_dead_letters(batch_, take_text(reader));
            return;
        case StoredChange::requeue_refused:
            requeue_refused();
            return;
        case StoredChange::drop_refused:
            drop_refused();
            return;
    }
    raise(ErrorCode::environment, "the stored state is damaged", "It has an unknown kind of change.",
          restore_hint);
}

void MemoryStore::bind(const Contract& contract) {
    bind(contract.fingerprint, contract.to_json());
}

void MemoryStore::bind(const Fingerprint& fingerprint, std::string contract) {
    auto& bound = memory_.fingerprint;
    if (bound.value_or(fingerprint) != fingerprint) refuse_spec(*bound, fingerprint);
    if (bound && contract == contract_) return;
    Record record(*this, StoredChange::bind, [&](Writer& writer) {
        writer.put_bytes(fingerprint.digest);
        put(writer, contract);
    });
    bound = fingerprint;
    contract_ = std::move(contract);
    record.commit();
}

void MemoryStore::append(std::span<const Report> reports, std::int32_t round,
                         std::span<const Checkpoint> checkpoints, const StateDelta& delta,
                         std::span<const ColumnRun> runs) {
    if (reports.empty() && checkpoints.empty() && delta.public_randomness.empty() && delta.progress.empty() &&
        delta.responses.empty())
        return;
    Record record(*this, StoredChange::append, [&](Writer& writer) {
        writer.put(round);
        put_each(writer, reports, [&](const Report& report) { put(writer, report); });
        put_each(writer, checkpoints, [&](const Checkpoint& checkpoint) {
            put(writer, checkpoint.name);
            writer.put(checkpoint.value);
        });
        put(writer, delta.public_randomness);
        put(writer, delta.progress);
        put_each(writer, delta.responses, [&](const PermanentResponse& memoized) { put(writer, memoized); });
        put_each(writer, runs, [&](const ColumnRun& run) {
            writer.put(static_cast<std::uint64_t>(run.reports));
            put(writer, run.columns);
        });
    });
    auto named = checkpoints_;
    std::vector<std::byte> public_randomness(delta.public_randomness.begin(), delta.public_randomness.end());
    std::vector<std::byte> progress(delta.progress.begin(), delta.progress.end());
    std::vector<PermanentResponse> responses(delta.responses.begin(), delta.responses.end());
    for (PermanentResponse& memoized : responses) memoized.round = round;
    if (const std::size_t needed = memory_.responses.size() + responses.size();
        needed > memory_.responses.capacity())
        memory_.responses.reserve(2 * needed);
    for (const Checkpoint& checkpoint : checkpoints)
        named.insert_or_assign(std::string(checkpoint.name), checkpoint.value);
    const auto before = static_cast<std::ptrdiff_t>(queue_.size());
    try {
        for (const Report& report : reports) queue_.push_back({round, report});
        auto queued = queue_.begin() + before;
        for (const ColumnRun& run : runs)
            for (std::size_t i = 0; i < run.reports && queued != queue_.end(); ++i)
                (queued++)->columns = run.columns;
    } catch (...) {
        queue_.erase(queue_.begin() + before, queue_.end());
        throw;
    }
    checkpoints_.swap(named);
    if (!public_randomness.empty()) memory_.public_randomness.swap(public_randomness);
    if (!progress.empty()) memory_.progress.swap(progress);
    std::ranges::move(responses, std::back_inserter(memory_.responses));
    record.commit();
}

std::optional<std::int64_t> MemoryStore::checkpoint(std::string_view name) const {
    const auto found = checkpoints_.find(name);
    return found == checkpoints_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Batch> MemoryStore::next_batch(std::size_t most) {
    if (queue_.empty()) return std::nullopt;
    if (batch_.empty()) {
        Record record(*this, StoredChange::begin_batch,
                      [&](Writer& writer) { writer.put(static_cast<std::uint64_t>(most)); });
        std::string id = batch_id(ids_, batches_);
        taken_ = gather(most);
        batch_ = std::move(id);
        ++batches_;
        record.commit();
    }
    Batch batch{batch_, queue_.front().round, {}, queue_.front().columns};
    batch.reports.reserve(taken_);
    for (std::size_t i = 0; i < taken_; ++i) batch.reports.push_back(queue_[i].report);
    return batch;
}

std::size_t MemoryStore::gather(std::size_t most) {
    constexpr std::ptrdiff_t window = 10000;  // of the queue, so that no step takes long
    const auto fits = [round = queue_.front().round, columns = queue_.front().columns](const Queued& queued) {
        return queued.round == round && queued.columns == columns;
    };
    const auto end = queue_.begin() + std::min(window, std::ssize(queue_));
    if (std::any_of(queue_.begin(), end, [](const Queued& queued) { return !queued.columns.empty(); }))
        std::stable_partition(queue_.begin(), end, fits);
    const auto other = std::ranges::find_if_not(queue_, fits);
    return std::min(most, static_cast<std::size_t>(other - queue_.begin()));
}

void MemoryStore::forget() noexcept {
    batch_.clear();
    taken_ = 0;
}

void MemoryStore::remove() noexcept {
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(taken_));
    forget();
}

void MemoryStore::confirm(std::string_view id) {
    if (!current(id)) return;
    Record record(*this, StoredChange::confirm);
    remove();
    record.commit();
}

void MemoryStore::release(std::string_view id) {
    if (!current(id)) return;
    Record record(*this, StoredChange::release);
    forget();
    record.commit();
}

void MemoryStore::move_to_dead_letters(std::string_view id, std::string_view reason) {
    if (!current(id)) return;
    Record record(*this, StoredChange::move_to_dead_letters, [&](Writer& writer) { put(writer, reason); });
    std::vector<Refused> added;
    for (std::size_t i = 0; i < taken_; ++i)
        added.push_back({queue_[i].round, queue_[i].report, std::string(reason), true, queue_[i].columns});
    refused_.reserve(refused_.size() + added.size());
    std::ranges::move(added, std::back_inserter(refused_));
    remove();
    record.commit();
}

std::uint64_t MemoryStore::requeue_refused() {
    const std::uint64_t queued = refused_.size();
    if (queued == 0) return 0;
    Record record(*this, StoredChange::requeue_refused);
    auto queue = queue_;
    for (const Refused& refused : refused_) queue.push_back({refused.round, refused.report, refused.columns});
    queue_.swap(queue);
    refused_.clear();
    record.commit();
    return queued;
}

std::uint64_t MemoryStore::drop_refused() {
    const std::uint64_t dropped = refused_.size();
    if (dropped == 0) return 0;
    Record record(*this, StoredChange::drop_refused);
    refused_.clear();
    record.commit();
    return dropped;
}

void MemoryStore::set_queue_aside(std::string_view reason) {
    set_queue_aside(reason, draw_secret());
}

void MemoryStore::set_queue_aside(std::string_view reason, const Secret& ids) {
    Record record(*this, StoredChange::set_queue_aside, [&](Writer& writer) {
        writer.put_bytes(ids);
        put(writer, reason);
    });
    std::vector<Refused> added;
    for (const Queued& queued : queue_)
        added.push_back({queued.round, queued.report, std::string(reason), true, queued.columns});
    refused_.reserve(refused_.size() + added.size());
    std::ranges::move(added, std::back_inserter(refused_));
    queue_.clear();
    forget();
    ids_ = ids;
    record.commit();
}

}  // namespace ldp
