// What the roles of grr draw on: one immutable object, read from a parameter block.
#pragma once

#include "core/channel/symmetric.hpp"
#include "core/format/header.hpp"
#include "core/mechanism/fields.hpp"

namespace ldp::grr {

inline constexpr std::uint64_t max_domain = std::uint64_t{1} << 24;

struct Parameters {
    SymmetricChannel channel;  ///< p and q
    std::size_t width;         ///< bytes of a payload

    Parameters(const Header& header, Bytes block) : Parameters(header, domain(block)) {}

    [[nodiscard]] std::uint64_t k() const noexcept { return channel.inputs(); }

  private:
    Parameters(const Header& header, std::uint64_t k) : channel(k, header.epsilon), width(cell_width(k)) {}
    static std::uint64_t domain(Bytes block) {
        Reader reader(block.subspan(header_size));
        return read_domain(reader, max_domain);
    }
};

}  // namespace ldp::grr
