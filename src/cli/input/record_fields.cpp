#include "cli/input/record_fields.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/error.hpp"

namespace ldp::cli {

namespace {

/// The first of these bytes in a range, or its end.
char* find(char* at, char* end, char byte) noexcept {
    void* const found = at < end ? std::memchr(at, byte, static_cast<std::size_t>(end - at)) : nullptr;
    return found == nullptr ? end : static_cast<char*>(found);
}

std::string_view text_between(const char* first, const char* last) noexcept {
    return {first, static_cast<std::size_t>(last - first)};
}

/// Decodes the field in quotes that begins behind its first quote, and returns the position behind its last one.
char* unquote(char* at, char* end, std::vector<RecordField>& fields, std::uint64_t& lines) {
    char *const first = at, *out = at;
    for (;;) {
        char* const quote = find(at, end, '"');
        if (quote == end)
            raise(ErrorCode::malformed, "a quote is not closed", {},
                  "A quote inside a field in quotes is doubled.");
        const auto size = static_cast<std::size_t>(quote - at);
        lines += static_cast<std::uint64_t>(std::count(at, quote, '\n'));
        std::memmove(out, at, size);
        out += size;
        at = quote + 1;
        if (at == end || *at != '"') break;
        *out++ = *at++;
    }
    fields.push_back({text_between(first, out), false});
    return at;
}

int octal(char c) noexcept {
    return c >= '0' && c <= '7' ? c - '0' : -1;
}

/// Decodes the escapes of a field, and returns its new end.
char* unescape(char* at, char* end) noexcept {
    char* out = at;
    while (at < end) {
        if (*at != '\\' || at + 1 == end) {
            *out++ = *at++;
            continue;
        }
        constexpr std::string_view letters = "bfnrtv", bytes = "\b\f\n\r\t\v";
        const char c = *++at;
        if (octal(c) >= 0) {
            int value = 0;
            for (int digits = 0; digits < 3 && at < end && octal(*at) >= 0; ++digits)
                value = 8 * value + octal(*at++);
            *out++ = static_cast<char>(value);
            continue;
        }
        const std::size_t letter = letters.find(c);
        *out++ = letter == std::string_view::npos ? c : bytes[letter];
        ++at;
    }
    return out;
}

}  // namespace

char* split_csv(char* at, char* end, char delimiter, std::vector<RecordField>& fields, std::uint64_t& lines) {
    fields.clear();
    char* line_end = find(at, end, '\n');
    for (;;) {
        if (at < line_end && *at == '"') {
            at = unquote(at + 1, end, fields, lines);
            if (at > line_end) line_end = find(at, end, '\n');
            if (at < line_end && *at == '\r' && at + 1 == line_end) ++at;
            if (at < line_end && *at != delimiter)
                raise(ErrorCode::malformed, "text follows a closing quote", {},
                      "A quote inside a field in quotes is doubled.");
        } else {
            char *const first = at, *last = find(at, line_end, delimiter);
            at = last;
            if (last == line_end && last > first && last[-1] == '\r') --last;
            fields.push_back({text_between(first, last), first == last});
        }
        if (at == line_end) return line_end == end ? end : line_end + 1;
        ++at;
    }
}

char* split_copy(char* at, char* end, std::vector<RecordField>& fields) {
    fields.clear();
    char* const line_end = find(at, end, '\n');
    char* const behind = line_end == end ? end : line_end + 1;
    for (;;) {
        char *const first = at, *last = find(at, line_end, '\t');
        at = last;
        if (last == line_end && last > first && last[-1] == '\r') --last;
        const std::string_view raw = text_between(first, last);
        if (raw == "\\N")
            fields.push_back({{}, true});
        else if (raw.find('\\') == std::string_view::npos)
            fields.push_back({raw, false});
        else
            fields.push_back({text_between(first, unescape(first, last)), false});
        if (at == line_end) return behind;
        ++at;
    }
}

}  // namespace ldp::cli
