#include "client/fresh_reporter.hpp"

#include "core/base/error.hpp"

namespace ldp {

Reporter::Reported FreshReporter::report(std::span<const Value> record, std::optional<std::int32_t>,
                                         BitSource& bits) {
    Perturbed perturbed = collection_.perturb(record, bits);
    Reported reported{{}, {std::move(perturbed.clamped), Origin::drawn}};
    reported.reports.push_back(std::move(perturbed.report));
    return reported;
}

std::span<const PermanentResponse> FreshReporter::ledger() const {
    raise(ErrorCode::unsupported, "this collection has no ledger",
          "Its responses are not memoized; each report costs epsilon again.",
          "Use a spec with \"evolving\" and \"budget\".");
}

}  // namespace ldp
