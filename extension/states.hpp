// The state of an aggregate, of the type ldp_agg_state. If the aggregate has arguments besides reports, the state
// begins with a head. Then it has one of four forms:
//
// - a summary. A state without a head in this form is an ldp_summary;
// - a list of few reports (core/summary/report_list.hpp);
// - a summary in the short form in which another server sent it (core/summary/packed_state.hpp). It remains until
//   another state is added, because the memory of a summary costs more time than reading the short form;
// - an unchecked summary: a sum of summaries in the short form, whose counters are checked once, when the sum is
//   used. Its first byte is a mark.
//
// The head contains the arguments, because a final function on another worker or server receives only the
// state. It is a byte 0, which begins no block, then 4 bytes with the length of the rest, one byte for the kind,
// and the arguments. These are numbers of 8 bytes each, text, or both: the count of numbers (4 bytes), the
// numbers, and the name of an attribute.
#pragma once

#include "boundary.hpp"
#include "core/summary/packed_state.hpp"

namespace ldp {

enum class ArgumentKind : std::uint8_t { numbers = 0, text = 1, numbers_of_attribute = 2 };

inline constexpr std::byte head_mark{0};
/// Bytes of a head before the kind, and before the arguments.
inline constexpr std::size_t head_kind_at = 1 + sizeof(std::uint32_t), head_arguments_at = head_kind_at + 1;

/// The head of a state, which may be empty. Throws Error (malformed).
[[nodiscard]] Bytes head_of(Bytes state);

/// An empty summary of the mechanism, behind space for a head of that size, in the current memory. Throws Error
/// (full) above the size limit.
[[nodiscard]] varlena* empty_state(const Mechanism& mechanism, std::size_t head_size);
/// A state with this head and space for this number of reports: a list, or a summary if there are too many.
/// Both are empty.
[[nodiscard]] varlena* new_state(const ReportList& lists, Bytes head, std::uint64_t reports);
/// The functions for lists, for a state that is one. They are valid until the next call of mechanism_of(). Throws
/// Error (malformed).
[[nodiscard]] ReportList lists_of(FunctionCallInfo fcinfo, Bytes list);
/// A copy of a state that is a list, with space for more reports: a longer list, or the summary.
[[nodiscard]] varlena* grown(const ReportList& lists, Bytes head, Bytes list, std::uint64_t more);
/// Adds the reports of a list to a summary of the same mechanism.
void count_list(const ReportList& lists, MutableBytes summary, Bytes list);
/// Whether a state without its head is a summary in the short form.
[[nodiscard]] inline bool is_packed(Bytes state) noexcept {
    return !state.empty() && state[0] == packed_state_version;
}
/// The first byte of an unchecked summary, in place of the version of the block.
inline constexpr std::byte unchecked_mark{0xFF};
/// Whether a state without its head is an unchecked summary.
[[nodiscard]] inline bool is_unchecked(Bytes state) noexcept {
    return !state.empty() && state[0] == unchecked_mark;
}
/// Replaces the mark of an unchecked summary, which is then a summary with any counters.
inline void unmark(MutableBytes state) noexcept {
    state[0] = std::byte{format_version};
}
/// Checks an unchecked summary, which is then a summary. Throws Error (malformed).
void check_sum(FunctionCallInfo fcinfo, MutableBytes state);
/// A copy of a state in another form as a summary behind this head.
[[nodiscard]] varlena* as_summary(FunctionCallInfo fcinfo, Bytes head, Bytes state);
/// Whether a state without its head is a summary in the short form that another one can be added to.
[[nodiscard]] inline bool is_packed_summary(Bytes state) noexcept {
    return is_packed(state) && !is_list(packed_body(state));
}
/// The unchecked sum of two states of the same head: a summary in the short form is added to another one, or to a
/// summary, which may be unchecked and is changed.
[[nodiscard]] varlena* packed_sum(FunctionCallInfo fcinfo, varlena* state, Bytes head, Bytes packed);
/// The summary of a state in the short form, valid until the next call of this function.
[[nodiscard]] MutableBytes unpacked_for_now(FunctionCallInfo fcinfo, Bytes packed);
static_assert(std::byte{format_version} != packed_state_version && std::byte{format_version} != head_mark &&
                  std::byte{format_version} != unchecked_mark &&
                  static_cast<Kind>(format_version) != Kind::report,
              "the first bytes distinguish the forms of a state");
/// The summary of a state without its head.
[[nodiscard]] inline Bytes summary_of_state(FunctionCallInfo fcinfo, Bytes state) {
    return unlikely(is_list(state) || is_packed(state) || is_unchecked(state))
               ? contents(as_summary(fcinfo, {}, state))
               : state;
}

}  // namespace ldp
