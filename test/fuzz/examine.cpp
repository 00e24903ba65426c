#include "examine.hpp"

#include <array>
#include <cmath>

#include "allocated.hpp"
#include "choices.hpp"
#include "core/base/error.hpp"
#include "core/format/report_frame.hpp"
#include "core/groups/change.hpp"
#include "core/mechanism/joint/joint.hpp"
#include "core/mechanism/ordered/ordered.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/mechanism/vector/haar_vector.hpp"
#include "core/summary/queries/candidates.hpp"
#include "core/summary/queries/consistency.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/summary/queries/learn.hpp"
#include "core/summary/queries/shrink.hpp"
#include "core/summary/queries/string_queries.hpp"
#include "core/tables/marginal.hpp"

namespace ldp::fuzz {

/// Bound on the memory that loading a mechanism holds at once, for every block. Mechanisms of 4096
/// attributes, each with a tree position and two ranges, take up to 1 MB; views of many attributes up to 2
/// MB.
constexpr std::size_t most_for_a_mechanism = std::size_t{4} << 20;

std::unique_ptr<const Mechanism> loaded(Bytes bytes, Kind kind) {
    std::unique_ptr<const Mechanism> mechanism;
    const LiveMemory memory;
    refused({ErrorCode::malformed, ErrorCode::invalid_spec},
            [&] { mechanism = load_mechanism(bytes, kind); });
    need(memory.most() <= most_for_a_mechanism, "a short block takes much memory");
    return mechanism;
}

namespace {

/// Summaries above this size, and answers above this cost, are left to tests that can wait for them.
constexpr std::size_t largest_summary = std::size_t{1} << 13;
constexpr double dearest_answer = 2e4;

/// Leaves freed memory behind that is not what fresh memory is, and moves what is allocated next.
void disturb_memory(unsigned pattern) {
    std::array<std::vector<unsigned char>, 8> blocks;
    for (std::size_t i = 0; i < blocks.size(); ++i)
        blocks[i].assign(std::size_t{24} << i, static_cast<unsigned char>(pattern + i));
}

/// The same bytes elsewhere, at this distance from an alignment, with nothing behind them.
class Moved {
  public:
    Moved(Bytes bytes, std::size_t offset) : offset_(offset), copy_(offset) {
        copy_.insert(copy_.end(), bytes.begin(), bytes.end());
        copy_.shrink_to_fit();
    }
    [[nodiscard]] MutableBytes bytes() { return MutableBytes(copy_).subspan(offset_); }

  private:
    std::size_t offset_;
    std::vector<std::byte> copy_;
};

/// One in this number of queries runs on a summary that draws its queries.
constexpr std::uint64_t one_question_in = 16;

/// The results of the drawn queries in a form that identifies equal results: numbers bit by bit.
class Transcript {
  public:
    explicit Transcript(Bytes summary) : drawn_(summary) {}

    /// Whether the next question is asked.
    [[nodiscard]] bool next() { return drawn_.one_in(one_question_in); }
    void add(double number) {
        // All that say "not known" say the same.
        put(std::isnan(number) ? std::nan("") : number);
    }
    void add(std::uint64_t number) { put(number); }
    void add(const std::string& text) { hash_.add(text); }
    void add(Bytes bytes) { hash_.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()}); }
    void add(const Estimate& estimate) {
        need(!(estimate.standard_error < 0), "a negative standard error");
        add(estimate.value);
        add(estimate.standard_error);
    }
    void add(const Interval& interval) {
        need(!(interval.lower > interval.upper), "an interval from above to below");
        add(interval.lower);
        add(interval.upper);
    }
    void add(const Quantile& quantile) {
        add(quantile.value);
        add(quantile.interval);
    }
    void add(const Ranked& ranked) {
        need(ranked.p_value >= 0 && ranked.p_value <= 1, "a p-value outside 0 to 1");
        add(ranked.value);
        add(ranked.estimate);
        add(ranked.p_value);
    }
    void add(const StringShare& share) {
        need(share.p_value >= 0 && share.p_value <= 1, "a string's p-value outside 0 to 1");
        add(share.estimate);
        add(interval(share.estimate, 1.96, share.law));
        add(share.n);
        add(share.p_value);
    }
    void add(const FrequentString& string) {
        add(std::uint64_t{string.code});
        add(string.share);
        put(string.whole);
    }
    void add(const Check& check) {
        need(check.p_value >= 0 && check.p_value <= 1, "a check's p-value outside 0 to 1");
        add(check.name);
        add(check.observed);
        add(check.expected);
        add(check.p_value);
    }
    void add(const Change& change) {
        add(std::uint64_t{change.attribute});
        add(std::uint64_t{change.value.value_or(0)});
        add(change.difference);
    }
    void add(const LearntRange& range) {
        need(range.low <= range.high, "a learnt range from above to below");
        add(range.low);
        add(range.high);
    }
    void add(const Distribution& fit) {
        need(fit.edges.size() == fit.shares.size() + 1, "a fit without edges");
        for (const double share : fit.shares) need(share >= 0, "a negative share");
        add(fit.edges);
        add(fit.shares);
    }
    template <class Item>
    void add(const std::vector<Item>& all) {
        add(std::uint64_t{all.size()});
        for (const Item& each : all) add(each);
    }

    /// Asks one thing, if it is drawn; an answer is added, a refusal must be one of those that questions
    /// have.
    template <class Ask>
    void ask(Ask question) {
        if (!next()) return;
        const bool no = refused({ErrorCode::unsupported, ErrorCode::invalid_value, ErrorCode::invalid_spec},
                                [&] { add(question()); });
        put(no);
    }
    [[nodiscard]] std::uint64_t value() const noexcept { return hash_.value(); }

  private:
    template <class T>
    void put(T value) {
        hash_.add({reinterpret_cast<const char*>(&value), sizeof(value)});
    }
    Drawn drawn_;
    ContentHash hash_;
};

/// Shares of some attributes together, their intervals, and shares of the first cell among others.
std::vector<Interval> together(const SummaryView& view, std::vector<std::size_t> attributes, Combination how,
                               ldp::Target target) {
    const Marginal marginal(view, std::move(attributes), how, target);
    const Cells cells(marginal.sizes());
    std::vector<Interval> all;
    for (std::size_t cell = 0; cell < std::min<std::size_t>(cells.count(), 20); ++cell) {
        const Combined::Box box = cells.box(cell);
        all.push_back(interval(marginal.measured(box), 1.96));
        const auto [share, fits] = marginal.quotient(cells.box(0), box, 1.96);
        need(std::isnan(share.value) || (fits.lower <= share.value && share.value <= fits.upper),
             "a quotient outside its interval");
        all.push_back(fits);
    }
    return all;
}

/// All that a summary can be asked; what its mechanism does not offer, which costs most of the time, of one
/// in sixteen.
void ask_all(const SummaryView& view, Transcript& said) {
    const Mechanism& mechanism = *view.mechanism;
    const std::size_t attributes = mechanism.cells().size();
    constexpr double infinite = HUGE_VAL;
    const bool all = view.state.empty() || (std::to_integer<unsigned>(view.state[0]) + view.n) % 16 == 0;
    const bool shares = all || mechanism.can_estimate(Quantity::frequencies);
    const bool ordered = all || find_capability<Ordered>(mechanism) != nullptr;
    if (said.next()) said.add(parameters_json(mechanism));
    said.ask([&] { return health(view); });
    for (const auto target : {ldp::Target::sample, ldp::Target::population}) {
        for (const auto quantity :
             {Quantity::frequencies, Quantity::means, Quantity::coefficients, Quantity::distribution})
            if (all || mechanism.can_estimate(quantity))
                said.ask([&] { return estimate(view, {quantity, target}); });
        if (all || find_capability<GroupMean>(mechanism) != nullptr)
            said.ask([&] { return group_mean(view, 0, attributes - 1, target); });
        if (all || find_capability<HaarVector>(mechanism) != nullptr)
            for (const auto how : {Shrinkage::soft, Shrinkage::sure})
                said.ask([&] { return shrunk(view, how, target); });
        if (shares) {
            for (const std::size_t attribute : {std::size_t{0}, attributes - 1, attributes})
                said.ask([&] { return estimate(view, {Quantity::frequencies, target, attribute}); });
            said.ask([&] { return top(view, 3, target, Control::bonferroni); });
            said.ask([&] { return top(view, 3, target, Control::benjamini_hochberg, attributes - 1); });
        }
        said.ask([&] { return change(view, view, 0.5, 2, target); });
        if (all || find_capability<JointViews>(mechanism) != nullptr)
            for (const auto how : {Combination::unbiased, Combination::consistent})
                for (const std::vector<std::size_t>& of :
                     {std::vector<std::size_t>{0}, {0, 1}, {0, attributes - 1}, {0, 1, 2}})
                    said.ask([&] { return together(view, of, how, target); });
        if (!ordered) continue;
        for (const double at : {-infinite, -1.0, 0.5, infinite, std::nan("")})
            said.ask([&] { return cdf(view, at, target); });
        said.ask([&] { return share_between(view, -1, 0.5, target); });
        for (const std::size_t bins : {0, 1, 7, 1001})
            said.ask([&] { return histogram(view, bins, target); });
        for (const double share : {0.0, 0.5, 0.999, 1.0, std::nan("")})
            said.ask([&] { return quantile(view, share, 0.95, target); });
    }
    if (shares)
        for (const char* method : {"none", "base_cut", "norm", "norm_mul", "norm_cut", "norm_sub", "mle_apx",
                                   "power", "ibu", "ibu_early", "empirical_bayes"})
            said.ask([&] {
                return consistent(view, consistency_named(method), attributes == 1 ? only_attribute : 0);
            });
    if (all || find_capability<CandidateSearch>(mechanism) != nullptr)
        for (const auto method : {CandidateMethod::nnls, CandidateMethod::lasso})
            said.ask([&] { return candidates(view, method, Control::bonferroni); });
    if (all || mechanism.can_estimate(Quantity::strings)) {
        const std::vector<Cell> codes{0, 1, 63};
        const std::size_t last = mechanism.cells().size() - 1;
        for (const auto target : {ldp::Target::sample, ldp::Target::population})
            for (const std::size_t attribute : {std::size_t{0}, last}) {
                said.ask([&] { return shares_of_strings(view, attribute, codes, target); });
                said.ask([&] { return search_strings(view, attribute, {.limit = 3, .keep = 2}, target); });
            }
    }
    for (const double coverage : {0.5, 0.99}) said.ask([&] { return learn_ranges(view, coverage); });
    if (!ordered) return;
    for (const auto smoothing : {Smoothing::none, Smoothing::binomial})
        said.ask([&] { return decode(view, smoothing); });
    said.ask([&] { return resolution(view); });
}

/// Of the parts of a record: each is a summary of its own, and as sound as the whole.
void take_apart(const SummaryView& view, Transcript& said) {
    const std::size_t attributes = view.mechanism->cells().size();
    for (const std::size_t attribute : {std::size_t{0}, attributes - 1, attributes}) {
        std::vector<std::byte> part;
        if (!said.next()) continue;
        if (refused({ErrorCode::unsupported, ErrorCode::invalid_value},
                    [&] { part = summary_of_part(view, attribute).bytes(); }))
            continue;
        const auto mechanism = loaded(part, Kind::summary);
        need(mechanism != nullptr, "a part's block is refused");
        need(!refused({ErrorCode::malformed}, [&] { check_summary(*mechanism, part); }),
             "a part's counts are refused");
        if (mechanism->cells().size() == 1) ask_all(view_of(*mechanism, part), said);
    }
}

bool affordable(const Mechanism& mechanism) {
    return summary_size(mechanism) <= largest_summary && mechanism.cost().per_answer <= dearest_answer;
}

/// The answers to the questions that a summary draws, with bytes at this distance from an alignment.
std::uint64_t answers(Bytes summary, std::size_t offset) {
    disturb_memory(static_cast<unsigned>(0xA5 * offset + 1));
    Moved moved(summary, offset);
    const auto mechanism = loaded(moved.bytes(), Kind::summary);
    need(mechanism != nullptr, "bytes were taken and then refused");
    Transcript said(summary);
    const SummaryView view = view_of(*mechanism, moved.bytes());
    ask_all(view, said);
    take_apart(view, said);
    return said.value();
}

void check_answers(Bytes summary, const Mechanism& mechanism) {
    if (!affordable(mechanism)) return;
    need(answers(summary, 0) == answers(summary, 5), "the same bytes have two answers");
}

std::vector<std::byte> empty_summary(const Mechanism& mechanism) {
    std::vector<std::byte> summary(summary_size(mechanism));
    start_summary(mechanism, summary);
    return summary;
}

std::vector<std::byte> merged(const Mechanism& mechanism, std::vector<std::byte> into, Bytes other) {
    need(ldp::merge(mechanism, into, other) == Outcome::ok, "summaries of one block do not merge");
    return into;
}

/// What was taken is written as it was read.
void check_text(Bytes bytes) {
    std::vector<std::byte> back(bytes.size());
    need(from_hex(to_hex(bytes), back.data()) && std::ranges::equal(back, bytes),
         "the text form is another value");
}

/// A mechanism that was taken is one: it makes reports, which it takes.
void check_randomizer(const Mechanism& mechanism, Choices& choices) {
    const std::vector<std::uint64_t> cells = mechanism.cells();
    if (cells.size() > 64 || mechanism.payload_size() > 1024 || mechanism.permanent_size() > 1024) return;
    std::vector<Cell> input;
    for (const std::uint64_t each : cells) input.push_back(choices.below(each));
    need(valid_sent(mechanism, payload_of(Bytes(mechanism.perturb(input, choices)), mechanism.block())),
         "a mechanism refuses its own report");
}

}  // namespace

bool examine_report(Bytes bytes) {
    const auto mechanism = loaded(bytes, Kind::report);
    if (mechanism == nullptr) return false;
    const Bytes block = mechanism->block();
    need(std::ranges::equal(block, bytes.first(std::min(bytes.size(), block.size()))),
         "a block is written as another");
    const bool right = !refused({ErrorCode::malformed}, [&] { check_report(*mechanism, bytes); });
    if (summary_size(*mechanism) > largest_summary) return right;

    std::vector<std::byte> one = empty_summary(*mechanism);
    const std::vector<std::byte> empty = one;
    const Outcome outcome = accumulate(*mechanism, one, bytes);
    need((outcome == Outcome::ok) == right, "what is counted and what is checked differ");
    if (!right) {
        need(one == empty, "a refused report changed the summary");
        return false;
    }
    check_text(bytes);
    Moved moved(bytes, 3);
    disturb_memory(0x5A);
    const auto again = loaded(moved.bytes(), Kind::report);
    need(again != nullptr && again->parameters() == mechanism->parameters() &&
             again->cells() == mechanism->cells() && again->payload_size() == mechanism->payload_size(),
         "equal blocks lead to different mechanisms");
    std::vector<std::byte> other = empty_summary(*again);
    need(accumulate(*again, other, moved.bytes()) == Outcome::ok && other == one,
         "equal reports count differently");
    Choices choices(bytes);
    check_randomizer(*mechanism, choices);
    need(examine_summary(one), "a counted report is no summary");
    return true;
}

bool examine_batch(Bytes bytes) {
    const auto mechanism = loaded(bytes, Kind::batch);
    if (mechanism == nullptr) return false;
    const bool right = !refused({ErrorCode::malformed}, [&] { check_batch(*mechanism, bytes); });
    if (summary_size(*mechanism) > largest_summary) return right;
    std::vector<std::byte> whole = empty_summary(*mechanism), parts = whole;
    const Outcome outcome = accumulate_batch(*mechanism, whole, bytes);
    need(!right || outcome == Outcome::ok, "what is checked is not counted");
    if (outcome != Outcome::ok) return false;
    // In whatever order they stand: that is the one thing which counting leaves to checking.
    const BatchFrame frame = batch_frame(*mechanism);
    std::vector<Report> reports;
    for (std::size_t i = 0; i < frame.count(bytes); ++i) {
        Report& report = reports.emplace_back(frame_report(mechanism->block(), sent_size(*mechanism)));
        set_kind(report, Kind::report);
        std::ranges::copy(frame.payload(bytes, i), payload_of(report, mechanism->block()).begin());
        need(accumulate(*mechanism, parts, report) == Outcome::ok, "a batch has what is no report");
    }
    need(parts == whole, "a batch counts other than its reports");
    need(std::ranges::equal(pack(*mechanism, reports)[0], bytes) == right, "reports have two batches");
    check_text(bytes);
    need(examine_summary(whole), "a counted batch is no summary");
    return right;
}

bool examine_summary(Bytes bytes) {
    const auto mechanism = loaded(bytes, Kind::summary);
    if (mechanism == nullptr || refused({ErrorCode::malformed}, [&] { check_summary(*mechanism, bytes); }))
        return false;
    need(is_summary_of(*mechanism, bytes), "a summary of no block");
    if (bytes.size() > largest_summary) return true;
    check_text(bytes);
    const std::vector<std::byte> whole(bytes.begin(), bytes.end()), empty = empty_summary(*mechanism);
    need(merged(*mechanism, empty, whole) == whole && merged(*mechanism, whole, empty) == whole,
         "adding nothing changes a summary");
    if (view_of(*mechanism, bytes).n <= max_count / 3) {
        const std::vector<std::byte> twice = merged(*mechanism, whole, whole);
        need(merged(*mechanism, twice, whole) == merged(*mechanism, whole, twice),
             "the order of two summaries matters");
        need(!refused({ErrorCode::malformed}, [&] { check_summary(*mechanism, twice); }),
             "a sum of summaries is refused");
    }
    check_answers(bytes, *mechanism);
    return true;
}

bool report(Bytes bytes) {
    return examine_report(bytes);
}

bool batch(Bytes bytes) {
    return examine_batch(bytes);
}

bool summary(Bytes bytes) {
    return examine_summary(bytes);
}

}  // namespace ldp::fuzz
