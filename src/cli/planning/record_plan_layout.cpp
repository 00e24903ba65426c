#include "cli/planning/record_plan_layout.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <ostream>

#include "accounting/bound_texts.hpp"
#include "cli/command.hpp"
#include "cli/input/csv_field.hpp"
#include "core/base/text.hpp"

namespace ldp::cli {

void write_record_plan(std::ostream& out, const RecordPlan& plan, bool csv) {
    if (csv) {
        out << "attribute,estimate,mechanism,reports,stderr,margin,people\n";
        for (const RecordEstimate& one : plan.estimates) {
            out << csv_field(one.attribute) << "," << csv_field(one.estimate) << "," << one.mechanism << ","
                << shortest(one.reports) << "," << shortest(one.error) << "," << shortest(one.margin) << ",";
            if (one.people) out << *one.people;
            out << "\n";
        }
        return;
    }
    std::size_t name = 9, estimate = 8;
    for (const RecordEstimate& one : plan.estimates) {
        name = std::max(name, one.attribute.size());
        estimate = std::max(estimate, one.estimate.size());
    }
    const bool margins =
        std::ranges::any_of(plan.estimates, [](const auto& one) { return one.people.has_value(); });
    const auto left = [&](const std::string& text, std::size_t width) {
        out << std::left << std::setw(static_cast<int>(width) + 2) << text << std::right;
    };
    if (!plan.spec.texts().title.empty()) out << "title         " << plan.spec.texts().title << "\n";
    out << "people        " << grouped(plan.people) << "\nepsilon       "
        << bound_lines(privacy_statement(plan.spec, *make_mechanism(plan.spec)), 14)
        << "\n              about all attributes of a person together\n\n";
    left("attribute", name), left("estimate", estimate), left("mechanism", 12);
    out << std::setw(12) << "reports" << std::setw(12) << "error" << std::setw(12) << "margin";
    const SpecTexts& texts = plan.spec.texts();
    const bool titles =
        std::ranges::any_of(texts.attributes, [](const auto& one) { return !one.title.empty(); });
    out << (margins ? "    people needed" : "") << (titles ? "  title\n" : "\n");
    for (const RecordEstimate& one : plan.estimates) {
        left(one.attribute, name), left(one.estimate, estimate), left(one.mechanism, 12);
        out << std::setw(12) << grouped(static_cast<std::uint64_t>(std::llround(one.reports)))
            << std::setw(12) << rounded(one.error, 3) << std::setw(12) << rounded(one.margin, 3);
        if (one.people)
            out << std::setw(17) << grouped(*one.people);
        else if (margins && titles)
            out << std::setw(17) << "";
        if (const AttributeTexts* found = texts.find(one.attribute);
            found != nullptr && !found->title.empty())
            out << "  " << found->title;
        out << "\n";
    }
    out << "\nThe margin is half the length of a 95 % interval. \"reports\" is the expected number of people "
           "who report the\nattribute, or both attributes of a cell.\n\n"
        << plan.spec.to_json() << "\n";
}

}  // namespace ldp::cli
