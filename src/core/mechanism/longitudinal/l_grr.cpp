// Two layers of generalized randomized response (Arcolezi, Couchot, Al Bouna, Xiao 2022): the output of the
// first one is memoized for its value and passes the second one each time it is sent. With a = exp(ε∞) and c
// = exp(ε₁), the odds of the second one are (ac + (k−2)c − (k−1)) / (a − c).
//
// parameters: k (4 bytes), ε₁ (8) · permanent response, payload: a value · state: reports per value

#include "core/mechanism/frequency/grr.hpp"
#include "core/mechanism/frequency/second_layer.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::l_grr {

namespace {

class LongitudinalGrr final : public Grr {
  public:
    LongitudinalGrr(const Header& header, Bytes block, std::uint64_t k, double report_epsilon)
        : Grr(header, block, k),
          report_epsilon_(report_epsilon),
          sent_(k, second_odds(channel().worst_ratio(), k, report_epsilon)),
          chain_(channel(), sent_) {}

    std::vector<std::pair<std::string, double>> parameters() const override {
        auto all = Grr::parameters();
        all.emplace_back("report_epsilon", report_epsilon_);
        all.emplace_back("second_epsilon", sent_.epsilon());
        all.emplace_back("possible_responses", static_cast<double>(most_keys()));
        return all;
    }
    void instantaneous_response(Bytes, Bytes permanent, BitSource& bits,
                                MutableBytes payload) const override {
        store_output(payload, sent_.sample(load_output(permanent), bits));
    }

    PureProtocol protocol() const noexcept override { return {chain_.p(), chain_.q()}; }
    double max_probability(Bytes) const override { return chain_.p(); }

    double report_epsilon() const noexcept override { return report_epsilon_; }
    Exact instantaneous_probability(Bytes, Bytes permanent, Bytes payload) const override {
        return exact(sent_.weight(load_output(permanent), load_output(payload)), sent_.total());
    }
    // Both layers are symmetric, hence the chain is symmetric.
    Exact first_report_ratio() const override { return exact(chain_.right, chain_.wrong); }
    ChannelLaw channel_law() const override {
        return with_second(Grr::channel_law(), sent_.worst_ratio(), sent_.outputs());
    }

  private:
    double report_epsilon_;
    SymmetricChannel sent_;
    SymmetricChain chain_;
};

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t k = take_domain(reader, Grr::max_domain);
    const double report_epsilon = take_report_epsilon(reader, header);
    reader.finish();
    return std::make_unique<LongitudinalGrr>(header, block, k, report_epsilon);
}

constexpr Option options[] = {report_epsilon_option};

}  // namespace

const MechanismEntry entry(22, "l_grr", "generalized randomized response in two layers",
                           "your own answer or, by chance, another one. Each time, chance may "
                           "change it once more",
                           Shape::one_categorical, Grr::max_domain, write_layers, load,
                           {.options = options, .settle = settle_report_epsilon});

}  // namespace ldp::l_grr
