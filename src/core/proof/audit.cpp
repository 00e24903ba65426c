#include "core/proof/audit.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>

namespace ldp {

namespace {

using Wide = boost::multiprecision::cpp_bin_float_100;

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
            if (p.value > extreme.greatest.value) extreme.likelier = input, extreme.greatest = p;
            if (p.value < extreme.smallest.value) extreme.rarer = input, extreme.smallest = p;
        }
    }
    [[nodiscard]] std::size_t outputs() const noexcept { return found_.size(); }

    /// The worst of `inputs` that were added, if it is worse than `worst`; `cells` tells an input's.
    template <class CellsOf>
    void take(std::uint64_t inputs, Bytes enrolment, const CellsOf& cells, Distinction& worst) {
        for (auto& [output, extreme] : found_) {
            if (extreme.last + 1 != inputs) extreme.miss(inputs - 1);
            const bool worse =
                worst.output.empty() || (worst.bounded() && extreme.greatest.value * worst.least.value >
                                                                worst.most.value * extreme.smallest.value);
            if (worse)
                worst = {cells(extreme.likelier),
                         cells(extreme.rarer),
                         {enrolment.begin(), enrolment.end()},
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

/// An audit in progress; its steps return false when there are too many.
class Enumeration {
  public:
    Enumeration(const Mechanism& mechanism, Audit& found, std::uint64_t steps)
        : m_(mechanism), cells_(mechanism.cells()), found_(found), steps_(steps), left_(steps) {
        Uint128 inputs = 1;
        for (const std::uint64_t each : cells_) inputs = std::min<Uint128>(inputs * each, steps + Uint128{1});
        found_.inputs = static_cast<std::uint64_t>(inputs);
    }

    [[nodiscard]] bool fits() const noexcept { return found_.inputs <= steps_; }
    void finish() { found_.steps = steps_ - left_; }

    /// All enrolments if they are few, else a sample.
    [[nodiscard]] std::vector<std::vector<std::byte>> enrolments(BitSource& bits, const AuditLimits& limits) {
        std::vector<std::vector<std::byte>> all;
        std::uint64_t most = std::max(limits.every, limits.sample);
        const auto enrol = [&](BitSource& source, MutableBytes enrolment) { m_.enrol(source, enrolment); };
        if (const auto law = law_of(m_.enrolment_size(), enrol, most)) {
            found_.every_enrolment = true;
            for (const auto& [enrolment, probability] : *law) all.push_back(enrolment);
        } else {
            all.resize(limits.sample, std::vector<std::byte>(m_.enrolment_size()));
            for (auto& enrolment : all) m_.enrol(bits, enrolment);
        }
        found_.enrolments = all.size();
        return all;
    }

    /// Whatever the user's value is, under this enrolment.
    template <class Advance>
    [[nodiscard]] bool follow(Bytes enrolment, const Advance& advance) {
        Extremes memos, reports;
        std::map<std::vector<std::byte>, Outcomes> responses;
        for (std::uint64_t x = 0; x < found_.inputs; ++x, advance()) {
            const std::vector<Cell> input = cells_of(x);
            const std::uint64_t before = left_;
            const auto law = law_of(
                m_.memo_size(),
                [&](BitSource& bits, MutableBytes memo) { m_.randomise(input, enrolment, bits, memo); },
                left_);
            // Hopeless cases end with their first input.
            if (!law || Uint128{before - left_} * (found_.inputs - x) > before) return false;
            Exact sum = exact(0, 1);
            for (const auto& [memo, p] : *law) {
                const Exact stated = m_.probability(input, enrolment, memo);
                sum = sum + stated;
                if (!(stated == p)) found_.sampler_as_stated = false;
            }
            if (!(sum == exact(1, 1))) found_.sums_to_one = false;
            memos.add(x, *law);
            if (!found_.report) continue;
            Outcomes sent;
            for (const auto& [memo, p] : *law) {
                const auto [response, fresh] = responses.try_emplace(memo);
                if (fresh && !respond(enrolment, memo, response->second)) return false;
                if (left_ < response->second.size()) return false;
                left_ -= response->second.size();
                for (const auto& [payload, q] : response->second) {
                    const auto [known, first] = sent.try_emplace(payload, p * q);
                    if (!first) known->second = known->second + p * q;
                }
            }
            reports.add(x, sent);
        }
        found_.outputs = std::max<std::uint64_t>(found_.outputs, memos.outputs());
        const auto cells = [&](std::uint64_t x) { return cells_of(x); };
        memos.take(found_.inputs, enrolment, cells, found_.memo.worst);
        if (found_.report) reports.take(found_.inputs, enrolment, cells, found_.report->worst);
        return true;
    }

  private:
    [[nodiscard]] std::vector<Cell> cells_of(std::uint64_t x) const {
        std::vector<Cell> input;
        for (const std::uint64_t each : cells_) input.push_back(x % each), x /= each;
        return input;
    }
    [[nodiscard]] bool respond(Bytes enrolment, Bytes memo, Outcomes& into) {
        auto law = law_of(
            m_.payload_size(),
            [&](BitSource& bits, MutableBytes payload) { m_.respond(enrolment, memo, bits, payload); },
            left_);
        if (!law) return false;
        for (const auto& [payload, p] : *law)
            if (!(m_.response_probability(enrolment, memo, payload) == p)) found_.sampler_as_stated = false;
        into = std::move(*law);
        return true;
    }

    const Mechanism& m_;
    std::vector<std::uint64_t> cells_;
    Audit& found_;
    std::uint64_t steps_, left_;
};

bool kept_by(const Promise& promise, bool enumerated) {
    if (margin(promise.epsilon, promise.claimed) < 0) return false;
    return !enumerated || (promise.worst.bounded() && margin(promise.epsilon, promise.worst.ratio()) >= 0 &&
                           promise.worst.ratio().value <= promise.claimed.value);
}

}  // namespace

double margin(double epsilon, const Exact& ratio) {
    return static_cast<double>(Wide(epsilon) -
                               log(Wide(numerator(ratio.value)) / Wide(denominator(ratio.value))));
}

bool Audit::kept() const {
    return sums_to_one && sampler_as_stated && kept_by(memo, enumerated) &&
           (!report || kept_by(*report, enumerated));
}

Audit audit(const Mechanism& mechanism, BitSource& bits, const AuditLimits& limits,
            const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    Audit found;
    found.memo = {mechanism.epsilon(), mechanism.worst_ratio(), {}};
    if (mechanism.first_epsilon() < mechanism.epsilon())
        found.report = {mechanism.first_epsilon(), mechanism.first_report_ratio(), {}};
    Enumeration enumeration(mechanism, found, limits.steps);
    if (!enumeration.fits()) return found;
    const auto enrolments = enumeration.enrolments(bits, limits);
    std::uint64_t done = 0;
    const auto advance = [&] {
        if (progress) progress(++done, enrolments.size() * found.inputs);
    };
    for (const auto& enrolment : enrolments)
        if (!enumeration.follow(enrolment, advance)) return found;
    enumeration.finish();
    found.enumerated = true;
    return found;
}

}  // namespace ldp
