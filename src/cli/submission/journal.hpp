// The progress of a submission, stored as checkpoints in the state file.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/records.hpp"
#include "cli/submission/user_folder.hpp"
#include "client/store.hpp"

namespace ldp::cli::submit {

/// A file, with the code of its content. Throws Error (environment) if it is not a regular file.
struct InputFile {
    InputFile(std::string file, const UserFolder& user);
    std::string name;
    std::uint64_t size = 0;     ///< for the progress that is shown; it is not stored
    AuthenticationCode code{};  ///< of the content, under the user's secret

    [[nodiscard]] std::string_view code_text() const noexcept {
        return {reinterpret_cast<const char*>(code.data()), code.size()};
    }
};

/// The identity of a submission, in addition to its file. All parts come from the user; none comes from a
/// server.
struct SubmissionKey {
    std::string endpoint;    ///< Destination::endpoint()
    std::string collection;  ///< the name
    std::int64_t round;      ///< the round, or a hash of the name of its column
    std::int64_t columns;    ///< ColumnMap::hash()
    std::int64_t format;     ///< a hash of the options for the file's format; 0 without any
};

/// The progress of a submission, stored as checkpoints in the state file.
///
/// Positions in a file and counts of clamped values depend on the content of the file. Therefore each value
/// is stored as its difference from a number that only the user's secret, the name of the value and a nonce
/// determine. Each step draws another nonce. Without the secret, the stored numbers are random.
class Journal {
  public:
    /// Uses checkpoints whose names begin with `prefix`. The store and the folder must outlive the journal.
    Journal(const Store& store, const UserFolder& user, std::string prefix, SubmissionKey key,
            std::size_t attributes);

    [[nodiscard]] bool started() const { return store_.checkpoint(prefix_ + file_nonce).has_value(); }
    [[nodiscard]] bool finished() const { return read("finished") != 0; }
    [[nodiscard]] std::uint64_t total() const { return count("file.rows"); }

    /// Sets checkpoints in the same step as the staged reports are queued.
    using Commit = std::function<void(std::span<const Checkpoint>)>;
    /// Returns whether these checkpoints belong to a submission of the same content with the same key.
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
    /// The names of the nonces of values that start() sets, and of those that advance() sets.
    static constexpr const char* file_nonce = "file.nonce";
    static constexpr const char* at_nonce = "at.nonce";

    /// Returns the number that is added to a value with this name to hide it; it depends on a nonce.
    [[nodiscard]] std::int64_t mask(const std::string& name, std::int64_t nonce) const;
    [[nodiscard]] std::int64_t read(const std::string& name) const;
    [[nodiscard]] std::uint64_t count(const std::string& name) const {
        return static_cast<std::uint64_t>(read(name));
    }
    static Named position_of(const Records& records, bool finished);
    /// Appends the values under their names, hidden with a new nonce.
    void hide(std::vector<Checkpoint>& all, std::vector<std::string>& names, const Named& values,
              const char* nonce_name) const;

    const Store& store_;
    const UserFolder& user_;
    std::string prefix_;
    SubmissionKey key_;
    std::size_t attributes_;
};

/// Throws Error (environment) if this user submitted the content of `source` before to the same collection and in the
/// same round. A state file in the folder of `source` or of `state` may belong to it, or claim_submission() recorded it.
/// Ignores the format, the columns, state files that are in use or cannot be read, and `state` itself.
void refuse_copy(const UserFolder& user, const InputFile& source, const SubmissionKey& key,
                 const std::string& state);
/// Records the submission in the folder of this user before the first row is queued, so that a copy is recognized in
/// all folders and after the state file was deleted. The name of the record is a code of content, endpoint, collection and
/// round under the user's secret. Throws Error (environment) if another state file has the record, also if another process
/// makes it at the same time, or if nothing can be recorded. With `copy`, the record is replaced.
void claim_submission(const UserFolder& user, const InputFile& source, const SubmissionKey& key,
                      const std::string& state, bool copy);

}  // namespace ldp::cli::submit
