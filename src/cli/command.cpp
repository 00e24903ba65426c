#include "cli/command.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/collection_spec.hpp"
#include "core/base/error.hpp"

namespace ldp::cli {

std::span<const Command* const> commands() noexcept {
    static constexpr const Command* table[] = {
        &spec::command,     &advise::command,     &plan::command,      &perturb::command,
        &submit::command,   &queue::command,      &collect::command,   &ledger::command,
        &estimate::command, &simulate::command,   &model::command,     &synthesize::command,
        &audit::command,    &disclosure::command, &reference::command, &help::command,
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

void need_state_file(const std::string& name) {
    if (!std::filesystem::exists(name))
        throw Error(ErrorCode::environment, "there is no state file " + name, {}, "Check the name.");
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
    return text;
}

std::string spec_text(const std::string& given) {
    if (const auto collection = collection_name(given)) return collection_spec(*collection);
    return given.starts_with('{') ? given : read_text(given);
}

}  // namespace ldp::cli
