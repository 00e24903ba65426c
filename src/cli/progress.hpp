// The progress of a long run, on a terminal or in a log.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <mutex>
#include <string>

namespace ldp::cli {

/// Draws a bar on a terminal. Elsewhere it writes a plain line at intervals, and none for a short run.
class Progress {
  public:
    /// `verb` is the start of each line; `total` and the argument of update() count `unit`s.
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

}  // namespace ldp::cli
