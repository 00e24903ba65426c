#include "cli/input/summary_file.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/input/record_fields.hpp"
#include "core/base/error.hpp"
#include "core/summary/summary.hpp"

namespace ldp::cli {

namespace {

/// Largest size of a summary in a file, and of a record of CSV with its digits, in bytes.
constexpr std::size_t most_content = std::size_t{1} << 28,
                      most_record = 2 * most_content + (std::size_t{1} << 16);
constexpr std::string_view count_column = "n", summary_column = "summary";

/// Reads a file in pieces.
class Pieces {
  public:
    Pieces(std::istream& in, const std::string& name) : in_(in), name_(name) {}

    /// Reads until the text has `wanted` bytes or the file ends, and returns the text.
    std::string& fill(std::size_t wanted) {
        while (!ended_ && text_.size() < wanted) {
            const std::size_t used = text_.size(), more = std::max<std::size_t>(std::size_t{1} << 20, used);
            text_.resize(used + std::min(more, wanted - used));
            in_.read(text_.data() + used, static_cast<std::streamsize>(text_.size() - used));
            if (in_.bad())
                raise(ErrorCode::environment, "cannot read " + name_, {}, "Check that it is a file.");
            text_.resize(used + static_cast<std::size_t>(in_.gcount()));
            ended_ = in_.eof();
        }
        return text_;
    }
    [[nodiscard]] bool ended() const noexcept { return ended_; }

  private:
    std::istream& in_;
    const std::string& name_;
    std::string text_;
    bool ended_ = false;
};

/// The position behind the record at the beginning of the text; 0 if it does not end in the text.
std::size_t record_end(std::string_view text) noexcept {
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::size_t next = text.find_first_of("\"\n", i);
        if (next == std::string_view::npos) return 0;
        i = next;
        if (text[i] == '"')
            quoted = !quoted;
        else if (!quoted)
            return i + 1;
    }
    return 0;
}

std::vector<std::byte> from_digits(std::string_view digits, const std::string& place) {
    if (digits.starts_with("\\x")) digits.remove_prefix(2);
    std::vector<std::byte> bytes(digits.size() / 2);
    if (digits.empty() || !from_hex(digits, bytes.data()))
        raise(ErrorCode::malformed, place + ": the summary is not in hexadecimal", {},
              "The file is damaged, or is not a file of summaries.");
    return bytes;
}

/// The bytes of a text in hexadecimal with line ends; of any other content, its own bytes.
std::vector<std::byte> decoded(std::string_view text) {
    std::string_view digits = text;
    while (!digits.empty() && (digits.back() == '\n' || digits.back() == '\r')) digits.remove_suffix(1);
    if (digits.starts_with("\\x")) digits.remove_prefix(2);
    std::vector<std::byte> bytes(digits.size() / 2);
    if (digits.size() % 2 == 0 && from_hex(digits, bytes.data())) return bytes;
    const auto* const first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
}

void put_field(std::ostream& out, const std::optional<std::string>& text) {
    if (!text) return;
    if (!text->empty() && text->find_first_of(",\"\r\n") == std::string::npos) {
        out << *text;
        return;
    }
    out << '"';
    for (const char c : *text) out << (c == '"' ? "\"" : "") << c;
    out << '"';
}

}  // namespace

void read_summaries(std::istream& in, const std::string& name,
                    const std::function<void(const std::vector<std::string>&)>& begin,
                    const std::function<void(GroupSummary)>& take) {
    constexpr std::size_t longest_header = std::size_t{1} << 16;
    Pieces pieces(in, name);
    std::string& text = pieces.fill(longest_header);
    std::vector<RecordField> fields;
    std::uint64_t line = 1;
    // A summary begins with a byte that is no character of a header, and so do its digits.
    std::string header = text.substr(0, record_end(text));
    std::vector<std::string> columns;
    if (!header.empty() && header.find('\0') == std::string::npos) {
        std::uint64_t lines = 0;
        (void)split_csv(header.data(), header.data() + header.size(), ',', fields, lines);
        for (const RecordField& field : fields) columns.emplace_back(field.text);
        line += lines;
    }
    if (columns.size() < 2 || columns.back() != summary_column ||
        columns[columns.size() - 2] != count_column) {
        begin({});
        if (pieces.fill(most_content).size() >= most_content)
            raise(ErrorCode::malformed, name + " is too long for a summary");
        return take({{}, decoded(text)});
    }
    const std::size_t groups = columns.size() - 2;
    columns.resize(groups);
    begin(columns);
    text.erase(0, header.size());
    for (std::size_t wanted = std::size_t{1} << 20;;) {
        pieces.fill(wanted);
        std::size_t end = record_end(text);
        if (end == 0 && pieces.ended()) end = text.size();
        if (end == 0) {
            if (text.size() >= most_record)
                raise(ErrorCode::malformed, name + " has a record that is too long");
            wanted = std::min(2 * wanted, most_record);
            continue;
        }
        ++line;
        const std::string place = name + ", line " + std::to_string(line);
        (void)split_csv(text.data(), text.data() + end, ',', fields, line);
        if (fields.size() != groups + 2)
            raise(ErrorCode::malformed, place + ": the record has " + std::to_string(fields.size()) +
                                            " fields instead of " + std::to_string(groups + 2));
        GroupSummary group;
        for (std::size_t i = 0; i < groups; ++i)
            group.values.push_back(fields[i].null ? std::nullopt
                                                  : std::optional(std::string(fields[i].text)));
        group.summary = from_digits(fields.back().text, place);
        take(std::move(group));
        text.erase(0, end);
        if (text.empty() && pieces.fill(1).empty()) return;
    }
}

SummaryTable summary_table(std::istream& in, const std::string& name) {
    SummaryTable table;
    read_summaries(
        in, name, [&](const std::vector<std::string>& columns) { table.columns = columns; },
        [&](GroupSummary group) { table.groups.push_back(std::move(group)); });
    return table;
}

std::vector<std::byte> merged(const Mechanism& mechanism, const SummaryTable& table) {
    if (table.groups.empty())
        raise(ErrorCode::malformed, "the file has no summary", {},
              "A file of summaries needs at least one group.");
    std::vector<std::byte> sum = table.groups[0].summary;
    for (std::size_t i = 1; i < table.groups.size(); ++i)
        if (const Outcome outcome = merge(mechanism, sum, table.groups[i].summary); outcome != Outcome::ok)
            raise_outcome(outcome, sum, table.groups[i].summary);
    return sum;
}

SummaryWriter::SummaryWriter(std::ostream& out, std::vector<std::string> columns)
    : out_(out), columns_(columns.size()) {
    if (columns.empty()) return;
    for (const std::string& column : columns) {
        put_field(out_, column);
        out_ << ',';
    }
    out_ << count_column << ',' << summary_column << '\n';
}

void SummaryWriter::put(const GroupSummary& group, std::uint64_t n) {
    if (columns_ > 0) {
        for (const auto& value : group.values) {
            put_field(out_, value);
            out_ << ',';
        }
        out_ << n << ',';
    }
    constexpr std::size_t piece = std::size_t{1} << 20;
    for (Bytes rest = group.summary; !rest.empty(); rest = rest.subspan(std::min(piece, rest.size())))
        out_ << to_hex(rest.first(std::min(piece, rest.size())));
    out_ << '\n';
}

}  // namespace ldp::cli
