#include "core/delivery/delivery_receipt.hpp"

#include "core/base/sha256.hpp"

namespace ldp {

namespace {

constexpr unsigned body_too_large = 413;

}  // namespace

std::string delivery_receipt(std::string_view method, unsigned status, std::string_view collection,
                             std::string_view id, std::int32_t round,
                             const std::array<std::byte, 32>& content) {
    Sha256 lines;
    lines.add("ldp receipt 1\n");
    lines.add(method);
    lines.add("\n" + std::to_string(status) + "\n");
    lines.add(id);
    lines.add("\n" + std::to_string(round) + "\n" + to_hex(status == body_too_large ? sha256({}) : content) +
              "\n");
    lines.add(collection);
    return to_hex(lines.digest());
}

}  // namespace ldp
