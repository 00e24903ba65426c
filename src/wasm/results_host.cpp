// The host of the results module: the errors that results throw.

#include <cstdlib>
#include <typeinfo>

#include "core/base/error.hpp"
#include "wasm/host.hpp"

// The module has no exceptions, so a throw arrives here. An Error becomes that of the host; all others are of the standard
// library, where memory or a bound gives out.
extern "C" {
void* __cxa_allocate_exception(std::size_t size) noexcept {
    void* const memory = std::malloc(size);
    if (memory == nullptr) ldp::wasm::stop();
    return memory;
}
[[noreturn]] void __cxa_throw(void* thrown, std::type_info* type, void* (*)(void*)) {
    if (*type != typeid(ldp::Error)) ldp::wasm::stop();
    const auto& error = *static_cast<const ldp::Error*>(thrown);
    ldp::raise(error.code(), error.what(), error.detail(), error.hint());
}
}

// There is no environment, and nothing ends the host.
extern "C" {
char* getenv(const char*) {
    return nullptr;
}
void _Exit(int) {
    __builtin_trap();
}
}

namespace ldp {

// There are no random words.
void wasm::forget_words() noexcept {}

}  // namespace ldp
