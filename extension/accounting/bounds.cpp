// Lower bounds of the error, beside the error of a spec's mechanism.

#include <cmath>
#include <map>
#include <tuple>

#include "accounting/lower_bounds.hpp"
#include "arguments.hpp"
#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"
#include "result_rows.hpp"

using namespace ldp;

namespace {

constexpr Column bound_columns[] = {{"attribute", TEXTOID},
                                    {"stderr", FLOAT8OID},
                                    {"lower_bound", FLOAT8OID},
                                    {"minimax", FLOAT8OID},
                                    {"ratio", FLOAT8OID}};

/// One row per attribute, in its own unit, and one for all numbers together, in PostgreSQL's memory.
struct Bounds {
    struct BoundRow {
        const char* attribute;
        double standard_error, lower_bound, minimax;
    };
    const BoundRow* items;
    std::size_t count;

    void write(RowWriter<bound_columns>& row, std::size_t number) const {
        const auto& [attribute, standard_error, lower_bound, minimax] = items[number];
        if (attribute != nullptr) row.put("attribute", server_text(attribute));
        row.put("stderr", standard_error);
        row.put("lower_bound", lower_bound);
        row.put("minimax", minimax);
        row.put("ratio", standard_error / lower_bound);
    }
};

/// Lower bounds of one attribute's error: asymptotic, and for n reports. They are equal for all numbers,
/// and for all categories of one size.
class LeastErrors {
  public:
    [[nodiscard]] std::pair<double, double> of(double epsilon, const Attribute& attribute, double n) {
        const auto kind = std::tuple(attribute.derived(), attribute.numeric(),
                                     attribute.numeric() ? std::uint64_t{0} : attribute.domain);
        if (const auto found = known_.find(kind); found != known_.end()) return found->second;
        check_interrupt();
        return known_[kind] = {least_error(epsilon, attribute, endless, Target::sample),
                               least_error(epsilon, attribute, n, Target::sample)};
    }

  private:
    std::map<std::tuple<bool, bool, std::uint64_t>, std::pair<double, double>> known_;
};

Bounds bounds(const char* text, std::int64_t users) {
    if (users < 1)
        raise(ErrorCode::invalid_value, "the number of users must be at least 1",
              "Found " + std::to_string(users) + ".");
    const auto n = static_cast<double>(users);
    const Spec spec = resolve(text);
    if (spec.delta() != 0)
        raise(ErrorCode::unsupported, "lower bounds require a delta of 0",
              std::string("Mechanism ") + spec.mechanism().name +
                  " has \"delta\": " + shortest(spec.delta()) + ".",
              "Use ldp_plan or ldp_required_n for the errors of the mechanism.");
    const std::unique_ptr<const Mechanism> mechanism = make_mechanism(spec);
    const std::vector<Attribute>& attributes = spec.attributes();
    auto* items =
        static_cast<Bounds::BoundRow*>(try_palloc((attributes.size() + 1) * sizeof(Bounds::BoundRow)));
    std::size_t count = 0, numbers = 0;
    double promised = 0;  // sum over the numbers
    LeastErrors least_errors;
    Work work;
    for (const Attribute& attribute : attributes) {
        work.done(attributes.size());
        const double unit = attribute.numeric() ? (attribute.max - attribute.min) / 2 : 1;
        const auto [least, minimax] = least_errors.of(spec.epsilon(), attribute, n);
        const double variance = mechanism->expected_variance(count);
        items[count++] = {keep(attribute.name), unit * std::sqrt(variance / n), unit * std::sqrt(least / n),
                          unit * std::sqrt(minimax / n)};
        if (!attribute.numeric() || attribute.derived()) continue;
        ++numbers;
        promised += variance;
    }
    if (numbers > 1) {
        const auto least = [&](double reports) {
            return std::sqrt(least_error_of_means(spec.epsilon(), numbers, reports, Target::sample) / n);
        };
        const double variance = promised / static_cast<double>(numbers);
        items[count++] = {nullptr, std::sqrt(variance / n), least(endless), least(n)};
    }
    return {items, count};
}

}  // namespace

/// (spec, users): standard error of each estimate, and its lower bounds.
LDP_FUNCTION_OF_REPORTS(ldp_minimax_bound, ERRCODE_INVALID_PARAMETER_VALUE) {
    return rows<bound_columns>(fcinfo, [=] { return bounds(json_argument(fcinfo, 0), PG_GETARG_INT64(1)); });
}
