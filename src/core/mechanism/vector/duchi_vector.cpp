// The means of many numbers. Each report covers all of them (Duchi, Jordan, Wainwright 2018; for even d with
// a better tie rule than in Wang, Xiao et al. 2019, see channel/sign_vector.hpp).
//
// A report is B·t with mean x, where t is a sign vector in {±1}^d. In a population with means μ, n·Var of a
// linear combination a·(B·t) is B²|a|² − (a·μ)², since the coordinates of a report are uncorrelated given x.
// For the target sample it is smaller by the variance of a·x between users, which sign vectors do not show.
//
// parameters: d, grid steps (4 bytes each), ranges of the attributes in runs
// payload:    a sign vector
// state:      the channel's counters

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/base/square.hpp"
#include "core/channel/sign_vector.hpp"
#include "core/math/channel_law.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/mean/numeric_randomizer.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::duchi_vector {

namespace {

constexpr std::uint64_t max_attributes = 4096;

class DuchiVector final : public Mechanism, public GroupMean {
  public:
    DuchiVector(const Header& header, Bytes block, std::uint64_t steps, std::vector<Range> ranges)
        : Mechanism(header, block),
          channel_(ranges.size(), header.epsilon),
          steps_(steps),
          ranges_(std::move(ranges)) {}

    std::vector<std::uint64_t> cells() const override {
        return std::vector<std::uint64_t>(ranges_.size(), steps_ + 1);
    }
    std::size_t payload_size() const noexcept override { return channel_.width(); }
    std::size_t state_size() const noexcept override { return channel_.tally_size(); }
    std::vector<std::pair<std::string, double>> parameters() const override {
        return {{"attributes", static_cast<double>(ranges_.size())},
                {"grid", static_cast<double>(steps_)},
                {"magnitude", channel_.magnitude()}};
    }

    void permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const override {
        channel_.sample(input, steps_, bits, permanent);
    }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        if (!channel_.valid(payload)) return false;
        channel_.accumulate(state.data(), payload);
        return true;
    }
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept override {
        return channel_.accumulate_all(state.data(), payloads);
    }
    void merge(MutableBytes state, Bytes other) const noexcept override {
        channel_.merge(state.data(), other.data());
    }
    bool valid_payload(Bytes payload) const noexcept override { return channel_.valid(payload); }
    bool valid_state(const Counts& counts) const noexcept override {
        return channel_.valid(counts.n, counts.state.data());
    }

    std::span<const Quantity> answers() const noexcept override {
        static constexpr Quantity quantities[] = {Quantity::means};
        return quantities;
    }
    // Both targets have the error of the population, which is conservative for the sample.
    std::vector<Estimate> estimate(const Counts& counts, const Question&) const override {
        std::vector<Estimate> estimates;
        const std::vector<double> means = channel_.means(counts.n, counts.state.data());
        for (std::size_t j = 0; j < means.size(); ++j)
            estimates.push_back({ranges_[j].middle() + ranges_[j].half() * means[j],
                                 ranges_[j].half() * error(counts.n, 1, 1, means[j])});
        return estimates;
    }
    Estimate group_mean(const Counts& counts, std::size_t first, std::size_t last, Target) const override {
        const std::vector<double> means = channel_.means(counts.n, counts.state.data());
        const auto size = static_cast<double>(last - first + 1);
        const double unit = widest_half(std::span(ranges_).subspan(first, last - first + 1));
        double middle = 0, mean = 0, reach = 0, squares = 0;
        for (std::size_t j = first; j <= last; ++j) {
            const double weight = ranges_[j].half() / unit / size;
            middle += ranges_[j].middle() / size;
            mean += weight * means[j];
            reach += weight;
            squares += square(weight);
        }
        return {middle + unit * mean, unit * error(counts.n, reach, squares, mean)};
    }
    std::vector<Check> health(const Counts& counts) const override {
        return channel_.health(counts.n, counts.state.data());
    }

    std::vector<Contribution> contributions(const Question& question) const override {
        const Range& range = ranges_[question.attribute == only_attribute ? 0 : question.attribute];
        const double reach = channel_.magnitude() * range.half();
        return {{1, {range.middle() - reach, range.middle() + reach}, {range.min, range.max}}};
    }
    double max_probability(Bytes) const override { return channel_.max_probability(); }

    double n_variance(double truth) const override { return square(channel_.magnitude()) - square(truth); }
    // About ten bit planes, 32 bytes per step.
    Cost cost() const noexcept override {
        const auto d = static_cast<double>(ranges_.size());
        return {5 + 10 * d / 256, 41 * d};
    }
    Exact probability(Input input, Bytes, Bytes permanent) const override {
        std::vector<Exact> plus;
        for (const Cell cell : input) plus.push_back(exact(cell, steps_));
        return channel_.probability(plus, permanent);
    }
    // For every sign vector, some values lie exactly at it and others opposite.
    Exact worst_ratio() const override { return channel_.worst_ratio(); }
    ChannelLaw channel_law() const override { return channel_.channel_law(); }

  private:
    /// Returns the standard error of a·(B·t) with |a|₁ = reach and |a|² = squares. The estimate of a·μ is
    /// clipped to its possible values.
    [[nodiscard]] double error(std::uint64_t n, double reach, double squares, double mean) const noexcept {
        const double inside = std::min(std::abs(mean), reach);
        return std::sqrt((square(channel_.magnitude()) * squares - square(inside)) / static_cast<double>(n));
    }

    SignVectorChannel channel_;
    std::uint64_t steps_;
    std::vector<Range> ranges_;
};

void write(const Settings& settings, Writer& writer) {
    writer.put(static_cast<std::uint32_t>(settings.attributes().size()));
    writer.put(static_cast<std::uint32_t>(settings.number("grid")));
    write_ranges(writer, settings.attributes());
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t d = take_number(reader, "number of attributes", 2, max_attributes);
    const std::uint64_t steps = take_number(reader, "number of grid steps", grid_option.least, max_grid);
    std::vector<Range> ranges = read_ranges(reader, d);
    reader.finish();
    return std::make_unique<DuchiVector>(header, block, steps, std::move(ranges));
}

}  // namespace

const MechanismEntry entry(19, "duchi_vector", "a vector as a sign vector",
                           "a yes or no for each of your numbers, all drawn by chance together; "
                           "for a large number yes comes a little more often",
                           Shape::numeric_vector, max_attributes, write, load,
                           {.options = {&grid_option, 1}});

}  // namespace ldp::duchi_vector
