// Input whose bytes are made from other bytes: it can be read from its start only.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <streambuf>
#include <string>
#include <vector>

namespace ldp::cli {

/// A stream buffer over bytes that can only be made from their start. Seeking backwards makes them again.
class ReplayBuffer : public std::streambuf {
  public:
    ReplayBuffer() : buffer_(std::size_t{1} << 16) {}
    ReplayBuffer(const ReplayBuffer&) = delete;
    ReplayBuffer& operator=(const ReplayBuffer&) = delete;

  protected:
    /// Begins at the first byte again.
    virtual void restart() = 0;
    /// Writes the next bytes, at most `most`, and returns their number; 0 at the end.
    [[nodiscard]] virtual std::size_t make(char* to, std::size_t most) = 0;

    int_type underflow() final;
    pos_type seekpos(pos_type position, std::ios_base::openmode which) final;

  private:
    std::vector<char> buffer_;
    std::uint64_t made_ = 0;  ///< the number of bytes that were made since the last start
};

/// The UTF-8 text of a UTF-16 file that begins with a byte order mark. Throws Error (malformed) at bytes that are
/// not UTF-16.
class Utf16Buffer final : public ReplayBuffer {
  public:
    /// `in` stands behind the byte order mark. `name` is the file's name in errors.
    Utf16Buffer(std::istream& in, bool little_endian, std::string name);

  private:
    void restart() override;
    [[nodiscard]] std::size_t make(char* to, std::size_t most) override;
    /// Reads two bytes. Returns -1 at the end.
    [[nodiscard]] int unit();

    std::istream& in_;
    bool little_endian_;
    std::string name_;
    std::uint64_t read_ = 0;  ///< units
};

}  // namespace ldp::cli
