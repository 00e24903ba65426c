#include <exception>
#include <new>

#include "capi/c_boundary.hpp"
#include "core/base/text.hpp"

namespace ldp::capi {

namespace {

/// Where there is no memory, none is asked for to say so.
ldp_error& no_memory() noexcept {
    static ldp_error error{LDP_NO_MEMORY, "out of memory", {}, {}};
    return error;
}

ldp_status status_of(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::invalid_spec:
            return LDP_INVALID_SPEC;
        case ErrorCode::invalid_value:
            return LDP_INVALID_VALUE;
        case ErrorCode::malformed:
            return LDP_MALFORMED;
        case ErrorCode::incompatible:
            return LDP_INCOMPATIBLE;
        case ErrorCode::unsupported:
            return LDP_UNSUPPORTED;
        case ErrorCode::full:
            return LDP_FULL;
        case ErrorCode::spent:
            return LDP_SPENT;
        case ErrorCode::environment:
            return LDP_ENVIRONMENT;
        case ErrorCode::changed:
            return LDP_CHANGED;
    }
    return LDP_ENVIRONMENT;
}

ldp_status put(ldp_error** error, ldp_status status, const char* message, const std::string& detail = {},
               const std::string& hint = {}) {
    if (error != nullptr) *error = new ldp_error{status, message, detail, hint};
    return status;
}

}  // namespace

ldp_status tell(ldp_error** error) noexcept {
    try {
        try {
            throw;
        } catch (const Error& failed) {
            return put(error, status_of(failed.code()), failed.what(), failed.detail(), failed.hint());
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::length_error&) {
            throw std::bad_alloc();
        } catch (const std::exception& other) {
            return put(error, LDP_ENVIRONMENT, "the call failed", other.what());
        } catch (...) {
            return put(error, LDP_ENVIRONMENT, "the call failed", "The exception has an unknown type.");
        }
    } catch (...) {
        if (error != nullptr) *error = &no_memory();
        return LDP_NO_MEMORY;
    }
}

void need(const void* pointer, const char* what) {
    if (pointer == nullptr)
        raise(ErrorCode::invalid_value, std::string("the ") + what + " is null", {}, "Pass a valid address.");
}

std::string_view text_of(const char* text, std::size_t length, const char* what) {
    need(text, what);
    // Nothing is read of a text that is too long, whatever its length is said to be.
    const std::size_t size = length == LDP_TO_END ? strnlen(text, max_text + 1) : length;
    if (size > max_text)
        raise(ErrorCode::invalid_value, std::string("the ") + what + " is too long",
              "At most " + std::to_string(max_text) + " bytes are allowed.",
              length == LDP_TO_END ? "Check that the text ends with a zero byte."
                                   : "Check the length argument.");
    const std::string_view view(text, size);
    if (characters(view, size).size() != size)
        raise(ErrorCode::invalid_value, std::string("the ") + what + " is not UTF-8",
              "Byte " + std::to_string(characters(view, size).size()) + " does not start a character.");
    return view;
}

}  // namespace ldp::capi

using namespace ldp;

int ldp_api_version(void) {
    return LDP_API_VERSION;
}
const char* ldp_version(void) {
    return LDP_VERSION;
}

ldp_status ldp_error_code(const ldp_error* error) {
    return error == nullptr ? LDP_OK : error->code;
}
const char* ldp_error_message(const ldp_error* error) {
    return error == nullptr ? "" : error->message.c_str();
}
const char* ldp_error_detail(const ldp_error* error) {
    return error == nullptr ? "" : error->detail.c_str();
}
const char* ldp_error_hint(const ldp_error* error) {
    return error == nullptr ? "" : error->hint.c_str();
}
void ldp_error_free(ldp_error* error) {
    if (error != &capi::no_memory()) delete error;
}
void ldp_free(void* memory) {
    std::free(memory);
}
