#include "cli/input/replay_buffer.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "client/in_quotes.hpp"
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

DecodedBuffer::DecodedBuffer(std::istream& in, std::string encoding, std::streamoff start, std::string name)
    : in_(in),
      encoding_(std::move(encoding)),
      start_(start),
      name_(std::move(name)),
      converter_(iconv_open("UTF-8", encoding_.c_str())),
      read_(static_cast<std::uint64_t>(start)) {
    // iconv_open() returns this value if it fails.
    if (converter_ == reinterpret_cast<iconv_t>(-1))
        throw Error(
            ErrorCode::invalid_value, "the encoding " + in_quotes(encoding_) + " is not known", {},
            "Common encodings are latin1, windows-1252, UTF-16LE and Shift_JIS. iconv --list shows all "
            "encodings.");
}

DecodedBuffer::~DecodedBuffer() {
    iconv_close(converter_);
}

void DecodedBuffer::restart() {
    in_.clear();
    in_.seekg(start_);
    if (!in_)
        throw Error(ErrorCode::environment, name_ + " cannot be read from the middle", {},
                    "It must be a file, not a pipe.");
    (void)iconv(converter_, nullptr, nullptr, nullptr, nullptr);
    bytes_.clear();
    from_ = 0;
    read_ = static_cast<std::uint64_t>(start_);
    ended_ = false;
}

bool DecodedBuffer::read_more() {
    constexpr std::size_t size = std::size_t{1} << 16;
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(from_));
    from_ = 0;
    const std::size_t kept = bytes_.size();
    bytes_.resize(kept + size);
    in_.read(bytes_.data() + kept, static_cast<std::streamsize>(size));
    if (in_.bad())
        throw Error(ErrorCode::environment, name_ + " cannot be read", {},
                    "Check that it is a file, and check its disk for errors.");
    const auto found = static_cast<std::size_t>(in_.gcount());
    bytes_.resize(kept + found);
    read_ += found;
    return found > 0;
}

std::size_t DecodedBuffer::make(char* to, std::size_t most) {
    char* out = to;
    std::size_t room = most;
    while (!ended_) {
        char* from = bytes_.data() + from_;
        std::size_t left = bytes_.size() - from_;
        errno = 0;
        const std::size_t done = left == 0 ? 0 : iconv(converter_, &from, &left, &out, &room);
        const int problem = done == static_cast<std::size_t>(-1) ? errno : 0;
        from_ = bytes_.size() - left;
        if (problem == E2BIG) break;
        if (problem == EILSEQ) {
            if (out != to) break;  // the next call finds it first
            throw Error(ErrorCode::malformed, name_ + " is not " + encoding_,
                        "Byte " + std::to_string(read_ - left + 1) + " is not part of a character.",
                        "Save the file as UTF-8, or name its encoding with --encoding.");
        }
        if (read_more()) continue;
        if (problem == EINVAL)
            throw Error(ErrorCode::malformed, name_ + " is not " + encoding_,
                        "It ends in the middle of a character.",
                        "The file is probably incomplete: save it again.");
        // Some encodings end with bytes of their own.
        if (iconv(converter_, nullptr, nullptr, &out, &room) == static_cast<std::size_t>(-1)) break;
        ended_ = true;
    }
    return static_cast<std::size_t>(out - to);
}

}  // namespace ldp::cli
