// Included before every source file of the module. The errors of the JSON library are also raised, not
// thrown. In this module, the library reads only specs.
#pragma once

namespace ldp::wasm {
[[noreturn]] void refuse_spec(const char* why);
}

#define JSON_THROW_USER(error) ::ldp::wasm::refuse_spec((error).what())
