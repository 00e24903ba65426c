// Included before every source of the module: the library of JSON, too, has its errors raised, not thrown. It
// reads specs alone here.
#pragma once

namespace ldp::wasm {
[[noreturn]] void refuse_spec(const char* why);
}

#define JSON_THROW_USER(error) ::ldp::wasm::refuse_spec((error).what())
