#include "cli/progress.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <string_view>
#include <utility>

#include "core/base/text.hpp"

namespace ldp::cli {

namespace {

constexpr std::string_view erase_line = "\r\x1b[K";

/// Returns the number of bytes that follow the first byte of a UTF-8 character; 4 if the byte is not one.
std::size_t following(unsigned char first) {
    if (first < 0x80) return 0;
    if (first >= 0xC2 && first < 0xE0) return 1;
    if (first >= 0xE0 && first < 0xF0) return 2;
    return first >= 0xF0 && first < 0xF5 ? 3 : 4;
}

/// Returns whether a whole character of several bytes controls the display: U+0080 to U+009F, or a character
/// that changes the direction of writing (U+202A to U+202E, U+2066 to U+2069).
bool controls(std::string_view character) {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
    if (character.size() == 2) return at(0) == 0xC2 && at(1) < 0xA0;
    if (character.size() != 3 || at(0) != 0xE2) return false;
    return (at(1) == 0x80 && at(2) >= 0xAA && at(2) <= 0xAE) ||
           (at(1) == 0x81 && at(2) >= 0xA6 && at(2) <= 0xA9);
}

}  // namespace

void PrintableBuffer::write_raw(std::ostream& out, std::string_view text) {
    out.flush();
    auto* buffer = dynamic_cast<PrintableBuffer*>(out.rdbuf());
    std::streambuf& last = buffer == nullptr ? *out.rdbuf() : buffer->target_;
    last.sputn(text.data(), static_cast<std::streamsize>(text.size()));
}

bool PrintableBuffer::pass(std::string_view text) {
    return target_.sputn(text.data(), static_cast<std::streamsize>(text.size())) ==
           static_cast<std::streamsize>(text.size());
}

bool PrintableBuffer::escape(std::string_view bytes) {
    constexpr char digits[] = "0123456789abcdef";
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        const char text[] = {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
        if (!pass({text, sizeof(text)})) return false;
    }
    return true;
}

bool PrintableBuffer::escape_partial() {
    left_ = 0;
    return escape(std::exchange(partial_, {}));
}

bool PrintableBuffer::put(unsigned char byte) {
    const char c = static_cast<char>(byte);
    if (left_ > 0 && (byte & 0xC0) == 0x80) {
        partial_ += c;
        if (--left_ > 0) return true;
        const std::string character = std::exchange(partial_, {});
        return controls(character) ? escape(character) : pass(character);
    }
    if (!escape_partial()) return false;
    const std::size_t more = following(byte);
    if (more == 0) {
        const bool control = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
        return control ? escape({&c, 1}) : pass({&c, 1});
    }
    if (more > 3) return escape({&c, 1});
    partial_ = c;
    left_ = more;
    return true;
}

PrintableBuffer::int_type PrintableBuffer::overflow(int_type byte) {
    if (traits_type::eq_int_type(byte, traits_type::eof())) return traits_type::not_eof(byte);
    return put(static_cast<unsigned char>(byte)) ? byte : traits_type::eof();
}

int PrintableBuffer::sync() {
    // A character may come in parts, and streams without a buffer are flushed after each of them.
    return target_.pubsync();
}

Progress::Progress(std::ostream& out, bool terminal, std::string verb, std::string unit, std::uint64_t total)
    : out_(out),
      terminal_(terminal),
      verb_(std::move(verb)),
      unit_(std::move(unit)),
      total_(total),
      pause_(terminal ? std::chrono::milliseconds(100) : std::chrono::seconds(5)),
      next_(Clock::now() + pause_) {}

void Progress::update(std::uint64_t done) {
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + pause_;
    const double share =
        total_ == 0 ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    const std::string figures = total_ == 0 ? grouped(done) + " " + unit_
                                            : std::to_string(static_cast<int>(share * 100)) + " %, " +
                                                  grouped(done) + " of " + grouped(total_) + " " + unit_;
    const std::scoped_lock alone(writing_);
    if (!terminal_) {
        out_ << verb_ << ": " << figures << std::endl;
        return;
    }
    constexpr std::size_t width = 30;
    const auto filled = static_cast<std::size_t>(share * width);
    PrintableBuffer::write_raw(out_, erase_line);
    out_ << verb_ << " [" << std::string(filled, '#') << std::string(width - filled, '-') << "] " << figures
         << std::flush;
    drawn_ = true;
}

void Progress::say(const std::string& line) {
    const std::scoped_lock alone(writing_);
    clear();
    out_ << line << std::endl;
}

void Progress::clear() {
    if (drawn_) {
        PrintableBuffer::write_raw(out_, erase_line);
        out_.flush();
    }
    drawn_ = false;
}

namespace {

/// Whether standard output is a pipe without a reader. The program that started this one may have set SIGPIPE to be ignored.
bool is_reader_gone() noexcept {
    pollfd polled{STDOUT_FILENO, 0, 0};
    return poll(&polled, 1, 0) == 1 && (polled.revents & POLLERR) != 0;
}

}  // namespace

void need_standard_streams() noexcept {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
        if (fcntl(stream, F_GETFD) == -1 && errno == EBADF)
            (void)open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);  // the lowest free number
}

void finish_output() {
    errno = 0;
    std::cout.flush();
    const int cause = errno;
    if (std::cout) return;
    if (is_reader_gone()) {
        (void)std::signal(SIGPIPE, SIG_DFL);
        (void)std::raise(SIGPIPE);
    }
    throw UnwrittenOutput(
        ErrorCode::environment, "cannot write the output",
        cause == 0 ? "Standard output failed." : std::strerror(cause),
        "The output is incomplete: discard it, and run the command again when there is space.");
}

}  // namespace ldp::cli
