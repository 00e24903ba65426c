// What several unit tests need: specs in a line, golden constants, all inputs and payloads of a small
// mechanism.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../support/seeded_words.hpp"
#include "core/choice/resolve.hpp"
#include "core/math/bit_counters.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/summary/summary.hpp"

namespace ldp::test {

inline std::unique_ptr<const Mechanism> mechanism(const std::string& json) {
    return make_mechanism(resolve(json));
}

/// A number as JSON reads it back.
std::string text(double number);

/// {"mechanism": name, "epsilon": ε, rest}
inline std::unique_ptr<const Mechanism> mechanism(const std::string& name, double epsilon,
                                                  const std::string& rest) {
    return mechanism("{\"mechanism\": \"" + name + "\", \"epsilon\": " + text(epsilon) + ", " + rest + "}");
}

/// "attributes" of `d` numbers on [−1,1].
std::string unit_attributes(std::size_t d);

/// A constant of test/data/golden.csv; fails the test if it is missing. `parameters` as written there.
double golden(const std::string& candidate, const std::string& parameters, const std::string& quantity);

/// Every input of a small mechanism.
void for_each_input(const Mechanism& mechanism, const std::function<void(Input)>& visit);
/// Every permanent response of at most three bytes whose payload, under this public randomness, the mechanism
/// would count. The payload must follow from the two without a second draw, or be of the same form as a
/// permanent response, after the public randomness.
void for_each_permanent(const Mechanism& mechanism, Bytes public_randomness,
                        const std::function<void(Bytes)>& visit);

/// Whether an action meets an Error (malformed).
bool malformed(const std::function<void()>& action);

/// Has fast paths left out while it lives.
struct Portable {
    Portable() { use_portable_paths(true); }
    ~Portable() { use_portable_paths(false); }
    Portable(const Portable&) = delete;
    Portable& operator=(const Portable&) = delete;
};

/// A summary that owns its bytes.
class OwnedSummary {
  public:
    explicit OwnedSummary(const Mechanism& mechanism)
        : mechanism_(mechanism), bytes_(summary_size(mechanism)) {
        start_summary(mechanism, bytes_);
    }
    void add(Bytes report, const Rounds& rounds = Rounds::unrecorded()) {
        need(accumulate(mechanism_, bytes_, report, rounds));
    }
    /// Adds a one-time report of these cells.
    void draw(Input input, BitSource& bits) {
        if (!perturber_) perturber_.emplace(mechanism_);
        add(perturber_->perturb(input, bits));
    }
    void draw(Cell cell, BitSource& bits) { draw({&cell, 1}, bits); }
    void merge(Bytes other) { need(ldp::merge(mechanism_, bytes_, other)); }
    [[nodiscard]] std::vector<Estimate> estimate(Quantity quantity, Target target = Target::sample,
                                                 std::size_t attribute = only_attribute) const {
        return ldp::estimate(view(), {quantity, target, attribute});
    }
    [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }
    [[nodiscard]] SummaryView view() const { return view_of(mechanism_, bytes_); }
    [[nodiscard]] Bytes state() const { return view().state; }
    /// The least p-value of its health checks.
    [[nodiscard]] double health() const {
        double least = 1;
        for (const Check& check : ldp::health(view())) least = std::min(least, check.p_value);
        return least;
    }

  private:
    // Not an assertion of the test library, which would cost more than what it checks.
    static void need(Outcome outcome) {
        if (outcome != Outcome::ok) throw std::logic_error("a summary refused what it should take");
    }

    const Mechanism& mechanism_;
    std::vector<std::byte> bytes_;
    std::optional<Perturber> perturber_;
};

}  // namespace ldp::test
