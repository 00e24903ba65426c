#include "cli/input/people_file.hpp"

#include <cerrno>
#include <cstring>
#include <iostream>
#include <utility>

#include "cli/input/replay_buffer.hpp"
#include "cli/input/statistics_file.hpp"
#include "core/base/error.hpp"

namespace ldp::cli {

namespace {

constexpr int mark_first_bytes[] = {0xFE, 0xFF};

/// Reads a UTF-16 byte order mark. Returns whether the lower byte of a character comes first; nothing if there is no
/// mark, and then nothing was read. Throws Error (malformed) at half a mark, which is not UTF-8 either.
std::optional<bool> read_mark(std::istream& in, const std::string& name) {
    const int first = in.peek();
    if (first != mark_first_bytes[0] && first != mark_first_bytes[1]) {
        in.clear();
        return {};
    }
    in.get();
    const bool little_endian = first == mark_first_bytes[1];
    if (in.get() != mark_first_bytes[little_endian ? 0 : 1])
        throw Error(ErrorCode::malformed, name + " is neither UTF-8 nor UTF-16", {},
                    "Save the file as UTF-8.");
    return little_endian;
}

}  // namespace

void PeopleFile::open_statistics(const std::string& name, const CsvFormat& format) {
    if (format.delimiter || format.decimal != '.' || !format.encoding.empty() || format.header_rows != 1)
        throw Error(ErrorCode::unsupported,
                    "--delimiter, --decimal, --encoding and --header-rows are options for CSV files",
                    name + " is a file of a statistics package.", "Omit these options.");
    auto buffer = std::make_unique<StatisticsBuffer>(name, *statistics_format(name));
    CsvFormat made = format;
    made.delimiter = ',';
    made.codebook = &buffer->codebook();
    made.numbers_rows = true;
    converted_ = std::move(buffer);
    in_.rdbuf(converted_.get());
    in_.exceptions(std::ios::badbit);
    rows_.emplace(in_, name, std::move(made));
}

PeopleFile::PeopleFile(const std::string& name, const CsvFormat& format) {
    if (statistics_format(name)) {
        open_statistics(name, format);
        return;
    }
    const bool piped = name == "-";
    const std::string shown = piped ? "standard input" : name;
    if (!piped) {
        errno = 0;
        file_.open(name, std::ios::binary);
        if (!file_)
            throw Error(ErrorCode::environment, "cannot open " + name, std::strerror(errno),
                        "Check the name and its permissions.");
    }
    std::istream& source = piped ? std::cin : file_;
    if (!format.encoding.empty()) {
        converted_ = std::make_unique<DecodedBuffer>(source, format.encoding, 0, shown);
    } else if (const auto little_endian = read_mark(source, shown)) {
        constexpr std::streamoff mark = 2;
        converted_ =
            std::make_unique<DecodedBuffer>(source, *little_endian ? "UTF-16LE" : "UTF-16BE", mark, shown);
    }
    in_.rdbuf(converted_ ? converted_.get() : source.rdbuf());
    if (converted_) in_.exceptions(std::ios::badbit);  // so that errors of the buffer reach the caller
    rows_.emplace(in_, shown, format);
}

}  // namespace ldp::cli
