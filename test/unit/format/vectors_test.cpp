// Golden vectors: the output of each mechanism for given random words. test/data/vectors.txt has five
// lines per case. The first three are the spec, the parameters of its block, and the payloads of the first
// three reports. The others are hashes of the payloads of all reports, and of the state that counted them. A
// change in any of these is a change of the format.

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <set>

#include "core/base/text.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(vectors_of_the_format)

namespace {

std::string hashed(Bytes bytes) {
    ContentHash hash;
    hash.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    std::array<std::byte, sizeof(std::uint64_t)> digits;
    store(digits.data(), hash.value());
    std::ranges::reverse(digits);
    return to_hex(digits);
}

/// The five lines of a spec's case.
std::vector<std::string> vectors(const std::string& spec) {
    const auto m = mechanism(spec);
    const std::vector<std::uint64_t> cells = m->input_cells();
    SeededBits bits(2026);
    OwnedSummary summary(*m);
    std::vector<std::byte> payloads;
    std::string first;
    for (std::uint64_t i = 0; i < 200; ++i) {
        std::vector<Cell> input;
        for (std::size_t j = 0; j < cells.size(); ++j) input.push_back((i * 7919 + j * 104729) % cells[j]);
        const Report report = m->perturb(input, bits);
        const Bytes payload = payload_of(Bytes(report), m->block());
        payloads.insert(payloads.end(), payload.begin(), payload.end());
        if (i < 3) first += (i > 0 ? " " : "") + to_hex(payload);
        summary.add(report);
    }
    return {spec, to_hex(m->block().subspan(header_size)), first, hashed(payloads), hashed(summary.state())};
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_mechanism_gives_its_vectors) {
    std::ifstream file("test/data/vectors.txt");
    std::set<std::string> seen;
    std::string spec;
    while (std::getline(file, spec)) {
        std::vector<std::string> expected{spec};
        for (std::string line; expected.size() < 5 && std::getline(file, line);) expected.push_back(line);
        const std::vector<std::string> found = vectors(spec);
        BOOST_CHECK_EQUAL_COLLECTIONS(found.begin(), found.end(), expected.begin(), expected.end());
        seen.insert(Spec::from_json(spec).mechanism().name);
    }
    BOOST_CHECK_EQUAL(seen.size(), registry().size());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
