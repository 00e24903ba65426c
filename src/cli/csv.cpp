#include "cli/csv.hpp"

#include <algorithm>
#include <utility>

#include "client/in_quotes.hpp"
#include "core/base/error.hpp"

namespace ldp::cli {

namespace {

constexpr int end_of_file = -1;

}  // namespace

CsvReader::CsvReader(std::istream& in, std::string name)
    : in_(in), name_(std::move(name)), buffer_(std::size_t{1} << 16) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (fill() && std::string_view(at_, end_).starts_with(byte_order_mark)) {
        at_ += byte_order_mark.size();
        offset_ += byte_order_mark.size();
    }
    if (!begin_record())
        broken(1, "there is no header", "The file is empty.",
               "The first line must name the columns, separated by commas.");
    if (const char* problem = parse_record())
        broken(line_, problem, "The header cannot be read.",
               "Quote a name that holds commas, quotes or line ends, and double the quotes in it.");
    if (ends_.size() > most_columns)
        broken(line_, "there are too many columns",
               "Found " + std::to_string(ends_.size()) + "; at most " + std::to_string(most_columns) +
                   " are read.",
               "Keep the columns that the spec names.");
    for (std::size_t i = 0; i < ends_.size(); ++i) header_.emplace_back(field(i));
}

bool CsvReader::fill() {
    in_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    if (in_.bad())
        throw Error(ErrorCode::environment, name_ + " cannot be read",
                    "The system failed behind byte " + std::to_string(offset_) + ".",
                    "Check that it is a file and that its disk is sound.");
    at_ = buffer_.data();
    end_ = at_ + in_.gcount();
    return at_ != end_;
}

int CsvReader::get() {
    if (at_ == end_ && !fill()) return end_of_file;
    const auto byte = static_cast<unsigned char>(*at_++);
    ++offset_;
    if (byte == '\n') ++next_line_;
    if (offset_ - start_ > longest)
        broken(line_, "the record is too long",
               "It has more than " + std::to_string(longest) + " bytes, the most that are read.",
               "Most likely a quote was opened in this line and never closed.");
    return byte;
}

bool CsvReader::begin_record() {
    if (at_ == end_ && !fill()) return false;
    text_.clear();
    ends_.clear();
    line_ = next_line_;
    start_ = offset_;
    return true;
}

/// Takes what is in the buffer up to the next byte that may mean something, or that is one too many.
void CsvReader::take_plain() {
    const auto room = static_cast<std::ptrdiff_t>(longest - (offset_ - start_));
    const char* const plain_end = std::find_if(at_, at_ + std::min(room, end_ - at_), [](char c) {
        return c == ',' || c == '\n' || c == '\r' || c == '"';
    });
    text_.append(at_, plain_end);
    offset_ += static_cast<std::uint64_t>(plain_end - at_);
    at_ = plain_end;
}

/// Reads up to and with the line's end, whatever it holds. Null, or what is wrong with the record.
const char* CsvReader::parse_record() {
    const char* problem = nullptr;
    for (;;) {
        int c = get();
        const bool quoted_field = c == '"';
        if (quoted_field) {
            for (c = get();; c = get()) {
                if (c == end_of_file)
                    broken(line_, "a quote is never closed", "The file ends inside a quoted field.",
                           "Close the quote; a quote inside a quoted field is written twice.");
                if (c == '"' && (c = get()) != '"') break;  // and c is what follows the closing quote
                text_.push_back(static_cast<char>(c));
            }
        }
        for (; c != ',' && c != '\n' && c != end_of_file; c = get()) {
            if (c == '\r' && (at_ != end_ || fill()) && *at_ == '\n') continue;
            if (quoted_field) problem = "there is text behind a closing quote";
            if (c == '"' && !quoted_field) problem = "there is a quote inside an unquoted field";
            text_.push_back(static_cast<char>(c));
            if (!quoted_field) take_plain();
        }
        ends_.push_back(text_.size());
        if (c != ',') return problem;
    }
}

bool CsvReader::next() {
    for (;;) {
        if (!begin_record()) return false;
        const char* problem = parse_record();
        if (problem != nullptr)
            throw Error(ErrorCode::invalid_value, problem, {},
                        "Quote a field that holds commas, quotes or line ends, and double the quotes in it.");
        const bool empty_line = ends_.size() == 1 && text_.empty();
        if (empty_line && header_.size() > 1) continue;
        if (ends_.size() != header_.size())
            throw Error(ErrorCode::invalid_value, "the row has the wrong number of fields",
                        "Found " + std::to_string(ends_.size()) + "; the header has " +
                            std::to_string(header_.size()) + ".",
                        "Quote a field that holds commas.");
        return true;
    }
}

std::string_view CsvReader::field(std::size_t column) const noexcept {
    const std::size_t from = column == 0 ? 0 : ends_[column - 1];
    return std::string_view(text_).substr(from, ends_[column] - from);
}

std::size_t CsvReader::column(std::string_view name, const std::string& hint) const {
    const auto found = std::ranges::find(header_, name);
    if (found == header_.end()) {
        constexpr std::size_t most = 20;
        std::string present;
        for (std::size_t i = 0; i < std::min(header_.size(), most); ++i)
            present += (i == 0 ? "" : ", ") + in_quotes(header_[i]);
        if (header_.size() > most) present += " and " + std::to_string(header_.size() - most) + " more";
        throw Error(ErrorCode::malformed, name_ + " has no column " + in_quotes(name),
                    "Its columns are " + present + ".", hint);
    }
    if (std::find(found + 1, header_.end(), name) != header_.end())
        throw Error(ErrorCode::malformed, name_ + " has two columns " + in_quotes(name), {},
                    "Rename one of them: it is not clear which one is meant.");
    return static_cast<std::size_t>(found - header_.begin());
}

void CsvReader::seek(const Position& position) {
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(position.offset));
    if (!in_)
        throw Error(ErrorCode::environment, name_ + " cannot be read from the middle", {},
                    "It must be a file, not a pipe.");
    offset_ = start_ = position.offset;
    next_line_ = position.line;
    at_ = end_ = nullptr;
}

void CsvReader::broken(std::uint64_t line, const std::string& message, const std::string& detail,
                       const std::string& hint) const {
    throw Error(ErrorCode::malformed, name_ + ", line " + std::to_string(line) + ": " + message, detail,
                hint);
}

}  // namespace ldp::cli
