// How much must be wrong before ldp_health sees it.
#pragma once

/// Prints, by mechanism, how often honest reports raise an alarm, and the least share of wrong ones that
/// does.
void health();
