#include "core/summary/queries/candidates.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

CandidateMethod candidate_method_named(std::string_view name) {
    if (name == "nnls") return CandidateMethod::nnls;
    if (name == "lasso") return CandidateMethod::lasso;
    raise(ErrorCode::invalid_value, "unknown selection \"" + std::string(name) + "\"", {},
          "Valid selections are nnls and lasso.");
}

std::vector<Ranked> candidates(const SummaryView& view, CandidateMethod method, Control control) {
    std::vector<Picked> picked = pick(view, method);
    std::ranges::sort(picked, {}, &Picked::p_value);
    std::vector<double> p_values(picked.size());
    std::ranges::transform(picked, p_values.begin(), &Picked::p_value);
    adjust(p_values, view.mechanism->cells()[0], control);
    std::vector<Ranked> ranking;
    for (std::size_t i = 0; i < picked.size(); ++i)
        ranking.push_back({picked[i].value, picked[i].estimate, p_values[i]});
    std::ranges::stable_sort(ranking, std::greater(), [](const Ranked& r) { return r.estimate.value; });
    return ranking;
}

}  // namespace ldp
