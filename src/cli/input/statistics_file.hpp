// Files of statistics packages as CSV text and a codebook.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "cli/input/codebook.hpp"
#include "cli/input/replay_buffer.hpp"
#include "cli/input/statistics_parser.hpp"

namespace ldp::cli {

/// The rows of a file of SPSS, Stata or SAS as CSV text with commas. Numbers have a decimal point, dates are
/// 2026-11-25, missing answers are empty, and each row is one record.
///
/// The file is parsed by ReadStat in a child process, which may use 4 GB. A file that makes the parser fail or crash
/// is an Error. Reads one frame of rows at a time.
class StatisticsBuffer final : public ReplayBuffer {
  public:
    /// Starts the parser and reads the codebook. Throws Error: unsupported if the program was built without ReadStat,
    /// environment if the file cannot be opened or no process can be started, malformed if it is not of this format.
    StatisticsBuffer(std::string file, StatisticsFormat format);
    ~StatisticsBuffer() override { stop(); }
    StatisticsBuffer(const StatisticsBuffer&) = delete;
    StatisticsBuffer& operator=(const StatisticsBuffer&) = delete;

    [[nodiscard]] const Codebook& codebook() const noexcept { return codebook_; }

  private:
    void restart() override;
    [[nodiscard]] std::size_t make(char* to, std::size_t most) override;
    void start();
    void stop() noexcept;
    /// Reads the next frame into frame_. Throws Error (malformed) for an error frame or if the process ended early.
    [[nodiscard]] FrameKind next_frame();
    /// Fills the buffer from the process. Returns false at its end.
    [[nodiscard]] bool read_all(char* to, std::size_t size);
    [[noreturn]] void refuse(const std::string& reason);

    std::string file_;
    StatisticsFormat format_;
    Codebook codebook_;
    pid_t process_ = -1;
    int descriptor_ = -1;
    std::string frame_;
    std::size_t taken_ = 0;  ///< bytes of the frame
    bool ended_ = false;
};

}  // namespace ldp::cli
