// A vector through its Haar transform (Zhang et al. 2023 and Saatchi 2025 for the transform), reported in one
// of two forms, sampled or global. Both have ε in total. The published parity masks do not: their likelihood
// ratio is far above e^ε.
//
// The range of a coefficient is [−1,1] or given in the spec. Values outside are clamped, and all noise is
// proportional to the range.
//
// parameters: d, grid steps with the rounding cells, window width (4 bytes each), form (1: 0 sampled, 1 global),
//             response (1), ranges of the attributes in runs, aim (1), ranges of the coefficients in runs with
//             a length of 2 bytes: lo, hi (1 byte each, in 1/127). The global form ends in the ε of the window (8). The
//             sampled form in two layers ends in the ε of one report (8), for which the randomizer decodes.

#include "core/mechanism/vector/haar.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/base/square.hpp"
#include "core/base/text.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/channel/sign_vector.hpp"
#include "core/mechanism/frequency/second_layer.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp {

std::vector<std::pair<std::string, double>> Haar::parameters() const {
    std::vector<std::pair<std::string, double>> all{{"attributes", static_cast<double>(tree_.size())},
                                                    {"grid", static_cast<double>(channel_->steps())}};
    for (const auto& parameter : channel_->parameters()) all.push_back(parameter);
    return all;
}

std::size_t Haar::clamped(Input input) const {
    if (std::ranges::all_of(plan_.coefficients, [](UnitRange range) { return range == UnitRange{}; }))
        return 0;
    const std::vector<double> values = transform(input);
    std::size_t count = 0;
    for (std::size_t c = 0; c < values.size(); ++c)
        count += values[c] < range(c).low() || values[c] > range(c).high() ? 1 : 0;
    return count;
}

std::span<const Quantity> Haar::answers() const noexcept {
    static constexpr Quantity quantities[] = {Quantity::means, Quantity::coefficients};
    return quantities;
}

std::vector<Estimate> Haar::estimate(const Counts& counts, const Question& question) const {
    std::vector<Estimate> estimates(tree_.size());
    if (question.quantity == Quantity::coefficients) {
        const Spectrum spectrum = alone(counts, question.target);
        for (std::size_t c = 0; c < tree_.size(); ++c)
            estimates[c] = {spectrum.values[c],
                            std::sqrt(spectrum.second_moments[c] - square(spectrum.first_moments[c]))};
        return estimates;
    }
    const Spectrum spectrum = together(counts, question.target);
    std::vector<double> leaves(tree_.size());
    tree_.inverse(spectrum.values, leaves);
    const std::vector<double> variances = leaf_variances(spectrum);
    for (std::size_t j = 0; j < tree_.size(); ++j) {
        const Range& attribute = plan_.attributes[j];
        estimates[j] = {attribute.middle() + attribute.half() * leaves[j],
                        attribute.half() * std::sqrt(variances[j])};
    }
    return estimates;
}

Estimate Haar::group_mean(const Counts& counts, std::size_t first, std::size_t last, Target target) const {
    const Spectrum spectrum = together(counts, target);
    const auto size = static_cast<double>(last - first + 1);
    std::vector<double> leaf_weights(tree_.size()), weights(tree_.size());
    const double unit = widest_half(std::span(plan_.attributes).subspan(first, last - first + 1));
    double middle = 0, value = 0;
    for (std::size_t j = first; j <= last; ++j) {
        leaf_weights[j] = plan_.attributes[j].half() / unit / size;
        middle += plan_.attributes[j].middle() / size;
    }
    tree_.transpose(leaf_weights, weights);
    double second_moment = 0, first_moment = 0, bound = 0;
    for (std::size_t c = 0; c < tree_.size(); ++c) {
        if (weights[c] == 0) continue;  // a coefficient with weight 0 may be unknown
        value += weights[c] * spectrum.values[c];
        second_moment += square(weights[c]) * spectrum.second_moments[c];
        first_moment += weights[c] * spectrum.first_moments[c];
        bound += std::abs(weights[c]) * spectrum.bounds[c];
    }
    const double variance = spectrum.variance(second_moment, first_moment, bound, std::abs(weights[0]));
    return {middle + unit * value, unit * std::sqrt(variance)};
}

// The errors of means in the sampled form are those of a population, for any target.
double Haar::rounding_deviation(std::size_t attribute) const noexcept {
    const bool varies = plan_.form == Form::sampled && plan_.rounding_cells != 0;
    const RoundedSteps steps{static_cast<std::uint32_t>(channel_->steps()),
                             varies ? 1 : plan_.rounding_cells};
    return steps.deviation(plan_.attributes[attribute].half());
}

double Haar::n_variance(double truth) const {
    std::vector<double> truths(tree_.size());
    truths[0] = truth;
    return std::ranges::max(leaf_variances(at(truths)));
}

// The law of the sign vector does not depend on the distribution of values.
double Haar::expected_variance(std::size_t) const {
    return n_variance(range(0).low() + step(0) * channel_->noisiest());
}

// An attribute is the sum of the mean and of the coefficients on its path, each with the sign of its half.
std::vector<Contribution> Haar::contributions(const Question& question) const {
    const std::size_t which = question.attribute == only_attribute ? 0 : question.attribute;
    if (question.quantity == Quantity::coefficients) {
        const std::pair<std::size_t, double> alone{which, 1};
        return contributions_in({&alone, 1});
    }
    const Range& attribute = plan_.attributes[which];
    std::vector<std::pair<std::size_t, double>> weights{{0, attribute.half()}};
    for (std::size_t c = 1; c < tree_.size(); ++c) {
        const auto [first, left, right] = tree_.extent(c);
        if (which >= first && which < first + left + right)
            weights.emplace_back(c, which < first + left ? attribute.half() : -attribute.half());
    }
    std::vector<Contribution> contributions = contributions_in(weights);
    for (Interval* ends : {&contributions[0].terms, &contributions[0].truths})
        *ends = {ends->lower + attribute.middle(), ends->upper + attribute.middle()};
    // With one component, the possible values are those of the attribute, whatever its coefficients.
    if (contributions.size() == 1) contributions[0].truths = {attribute.min, attribute.max};
    return contributions;
}

Contribution Haar::contribution(std::size_t c, double weight, double chance,
                                const Interval& ends) const noexcept {
    const auto times = [weight](double least, double most) {
        return Interval{std::min(weight * least, weight * most), std::max(weight * least, weight * most)};
    };
    return {chance, times(ends.lower, ends.upper), times(range(c).low(), range(c).high())};
}

std::vector<double> Haar::transform(Input input) const {
    std::vector<double> leaves(input.size()), coefficients(input.size());
    std::ranges::transform(input, leaves.begin(), [&](Cell cell) {
        return 2 * static_cast<double>(cell) / static_cast<double>(channel_->steps()) - 1;
    });
    tree_.forward(leaves, coefficients);
    return coefficients;
}

GridPoint Haar::place(std::size_t c, double value) const noexcept {
    return grid_point(
        (value - range(c).low()) / (2 * range(c).half()) * static_cast<double>(channel_->steps()),
        channel_->steps());
}

double Haar::randomizer_noise(const NumericChannel& channel, std::size_t c, double value) const noexcept {
    const double inside = std::clamp(value, range(c).low(), range(c).high());
    return square(step(c)) * channel.noise_at((inside - range(c).low()) / step(c));
}

Exact Haar::randomizer_probability(const NumericChannel& channel, const GridPoint& point,
                                   std::uint64_t output) {
    const Exact up = exact_dyadic(point.up, 64);
    Exact response = up.complement() * channel.probability(point.lower, output);
    if (point.up != 0) response = response + up * channel.probability(point.lower + 1, output);
    return response;
}

std::vector<double> Haar::leaf_variances(const Spectrum& spectrum) const {
    std::vector<double> second(tree_.size()), first(tree_.size()), bounds(tree_.size()), all(tree_.size());
    tree_.accumulate_paths(spectrum.second_moments, second);
    tree_.inverse(spectrum.first_moments, first);
    tree_.accumulate_paths(spectrum.bounds, bounds);
    for (std::size_t j = 0; j < all.size(); ++j)
        all[j] = spectrum.variance(second[j], first[j], bounds[j], 1);
    return all;
}

double Haar::Spectrum::variance(double second_moment, double first_moment, double bound,
                                double mean_weight) const noexcept {
    const double spread = std::sqrt(std::max(0.0, square(bound) - square(first_moment)));
    return second_moment - square(first_moment) + 2 * mean_weight * mean_deviation * spread;
}

// Parameters -----------------------------------------------------------------------------------------------

}  // namespace ldp

namespace ldp::haar {

namespace {

constexpr std::uint64_t max_attributes = 4096;

/// Most coefficients are small, and the prior on the others is flat: the warped window is optimized on
/// average.
constexpr std::array randomizers{average_randomizer, pdp_randomizer,   piecewise_randomizer,
                                 hybrid_randomizer,  duchi_randomizer, laplace_randomizer};
constexpr const char* automatic = "auto";
constexpr auto randomizer_names = [] {
    std::array<const char*, 1 + randomizers.size()> names{automatic};
    std::ranges::transform(randomizers, names.begin() + 1, &NumericRandomizer::name);
    return names;
}();
constexpr const char* detail_names[] = {"sampled", "global"};
/// ε₁ of the global form, which a canonical spec states, so that devices need not search for it; 0 stands for the
/// best one.
constexpr Option mean_epsilon_option{.name = "mean_epsilon", .real = true, .optional = true};
constexpr const char* aim_names[] = {"attributes", "mean", "ranges"};  // in the order of Aim

std::unique_ptr<const NumericChannel> channel_of(const NumericRandomizer& randomizer, double epsilon,
                                                 std::uint64_t steps) {
    return make_channel(randomizer.response, channel_size(randomizer, epsilon, steps), epsilon);
}

/// Checks the choices that exclude a second layer.
void check_layers(const SettingsDraft& draft, const std::string& randomizer) {
    const auto refuse = [](const std::string& message, const char* detail, const char* hint) {
        raise(ErrorCode::invalid_spec, message, detail, hint);
    };
    if (std::get<std::string>(draft.options.at("details")) == detail_names[1])
        refuse("\"details\": \"global\" has no second layer",
               "Such a report covers all coefficients at once. A second layer needs one coefficient.",
               "Use \"details\": \"sampled\", or leave out \"report_epsilon\".");
    const auto named = std::ranges::find(randomizers, randomizer, &NumericRandomizer::name);
    if (named != randomizers.end() && !has_second_layer(named->response))
        refuse("the randomizer " + randomizer + " has no second layer",
               "Found \"report_epsilon\". Two layers need a randomizer with few outputs.",
               "Use \"randomizer\": \"optimal\" or \"duchi\", or leave out \"report_epsilon\".");
}

/// Returns the randomizer with the smallest variance, on average over the range of a coefficient. In two layers,
/// reports have the variance of one layer at ε₁.
const char* best_randomizer(double epsilon, double first, std::uint64_t steps) {
    return std::ranges::min_element(randomizers, {},
                                    [&](const NumericRandomizer& randomizer) {
                                        if (first == 0)
                                            return channel_of(randomizer, epsilon, steps)->average_noise();
                                        return has_second_layer(randomizer.response)
                                                   ? channel_of(randomizer, first, steps)->average_noise()
                                                   : std::numeric_limits<double>::infinity();
                                    })
        ->name;
}

/// Returns the ε₁ that minimizes Σ need²·Var with every coefficient in the middle of its range. Candidates
/// are the multiples of ε/32 that leave both parts a permitted ε. If the aim is the mean, an eighth of ε is
/// for the coefficients, so that estimates of the vector exist.
double split(double epsilon, const NumericRandomizer& randomizer, std::uint64_t steps, Aim aim,
             const std::vector<UnitRange>& ranges) {
    const std::vector<double> needs = squared_needs(HaarTree(ranges.size()), aim);
    double mean_need = needs[0] * square(ranges[0].half()), detail_need = 0;
    for (std::size_t c = 1; c < needs.size(); ++c) detail_need += needs[c] * square(ranges[c].half());
    double best = 0, least = std::numeric_limits<double>::infinity();
    for (int part = 1; part < 32; ++part) {
        const double mean_epsilon = epsilon * part / 32;
        const double rest = coefficient_epsilon(epsilon, mean_epsilon);
        if (mean_epsilon < min_epsilon || rest < min_epsilon || (aim == Aim::mean && part > 28)) continue;
        const auto channel = channel_of(randomizer, mean_epsilon, steps);
        const auto top = static_cast<double>(steps);
        const double variance = mean_need * channel->noise_at(top / 2) * 4 / (top * top) +
                                detail_need * square(SignVectorChannel(ranges.size() - 1, rest).magnitude());
        if (variance >= least) continue;
        least = variance;
        best = mean_epsilon;
    }
    if (best == 0)
        raise(ErrorCode::invalid_spec,
              "epsilon is too small to be split between the mean and the other coefficients",
              "Found " + std::to_string(epsilon) + "; each part needs at least " +
                  std::to_string(min_epsilon) + ".",
              "Raise epsilon, or use \"details\": \"sampled\".");
    return best;
}

const NumericRandomizer& randomizer_named(const std::string& name) {
    return *std::ranges::find(randomizers, name, &NumericRandomizer::name);
}

/// Chooses or checks ε₁ of the global form.
void settle_mean_epsilon(SettingsDraft& draft, const NumericRandomizer& randomizer, std::uint64_t steps) {
    double& mean_epsilon = std::get<double>(draft.options.at(mean_epsilon_option.name));
    if (std::get<std::string>(draft.options.at("details")) != detail_names[1]) {
        if (mean_epsilon != 0)
            raise(ErrorCode::invalid_spec, "\"mean_epsilon\" requires \"details\": \"global\"",
                  "A report of one coefficient uses the whole epsilon.", "Leave it out.");
        return;
    }
    if (mean_epsilon == 0) {
        const auto& word = std::get<std::string>(draft.options.at("optimize_for"));
        const auto aim = static_cast<Aim>(std::ranges::find(aim_names, word) - std::begin(aim_names));
        mean_epsilon = split(draft.epsilon, randomizer, steps, aim,
                             std::get<std::vector<UnitRange>>(draft.options.at("coefficients")));
    }
    if (!(mean_epsilon >= min_epsilon && coefficient_epsilon(draft.epsilon, mean_epsilon) >= min_epsilon))
        raise(ErrorCode::invalid_spec,
              "\"mean_epsilon\" must leave at least 0.001 for the mean and for the other coefficients",
              "Found " + shortest(mean_epsilon) + " of epsilon " + shortest(draft.epsilon) + ".",
              "Omit it to minimize the error.");
}

/// Resolves "auto" to a randomizer, and a missing ε₁ of the global form to the best one.
void settle(SettingsDraft& draft) {
    auto& name = std::get<std::string>(draft.options.at("randomizer"));
    const auto steps = std::get<std::uint64_t>(draft.options.at(grid_option.name));
    const double first = std::get<double>(draft.options.at(second_layer_option.name));
    settle_second_layer(draft);
    if (first != 0) check_layers(draft, name);
    if (name == automatic) name = best_randomizer(draft.epsilon, first, steps);
    settle_mean_epsilon(draft, randomizer_named(name), steps);
}

void write_unit_range(Writer& writer, const UnitRange& range) {
    writer.put(range.lo);
    writer.put(range.hi);
}

void write(const Settings& settings, Writer& writer) {
    const NumericRandomizer& randomizer = randomizer_named(settings.word("randomizer"));
    const auto aim =
        static_cast<Aim>(std::ranges::find(aim_names, settings.word("optimize_for")) - std::begin(aim_names));
    const std::vector<UnitRange>& ranges = settings.ranges("coefficients");
    const std::uint64_t steps = settings.number("grid");
    const bool global = settings.word("details") == detail_names[1];
    const double first = settings.real(second_layer_option.name);
    const double mean_epsilon = global ? settings.real(mean_epsilon_option.name) : settings.epsilon();
    ChannelSize size = channel_size(randomizer, first != 0 ? first : mean_epsilon, steps);
    size.steps = RoundedSteps{size.steps, rounding_cells(settings)}.word();
    writer.put(static_cast<std::uint32_t>(ranges.size()));
    write_channel(writer, size);
    writer.put(global ? Form::global : Form::sampled);
    writer.put(randomizer.response);
    write_readings(writer, randomizer.response, size);
    write_ranges(writer, settings.attributes());
    writer.put(aim);
    write_runs<std::uint16_t>(writer, ranges, write_unit_range);
    if (global)
        writer.put(mean_epsilon);
    else
        write_second_layer(settings, writer);
}

UnitRange read_unit_range(Reader& reader) {
    const auto lo = reader.take<std::int8_t>();
    const auto hi = reader.take<std::int8_t>();
    if (lo < -UnitRange::steps || lo >= hi) refuse_block("the range of a coefficient is empty or too wide");
    return {lo, hi};
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    const auto refuse = [](const std::string& detail) {
        refuse_block("the Haar parameters are out of range", detail);
    };
    Reader reader(block.subspan(header_size));
    const auto d = reader.take<std::uint32_t>();
    ChannelSize size = read_channel(reader);
    const RoundedSteps rounded = RoundedSteps::of_word(size.steps);
    rounded.check(header);
    size.steps = rounded.steps;
    HaarPlan plan{
        .form = reader.take<Form>(), .attributes = {}, .coefficients = {}, .mean_epsilon = header.epsilon};
    const auto response = reader.take<Response>();
    if (d < 2 || d > max_attributes)
        refuse("Found " + std::to_string(d) + " attributes; allowed are 2 to " +
               std::to_string(max_attributes) + ".");
    if (plan.form > Form::global ||
        std::ranges::find(randomizers, response, &NumericRandomizer::response) == randomizers.end())
        refuse("The form or the response is unknown.");
    read_readings(reader, response, size);
    plan.attributes = read_ranges(reader, d);
    plan.aim = reader.take<Aim>();
    plan.coefficients = read_runs<std::uint16_t>(reader, d, read_unit_range);
    if (plan.aim > Aim::ranges) refuse("The target is unknown.");
    plan.rounding_cells = rounded.cells;
    if (plan.form == Form::global) {
        plan.mean_epsilon = reader.take<double>();
        if (!(plan.mean_epsilon >= min_epsilon &&
              coefficient_epsilon(header.epsilon, plan.mean_epsilon) >= min_epsilon))
            refuse("Epsilon of the mean or of the other coefficients is too small.");
        reader.finish();
        auto channel = make_channel(response, size, plan.mean_epsilon);
        return make_global_haar(header, block, std::move(channel), std::move(plan));
    }
    const double report_epsilon = take_second_layer(reader, header);
    if (report_epsilon == header.epsilon)
        return make_sampled_haar(
            header, block, {make_channel(response, size, header.epsilon), nullptr, nullptr}, std::move(plan));
    if (!has_second_layer(response)) refuse("This response has no second layer.");
    plan.report_epsilon = report_epsilon;
    return make_sampled_haar(header, block, make_chain(response, size, header.epsilon, report_epsilon),
                             std::move(plan));
}

constexpr Option options[] = {grid_option,
                              {.name = "randomizer", .choices = randomizer_names},
                              {.name = "details", .choices = detail_names},
                              {.name = "optimize_for", .choices = aim_names},
                              {.name = "coefficients", .ranges = true, .optional = true},
                              mean_epsilon_option,
                              second_layer_option};

}  // namespace

const MechanismEntry entry(
    5, "haar", "Haar transform",
    "a figure computed from your numbers, such as their mean or a difference between two halves of them, or "
    "all such figures, each drawn by chance, more often near your own",
    Shape::numeric_vector, max_attributes, write, load,
    {.options = options, .settle = settle, .purpose = Purpose::vector_ranges});

}  // namespace ldp::haar
