// The mean of one number through the window response: all of piecewise and pdp but the window's width, and of
// square_wave what does not depend on how its state counts.
//
// parameters: grid steps, window width (4 bytes each), min, max · payload: a cell · state: a WindowTally
#pragma once

#include "../mechanism.hpp"
#include "window_tally.hpp"

namespace ldp {

class WindowMean : public Mechanism {
  public:
    WindowMean(const Header& header, Bytes block, const WindowChannel& channel, const Range& range)
        : Mechanism(header, block), channel_(channel), range_(range), width_(cell_width(channel.outputs())) {}

    std::vector<std::uint64_t> cells() const override { return {channel_.inputs()}; }
    std::size_t payload_size() const noexcept override { return width_; }
    std::size_t state_size() const noexcept override { return WindowTally::size; }
    std::vector<std::pair<std::string, double>> parameters() const override;
    void randomise(Input input, Bytes enrolment, BitSource& bits, MutableBytes memo) const override;
    bool accumulate(MutableBytes state, Bytes payload) const noexcept override;
    void merge(MutableBytes state, Bytes other) const noexcept override;
    bool valid_payload(Bytes payload) const noexcept override;
    bool valid_state(std::uint64_t n, Bytes state) const noexcept override;
    std::span<const Quantity> answers() const noexcept override;
    std::vector<Estimate> estimate(std::uint64_t n, Bytes state, const Question& question) const override;
    std::vector<Check> health(std::uint64_t n, Bytes state) const override;
    double n_variance(double truth) const override;
    Cost cost() const noexcept override { return {2, 10}; }
    Exact probability(Input input, Bytes enrolment, Bytes memo) const override;
    Exact worst_ratio() const override;

    /// Writes the parameters of a spec with one numeric attribute for a window of this width.
    static void write(const Spec& spec, std::uint64_t width, Writer& writer);
    static std::unique_ptr<const Mechanism> load(const Header& header, Bytes block);

  protected:
    [[nodiscard]] const WindowChannel& channel() const noexcept { return channel_; }
    [[nodiscard]] const Range& range() const noexcept { return range_; }

  private:
    /// What the state tells of the mean.
    [[nodiscard]] virtual WindowChannel::Sums sums(std::uint64_t n, Bytes state) const noexcept {
        return WindowTally::sums(n, state.data());
    }

    WindowChannel channel_;
    Range range_;
    std::size_t width_;
};

/// The grid's size, as a spec may give it.
inline constexpr Option grid_option{.name = "grid", .fallback = 32768, .least = 2, .most = max_grid};

/// Window widths, in grid steps, of the two members of the family that the literature names.
[[nodiscard]] std::uint64_t piecewise_width(double epsilon, std::uint64_t steps);
[[nodiscard]] std::uint64_t pdp_width(double epsilon, std::uint64_t steps);

}  // namespace ldp
