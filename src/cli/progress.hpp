// How far along a long run is, told without getting in the way.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <mutex>
#include <string>

namespace ldp::cli {

/// Draws a bar on a terminal; elsewhere writes a plain line now and then, and none for a short run.
class Progress {
  public:
    /// `verb` begins the lines; `total` and what update() is told count `unit`s.
    Progress(std::ostream& out, bool terminal, std::string verb, std::string unit, std::uint64_t total);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void update(std::uint64_t done);
    /// Writes a line of its own, from any thread; the bar comes back with the next update.
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
