#include "cli/submission/journal.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include "cli/command.hpp"
#include "client/sqlite_store.hpp"
#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/base/sha256.hpp"
#include "core/base/text.hpp"

namespace ldp::cli::submit {

namespace {

/// The checkpoint with the number of clamped values of an attribute.
std::string clamped_name(std::size_t attribute) {
    return "tally.moved." + std::to_string(attribute);
}

/// A value that shows whether a journal was written under this user's secret.
constexpr std::int64_t known = 0x6c6470;
/// Bound of the number of values of a step without those of attributes.
constexpr std::size_t fixed_values = 32;

std::string_view text_of(const AuthenticationCode& code) {
    return {reinterpret_cast<const char*>(code.data()), code.size()};
}

std::int64_t first_number(const AuthenticationCode& code) {
    std::int64_t number = 0;
    std::memcpy(&number, code.data(), sizeof number);
    return number;
}

std::int64_t target_of(const SubmissionKey& key) {
    ContentHash hash;
    hash.add(key.endpoint);
    hash.add(" ");
    hash.add(key.collection);
    return static_cast<std::int64_t>(hash.value());
}

}  // namespace

InputFile::InputFile(std::string file, const UserFolder& user) : name(std::move(file)) {
    namespace fs = std::filesystem;
    if (!fs::is_regular_file(name) && fs::exists(name))
        throw Error(ErrorCode::environment, name + " is not a regular file", {},
                    "A submission can only be resumed from a file. Write the values to a file first.");
    std::ifstream in;
    open(in, name);
    Sha256 content;
    std::vector<char> buffer(std::size_t{1} << 16);
    while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), in.gcount() > 0) {
        content.add(std::string_view(buffer.data(), static_cast<std::size_t>(in.gcount())));
        size += static_cast<std::uint64_t>(in.gcount());
    }
    const auto digest = content.digest();
    code = user.code("content", {text_of(digest)});
}

Journal::Journal(const Store& store, const UserFolder& user, std::string prefix, SubmissionKey key,
                 std::size_t attributes)
    : store_(store), user_(user), prefix_(std::move(prefix)), key_(std::move(key)), attributes_(attributes) {}

std::int64_t Journal::mask(const std::string& name, std::int64_t nonce) const {
    return user_.number("checkpoint", {std::to_string(nonce), name});
}

std::int64_t Journal::read(const std::string& name) const {
    const auto stored = store_.checkpoint(prefix_ + name);
    if (!stored) return 0;
    const bool of_file = name.starts_with("file.");
    return *stored ^ mask(name, store_.checkpoint(prefix_ + (of_file ? file_nonce : at_nonce)).value_or(0));
}

void Journal::start(const InputFile& source, std::int64_t total, const Records& records,
                    const Commit& commit) {
    std::vector<std::string> names;
    std::vector<Checkpoint> all;
    hide(all, names,
         {{"file.known", known},
          {"file.code", first_number(source.code)},
          {"file.rows", total},
          {"file.columns", key_.columns},
          {"file.target", target_of(key_)},
          {"file.round", key_.round},
          {"file.format", key_.format}},
         file_nonce);
    hide(all, names, position_of(records, false), at_nonce);
    commit(all);
}

bool Journal::has_content_of(const InputFile& source) const {
    return started() && read("file.known") == known && read("file.code") == first_number(source.code) &&
           read("file.target") == target_of(key_) && read("file.round") == key_.round;
}

void Journal::check(const InputFile& source, const std::string& state) const {
    const auto refuse = [&](const std::string& what, const std::string& detail) {
        throw Error(ErrorCode::environment, "state file " + state + " belongs to another " + what, detail,
                    "Name another state file with --state for another submission.");
    };
    if (read("file.known") != known)
        throw Error(ErrorCode::environment, "state file " + state + " belongs to another user",
                    "Its submission began with another secret in ldp/secret of $XDG_STATE_HOME.",
                    "Continue as the user who began, with the same $XDG_STATE_HOME.");
    if (read("file.code") != first_number(source.code))
        refuse("content of " + source.name, "The file has changed since its submission began.");
    if (read("file.target") != target_of(key_))
        refuse("collection", "Its submission began for a collection with another name or address.");
    if (read("file.round") != key_.round)
        refuse("round", "Its submission uses round " + std::to_string(read("file.round")) + ".");
    if (read("file.columns") != key_.columns)
        refuse("kind of record",
               "Its submission began with another --column, --public, --average-by or --person.");
    if (read("file.format") != key_.format)
        refuse("format of the file",
               "Its submission began with another --delimiter, --decimal or --missing.");
}

void Journal::advance(const Records& records, bool finished, const Commit& commit) const {
    std::vector<std::string> names;
    std::vector<Checkpoint> all;
    hide(all, names, position_of(records, finished), at_nonce);
    commit(all);
}

Records::RecordPosition Journal::position() const {
    return {{count("at.offset"), count("at.line")}, count("at.person")};
}

Tally Journal::tally() const {
    Tally tally{count("tally.rows"),
                count("tally.skipped"),
                count("tally.people"),
                count("tally.people_skipped"),
                {{}, count("tally.coefficients")},
                {}};
    if (read("panel") != 0)
        tally.panel = PanelCount{count("tally.reports"), count("tally.spent"), count("tally.memoized")};
    for (std::size_t j = 0; j < attributes_; ++j) tally.clamped.attributes.push_back(count(clamped_name(j)));
    return tally;
}

Journal::Named Journal::position_of(const Records& records, bool finished) {
    Named checkpoints;
    const auto add = [&](std::string name, std::uint64_t value) {
        checkpoints.emplace_back(std::move(name), static_cast<std::int64_t>(value));
    };
    const auto [row, person] = records.position();
    const Tally& tally = records.tally();
    add("at.offset", row.offset);
    add("at.line", row.line);
    add("at.person", person);
    add("tally.rows", tally.rows);
    add("tally.skipped", tally.skipped);
    add("tally.coefficients", tally.clamped.coefficients);
    add("tally.people", tally.people);
    add("tally.people_skipped", tally.people_skipped);
    for (std::size_t j = 0; j < tally.clamped.attributes.size(); ++j)
        add(clamped_name(j), tally.clamped.attributes[j]);
    if (tally.panel) {
        add("panel", 1);
        add("tally.reports", tally.panel->reports);
        add("tally.spent", tally.panel->spent);
        add("tally.memoized", tally.panel->memoized);
    }
    add("finished", finished ? 1 : 0);
    return checkpoints;
}

void Journal::hide(std::vector<Checkpoint>& all, std::vector<std::string>& names, const Named& values,
                   const char* nonce_name) const {
    SystemRandom bits;
    const auto nonce = static_cast<std::int64_t>(bits.word());
    const std::size_t before = names.size();
    names.reserve(2 * (fixed_values + attributes_));  // the checkpoints refer to the texts
    names.push_back(prefix_ + nonce_name);
    for (const auto& [name, value] : values) names.push_back(prefix_ + name);
    all.push_back({names[before], nonce});
    for (std::size_t i = 0; i < values.size(); ++i)
        all.push_back({names[before + 1 + i], values[i].second ^ mask(values[i].first, nonce)});
}

namespace {

[[noreturn]] void raise_copy(const InputFile& source, const std::string& detail) {
    throw Error(
        ErrorCode::environment, source.name + " has the content of a file that was submitted before", detail,
        "To resume the earlier submission, name its state file with --state. To count the same rows a "
        "second time, add --copy: every person then spends epsilon twice.");
}

/// Returns the file that records a submission.
std::filesystem::path record_of(const UserFolder& user, const InputFile& source, const SubmissionKey& key) {
    return user.file("submitted",
                     to_hex(user.code("submission", {source.code_text(), key.endpoint, key.collection,
                                                     std::to_string(key.round)})));
}

/// Throws Error (environment) if the submission was recorded for another state file.
void refuse_recorded(const std::filesystem::path& record, const InputFile& source, const std::string& own) {
    namespace fs = std::filesystem;
    const auto content = read_private(record);
    if (!content) return;
    const std::string earlier = content->substr(0, content->find('\n'));
    if (earlier == own) return;
    std::error_code ignored;
    const bool exists = fs::exists(earlier, ignored);
    raise_copy(source, "State file " + earlier +
                           (exists ? " belongs to the earlier submission."
                                   : " belonged to the earlier submission and no longer exists."));
}

}  // namespace

void claim_submission(const UserFolder& user, const InputFile& source, const SubmissionKey& key,
                      const std::string& state, bool copy) {
    const std::string own = std::filesystem::absolute(state).string();
    const std::filesystem::path record = record_of(user, source, key);
    // The record appears with its content, and of two processes only one creates it.
    if (write_private(record, own + "\n", copy ? Placement::replace : Placement::once)) return;
    refuse_recorded(record, source, own);
}

void refuse_copy(const UserFolder& user, const InputFile& source, const SubmissionKey& key,
                 const std::string& state) {
    namespace fs = std::filesystem;
    refuse_recorded(record_of(user, source, key), source, {});
    const auto folder_of = [](const std::string& file) { return fs::absolute(file).parent_path(); };
    std::set<fs::path> states;
    for (const fs::path& folder : {folder_of(source.name), folder_of(state)}) {
        std::error_code ignored;
        for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored))
            if (at->path().extension() == ".ldp" && at->is_regular_file(ignored)) states.insert(at->path());
    }
    states.erase(fs::absolute(state));
    for (const fs::path& other : states) {
        bool same = false;
        try {
            const SqliteStore store(other.string());
            same = Journal(store, user, "", key, 0).has_content_of(source);
        } catch (const Error&) {
            continue;
        }
        if (same) raise_copy(source, "State file " + other.string() + " belongs to the earlier submission.");
    }
}

}  // namespace ldp::cli::submit
