// Specs whose privacy statements are compared with enumerations: mechanisms with and without memoized responses, a
// signal of spent budgets, two layers, groups of collections, records, sets and missing values.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ldp::test {

inline constexpr const char* layers = R"(, "report_epsilon": 0.2)";
/// Budgets of specs: none; two responses, or one and the signal; a part of the budget of a group.
inline constexpr const char* memoized = R"(, "evolving": {}, "budget": {"epsilon": 1.1})";
inline constexpr const char* grouped_budget =
    R"(, "evolving": {}, "budget": {"group": "g", "epsilon": 4, "at_most": 1.1})";
inline constexpr const char* budgets[] = {"", memoized, grouped_budget};

/// Returns a spec of a mechanism at ε = 0.5 with these keys.
inline std::string spec_text_of(const std::string& mechanism, const std::string& keys) {
    return R"({"mechanism": ")" + mechanism + R"(", "epsilon": 0.5, )" + keys + "}";
}

/// Returns mechanisms with the keys of their specs.
inline std::vector<std::pair<const char*, std::string>> privacy_cases() {
    const std::string
        number = R"("min": 0, "max": 1, "grid": 4)",
        record = R"("per_report": 1, "attributes": [{"name": "a", "domain": 4, "mechanism": "grr"},
                                   {"name": "b", "domain": 5, "mechanism": "grr"}])",
        record_in_layers =
            R"("per_report": 1, "attributes": [{"name": "a", "domain": 4, "mechanism": "l_grr"},
                                   {"name": "b", "domain": 5, "mechanism": "l_grr"}])",
        pair = R"("per_report": 2, "attributes": [{"name": "a", "domain": 4, "mechanism": "grr"},
                                   {"name": "b", "domain": 5, "mechanism": "grr"}])",
        sets =
            R"("response": "subset", "attributes": [{"name": "s", "domain": 4, "several": true, "most": 2}])",
        missing = R"("attributes": [{"name": "x", "min": 0, "max": 1, "missing": true}], "grid": 2)";
    return {{"grr", R"("domain": 5)"},
            {"oue", R"("domain": 4)"},
            {"sue", R"("domain": 4)"},
            {"subset", R"("domain": 5)"},
            {"blh", R"("domain": 5)"},
            {"olh", R"("domain": 5)"},
            {"hadamard", R"("domain": 5)"},
            {"projective", R"("domain": 5)"},
            {"exponential", R"("domain": 5)"},
            {"rappor", R"("domain": 3, "filter_bits": 8, "hashes": 2, "cohorts": 2)"},
            {"piecewise", number},
            {"pdp", number},
            {"laplace", R"("min": 0, "max": 1, "grid": 2)"},
            {"duchi", number},
            {"onebit", number},
            {"onebit", number + layers},
            {"hybrid", number},
            {"square_wave", number},
            {"optimal", number},
            {"optimal", number + layers},
            {"optional_mean", missing},
            {"tree", R"("domain": 5)"},
            {"haar_ordered", R"("domain": 5)"},
            {"dithered", R"("domain": 7, "buckets": 4)"},
            {"dithered", R"("domain": 7, "buckets": 4)" + std::string(layers)},
            {"label_sets", sets},
            {"means_by_group",
             R"("attributes": [{"name": "g", "domain": 2}, {"name": "x", "min": 0, "max": 1}], "grid": 2)" +
                 std::string(layers)},
            {"sampled", record},
            {"sampled", record_in_layers + layers},
            {"sampled", pair},
            {"l_grr", R"("domain": 4)" + std::string(layers)},
            {"l_sue", R"("domain": 4)" + std::string(layers)},
            {"l_osue", R"("domain": 4)" + std::string(layers)},
            {"loloha", R"("domain": 6, "hash_buckets": 3)" + std::string(layers)},
            {"dbitflip", R"("domain": 6, "buckets": 4, "bits_per_report": 3)"}};
}

}  // namespace ldp::test
