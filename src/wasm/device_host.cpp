// The host of the device module: random words, numbers as text, and the end of what the standard library throws. This file
// replaces base/number_text.cpp and base/system_random.cpp.

#include <array>
#include <cstring>
#include <typeinfo>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/number_text.hpp"
#include "core/base/random.hpp"
#include "core/base/text.hpp"
#include "wasm/host.hpp"

namespace {

/// Fills `size` bytes, at most 65,536, from the host's cryptographic generator. Returns the number of filled
/// bytes, a positive multiple of 8: `size`, or less in tests that count words.
extern "C" [[clang::import_module("ldp"), clang::import_name("random")]] std::size_t host_random(
    void* at, std::size_t size);

}  // namespace

// Where memory or a bound gives out, the standard library throws. What it would have said is lost.
extern "C" {
void* __cxa_allocate_exception(std::size_t) noexcept {
    ldp::wasm::stop();
}
[[noreturn]] void __cxa_throw(void*, std::type_info*, void* (*)(void*)) {
    __builtin_trap();
}
}

namespace ldp {

std::string shortest(double number) {
    return small::shortest(number);
}

std::string ecmascript_text(double number) {
    return number == 0 ? "0" : ecmascript_layout(small::digits_of(std::abs(number)), number < 0);
}

std::optional<double> parsed_number(std::string_view text) {
    return small::parsed_number(text);
}

std::string rounded(double number, int digits) {
    return small::rounded(number, digits);
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

void wasm::forget_words() noexcept {
    SystemRandom().discard();
}

}  // namespace ldp
