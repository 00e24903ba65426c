#include "core/proof/audit.hpp"

#include <cmath>

#include "core/mechanism/role/registry.hpp"
#include "core/mechanism/role/spent_signal.hpp"

namespace ldp {

namespace {

/// The inputs under which each output has its greatest and its least probability; they come in order.
class Extremes {
  public:
    void add(std::uint64_t input, const Outcomes& law) {
        for (const auto& [output, p] : law) {
            const auto [at, fresh] = found_.try_emplace(output, Extreme{input, input, p, p, input});
            Extreme& extreme = at->second;
            if (fresh) {
                if (input > 0) extreme.miss(0);
                continue;
            }
            if (extreme.last + 1 != input) extreme.miss(input - 1);
            extreme.last = input;
            if (p > extreme.greatest) extreme.likelier = input, extreme.greatest = p;
            if (p < extreme.smallest) extreme.rarer = input, extreme.smallest = p;
        }
    }
    [[nodiscard]] std::size_t outputs() const noexcept { return found_.size(); }

    /// Replaces `worst` by the worst distinction of the `inputs` added inputs, if it is worse. `cells`
    /// returns the codes of an input.
    template <class CellsOf>
    void take(std::uint64_t inputs, Bytes public_randomness, const CellsOf& cells, Distinction& worst) {
        for (auto& [output, extreme] : found_) {
            if (extreme.last + 1 != inputs) extreme.miss(inputs - 1);
            const bool worse = worst.output.empty() || (worst.bounded() && extreme.greatest * worst.least >
                                                                               worst.most * extreme.smallest);
            if (worse)
                worst = {cells(extreme.likelier),
                         cells(extreme.rarer),
                         {public_randomness.begin(), public_randomness.end()},
                         output,
                         extreme.greatest,
                         extreme.smallest};
        }
    }

  private:
    struct Extreme {
        std::uint64_t likelier, rarer;
        Exact greatest, smallest;
        std::uint64_t last;  ///< of the inputs so far that can lead to the output

        void miss(std::uint64_t input) { rarer = input, smallest = exact(0, 1); }
    };
    std::map<std::vector<std::byte>, Extreme> found_;
};

/// The laws of all inputs, in numbers that many can be compared in.
class Numbers {
  public:
    void add(const Outcomes& law) {
        std::vector<long double>& probabilities = laws_.emplace_back(places_.size());
        for (const auto& [output, p] : law) {
            const auto [place, first] = places_.try_emplace(output, places_.size());
            if (first) probabilities.push_back(0);
            probabilities[place->second] = static_cast<long double>(p);
        }
    }
    [[nodiscard]] std::size_t inputs() const noexcept { return laws_.size(); }
    /// Σ max(0, p − e^ε·q), p on the one input, q on the other; rounded upwards.
    [[nodiscard]] double beyond(std::size_t one, std::size_t other, double epsilon) const {
        constexpr long double slack = 0x1p-60L;
        const long double factor = std::exp(static_cast<long double>(epsilon)) * (1 - slack);
        const std::vector<long double>&ours = laws_[one], &theirs = laws_[other];
        long double sum = 0;
        for (std::size_t i = 0; i < ours.size(); ++i)
            sum += std::max(0.0L, ours[i] * (1 + slack) - (i < theirs.size() ? factor * theirs[i] : 0));
        return static_cast<double>(sum * (1 + 0x1p-40L));
    }

  private:
    std::map<std::vector<std::byte>, std::size_t> places_;
    std::vector<std::vector<long double>> laws_;  ///< by places; what is behind the end is 0
};

/// An audit in progress; its steps return false when there are too many.
class Enumeration {
  public:
    Enumeration(const PrivacyProof& mechanism, Audit& found, const AuditLimits& limits)
        : m_(mechanism),
          cells_(mechanism.input_cells()),
          found_(found),
          steps_(limits.steps),
          left_(limits.steps),
          keep_laws_(limits.keep_laws) {
        Uint128 inputs = 1;
        for (const std::uint64_t each : cells_)
            inputs = std::min<Uint128>(inputs * each, steps_ + Uint128{1});
        found_.inputs = static_cast<std::uint64_t>(inputs);
    }

    [[nodiscard]] bool fits() const noexcept { return found_.inputs <= steps_; }
    void finish() { found_.steps = steps_ - left_; }

    /// All public randomness if they are few, else a sample.
    [[nodiscard]] std::vector<std::vector<std::byte>> public_randomness(BitSource& bits,
                                                                        const AuditLimits& limits) {
        std::vector<std::vector<std::byte>> all;
        std::uint64_t most = std::max(limits.every, limits.sample);
        const auto enrol = [&](BitSource& source, MutableBytes public_randomness) {
            m_.draw_public(source, public_randomness);
        };
        if (const auto law = law_of(m_.public_size(), enrol, most)) {
            found_.every_public_randomness = true;
            for (const auto& [public_randomness, probability] : *law) all.push_back(public_randomness);
        } else {
            all.resize(limits.sample, std::vector<std::byte>(m_.public_size()));
            for (auto& public_randomness : all) m_.draw_public(bits, public_randomness);
        }
        found_.public_randomness = all.size();
        return all;
    }

    /// Whatever the user's value is, under this public randomness.
    template <class Advance>
    [[nodiscard]] bool follow(Bytes public_randomness, const Advance& advance) {
        Extremes permanents, reports;
        std::map<std::vector<std::byte>, Outcomes> responses;
        Numbers laws;
        EnumeratedLaws* const kept = keep(public_randomness);
        for (std::uint64_t x = 0; x < found_.inputs; ++x, advance()) {
            const std::vector<Cell> input = cells_of(x);
            const std::uint64_t before = left_;
            const auto law = law_of(
                m_.permanent_size(),
                [&](BitSource& bits, MutableBytes permanent) {
                    m_.permanent_response(input, public_randomness, bits, permanent);
                },
                left_);
            // Hopeless cases end with their first input.
            if (!law || Uint128{before - left_} * (found_.inputs - x) > before) return false;
            Exact sum = exact(0, 1);
            for (const auto& [permanent, p] : *law) {
                const Exact stated = m_.probability(input, public_randomness, permanent);
                sum = sum + stated;
                if (!(stated == p)) found_.sampler_as_stated = false;
            }
            if (!(sum == exact(1, 1))) found_.sums_to_one = false;
            permanents.add(x, *law);
            if (found_.approximate) laws.add(*law);
            if (kept != nullptr) kept->permanent.push_back(*law);
            if (!found_.report) continue;
            Outcomes sent;
            for (const auto& [permanent, p] : *law) {
                const auto [response, fresh] = responses.try_emplace(permanent);
                if (fresh && !instantaneous_response(public_randomness, permanent, response->second))
                    return false;
                if (left_ < response->second.size()) return false;
                left_ -= response->second.size();
                for (const auto& [payload, q] : response->second) {
                    const auto [known, first] = sent.try_emplace(payload, p * q);
                    if (!first) known->second = known->second + p * q;
                }
            }
            reports.add(x, sent);
            if (kept != nullptr) kept->report.push_back(std::move(sent));
        }
        found_.outputs = std::max<std::uint64_t>(found_.outputs, permanents.outputs());
        const auto cells = [&](std::uint64_t x) { return cells_of(x); };
        if (found_.approximate) {
            compare(laws, *found_.approximate);
            return true;
        }
        permanents.take(found_.inputs, public_randomness, cells, found_.permanent.worst);
        if (found_.report) reports.take(found_.inputs, public_randomness, cells, found_.report->worst);
        return true;
    }

  private:
    /// Returns a place for the laws under this public randomness; null if they are not kept.
    [[nodiscard]] EnumeratedLaws* keep(Bytes public_randomness) {
        if (!keep_laws_) return nullptr;
        found_.laws.push_back({{public_randomness.begin(), public_randomness.end()}, {}, {}});
        return &found_.laws.back();
    }
    void compare(const Numbers& laws, ApproximatePromise& promise) const {
        for (std::uint64_t x = 0; x < laws.inputs(); ++x)
            for (std::uint64_t y = 0; y < laws.inputs(); ++y)
                if (const double sum = laws.beyond(x, y, promise.epsilon); sum > promise.worst)
                    promise.worst = sum, promise.likelier = cells_of(x), promise.rarer = cells_of(y);
    }
    [[nodiscard]] std::vector<Cell> cells_of(std::uint64_t x) const {
        std::vector<Cell> input;
        for (const std::uint64_t each : cells_) input.push_back(x % each), x /= each;
        return input;
    }
    [[nodiscard]] bool instantaneous_response(Bytes public_randomness, Bytes permanent, Outcomes& into) {
        auto law = law_of(
            m_.payload_size(),
            [&](BitSource& bits, MutableBytes payload) {
                m_.instantaneous_response(public_randomness, permanent, bits, payload);
            },
            left_);
        if (!law) return false;
        for (const auto& [payload, p] : *law)
            if (!(m_.instantaneous_probability(public_randomness, permanent, payload) == p))
                found_.sampler_as_stated = false;
        into = std::move(*law);
        return true;
    }

    const PrivacyProof& m_;
    std::vector<std::uint64_t> cells_;
    Audit& found_;
    std::uint64_t steps_, left_;
    bool keep_laws_;
};

bool kept_by(const Promise& promise, bool enumerated) {
    if (margin(promise.epsilon, promise.claimed) < 0) return false;
    return !enumerated || (promise.worst.bounded() && margin(promise.epsilon, promise.worst.ratio()) >= 0 &&
                           promise.worst.ratio() <= promise.claimed);
}

/// Enumerates the signal of a spent budget, if reports have one.
void audit_signal(const PrivacyProof& mechanism, Audit& found) {
    if (!has_signal(mechanism)) return;
    const SpentSignal signal(*load_mechanism(mechanism.block(), Kind::report));
    const auto enumerated = [&](double epsilon, const Exact& claimed, const auto& draw,
                                const auto& probability, std::vector<Outcomes>& laws) {
        Promise promise{epsilon, claimed, {}};
        Extremes bits;
        for (const bool spent : {false, true}) {
            std::uint64_t left = 16;
            const auto law = law_of(
                1, [&](BitSource& source, MutableBytes sent) { sent[0] = draw(spent, source); }, left);
            for (const auto& [bit, p] : law.value())
                if (!(probability(spent, bit[0] == std::byte{1}) == p)) found.sampler_as_stated = false;
            bits.add(spent ? 1 : 0, *law);
            laws.push_back(*law);
        }
        bits.take(
            2, {}, [](std::uint64_t state) { return std::vector<Cell>{state}; }, promise.worst);
        return promise;
    };
    const auto permanent = [&](bool spent, BitSource& bits) { return signal.draw(spent, bits); };
    found.signal = enumerated(
        signal.epsilon(), signal.worst_ratio(), permanent,
        [&](bool spent, bool bit) { return signal.probability(spent, bit); }, found.signal_laws.permanent);
    if (signal.report_epsilon() == signal.epsilon()) return;
    found.signal_of_report = enumerated(
        signal.report_epsilon(), signal.report_ratio(),
        [&](bool spent, BitSource& bits) { return signal.send(permanent(spent, bits), bits); },
        [&](bool spent, bool bit) { return signal.report_probability(spent, bit); },
        found.signal_laws.report);
}

}  // namespace

bool Audit::kept() const {
    for (const std::optional<Promise>& bit : {signal, signal_of_report})
        if (bit && !kept_by(*bit, true)) return false;
    if (approximate)
        return sums_to_one && sampler_as_stated && approximate->claimed <= approximate->delta &&
               approximate->worst <= approximate->claimed;
    return sums_to_one && sampler_as_stated && kept_by(permanent, enumerated) &&
           (!report || kept_by(*report, enumerated));
}

Audit audit(const PrivacyProof& mechanism, BitSource& bits, const AuditLimits& limits,
            const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    Audit found;
    if (mechanism.delta() != 0)
        found.approximate = {mechanism.epsilon(), mechanism.delta(), mechanism.worst_delta(), {}, {}};
    else
        found.permanent = {mechanism.epsilon(), mechanism.worst_ratio(), {}};
    if (mechanism.report_epsilon() < mechanism.epsilon())
        found.report = {mechanism.report_epsilon(), mechanism.first_report_ratio(), {}};
    audit_signal(mechanism, found);
    Enumeration enumeration(mechanism, found, limits);
    if (!enumeration.fits()) return found;
    const auto draws = enumeration.public_randomness(bits, limits);
    std::uint64_t done = 0;
    const auto advance = [&] {
        if (progress) progress(++done, draws.size() * found.inputs);
    };
    for (const auto& public_randomness : draws)
        if (!enumeration.follow(public_randomness, advance)) {
            found.laws.clear();
            return found;
        }
    enumeration.finish();
    found.enumerated = true;
    return found;
}

}  // namespace ldp
