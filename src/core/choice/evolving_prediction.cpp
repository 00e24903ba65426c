// Length: the protocols share the estimated items and the sum over rounds.

#include "core/choice/evolving_prediction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/base/unknown.hpp"
#include "core/contract/evolving_options.hpp"
#include "core/contract/privacy_statement.hpp"
#include "core/contract/response_count.hpp"
#include "core/math/insecure_bits.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/mechanism/longitudinal/candidate_search.hpp"
#include "core/mechanism/longitudinal/number_series.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/ordered/ordered.hpp"
#include "core/mechanism/ordered/public_cuts.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/error_law.hpp"

namespace ldp {

namespace {

/// Whether the keys of a number are buckets of public partitions, so that the mean of a key is known.
bool has_dithered_keys(const MechanismEntry& entry) noexcept {
    return entry.purpose == Purpose::distribution && entry.responses.name != nullptr;
}

/// The estimates of a spec: its items are the values of a category, or buckets of them, or one mean.
struct EstimatedItems {
    EstimatedItems(const Spec& spec, const Mechanism& mechanism)
        : numeric(spec.attributes()[0].numeric()),
          unit(numeric ? spec.attributes()[0].max / 2 - spec.attributes()[0].min / 2 : 1),
          steps(static_cast<double>(mechanism.cells()[0] - 1)) {
        const MechanismEntry& entry = spec.mechanism();
        if (numeric) {
            dithered = has_dithered_keys(entry);
            key_step = 2 / steps;
            if (dithered)
                partitions = static_cast<double>(
                    PublicCuts(mechanism.cells()[0], spec.number("buckets"), false).partitions());
            key_step *= partitions;
            return;
        }
        domain = spec.attributes()[0].domain;
        const std::string_view option = entry.responses.name == nullptr ? "" : entry.responses.name;
        bucketed = option == "bits_per_report";
        if (option == "hash_buckets") hashed_into = static_cast<double>(spec.number("hash_buckets"));
        count = bucketed ? spec.number("buckets") : domain;
        if (bucketed)
            each_bit = static_cast<double>(count) / static_cast<double>(spec.number("bits_per_report"));
    }
    /// The item of a value of a stream, and its weight: the mean on [−1, 1].
    [[nodiscard]] std::uint32_t item(double value) const noexcept {
        return numeric ? 0 : static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) * count / domain);
    }
    [[nodiscard]] double weight(double value) const noexcept { return numeric ? 2 * value - 1 : 1; }
    [[nodiscard]] double mean_of(std::uint32_t key) const noexcept { return 2 * key / steps - 1; }

    bool numeric, bucketed = false, dithered = false;
    double unit, steps, hashed_into = 0, each_bit = 1;
    double partitions = 1;
    double key_step = 0;  ///< of a number: difference of the means that neighbouring keys stand for
    std::uint64_t domain = 0, count = 1;
};

struct ItemShift {
    std::uint32_t item;
    double weight;
};

/// The expected contribution of a person to the estimates of a round, and the true one.
struct PersonInRound {
    ItemShift truth;
    ItemShift used;
    bool reports;
};

/// Squared parts of the error of a round, summed over the items. The bias is an unbiased estimate, which may
/// be negative.
struct RoundError {
    double bias = 0, spread = 0, reporting = 0;
};

double length(std::span<ItemShift> shifts) {
    double sum = 0;
    for (const ItemShift& a : shifts)
        for (const ItemShift& b : shifts)
            if (a.item == b.item) sum += a.weight * b.weight;
    return sum;
}

/// Bias and variance of the mean contribution. A person's influence on the error is (used − mean of used) /
/// (share of people who report) − (truth − mean of truth), for people who report.
class ErrorOfRound {
  public:
    ErrorOfRound(std::size_t items, const ValueStream& stream)
        : stream_(stream), used_(items), true_(items) {}

    RoundError of(std::span<const PersonInRound> people) {
        std::ranges::fill(used_, 0);
        std::ranges::fill(true_, 0);
        double reporting = 0;
        for (const PersonInRound& person : people) reporting += person.reports ? 1 : 0;
        const auto all = static_cast<double>(people.size());
        if (reporting == 0) return {};
        for (const PersonInRound& person : people) {
            if (person.reports) used_[person.used.item] += person.used.weight / reporting;
            true_[person.truth.item] += person.truth.weight / all;
        }
        double bias = 0, used_used = 0, true_true = 0, used_true = 0;
        for (std::size_t i = 0; i < used_.size(); ++i) {
            bias += square(used_[i] - true_[i]);
            used_used += square(used_[i]);
            true_true += square(true_[i]);
            used_true += used_[i] * true_[i];
        }
        const double each = all / reporting;
        double total = 0, within = 0;
        for (std::size_t p = 0; p < people.size(); ++p) {
            ItemShift shifts[3];
            unsigned count = scaled(people[p], each, shifts);
            const double mean = people[p].reports ? -each : 0;
            shifts[count++] = {people[p].truth.item, -people[p].truth.weight};
            double along_used = 0, along_true = 0;
            for (unsigned i = 0; i < count; ++i) {
                along_used += shifts[i].weight * used_[shifts[i].item];
                along_true += shifts[i].weight * true_[shifts[i].item];
            }
            total += length({shifts, count}) + 2 * mean * along_used + 2 * along_true +
                     square(mean) * used_used + true_true + 2 * mean * used_true;
            if (!stream_.same_people || p % 2 == 0) continue;
            // Two draws of one person differ by their randomness only.
            count = scaled(people[p], each, shifts);
            count += scaled(people[p - 1], -each, shifts + count);
            const double change = mean + (people[p - 1].reports ? each : 0);
            along_used = 0;
            for (unsigned i = 0; i < count; ++i) along_used += shifts[i].weight * used_[shifts[i].item];
            within += (length({shifts, count}) + 2 * change * along_used + square(change) * used_used) / 2;
        }
        total /= std::max(all - 1, 1.0);
        within /= std::max(all / 2, 1.0);
        if (!stream_.same_people) return {bias - total / all, total / stream_.people, reporting / all};
        const bool complete = all / 2 >= stream_.people;
        const double uncertain = complete ? within / all : std::max(total - within / 2, 0.0) / (all / 2);
        return {bias - uncertain, within / stream_.people, reporting / all};
    }

  private:
    /// Writes what a person contributes, if anything, and returns the number of entries.
    static unsigned scaled(const PersonInRound& person, double factor, ItemShift* shifts) {
        if (person.reports) *shifts = {person.used.item, factor * person.used.weight};
        return person.reports ? 1 : 0;
    }

    const ValueStream& stream_;
    std::vector<double> used_, true_;  ///< mean contributions of the items
};

/// The mean variance of the noise of the items, from n reports with these shares.
class NoiseOfShares {
  public:
    NoiseOfShares(const Mechanism& mechanism, std::size_t items)
        : mechanism_(mechanism),
          // Linear in the share, so that the mean share suffices.
          linear_(find_capability<FrequencyOracle>(mechanism) != nullptr ||
                  find_capability<KnownErrors>(mechanism) != nullptr),
          even_(linear_ ? mechanism.n_variance(1 / static_cast<double>(items)) : 0) {}

    double operator()(std::span<const double> shares) const {
        if (linear_) return even_;
        double sum = 0;
        for (std::size_t v = 0; v < shares.size(); ++v) sum += mechanism_.n_variance_of(0, v, shares);
        return sum / static_cast<double>(shares.size());
    }

  private:
    const Mechanism& mechanism_;
    bool linear_;
    double even_;
};

/// The noise of the mean from reports of the buckets of public partitions. It depends on the distribution of
/// the numbers over the points of the grid.
class NoiseOfPoints {
  public:
    NoiseOfPoints(const Mechanism& mechanism, const EstimatedItems& items)
        : mechanism_(mechanism),
          steps_(items.steps),
          partitions_(items.partitions),
          people_(mechanism.cells()[0]) {}

    /// Adds a person with this position in the range, 0 to 1.
    void add(double value) {
        const double at = value * steps_, below = std::min(std::floor(at), steps_ - 1), above = at - below;
        const auto point = static_cast<std::size_t>(below);
        people_[point] += 1 - above;
        people_[point + 1] += above;
        rounding_ += square(2 / steps_) * above * (1 - above);
        ++all_;
    }
    /// Returns n·Var by the drawn partitions and the randomizer, for n reports. The closed form is that of
    /// equal numbers of reports in all partitions. Random numbers increase the variance of their means.
    [[nodiscard]] double noise(double reports) const {
        std::vector<double> shares = people_;
        double mean = 0, second = 0;
        for (std::size_t i = 0; i < shares.size(); ++i) {
            shares[i] /= std::max(all_, 1.0);
            const double x = 2 * static_cast<double>(i) / steps_ - 1;
            mean += shares[i] * x;
            second += shares[i] * x * x;
        }
        const double even = mechanism_.n_variance_of(0, 0, shares);
        return even + (partitions_ - 1) / std::max(reports, partitions_) * (even + second - square(mean));
    }
    /// Returns n·Var by the rounding to the grid.
    [[nodiscard]] double rounding() const noexcept { return rounding_ / std::max(all_, 1.0); }

  private:
    const Mechanism& mechanism_;
    double steps_, partitions_;
    std::vector<double> people_;  ///< of each point
    double rounding_ = 0, all_ = 0;
};

/// Adds up the rounds.
class RoundSum {
  public:
    /// Squared parts, of all items together except the noise, which is that of a mean item.
    void add(const EstimatedItems& items, const RoundError& round, double noise) {
        const auto count = static_cast<double>(items.count);
        const double unit = square(items.unit);
        if (round.reporting == 0) {
            found.errors.push_back(unknown);
            return;
        }
        ++rounds_;
        found.noise += unit * noise;
        found.rounding += unit * round.spread / count;
        found.bias += unit * round.bias / count;
        found.errors.push_back(
            std::sqrt(unit * (noise + (round.spread + std::max(round.bias, 0.0)) / count)));
    }
    ProtocolPrediction finish() && {
        const double rounds = std::max(rounds_, 1.0);
        found.bias = std::max(found.bias, 0.0);
        found.error = std::sqrt((found.noise + found.rounding + found.bias) / rounds);
        for (double* part : {&found.noise, &found.rounding, &found.bias}) *part = std::sqrt(*part / rounds);
        if (rounds_ == 0) found.error = unknown;
        return std::move(found);
    }

    ProtocolPrediction found = {};

  private:
    double rounds_ = 0;
};

std::vector<double> shares_in(const ValueStream& stream, const EstimatedItems& items, std::size_t round) {
    std::vector<double> shares(items.count);
    const std::size_t people = stream.known();
    for (std::size_t i = 0; i < people; ++i)
        shares[items.item(stream.values[i * stream.rounds + round])] += 1 / static_cast<double>(people);
    return shares;
}

/// Reports without memory.
ProtocolPrediction predict_fresh(const Spec& spec, const Mechanism& mechanism, const ValueStream& stream,
                                 Participation participation, std::span<const std::size_t> rounds) {
    const EstimatedItems items(spec, mechanism);
    const std::size_t known = stream.known();
    const auto all = static_cast<double>(stream.rounds);
    const double each = participation == Participation::one_round ? all : 1;  // people per report of a round
    RoundSum sum;
    Work work;
    std::optional<NoiseOfShares> of_shares;
    if (!items.numeric) of_shares.emplace(mechanism, items.count);
    for (const std::size_t t : rounds) {
        work.done(10 * known);
        double noise = 0, mean = 0, squares = 0;
        if (items.numeric) {
            std::optional<NoiseOfPoints> of_points;
            if (items.dithered) of_points.emplace(mechanism, items);
            for (std::size_t i = 0; i < known; ++i) {
                const double value = stream.values[i * stream.rounds + t], x = items.weight(value);
                if (items.dithered)
                    of_points->add(value);
                else
                    noise += mechanism.n_variance(x);
                mean += x;
                squares += x * x;
            }
            noise /= static_cast<double>(known);
            if (items.dithered) noise = of_points->noise(stream.people / each) + of_points->rounding();
            mean /= static_cast<double>(known);
            squares = squares / static_cast<double>(known) - square(mean);
        } else {
            const std::vector<double> shares = shares_in(stream, items, t);
            noise = (*of_shares)(shares);
            for (const double share : shares) squares += share * (1 - share);
        }
        // Those whose turn it is are a sample of all people without replacement.
        sum.add(items, {0, each * (1 - 1 / each) * squares / stream.people, 1}, noise * each / stream.people);
    }
    ProtocolPrediction found = std::move(sum).finish();
    found.spent_mean = found.spent_of_95 = found.spent_most =
        privacy_statement(spec, mechanism).after(participation == Participation::one_round ? 1 : all).epsilon;
    return found;
}

/// Points of a range from which mean and variance of the numbers follow with sufficient accuracy.
constexpr std::size_t points_of_moments = 4097;

ProtocolPrediction predict_series(const Spec& spec, const Mechanism& mechanism, const ValueStream& stream,
                                  std::span<const std::size_t> rounds) {
    const EstimatedItems items(spec, mechanism);
    const std::size_t known = stream.known(), length = mechanism.cells().size();
    if (length < stream.rounds)
        raise(ErrorCode::unsupported, "the series has " + std::to_string(length) + " rounds under this spec",
              "The stream has " + std::to_string(stream.rounds) + ".",
              "Plan fewer rounds, or give \"rounds\".");
    const auto cell_of = [&](double value) {
        return static_cast<Cell>(items.numeric ? static_cast<double>(std::lround(value * items.steps))
                                               : value);
    };
    // Halves of the people: the product of their biases has the square of the bias as its mean.
    std::vector<std::vector<Cell>> series[2];
    for (std::size_t i = 0; i < known; ++i) {
        std::vector<Cell>& one = series[i % 2].emplace_back();
        one.reserve(length);
        for (std::size_t t = 0; t < length; ++t)
            one.push_back(cell_of(stream.values[i * stream.rounds + std::min(t, stream.rounds - 1)]));
    }
    SeriesBias bias[2];
    for (std::size_t half = 0; half < 2; ++half)
        if (!series[half].empty())
            bias[half] = capability<SeriesRandomizer>(mechanism).expected_bias(series[half], rounds);
    RoundSum sum;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
        std::vector<double> off[2];
        for (std::size_t half = 0; half < 2; ++half)
            if (!series[half].empty()) off[half] = bias[half].of_rounds[r];
        double squares = 0;
        const auto first = static_cast<double>(series[0].size()),
                   second = static_cast<double>(series[1].size());
        for (std::size_t v = 0; v < items.count; ++v)
            squares +=
                stream.same_people && static_cast<double>(known) >= stream.people
                    ? square((first * off[0][v] + (second > 0 ? second * off[1][v] : 0)) / (first + second))
                    : off[0][v] * off[1][v];
        std::vector<double> shares(items.count, 1 / static_cast<double>(items.count));
        if (items.numeric) {
            shares.assign(points_of_moments, 0);
            for (std::size_t i = 0; i < known; ++i)
                shares[static_cast<std::size_t>(
                    std::lround(stream.values[i * stream.rounds + rounds[r]] * (points_of_moments - 1)))] +=
                    1 / static_cast<double>(known);
        }
        sum.add(items, {squares, 0, 1}, mechanism.n_variance_of(rounds[r], 0, shares) / stream.people);
    }
    ProtocolPrediction found = std::move(sum).finish();
    found.spent_mean = found.spent_of_95 = found.spent_most = spec.epsilon();
    for (std::size_t half = 0; half < 2; ++half)
        found.ended +=
            bias[half].beyond * static_cast<double>(series[half].size()) / static_cast<double>(known);
    return found;
}

}  // namespace

void check_predictable(const Spec& spec, const Mechanism& mechanism) {
    const auto refuse = [](const std::string& detail) {
        raise(ErrorCode::unsupported, "errors of this spec cannot be predicted for a stream", detail,
              "Plan one number whose mean is estimated, or one category.");
    };
    if (spec.attributes().size() != 1)
        refuse("It has " + std::to_string(spec.attributes().size()) + " attributes.");
    const Attribute& attribute = spec.attributes()[0];
    if (attribute.strings) refuse("\"" + attribute.name + "\" has an open domain.");
    if (attribute.several()) refuse("\"" + attribute.name + "\" has sets of labels.");
    // Other mechanisms for distributions have keys whose mean depends on more than their number.
    const bool dithered_numbers = attribute.numeric() && has_dithered_keys(spec.mechanism());
    if (!mechanism.can_estimate(attribute.numeric() ? Quantity::means : Quantity::frequencies) ||
        find_capability<CandidateSearch>(mechanism) != nullptr ||
        (find_capability<Ordered>(mechanism) != nullptr && !dithered_numbers))
        refuse(std::string(spec.mechanism().name) +
               " estimates neither a single mean nor the shares of listed values.");
    if (attribute.domain > max_items)
        refuse("\"" + attribute.name + "\" has " + std::to_string(attribute.domain) + " values; at most " +
               std::to_string(max_items) + " are supported.");
}

KeyPaths::KeyPaths(const Spec& spec, const Mechanism& mechanism, const ValueStream& stream)
    : rounds_(stream.rounds) {
    constexpr std::uint64_t seed = 2;
    InsecureBits bits(seed);
    const Rounding rounding(spec, mechanism);
    const bool numeric = spec.attributes()[0].numeric();
    const auto steps = static_cast<double>(mechanism.cells()[0] - 1);
    const std::size_t people = stream.known(), draws = stream.same_people ? 2 : 1;
    keys_.reserve(people * draws * rounds_);
    order_.resize(people * draws * rounds_);
    distinct_.reserve(people * draws);
    std::vector<std::byte> own(mechanism.public_size());
    std::vector<std::uint64_t> alphas(rounding.alphas());
    std::vector<double> position(1);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> seen(rounds_);
    std::vector<std::uint32_t> firsts;
    distances_ = false;
    Work work;
    for (std::size_t row = 0; row < people * draws; ++row) {
        work.done(64 * rounds_);
        mechanism.draw_public(bits, own);
        for (std::uint64_t& alpha : alphas) alpha = bits.word();
        if (row == 0) distances_ = mechanism.key_spans(own)[0] != 0;
        std::vector<RoundingState> rounding_states(rounding.rounding_states());
        const double* values = stream.values.data() + row / draws * rounds_;
        for (std::size_t t = 0; t < rounds_; ++t) {
            position[0] = numeric ? values[t] * steps : values[t];
            const std::vector<Cell> cells = rounding.follow(position, alphas, rounding_states);
            const auto key = static_cast<std::uint32_t>(mechanism.response_key(cells, own)[0]);
            keys_.push_back(key);
            seen[t] = {key, static_cast<std::uint32_t>(t)};
        }
        // Sorted by key and round, each key begins with its first round.
        std::ranges::sort(seen);
        firsts.clear();
        for (std::size_t i = 0; i < rounds_; ++i)
            if (i == 0 || seen[i].first != seen[i - 1].first) firsts.push_back(seen[i].second);
        std::ranges::sort(firsts);
        std::vector<std::uint32_t>& distinct = distinct_.emplace_back();
        for (const std::uint32_t first : firsts) distinct.push_back(keys_[row * rounds_ + first]);
        for (std::size_t i = 0, first = 0; i < rounds_; ++i) {
            if (i == 0 || seen[i].first != seen[i - 1].first)
                first = static_cast<std::size_t>(std::ranges::lower_bound(firsts, seen[i].second) -
                                                 firsts.begin());
            order_[row * rounds_ + seen[i].second] = static_cast<std::uint32_t>(first);
        }
    }
    for (const auto& distinct : distinct_) counts_.push_back(distinct.size());
    std::ranges::sort(counts_);
}

ProtocolPrediction predict_memoized(const Mechanism& mechanism, const Spec& spec, const KeyPaths& paths,
                                    const ValueStream& stream, std::span<const std::size_t> rounds) {
    const EstimatedItems items(spec, mechanism);
    const Budget& budget = *spec.budget();
    const std::uint64_t most = most_responses(spec, mechanism);
    const std::size_t rows = paths.rows(), draws = rows / stream.known();
    const bool substitutes = paths.counts().back() > most;
    std::optional<NoiseOfShares> of_shares;
    if (!items.numeric) of_shares.emplace(mechanism, items.count);
    std::vector<double> noise_of(items.numeric ? mechanism.cells()[0] : 0, unknown);  // by key
    std::vector<PersonInRound> people(rows), unrounded(rows);
    ErrorOfRound error(items.count, stream);
    RoundSum sum;
    Work work;
    const auto nearest = [&](std::size_t row, std::uint32_t key) {
        const auto distinct = paths.distinct(row).first(most);
        if (!paths.distances()) return distinct[0];
        const auto far = [&](std::uint32_t other) { return key > other ? key - other : other - key; };
        return *std::ranges::min_element(distinct, {}, far);
    };
    for (const std::size_t t : rounds) {
        double noise = 0, reporting = 0;
        work.done(8 * rows);
        std::optional<NoiseOfPoints> of_points;
        if (items.dithered) of_points.emplace(mechanism, items);
        for (std::size_t row = 0; row < rows; ++row) {
            const double value = stream.values[row / draws * stream.rounds + t];
            PersonInRound& person = people[row];
            person.truth = {items.item(value), items.weight(value)};
            person.reports = true;
            person.used = person.truth;
            const std::uint32_t own = paths.key(row, t);
            std::uint32_t key = own;
            const bool substituted = substitutes && paths.order(row, t) >= most;
            unrounded[row] = person;
            if (substituted) {
                work.done(most);
                if (budget.when_spent == Budget::WhenSpent::stop) {
                    unrounded[row].reports = person.reports = false;
                    continue;
                }
                key = nearest(row, own);
            }
            ++reporting;
            if (items.dithered) {
                of_points->add(value);
                person.used.weight += items.key_step * (static_cast<double>(key) - own);
                unrounded[row] = person;
            } else if (items.numeric) {
                if (std::isnan(noise_of[key])) noise_of[key] = mechanism.n_variance(items.mean_of(key));
                noise += noise_of[key];
                person.used.weight = items.mean_of(key);
                unrounded[row].used.weight += items.key_step * (static_cast<double>(key) - own);
            } else if (substitutes && items.bucketed) {
                // Under the drawn buckets, a bit counts as often as people per bit. Key b is no drawn bucket.
                person.used = key < items.count ? ItemShift{key, items.each_bit} : ItemShift{0, 0};
            } else if (substituted && items.hashed_into > 0) {
                // The response of another bucket does not support the value.
                person.used.weight = -1 / (items.hashed_into - 1);
            } else if (substituted) {
                person.used.item = key;
            }
        }
        RoundError found{0, 0, reporting / static_cast<double>(rows)};
        if (items.numeric || substitutes) found = error.of(people);
        // Rounding by itself has no bias, so that it need not be estimated.
        if (items.numeric) found.bias = substitutes ? error.of(unrounded).bias : 0;
        const double reports = reporting / static_cast<double>(rows) * stream.people;
        if (items.dithered) {
            noise = of_points->noise(reports);
            if (reports > 0) found.spread += of_points->rounding() / reports;
        } else if (items.numeric)
            noise /= std::max(reporting, 1.0);
        else if (substitutes && items.bucketed)
            noise = mechanism.n_variance(0);  // of the bits alone
        else
            noise = (*of_shares)(find_capability<FrequencyOracle>(mechanism) != nullptr
                                     ? std::vector<double>()
                                     : shares_in(stream, items, t));
        sum.add(items, found, reports > 0 ? noise / reports : 0);
    }
    ProtocolPrediction found = std::move(sum).finish();
    double answers = 0, ended = 0;
    for (const std::uint64_t count : paths.counts()) {
        answers += static_cast<double>(std::min(count, most));
        ended += count > most ? 1 : 0;
    }
    const std::size_t of_95 = (95 * rows + 99) / 100 - 1;  // people up to the 95th of 100
    const PrivacyStatement statement = privacy_statement(spec, mechanism);
    const auto spent = [&](auto different) {
        return statement.after(static_cast<double>(different)).epsilon;
    };
    found.spent_mean = spent(answers / static_cast<double>(rows));
    found.spent_of_95 = spent(std::min(paths.counts()[of_95], most));
    found.spent_most = spent(std::min<std::uint64_t>(most, stream.rounds));
    found.ended = ended / static_cast<double>(rows);
    return found;
}

ProtocolPrediction predict_protocol(const Spec& spec, const ValueStream& stream, Participation participation,
                                    std::span<const std::size_t> rounds) {
    const std::unique_ptr<const Mechanism> mechanism = make_mechanism(spec);
    check_predictable(spec, *mechanism);
    if (spec.mechanism().series) return predict_series(spec, *mechanism, stream, rounds);
    if (!spec.evolving()) return predict_fresh(spec, *mechanism, stream, participation, rounds);
    return predict_memoized(*mechanism, spec, KeyPaths(spec, *mechanism, stream), stream, rounds);
}

ProtocolPrediction predict_protocol(const Spec& spec, const ValueStream& stream,
                                    Participation participation) {
    return predict_protocol(spec, stream, participation, some_rounds(stream.rounds, stream.rounds));
}

std::vector<std::size_t> some_rounds(std::size_t rounds, std::size_t most) {
    std::vector<std::size_t> some;
    const std::size_t count = std::min(rounds, most);
    for (std::size_t i = 0; i < count; ++i) some.push_back((2 * i + 1) * rounds / (2 * count));
    return some;
}

}  // namespace ldp
