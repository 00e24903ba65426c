#include "cli/counting/record_counter.hpp"

#include <charconv>
#include <utility>

#include "core/base/text.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/mechanism/role/spent_signal.hpp"
#include "core/summary/batch.hpp"

namespace ldp::cli {

namespace {

Bytes bytes_of(std::string_view text) noexcept {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

using Fields = std::vector<RecordField>;

/// Takes a line as its only field.
char* whole_line(char* at, char* end, Fields& fields, std::uint64_t&) {
    const std::size_t found = std::string_view(at, end).find('\n');
    char* const line_end = found == std::string_view::npos ? end : at + found;
    const bool returned = line_end > at && line_end[-1] == '\r';
    fields.assign(1, {{at, static_cast<std::size_t>(line_end - at) - (returned ? 1 : 0)}, false});
    return line_end == end ? end : line_end + 1;
}

[[noreturn]] void refuse_round(const std::string& found) {
    raise(ErrorCode::malformed, "the round is not a whole number of 32 bits", "Found " + found + ".");
}

std::int32_t round_in(const RecordField& field) {
    std::int32_t round = 0;
    const char* const behind = field.text.data() + field.text.size();
    const auto [end, error] = std::from_chars(field.text.data(), behind, round);
    if (field.null || error != std::errc() || end != behind)
        refuse_round(field.null ? "no value" : "\"" + shortened(field.text, 60) + "\"");
    return round;
}

/// The round of a binary COPY: an integer of 2, 4 or 8 bytes.
std::int32_t binary_round(const RecordField& field) {
    std::int64_t round = 0;
    switch (field.null ? 0 : field.text.size()) {
        case 2:
            return number_of_network<std::int16_t>(field.text);
        case 4:
            return number_of_network<std::int32_t>(field.text);
        case 8:
            round = number_of_network<std::int64_t>(field.text);
            if (std::in_range<std::int32_t>(round)) return static_cast<std::int32_t>(round);
            refuse_round(std::to_string(round));
        default:
            refuse_round(field.null ? "no value" : std::to_string(field.text.size()) + " bytes");
    }
}

bool is_text(std::string_view text) noexcept {
    return text.find('\0') == std::string_view::npos && characters(text, text.size()).size() == text.size();
}

/// Throws the reason why bytes are no report or batch of the mechanism.
[[noreturn]] void refuse_value(const Mechanism& mechanism, Bytes value) {
    const Kind kind = is_batch(value) ? Kind::batch : Kind::report;
    check_value(*load_mechanism(value, kind), value, kind);
    raise_incompatible(mechanism.block(), value);
}

}  // namespace

RecordCounter::RecordCounter(GroupCounts& counts, Refused refused)
    : counts_(counts),
      mechanism_(counts.mechanism()),
      refused_(std::move(refused)),
      digits_of_block_(to_hex(mechanism_.block())),
      sent_size_(sent_size(mechanism_)) {}

void RecordCounter::add(Bytes sent, const Rounds& rounds) {
    if (last_ == nullptr || key_.text() != last_key_) {
        last_ = &counts_.group(key_.text());
        last_key_ = key_.text();
    }
    counts_.add(*last_, sent, rounds);
}

void RecordCounter::take(Bytes value, const Rounds& rounds) {
    const Bytes block = mechanism_.block();
    if (!begins_with_block(value, block)) refuse_value(mechanism_, value);
    if (is_report(value)) {
        const Bytes sent = value.subspan(block.size());
        if (sent.size() != sent_size_ || !valid_sent(mechanism_, sent)) refuse_value(mechanism_, value);
        return add(sent, rounds);
    }
    const BatchFrame frame = batch_frame(mechanism_);
    if (!is_batch(value) || !frame.fits(value, block)) refuse_value(mechanism_, value);
    for (std::size_t i = 0, count = frame.count(value); i < count; ++i)
        if (!valid_sent(mechanism_, frame.payload(value, i))) refuse_value(mechanism_, value);
    add(frame.payloads(value), rounds);
}

void RecordCounter::count_hexadecimal(std::string_view digits, const Rounds& rounds) {
    if (digits.starts_with("\\\\x")) digits.remove_prefix(1);  // bytea in COPY's text format
    if (digits.starts_with("\\x")) digits.remove_prefix(2);
    // Usually it is a report of the mechanism. Then only its payload is decoded.
    if (digits.size() == digits_of_block_.size() + 2 * sent_size_ && digits.starts_with(digits_of_block_)) {
        value_.resize(sent_size_);
        if (from_hex(digits.substr(digits_of_block_.size()), value_.data()) && valid_sent(mechanism_, value_))
            return add(value_, rounds);
    }
    value_.resize(digits.size() / 2);
    if (digits.empty() || !from_hex(digits, value_.data()))
        raise(ErrorCode::malformed, "the report is not in hexadecimal",
              "Found \"" + shortened(digits, 60) + "\".",
              "The text must have an even number of hexadecimal digits.");
    take(value_, rounds);
}

void RecordCounter::make_key(const ReportLayout& layout, const std::vector<RecordField>& fields,
                             const Rounds& rounds) {
    key_.clear();
    for (const std::size_t column : layout.by) {
        if (column == ReportLayout::of_round) {
            char digits[16];
            const auto end = std::to_chars(std::begin(digits), std::end(digits), rounds.first).ptr;
            key_.add(std::string_view(digits, static_cast<std::size_t>(end - digits)));
        } else {
            key_.add(fields[column].null ? std::nullopt : std::optional(fields[column].text));
        }
    }
}

template <class Step>
void RecordCounter::placed(const ReportLayout& layout, std::uint64_t record, Step step) {
    try {
        step();
    } catch (const Error& error) {
        const Error with_place(error.code(), layout.place(record) + ": " + error.what(), error.detail(),
                               error.hint());
        if (error.code() != ErrorCode::malformed && error.code() != ErrorCode::incompatible) throw with_place;
        refused_(with_place);
    }
}

void RecordCounter::count_fields(const ReportLayout& layout, const std::vector<RecordField>& fields) {
    if (fields.size() != layout.columns)
        raise(ErrorCode::malformed, "the record has " + std::to_string(fields.size()) + " fields",
              "Expected " + std::to_string(layout.columns) + ".");
    const Rounds rounds = layout.every_round ? Rounds::only(*layout.every_round)
                          : layout.round     ? Rounds::only(round_in(fields[*layout.round]))
                                             : Rounds::unrecorded();
    if (!layout.by.empty()) make_key(layout, fields, rounds);
    if (fields[layout.report].null) raise(ErrorCode::malformed, "the report is missing");
    count_hexadecimal(fields[layout.report].text, rounds);
}

template <class Split>
void RecordCounter::count_lines(RecordChunk& chunk, Split split) {
    char* place = chunk.bytes.data();
    char* const end = place + chunk.size;
    std::uint64_t line = chunk.first;
    while (place < end) {
        const std::uint64_t here = line++;
        try {
            place = split(place, end, fields_, line);
        } catch (const Error& error) {
            throw Error(error.code(), chunk.layout->place(here) + ": " + error.what(), error.detail(),
                        error.hint());
        }
        const bool blank = fields_.size() == 1 && fields_[0].text.empty();
        const bool end_mark = fields_.size() == 1 && fields_[0].text == ".";
        if (blank || (end_mark && chunk.layout->format == ReportFormat::copy_text)) continue;
        placed(*chunk.layout, here, [&] { count_fields(*chunk.layout, fields_); });
    }
}

void RecordCounter::count_rows(const RecordChunk& chunk) {
    const ReportLayout& layout = *chunk.layout;
    std::string_view rest(chunk.bytes.data(), chunk.size);
    for (std::uint64_t row = chunk.first; !rest.empty(); ++row) {
        rest.remove_prefix(sizeof(std::int16_t));
        fields_.clear();
        for (std::size_t i = 0; i < layout.columns; ++i) {
            const auto size = number_of_network<std::int32_t>(rest);
            rest.remove_prefix(sizeof(size));
            const std::size_t used = size < 0 ? 0 : static_cast<std::size_t>(size);
            fields_.push_back({rest.substr(0, used), size < 0});
            rest.remove_prefix(used);
        }
        placed(layout, row, [&] {
            const Rounds rounds = layout.every_round ? Rounds::only(*layout.every_round)
                                  : layout.round     ? Rounds::only(binary_round(fields_[*layout.round]))
                                                     : Rounds::unrecorded();
            for (std::size_t i = 0; i < layout.by.size(); ++i)
                if (layout.by[i] != ReportLayout::of_round && !is_text(fields_[layout.by[i]].text))
                    throw Error(ErrorCode::environment, "the column " + layout.by_names[i] + " is not text",
                                {},
                                "Convert it in the query, as in COPY (SELECT report, " + layout.by_names[i] +
                                    "::text FROM …) TO STDOUT (FORMAT binary).");
            if (!layout.by.empty()) make_key(layout, fields_, rounds);
            if (fields_[layout.report].null) raise(ErrorCode::malformed, "the report is missing");
            take(bytes_of(fields_[layout.report].text), rounds);
        });
    }
}

void RecordCounter::count_values(const RecordChunk& chunk) {
    const ReportLayout& layout = *chunk.layout;
    const Rounds rounds = layout.every_round ? Rounds::only(*layout.every_round) : Rounds::unrecorded();
    if (!layout.by.empty()) make_key(layout, {}, rounds);
    const BatchFrame frame = batch_frame(mechanism_);
    const std::size_t report = mechanism_.block().size() + sent_size_;
    Bytes rest = bytes_of({chunk.bytes.data(), chunk.size});
    for (std::uint64_t value = chunk.first; !rest.empty(); ++value) {
        std::size_t size = rest.size();
        if (begins_with_block(rest, mechanism_.block()))
            size = !is_batch(rest) ? std::min(size, report)
                   : size < frame.payloads_at() || frame.count(rest) > frame.most()
                       ? size
                       : std::min(size, frame.size(frame.count(rest)));
        try {
            take(rest.first(size), rounds);
        } catch (const Error& error) {
            // The length of what follows is unknown, so no value is skipped.
            throw Error(error.code(), layout.place(value) + ": " + error.what(), error.detail(),
                        error.hint());
        }
        rest = rest.subspan(size);
    }
}

void RecordCounter::count(RecordChunk& chunk) {
    switch (chunk.layout->format) {
        case ReportFormat::copy_binary:
            return count_rows(chunk);
        case ReportFormat::bytes:
            return count_values(chunk);
        case ReportFormat::csv:
            return count_lines(chunk, [&](char* at, char* end, Fields& fields, std::uint64_t& lines) {
                return split_csv(at, end, chunk.layout->delimiter, fields, lines);
            });
        case ReportFormat::lines:
            return count_lines(chunk, whole_line);
        case ReportFormat::copy_text:
            return count_lines(chunk, [](char* at, char* end, Fields& fields, std::uint64_t&) {
                return split_copy(at, end, fields);
            });
    }
}

}  // namespace ldp::cli
