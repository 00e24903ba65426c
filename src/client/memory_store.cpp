#include "client/memory_store.hpp"

#include <algorithm>
#include <iterator>

#include "core/base/error.hpp"
#include "core/base/sha256.hpp"

namespace ldp {

namespace {

// A snapshot is a SHA-256 digest followed by the content. Strings and lists are preceded by their length.
constexpr std::uint32_t snapshot_version = 1;

std::array<std::byte, 32> digest_of(Bytes content) {
    Sha256 hash;
    hash.add(content);
    return hash.digest();
}

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
PublicValues take_columns(Reader& reader) {
    PublicValues columns;
    take_each(reader, [&] {
        const std::string name = take_text(reader);
        const std::string value = take_text(reader);
        try {
            columns.set(name, value);
        } catch (const Error& error) {
            raise(ErrorCode::malformed, "the snapshot has an impossible public column", error.what(),
                  "Restore the snapshot from a copy.");
        }
    });
    return columns;
}

}  // namespace

std::vector<std::byte> MemoryStore::snapshot() const {
    Writer writer;
    writer.put(snapshot_version);
    writer.put(static_cast<std::uint8_t>(memory_.outdated));
    writer.put(static_cast<std::uint8_t>(memory_.fingerprint.has_value()));
    writer.put(memory_.fingerprint.value_or(0));
    put(writer, memory_.public_randomness);
    put(writer, memory_.progress);
    put_each(writer, memory_.responses, [&](const PermanentResponse& memoized) {
        put_each(writer, memoized.key, [&](Cell cell) { writer.put(cell); });
        put(writer, memoized.permanent);
        writer.put(memoized.epsilon);
        writer.put(memoized.round);
    });
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
    const auto digest = digest_of(writer.bytes());
    writer.bytes().insert(writer.bytes().begin(), digest.begin(), digest.end());
    return std::move(writer.bytes());
}

MemoryStore::MemoryStore(Bytes snapshot) : secret_{} {
    constexpr std::size_t digest_size = std::tuple_size_v<decltype(digest_of({}))>;
    if (snapshot.size() < digest_size ||
        !std::ranges::equal(snapshot.first(digest_size), digest_of(snapshot.subspan(digest_size))))
        raise(ErrorCode::environment, "the stored state is damaged", "Its digest does not match its content.",
              "Restore it from a backup: a person without their memory spends the budget again.");
    Reader reader(snapshot.subspan(digest_size));
    if (const auto version = reader.take<std::uint32_t>(); version != snapshot_version)
        raise(ErrorCode::environment, "the stored state has an unsupported version",
              "Its version is " + std::to_string(version) + "; this release reads version " +
                  std::to_string(snapshot_version) + ".",
              "The state was not changed. Use the release of ldp that wrote it, or a newer one.");
    memory_.outdated = reader.take<std::uint8_t>() != 0;
    const bool bound = reader.take<std::uint8_t>() != 0;
    const auto fingerprint = reader.take<std::uint64_t>();
    if (bound) memory_.fingerprint = fingerprint;
    memory_.public_randomness = take_string(reader);
    memory_.progress = take_string(reader);
    take_each(reader, [&] {
        PermanentResponse& memoized = memory_.responses.emplace_back();
        take_each(reader, [&] { memoized.key.push_back(reader.take<Cell>()); });
        memoized.permanent = take_string(reader);
        memoized.epsilon = reader.take<double>();
        memoized.round = reader.take<std::int32_t>();
    });
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
    reader.finish();
    // The digest has no key, so it does not prove that the content is consistent.
    if (taken_ > queue_.size() || batch_.empty() != (taken_ == 0))
        raise(ErrorCode::environment, "the stored state is damaged", "Its current batch is inconsistent.");
}

void MemoryStore::bind(std::uint64_t fingerprint) {
    if (memory_.outdated) refuse_outdated();
    auto& bound = memory_.fingerprint;
    if (bound.value_or(fingerprint) != fingerprint) refuse_spec(*bound, fingerprint);
    bound = fingerprint;
}

void MemoryStore::append(std::span<const Report> reports, std::int32_t round,
                         std::span<const Checkpoint> checkpoints, const StateDelta& delta,
                         std::span<const ColumnRun> runs) {
    if (memory_.outdated) refuse_outdated();
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
}

std::optional<std::int64_t> MemoryStore::checkpoint(std::string_view name) const {
    const auto found = checkpoints_.find(name);
    return found == checkpoints_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Batch> MemoryStore::next_batch(std::size_t most) {
    if (memory_.outdated) refuse_outdated();
    if (queue_.empty()) return std::nullopt;
    if (batch_.empty()) {
        taken_ = gather(most);
        batch_ = batch_id(secret_, batches_++);
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
    if (current(id)) remove();
}

void MemoryStore::release(std::string_view id) {
    if (current(id)) forget();
}

void MemoryStore::move_to_dead_letters(std::string_view id, std::string_view reason) {
    if (!current(id)) return;
    std::vector<Refused> added;
    for (std::size_t i = 0; i < taken_; ++i)
        added.push_back({queue_[i].round, queue_[i].report, std::string(reason), true, queue_[i].columns});
    refused_.reserve(refused_.size() + added.size());
    std::ranges::move(added, std::back_inserter(refused_));
    remove();
}

std::uint64_t MemoryStore::requeue_refused() {
    auto queue = queue_;
    for (const Refused& refused : refused_) queue.push_back({refused.round, refused.report, refused.columns});
    queue_.swap(queue);
    return drop_refused();
}

std::uint64_t MemoryStore::drop_refused() {
    const std::uint64_t dropped = refused_.size();
    refused_.clear();
    return dropped;
}

}  // namespace ldp
