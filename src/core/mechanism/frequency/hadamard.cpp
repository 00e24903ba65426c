// Hadamard response (Acharya, Sun, Zhang 2019): value v owns row v+1 of the Hadamard matrix of order K, the
// least power of two above k; the columns where the row has +1 are likely outputs.
//
// parameters: k (4 bytes)

#include "core/math/walsh_hadamard.hpp"

#include <algorithm>
#include <bit>

#include "core/base/interrupt.hpp"
#include "core/mechanism/entries.hpp"
#include "core/mechanism/frequency/incidence.hpp"

namespace ldp {

namespace {

constexpr std::uint64_t max_domain = std::uint64_t{1} << 24;

class Hadamard final : public Incidence {
  public:
    Hadamard(const Header& header, Bytes block, std::uint64_t k)
        : Incidence(header, block, k, design(std::bit_ceil(k + 1))) {}

    std::vector<std::pair<std::string, double>> parameters() const override {
        auto all = Incidence::parameters();
        all.emplace_back("outputs", static_cast<double>(outputs()));
        return all;
    }
    // An addition a number in each of log K rounds, some four of them a step.
    Cost cost() const noexcept override {
        return {1, static_cast<double>(outputs() * std::bit_width(outputs())) / 4};
    }

  private:
    static Design design(std::uint64_t order) { return {order, order / 2, order / 4}; }

    // Flipping a bit that the row has turns each output of one side into one of the other: both outputs of
    // such a pair lead to the same one, so that none is favoured.
    std::uint64_t draw(std::uint64_t value, bool inside, BitSource& bits) const override {
        const std::uint64_t row = value + 1;
        const std::uint64_t output = bits.fair(static_cast<unsigned>(std::countr_zero(outputs())));
        return owns(value, output) == inside ? output : output ^ (row & -row);
    }

    bool owns(std::uint64_t value, std::uint64_t output) const noexcept override {
        return std::popcount((value + 1) & output) % 2 == 0;
    }

    // A row's product with the counts is the number of reports on +1 less those on −1; row 0 gives the sum of
    // both. It belongs to nobody and tells nothing else.
    std::vector<std::uint64_t> tally(Bytes state) const override {
        std::vector<std::uint64_t> sums = counters(state);
        walsh_hadamard(sums);
        const std::uint64_t n = sums[0];
        for_each_index(sums.size() - 1, [&](std::size_t v) { sums[v] = (n + sums[v + 1]) / 2; });
        sums.pop_back();
        return sums;
    }

    // Column 0 has +1 only, so that it is everybody's.
    std::vector<Check> own_checks(const Counts& counts) const override {
        std::vector<Check> checks = Incidence::own_checks(counts);
        const std::uint64_t zeros = counter(counts.state, 0);
        const double tail = std::min(binomial_at_most(counts.n, likely(), zeros),
                                     binomial_at_least(counts.n, likely(), zeros));
        checks.push_back({"share of output 0", static_cast<double>(zeros) / static_cast<double>(counts.n),
                          likely(), std::min(1.0, 2 * tail)});
        return checks;
    }
};

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t k = read_domain(reader, max_domain);
    return std::make_unique<Hadamard>(header, block, k);
}

}  // namespace

const MechanismEntry hadamard_entry{
    10, "hadamard", "Hadamard response", Shape::one_categorical, max_domain, true, {}, write_domain, load};

}  // namespace ldp
