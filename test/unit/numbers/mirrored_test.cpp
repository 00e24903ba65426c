// Estimates of means do not depend on the end of the range from which numbers are counted.

#include <cmath>
#include <map>

#include "core/base/exact.hpp"
#include "proof.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(mirrored_numbers)

namespace {

/// Pairs each payload with the one whose probabilities are the same for the numbers counted from the other end.
std::map<std::vector<std::byte>, std::vector<std::byte>> mirror_images(const Mechanism& m, std::size_t grid) {
    std::vector<std::pair<std::vector<std::byte>, std::vector<double>>> laws;
    for_each_permanent(m, {}, [&](Bytes permanent) {
        std::vector<double>& law =
            laws.emplace_back(std::vector<std::byte>(permanent.begin(), permanent.end()),
                              std::vector<double>{})
                .second;
        for_each_input(
            m, [&](Input input) { law.push_back(static_cast<double>(m.probability(input, {}, permanent))); });
    });
    std::map<std::vector<std::byte>, std::vector<std::byte>> images;
    for (const auto& [payload, law] : laws) {
        std::vector<double> mirrored = law;
        std::reverse(mirrored.begin(), mirrored.begin() + static_cast<std::ptrdiff_t>(grid + 1));
        const auto distance = [&](const auto& other) {
            double most = 0;
            for (std::size_t s = 0; s < mirrored.size(); ++s)
                most = std::max(most, std::abs(mirrored[s] - other.second[s]));
            return most;
        };
        // Outputs with equal probabilities are in opposite order.
        std::vector<std::size_t> equal, mirrors;
        for (std::size_t i = 0; i < laws.size(); ++i) {
            double most = 0;
            for (std::size_t s = 0; s < law.size(); ++s)
                most = std::max(most, std::abs(law[s] - laws[i].second[s]));
            if (most < 1e-12) equal.push_back(i);
            if (distance(laws[i]) < 1e-12) mirrors.push_back(i);
        }
        BOOST_REQUIRE_EQUAL(equal.size(), mirrors.size());
        const auto own = std::ranges::find(equal, payload, [&](std::size_t i) { return laws[i].first; });
        images.emplace(
            payload, laws[mirrors[mirrors.size() - 1 - static_cast<std::size_t>(own - equal.begin())]].first);
    }
    return images;
}

}  // namespace

BOOST_AUTO_TEST_CASE(errors_are_the_same_from_either_end_of_the_range) {
    constexpr std::size_t grid = 8, people = 30;
    std::uint64_t seed = 31;
    for (const char* name : {"laplace", "duchi", "onebit", "hybrid", "optimal", "piecewise", "pdp",
                             "square_wave", "optional_mean"})
        for (const double epsilon : {0.7, 1.5, 4.0}) {
            const bool missing = name == std::string("optional_mean");
            const auto m = mechanism(
                name, epsilon,
                std::string(R"("min": 0, "max": 1, "grid": 8)") + (missing ? R"(, "missing": true)" : ""));
            const auto images = mirror_images(*m, grid);
            SeededBits bits(seed++);
            for (int r = 0; r < 20; ++r) {
                OwnedSummary from_low(*m), from_high(*m);
                for (std::size_t i = 0; i < people; ++i) {
                    const Report report = m->perturb(std::vector<Cell>{bits.below(10) < 7 ? 1u : 6u}, bits);
                    from_low.add(report);
                    const std::size_t size = m->payload_size();
                    const auto image =
                        images.at({report.end() - static_cast<std::ptrdiff_t>(size), report.end()});
                    Report mirrored(report.begin(), report.end() - static_cast<std::ptrdiff_t>(size));
                    mirrored.insert(mirrored.end(), image.begin(), image.end());
                    from_high.add(mirrored);
                }
                for (const Target target : {Target::sample, Target::population}) {
                    const Estimate one = from_low.estimate(Quantity::means, target)[0],
                                   other = from_high.estimate(Quantity::means, target)[0];
                    BOOST_TEST_CONTEXT(name << " epsilon " << epsilon) {
                        BOOST_CHECK_SMALL(one.value + other.value - 1, 1e-9);
                        BOOST_CHECK_CLOSE_FRACTION(one.standard_error, other.standard_error, 1e-9);
                    }
                }
            }
        }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
