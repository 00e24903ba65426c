// Longitudinal local hashing (Arcolezi, Pinzón, Palamidessi, Gambs 2023): each user draws a public function
// that hashes the k values to g buckets, and reports the bucket by two layers of randomized response. The
// output of the first layer is memoized for its bucket. All values of a bucket share a permanent response, so
// that a user has at most g of them, however many values there are.
//
// The second layer is solved for g buckets instead of two. With a = exp(ε∞) and c = exp(ε₁), its odds are (ac
// + (g−2)c − (g−1)) / (a − c), and n·Var is that of local hashing at ε₁. The best g is therefore that of olh.
//
// parameters: k, g (4 bytes each), ε₁ (8) · permanent response: a bucket · the rest as in local hashing

#include <algorithm>
#include <cmath>

#include "core/base/exact.hpp"
#include "core/math/channel_law.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/frequency/local_hashing.hpp"
#include "core/mechanism/frequency/second_layer.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::loloha {

namespace {

class Loloha final : public LocalHashing {
  public:
    Loloha(const Header& header, Bytes block, std::uint64_t k, std::uint64_t buckets, double report_epsilon)
        : LocalHashing(header, block, k, buckets),
          report_epsilon_(report_epsilon),
          sent_(buckets, second_odds(kept().worst_ratio(), buckets, report_epsilon)),
          chain_(kept(), sent_) {}

    std::vector<std::pair<std::string, double>> parameters() const override {
        auto all = LocalHashing::parameters();
        all.emplace_back("report_epsilon", report_epsilon_);
        all.emplace_back("second_epsilon", sent_.epsilon());
        all.emplace_back("possible_responses", static_cast<double>(most_keys()));
        return all;
    }

    void instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource& bits,
                                MutableBytes payload) const override {
        std::ranges::copy(public_randomness, payload.begin());
        set_reported(payload, sent_.sample(memoized_bucket(permanent), bits));
    }
    std::vector<Cell> response_key(Input input, Bytes public_randomness) const override {
        return {bucket(input[0], public_randomness)};
    }

    PureProtocol protocol() const noexcept override {
        return {chain_.p(), 1 / static_cast<double>(kept().outputs())};
    }

    std::uint64_t most_keys() const noexcept override { return std::min(kept().outputs(), domain()); }
    double report_epsilon() const noexcept override { return report_epsilon_; }
    Exact instantaneous_probability(Bytes public_randomness, Bytes permanent, Bytes payload) const override {
        if (!std::ranges::equal(public_randomness, payload.first(public_size()))) return exact(0, 1);
        return exact(sent_.weight(memoized_bucket(permanent), reported(payload)), sent_.total());
    }
    // Attained, as for the permanent response, under a function that separates two values.
    Exact first_report_ratio() const override { return exact(chain_.right, chain_.wrong); }
    ChannelLaw channel_law() const override {
        return with_second(LocalHashing::channel_law(), sent_.worst_ratio(), sent_.outputs());
    }

  private:
    double report_epsilon_;
    SymmetricChannel sent_;
    SymmetricChain chain_;
};

constexpr Option options[] = {
    {.name = "hash_buckets", .fallback = 0, .least = 2, .most = LocalHashing::max_buckets},
    report_epsilon_option};

void settle(SettingsDraft& draft) {
    settle_report_epsilon(draft);
    auto& buckets = std::get<std::uint64_t>(draft.options.at("hash_buckets"));
    if (buckets == 0)
        buckets = LocalHashing::best_buckets(std::get<double>(draft.options.at(report_epsilon_option.name)));
}

void write(const Settings& settings, Writer& writer) {
    LocalHashing::write(settings, settings.number("hash_buckets"), writer);
    writer.put(settings.real(report_epsilon_option.name));
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const auto [k, g] = LocalHashing::take(reader, LocalHashing::max_buckets);
    const double report_epsilon = take_report_epsilon(reader, header);
    reader.finish();
    return std::make_unique<Loloha>(header, block, k, g, report_epsilon);
}

}  // namespace

const MechanismEntry entry(
    25, "loloha", "longitudinal local hashing",
    "one of a few groups of answers. Chance makes the groups. It is the group with your own answer or, by chance, "
    "another one. Each time, chance may change it once more",
    Shape::one_categorical, LocalHashing::max_domain, write, load,
    {.options = options, .settle = settle, .responses = {"hash_buckets", 0}});

}  // namespace ldp::loloha
