// Support functions of the aggregates. Their state is a flat summary that is changed in place, or a list of few
// reports that becomes a summary (states.hpp). Therefore counting a report costs about as much as the built-in
// sum, groups of few reports take little memory, and every node, worker and table can hold a state. If an
// aggregate has arguments besides reports, they are the head of the state.
//
// Every role may call these functions with any arguments. Therefore the code relies only on the size and
// the block of a state, which bound every write. A state is changed in place only if the executor confirms
// that the state is its own.
//
// Length: all transition functions share the code that counts in place and reads heads.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "arguments.hpp"
#include "core/base/interrupt.hpp"
#include "core/summary/moving_window.hpp"
#include "server_limits.hpp"

extern "C" {
#include "access/detoast.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
}

using namespace ldp;

namespace {

/// A private state that starts as a copy of the argument.
varlena* own_copy(FunctionCallInfo fcinfo, int argument) {
    check_state_size(toast_raw_datum_size(PG_GETARG_DATUM(argument)) - VARHDRSZ);
    auto* copy = reinterpret_cast<varlena*>(PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(argument)));
    check_interrupt();  // the copy may have hundreds of megabytes
    return copy;
}

/// The first argument as a mutable state: the argument itself if it is an aggregate's state, otherwise a
/// copy. A state without its full header, for example from a tuple, is copied, too.
varlena* changeable_state(FunctionCallInfo fcinfo) {
    auto* state = reinterpret_cast<varlena*>(PG_GETARG_POINTER(0));
    // A fast path before PostgreSQL's test, for the most frequent case.
    const bool aggregate = fcinfo->context != nullptr && IsA(fcinfo->context, AggState);
    if (VARATT_IS_4B_U(state) && (aggregate || AggCheckCallContext(fcinfo, nullptr) != 0)) return state;
    return own_copy(fcinfo, 0);
}

/// The mechanism of a state after a check of its size.
const Mechanism& sized_mechanism(FunctionCallInfo fcinfo, Bytes summary) {
    const Mechanism& mechanism = mechanism_of(fcinfo, summary, Kind::summary);
    if (summary.size() != summary_size(mechanism)) check_summary(mechanism, summary);  // throws the error
    return mechanism;
}

Datum first_argument(FunctionCallInfo fcinfo) {
    if (PG_ARGISNULL(0)) PG_RETURN_NULL();
    PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

[[noreturn]] void throw_other_state() {
    throw Error(ErrorCode::malformed, "this is the state of another aggregate", {},
                "Pass a state only to functions of the aggregate that created it.");
}

[[noreturn]] void throw_other_question() {
    throw Error(ErrorCode::invalid_value,
                "an aggregate's arguments must be the same for all reports of a group", {},
                "Add the arguments that differ between rows to GROUP BY.");
}

/// The summary of the state, behind the head with which the state must begin.
template <class Span>
Span behind(Span state, Bytes head) {
    if (head.empty()) return state;
    if (state.size() < head.size() || std::memcmp(state.data(), head.data(), head.size()) != 0)
        throw_other_question();
    return state.subspan(head.size());
}

/// The kind of the second argument of functions that accept reports and batches.
Kind kind_of_reports(Bytes reports) noexcept {
    return is_batch(reports) ? Kind::batch : Kind::report;
}

/// Counts an argument of the kind that kind_of_reports() returns.
void count_in(FunctionCallInfo fcinfo, const Mechanism& mechanism, MutableBytes summary, Bytes reports,
              Kind kind, const Rounds& rounds = Rounds::unrecorded()) {
    const Outcome outcome = kind == Kind::report ? accumulate(mechanism, summary, reports, rounds)
                                                 : accumulate_batch(mechanism, summary, reports, rounds);
    if (likely(outcome == Outcome::ok)) return;
    // Bytes that are not a report raise that error, not the error of a different spec.
    check_value(mechanism_of(fcinfo, reports, kind), reports, kind);
    raise_outcome(outcome, summary, reports);
}

/// The number of reports of an argument of that kind, or 0 if it is not one of the mechanism.
std::uint64_t reports_in(const Mechanism& mechanism, Bytes reports, Kind kind) {
    if (kind == Kind::report) return 1;
    const BatchFrame frame = batch_frame(mechanism);
    return frame.fits(reports, mechanism.block()) ? frame.count(reports) : 0;
}

/// The state after counting a report or batch in a state that is a list.
[[gnu::noinline]] Datum count_in_list(FunctionCallInfo fcinfo, varlena* state, Bytes head, Bytes reports,
                                      Kind kind, const Rounds& rounds) {
    MutableBytes list = writable(state).subspan(head.size());
    const std::optional<ReportList>& cached = site_of(fcinfo).lists;
    if (likely(kind == Kind::report && cached && cached->takes_one(list) &&
               cached->append(list, reports, rounds) == Outcome::ok))
        PG_RETURN_POINTER(state);
    const ReportList lists = lists_of(fcinfo, list);
    const std::uint64_t more = reports_in(lists.mechanism(), reports, kind);
    if (unlikely(more > lists.room(list))) {
        state = grown(lists, head, list, more);
        list = writable(state).subspan(head.size());
        if (!is_list(list)) {
            count_in(fcinfo, lists.mechanism(), list, reports, kind, rounds);
            PG_RETURN_POINTER(state);
        }
    }
    const Outcome outcome = kind == Kind::report ? lists.append(list, reports, rounds)
                                                 : lists.append_batch(list, reports, rounds);
    if (likely(outcome == Outcome::ok)) PG_RETURN_POINTER(state);
    // Bytes that are not a report raise that error, not the error of a different spec.
    check_value(mechanism_of(fcinfo, reports, kind), reports, kind);
    raise_outcome(outcome, list, reports);
}

/// The state after counting a report or batch of these rounds. A NULL state is created with this head.
Datum count_reports(FunctionCallInfo fcinfo, Bytes head, const Rounds& rounds = Rounds::unrecorded()) {
    const Bytes reports = contents(PG_GETARG_VARLENA_PP(1));
    const Kind kind = kind_of_reports(reports);
    if (PG_ARGISNULL(0)) {
        // The new state is allocated in the caller's short-lived memory. The executor copies it
        // into its own memory, so a state allocated there would remain as a second copy in every
        // group.
        const Mechanism& mechanism = mechanism_of(fcinfo, reports, kind);
        const ReportList lists(mechanism);
        varlena* state = new_state(lists, head, reports_in(mechanism, reports, kind));
        const MutableBytes counted = writable(state).subspan(head.size());
        if (is_list(counted)) return count_in_list(fcinfo, state, head, reports, kind, rounds);
        count_in(fcinfo, mechanism, counted, reports, kind, rounds);
        PG_RETURN_POINTER(state);
    }
    varlena* state = changeable_state(fcinfo);
    MutableBytes summary = behind(writable(state), head);
    // Usually the argument is a report of the same collection as the state. All other cases are handled
    // below.
    const ReportCounter* counter = kind == Kind::report ? counter_of(fcinfo, summary) : nullptr;
    if (likely(counter != nullptr && counter->count(summary, reports, rounds) == Outcome::ok))
        PG_RETURN_POINTER(state);
    if (is_list(summary)) return count_in_list(fcinfo, state, head, reports, kind, rounds);
    if (is_packed(summary)) {
        state = as_summary(fcinfo, head, summary);
        summary = writable(state).subspan(head.size());
    }
    if (is_unchecked(summary)) check_sum(fcinfo, summary);
    count_in(fcinfo, sized_mechanism(fcinfo, summary), summary, reports, kind, rounds);
    PG_RETURN_POINTER(state);
}

/// Adds a summary to that of a state, or throws the reason why it cannot be added.
void add_summary(FunctionCallInfo fcinfo, const Mechanism& mechanism, MutableBytes summary, Bytes other) {
    const Outcome outcome = merge(mechanism, summary, other);
    if (likely(outcome == Outcome::ok)) return;
    // Bytes that are not a summary raise that error, not the error of a different spec.
    check_summary(mechanism_of(fcinfo, other, Kind::summary), other);
    raise_outcome(outcome, summary, other);
}

/// The sum of two states of which at least one is a list, and none has the short form. `state` has this head and
/// may be changed in place.
Datum add_lists(FunctionCallInfo fcinfo, varlena* state, Bytes head, Bytes other) {
    const MutableBytes counted = writable(state).subspan(head.size());
    const ReportList lists = lists_of(fcinfo, is_list(counted) ? counted : other);
    const Mechanism& mechanism = lists.mechanism();
    if (!begins_with_block(is_list(counted) ? other : counted, mechanism.block()))
        raise_incompatible(counted, other);
    if (!is_list(other)) {
        varlena* sum = empty_state(mechanism, head.size());
        std::ranges::copy(head, writable(sum).begin());
        const MutableBytes summary = writable(sum).subspan(head.size());
        add_summary(fcinfo, mechanism, summary, other);
        count_list(lists, summary, counted);
        PG_RETURN_POINTER(sum);
    }
    if (!lists.fits(other)) lists.check(other);  // throws the error
    if (is_list(counted) && lists.count(other) > lists.room(counted))
        state = grown(lists, head, counted, lists.count(other));
    const MutableBytes sum = writable(state).subspan(head.size());
    if (is_list(sum)) {
        lists.append_list(sum, other);
    } else {
        if (!is_summary_of(mechanism, sum))
            check_summary(mechanism_of(fcinfo, sum, Kind::summary), sum);  // throws the error
        count_list(lists, sum, other);
    }
    PG_RETURN_POINTER(state);
}

/// What a state may be.
enum class StateForm : bool { summary, any };

/// The sum of two states. A NULL state has no reports.
Datum add_states(FunctionCallInfo fcinfo, StateForm form) {
    if (PG_ARGISNULL(1)) return first_argument(fcinfo);
    if (PG_ARGISNULL(0)) {
        // The executor copies it.
        check_state_size(toast_raw_datum_size(PG_GETARG_DATUM(1)) - VARHDRSZ);
        varlena* first = PG_DETOAST_DATUM(PG_GETARG_DATUM(1));
        check_interrupt();  // the copy may have hundreds of megabytes
        const Bytes whole = contents(first);
        const Bytes counted = form == StateForm::any ? whole.subspan(head_of(whole).size()) : whole;
        if (form == StateForm::any && is_list(counted))
            (void)lists_of(fcinfo, counted);
        else if (form == StateForm::summary || !(is_packed(counted) || is_unchecked(counted)))
            (void)sized_mechanism(fcinfo, counted);
        PG_RETURN_POINTER(first);
    }
    const Bytes whole = contents(PG_GETARG_VARLENA_PP(1));
    const auto head_in = [form](Bytes state) { return form == StateForm::any ? head_of(state) : Bytes{}; };
    const Bytes head = head_in(whole);
    Bytes other = behind(whole, head);
    varlena* state = changeable_state(fcinfo);
    if (head_in(contents(state)).empty() != head.empty()) throw_other_state();
    if (form == StateForm::any) {
        const MutableBytes counted = behind(writable(state), head);
        if (is_packed_summary(other) && !is_list(counted))
            PG_RETURN_POINTER(packed_sum(fcinfo, state, head, other));
        if (is_unchecked(counted)) check_sum(fcinfo, counted);
        if (is_packed(counted)) state = as_summary(fcinfo, head, counted);
        if (is_unchecked(other)) other = contents(as_summary(fcinfo, {}, other));
        if (is_packed(other)) other = unpacked_for_now(fcinfo, other);
        if (is_list(behind(contents(state), head)) || is_list(other))
            return add_lists(fcinfo, state, head, other);
    }
    const MutableBytes summary = behind(writable(state), head);
    add_summary(fcinfo, sized_mechanism(fcinfo, summary), summary, other);
    PG_RETURN_POINTER(state);
}

/// The memory context of the current aggregate, for states of type internal.
MemoryContextData* home_of_state(FunctionCallInfo fcinfo) {
    MemoryContext home;
    if (AggCheckCallContext(fcinfo, &home) == 0)
        elog(ERROR, "the function of an aggregate was called outside of the aggregate");
    return home;
}

// Moving windows --------------------------------------------------------------------------------------------

/// The content of a window. PostgreSQL requires a state before the first report, when the spec is
/// unknown.
struct Moving {
    varlena* summary;  ///< null before the first report
};

/// The first argument; a new state if it is NULL.
Moving* moving_argument(FunctionCallInfo fcinfo) {
    if (!PG_ARGISNULL(0)) return reinterpret_cast<Moving*>(PG_GETARG_POINTER(0));
    return static_cast<Moving*>(MemoryContextAllocZero(home_of_state(fcinfo), sizeof(Moving)));
}

// Packing ---------------------------------------------------------------------------------------------------

/// Reports to be packed into a batch, in the order of arrival, in the memory of the aggregate.
struct Packing {
    StringInfoData bytes;  ///< a report's block, space for the count, and payloads: a batch without its head
    std::size_t block_size, payload_size;

    [[nodiscard]] BatchFrame frame() const { return {block_size, payload_size}; }
    [[nodiscard]] Bytes unsorted() const {
        return {reinterpret_cast<const std::byte*>(bytes.data), static_cast<std::size_t>(bytes.len)};
    }
    [[nodiscard]] Bytes block() const { return unsorted().first(block_size); }
    [[nodiscard]] std::uint64_t count() const {
        return (unsorted().size() - frame().payloads_at()) / payload_size;
    }
};

[[noreturn]] void throw_too_many(const Packing& packing) {
    throw Error(
        ErrorCode::full, "too many reports for one batch",
        "A batch with these parameters contains at most " + std::to_string(packing.frame().most()) +
            " reports.",
        "Pack them in groups, as in SELECT ldp_pack(report) FROM (SELECT report, row_number() OVER () "
        "AS i FROM …) AS r GROUP BY i / 10000.");
}

/// The packing with these checked payloads appended; a new one under this block if it is null.
Packing* append(FunctionCallInfo fcinfo, Packing* packing, const Mechanism& mechanism, Bytes payloads) {
    const BatchFrame frame = batch_frame(mechanism);
    if (packing == nullptr) {
        MemoryContextData* caller = MemoryContextSwitchTo(home_of_state(fcinfo));
        packing = static_cast<Packing*>(palloc(sizeof(Packing)));
        initStringInfo(&packing->bytes);
        packing->block_size = mechanism.block().size();
        packing->payload_size = sent_size(mechanism);
        enlargeStringInfo(&packing->bytes, static_cast<int>(frame.payloads_at() + payloads.size()));
        packing->bytes.len = static_cast<int>(frame.payloads_at());
        const MutableBytes head{reinterpret_cast<std::byte*>(packing->bytes.data), frame.payloads_at()};
        frame.start(head, mechanism.block(), 0);
        set_kind(head, Kind::report);
        MemoryContextSwitchTo(caller);
    }
    if (payloads.size() / sent_size(mechanism) > frame.most() - packing->count()) throw_too_many(*packing);
    appendBinaryStringInfo(&packing->bytes, reinterpret_cast<const char*>(payloads.data()),
                           static_cast<int>(payloads.size()));
    return packing;
}

/// Reports of another spec cannot be in the same batch.
void check_same_block(const Packing* packing, Bytes other) {
    if (packing != nullptr && !begins_with_block(other, packing->block()))
        raise_incompatible(packing->block(), other);
}

/// An argument of type packing; NULL before the first report.
Packing* packing_argument(FunctionCallInfo fcinfo, int number) {
    return PG_ARGISNULL(number) ? nullptr : reinterpret_cast<Packing*>(PG_GETARG_POINTER(number));
}

Datum packing_result(FunctionCallInfo fcinfo, Packing* packing) {
    if (packing == nullptr) PG_RETURN_NULL();
    PG_RETURN_POINTER(packing);
}

// Aggregates with arguments ---------------------------------------------------------------------------------

constexpr std::size_t count_size = sizeof(std::uint32_t);

/// Counts reports for an aggregate with a head that is written here; `size` bytes of arguments.
Datum count_with_arguments(FunctionCallInfo fcinfo, ArgumentKind kind, const void* arguments,
                           std::size_t size) {
    constexpr std::size_t few = 64;
    std::byte small[few];
    const std::size_t whole = head_arguments_at + size;
    auto* head = whole <= few ? small : static_cast<std::byte*>(try_palloc(whole));
    head[0] = head_mark;
    store(head + 1, static_cast<std::uint32_t>(head_arguments_at - head_kind_at + size));
    head[head_kind_at] = static_cast<std::byte>(kind);
    std::memcpy(head + head_arguments_at, arguments, size);
    return count_reports(fcinfo, {head, whole});
}

template <class... Numbers>
Datum count_numbers(FunctionCallInfo fcinfo, Numbers... numbers) {
    const double all[] = {static_cast<double>(numbers)...};
    return count_with_arguments(fcinfo, ArgumentKind::numbers, all, sizeof(all));
}

/// Counts reports for an aggregate with numbers and the name of an attribute, which is the argument `name`.
Datum count_numbers_of(FunctionCallInfo fcinfo, const double* numbers, std::size_t count, int name) {
    const Bytes words = contents(PG_GETARG_VARLENA_PP(name));
    const std::size_t size = count_size + count * sizeof(double) + words.size();
    auto* arguments = static_cast<std::byte*>(try_palloc(size));
    store(arguments, static_cast<std::uint32_t>(count));
    std::memcpy(arguments + count_size, numbers, count * sizeof(double));
    std::memcpy(arguments + count_size + count * sizeof(double), words.data(), words.size());
    const Datum state = count_with_arguments(fcinfo, ArgumentKind::numbers_of_attribute, arguments, size);
    pfree(arguments);
    return state;
}

/// As in strict aggregates of several arguments, a row with a NULL argument is ignored.
bool incomplete(FunctionCallInfo fcinfo) {
    for (int i = 1; i < PG_NARGS(); ++i)
        if (PG_ARGISNULL(i)) return true;
    return false;
}

AggregateArguments aggregate_arguments(FunctionCallInfo fcinfo, ArgumentKind kind) {
    const Bytes state = contents(PG_GETARG_VARLENA_PP(0)), head = head_of(state);
    check_state_size(state.size());
    if (head.empty()) throw_other_state();
    Bytes arguments = head.subspan(head_arguments_at), name;
    const bool of_attribute =
        kind == ArgumentKind::numbers &&
        head[head_kind_at] == static_cast<std::byte>(ArgumentKind::numbers_of_attribute);
    if (!of_attribute && head[head_kind_at] != static_cast<std::byte>(kind)) throw_other_state();
    if (of_attribute) {
        if (arguments.size() < count_size) throw_other_state();
        const std::size_t size = std::size_t{load<std::uint32_t>(arguments.data())} * sizeof(double);
        arguments = arguments.subspan(count_size);
        if (arguments.size() < size) throw_other_state();
        name = arguments.subspan(size);
        arguments = arguments.first(size);
        if (!pg_verify_mbstr(GetDatabaseEncoding(), reinterpret_cast<const char*>(name.data()),
                             static_cast<int>(name.size()), true))
            throw_other_state();
    }
    if (kind == ArgumentKind::numbers && arguments.size() % sizeof(double) != 0) throw_other_state();
    const Bytes summary = summary_of_state(fcinfo, state.subspan(head.size()));
    AggregateArguments query{{.summary = summary}, nullptr, 0, {}};
    query.subject.labels = &summary_labels(fcinfo, summary);
    if (kind == ArgumentKind::numbers) {
        query.count = arguments.size() / sizeof(double);
        auto* numbers = static_cast<double*>(try_palloc(arguments.size() + 1));
        std::memcpy(numbers, arguments.data(), arguments.size());
        query.numbers = numbers;
        if (of_attribute) select(query.subject, {reinterpret_cast<const char*>(name.data()), name.size()});
    } else {
        query.text = {reinterpret_cast<const char*>(arguments.data()), arguments.size()};
    }
    return query;
}

}  // namespace

namespace ldp {

AggregateArguments numbers_query(FunctionCallInfo fcinfo, std::size_t count) {
    const AggregateArguments all = aggregate_arguments(fcinfo, ArgumentKind::numbers);
    if (all.count != count) throw_other_state();
    return all;
}

AggregateArguments text_query(FunctionCallInfo fcinfo) {
    return aggregate_arguments(fcinfo, ArgumentKind::text);
}

}  // namespace ldp

// The argument `reports` below is a single report or a batch.

/// (ldp_agg_state, reports) → ldp_agg_state: counts them. NULL is skipped.
LDP_FUNCTION(ldp_agg_accumulate) {
    return PG_ARGISNULL(1) ? first_argument(fcinfo) : count_reports(fcinfo, {});
}

/// (ldp_agg_state, reports, round) → ldp_agg_state: the same for reports of a known round; the round may be
/// NULL.
LDP_FUNCTION(ldp_agg_accumulate_round) {
    if (PG_ARGISNULL(1)) return first_argument(fcinfo);
    return count_reports(fcinfo, {},
                         PG_ARGISNULL(2) ? Rounds::unrecorded() : Rounds::only(PG_GETARG_INT32(2)));
}

/// (ldp_summary, ldp_summary) → ldp_summary: merges two summaries. NULL is the empty summary of any spec.
LDP_FUNCTION(ldp_summary_merge) {
    return add_states(fcinfo, StateForm::summary);
}

/// (ldp_summary, ldp_summary) → ldp_summary: subtracts the second summary, which was merged before.
/// Returns NULL if the rest must be aggregated anew.
LDP_FUNCTION(ldp_summary_subtract) {
    const bool ours = AggCheckCallContext(fcinfo, nullptr) != 0;
    const Bytes part = contents(PG_GETARG_VARLENA_PP(1));
    varlena* state = changeable_state(fcinfo);
    const MutableBytes summary = writable(state);
    const Mechanism& mechanism = sized_mechanism(fcinfo, summary);
    if (!begins_with_block(part, mechanism.block())) raise_incompatible(summary, part);
    if (!subtract(mechanism, summary, part)) PG_RETURN_NULL();
    // Only the executor can guarantee that it was merged.
    if (!ours && !mechanism.valid_state(view_of(mechanism, summary)))
        throw Error(ErrorCode::invalid_value, "the second summary is not part of the first",
                    "The difference would have counts that no reports can produce.",
                    "Subtract only a summary that was merged before.");
    PG_RETURN_POINTER(state);
}

// Moving windows of reports. The state is internal, because the spec is unknown before the first report.

/// (internal, reports) → internal: counts them. NULL is skipped.
LDP_FUNCTION(ldp_window_accumulate) {
    Moving* const window = moving_argument(fcinfo);
    if (PG_ARGISNULL(1)) PG_RETURN_POINTER(window);
    const Bytes reports = contents(PG_GETARG_VARLENA_PP(1));
    const Kind kind = kind_of_reports(reports);
    if (window->summary == nullptr) {
        const Mechanism& mechanism = mechanism_of(fcinfo, reports, kind);
        MemoryContextData* caller = MemoryContextSwitchTo(home_of_state(fcinfo));
        window->summary = empty_state(mechanism, 0);
        MemoryContextSwitchTo(caller);
    }
    const MutableBytes summary = writable(window->summary);
    count_in(fcinfo, sized_mechanism(fcinfo, summary), summary, reports, kind);
    PG_RETURN_POINTER(window);
}

/// (internal, reports) → internal: subtracts reports that were counted before. Returns NULL if the rest
/// must be aggregated anew.
LDP_FUNCTION(ldp_window_remove) {
    Moving* const window = moving_argument(fcinfo);
    if (PG_ARGISNULL(1)) PG_RETURN_POINTER(window);
    const Bytes reports = contents(PG_GETARG_VARLENA_PP(1));
    const Kind kind = kind_of_reports(reports);
    const MutableBytes summary = writable(window->summary);
    const Mechanism& mechanism = sized_mechanism(fcinfo, summary);
    varlena* part = empty_state(mechanism, 0);
    count_in(fcinfo, mechanism, writable(part), reports, kind);
    if (!subtract(mechanism, summary, contents(part))) PG_RETURN_NULL();
    pfree(part);  // rows leave the window as often as they enter it
    PG_RETURN_POINTER(window);
}

/// (internal) → ldp_summary: returns a copy, because the window continues.
LDP_FUNCTION(ldp_window_final) {
    const varlena* summary = PG_ARGISNULL(0) ? nullptr : moving_argument(fcinfo)->summary;
    if (summary == nullptr) PG_RETURN_NULL();
    const Bytes bytes = contents(summary);
    varlena* copy = new_value(bytes.size());
    copy_in_segments(bytes, writable(copy));
    PG_RETURN_POINTER(copy);
}

// (ldp_agg_state, reports, argument…) → ldp_agg_state

LDP_FUNCTION(ldp_agg_state_number) {
    return incomplete(fcinfo) ? first_argument(fcinfo) : count_numbers(fcinfo, PG_GETARG_FLOAT8(2));
}

LDP_FUNCTION(ldp_agg_state_text) {
    if (incomplete(fcinfo)) return first_argument(fcinfo);
    const Bytes words = contents(PG_GETARG_VARLENA_PP(2));
    return count_with_arguments(fcinfo, ArgumentKind::text, words.data(), words.size());
}

// The same with the name of an attribute as the last argument.

LDP_FUNCTION(ldp_agg_state_number_of) {
    if (incomplete(fcinfo)) return first_argument(fcinfo);
    const double number[] = {PG_GETARG_FLOAT8(2)};
    return count_numbers_of(fcinfo, number, 1, 3);
}

/// (ldp_agg_state, ldp_agg_state) → ldp_agg_state: merges two states with equal arguments. The second may be
/// an ldp_summary.
LDP_FUNCTION(ldp_agg_state_merge) {
    return add_states(fcinfo, StateForm::any);
}

// Packing. The state is internal, because it grows, and other servers never need it.

/// (internal, reports) → internal
LDP_FUNCTION(ldp_pack_reports) {
    Packing* const packing = packing_argument(fcinfo, 0);
    if (PG_ARGISNULL(1)) return packing_result(fcinfo, packing);
    const Bytes reports = contents(PG_GETARG_VARLENA_PP(1));
    const Kind kind = kind_of_reports(reports);
    const Mechanism& mechanism = mechanism_of(fcinfo, reports, kind);
    check_value(mechanism, reports, kind);
    check_same_block(packing, reports);
    const Bytes payloads = kind == Kind::report ? payload_of(reports, mechanism.block())
                                                : batch_frame(mechanism).payloads(reports);
    PG_RETURN_POINTER(append(fcinfo, packing, mechanism, payloads));
}

/// (internal, internal) → internal
LDP_FUNCTION(ldp_pack_combine) {
    Packing* const packing = packing_argument(fcinfo, 0);
    const Packing* const other = packing_argument(fcinfo, 1);
    if (other == nullptr) return packing_result(fcinfo, packing);
    check_same_block(packing, other->block());
    const Mechanism& mechanism = mechanism_of(fcinfo, other->block(), Kind::report);
    PG_RETURN_POINTER(append(fcinfo, packing, mechanism, other->frame().payloads(other->unsorted())));
}

/// (internal) → bytea
LDP_FUNCTION(ldp_pack_serialize) {
    const Bytes unsorted = packing_argument(fcinfo, 0)->unsorted();
    varlena* bytes = new_value(unsorted.size());
    std::ranges::copy(unsorted, writable(bytes).begin());
    PG_RETURN_POINTER(bytes);
}

/// (bytea, internal) → internal
LDP_FUNCTION(ldp_pack_deserialize) {
    const Bytes unsorted = contents(PG_GETARG_VARLENA_PP(0));
    const Mechanism& mechanism = mechanism_of(fcinfo, unsorted, Kind::report);
    PG_RETURN_POINTER(append(fcinfo, nullptr, mechanism, batch_frame(mechanism).payloads(unsorted)));
}

/// (internal) → ldp_report_batch
LDP_FUNCTION(ldp_pack_final) {
    const Packing* const packing = packing_argument(fcinfo, 0);
    if (packing == nullptr) PG_RETURN_NULL();
    varlena* batch = new_value(packing->unsorted().size());
    std::ranges::copy(packing->unsorted(), writable(batch).begin());
    packing->frame().start(writable(batch), packing->block(), static_cast<std::uint32_t>(packing->count()));
    sort_payloads(packing->frame().payloads(writable(batch)), packing->payload_size);
    PG_RETURN_POINTER(batch);
}
