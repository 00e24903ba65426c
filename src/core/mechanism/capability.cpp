#include "core/mechanism/capability.hpp"

#include <string>

#include "core/base/error.hpp"
#include "core/mechanism/registry.hpp"

namespace ldp {

namespace {

struct Offer {
    const char* what;
    const char* function;
};

constexpr Offer offer(Quantity quantity) noexcept {
    switch (quantity) {
        case Quantity::frequencies:
            return {"frequencies", "ldp_frequencies or ldp_top"};
        case Quantity::means:
            return {"means", "ldp_means"};
        case Quantity::coefficients:
            return {"Haar coefficients", "ldp_coefficients"};
        case Quantity::distribution:
            return {"the distribution", "ldp_histogram or ldp_quantiles"};
    }
    return {};
}

/// What to ask instead. A series tells frequencies, but of each round.
std::string advice(const Mechanism& mechanism) {
    const MechanismEntry* entry = find_mechanism(mechanism.header().mechanism);
    if (entry != nullptr && entry->series)
        return "They tell frequencies in each round of a series: ask with ldp_series.";
    std::string offers;
    for (const Quantity quantity : mechanism.answers()) {
        const auto [what, function] = offer(quantity);
        offers += (offers.empty() ? "" : ", and ") + std::string(what) + " (ask with " + function + ")";
    }
    const bool record = find_capability<Record>(mechanism) != nullptr;
    return "They tell " + offers + "." +
           (record ? " One attribute by itself is what ldp_part(summary, attribute) takes out." : "");
}

}  // namespace

void refuse(const Mechanism& mechanism, const char* what) {
    const MechanismEntry* entry = find_mechanism(mechanism.header().mechanism);
    raise(ErrorCode::unsupported,
          std::string("reports of ") + (entry == nullptr ? "unknown" : entry->name) + " do not tell " + what,
          {}, advice(mechanism));
}

void check_tells(const Mechanism& mechanism, Quantity quantity) {
    if (!mechanism.tells(quantity)) refuse(mechanism, offer(quantity).what);
}

void check_attribute(std::size_t attribute, std::size_t attributes) {
    if (attribute >= attributes)
        raise(ErrorCode::invalid_value, "there is no attribute " + std::to_string(attribute),
              "They are numbered from 0 to " + std::to_string(attributes - 1) + ".");
}

SummaryView part(const SummaryView& view, std::size_t attribute) {
    if (const auto* record = find_capability<Record>(*view.mechanism)) {
        SummaryView one = record->part(view, attribute);
        one.rounds = view.rounds;
        return one;
    }
    check_attribute(attribute, view.mechanism->cells().size());
    return view;
}

}  // namespace ldp
