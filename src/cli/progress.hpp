// Output on a terminal, in a log or in a file: the progress of a long run, text of others, and whether it was written.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <mutex>
#include <streambuf>
#include <string>
#include <string_view>

#include "core/base/error.hpp"

namespace ldp::cli {

/// Passes UTF-8 text on to another buffer. Control characters except line feeds and tabs, characters that
/// change the direction of writing, and bytes that are not UTF-8 become \xNN. A label, a message of a server
/// or the name of a file can therefore neither move the cursor nor hide text.
class PrintableBuffer final : public std::streambuf {
  public:
    explicit PrintableBuffer(std::streambuf* target) : target_(*target) {}
    ~PrintableBuffer() override { escape_partial(); }
    PrintableBuffer(const PrintableBuffer&) = delete;
    PrintableBuffer& operator=(const PrintableBuffer&) = delete;

    /// Writes text of the command itself, which may control the terminal, to the stream's last buffer.
    static void write_raw(std::ostream& out, std::string_view text);

  protected:
    int_type overflow(int_type byte) override;
    int sync() override;

  private:
    bool put(unsigned char byte);
    bool pass(std::string_view text);
    bool escape(std::string_view bytes);
    bool escape_partial();

    std::streambuf& target_;
    std::string partial_;   ///< the first bytes of a character
    std::size_t left_ = 0;  ///< the number of its bytes that are missing
};

/// Draws a bar on a terminal. Elsewhere it writes a plain line at intervals, and none for a short run.
class Progress {
  public:
    /// `verb` is the start of each line; `total`, 0 if it is unknown, and the argument of update() count `unit`s.
    Progress(std::ostream& out, bool terminal, std::string verb, std::string unit, std::uint64_t total);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void update(std::uint64_t done);
    /// Writes a separate line, from any thread; the next update draws the bar again.
    void say(const std::string& line);

  private:
    using Clock = std::chrono::steady_clock;
    void clear();

    std::ostream& out_;
    bool terminal_;
    std::string verb_;
    std::string unit_;
    std::uint64_t total_;
    Clock::duration pause_;
    Clock::time_point next_;
    std::mutex writing_;
    bool drawn_ = false;
};

/// The exit code of a run whose output could not be written.
inline constexpr int exit_unwritten = 7;

/// Standard output that cannot be written: exit code exit_unwritten.
class UnwrittenOutput : public Error {
  public:
    using Error::Error;
};

/// Makes sure that the descriptors of the standard streams are open. Otherwise, a file that is opened later
/// could get their numbers and would receive the output. Writing to standard output then fails.
void need_standard_streams() noexcept;
/// Writes what the buffer of standard output has. Throws UnwrittenOutput if this or an earlier output failed. If the reader of a
/// pipe is gone, ends the process by SIGPIPE, as other programs do.
void finish_output();

}  // namespace ldp::cli
