#include "cli/input/replay_buffer.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"

namespace ldp::cli {

ReplayBuffer::int_type ReplayBuffer::underflow() {
    if (gptr() == egptr()) {
        const std::size_t size = make(buffer_.data(), buffer_.size());
        made_ += size;
        setg(buffer_.data(), buffer_.data(), buffer_.data() + size);
        if (size == 0) return traits_type::eof();
    }
    return traits_type::to_int_type(*gptr());
}

ReplayBuffer::pos_type ReplayBuffer::seekpos(pos_type position, std::ios_base::openmode) {
    const auto target = static_cast<std::uint64_t>(static_cast<off_type>(position));
    if (target < made_ - static_cast<std::uint64_t>(egptr() - eback())) {
        restart();
        made_ = 0;
        setg(buffer_.data(), buffer_.data(), buffer_.data());
    }
    while (target > made_) {
        setg(buffer_.data(), egptr(), egptr());
        if (traits_type::eq_int_type(underflow(), traits_type::eof())) return pos_type(off_type(-1));
    }
    setg(eback(), egptr() - (made_ - target), egptr());
    return position;
}

namespace {

constexpr int end_of_units = -1;

char* put_utf8(char* to, unsigned code) {
    const auto put = [&to](unsigned byte) { *to++ = static_cast<char>(byte); };
    if (code < 0x80) {
        put(code);
        return to;
    }
    if (code < 0x800) {
        put(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            put(0xE0 | code >> 12);
        } else {
            put(0xF0 | code >> 18);
            put(0x80 | (code >> 12 & 0x3F));
        }
        put(0x80 | (code >> 6 & 0x3F));
    }
    put(0x80 | (code & 0x3F));
    return to;
}

}  // namespace

Utf16Buffer::Utf16Buffer(std::istream& in, bool little_endian, std::string name)
    : in_(in), little_endian_(little_endian), name_(std::move(name)) {}

void Utf16Buffer::restart() {
    constexpr std::streamoff mark = 2;
    in_.clear();
    in_.seekg(mark);
    if (!in_)
        throw Error(ErrorCode::environment, name_ + " cannot be read from the middle", {},
                    "It must be a file, not a pipe.");
    read_ = 0;
}

int Utf16Buffer::unit() {
    char bytes[2];
    in_.read(bytes, 2);
    if (in_.bad())
        throw Error(ErrorCode::environment, name_ + " cannot be read", {},
                    "Check that it is a file and that its disk is sound.");
    if (in_.gcount() == 0) return end_of_units;
    if (in_.gcount() == 1)
        throw Error(ErrorCode::malformed, name_ + " is not UTF-16", "It ends in the middle of a character.",
                    "The file is probably incomplete: save it again.");
    ++read_;
    const int first = static_cast<unsigned char>(bytes[little_endian_ ? 1 : 0]),
              second = static_cast<unsigned char>(bytes[little_endian_ ? 0 : 1]);
    return first << 8 | second;
}

std::size_t Utf16Buffer::make(char* to, std::size_t most) {
    constexpr std::ptrdiff_t longest = 4;
    char* const begin = to;
    while (static_cast<std::ptrdiff_t>(most) - (to - begin) >= longest) {
        const int first = unit();
        if (first == end_of_units) break;
        if ((first & 0xF800) != 0xD800) {
            to = put_utf8(to, static_cast<unsigned>(first));
            continue;
        }
        const int second = (first & 0xFC00) == 0xD800 ? unit() : end_of_units;
        if (second == end_of_units || (second & 0xFC00) != 0xDC00)
            throw Error(ErrorCode::malformed, name_ + " is not UTF-16",
                        "Byte " + std::to_string(2 * read_) + " is in half of a character.",
                        "Save the file as UTF-8.");
        to = put_utf8(to, 0x10000 + ((static_cast<unsigned>(first) & 0x3FF) << 10 |
                                     (static_cast<unsigned>(second) & 0x3FF)));
    }
    return static_cast<std::size_t>(to - begin);
}

}  // namespace ldp::cli
