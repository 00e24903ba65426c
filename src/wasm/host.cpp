// The interface between the module and its host, which provides random bits and error handling. This file
// replaces base/error.cpp, base/attempt.cpp, base/number_text.cpp and base/system_random.cpp.
//
// The runtime of WebAssembly has no exceptions. An error becomes a JavaScript exception, which unwinds the
// module's stack without running destructors. The caller must then discard the instance.

#include <sys/types.h>

#include <array>
#include <cstring>
#include <utility>

#include "core/base/attempt.hpp"
#include "core/base/number_text.hpp"
#include "core/base/random.hpp"
#include "core/base/text.hpp"
#include "core/spec/json_object.hpp"

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
/// Fills `size` bytes, at most 65,536, from the host's cryptographic generator. Returns the number of filled
/// bytes, a positive multiple of 8: `size`, or less in tests that count words.
LDP_IMPORT(random) std::size_t host_random(void* at, std::size_t size);
}

}  // namespace

// Where memory or a bound gives out, the standard library throws or stops. What it would have said is lost.
extern "C" {
void* __cxa_allocate_exception(std::size_t) noexcept {
    ldp::raise(ldp::ErrorCode::environment, "the module stopped",
               "It ran out of memory, or came to what should be impossible.",
               "Nothing was reported. If it comes again with more memory at hand, report it to the authors.");
}
[[noreturn]] void __cxa_throw(void*, std::type_info*, void* (*)(void*)) {
    __builtin_trap();
}
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
    SystemRandom().discard();
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

std::string shortest(double number) {
    return small::shortest(number);
}

std::string rounded(double number, int digits) {
    return small::rounded(number, digits);
}

void wasm::refuse_spec(const char* why) {
    refuse_json(why);
}

// One buffer serves all generators of the instance, which has one thread and never forks. Each call of the
// host costs microseconds, so a refill takes 32 words. Every call of the module that draws wipes the buffer
// at its end (SystemRandom::discard), and so does every error: no word outlives the call that it was made
// for.
struct SystemRandom::Page {
    std::array<std::uint64_t, 32> words;
    std::size_t next, end;  // the unused words

    void refill() {
        end = host_random(words.data(), sizeof(words)) / sizeof(words[0]);
        if (end == 0 || end > words.size()) __builtin_trap();
        next = 0;
    }
    void forget() noexcept { explicit_bzero(this, sizeof(Page)); }

    static constinit Page only;
};

constinit SystemRandom::Page SystemRandom::Page::only{};

SystemRandom::SystemRandom() : page_(&Page::only) {}

SystemRandom::~SystemRandom() {
    page_->forget();
}

void SystemRandom::discard() noexcept {
    page_->forget();
}

std::uint64_t SystemRandom::word() {
    if (page_->next == page_->end) page_->refill();
    return std::exchange(page_->words[page_->next++], 0);
}

}  // namespace ldp
