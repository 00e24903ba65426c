// Prints random reports of a spec as COPY reads them: a number, a tab, and the report. Inputs are uniform. Series are
// included, whose reports no file of values yields.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/base/error.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace {

using namespace ldp;

void print_reports(const std::string& spec, std::uint64_t count) {
    const auto mechanism = make_mechanism(resolve(spec));
    const std::vector<std::uint64_t> cells = mechanism->input_cells();
    SystemRandom bits;
    std::vector<Cell> input(cells.size());
    std::string line;
    for (std::uint64_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < cells.size(); ++j) input[j] = bits.below(cells[j]);
        line = std::to_string(i) + "\t";
        for (const std::byte byte : mechanism->perturb(input, bits)) {
            constexpr const char* digits = "0123456789abcdef";
            line += digits[std::to_integer<unsigned>(byte) >> 4];
            line += digits[std::to_integer<unsigned>(byte) & 15];
        }
        std::puts(line.c_str());
    }
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 3) {
        std::fputs("usage: bench-aggregates SPEC COUNT\n", stderr);
        return 2;
    }
    print_reports(argv[1], std::strtoull(argv[2], nullptr, 10));
} catch (const Error& error) {
    std::fprintf(stderr, "%s: %s\n", argv[1], error.what());
    return 1;
}
