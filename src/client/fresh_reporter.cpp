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

std::span<const Answer> FreshReporter::ledger() const {
    raise(ErrorCode::unsupported, "this collection has no ledger",
          "Its reports are not remembered: each one costs its epsilon again.",
          "A spec with \"evolving\" and \"budget\" has one.");
}

}  // namespace ldp
