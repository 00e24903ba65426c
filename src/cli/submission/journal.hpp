// The progress of a submission, stored as checkpoints in the state file.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/records.hpp"
#include "client/store.hpp"

namespace ldp::cli::submit {

/// A file, with the size and the hash of its content. Throws Error (environment) if it is not a regular file.
struct InputFile {
    explicit InputFile(std::string file);
    std::string name;
    std::int64_t size = 0;
    std::int64_t hash = 0;
};

/// The identity of a submission, in addition to its file.
struct SubmissionKey {
    std::int64_t target;   ///< Destination::target()
    std::int64_t round;    ///< the round, or a hash of the name of its column
    std::int64_t columns;  ///< ColumnMap::hash()
    std::int64_t format;   ///< a hash of the options for the file's format; 0 without any
};

/// The progress of a submission, stored as checkpoints in the state file.
class Journal {
  public:
    /// Uses checkpoints whose names begin with `prefix`. The store must outlive the journal.
    Journal(const Store& store, std::string prefix, const SubmissionKey& key, std::size_t attributes);

    [[nodiscard]] bool started() const { return store_.checkpoint(prefix_ + "file.size").has_value(); }
    [[nodiscard]] bool finished() const { return read("finished") != 0; }
    [[nodiscard]] std::uint64_t total() const { return count("file.rows"); }

    /// Sets checkpoints in the same step as the staged reports are queued.
    using Commit = std::function<void(std::span<const Checkpoint>)>;
    /// Returns whether these checkpoints are those of a submission of the same content with the same key.
    [[nodiscard]] bool has_content_of(const InputFile& source) const;
    void start(const InputFile& source, std::int64_t total, const Records& records, const Commit& commit);
    /// Throws Error (environment) if the arguments differ from those of start().
    void check(const InputFile& source, const std::string& state) const;
    /// Queues the staged reports and moves the checkpoint behind their rows.
    void advance(const Records& records, bool finished, const Commit& commit) const;

    [[nodiscard]] Records::RecordPosition position() const;
    [[nodiscard]] Tally tally() const;

  private:
    /// Names without prefix, and values.
    using Named = std::vector<std::pair<std::string, std::int64_t>>;
    [[nodiscard]] std::int64_t read(const std::string& name) const {
        return store_.checkpoint(prefix_ + name).value_or(0);
    }
    [[nodiscard]] std::uint64_t count(const std::string& name) const {
        return static_cast<std::uint64_t>(read(name));
    }
    static void add_position(Named& checkpoints, const Records& records, bool finished);
    void commit_all(Named checkpoints, const Commit& commit) const;

    const Store& store_;
    std::string prefix_;
    SubmissionKey key_;
    std::size_t attributes_;
};

/// Throws Error (environment) if the content of `source` was submitted before with the same key. A state file in the
/// folder of `source` or of `state` may belong to it, or claim_submission() recorded it. Ignores the format, state
/// files that are in use or cannot be read, and `state` itself.
void refuse_copy(const InputFile& source, const SubmissionKey& key, const std::string& state);
/// Records the content and the key in a folder of this user before the first row is queued, so that a copy is recognized in
/// all folders and after the state file was deleted. The folder is ldp/submitted in $XDG_STATE_HOME, by default
/// ~/.local/state. Throws Error (environment) if another state file has the record, also if another process makes it at the
/// same time; with `copy` the record is replaced. Prints a note if nothing can be recorded.
void claim_submission(const InputFile& source, const SubmissionKey& key, const std::string& state, bool copy);

}  // namespace ldp::cli::submit
