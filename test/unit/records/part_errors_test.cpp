// Errors of estimates about a part of a record (doc/draws.md, sampled).
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "core/mechanism/frequency/label_sets.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/summary/errors.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(part_errors)

// The people who reported are a sample of themselves, and those whose reports are about the part are a sample of them.
BOOST_AUTO_TEST_CASE(a_part_has_the_sampling_error_of_the_people_who_did_not_report_it) {
    const auto m = mechanism(R"({"mechanism": "sampled", "epsilon": 2, "attributes": [
        {"name": "mean", "min": 0, "max": 10, "missing": true},
        {"name": "curve", "min": 0, "max": 24, "grid": 24, "missing": true, "estimate": "distribution"},
        {"name": "tags", "domain": 4, "several": true, "most": 2}]})");
    SeededBits bits(11);
    OwnedSummary summary(*m);
    const std::vector<std::uint64_t> cells = m->input_cells();
    for (std::uint64_t i = 0; i < 300; ++i) {
        std::vector<Cell> input;
        // A third has no numbers: the last input code.
        for (const std::uint64_t each : cells) input.push_back(i % 3 == 0 ? each - 1 : i * 7919 % each);
        summary.add(m->perturb(input, bits));
    }
    const SummaryView view = view_of(*m, summary.bytes());
    const auto check = [&](std::size_t attribute, auto of_part, double found) {
        const SummaryView one = part(view, attribute);
        const double share = static_cast<double>(one.n) / static_cast<double>(view.n);
        const double sample = of_part(one, Target::sample), population = of_part(one, Target::population);
        BOOST_TEST(sample < population);
        BOOST_CHECK_CLOSE(found, std::sqrt(share * sample * sample + (1 - share) * population * population),
                          1e-9);
        BOOST_TEST(found < population);
    };
    for (const std::size_t attribute : {std::size_t{0}, std::size_t{1}})
        check(
            attribute,
            [](const SummaryView& one, Target target) {
                return capability<ResponseRate>(*one.mechanism).response_rate(one, target).standard_error;
            },
            response_rate(view, attribute, Target::sample).estimate.standard_error);
    check(
        2,
        [](const SummaryView& one, Target target) {
            return capability<LabelSets>(*one.mechanism).set_size(one, target).standard_error;
        },
        set_size(view, 2, Target::sample, 1.96).estimate.standard_error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
