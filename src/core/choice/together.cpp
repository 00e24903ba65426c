#include "core/choice/together.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace ldp {

namespace {

/// Returns the spec with this mechanism instead of its own.
Spec spec_through(const MechanismEntry& entry, Json document) {
    for (const char* key : {"derived", "chosen"}) document.erase(key);
    document["mechanism"] = entry.name;
    return resolve(json_text(document));
}

/// n·Var of shares of two attributes, for evenly spread values.
class PairVariance {
  public:
    /// `even` has the shares of every attribute, because the other attributes of a view affect the variance.
    PairVariance(const JointViews& mechanism, const std::vector<std::vector<double>>& even, std::size_t first,
                 std::size_t second)
        : sizes_{even[first].size(), even[second].size()},
          shares_(mechanism.expected_shares(
              {first, second}, [&](std::size_t j) -> const std::vector<double>& { return even[j]; }, many)) {}

    /// For the first cell; the variance of all others is at most equal.
    [[nodiscard]] double cell() const { return n_variance({0, 0}, {1, 1}); }
    /// For a box half as wide as both attributes, averaged over its position.
    [[nodiscard]] double box() const {
        constexpr std::size_t places = 8;
        double sum = 0;
        for (std::size_t place = 0; place < places; ++place) {
            std::array<std::uint64_t, 2> begin{}, width{};
            for (std::size_t i = 0; i < 2; ++i) {
                width[i] = std::max<std::uint64_t>(1, sizes_[i] / 2);
                begin[i] = (sizes_[i] - width[i]) * place / (places - 1);
            }
            sum += n_variance(begin, width) / places;
        }
        return sum;
    }

  private:
    static constexpr double many = 0x1p40;  // people: enough for negligible rounding

    [[nodiscard]] double n_variance(const std::array<std::uint64_t, 2>& begin,
                                    const std::array<std::uint64_t, 2>& width) const {
        JointShares::Box box;
        for (std::size_t i = 0; i < 2; ++i) {
            auto& values = box.emplace_back(sizes_[i]);
            std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(begin[i]), width[i], true);
        }
        const double error =
            estimate_of(*shares_, shares_->share(box), std::uint64_t{1} << 40, Target::sample).standard_error;
        return many * error * error;
    }

    std::array<std::uint64_t, 2> sizes_;
    std::unique_ptr<const JointShares> shares_;
};

/// NaN if the spec omits the required queries.
double worst(const Mechanism& mechanism, const Spec& spec, bool boxes) {
    const auto& joint = *find_capability<JointViews>(mechanism);
    std::vector<std::vector<double>> even;
    for (const Attribute& attribute : spec.attributes())
        even.emplace_back(attribute.domain, 1 / static_cast<double>(attribute.domain));
    double worst = 0;
    bool pairs = false;
    for (const std::vector<std::size_t>& view : joint.views())
        for (std::size_t i = 0; i < view.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                pairs = true;
                const PairVariance pair(joint, even, view[j], view[i]);
                const double variance = boxes ? pair.box() : pair.cell();
                if (std::isnan(variance)) return variance;
                worst = std::max(worst, variance);
            }
    for (std::size_t j = 0; !pairs && j < spec.attributes().size(); ++j)
        worst = std::max(worst, mechanism.expected_variance(j));
    return worst;
}

Candidate candidate(const MechanismEntry& entry, const Json& document, const ResponseLimit* responses) {
    std::string unpaid;
    Candidate found = measured_candidate(entry, [&](Candidate& candidate) {
        const bool boxes = document.value("optimize_for", Json()) == "ranges";
        const Spec spec = spec_through(entry, document);
        auto mechanism = make_mechanism(spec);
        candidate.n_variance = worst(*mechanism, spec, boxes);
        if (std::isnan(candidate.n_variance)) {
            Json anybody = document;
            anybody.erase("people");
            const Spec for_all = spec_through(entry, anybody);
            candidate.n_variance = worst(*make_mechanism(for_all), for_all, boxes);
        }
        candidate.bias = 0;
        for (std::size_t j = 0; j < spec.attributes().size(); ++j) {
            const auto [down, up] = mechanism->promised_bias(j, 0.01);
            candidate.bias = std::max({candidate.bias, -down, up});
        }
        if (responses != nullptr) unpaid = responses->obstacle(*mechanism);
        return mechanism;
    });
    if (found.obstacle.empty()) found.obstacle = unpaid;
    return found;
}

}  // namespace

bool asks_together(const Json& spec) {
    return spec.is_object() &&
           (spec.contains("marginals") || std::ranges::any_of(registry(), [&](const MechanismEntry* entry) {
                return entry->joint() && spec.value("mechanism", Json()) == entry->name;
            }));
}

std::vector<Candidate> rank_together(const Json& spec, const ResponseLimit* responses) {
    std::vector<Candidate> all;
    for (const MechanismEntry* entry : registry())
        if (entry->joint()) all.push_back(candidate(*entry, spec, responses));
    std::ranges::stable_sort(all, [](const Candidate& a, const Candidate& b) {
        return a.obstacle.empty() != b.obstacle.empty() ? a.obstacle.empty() : a.n_variance < b.n_variance;
    });
    return all;
}

Selected choose_together(const Json& spec, const ResponseLimit* responses) {
    const std::vector<Candidate> all = rank_together(spec, responses);
    const Candidate &first = all[0], &second = all[1];
    const auto named = [](const Candidate& one) { return std::string(one.mechanism->name); };
    if (!first.obstacle.empty())
        raise(
            ErrorCode::invalid_spec, "no mechanism for joint reports suits the spec",
            named(first) + ": " + first.obstacle + ". " + named(second) + ": " + second.obstacle + ".",
            responses != nullptr ? advice_within(*responses) : "Name one of them for a more specific error.");
    const auto noise = [](const Candidate& one) { return rounded(one.n_variance, 3) + "/n"; };
    const std::string asked = spec.value("optimize_for", Json()) == "ranges" ? "boxes" : "cells";
    return {first.mechanism,
            "variance of " + asked + " of two attributes " + noise(first) + "; " + named(second) +
                (second.obstacle.empty() ? " would have " + noise(second) : " does not take the spec")};
}

}  // namespace ldp
