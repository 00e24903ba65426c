#include "cli/progress.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include "core/base/text.hpp"

namespace ldp::cli {

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
    const std::string figures = std::to_string(static_cast<int>(share * 100)) + " %, " + grouped(done) +
                                " of " + grouped(total_) + " " + unit_;
    const std::scoped_lock alone(writing_);
    if (!terminal_) {
        out_ << verb_ << ": " << figures << std::endl;
        return;
    }
    constexpr std::size_t width = 30;
    const auto filled = static_cast<std::size_t>(share * width);
    out_ << "\r\x1b[K" << verb_ << " [" << std::string(filled, '#') << std::string(width - filled, '-')
         << "] " << figures << std::flush;
    drawn_ = true;
}

void Progress::say(const std::string& line) {
    const std::scoped_lock alone(writing_);
    clear();
    out_ << line << std::endl;
}

void Progress::clear() {
    if (drawn_) out_ << "\r\x1b[K" << std::flush;
    drawn_ = false;
}

}  // namespace ldp::cli
