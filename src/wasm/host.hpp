// The interface of both modules to their host: the buffers of bytes, and the end of a module that cannot
// continue.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

/// Defines an export of the module.
#define EXPORT(name, type, ...) extern "C" [[clang::export_name(#name)]] type ldp_##name(__VA_ARGS__)

namespace ldp::wasm {

/// The buffers of the exports `input`, which the host writes, and `output`, which it reads.
extern std::vector<std::byte> in, out;
/// Writes a result to the output. Returns its size.
std::size_t give(std::vector<std::byte> bytes);
std::size_t give(std::string_view text);

/// Raises the error of a module that cannot continue.
[[noreturn]] void stop();
/// Wipes random words that were not used. Each module has its own definition.
void forget_words() noexcept;

}  // namespace ldp::wasm
