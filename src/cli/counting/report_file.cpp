#include "cli/counting/report_file.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cli/input/record_fields.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/format/header.hpp"
#include "core/mechanism/role/spent_signal.hpp"
#include "core/summary/batch.hpp"

namespace ldp::cli {

namespace {

constexpr std::string_view copy_signature("PGCOPY\n\377\r\n\0", 11);
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_hexadecimal(std::string_view line) noexcept {
    if (line.starts_with("\\\\x")) line.remove_prefix(3);
    if (line.starts_with("\\x")) line.remove_prefix(2);
    return !line.empty() && line.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::optional<std::size_t> index_of(const std::vector<std::string>& columns, std::string_view name) {
    const auto found = std::ranges::find(columns, name);
    if (found == columns.end()) return {};
    return static_cast<std::size_t>(found - columns.begin());
}

}  // namespace

std::string ReportLayout::place(std::uint64_t record) const {
    const char* noun = format == ReportFormat::copy_binary ? ", row "
                       : format == ReportFormat::bytes     ? ", value "
                                                           : ", line ";
    return name + noun + std::to_string(record);
}

ReportFile::ReportFile(std::istream& in, std::string name, const ReportFileOptions& options,
                       const Mechanism& mechanism)
    : in_(in), mechanism_(mechanism) {
    layout_->name = std::move(name);
    layout_->delimiter = options.delimiter;
    layout_->every_round = options.round;
    fill(chunk_size);
    detect(options);
}

void ReportFile::need(bool fine, const std::string& message, const std::string& detail,
                      const std::string& hint) const {
    if (!fine) raise(ErrorCode::malformed, layout_->name + ": " + message, detail, hint);
}

void ReportFile::fill(std::size_t wanted) {
    if (at_ > 0) {
        std::memmove(rest_.data(), rest_.data() + at_, used_ - at_);
        used_ -= std::exchange(at_, 0);
    }
    if (rest_.size() < wanted) rest_.resize(wanted);
    while (!ended_ && used_ < wanted) {
        in_.read(rest_.data() + used_, static_cast<std::streamsize>(wanted - used_));
        if (in_.bad())
            raise(ErrorCode::environment, "cannot read " + layout_->name, {}, "Check that it is a file.");
        used_ += static_cast<std::size_t>(in_.gcount());
        ended_ = in_.eof();
    }
}

void ReportFile::detect(const ReportFileOptions& options) {
    const std::string_view start(rest_.data(), used_);
    if (start.starts_with(copy_signature)) {
        layout_->format = ReportFormat::copy_binary;
        take_copy_header();
        find_columns(options.columns.empty() ? std::vector<std::string>{"report"} : options.columns, options);
        return;
    }
    if (start.size() > kind_offset && start[0] == static_cast<char>(format_version)) {
        layout_->format = ReportFormat::bytes;
        find_columns({"report"}, options);
        return;
    }
    need(!start.starts_with("\xFF\xFE") && !start.starts_with("\xFE\xFF"), "the file is UTF-16", {},
         "Save the file as UTF-8.");
    if (!options.columns.empty()) {
        layout_->format = ReportFormat::copy_text;
        find_columns(options.columns, options);
        return;
    }
    std::string_view line = start.substr(0, start.find('\n'));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_hexadecimal(line) || start.empty()) {
        layout_->format = ReportFormat::lines;
        if (!start.empty()) find_columns({"report"}, options);
        return;
    }
    layout_->format = ReportFormat::csv;
    read_header(options);
}

void ReportFile::read_header(const ReportFileOptions& options) {
    if (std::string_view(rest_.data(), used_).starts_with(byte_order_mark)) at_ = byte_order_mark.size();
    // The header is split in a copy: its length in lines is counted in the bytes of the file.
    std::string header(rest_.data() + at_, rest_.data() + used_);
    std::vector<RecordField> fields;
    std::uint64_t lines = 0;
    const char* const end =
        split_csv(header.data(), header.data() + header.size(), layout_->delimiter, fields, lines);
    std::vector<std::string> columns;
    for (const RecordField& field : fields) columns.emplace_back(field.text);
    need(index_of(columns, "report") || index_of(columns, "batch"),
         "the first line has neither hexadecimal digits nor a column report or batch",
         "It begins with \"" +
             shortened(std::string_view(rest_.data() + at_, std::min<std::size_t>(used_ - at_, 60)), 60) +
             "\".",
         "--columns names the columns of a COPY in text format; --delimiter sets another delimiter of CSV.");
    const auto size = static_cast<std::size_t>(end - header.data());
    record_ += lines + 1;
    at_ += size;
    find_columns(columns, options);
}

void ReportFile::take_copy_header() {
    const std::string_view start(rest_.data(), used_);
    constexpr std::size_t fixed = copy_signature.size() + 8;
    need(start.size() >= fixed, "the header of the COPY is cut off", {});
    const auto flags = number_of_network<std::uint32_t>(start.substr(copy_signature.size()));
    need(flags >> 16 == 0, "the COPY has object identifiers or a newer format", {},
         "Use COPY … (FORMAT binary) without OIDS.");
    const auto more = number_of_network<std::uint32_t>(start.substr(copy_signature.size() + 4));
    need(more <= start.size() - fixed, "the header of the COPY is cut off", {});
    at_ = fixed + more;
}

void ReportFile::find_columns(const std::vector<std::string>& columns, const ReportFileOptions& options) {
    ReportLayout& layout = *layout_;
    layout.columns = columns.size();
    const auto report = index_of(columns, "report"), batch = index_of(columns, "batch");
    need(report.has_value() != batch.has_value(),
         report ? "the file has both columns, report and batch" : "the file has no column report or batch",
         "The columns are " + joined(columns) + ".", "One column has the reports or batches.");
    layout.report = report ? *report : *batch;
    layout.round = index_of(columns, "round");
    need(!layout.round || !options.round, "the file has a column round", {},
         "Omit --round: the column has the rounds.");
    for (const std::string& name : options.by) {
        layout.by_names.push_back(name);
        if (name == "round") {
            need(layout.round || options.round, "there is no column round",
                 "The columns are " + joined(columns) + ".", "--round states the round of all reports.");
            layout.by.push_back(ReportLayout::of_round);
            continue;
        }
        const auto at = index_of(columns, name);
        need(at.has_value(), "there is no column " + name, "The columns are " + joined(columns) + ".",
             columns.size() == 1 ? "--columns names the columns of a COPY." : "");
        layout.by.push_back(*at);
    }
}

std::size_t ReportFile::whole_lines(std::string_view text, std::uint64_t& lines) const {
    std::size_t end = 0;
    if (layout_->format != ReportFormat::csv || text.find('"') == std::string_view::npos) {
        end = text.rfind('\n') + 1;
    } else {
        bool quoted = false;
        for (std::size_t i = 0; i < text.size(); ++i) {
            quoted = quoted != (text[i] == '"');
            if (text[i] == '\n' && !quoted) end = i + 1;
        }
    }
    if (ended_ && at_ + text.size() == used_) end = text.size();  // the last line may have no end
    lines += static_cast<std::uint64_t>(std::ranges::count(text.substr(0, end), '\n'));
    return end;
}

std::size_t ReportFile::whole_rows(std::string_view text, std::uint64_t& rows) {
    std::size_t end = 0;
    while (text.size() - end >= 2) {
        const auto columns = number_of_network<std::int16_t>(text.substr(end));
        if (columns == -1) {
            trailer_ = true;
            return end;
        }
        if (std::cmp_not_equal(columns, layout_->columns))
            raise(ErrorCode::malformed,
                  layout_->place(record_ + rows) + ": the row has " + std::to_string(columns) + " columns",
                  "Expected " + std::to_string(layout_->columns) + ".",
                  "--columns names the columns of the COPY.");
        std::size_t at = end + 2;
        for (std::int16_t i = 0; i < columns; ++i) {
            if (text.size() - at < 4) return end;
            const auto size = number_of_network<std::int32_t>(text.substr(at));
            at += 4;
            if (size <= 0) continue;
            if (text.size() - at < static_cast<std::size_t>(size)) return end;
            at += static_cast<std::size_t>(size);
        }
        end = at;
        ++rows;
    }
    return end;
}

std::size_t ReportFile::whole_values(std::string_view text, std::uint64_t& values) const {
    const std::size_t block = mechanism_.block().size();
    const BatchFrame frame = batch_frame(mechanism_);
    std::size_t end = 0;
    while (end < text.size()) {
        const Bytes bytes{reinterpret_cast<const std::byte*>(text.data()) + end, text.size() - end};
        if (bytes.size() < frame.payloads_at() && !(ended_ && at_ + text.size() == used_)) return end;
        std::size_t size = block + sent_size(mechanism_);
        if (begins_with_block(bytes, mechanism_.block()) && is_batch(bytes)) {
            if (bytes.size() < frame.payloads_at()) return end;
            const std::uint64_t count = frame.count(bytes);
            if (count > frame.most()) return text.size();  // the parser describes the error
            size = frame.size(count);
        } else if (!begins_with_block(bytes, mechanism_.block())) {
            return text.size();
        }
        if (bytes.size() < size) return end;
        end += size;
        ++values;
    }
    return end;
}

std::size_t ReportFile::whole_records(std::size_t most, std::uint64_t& records) {
    const std::string_view text(rest_.data() + at_, std::min(most, used_ - at_));
    switch (layout_->format) {
        case ReportFormat::copy_binary:
            return whole_rows(text, records);
        case ReportFormat::bytes:
            return whole_values(text, records);
        default:
            return whole_lines(text, records);
    }
}

bool ReportFile::next(RecordChunk& chunk) {
    std::size_t wanted = chunk_size;
    for (;;) {
        if (trailer_) return false;
        fill(wanted);
        if (at_ == used_) {
            need(layout_->format != ReportFormat::copy_binary, "the COPY has no end mark",
                 "The file is cut off.", "Copy the file again.");
            return false;
        }
        std::uint64_t records = 0;
        const std::size_t size = whole_records(wanted, records);
        if (size > 0) {
            chunk.layout = layout_;
            chunk.first = record_;
            chunk.size = size;
            if (chunk.bytes.size() < size) chunk.bytes.resize(size);
            std::memcpy(chunk.bytes.data(), rest_.data() + at_, size);
            at_ += size;
            record_ += records;
            return true;
        }
        if (trailer_) return false;
        if (ended_ && used_ - at_ <= wanted)
            raise(ErrorCode::malformed, layout_->place(record_) + ": the file ends within a record", {},
                  "The file is cut off: copy it again.");
        if (wanted >= longest_record)
            raise(ErrorCode::malformed, layout_->place(record_) + ": the record is too long",
                  "It has more than " + std::to_string(longest_record) + " bytes.",
                  layout_->format == ReportFormat::csv ? "A quote is probably not closed." : "");
        wanted *= 2;
    }
}

}  // namespace ldp::cli
