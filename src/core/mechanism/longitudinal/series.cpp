#include "core/mechanism/longitudinal/series.hpp"

#include <string>

#include "core/base/error.hpp"

namespace ldp {

void check_no_series(const Mechanism& mechanism, std::size_t attribute) {
    if (is_series(mechanism) || !is_series(mechanism, attribute)) return;
    throw Error(ErrorCode::unsupported,
                "attribute " + std::to_string(attribute) + " is a series; estimate one round at a time", {},
                {Remedy::ask_series});
}

}  // namespace ldp
