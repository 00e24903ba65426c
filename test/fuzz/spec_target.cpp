// Text as a spec: what is taken has one canonical form, which is taken too, and means the same.

#include "core/choice/resolve.hpp"

#include "choices.hpp"
#include "core/base/error.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "examine.hpp"

namespace ldp::fuzz {

bool spec(Bytes bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::optional<Spec> first;
    Drawn drawn(bytes);
    if (drawn.one_in(8))
        refused({ErrorCode::malformed, ErrorCode::invalid_spec}, [&] { static_cast<void>(advise(text)); });
    std::optional<Spec> device;
    const bool open =
        refused({ErrorCode::malformed, ErrorCode::invalid_spec}, [&] { device = Spec::from_json(text); });
    // The choice of a protocol simulates streams, which takes a hundred times as long as everything else.
    if (text.find("\"stream\"") != std::string_view::npos && !drawn.one_in(16)) return open;
    if (refused({ErrorCode::malformed, ErrorCode::invalid_spec}, [&] { first = resolve(text); }))
        return false;
    const std::string canonical = first->to_json();
    need(open || device->to_json() == canonical, "a device reads a spec as another");
    const Spec second = Spec::from_json(canonical);
    need(second.to_json() == canonical, "the canonical form is read as another");
    need(second.fingerprint() == first->fingerprint(), "equal specs have two fingerprints");
    if (!drawn.one_in(4)) return true;
    const auto mechanism = make_mechanism(*first);
    need(std::ranges::equal(mechanism->block(), make_mechanism(second)->block()),
         "equal specs have two blocks");
    need(mechanism->cells().size() >= first->attributes().size(), "a spec's attribute is not asked about");
    return true;
}

}  // namespace ldp::fuzz
