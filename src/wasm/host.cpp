// The interface between a module and its host for errors. This file replaces base/error.cpp and base/attempt.cpp.
//
// The runtime of WebAssembly has no exceptions. An error becomes a JavaScript exception, which unwinds the
// module's stack without running destructors. The caller must then discard the instance.

#include "wasm/host.hpp"

#include <sys/types.h>

#include <span>
#include <utility>

#include "core/base/attempt.hpp"
#include "core/base/bytes.hpp"
#include "core/contract/json_object.hpp"

namespace {

#define LDP_IMPORT(name) [[clang::import_module("ldp"), clang::import_name(#name)]]

extern "C" {
/// Throws an Error of JavaScript. The texts are UTF-8.
LDP_IMPORT(raise)
[[noreturn]] void host_raise(int code, const char* message, std::size_t message_size, const char* detail,
                             std::size_t detail_size, const char* hint, std::size_t hint_size);
/// Calls the export `run` with this argument. Returns false if it ended with an error; the stack is then
/// restored.
LDP_IMPORT(attempt) bool host_attempt(const void* something);
}

}  // namespace

extern "C" {
void abort() {
    __builtin_trap();
}
[[noreturn]] void abort_message(const char*, ...) {
    __builtin_trap();
}

// There are no files. What the standard library holds ready for them would ask the host otherwise.
int close(int) {
    return -1;
}
ssize_t writev(int, const struct iovec*, int) {
    return -1;
}
off_t __lseek(int, off_t, int) {
    return -1;
}
}

namespace ldp {

namespace {

std::optional<Error> raised;

}  // namespace

void raise(ErrorCode code, const std::string& message, const std::string& detail, const std::string& hint) {
    wasm::forget_words();
    raised.emplace(code, message, detail, hint);
    host_raise(static_cast<int>(code), message.data(), message.size(), detail.data(), detail.size(),
               hint.data(), hint.size());
}

void raise(ErrorCode code, const std::string& message, const std::string& detail,
           std::vector<Remedy> remedies) {
    raise(code, message, detail, worded(remedies, program_words));
}

std::optional<Error> attempt(const std::function<void()>& something) {
    return host_attempt(&something) ? std::nullopt : raised;
}
extern "C" [[clang::export_name("run")]] void ldp_run(const std::function<void()>& something) {
    something();
}

void wasm::refuse_spec(const char* why) {
    refuse_json(why);
}

std::vector<std::byte> wasm::in, wasm::out;

std::size_t wasm::give(std::vector<std::byte> bytes) {
    out = std::move(bytes);
    return out.size();
}

std::size_t wasm::give(std::string_view text) {
    const Bytes bytes = std::as_bytes(std::span(text));
    return give(std::vector(bytes.begin(), bytes.end()));
}

/// Returns a buffer of `size` bytes.
EXPORT(input, std::byte*, std::size_t size) {
    wasm::in.resize(size);
    return wasm::in.data();
}
EXPORT(output, const std::byte*) {
    return wasm::out.data();
}

void wasm::stop() {
    raise(ErrorCode::environment, "the module stopped", "It ran out of memory, or an internal check failed.",
          "The call is discarded. If the error recurs with more free memory, report it as a bug.");
}

}  // namespace ldp
