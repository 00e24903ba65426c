// Input whose bytes are made from other bytes: it can be read from its start only.
#pragma once

#include <iconv.h>

#include <cstdint>
#include <istream>
#include <memory>
#include <streambuf>
#include <string>
#include <vector>

namespace ldp::cli {

/// A stream buffer over bytes that can be generated only from the start. Seeking backwards generates them
/// again.
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
    std::uint64_t made_ = 0;  ///< number of bytes generated since the last start
};

/// The UTF-8 text of a file in another encoding. Throws Error (malformed) at bytes that are not in this encoding.
class DecodedBuffer final : public ReplayBuffer {
  public:
    /// `in` is at the first byte of the text, which is at `start` in the file. `encoding` is a name of iconv. `name` is the
    /// file's name in errors. Throws Error (invalid_value) for an unknown encoding.
    DecodedBuffer(std::istream& in, std::string encoding, std::streamoff start, std::string name);
    ~DecodedBuffer() override;

  private:
    void restart() override;
    [[nodiscard]] std::size_t make(char* to, std::size_t most) override;
    /// Reads further bytes of the file, after the bytes that are not decoded yet. Returns false at the end.
    [[nodiscard]] bool read_more();

    std::istream& in_;
    std::string encoding_;
    std::streamoff start_;
    std::string name_;
    iconv_t converter_;
    std::vector<char> bytes_;
    std::size_t from_ = 0;    ///< the first byte of these that was not decoded
    std::uint64_t read_ = 0;  ///< the number of bytes that were read from the file
    bool ended_ = false;
};

}  // namespace ldp::cli
