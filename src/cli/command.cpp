#include "cli/command.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/collection_spec.hpp"
#include "cli/input/summary_file.hpp"
#include "core/base/bytes.hpp"
#include "core/base/error.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/summary/summary.hpp"

namespace ldp::cli {

std::span<const Command* const> commands() noexcept {
    static constexpr const Command* table[] = {
        &spec::command,      &advise::command,     &plan::command,    &perturb::command,
        &submit::command,    &contract::command,   &queue::command,   &collect::command,
        &summarize::command, &attach::command,     &refresh::command, &doctor::command,
        &ledger::command,    &estimate::command,   &query::command,   &simulate::command,
        &model::command,     &synthesize::command, &audit::command,   &disclosure::command,
        &reference::command, &help::command,
    };
    return table;
}

void open(std::ifstream& file, const std::string& name) {
    errno = 0;
    file.open(name, std::ios::binary);
    if (!file)
        throw Error(ErrorCode::environment, "cannot open " + name, std::strerror(errno),
                    "Check the name and its permissions.");
}

void need_state_file(const std::string& name, const char* kind) {
    if (!std::filesystem::exists(name))
        throw Error(ErrorCode::environment, "there is no " + std::string(kind) + " " + name, {},
                    "Check the name.");
}

std::string read_text(const std::string& name) {
    constexpr std::size_t most = std::size_t{1} << 20;
    std::ifstream file;
    if (name != "-") open(file, name);
    std::istream& in = name == "-" ? std::cin : file;
    std::string text(most + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (in.bad()) throw Error(ErrorCode::environment, "cannot read " + name, {}, "Check that it is a file.");
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > most)
        throw Error(ErrorCode::malformed, name + " is too long for a spec", "At most 1 MiB is read.");
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
        throw Error(ErrorCode::malformed, name + " is UTF-16", {},
                    "A spec is UTF-8: save the file in this encoding.");
    return text;
}

std::string spec_text(const std::string& given) {
    if (const auto collection = collection_name(given)) return collection_spec(*collection);
    return given.starts_with('{') ? given : read_text(given);
}

namespace {

bool has_mechanism(Bytes summary) {
    try {
        return load_mechanism(summary, Kind::summary) != nullptr;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

std::vector<std::byte> bytes_in_file(const std::string& name) {
    SummaryTable table = summaries_in_file(name);
    if (!table.columns.empty())
        raise(ErrorCode::malformed, name + " has summaries of groups",
              "Its columns are " + joined(table.columns) + ".", "ldp summarize --merge adds them up.");
    return std::move(table.groups.at(0).summary);
}

SummaryTable summaries_in_file(const std::string& name) {
    std::ifstream file;
    if (name != "-") open(file, name);
    return summary_table(name == "-" ? std::cin : file, name);
}

void check_summary_of(const Mechanism& mechanism, Bytes summary, const std::string& name) {
    if (!is_summary_of(mechanism, summary)) {
        if (!has_mechanism(summary))
            raise(ErrorCode::malformed, name + " does not contain a summary",
                  "A summary is its bytes, or one line of hexadecimal digits.",
                  "Write it with psql -XAtc \"SELECT ldp_agg(report) FROM TABLE\", or with ldp summarize.");
        raise_incompatible(mechanism.block(), summary);
    }
    check_summary(mechanism, summary);
}

std::vector<std::byte> summary_in_file(const std::string& name, const Mechanism& mechanism) {
    const SummaryTable table = summaries_in_file(name);
    for (const GroupSummary& group : table.groups) check_summary_of(mechanism, group.summary, name);
    return merged(mechanism, table);
}

}  // namespace ldp::cli
