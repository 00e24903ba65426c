#include <cstring>

#include "capi/c_boundary.hpp"
#include "capi/ldp_device.h"
#include "core/base/random.hpp"
#include "core/format/batch_frame.hpp"
#include "core/mechanism/role/local_randomizer.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/role/spent_signal.hpp"
#include "core/summary/batch.hpp"

using namespace ldp;
using namespace ldp::capi;

namespace {

/// The ids of stores, for batches without a store.
struct BatchIds : Store {
    /// Returns a new id.
    static std::string draw() { return batch_id(draw_secret(), 0); }
};

/// Returns the mechanism of a parameter block. Throws Error: malformed if the block is damaged, unsupported if its reports need
/// more than a draw.
std::unique_ptr<const Mechanism> drawn_by(Bytes block) {
    const Header header = read_header(block, Kind::report);
    if (header.block_size != block.size())
        raise(ErrorCode::malformed, "the parameter block has the wrong length",
              "Found " + std::to_string(block.size()) + " bytes, expected " +
                  std::to_string(header.block_size) + ".");
    const MechanismEntry* entry = find_mechanism(header.mechanism);
    if (entry == nullptr)
        raise(ErrorCode::unsupported,
              "the program does not link mechanism number " + std::to_string(header.mechanism), {},
              "Add the mechanism to LDP_MECHANISMS.");
    if (header.kept)
        raise(ErrorCode::unsupported, "responses of this collection are memoized", {},
              "Use a client, which stores them.");
    if (entry->shape != Shape::one_categorical || entry->series)
        raise(ErrorCode::unsupported,
              "reports of the mechanism " + std::string(entry->name) + " need a client", {},
              "Without a spec, only values of one category can be reported.");
    return entry->load(header, block);
}

}  // namespace

ldp_status ldp_block_report(const uint8_t* block, size_t block_size, uint64_t code, char* id, uint8_t* body,
                            size_t capacity, size_t* size, ldp_error** error) {
    return guarded(error, [&] {
        auto& written = place(size, "pointer for the size");
        need(block, "parameter block");
        need(id, "pointer for the id");
        need(body, "pointer for the body");
        const auto mechanism = drawn_by(Bytes(reinterpret_cast<const std::byte*>(block), block_size));
        const std::size_t needed = short_head_size + sent_size(*mechanism);
        if (needed > capacity)
            raise(ErrorCode::invalid_value, "the buffer for the body is too small",
                  "Found " + std::to_string(capacity) + " bytes, expected " + std::to_string(needed) + ".");
        SystemRandom bits;
        const Cell input[] = {code};
        const Report report = mechanism->perturb(input, bits);
        const std::vector<std::byte> sent =
            short_form_of(pack(*mechanism, {&report, 1}).front(), mechanism->block().size());
        const std::string name = BatchIds::draw();
        std::memcpy(id, name.c_str(), name.size() + 1);
        std::memcpy(body, sent.data(), sent.size());
        written = sent.size();
    });
}
