#include "core/base/error.hpp"

namespace ldp {

void raise(ErrorCode code, const std::string& message, const std::string& detail, const std::string& hint) {
    throw Error(code, message, detail, hint);
}

void raise(ErrorCode code, const std::string& message, const std::string& detail,
           std::vector<Remedy> remedies) {
    throw Error(code, message, detail, std::move(remedies));
}

}  // namespace ldp
