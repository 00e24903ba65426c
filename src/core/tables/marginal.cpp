#include "core/tables/marginal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/math/tails.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

namespace {

void check_attributes(const SummaryView& view, const std::vector<std::size_t>& attributes) {
    for (const std::size_t attribute : attributes) check_attribute(attribute, view.mechanism->cells().size());
    if (attributes.empty())
        raise(ErrorCode::invalid_value, "the query has no attribute", {}, "Name one or more attributes.");
    if (std::ranges::adjacent_find(attributes) != attributes.end())
        raise(ErrorCode::invalid_value, "an attribute is repeated in a query", {},
              "Name each attribute once.");
}

/// Returns the reports about the part of a record with these attributes. Throws Error (unsupported) if the
/// attributes are in several parts.
SummaryView part_with(const SummaryView& view, const std::vector<std::size_t>& attributes) {
    check_attributes(view, attributes);
    const RecordPart one = part_of(*view.mechanism, attributes.front());
    if (attributes.back() >= one.first + one.count)
        raise(ErrorCode::unsupported, "no report contains all of these attributes",
              "Found " + std::to_string(attributes.size()) + " attributes, in several parts of the record.",
              std::vector{Remedy::collect_together});
    if (one.mechanism != view.mechanism && find_capability<JointViews>(*one.mechanism) == nullptr)
        raise(ErrorCode::unsupported, "the record has no joint tables of these attributes",
              "Attribute " + std::to_string(attributes.front()) + " is reported alone.",
              std::vector{Remedy::collect_together});
    return part(view, attributes.front());
}

/// Returns the attributes by their indexes within their part.
std::vector<std::size_t> within_part(const SummaryView& view, std::vector<std::size_t> attributes) {
    const std::size_t first = part_of(*view.mechanism, attributes.front()).first;
    for (std::size_t& attribute : attributes) attribute -= first;
    return attributes;
}

/// Returns the joint shares of the attributes. Error (unsupported) unless a view has all of them.
std::unique_ptr<const JointShares> shares_of(const SummaryView& view,
                                             const std::vector<std::size_t>& attributes, Combination how) {
    const auto& joint = capability<JointViews>(*view.mechanism);
    const std::vector<std::vector<std::size_t>> views = joint.views();
    const auto has_all = [&](const std::vector<std::size_t>& one) {
        return std::ranges::includes(one, attributes);
    };
    if (std::ranges::none_of(views, has_all)) {
        std::size_t most = 0;
        for (const auto& one : views) most = std::max(most, one.size());
        raise(ErrorCode::unsupported, "no report contains all of these attributes",
              "Found " + std::to_string(attributes.size()) + " attributes; reports contain " +
                  std::to_string(views.size()) + " marginals of at most " + std::to_string(most) +
                  " attributes, and no marginal contains all of these.",
              std::vector{Remedy::ask_views});
    }
    if (view.n > 0) need_reports(view);
    return joint.shares(view, attributes, how);
}

}  // namespace

Combination combination_named(std::string_view word) {
    if (word == "consistent") return Combination::consistent;
    if (word == "unbiased") return Combination::unbiased;
    raise(ErrorCode::invalid_value, "unknown method \"" + std::string(word) + "\"",
          "Valid methods are \"consistent\", which uses all marginals, and \"unbiased\", which uses only "
          "the marginals that contain all attributes of the query.");
}

Cells::Cells(const std::vector<std::uint64_t>& sizes)
    : sizes_(sizes),
      count_(std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies<>())) {}

std::vector<std::uint64_t> Cells::values(std::size_t cell) const {
    std::vector<std::uint64_t> values(sizes_.size());
    for (std::size_t i = sizes_.size(); i-- > 0; cell /= sizes_[i]) values[i] = cell % sizes_[i];
    return values;
}

JointShares::Box Cells::box(std::size_t cell) const {
    const std::vector<std::uint64_t> values = this->values(cell);
    JointShares::Box box;
    for (std::size_t i = 0; i < sizes_.size(); ++i) box.emplace_back(sizes_[i])[values[i]] = true;
    return box;
}

Marginal::Marginal(const SummaryView& view, const std::vector<std::size_t>& attributes, Combination how,
                   Target target)
    : view_(part_with(view, attributes)),
      shares_(shares_of(view_, within_part(view, attributes), how)),
      n_(static_cast<double>(view_.n)),
      each_(repetition(view_)),
      target_(target) {
    const std::vector<std::uint64_t> cells = view_.mechanism->cells();
    JointShares::Box all;
    for (const std::size_t attribute : within_part(view, attributes)) {
        sizes_.push_back(cells[attribute]);
        all.emplace_back(cells[attribute], true);
    }
    if (!known()) return;
    cautious_ = shares_->cautious();
    if (!cautious_ && !shares_->only_table()) evened_ = shares_->with(1, all);
}

std::uint64_t Marginal::reports() const noexcept {
    return static_cast<std::uint64_t>(shares_->people());
}

// Those who report the part are a sample of all who report, so that a part of the sampling error remains.
Estimate Marginal::estimate(const JointShares& shares, const JointShares::Share& share) const {
    const auto n = static_cast<std::uint64_t>(n_);
    const Estimate found = estimate_of(shares, share, n, target_);
    if (target_ == Target::population || view_.drawn == 1) return found;
    return mixed(found, estimate_of(shares, share, n, Target::population), view_.drawn);
}

MeasuredShare Marginal::measured(const JointShares::Box& box) const {
    if (!known()) return {{unknown, unknown}, law_of_share()};
    const JointShares::Share share = shares_->share(box);
    Estimate estimate = this->estimate(*shares_, share);
    const double variance = estimate.standard_error * estimate.standard_error;
    estimate.standard_error *= std::sqrt(each_);
    return {estimate, law(box, share, variance)};
}

ErrorLaw Marginal::law(const JointShares::Box& box, const JointShares::Share& share, double variance) const {
    if (repeats(view_)) return law_of_share();
    const std::optional<std::size_t> only = shares_->only_table();
    if (!only)
        return {.truths = possible_shares,
                .degrees_of_freedom = cautious_ ? 0 : shares_->degrees_of_freedom(share),
                .unseen_error = std::sqrt(unseen_variance(box, share, variance))};
    const auto& joint = capability<JointViews>(*view_.mechanism);
    const std::vector<std::size_t> attributes = joint.views()[*only];
    const std::vector<std::uint64_t> of = view_.mechanism->cells();
    std::uint64_t cells = 1, all = 1;
    for (const std::size_t attribute : attributes) cells *= of[attribute];
    for (const std::uint64_t size : sizes_) all *= size;
    std::uint64_t inside = cells / all;  // cells of the view per requested cell
    for (const std::vector<bool>& values : box)
        inside *= static_cast<std::uint64_t>(std::ranges::count(values, true));
    // The sum of all cells is 1 without error.
    return inside == cells
               ? law_of_share()
               : joint.error_law(view_, *only, inside, view_.drawn == 1 ? target_ : Target::population);
}

double Marginal::unseen_variance(const JointShares::Box& box, const JointShares::Share& share,
                                 double variance) const {
    const auto cautious_variance = [&](const JointShares& shares, const JointShares::Share& of) {
        const double error = this->estimate(shares, of).standard_error;
        return error * error;
    };
    if (cautious_) return std::max(0.0, cautious_variance(*cautious_, share) - variance);
    const std::unique_ptr<const JointShares> likely = evened_->with(1, box);
    return std::max(0.0, cautious_variance(*likely, likely->share(box)) - variance);
}

std::vector<Estimate> Marginal::shares() const {
    const Cells cells(sizes_);
    std::vector<Estimate> all;
    for (std::size_t cell = 0; cell < cells.count(); ++cell) {
        check_interrupt();
        all.push_back(measured(cells.box(cell)).estimate);
    }
    return all;
}

// With few reports, a rare cell may have no reports and hardly any sample variance. The interval adds reach²
// reports, spread evenly over the condition (Agresti, Coull 1998).
Quotient Marginal::quotient(const JointShares::Box& of, const JointShares::Box& given,
                            double critical_value) const {
    constexpr Quotient nothing{{unknown, unknown}, {unknown, unknown}};
    if (!known()) return nothing;
    JointShares::Box both = of;
    for (std::size_t i = 0; i < both.size(); ++i)
        for (std::size_t v = 0; v < both[i].size(); ++v) both[i][v] = of[i][v] && given[i][v];
    const PartOfWhole plain = part_of_whole(*shares_, both, given, each_);
    const double more = each_ * critical_value * critical_value / 2;
    const std::unique_ptr<const JointShares> likely = shares_->with(more, both)->with(more, given);
    const double degrees_of_freedom = shares_->degrees_of_freedom(shares_->share(given));
    const double further = degrees_of_freedom > 0
                               ? student_critical_value(critical_value, degrees_of_freedom) / critical_value
                               : 1;
    PartOfWhole wide = part_of_whole(*likely, both, given, each_ * further * further);
    wide.part = plain.part;
    wide.whole = plain.whole;
    const Interval interval = interval_of_quotient(wide, critical_value);
    return std::isnan(interval.lower) ? nothing : Quotient{estimate_of_quotient(plain), interval};
}

PartOfWhole Marginal::part_of_whole(const JointShares& shares, const JointShares::Box& part,
                                    const JointShares::Box& whole, double times) const {
    const auto share = [](const JointShares::Share& of) { return std::clamp(of.value, 0.0, 1.0); };
    const auto covariance = [&](const JointShares::Share& x, const JointShares::Share& y, double in_both) {
        const double sampling =
            target_ == Target::sample ? view_.drawn * (in_both - share(x) * share(y)) / (n_ - 1) : 0;
        return times * (shares.covariance(x, y) - sampling);
    };
    const JointShares::Share of = shares.share(part), all = shares.share(whole);
    return {.part = of.value,
            .whole = all.value,
            .variance_of_part = covariance(of, of, share(of)),
            .variance_of_whole = covariance(all, all, share(all)),
            .covariance = covariance(of, all, share(of))};
}

}  // namespace ldp
