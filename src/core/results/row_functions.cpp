#include "core/results/row_functions.hpp"

#include <algorithm>
#include <array>

#include "core/base/bytes.hpp"
#include "core/format/fingerprint.hpp"
#include "core/format/header.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

/// Their names would hide those of parameters elsewhere.
namespace row_tables {

// Parameters that several functions have.
constexpr QueryParameter confidence{"confidence", &SummaryQuery::confidence},
    target{"target", &SummaryQuery::target}, attribute{"attribute", &SummaryQuery::attribute},
    method{"method", &SummaryQuery::method}, significance{"significance", &SummaryQuery::significance},
    control{"p_adjust", &SummaryQuery::control}, low{"low", &SummaryQuery::low},
    high{"high", &SummaryQuery::high}, shares{"probabilities", &SummaryQuery::shares},
    cells{"cells", &SummaryQuery::cells}, x{"x", &SummaryQuery::x, true}, y{"y", &SummaryQuery::y, true},
    names{"attributes", &SummaryQuery::names, true}, anytime{"anytime", &SummaryQuery::anytime},
    simultaneous{"simultaneous", &SummaryQuery::simultaneous};

constexpr double usual_shares[] = {0.05, 0.25, 0.5, 0.75, 0.95};

constexpr QueryParameter of_coefficients[] = {confidence, target, attribute};
constexpr QueryParameter of_estimate[] = {{"attributes", &SummaryQuery::attributes},
                                          {"statistics", &SummaryQuery::statistics},
                                          confidence,
                                          target,
                                          {"texts", &SummaryQuery::texts},
                                          simultaneous};
constexpr QueryParameter of_consistent[] = {method, attribute};
constexpr QueryParameter of_robust_interval[] = {{"forged", &SummaryQuery::forged}, confidence, target};
constexpr QueryParameter of_top[] = {{"limit", &SummaryQuery::limit}, confidence, target, control, attribute};
constexpr QueryParameter of_candidates[] = {
    {"selection", &SummaryQuery::selection}, control, confidence, attribute};
constexpr QueryParameter of_change[] = {{"after", &SummaryQuery::other, true},
                                        {"memoized", &SummaryQuery::memoized},
                                        confidence,
                                        target,
                                        attribute,
                                        anytime,
                                        simultaneous};
constexpr QueryParameter of_range[] = {low, high, confidence, target, attribute};
constexpr QueryParameter of_quantiles[] = {shares, confidence, target, attribute};
constexpr QueryParameter of_histogram[] = {{"bins", &SummaryQuery::bins}, confidence, target, attribute};
constexpr QueryParameter of_distribution[] = {{"smoothing", &SummaryQuery::smoothing}, attribute};
constexpr QueryParameter of_learn_range[] = {{"coverage", &SummaryQuery::coverage}, attribute};
constexpr QueryParameter of_first_look[] = {{"other", &SummaryQuery::other, true},
                                            {"people", &SummaryQuery::remaining, true}};
constexpr QueryParameter of_shrunk[] = {{"shrink", &SummaryQuery::shrink}, target};
constexpr QueryParameter of_health[] = {attribute};
constexpr QueryParameter of_series[] = {confidence, target, attribute, anytime, simultaneous};
constexpr QueryParameter of_series_mean[] = {{"rounds", &SummaryQuery::rounds, true},
                                             {"baseline", &SummaryQuery::baseline},
                                             confidence,
                                             target,
                                             attribute};
constexpr QueryParameter of_series_range[] = {low, high, confidence, target, attribute};
constexpr QueryParameter of_series_quantiles[] = {shares, confidence, target, attribute};
constexpr QueryParameter of_frequent_strings[] = {
    confidence, target, significance, {"keep", &SummaryQuery::keep}, {"limit", &SummaryQuery::most},
    attribute};
constexpr QueryParameter of_string_shares[] = {
    {"strings", &SummaryQuery::strings, true}, confidence, target, attribute};
constexpr QueryParameter of_marginal[] = {names, method, confidence, target};
constexpr QueryParameter of_share[] = {{"conditions", &SummaryQuery::conditions, true},
                                       method,
                                       confidence,
                                       target,
                                       {"given", &SummaryQuery::given}};
constexpr QueryParameter of_conditional[] = {{"of", &SummaryQuery::names, true},
                                             {"given", &SummaryQuery::given_names, true},
                                             method,
                                             confidence,
                                             target};
constexpr QueryParameter of_covariance[] = {x, y, confidence, target};
constexpr QueryParameter of_regression[] = {{"of", &SummaryQuery::of, true},
                                            {"predictors", &SummaryQuery::predictors, true},
                                            confidence,
                                            target,
                                            {"group", &SummaryQuery::group},
                                            {"link", &SummaryQuery::link}};
constexpr QueryParameter of_contrast[] = {{"weights", &SummaryQuery::weights, true}, confidence, target};
constexpr QueryParameter of_winsorized_mean[] = {{"clamped", &SummaryQuery::other, true}, confidence, target};
constexpr QueryParameter of_association[] = {confidence};
constexpr QueryParameter of_fitted[] = {names, {"known", &SummaryQuery::given}};
constexpr QueryParameter of_model[] = {significance, cells};
constexpr QueryParameter of_synthesize[] = {
    {"records", &SummaryQuery::records, true}, {"seed", &SummaryQuery::seed}, significance, cells};
constexpr QueryParameter of_learn_views[] = {significance};
constexpr QueryParameter of_plan_views[] = {{"people", &SummaryQuery::people, true},
                                            {"queries", &SummaryQuery::queries}};
constexpr QueryParameter of_compare_groups[] = {{"attributes", &SummaryQuery::attributes},
                                                {"baseline", &SummaryQuery::baseline_group},
                                                confidence,
                                                target,
                                                anytime,
                                                simultaneous};

constexpr QueryParameter of_group_test[] = {{"attributes", &SummaryQuery::attributes}};

constexpr QueryParameter of_clustered[] = {
    {"attributes", &SummaryQuery::attributes}, {"weights", &SummaryQuery::method}, confidence};
constexpr QueryParameter of_small_areas[] = {{"attributes", &SummaryQuery::attributes}, confidence};
constexpr QueryParameter of_smooth[] = {
    {"attributes", &SummaryQuery::attributes}, {"season", &SummaryQuery::season}, confidence};
constexpr QueryParameter of_kernel_regression[] = {
    {"bandwidth", &SummaryQuery::value}, confidence, target, attribute};

constexpr QueryParameter of_calibrate[] = {{"by", &SummaryQuery::by},
                                           {"totals", &SummaryQuery::totals},
                                           {"weights", &SummaryQuery::weight_column},
                                           {"collapse", &SummaryQuery::collapse},
                                           {"attributes", &SummaryQuery::attributes},
                                           confidence,
                                           target};

constexpr SummaryQuery norm_sub{.method = "norm_sub"}, consistent{.method = "consistent"},
    usual{.shares = usual_shares}, pairs{.queries = {"\"pairs\""}}, sampling_error{.target = "population"},
    of_people{.method = "people"};

constexpr RowFunction functions[] = {
    {"estimate", accessors::estimate, of_estimate, {}, GroupUse::optional},
    {"consistent", accessors::consistent, of_consistent, norm_sub},
    {"robust_interval", accessors::robust_interval, of_robust_interval},
    {"top", accessors::top, of_top},
    {"candidates", accessors::candidates, of_candidates},
    {"change", accessors::change, of_change, sampling_error},
    {"between", accessors::range, of_range},
    {"quantiles", accessors::quantiles, of_quantiles, usual},
    {"histogram", accessors::histogram, of_histogram},
    {"distribution", accessors::distribution, of_distribution},
    {"learn_range", accessors::learn_range, of_learn_range},
    {"pilot_choice", accessors::first_look, of_first_look},
    {"shrinkage", accessors::shrunk, of_shrunk},
    {"coefficients", accessors::coefficients, of_coefficients},
    {"health", accessors::health, of_health},
    {"spent", accessors::spent, of_association},
    {"series", accessors::series, of_series},
    {"series_mean", accessors::series_mean, of_series_mean},
    {"series_between", accessors::series_range, of_series_range},
    {"series_quantiles", accessors::series_quantiles, of_series_quantiles, usual},
    {"frequent_strings", accessors::frequent_strings, of_frequent_strings},
    {"string_proportions", accessors::string_shares, of_string_shares},
    {"marginals", accessors::views, {}},
    {"marginal", accessors::marginal, of_marginal, consistent},
    {"proportion_where", accessors::share, of_share, consistent},
    {"conditional", accessors::conditional, of_conditional, consistent},
    {"covariance", accessors::covariance, of_covariance},
    {"correlation", accessors::correlation, of_covariance},
    {"regression", accessors::regression, of_regression, {}, GroupUse::optional_columns},
    {"contrast", accessors::contrast, of_contrast},
    {"winsorized_mean", accessors::winsorized_mean, of_winsorized_mean, sampling_error},
    {"association", accessors::association, of_association},
    {"fitted", accessors::fitted, of_fitted},
    {"model", accessors::model, of_model},
    {"synthesize", accessors::synthesize, of_synthesize},
    {"learn_marginals", accessors::learn_views, of_learn_views},
    {"plan_marginals", accessors::plan_views, of_plan_views, pairs},
    {"compare_groups", accessors::compare_groups, of_compare_groups, sampling_error, GroupUse::required},
    {"group_test", accessors::group_test, of_group_test, sampling_error, GroupUse::required},
    {"clustered", accessors::clustered, of_clustered, of_people, GroupUse::required},
    {"small_areas", accessors::small_areas, of_small_areas, {}, GroupUse::required},
    {"smooth", accessors::smoothed, of_smooth, {}, GroupUse::required},
    {"kernel_regression", accessors::kernel_regression, of_kernel_regression, sampling_error,
     GroupUse::required},
    {"calibrate", accessors::calibrate, of_calibrate, sampling_error, GroupUse::columns},
};

constexpr QueryParameter of_groups[] = {{"groups", &SummaryQuery::groups, true},
                                        {"summaries", &SummaryQuery::summaries, true}};

}  // namespace row_tables

namespace {

/// A digest of bytes, 64 bits, eight bytes at a time (not cryptographic).
std::uint64_t digest_of(Bytes bytes, std::uint64_t seed) noexcept {
    constexpr std::uint64_t prime = 0x9E3779B97F4A7C15;
    std::uint64_t digest = (seed ^ bytes.size()) * prime;
    std::size_t at = 0;
    for (; at + sizeof(digest) <= bytes.size(); at += sizeof(digest)) {
        digest = (digest ^ load<std::uint64_t>(bytes.data() + at)) * prime;
        digest ^= digest >> 29;
    }
    for (; at < bytes.size(); ++at) digest = (digest ^ static_cast<std::uint64_t>(bytes[at])) * prime;
    return digest ^ digest >> 32;
}

/// A digest of what rows show of a summary: the states of the parts with at least min_group reports, and the number of reports of
/// each part. Otherwise the digest would reveal the estimates of a small group.
std::uint64_t digest_of_shown(Bytes summary, std::uint64_t seed) {
    const std::shared_ptr<const Mechanism> mechanism = mechanism_of(summary);
    const SummaryView view = view_of(*mechanism, summary);
    for (const RecordPart& one : parts_of(*mechanism)) {
        const SummaryView about = part(view, one.first);
        seed = digest_of(enough(about) ? about.state : Bytes(), seed ^ about.n);
    }
    return seed;
}

}  // namespace

std::string source_of(std::span<const Bytes> summaries) {
    if (summaries.empty() || summaries[0].size() < header_size) return {};
    std::uint64_t digest = 0;
    for (const Bytes summary : summaries) digest = digest_of_shown(summary, digest);
    constexpr int half = 32;
    return fingerprint_text(unchecked_header(summaries[0]).fingerprint).substr(0, 8) + "/" +
           fingerprint_text(digest ^ digest << half).substr(0, 8);
}

std::unique_ptr<Results> RowFunction::rows(const Subject& subject, const SummaryQuery& query) const {
    std::unique_ptr<Results> found = find(subject, query);
    if (!found->takes_source()) return found;
    const Bytes both[] = {subject.summary, query.other};
    found->set_source(source_of(
        !query.summaries.empty() ? query.summaries : std::span(both).first(query.other.empty() ? 1 : 2)));
    return found;
}

std::span<const RowFunction> row_functions() noexcept {
    return row_tables::functions;
}

std::span<const QueryParameter> group_parameters() noexcept {
    return row_tables::of_groups;
}

const RowFunction& row_function(std::string_view name) {
    const auto* const found = std::ranges::find(row_tables::functions, name, &RowFunction::name);
    if (found != std::end(row_tables::functions)) return *found;
    std::string names;
    for (const RowFunction& one : row_functions())
        names += (names.empty() ? "" : ", ") + std::string(one.name);
    throw Error(ErrorCode::invalid_value, "there is no function \"" + std::string(name.substr(0, 60)) + "\"",
                "The functions are " + names + ".");
}

}  // namespace ldp
