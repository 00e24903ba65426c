#include "cli/command.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/collection_spec.hpp"
#include "core/base/bytes.hpp"
#include "core/base/error.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/summary/summary.hpp"

namespace ldp::cli {

std::span<const Command* const> commands() noexcept {
    static constexpr const Command* table[] = {
        &spec::command,      &advise::command, &plan::command,       &perturb::command, &submit::command,
        &contract::command,  &queue::command,  &collect::command,    &ledger::command,  &estimate::command,
        &simulate::command,  &model::command,  &synthesize::command, &audit::command,   &disclosure::command,
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

/// Largest size of a summary's file in bytes.
constexpr std::size_t most_content = std::size_t{1} << 28;

std::string file_content(const std::string& name) {
    std::ifstream file;
    if (name != "-") open(file, name);
    std::istream& in = name == "-" ? std::cin : file;
    std::string text(std::size_t{1} << 20, '\0');
    std::size_t used = 0;
    while (in.read(text.data() + used, static_cast<std::streamsize>(text.size() - used))) {
        used = text.size();
        if (used >= most_content) raise(ErrorCode::malformed, name + " is too long for a summary");
        text.resize(2 * used);
    }
    text.resize(used + static_cast<std::size_t>(in.gcount()));
    return text;
}

/// The bytes of a text in hexadecimal with line ends; of any other content, its own bytes.
std::vector<std::byte> decoded(const std::string& text) {
    std::string_view digits = text;
    while (!digits.empty() && (digits.back() == '\n' || digits.back() == '\r')) digits.remove_suffix(1);
    std::vector<std::byte> bytes(digits.size() / 2);
    if (digits.size() % 2 == 0 && from_hex(digits, bytes.data())) return bytes;
    const auto* const first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
}

bool has_mechanism(Bytes summary) {
    try {
        return load_mechanism(summary, Kind::summary) != nullptr;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

std::vector<std::byte> summary_in_file(const std::string& name, const Mechanism& mechanism) {
    std::vector<std::byte> bytes = decoded(file_content(name));
    if (!is_summary_of(mechanism, bytes)) {
        if (!has_mechanism(bytes))
            raise(ErrorCode::malformed, name + " does not contain a summary",
                  "A summary is its bytes, or one line of hexadecimal digits.",
                  "Write it with psql -XAtc \"SELECT ldp_agg(report) FROM TABLE\".");
        raise_incompatible(mechanism.block(), bytes);
    }
    check_summary(mechanism, bytes);
    return bytes;
}

}  // namespace ldp::cli
