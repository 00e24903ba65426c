// What every mechanism is: a way to randomise on the device, a state to count in, and an inverse.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/cell.hpp"
#include "core/base/random.hpp"
#include "core/format/header.hpp"
#include "core/format/report_frame.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/estimate.hpp"

namespace ldp {

struct Draft;  // spec.hpp
struct Exact;  // exact.hpp
class Mechanism;
class Spec;

/// How values are picked among many candidates whose reports overlap.
enum class Selection {
    nnls,   ///< non-negative least squares
    lasso,  ///< least squares with a penalty on the sum of the shares
};

/// A value that was picked.
struct Picked {
    std::size_t value;
    Estimate estimate;
    double p_value;  ///< of this value alone, one-sided
};

/// Reports that one mechanism counts: those of a summary, or the ones in it that are about one attribute.
struct Part {
    const Mechanism* mechanism;
    std::uint64_t n;
    Bytes state;
};

/// What a server spends, in elementary steps (each of about a nanosecond): for choosing a mechanism.
struct Cost {
    double per_report;  ///< to count a report
    double per_answer;  ///< to answer once, however many reports there are
};

/// A mechanism under one spec; immutable, built from a parameter block alone, so that client, server and
/// proof share one object and p and q cannot drift apart.
///
/// Three lifetimes of randomness, so that one-time and longitudinal protocols have one shape:
///   enrolment  once per user, public: a hash seed, a cohort, a set of buckets
///   memo       once per value, secret: what the randomiser drew; this is what costs ε
///   payload    once per report: what is sent; the memo itself, unless a second layer stands in between
class Mechanism {
  public:
    Mechanism(const Mechanism&) = delete;
    Mechanism& operator=(const Mechanism&) = delete;
    virtual ~Mechanism() = default;

    [[nodiscard]] Bytes block() const noexcept { return block_; }
    [[nodiscard]] const Header& header() const noexcept { return header_; }
    [[nodiscard]] double epsilon() const noexcept { return header_.epsilon; }

    // Shape ------------------------------------------------------------------------------------------------
    /// Cells of each attribute: an input's j-th cell number lies below cells()[j].
    [[nodiscard]] virtual std::vector<std::uint64_t> cells() const = 0;
    /// Bytes of every payload and of every state. Neither depends on a value or on the number of reports.
    [[nodiscard]] virtual std::size_t payload_size() const noexcept = 0;
    [[nodiscard]] virtual std::size_t state_size() const noexcept = 0;
    [[nodiscard]] virtual std::size_t enrolment_size() const noexcept { return 0; }
    [[nodiscard]] virtual std::size_t memo_size() const noexcept { return payload_size(); }
    /// Parameters by name, given and derived, for people to read.
    [[nodiscard]] virtual std::vector<std::pair<std::string, double>> parameters() const = 0;

    // Client -----------------------------------------------------------------------------------------------
    /// Draws what a user keeps for ever.
    virtual void enrol(BitSource&, MutableBytes /*enrolment*/) const {}
    /// Randomises an input of the right shape. The only step that touches the truth, and the one that costs
    /// ε.
    virtual void randomise(Input input, Bytes enrolment, BitSource& bits, MutableBytes memo) const = 0;
    /// Makes a payload from what was drawn.
    virtual void respond(Bytes enrolment, Bytes memo, BitSource& bits, MutableBytes payload) const;
    /// What a memo is of: all that the randomiser sees of an input, beside the enrolment. Inputs with equal
    /// keys share a memo, and a user who keeps memos pays ε once for each key.
    [[nodiscard]] virtual std::vector<Cell> memo_key(Input input, Bytes enrolment) const;
    /// How many of the numbers that an input leads to lie outside the ranges that the spec gives them, beside
    /// the attributes themselves, and are moved to their ends.
    [[nodiscard]] virtual std::size_t clamped(Input) const { return 0; }
    /// How far apart two entries of a user's keys can be at most, for each entry; 0 where they are equal or
    /// different and nothing in between.
    [[nodiscard]] virtual std::vector<double> key_spans(Bytes enrolment) const;
    /// All three in a row: a one-time report. Throws Error (invalid_value) if the input has the wrong shape.
    [[nodiscard]] Report perturb(Input input, BitSource& bits) const;

    // Server -----------------------------------------------------------------------------------------------
    /// Counts one payload of the right size. False, and no change, if no randomiser could have made it.
    [[nodiscard]] virtual bool accumulate(MutableBytes state, Bytes payload) const noexcept = 0;
    /// Adds another state of the same block. Counters cannot overflow while counts stay below max_count.
    virtual void merge(MutableBytes state, Bytes other) const noexcept = 0;
    /// Whether accumulate would take this payload.
    [[nodiscard]] virtual bool valid_payload(Bytes payload) const noexcept = 0;
    /// Whether n reports could have led to this state: what a forged summary must pass.
    [[nodiscard]] virtual bool valid_state(std::uint64_t n, Bytes state) const noexcept = 0;
    /// Which questions the state answers, the most natural first.
    [[nodiscard]] virtual std::span<const Quantity> answers() const noexcept = 0;
    /// One estimate per item. n ≥ 1; the quantity is one of answers().
    [[nodiscard]] virtual std::vector<Estimate> estimate(std::uint64_t n, Bytes state,
                                                         const Question& question) const = 0;

    /// The reports about one attribute, under the mechanism that randomised it: what a frequency of that
    /// attribute follows from. All of them, unless attributes are reported apart; n may then be 0. Throws
    /// Error (invalid_value) if there is no such attribute.
    [[nodiscard]] virtual Part part(std::uint64_t n, Bytes state, std::size_t attribute) const;
    /// The mean of all values of the attributes first..last, each in its own units; n ≥ 1 and both are below
    /// cells().size(). Throws Error (unsupported) where there are no means, or but one.
    [[nodiscard]] virtual Estimate group_mean(std::uint64_t n, Bytes state, std::size_t first,
                                              std::size_t last, Target target) const;
    /// The chance that an item which nobody holds is estimated at least as large; one-sided, for one item.
    /// Of a record, one asks the part() that is about the attribute. Throws Error (unsupported) where items
    /// are not held by people.
    [[nodiscard]] virtual double p_value(std::uint64_t n, const Estimate& estimate) const;
    /// The values that the reports speak for, by ascending number, where there may be too many for each to
    /// have an estimate. n ≥ 1. Throws Error (unsupported) where each has.
    [[nodiscard]] virtual std::vector<Picked> pick(std::uint64_t n, Bytes state, Selection selection) const;
    /// Statistics that honest reports must follow whatever people's values are. n ≥ 1.
    [[nodiscard]] virtual std::vector<Check> health(std::uint64_t n, Bytes state) const = 0;

    // Planning and proof -----------------------------------------------------------------------------------
    /// n·Var (sample target) of one item of the natural answer when each item's true value is `truth`: a
    /// frequency, or a mean on [−1,1]. Exact; where items differ, the largest.
    [[nodiscard]] virtual double n_variance(double truth) const = 0;
    /// n·Var that an attribute may be promised before anything is known of it: of its mean on [−1,1] where it
    /// is largest; of a frequency averaged over the values, which hardly depends on the data, or a bound of
    /// it.
    [[nodiscard]] virtual double promised_variance(std::size_t attribute) const;
    /// n·Cov (sample target) of one item's estimates in two rounds, to which the same n users report the same
    /// values from the memos they kept; otherwise as n_variance. All of the noise is common unless a second
    /// layer renews a part of it. A user whose memo key has changed adds no covariance, except through the
    /// enrolment that both keys share; where only m users report both times and keep their values, the
    /// covariance is m/(nₐ·n_b) times this.
    [[nodiscard]] virtual double n_covariance(double truth) const { return n_variance(truth); }
    [[nodiscard]] virtual Cost cost() const noexcept = 0;
    /// The exact probability that an input gives a memo under an enrolment.
    [[nodiscard]] virtual Exact probability(Input input, Bytes enrolment, Bytes memo) const = 0;
    /// The exact worst likelihood ratio over all inputs and memos, or a bound of it, by the symmetry argued
    /// where it is implemented. The promise is worst_ratio() ≤ exp(epsilon()).
    [[nodiscard]] virtual Exact worst_ratio() const = 0;

    // Values that change -----------------------------------------------------------------------------------
    // However often a memo is sent, it costs epsilon() once: what a user gives away over all time is
    // epsilon() times the number of keys that had a memo drawn.
    /// The most keys that one user can ever have, whatever their values; 2^64 − 1 if there are more.
    [[nodiscard]] virtual std::uint64_t most_keys() const noexcept;
    /// What one report tells by itself: less than epsilon() if a second layer stands between it and the memo.
    [[nodiscard]] virtual double first_epsilon() const noexcept { return epsilon(); }
    /// The exact probability that respond() makes a payload of a memo.
    [[nodiscard]] virtual Exact response_probability(Bytes enrolment, Bytes memo, Bytes payload) const;
    /// As worst_ratio(), of one report: over all inputs and payloads, under any enrolment. The promise is
    /// first_report_ratio() ≤ exp(first_epsilon()).
    [[nodiscard]] virtual Exact first_report_ratio() const;

  protected:
    /// `block` begins the report or summary that the header was read from.
    Mechanism(const Header& header, Bytes block) : header_(header), block_(block.begin(), block.end()) {}

  private:
    Header header_;
    std::vector<std::byte> block_;
};

/// Throws Error (invalid_value) unless the attribute is one of so many.
void check_attribute(std::size_t attribute, std::size_t attributes);

// Registry -------------------------------------------------------------------------------------------------

/// Which attributes a mechanism takes.
enum class Shape {
    one_categorical,
    one_numeric,
    one_ordered,  ///< a number, or a category whose values are in order
    numeric_vector,
    record,  ///< two or more of any kind
};

/// A key of the spec that only some mechanisms know.
struct Option {
    const char* name;
    std::uint64_t fallback = 0, least = 0, most = 0;  ///< of a whole number
    std::span<const char* const> choices = {};        ///< of a word; the first is the default
    bool ranges = false;  ///< of one range within [−1,1] for each attribute; [−1,1] is the default
    /// Whether there were specs before it: its default is not written, so that they keep their fingerprint.
    bool later = false;
    bool real = false;        ///< of a number that the mechanism's settle() bounds; 0 is the default
    bool of_numbers = false;  ///< known only where the first attribute is a number
};

struct MechanismEntry {
    std::uint8_t id;  ///< as in a header; never reused
    const char* name;
    const char* title;
    Shape shape;
    std::uint64_t max_size;  ///< most values of one attribute, or most attributes of several
    bool automatic;          ///< whether "auto" may choose it
    std::span<const Option> options;
    /// Writes the parameters of a spec whose shape and options were checked.
    void (*write)(const Spec&, Writer&);
    /// Reads them back from untrusted bytes; Error (malformed) if they are out of range or contradict
    /// each other. Whatever is read keeps its ε.
    std::unique_ptr<const Mechanism> (*load)(const Header&, Bytes block);
    /// Fills in what a spec may leave to its mechanism beyond defaults, so that the canonical form tells it.
    /// Throws Error (invalid_spec).
    void (*settle)(Draft&) = nullptr;
};

/// All mechanisms, by id.
[[nodiscard]] std::span<const MechanismEntry* const> registry() noexcept;
[[nodiscard]] const MechanismEntry* find_mechanism(std::string_view name) noexcept;

/// The mechanism that a block, or a report or summary beginning with one, was made under.
/// Throws Error (malformed).
[[nodiscard]] std::unique_ptr<const Mechanism> load_mechanism(Bytes bytes, Kind kind);
[[nodiscard]] std::unique_ptr<const Mechanism> make_mechanism(const Spec& spec);

}  // namespace ldp
