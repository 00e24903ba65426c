#include "client/store.hpp"

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/spec/spec.hpp"

namespace ldp {

void refuse_memory(const char* reason) {
    raise(ErrorCode::environment, "what the store remembers does not fit the spec", reason,
          "It was left as it is. Restore it from a backup: a person who starts without their memory "
          "spends again.");
}

std::string Store::random_id() {
    SystemRandom bits;
    std::byte raw[16];
    store<std::uint64_t>(raw, bits.word());
    store<std::uint64_t>(raw + 8, bits.word());
    raw[6] = (raw[6] & std::byte{0x0F}) | std::byte{0x40};  // version 4: random
    raw[8] = (raw[8] & std::byte{0x3F}) | std::byte{0x80};  // the variant of RFC 4122
    std::string text = to_hex(raw);
    for (const std::size_t at : {8, 13, 18, 23}) text.insert(at, 1, '-');
    return text;
}

void Store::refuse_spec(std::uint64_t bound, std::uint64_t found) {
    raise(ErrorCode::incompatible, "the store belongs to another spec",
          "It holds reports for spec " + fingerprint_text(bound) + "; this client has spec " +
              fingerprint_text(found) + ".",
          "Use one store for each spec. If the spec was replaced, submit what the old store holds first.");
}

}  // namespace ldp
