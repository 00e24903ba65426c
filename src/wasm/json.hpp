// Included before every source of the module: the library of JSON, too, has its errors raised, not thrown.
#pragma once

namespace ldp {
[[noreturn]] void refuse_json(const char* why);
}

#define JSON_THROW_USER(error) ::ldp::refuse_json((error).what())
