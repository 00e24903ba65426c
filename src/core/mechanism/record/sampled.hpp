// A record of parts. The mechanism is in sampled.cpp (device and counting) and sampled_estimates.cpp
// (estimates, prediction and proof), its settings and parameters in sampled_parameters.cpp.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/mean/numeric_randomizer.hpp"
#include "core/mechanism/role/error_law.hpp"

namespace ldp {

/// Consecutive parts of a record that are equal: the same mechanism with the same weight.
struct PartRun {
    std::uint64_t length = 0;  ///< the number of parts
    std::uint64_t weight = 0;  ///< of each part; its probability is proportional to it
    std::size_t kind = 0;      ///< the same number for all runs of equal parts
    std::unique_ptr<const Mechanism> own =
        nullptr;                               ///< the mechanism; null if an earlier run of the kind has it
    const Mechanism* inner = nullptr;          ///< reports a part
    const SeriesRandomizer* series = nullptr;  ///< the mechanism if it is a series, else null
    bool mean = false;                         ///< whether it estimates means, and is no series
    std::size_t width = 0;                     ///< attributes of a part
    std::size_t inputs = 0;           ///< codes of a part in an input; a series has one for each round
    std::size_t first = 0;            ///< the first part
    std::size_t first_attribute = 0;  ///< the first attribute of the first part
    std::size_t first_input = 0;      ///< the first code of the first part in an input
    std::uint64_t begin = 0;          ///< the start of the first part's segment of the line
    std::size_t state = 0;            ///< the offset of the first part's state
    std::size_t slot = 0;             ///< slot_size(), which every report needs
    std::size_t answer = 0;           ///< the mechanism's payload_size(), which every report needs

    /// Bytes of a part's state: the number of its reports, then the state of its mechanism.
    [[nodiscard]] std::size_t slot_size() const noexcept { return counter_size + inner->state_size(); }
};

/// A record of numbers, categories, vectors and joint tables. Every report is about s of these parts, and
/// each part is reported by its own mechanism at ε/s (Nguyên et al. 2016; Wang, Xiao et al. 2019).
///
/// The parts are drawn by systematic sampling (Madow 1949), independently of the values: every part has a
/// segment of a line, as long as its weight and at most T. The segments add up to s·T. For u uniform below T,
/// the parts that contain u, u+T, …, u+(s−1)T are reported: s different parts, part j with probability
/// weight_j/T exactly.
///
/// A part may be a series (longitudinal/series.hpp), if every report is about one part. A person who draws
/// it sends the responses of the series when they are due, and no other reports. The other people report in
/// every round. The number of reports about a part is then not proportional to the number of its people.
class SampledRecord final : public Mechanism, public Record, public GroupMean, public SeriesParts {
  public:
    /// Creates the mechanism with `s` parts per report. The segments of the runs add up to a line of s turns.
    SampledRecord(const Header& header, Bytes block, std::uint64_t s, std::vector<PartRun> runs);

    std::vector<std::uint64_t> cells() const override;
    std::vector<std::uint64_t> input_cells() const override;
    std::size_t public_size() const noexcept override { return s_ * public_; }
    std::size_t permanent_size() const noexcept override { return s_ * permanent_; }
    std::size_t payload_size() const noexcept override { return s_ * payload_; }
    std::size_t state_size() const noexcept override { return state_size_; }
    std::vector<std::pair<std::string, double>> parameters() const override;

    void draw_public(BitSource& bits, MutableBytes public_randomness) const override;
    bool valid_public(Bytes public_randomness) const noexcept override;
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const override;
    void instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource& bits,
                                MutableBytes payload) const override;
    /// The keys of the parts that are reported: a change in another part costs nothing.
    std::vector<Cell> response_key(Input input, Bytes public_randomness) const override;
    std::vector<double> key_spans(Bytes public_randomness) const override;
    bool valid_permanent(Bytes public_randomness, Bytes permanent) const override;
    double report_epsilon() const noexcept override;

    const SeriesParts* series_parts() const noexcept override { return rounds_ > 0 ? this : nullptr; }
    std::uint32_t rounds() const noexcept override { return rounds_; }
    bool only_series() const noexcept override;
    std::optional<std::size_t> series_attribute(Bytes public_randomness) const override;
    bool advance(SeriesState& series_state, Cell value, Bytes public_randomness, BitSource& bits,
                 MutableBytes payload) const override;
    bool possible(const SeriesState& series_state, Bytes public_randomness) const override;
    std::vector<Cell> constant_input(Input record) const override;

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override;
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept override;
    void merge(MutableBytes state, Bytes other) const noexcept override;
    void append_own_sums(std::size_t at, std::vector<OwnSum>& parts) const override;
    bool valid_payload(Bytes payload) const noexcept override;
    bool valid_state(const Counts& counts) const noexcept override;

    std::span<const Quantity> answers() const noexcept override { return answers_; }
    std::size_t attributes() const noexcept override { return attributes_; }
    RecordPart part_of(std::size_t attribute) const override;
    SummaryView part(const Counts& counts, std::size_t attribute) const override;
    std::uint64_t per_report() const noexcept override { return s_; }
    std::size_t counted_parts() const noexcept override { return parts_; }
    void count_parts(Bytes payload, MutableBytes counters) const noexcept override;
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override;
    Estimate group_mean(const Counts& counts, std::size_t first, std::size_t last,
                        Target target) const override;
    ErrorLaw group_law(const Counts& counts, std::size_t first, std::size_t last,
                       Target target) const override;
    std::vector<Check> health(const Counts& counts) const override;

    std::vector<Contribution> contributions(const Question& question) const override;
    std::vector<std::vector<Contribution>> promised_contributions(std::size_t attribute) const override;
    double max_probability(Bytes payload) const override;

    double n_variance(double truth) const override;
    double n_variance_of(std::size_t attribute, std::size_t item,
                         std::span<const double> shares) const override;
    double expected_variance(std::size_t attribute) const override;
    Cost cost() const noexcept override;
    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const override;
    Exact worst_ratio() const override;
    ChannelLaw channel_law() const override;
    Exact instantaneous_probability(Bytes public_randomness, Bytes permanent, Bytes payload) const override;
    Exact first_report_ratio() const override;
    std::optional<Exact> shown_probability(Input input, Bytes payload) const override;

  private:
    /// A part by its run and its number in the run.
    struct Place {
        const PartRun* run;
        std::size_t number;

        [[nodiscard]] std::size_t attribute() const noexcept {
            return run->first_attribute + number * run->width;
        }
        [[nodiscard]] std::size_t input() const noexcept { return run->first_input + number * run->inputs; }
        [[nodiscard]] std::size_t state() const noexcept { return run->state + number * run->slot; }
    };
    [[nodiscard]] Place part_numbered(std::size_t part) const noexcept {
        const PartRun& run = runs_[run_numbers_[part]];
        return {&run, part - run.first};
    }
    [[nodiscard]] Place place_of(std::size_t attribute) const noexcept;
    [[nodiscard]] double chance(const PartRun& run) const noexcept {
        return static_cast<double>(run.weight) / static_cast<double>(turn_);
    }
    /// Returns the expected number of reports of a person who reports a part, in all rounds.
    [[nodiscard]] double reports_each(const PartRun& run) const;
    /// Returns the share of the reports of all rounds that are about a part. Without series it is chance().
    [[nodiscard]] double report_chance(const PartRun& run) const;
    /// Calls visit(place) for every part.
    template <class Visit>
    void for_each(Visit visit) const {
        for (const PartRun& run : runs_)
            for (std::size_t i = 0; i < run.length; ++i) visit(Place{&run, i});
    }
    [[nodiscard]] SummaryView counted(const Counts& counts, const Place& place) const noexcept;

    /// The i-th of the parts of a report, each of this width.
    [[nodiscard]] static Bytes nth(Bytes all, std::size_t i, std::size_t width) noexcept {
        return all.subspan(i * width, width);
    }
    [[nodiscard]] static MutableBytes nth(MutableBytes all, std::size_t i, std::size_t width) noexcept {
        return all.subspan(i * width, width);
    }
    [[nodiscard]] std::size_t number_in(Bytes slot) const noexcept { return load_cell(slot.data(), index_); }
    [[nodiscard]] Bytes payload_in(Bytes slot, const PartRun& run) const noexcept {
        return slot.subspan(index_, run.answer);
    }
    /// Calls visit(place, its public randomness, number in the report) for the parts of a report.
    template <class Visit>
    void for_each_drawn(Bytes public_randomness, Visit visit) const {
        for (std::size_t i = 0; i < s_; ++i) {
            const Bytes slot = nth(public_randomness, i, public_);
            const Place place = part_numbered(number_in(slot));
            visit(place, slot.subspan(index_, place.run->inner->public_size()), i);
        }
    }
    /// Returns the number of an attribute within its part, as in a question to the mechanism of the part.
    [[nodiscard]] static std::size_t own(const Place& place, std::size_t attribute) noexcept {
        return place.run->width == 1 ? only_attribute : attribute - place.attribute();
    }
    [[nodiscard]] static Input input_of(Input input, const Place& place) noexcept {
        return input.subspan(place.input(), place.run->inputs);
    }

    /// Whether some u leads to the parts at the start of these slots, sound(mechanism, bytes) holds for the
    /// size(run) bytes that follow in each slot, and the rest of each slot is zero.
    template <class Size, class Sound>
    [[nodiscard]] bool drawn_together(Bytes all, std::size_t width, Size size, Sound sound) const noexcept;

    /// Returns the estimates of a part from its reports, with errors for all n people who reported or for the
    /// population. The divisor is the number of the part's reports instead of its expectation. This removes
    /// the noise of the draw, and the estimate is unbiased if the part has reports.
    [[nodiscard]] std::vector<Estimate> estimate_part(std::uint64_t n, const SummaryView& part,
                                                      const Question& question) const;
    /// Returns n·Var of a mean if all people have the value `truth`, or of a share that equals `truth`.
    [[nodiscard]] double variance(const PartRun& run, double truth) const;
    /// The worst product of ratio(mechanism) over the sets of parts that are drawn together.
    template <class Ratio>
    [[nodiscard]] Exact worst_product(Ratio ratio) const;
    /// Returns the possible numbers of parts of a report of each kind.
    [[nodiscard]] std::set<std::vector<unsigned>> combinations() const;

    std::uint64_t s_;
    std::vector<PartRun> runs_;
    std::vector<const Mechanism*> kinds_;     // the mechanism of each kind of runs
    std::vector<std::uint16_t> run_numbers_;  // the run of each part
    std::uint64_t turn_ = 0;                  // T
    std::size_t attributes_ = 0, parts_ = 0;
    std::size_t index_ = 0;                                 // bytes of a part's number
    std::size_t public_ = 0, permanent_ = 0, payload_ = 0;  // bytes of each, for one part
    std::size_t state_size_ = 0;
    std::uint32_t rounds_ = 0;
    std::vector<Quantity> answers_;
};

}  // namespace ldp
