#include "support.hpp"

#include <charconv>
#include <fstream>
#include <map>

#include "core/base/error.hpp"

namespace ldp::test {

std::string text(double number) {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof(digits), number).ptr};
}

std::string unit_attributes(std::size_t d) {
    std::string list;
    for (std::size_t j = 0; j < d; ++j)
        list +=
            (j == 0 ? "" : ", ") + ("{\"name\": \"a" + std::to_string(j) + "\", \"min\": -1, \"max\": 1}");
    return "\"attributes\": [" + list + "]";
}

double golden(const std::string& candidate, const std::string& parameters, const std::string& quantity) {
    static const auto constants = [] {
        std::map<std::string, double> read;
        std::ifstream file("test/data/golden.csv");
        for (std::string line; std::getline(file, line);) {
            const auto comma = line.rfind(',');
            if (line.substr(comma + 1) != "value")
                read[line.substr(0, comma)] = std::stod(line.substr(comma + 1));
        }
        return read;
    }();
    const auto found = constants.find(candidate + "," + parameters + "," + quantity);
    BOOST_REQUIRE_MESSAGE(found != constants.end(),
                          "no golden " << candidate << ' ' << parameters << ' ' << quantity);
    return found->second;
}

bool malformed(const std::function<void()>& action) {
    try {
        action();
        return false;
    } catch (const Error& error) {
        return error.code() == ErrorCode::malformed;
    }
}

void for_each_input(const Mechanism& mechanism, const std::function<void(Input)>& visit) {
    const auto cells = mechanism.input_cells();
    std::vector<Cell> input(cells.size());
    for (;;) {
        visit(input);
        std::size_t j = 0;
        while (j < input.size() && ++input[j] == cells[j]) input[j++] = 0;
        if (j == input.size()) return;
    }
}

void for_each_permanent(const Mechanism& mechanism, Bytes public_randomness,
                        const std::function<void(Bytes)>& visit) {
    BOOST_REQUIRE_LE(mechanism.permanent_size(), 3u);
    struct Silent final : BitSource {
        std::uint64_t word() override { throw std::logic_error("a second draw"); }
    } silent;
    std::vector<std::byte> permanent(mechanism.permanent_size()), payload(mechanism.payload_size());
    for (std::uint32_t number = 0; number >> 8 * permanent.size() == 0; ++number) {
        store_cell(permanent.data(), permanent.size(), number);
        if (mechanism.report_epsilon() < mechanism.epsilon())
            std::ranges::copy(permanent, std::ranges::copy(public_randomness, payload.begin()).out);
        else
            mechanism.instantaneous_response(public_randomness, permanent, silent, payload);
        if (mechanism.valid_payload(payload)) visit(permanent);
    }
}

}  // namespace ldp::test
