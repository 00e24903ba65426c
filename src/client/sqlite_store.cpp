#include "client/sqlite_store.hpp"

#include <utility>

#include "client/sqlite/outbox.hpp"
#include "client/sqlite/state_file.hpp"
#include "core/base/error.hpp"

namespace ldp {

using sqlite::damaged;
using sqlite::RowDigest;
using sqlite::Statement;
using sqlite::Step;

class SqliteStore::File {
  public:
    explicit File(const std::string& path) : database(path, draw_secret()) {
        // Marks are asked for by name, so one whose name changed would be taken for none.
        const Statement marks(database, "SELECT name, value, digest FROM mark");
        for (auto row = marks(); row.row();)
            if (RowDigest::of("mark", row.text(0), row.integer(1)) != row.integer(2))
                damaged(path, "How far it has come has changed.");
    }

    sqlite::StateFile database;
    Statement get_mark{database, "SELECT value, digest FROM mark WHERE name = ?"};
    Statement set_mark{database, "INSERT OR REPLACE INTO mark VALUES (?, ?, ?)"};
    Statement get_public_randomness{database, "SELECT content, digest FROM public_randomness"};
    Statement set_public_randomness{database,
                                    "INSERT INTO public_randomness VALUES (0, ?, ?)"};  // once and for ever
    Statement get_course{database, "SELECT content, digest FROM course"};
    Statement set_course{database, "INSERT OR REPLACE INTO course VALUES (0, ?, ?)"};
    Statement get_answers{database,
                          "SELECT id, key, response, epsilon, round, digest FROM answer ORDER BY id"};
    Statement put_answer{database,
                         "INSERT INTO answer (key, response, epsilon, round, digest) VALUES (?, ?, ?, ?, ?)"};
    Statement refuse{database,
                     "INSERT INTO refused (round, report, reason, sound, digest) VALUES (?, ?, ?, ?, ?)"};
    Statement get_refused{database, "SELECT round, report, reason, sound, digest FROM refused ORDER BY id"};
    Statement drop_refused{database, "DELETE FROM refused RETURNING digest"};
    sqlite::Outbox outbox{database};

    [[nodiscard]] const sqlite::Head& head() const noexcept { return database.head(); }
    void require_current() const {
        if (head().outdated != 0) refuse_outdated();
    }
    /// The batch that was named and is not done with, if there is one: its id.
    [[nodiscard]] std::optional<std::string> named() const {
        if (!head().last) return std::nullopt;
        return batch_id(head().secret, head().batches - 1);
    }
    [[nodiscard]] bool is_named(std::string_view id) const { return named() == id; }

    [[nodiscard]] static std::int64_t refused_digest(std::int64_t round, const Report& report,
                                                     std::string_view reason, std::int64_t sound) {
        return RowDigest::of("refused", round, Bytes(report), reason, sound);
    }

    void keep_refused(Step& step, std::int64_t round, const Report& report, std::string_view reason,
                      bool sound) {
        const std::int64_t digest = refused_digest(round, report, reason, std::int64_t{sound});
        refuse(round, Bytes(report), reason, std::int64_t{sound}, digest).finish();
        step.came(digest);
    }
    /// Deletes what the statement says, all of whose rows have digests; returns how many there were.
    template <class... Parameters>
    std::uint64_t drop(Step& step, const Statement& statement, const Parameters&... parameters) {
        std::uint64_t dropped = 0;
        for (auto gone = statement(parameters...); gone.row(); ++dropped) step.went(gone.integer(0));
        return dropped;
    }
};

SqliteStore::SqliteStore(const std::string& path) : file_(std::make_unique<File>(path)) {}
SqliteStore::SqliteStore(SqliteStore&&) noexcept = default;
SqliteStore& SqliteStore::operator=(SqliteStore&&) noexcept = default;
SqliteStore::~SqliteStore() = default;

void SqliteStore::bind(std::uint64_t fingerprint) {
    file_->require_current();
    const auto spec = static_cast<std::int64_t>(fingerprint);
    const auto bound = file_->head().fingerprint;
    if (bound.value_or(spec) != spec) refuse_spec(static_cast<std::uint64_t>(*bound), fingerprint);
    if (bound) return;
    Step step(file_->database);
    step.head.fingerprint = spec;
    step.commit();
}

void SqliteStore::append(std::span<const Report> reports, std::int32_t round, std::span<const Mark> marks,
                         const Notes& notes) {
    File& file = *file_;
    file.require_current();
    Step step(file.database);
    if (!notes.public_randomness.empty()) {
        const std::int64_t digest = RowDigest::of("public_randomness", notes.public_randomness);
        file.set_public_randomness(notes.public_randomness, digest).finish();
        step.came(digest);
    }
    if (!notes.course.empty()) {
        if (auto before = file.get_course(); before.row()) step.went(before.integer(1));
        const std::int64_t digest = RowDigest::of("course", notes.course);
        file.set_course(notes.course, digest).finish();
        step.came(digest);
    }
    for (const Answer& answer : notes.answers) {
        Writer key;
        for (const Cell cell : answer.key) key.put(cell);
        const std::int64_t digest = RowDigest::of("answer", Bytes(key.bytes()), Bytes(answer.permanent),
                                                  answer.epsilon, std::int64_t{round});
        file.put_answer(Bytes(key.bytes()), Bytes(answer.permanent), answer.epsilon, std::int64_t{round},
                        digest)
            .finish();
        step.came(digest);
    }
    file.outbox.append(step, reports, round);
    for (const Mark& mark : marks) {
        if (auto before = file.get_mark(mark.name); before.row()) step.went(before.integer(1));
        const std::int64_t digest = RowDigest::of("mark", mark.name, mark.value);
        file.set_mark(mark.name, mark.value, digest).finish();
        step.came(digest);
    }
    step.commit();
}

Memory SqliteStore::memory() const {
    const std::string& path = file_->database.path();
    Memory memory;
    if (const auto bound = file_->head().fingerprint) memory.fingerprint = static_cast<std::uint64_t>(*bound);
    memory.outdated = file_->head().outdated != 0;
    const auto read = [&](const char* table, const Statement& statement, std::vector<std::byte>& content) {
        auto found = statement();
        if (!found.row()) return;
        content = found.blob(0);
        if (RowDigest::of(table, Bytes(content)) != found.integer(1))
            damaged(path, "What it remembers has changed.");
    };
    read("public_randomness", file_->get_public_randomness, memory.public_randomness);
    read("course", file_->get_course, memory.course);
    auto answers = file_->get_answers();
    while (answers.row()) {
        const std::vector<std::byte> key = answers.blob(1);
        const std::int64_t round = answers.integer(4);
        Answer answer{{}, answers.blob(2), answers.real(3), static_cast<std::int32_t>(round)};
        if (answers.integer(0) != static_cast<std::int64_t>(memory.answers.size()) + 1)
            damaged(path, "An answer is missing.");
        if (key.size() % sizeof(Cell) != 0 || RowDigest::of("answer", Bytes(key), Bytes(answer.permanent),
                                                            answer.epsilon, round) != answers.integer(5))
            damaged(path, "An answer has changed.");
        for (Reader reader(key); answer.key.size() < key.size() / sizeof(Cell);)
            answer.key.push_back(reader.take<Cell>());
        memory.answers.push_back(std::move(answer));
    }
    return memory;
}

std::optional<std::int64_t> SqliteStore::mark(std::string_view name) const {
    return file_->get_mark(name).number();
}

std::uint64_t SqliteStore::pending() const {
    return static_cast<std::uint64_t>(file_->head().waiting);
}

std::optional<Batch> SqliteStore::next_batch(std::size_t most) {
    File& file = *file_;
    file.require_current();
    if (const auto named = file.named()) {  // it is on its way, and must stay as it was
        auto front = file.outbox.up_to(*file.head().last);
        if (!front) damaged(file.database.path(), "The reports of its current batch have changed.");
        return Batch{*named, static_cast<std::int32_t>(front->round), std::move(front->reports)};
    }
    if (file.head().waiting == 0) return std::nullopt;
    Step step(file.database);
    auto front = file.outbox.first(step, most);
    for (const auto& row : front.damaged) {  // it must not keep the rest back
        std::vector<Report> lost;
        if (row.stretch.possible())
            row.stretch.append_to(lost);
        else
            lost.push_back(row.stretch.content);
        for (const Report& report : lost)
            file.keep_refused(step, row.round, report, "it was damaged in the state file", false);
    }
    if (front.reports.empty() && front.damaged.empty())
        damaged(file.database.path(), "Reports wait, and there are none.");
    Batch batch{{}, static_cast<std::int32_t>(front.round), std::move(front.reports)};
    if (!batch.reports.empty()) {
        batch.id = batch_id(step.head.secret, step.head.batches++);
        step.head.last = front.last;
    }
    step.commit();
    if (batch.reports.empty()) return next_batch(most);
    return batch;
}

void SqliteStore::confirm(std::string_view id) {
    if (!file_->is_named(id)) return;
    // Undone, it is the same batch that comes again, and the server knows it.
    Step step(file_->database, sqlite::Durable::with_others);
    file_->outbox.drop(step, *step.head.last);
    step.head.last.reset();
    step.commit();
}

void SqliteStore::release(std::string_view id) {
    if (!file_->is_named(id)) return;
    Step step(file_->database);
    step.head.last.reset();
    step.commit();
}

void SqliteStore::set_aside(std::string_view id, std::string_view reason) {
    if (!file_->is_named(id)) return;
    const Batch batch = next_batch(1).value();
    Step step(file_->database);
    file_->outbox.drop(step, *step.head.last);
    for (const Report& report : batch.reports) file_->keep_refused(step, batch.round, report, reason, true);
    step.head.last.reset();
    step.commit();
}

std::vector<Refused> SqliteStore::refused() const {
    std::vector<Refused> all;
    for (auto row = file_->get_refused(); row.row();) {
        const std::int64_t round = row.integer(0), sound = row.integer(3);
        Refused one{static_cast<std::int32_t>(round), row.blob(1), row.text(2), sound != 0};
        if (file_->refused_digest(round, one.report, one.reason, sound) != row.integer(4))
            damaged(file_->database.path(), "A report that was set aside has changed.");
        all.push_back(std::move(one));
    }
    return all;
}

std::uint64_t SqliteStore::requeue_refused() {
    const std::vector<Refused> all = refused();
    Step step(file_->database);
    const std::int64_t before = step.head.waiting;
    file_->drop(step, file_->drop_refused);
    std::vector<Report> together;  // of one round
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& [round, report, reason, sound] = all[i];
        if (sound)
            together.push_back(report);
        else
            file_->keep_refused(step, round, report, reason, false);
        if (i + 1 < all.size() && all[i + 1].round == round) continue;
        file_->outbox.append(step, together, round);
        together.clear();
    }
    step.commit();
    return static_cast<std::uint64_t>(file_->head().waiting - before);
}

std::uint64_t SqliteStore::drop_refused() {
    Step step(file_->database);
    const std::uint64_t dropped = file_->drop(step, file_->drop_refused);
    step.commit();
    return dropped;
}

void SqliteStore::retire() {
    Step step(file_->database);
    step.head.outdated = 1;
    step.commit();
}

}  // namespace ldp
