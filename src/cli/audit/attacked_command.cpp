#include "cli/audit/attacked_command.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "client/in_quotes.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/summary/summary.hpp"

namespace ldp::cli {

namespace {

/// Returns the output of a shell command that receives these lines this number of times.
std::vector<std::string> output_of(const std::string& command, const std::vector<std::string>& input_lines,
                                   std::uint64_t times) {
    const auto need = [&](bool well, const std::string& what) {
        if (!well)
            throw Error(ErrorCode::environment, "the command " + what, command, "Run the command alone.");
    };
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> input(std::tmpfile(), std::fclose);
    need(input != nullptr, "cannot be given a file");
    bool written = true;
    for (std::uint64_t i = 0; i < times; ++i)
        for (const std::string& line : input_lines)
            written &= std::fprintf(input.get(), "%s\n", line.c_str()) >= 0;
    need(written && std::fflush(input.get()) == 0, "cannot be given its input");
    std::rewind(input.get());
    int ends[2];
    need(pipe(ends) == 0, "cannot be given a pipe");
    const pid_t child = fork();
    need(child >= 0, "cannot be started");
    if (child == 0) {
        dup2(fileno(input.get()), STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        _exit(127);
    }
    close(ends[1]);
    std::vector<std::string> lines;
    {
        std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(fdopen(ends[0], "r"), std::fclose);
        std::string text;
        for (int c = std::fgetc(output.get()); c != EOF; c = std::fgetc(output.get()))
            if (c == '\n')
                lines.push_back(std::move(text)), text.clear();
            else
                text += static_cast<char>(c);
        if (!text.empty()) lines.push_back(std::move(text));
    }
    int status = 0;
    need(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "failed");
    return lines;
}

/// A word for the shell.
std::string shell_word(const std::string& text) {
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

void check_lines(std::size_t found, std::uint64_t expected) {
    if (found == expected) return;
    throw Error(ErrorCode::malformed,
                "the command wrote " + grouped(found) + " lines, not one for each value",
                "It received " + grouped(expected) + (expected == 1 ? " value." : " values."),
                "It must read one value per line and write one report per line.");
}

std::vector<std::byte> sent_in_line(const Mechanism& mechanism, std::string_view text) {
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.starts_with("\\x")) text.remove_prefix(2);  // the text of a bytea
    std::vector<std::byte> report(text.size() / 2);
    if (!from_hex(text, report.data()))
        throw Error(ErrorCode::malformed, "the line is not a report",
                    "A report has an even number of hexadecimal digits.");
    const auto found = load_mechanism(report, Kind::report);
    const Bytes block = mechanism.block();
    if (!begins_with_block(report, block))
        throw Error(ErrorCode::incompatible, "the report belongs to another spec",
                    "Expected " + describe(block) + "; found " + describe(report) + ".");
    check_report(mechanism, report);
    const Bytes sent = payload_of(Bytes(report), block);
    return {sent.begin(), sent.end()};
}

}  // namespace

std::vector<std::string> AttackedCommand::lines(const std::vector<std::string>& values, std::uint64_t people,
                                                const std::function<void()>& done) const {
    std::vector<std::string> all;
    const auto add = [&](std::vector<std::string> found, std::uint64_t expected) {
        check_lines(found.size(), expected);
        for (std::string& line : found) all.push_back(std::move(line));
    };
    if (!alone && !runs_by_value()) {
        add(output_of(text, values, people), people * values.size());
        for (std::uint64_t i = 0; i < people; ++i) done();
        return all;
    }
    for (std::uint64_t i = 0; i < people; ++i, done()) {
        if (alone) {
            add(output_of(text, values, 1), values.size());
            continue;
        }
        for (const std::string& value : values) {
            const std::string mark = value_mark;
            std::string whole = text;
            add(output_of(whole.replace(whole.find(mark), mark.size(), shell_word(value)), {}, 0), 1);
        }
    }
    return all;
}

std::vector<std::vector<std::byte>> sent_in_lines(const Mechanism& mechanism,
                                                  const std::vector<std::string>& lines,
                                                  const std::string& value) {
    std::vector<std::vector<std::byte>> all;
    for (const std::string& line : lines) try {
            all.push_back(sent_in_line(mechanism, line));
        } catch (const Error& error) {
            throw Error(error.code(),
                        "line " + grouped(all.size() + 1) + " of the command for " + in_quotes(value) + ": " +
                            error.what(),
                        error.detail(), "The command must write reports of the given spec, one per line.");
        }
    return all;
}

}  // namespace ldp::cli
