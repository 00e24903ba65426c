#include "cli/input/csv.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "cli/input/csv_field.hpp"
#include "client/in_quotes.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"

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
    refuse_others();
    take_separator_line();
    read_header();
    for (std::size_t row = 1; row < format_.header_rows && begin_record(); ++row) (void)parse_record();
}

/// Refuses files that are not CSV, by their first bytes, and those with more rows of names than were stated.
void CsvReader::refuse_others() const {
    const std::string_view first(at_, end_);
    constexpr std::pair<std::string_view, const char*> others[] = {
        {"PK\x03\x04", "a workbook (.xlsx or .ods)"},
        {"\xD0\xCF\x11\xE0", "a workbook (.xls)"},
        {"\x1F\x8B", "a compressed file"},
        {"%PDF-", "a PDF"},
    };
    for (const auto& [bytes, kind] : others)
        if (first.starts_with(bytes))
            throw Error(ErrorCode::malformed, name_ + " is not CSV", std::string("It is ") + kind + ".",
                        "Save the table as CSV in UTF-8.");
    if (first.substr(0, first.find('\n')).find('\0') != std::string_view::npos)
        throw Error(ErrorCode::malformed, name_ + " is not CSV in UTF-8", "Its first line has zero bytes.",
                    "If it is UTF-16 without a byte order mark, add --encoding UTF-16LE.");
    for (const std::string_view mark : {"{\"ImportId\":", "{\"\"ImportId\"\":"})
        if (format_.header_rows < 3 && first.find(mark) != std::string_view::npos)
            throw Error(ErrorCode::malformed, name_ + " has three header rows",
                        "Qualtrics writes the names, the questions and its own names of the columns.",
                        "Add --header-rows 3.");
}

/// Takes a first line that names the delimiter, as spreadsheets write it: "sep=;".
void CsvReader::take_separator_line() {
    const std::string_view first(at_, end_);
    constexpr std::string_view key = "sep=", delimiters = ",;|\t";
    const std::size_t end = first.find('\n');
    if (!first.starts_with(key) || (end != key.size() + 1 && end != key.size() + 2)) return;
    if (end == key.size() + 2 && first[key.size() + 1] != '\r') return;
    const char named = first[key.size()];
    if (delimiters.find(named) == std::string_view::npos)
        broken(1, "the line sep= names a delimiter that is not supported",
               "It is " + delimiter_word(named) + ".",
               "Save the file with one of the delimiters ',', ';', '|' or tab.");
    if (!format_.delimiter) format_.delimiter = delimiter_ = named;
    while (get() != '\n') continue;
}

void CsvReader::read_header() {
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
    need_utf8();
    for (std::size_t i = 0; i < ends_.size(); ++i) header_.emplace_back(raw_field(i));
    if (!quoted_ && text_.find('\r') != std::string::npos)
        broken(line_, "the header contains a carriage return",
               "The lines of the file probably end with CR alone.",
               "Save the file with lines that end with LF or CRLF.");
}

/// Throws Error (malformed) if a field of the record is not UTF-8.
void CsvReader::need_utf8() const {
    if (std::ranges::all_of(text_, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return;
    for (std::size_t i = 0; i < ends_.size(); ++i)
        if (const std::string_view text = raw_field(i); characters(text, text.size()).size() != text.size())
            broken(line_, "a text is not UTF-8", "The text is " + in_quotes(text) + ".",
                   "Save the file as UTF-8, or name its encoding, such as --encoding windows-1252.");
}

bool CsvReader::fill() {
    in_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    if (in_.bad())
        throw Error(ErrorCode::environment, name_ + " cannot be read",
                    "Reading failed after byte " + std::to_string(offset_) + ".",
                    "Check that it is a file, and check its disk for errors.");
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
               "It has more than " + std::to_string(longest) + " bytes, which is the limit.",
               "A quote in this line is probably not closed.");
    return byte;
}

bool CsvReader::begin_record() {
    if (at_ == end_ && !fill()) return false;
    text_.clear();
    ends_.clear();
    quoted_ = false;
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
        quoted_ = quoted_ || quoted_field;
        if (quoted_field) {
            for (c = get();; c = get()) {
                if (c == end_of_file)
                    broken(line_, "a quote is not closed", "The file ends inside a quoted field.",
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
        if (header_.size() > 1 && text_.empty() && !quoted_ && !format_.numbers_rows) {
            blank_ += ends_.size() > 1 ? 1 : 0;
            continue;
        }
        need_utf8();
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
               "Add --delimiter " + delimiter_word(*other) + ", or --delimiter ',' if this is one name.");
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
                    "Rename one of them.");
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

std::string csv_field(std::string_view text) {
    std::string field(text);
    double number = 0;
    const char* const end = text.data() + text.size();
    const char* const digits = text.data() + (text.starts_with('+') ? 1 : 0);
    const auto [stopped, problem] = std::from_chars(digits, end, number);
    const bool is_number = problem != std::errc::invalid_argument && stopped == end;
    if (!is_number && text.find_first_of("=+-@\t\r") == 0) field.insert(field.begin(), '\'');
    if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
    std::string quoted = "\"";
    for (const char c : field) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

}  // namespace ldp::cli
