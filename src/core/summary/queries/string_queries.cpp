#include "core/summary/queries/string_queries.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/summary/pooling.hpp"

namespace ldp {

namespace {

/// The number of people who reported to the record that the reports are a part of.
std::uint64_t people_of(const SummaryView& view) noexcept {
    return static_cast<std::uint64_t>(std::round(static_cast<double>(view.n) / view.drawn));
}

/// The reports of one attribute, and a query with the parameters of the whole summary.
struct StringReports {
    SummaryView reports;
    const StringShares& strings;
    StringQuery query;

    StringReports(const SummaryView& view, std::size_t attribute, Target target)
        : reports(part(view, attribute)),
          strings(capability<StringShares>(*reports.mechanism)),
          query{.target = target, .people = people_of(view)} {
        need_reports(view);
        query.repetition = repetition_of_nothing(reports);
    }
};

}  // namespace

bool has_strings(const SummaryView& view, std::size_t attribute) {
    return find_capability<StringShares>(*part(view, attribute).mechanism) != nullptr;
}

std::vector<StringShare> shares_of_strings(const SummaryView& view, std::size_t attribute,
                                           std::span<const Cell> codes, Target target) {
    const StringReports asked(view, attribute, target);
    const Cell most = asked.reports.mechanism->cells()[0];
    for (const Cell code : codes)
        if (code >= most)
            raise(ErrorCode::invalid_value, "string " + std::to_string(code) + " does not exist",
                  "Codes of strings are 0 to " + std::to_string(most - 1) + ".");
    if (asked.reports.n == 0)
        return std::vector<StringShare>(codes.size(), {{unknown, unknown}, law_of_share(), 0, 1});
    std::vector<StringShare> shares = asked.strings.shares(asked.reports, codes, asked.query);
    for (StringShare& share : shares)
        share.p_value = std::min(1.0, share.p_value * static_cast<double>(codes.size()));
    return shares;
}

std::vector<FrequentString> search_strings(const SummaryView& view, std::size_t attribute,
                                           const StringSearchLimits& limits, Target target) {
    StringReports asked(view, attribute, target);
    if (!(limits.significance > 0 && limits.significance < 1))
        raise(ErrorCode::invalid_value, "significance must be between 0 and 1",
              "Found " + shortest(limits.significance) + ".");
    if (asked.reports.n == 0) return {};
    asked.query.keep = limits.keep;
    std::vector<FrequentString> found = asked.strings.search(asked.reports, asked.query);
    if (limits.limit)
        found.resize(std::min(found.size(), *limits.limit));
    else
        std::erase_if(found,
                      [&](const FrequentString& one) { return one.share.p_value > limits.significance; });
    return found;
}

}  // namespace ldp
