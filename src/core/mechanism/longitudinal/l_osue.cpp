// Optimised unary encoding with a second symmetric flip (L-OSUE of Arcolezi, Couchot, Al Bouna, Xiao 2022).
// The true value's bit is a fair coin and remains one after any flip. Every other bit of the permanent
// response is 1 with probability 1/(a+1), a = exp(ε∞). When it is sent, it is 1 with probability 1/(c+1), c =
// exp(ε₁).

#include "core/base/exact.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/mechanism/entries.hpp"
#include "core/mechanism/frequency/second_layer.hpp"
#include "core/mechanism/frequency/unary.hpp"

namespace ldp::l_osue {

namespace {

class LongitudinalOsue final : public UnaryChain {
  public:
    LongitudinalOsue(const Header& header, Bytes block, std::uint64_t k, double report_epsilon)
        : UnaryChain(header, block, k, report_epsilon, Coin(1, 1), Coin(rare_heads(header.epsilon)),
                     Coin(rare_heads(report_epsilon))) {}

    std::optional<ContrastMoments> contrasts() const noexcept override { return of_bits(protocol()); }
    std::optional<ContrastMoments> memoized_contrasts() const noexcept override {
        return of_bits(memoized_protocol());
    }

    // As in oue, the fair coins cancel and one of the two differing bits remains, in either layer.
    Exact worst_ratio() const override { return false_one().complement() / false_one(); }
    Exact first_report_ratio() const override { return sent_false_one().complement() / sent_false_one(); }
};

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    return UnaryChain::read<LongitudinalOsue>(header, block);
}

}  // namespace

const MechanismEntry entry{
    24,
    "l_osue",
    "optimised unary encoding in two layers",
    "a yes or no for every value of the list, each drawn by chance, and drawn by chance again each time",
    Shape::one_categorical,
    Unary::max_domain,
    false,
    UnaryChain::options,
    write_layers,
    load,
    settle_report_epsilon};

}  // namespace ldp::l_osue
