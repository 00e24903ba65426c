// Frequent strings of an open domain, without rounds. Each person draws a public level and a public cohort at
// random. The level is the length of the reported prefix. The cohort is the number of a hash function. The
// report is the prefix's bucket under this function, randomized by symmetric response.
//
// The search over levels is the prefix extending method (Wang, Li, Jha 2021, doi:10.1109/TDSC.2019.2927695).
// All people share a small set of hash functions, so the state is small: the count mean sketch (Apple 2017,
// "Learning with Privacy at Scale") and the cohorts of RAPPOR (Erlingsson, Pihur, Korolova 2014). Each level
// and cohort is local hashing (Wang, Blocki, Li, Jha 2017), so its optimal number of buckets is optimal here.
//
// Parameters: size of the alphabet (4 bytes), longest (1), first (1), step (1), buckets (4), cohorts (4).
// Public randomness: level (1 byte), cohort (2). Permanent response: a bucket.
// Payload: level, cohort, bucket. State: the number of reports of each level, cohort and bucket (8 bytes).

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/exact.hpp"
#include "core/base/interrupt.hpp"
#include "core/channel/symmetric.hpp"
#include "core/math/channel_law.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/frequency/local_hashing.hpp"
#include "core/mechanism/role/entries.hpp"
#include "core/mechanism/strings/frequent_strings.hpp"
#include "core/mechanism/strings/string_codes.hpp"

namespace ldp::strings {

namespace {

constexpr std::uint64_t max_buckets = std::uint64_t{1} << 16, max_cohorts = std::uint64_t{1} << 16;
/// Maximum number of counters of a state.
constexpr std::uint64_t max_counters = std::uint64_t{1} << 20;
/// Defaults: the time of a search is proportional to the number of cohorts.
constexpr std::uint64_t usual_cohorts = 512, usual_buckets = 1024;

/// Returns the default number of counters. The larger ε is, the smaller is the noise beside the errors by collisions,
/// which the number of counters determines: 2^15 up to ε = 2, twice as many for each further unit, and 2^17 from
/// ε = 4 on (doc/evaluation.md).
std::uint64_t usual_counters(double epsilon) noexcept {
    constexpr double least = std::uint64_t{1} << 15;
    return static_cast<std::uint64_t>(least * std::exp2(std::clamp(epsilon - 2, 0.0, 2.0)));
}

class Strings final : public CountedReports<Strings, Mechanism>, public StringShares {
  public:
    Strings(const Header& header, Bytes block, StringLevels levels, std::uint64_t buckets,
            std::uint64_t cohorts)
        : CountedReports(header, block),
          channel_(buckets, header.epsilon),
          design_{std::move(levels),
                  cohorts,
                  buckets,
                  {channel_.p(), 1 / static_cast<double>(buckets)},
                  channel_.p() - channel_.q()},
          width_(cell_width(buckets)) {}

    std::vector<std::uint64_t> cells() const override { return {levels().codes(levels().count() - 1)}; }
    std::size_t public_size() const noexcept override { return 3; }
    std::size_t permanent_size() const noexcept override { return width_; }
    std::size_t payload_size() const noexcept override { return public_size() + permanent_size(); }
    std::size_t state_size() const noexcept override { return counters_of_state() * counter_size; }
    std::vector<std::pair<std::string, double>> parameters() const override {
        return {{"alphabet_size", static_cast<double>(levels().base() - 1)},
                {"max_length", static_cast<double>(levels().longest())},
                {"levels", static_cast<double>(levels().count())},
                {"first_level_length", static_cast<double>(levels().length(0))},
                {"hash_buckets", static_cast<double>(design_.buckets)},
                {"cohorts", static_cast<double>(design_.cohorts)},
                {"p", design_.protocol.p},
                {"q", design_.protocol.q}};
    }

    void draw_public(BitSource& bits, MutableBytes public_randomness) const override {
        public_randomness[0] = static_cast<std::byte>(bits.below(levels().count()));
        store(public_randomness.data() + 1, static_cast<std::uint16_t>(bits.below(design_.cohorts)));
    }
    bool valid_public(Bytes public_randomness) const noexcept override {
        return level_of(public_randomness) < levels().count() &&
               cohort_of(public_randomness) < design_.cohorts;
    }
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const override {
        store_cell(permanent.data(), width_, channel_.sample(bucket(input[0], public_randomness), bits));
    }
    void instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource&,
                                MutableBytes payload) const override {
        std::ranges::copy(permanent, std::ranges::copy(public_randomness, payload.begin()).out);
    }
    // Under one hash function, all strings of a bucket share a response.
    std::vector<Cell> response_key(Input input, Bytes public_randomness) const override {
        return {bucket(input[0], public_randomness)};
    }
    std::uint64_t most_keys() const override { return std::min(design_.buckets, cells()[0]); }

    [[nodiscard]] std::size_t counter_at(Bytes payload) const noexcept {
        const std::uint64_t cohort = level_of(payload) * design_.cohorts + cohort_of(payload);
        return (cohort * design_.buckets + reported(payload)) * counter_size;
    }
    bool valid_payload(Bytes payload) const noexcept override {
        return valid_public(payload) && reported(payload) < design_.buckets;
    }

    std::span<const Quantity> answers() const noexcept override {
        static constexpr Quantity quantities[] = {Quantity::strings};
        return quantities;
    }
    /// Empty: the domain is too large for a list. See share() and search().
    std::vector<Estimate> estimate(const Counts&, const Question&) const override { return {}; }
    std::uint64_t base() const noexcept override { return levels().base(); }
    std::vector<StringShare> shares(const Counts& counts, std::span<const Cell> codes,
                                    const StringQuery& query) const override {
        return shares_of_strings(design_, counts, codes, query);
    }
    std::vector<FrequentString> search(const Counts& counts, const StringQuery& query) const override {
        return frequent_strings(design_, counts, query);
    }
    std::vector<Check> health(const Counts& counts) const override;

    // A forger chooses the last level, which alone determines the estimate of a long string.
    std::vector<Contribution> contributions(const Question&) const override {
        const auto [p, q] = design_.protocol;
        return {{1 / static_cast<double>(levels().count()), {-q / (p - q), (1 - q) / (p - q)}, {0, 1}}};
    }
    double max_probability(Bytes) const override {
        return channel_.p() / static_cast<double>(levels().count() * design_.cohorts);
    }

    /// For a string that is whole at the last level only. Excludes collisions, whose variance does not depend
    /// on the number of reports.
    double n_variance(double truth) const override {
        const auto parts = static_cast<double>(levels().count());
        return parts * design_.protocol.n_variance(truth) + (parts - 1) * truth * (1 - truth);
    }
    Cost cost() const noexcept override { return {5, 3 * static_cast<double>(counters_of_state())}; }

    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const override {
        return exact(
            channel_.weight(bucket(input[0], public_randomness), load_cell(permanent.data(), width_)),
            channel_.total());
    }
    // Level and cohort do not depend on the string. If a hash function maps two strings to different buckets,
    // they are two inputs of the channel and attain high/low.
    Exact worst_ratio() const override {
        return exact(channel_.worst_ratio().high, channel_.worst_ratio().low);
    }
    ChannelLaw channel_law() const override {
        return levels_law(channel_.worst_ratio(), 1, channel_.outputs() - 1);
    }

  private:
    const StringLevels& levels() const noexcept { return design_.levels; }
    std::uint64_t counters_of_state() const noexcept {
        return levels().count() * design_.cohorts * design_.buckets;
    }
    static std::uint64_t level_of(Bytes bytes) noexcept { return std::to_integer<std::uint64_t>(bytes[0]); }
    static std::uint64_t cohort_of(Bytes bytes) noexcept { return load<std::uint16_t>(bytes.data() + 1); }
    std::uint64_t reported(Bytes payload) const noexcept {
        return load_cell(payload.data() + public_size(), width_);
    }
    std::uint64_t bucket(Cell code, Bytes public_randomness) const noexcept {
        const std::uint64_t level = level_of(public_randomness);
        return CohortHash(level, cohort_of(public_randomness),
                          design_.buckets)(levels().split(levels().prefix(code, level), level));
    }

    SymmetricChannel channel_;
    StringDesign design_;
    std::size_t width_;
};

// Levels and cohorts are uniform. For any strings, the probability of a bucket in a cohort is between q (no
// person holds a string of the bucket) and p (all people do).
std::vector<Check> Strings::health(const Counts& counts) const {
    const std::uint64_t g = design_.buckets;
    std::vector<std::uint64_t> of_levels(levels().count()), of_cohorts(design_.cohorts);
    constexpr double unseen = std::numeric_limits<double>::infinity();
    Check least{"least share of a bucket", 0, channel_.q(), unseen},
        greatest{"greatest share of a bucket", 0, channel_.p(), unseen};
    const auto keep_worse = [](Check& worst, double share, double p_value) {
        if (p_value < worst.p_value) worst = {worst.name, share, worst.expected, p_value};
    };
    Work work;
    for (std::size_t level = 0; level < of_levels.size(); ++level)
        for (std::size_t cohort = 0; cohort < of_cohorts.size(); ++cohort) {
            const Bytes cells = counts.state.subspan((level * of_cohorts.size() + cohort) * g * counter_size,
                                                     g * counter_size);
            std::uint64_t size = 0, low = std::numeric_limits<std::uint64_t>::max(), high = 0;
            for (std::uint64_t b = 0; b < g; ++b) {
                const std::uint64_t count = counter(cells, b);
                size += count;
                low = std::min(low, count);
                high = std::max(high, count);
            }
            work.done(g + 1000);
            of_levels[level] += size;
            of_cohorts[cohort] += size;
            if (size == 0) continue;
            const auto all = static_cast<double>(size);
            keep_worse(least, static_cast<double>(low) / all,
                       binomial_at_most(size, channel_.q(), low, least.p_value));
            keep_worse(greatest, static_cast<double>(high) / all,
                       binomial_at_least(size, channel_.p(), high, greatest.p_value));
        }
    for (Check* worst : {&least, &greatest})
        worst->p_value = std::min(1.0, worst->p_value * static_cast<double>(counters_of_state()));
    std::vector<Check> checks;
    if (of_levels.size() > 1) checks.push_back(goodness_of_fit("levels", of_levels));
    if (of_cohorts.size() > 1) checks.push_back(goodness_of_fit("cohorts", of_cohorts));
    checks.insert(checks.end(), {least, greatest});
    return checks;
}

// Format ---------------------------------------------------------------------------------------------------

constexpr Option options[] = {{.name = "first_level_length", .fallback = 0, .least = 1, .most = 63},
                              {.name = "level_step", .fallback = 0, .least = 1, .most = 63},
                              {.name = "hash_buckets", .fallback = 0, .least = 2, .most = max_buckets},
                              {.name = "cohorts", .fallback = 0, .least = 1, .most = max_cohorts}};

/// Returns whether the candidates of the first level, and those of a search with the default number of
/// prefixes on later levels, are few enough.
bool searchable(const StringLevels& levels, std::uint64_t first, std::uint64_t step, std::uint64_t cohorts) {
    constexpr std::uint64_t most_first = std::uint64_t{1} << 20, most_work = std::uint64_t{1} << 28;
    const std::uint64_t codes = levels.sound_code_count(first);
    if (codes > most_first || codes * cohorts > most_work) return false;
    if (levels.count() == 1) return true;
    const std::uint64_t later = levels.sound_code_count(step) * StringQuery::usual_keep;
    return later <= StringQuery::most_candidates && later * cohorts <= StringQuery::most_work;
}

// More buckets than the default would leave too few cohorts within the default number of counters, and
// collisions would not average out.
void settle(SettingsDraft& draft) {
    const StringDomain& strings = *draft.attributes[0].strings;
    const std::uint64_t base = strings.alphabet.size() + 1;
    auto& first = std::get<std::uint64_t>(draft.options.at("first_level_length"));
    auto& step = std::get<std::uint64_t>(draft.options.at("level_step"));
    auto& buckets = std::get<std::uint64_t>(draft.options.at("hash_buckets"));
    auto& cohorts = std::get<std::uint64_t>(draft.options.at("cohorts"));
    if (step == 0) step = StringLevels::usual_step(base);
    if (first == 0) first = StringLevels::usual_first(base);
    step = std::min(step, strings.longest);
    first = std::min(first, strings.longest);
    const std::uint64_t levels = StringLevels(base, strings.longest, first, step).count();
    if (buckets == 0) buckets = std::min(LocalHashing::best_buckets(draft.epsilon), usual_buckets);
    if (cohorts == 0)
        cohorts =
            std::clamp<std::uint64_t>(usual_counters(draft.epsilon) / (levels * buckets), 1, usual_cohorts);
    if (levels * buckets * cohorts > max_counters)
        raise(
            ErrorCode::invalid_spec, "the summaries of strings would be too large",
            "With " + std::to_string(levels) + " levels, " + std::to_string(cohorts) + " cohorts and " +
                std::to_string(buckets) + " buckets they have " + std::to_string(levels * buckets * cohorts) +
                " counters; allowed are " + std::to_string(max_counters) + ".",
            "Reduce \"cohorts\" or \"hash_buckets\", or increase \"first_level_length\" or \"level_step\".");
    if (!searchable(StringLevels(base, strings.longest, first, step), first, step, cohorts))
        raise(ErrorCode::invalid_spec, "a search would examine too many prefixes",
              "Its first level has " + std::to_string(first) + " characters, and the others " +
                  std::to_string(step) + " more on each further level, over an alphabet of " +
                  std::to_string(base - 1) + " characters.",
              "Reduce \"first_level_length\", \"level_step\" or \"cohorts\", or omit them.");
}

void write(const Settings& settings, Writer& writer) {
    const StringDomain& strings = *settings.attributes()[0].strings;
    writer.put(static_cast<std::uint32_t>(strings.alphabet.size()));
    writer.put(static_cast<std::uint8_t>(strings.longest));
    writer.put(static_cast<std::uint8_t>(settings.number("first_level_length")));
    writer.put(static_cast<std::uint8_t>(settings.number("level_step")));
    writer.put(static_cast<std::uint32_t>(settings.number("hash_buckets")));
    writer.put(static_cast<std::uint32_t>(settings.number("cohorts")));
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t alphabet = take_number(reader, "number of characters", 1, max_alphabet);
    const std::uint64_t longest = reader.take<std::uint8_t>(), first = reader.take<std::uint8_t>(),
                        step = reader.take<std::uint8_t>();
    const std::uint64_t buckets = take_number(reader, "number of buckets", 2, max_buckets);
    const std::uint64_t cohorts = take_number(reader, "number of cohorts", 1, max_cohorts);
    reader.finish();
    if (longest < 1 || longest > longest_that_fits(alphabet) || first < 1 || first > longest || step < 1 ||
        step > longest)
        refuse_block("the lengths of strings are out of range",
                     "Found " + std::to_string(longest) + " characters, of which " + std::to_string(first) +
                         " first and then " + std::to_string(step) + " at each further level.");
    StringLevels levels(alphabet + 1, longest, first, step);
    if (levels.count() * cohorts * buckets > max_counters)
        refuse_block("the number of counters is out of range",
                     "Found " + std::to_string(levels.count() * cohorts * buckets) + "; allowed are " +
                         std::to_string(max_counters) + ".");
    if (!searchable(levels, first, step, cohorts))
        refuse_block("the lengths of levels are out of range",
                     "Found " + std::to_string(first) + " and " + std::to_string(step) + " characters.");
    return std::make_unique<Strings>(header, block, std::move(levels), buckets, cohorts);
}

}  // namespace

const MechanismEntry entry(
    34, "strings", "hashed prefixes of strings",
    "one of several groups of texts: the first characters of your text belong to one of the groups, and "
    "chance often sends another group instead; the groups, and the number of characters, are random",
    Shape::one_string, std::uint64_t{1} << 63, write, load,
    {.automatic = true, .options = options, .settle = settle});

}  // namespace ldp::strings
