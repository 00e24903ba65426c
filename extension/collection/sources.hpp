// ldp_source: the reports that a function is about, as a name, a summary, or the summaries of groups.
//
// The value is a kind and a body. A name is resolved by the function that is called, not by the cast, so that casts read no
// table.
#pragma once

#include "boundary.hpp"

extern "C" {
#include "utils/array.h"
}

namespace ldp {

/// The summary of a source argument, in the current memory context; nothing if there are no reports that the caller may
/// query. A name means the last round of a collection or a rollup. Raises an error for a source of several groups. May
/// jump.
[[nodiscard]] std::optional<Bytes> source_summary(FunctionCallInfo fcinfo, int number);

/// The head of the summary in a source, for a mechanism's parameters; nothing for a source of another kind. May jump.
[[nodiscard]] std::optional<Bytes> summary_head(Datum source);

/// Groups, their names and their summaries: arrays of ldp_group, text and ldp_summary with the same number of elements.
struct SourceGroups {
    ArrayType *groups, *names, *summaries;
};

/// Whether a source consists of groups.
[[nodiscard]] bool is_groups(Datum source);

/// The groups of the first argument, a source, which a name forms by the columns of the argument `by`, and by the column that
/// the argument `further` names. May jump.
[[nodiscard]] SourceGroups source_groups(FunctionCallInfo fcinfo, int by, std::optional<int> further = {});

}  // namespace ldp
