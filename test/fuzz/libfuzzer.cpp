// The entry that libFuzzer calls. The environment names the target: LDP_TARGET=report build/fuzzer/bin/fuzz …

#include <cstdlib>
#include <iostream>
#include <string>

#include "fuzz_target.hpp"

namespace {

const ldp::fuzz::Target& chosen() {
    const char* name = std::getenv("LDP_TARGET");
    for (const ldp::fuzz::Target& target : ldp::fuzz::targets)
        if (name != nullptr && std::string(name) == target.name) return target;
    std::cerr << "LDP_TARGET must name one of";
    for (const ldp::fuzz::Target& target : ldp::fuzz::targets) std::cerr << ' ' << target.name;
    std::cerr << '\n';
    std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const ldp::fuzz::Target& target = chosen();
    target.run({reinterpret_cast<const std::byte*>(data), size});
    return 0;
}
