// What both modules have of their host.
#pragma once

namespace ldp::wasm {

/// Raises the error of a module that cannot continue.
[[noreturn]] void stop();
/// Wipes random words that were not used; each module has its own.
void forget_words() noexcept;

}  // namespace ldp::wasm
