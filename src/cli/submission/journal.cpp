#include "cli/submission/journal.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <system_error>
#include <utility>

#include "cli/command.hpp"
#include "client/sqlite_store.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace ldp::cli::submit {

namespace {

/// The checkpoint with the number of clamped values of an attribute.
std::string clamped_name(std::size_t attribute) {
    return "tally.moved." + std::to_string(attribute);
}

}  // namespace

InputFile::InputFile(std::string file) : name(std::move(file)) {
    namespace fs = std::filesystem;
    if (!fs::is_regular_file(name) && fs::exists(name))
        throw Error(ErrorCode::environment, name + " is not a regular file", {},
                    "A submission can only be resumed from a file; write the values to one first.");
    std::ifstream in;
    open(in, name);
    ContentHash content;
    std::vector<char> buffer(std::size_t{1} << 16);
    while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), in.gcount() > 0) {
        content.add({buffer.data(), static_cast<std::size_t>(in.gcount())});
        size += in.gcount();
    }
    hash = static_cast<std::int64_t>(content.value());
}

Journal::Journal(const Store& store, std::string prefix, const SubmissionKey& key, std::size_t attributes)
    : store_(store), prefix_(std::move(prefix)), key_(key), attributes_(attributes) {}

void Journal::start(const InputFile& source, std::int64_t total, const Records& records,
                    const Commit& commit) {
    Named checkpoints{{"file.size", source.size}, {"file.hash", source.hash}, {"file.rows", total},
                      {"columns", key_.columns},  {"target", key_.target},    {"round", key_.round},
                      {"format", key_.format}};
    add_position(checkpoints, records, false);
    commit_all(std::move(checkpoints), commit);
}

bool Journal::has_content_of(const InputFile& source) const {
    return started() && read("file.size") == source.size && read("file.hash") == source.hash &&
           read("target") == key_.target && read("round") == key_.round && read("columns") == key_.columns;
}

void Journal::check(const InputFile& source, const std::string& state) const {
    const auto refuse = [&](const std::string& what, const std::string& detail) {
        throw Error(ErrorCode::environment, "state file " + state + " belongs to another " + what, detail,
                    "Name another state file with --state for another submission.");
    };
    if (read("file.size") != source.size || read("file.hash") != source.hash)
        refuse("content of " + source.name, "The file has changed since its submission began: it had " +
                                                grouped(count("file.size")) + " bytes and now has " +
                                                grouped(static_cast<std::uint64_t>(source.size)) + ".");
    if (read("target") != key_.target)
        refuse("collection", "Its submission began for a collection of another name or creation time.");
    if (read("round") != key_.round)
        refuse("round", "Its submission uses round " + std::to_string(read("round")) + ".");
    if (read("columns") != key_.columns)
        refuse("kind of record",
               "Its submission began with another --column, --public, --average-by or --person.");
    if (read("format") != key_.format)
        refuse("format of the file",
               "Its submission began with another --delimiter, --decimal or --missing.");
}

void Journal::advance(const Records& records, bool finished, const Commit& commit) const {
    Named checkpoints;
    add_position(checkpoints, records, finished);
    commit_all(std::move(checkpoints), commit);
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

void Journal::add_position(Named& checkpoints, const Records& records, bool finished) {
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
}

void Journal::commit_all(Named checkpoints, const Commit& commit) const {
    std::vector<Checkpoint> all;
    for (auto& [name, value] : checkpoints) name.insert(0, prefix_);
    for (const auto& [name, value] : checkpoints) all.push_back({name, value});
    commit(all);
}

namespace {

[[noreturn]] void raise_copy(const InputFile& source, const std::string& detail) {
    throw Error(
        ErrorCode::environment, source.name + " has the content of a file that was submitted before", detail,
        "To resume the earlier submission, name its state file with --state. To count the same rows a "
        "second time, add --copy: every person then spends epsilon twice.");
}

/// Returns the file that records a submission; empty if this user has no folder for it.
std::filesystem::path record_of(const InputFile& source, const SubmissionKey& key) {
    namespace fs = std::filesystem;
    const char* const state_home = std::getenv("XDG_STATE_HOME");
    const char* const home = std::getenv("HOME");
    fs::path folder;
    if (state_home != nullptr && fs::path(state_home).is_absolute())
        folder = state_home;
    else if (home != nullptr && fs::path(home).is_absolute())
        folder = fs::path(home) / ".local" / "state";
    else
        return {};
    std::string name;
    for (const std::int64_t part : {source.size, source.hash, key.target, key.round, key.columns})
        name += (name.empty() ? "" : ".") + fingerprint_text(static_cast<std::uint64_t>(part));
    return folder / "ldp" / "submitted" / name;
}

/// Throws Error (environment) if the submission was recorded.
void refuse_recorded(const InputFile& source, const SubmissionKey& key) {
    namespace fs = std::filesystem;
    std::ifstream record(record_of(source, key));
    std::string earlier;
    if (!std::getline(record, earlier)) return;
    std::error_code ignored;
    const bool exists = fs::exists(earlier, ignored);
    raise_copy(source, "State file " + earlier +
                           (exists ? " belongs to the earlier submission."
                                   : " belonged to the earlier submission and is not there any more."));
}

}  // namespace

void claim_submission(const InputFile& source, const SubmissionKey& key, const std::string& state,
                      bool copy) {
    namespace fs = std::filesystem;
    const fs::path file = record_of(source, key);
    const std::string own = fs::absolute(state).string();
    std::error_code failed;
    if (!file.empty()) {
        fs::create_directories(file.parent_path(), failed);
        // A hash of a short file can be guessed, so nobody else may read its name.
        fs::permissions(file.parent_path(), fs::perms::owner_all, failed);
    }
    const fs::path draft = file.string() + "." + std::to_string(getpid());
    if (std::ofstream record(draft); !file.empty() && record << own << "\n" << std::flush) {
        // The record appears with its content, and of two processes only one creates it.
        if (copy)
            fs::rename(draft, file, failed);
        else
            fs::create_hard_link(draft, file, failed);
        const bool exists = failed == std::errc::file_exists;
        std::error_code ignored;
        fs::remove(draft, ignored);
        if (!failed) return;
        std::string earlier;
        if (exists && std::getline(std::ifstream(file) >> std::ws, earlier) && earlier == own) return;
        if (exists) refuse_recorded(source, key);
    }
    std::cerr << "The submission cannot be recorded"
              << (file.empty() ? "" : " in " + file.parent_path().string()) << ". A copy of " << source.name
              << " in another folder will not be recognized.\n";
}

void refuse_copy(const InputFile& source, const SubmissionKey& key, const std::string& state) {
    namespace fs = std::filesystem;
    refuse_recorded(source, key);
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
            same = Journal(store, "", key, 0).has_content_of(source);
        } catch (const Error&) {
            continue;
        }
        if (same) raise_copy(source, "State file " + other.string() + " belongs to the earlier submission.");
    }
}

}  // namespace ldp::cli::submit
