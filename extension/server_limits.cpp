#include "server_limits.hpp"

#include <string>

extern "C" {
#include "utils/guc.h"

PGDLLEXPORT void _PG_init(void);
}

namespace ldp {

namespace {

/// ldp.max_state, in kB. The largest state of any spec has 256 MB.
int max_state = 64 * 1024;
constexpr int least = 64, greatest = 1024 * 1024;

}  // namespace

void check_state_size(std::size_t bytes) {
    if (likely(bytes <= static_cast<std::size_t>(max_state) * 1024)) return;
    throw Error(ErrorCode::full, "summary exceeds ldp.max_state",
                "The summary has " + std::to_string((bytes + 1023) / 1024) + " kB; the setting allows " +
                    std::to_string(max_state) + " kB.",
                "A superuser can increase ldp.max_state for a role or database. ldp_advise returns the sizes "
                "of summaries "
                "of other mechanisms.");
}

}  // namespace ldp

// A setting with restricted privileges, because it bounds the memory that a few external bytes can
// request. From PostgreSQL 15 on, the privilege to set it can be granted.
void _PG_init(void) {
    DefineCustomIntVariable("ldp.max_state", "Sets the maximum size of a summary.",
                            "One report of a large domain begins a summary of its full size.",
                            &ldp::max_state, ldp::max_state, ldp::least, ldp::greatest, PGC_SUSET,
                            GUC_UNIT_KB, nullptr, nullptr, nullptr);
#if PG_VERSION_NUM >= 150000
    MarkGUCPrefixReserved("ldp");
#else
    EmitWarningsOnPlaceholders("ldp");
#endif
    ldp::begin_interrupts();
}
