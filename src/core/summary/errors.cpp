#include "core/summary/errors.hpp"

#include "core/summary/pooling.hpp"

namespace ldp {

// Those whose reports are about one attribute of a record are a sample of all who reported.
ErrorLaw error_law(const SummaryView& view, std::size_t attribute, Target target) {
    const SummaryView one = part(view, attribute);
    const auto* known = find_capability<KnownErrors>(*one.mechanism);
    if (known == nullptr || one.n == 0 || repeats(one)) return {};
    return known->error_law(one.n, one.n == view.n ? target : Target::population);
}

}  // namespace ldp
