#include "cli/input/csv.hpp"

#include <algorithm>
#include <utility>

#include "client/in_quotes.hpp"
#include "core/base/error.hpp"

namespace ldp::cli {

namespace {

constexpr int end_of_file = -1;

/// Returns a delimiter as the option --delimiter takes it.
std::string delimiter_word(char delimiter) {
    return delimiter == '\t' ? "tab" : "'" + std::string(1, delimiter) + "'";
}

}  // namespace

CsvReader::CsvReader(std::istream& in, std::string name, CsvFormat format)
    : in_(in),
      name_(std::move(name)),
      format_(std::move(format)),
      delimiter_(format_.delimiter.value_or(',')),
      buffer_(std::size_t{1} << 16) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (fill() && std::string_view(at_, end_).starts_with(byte_order_mark)) {
        at_ += byte_order_mark.size();
        offset_ += byte_order_mark.size();
    }
    if (!begin_record())
        broken(1, "there is no header", "The file is empty.", "The first line must name the columns.");
    if (const char* problem = parse_record())
        broken(line_, problem, "The header cannot be read.",
               "Quote a name that contains delimiters, quotes or line ends, and double the quotes in it.");
    if (ends_.size() > most_columns)
        broken(line_, "there are too many columns",
               "Found " + std::to_string(ends_.size()) + "; at most " + std::to_string(most_columns) +
                   " are read.",
               "Keep the columns that the spec names.");
    for (std::size_t i = 0; i < ends_.size(); ++i) header_.emplace_back(raw_field(i));
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
    if (byte == '\n' && !format_.numbers_rows) ++next_line_;
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
    line_ = format_.numbers_rows ? next_line_++ : next_line_;
    start_ = offset_;
    return true;
}

/// Takes what is in the buffer up to the next byte that may mean something, or that is one too many.
void CsvReader::take_plain() {
    const auto room = static_cast<std::ptrdiff_t>(longest - (offset_ - start_));
    const char* const plain_end = std::find_if(at_, at_ + std::min(room, end_ - at_), [this](char c) {
        return c == delimiter_ || c == '\n' || c == '\r' || c == '"';
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
        for (; c != delimiter_ && c != '\n' && c != end_of_file; c = get()) {
            if (c == '\r' && (at_ != end_ || fill()) && *at_ == '\n') continue;
            if (quoted_field) problem = "there is text behind a closing quote";
            if (c == '"' && !quoted_field) problem = "there is a quote inside an unquoted field";
            text_.push_back(static_cast<char>(c));
            if (!quoted_field) take_plain();
        }
        ends_.push_back(text_.size());
        if (c != delimiter_) return problem;
    }
}

bool CsvReader::next() {
    for (;;) {
        if (!begin_record()) return false;
        const char* problem = parse_record();
        if (problem != nullptr)
            throw Error(
                ErrorCode::invalid_value, problem, {},
                "Quote a field that contains delimiters, quotes or line ends, and double the quotes in it.");
        const bool empty_line = ends_.size() == 1 && text_.empty();
        if (empty_line && header_.size() > 1) continue;
        if (ends_.size() != header_.size())
            throw Error(ErrorCode::invalid_value, "the row has the wrong number of fields",
                        "Found " + std::to_string(ends_.size()) + "; the header has " +
                            std::to_string(header_.size()) + ".",
                        "Quote a field that contains the delimiter " + delimiter_word(delimiter_) + ".");
        return true;
    }
}

std::string_view CsvReader::raw_field(std::size_t column) const noexcept {
    const std::size_t from = column == 0 ? 0 : ends_[column - 1];
    return std::string_view(text_).substr(from, ends_[column] - from);
}

std::string_view CsvReader::field(std::size_t column) const noexcept {
    const std::string_view text = raw_field(column);
    if (!format_.missing.empty() && std::ranges::find(format_.missing, text) != format_.missing.end())
        return {};
    if (labels_.empty()) return text;
    const auto labels = labels_.find(column);
    if (labels == labels_.end()) return text;
    const auto label = labels->second.find(text);
    return label == labels->second.end() ? text : std::string_view(label->second);
}

std::string_view CsvReader::number_field(std::size_t column) {
    const std::string_view text = field(column);
    if (format_.decimal == '.') return text;
    // A point becomes a comma, so that 1.234,5 and 1.5 are no numbers.
    number_.clear();
    for (const char c : text) number_ += c == ',' ? '.' : c == '.' ? ',' : c;
    return number_;
}

std::string CsvReader::record_name(std::uint64_t line) const {
    return format_.numbers_rows ? "row " + std::to_string(line - 1) : "line " + std::to_string(line);
}

void CsvReader::use_labels(std::size_t column, const std::vector<std::string>& known) {
    if (format_.codebook == nullptr) return;
    const auto is_known = [&](const std::string& text) {
        return std::ranges::find(known, text) != known.end();
    };
    for (const auto& [code, label] : format_.codebook->columns[column].labels)
        if (is_known(label) || !is_known(code)) labels_[column].emplace(code, label);
}

std::optional<char> CsvReader::probable_delimiter() const {
    if (header_.size() != 1 || format_.delimiter) return {};
    for (const char other : {';', '\t', '|'})
        if (header_[0].find(other) != std::string::npos) return other;
    return {};
}

std::optional<char> CsvReader::delimiter_of(std::string_view name) const {
    if (format_.delimiter) return {};
    for (const char other : {';', '\t', '|'})
        for (const std::string& names : header_)
            for (std::size_t at = 0; at < names.size();) {
                const std::size_t end = std::min(names.find(other, at), names.size());
                if (names.size() > name.size() && std::string_view(names).substr(at, end - at) == name)
                    return other;
                at = end + 1;
            }
    return {};
}

void CsvReader::need_columns() const {
    if (const auto other = probable_delimiter())
        broken(1, "the header has one column, which contains the delimiter " + delimiter_word(*other),
               "The name of the column is " + in_quotes(header_[0]) + ".",
               "Add --delimiter " + delimiter_word(*other) + ", or --delimiter ',' if it is one name.");
}

std::size_t CsvReader::column(std::string_view name, const std::string& hint) const {
    const auto found = std::ranges::find(header_, name);
    if (found == header_.end()) {
        need_columns();
        constexpr std::size_t most = 20;
        std::string present;
        for (std::size_t i = 0; i < std::min(header_.size(), most); ++i)
            present += (i == 0 ? "" : ", ") + in_quotes(header_[i]);
        if (header_.size() > most) present += " and " + std::to_string(header_.size() - most) + " more";
        std::string advice = hint;
        if (const auto other = delimiter_of(name))
            advice =
                "The header probably has another delimiter: add --delimiter " + delimiter_word(*other) + ".";
        throw Error(ErrorCode::malformed, name_ + " has no column " + in_quotes(name),
                    "Its columns are " + present + ".", advice);
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
    throw Error(ErrorCode::malformed, name_ + ", " + record_name(line) + ": " + message, detail, hint);
}

}  // namespace ldp::cli
