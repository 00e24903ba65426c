// The exports of the results module: summaries of reports, and their rows. An instance serves one spec after another, or
// none.
//
// The host passes bytes through the buffer of `input` and reads results from the buffer of `output`. A function that
// returns a size has written this number of bytes. Results remain valid until the next call. Numbers are little-endian.

#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "core/contract/spec.hpp"
#include "core/results/json_query.hpp"
#include "core/results/summary_query.hpp"
#include "core/summary/batch.hpp"
#include "wasm/host.hpp"

using namespace ldp;

namespace {

using wasm::give, wasm::in;

/// A spec with its mechanism and labels.
struct ResultSpec {
    explicit ResultSpec(Spec of)
        : spec(std::move(of)), mechanism(make_mechanism(spec)), labels(spec.attributes()) {}
    Spec spec;
    std::unique_ptr<const Mechanism> mechanism;
    Labels labels;  ///< views of the spec
};
std::optional<ResultSpec> open;

std::string_view text(std::size_t from) {
    return {reinterpret_cast<const char*>(in.data()) + from, in.size() - from};
}

}  // namespace

/// The input is the spec of the next calls, without open choices. Gives its canonical form.
EXPORT(open, std::size_t) {
    open.emplace(Spec::from_json(text(0)));
    return give(open->spec.to_json());
}
/// The next calls have no spec, and numbers replace labels.
EXPORT(close, void) {
    open.reset();
}
/// The size of each report of the spec.
EXPORT(report_size, std::size_t) {
    return open->mechanism->block().size() + sent_size(*open->mechanism);
}
/// The input is this number of bytes of reports, and then the round of each report, or nothing if rounds are not recorded.
/// Gives the summary.
EXPORT(summarize, std::size_t, std::size_t reports) {
    std::vector<std::int32_t> rounds((in.size() - reports) / sizeof(std::int32_t));
    if (!rounds.empty())
        std::memcpy(rounds.data(), in.data() + reports, rounds.size() * sizeof(std::int32_t));
    return give(summarize(*open->mechanism, Bytes(in).first(reports), rounds));
}
/// The input is two summaries, the first with this number of bytes. Gives the summary of all reports.
EXPORT(merge, std::size_t, std::size_t first) {
    const Bytes both(in);
    return give(merge_summaries(both.first(first), both.subspan(first)));
}
/// The input is a summary, of this number of bytes, and a query in JSON; no summary if `alone`. Gives its rows in JSON.
EXPORT(query, std::size_t, std::size_t size, bool alone) {
    const std::optional<Bytes> summary = alone ? std::nullopt : std::optional(Bytes(in).first(size));
    return give(open ? json_rows(open->labels, open->mechanism.get(), summary, text(size))
                     : json_rows(no_labels(), nullptr, summary, text(size)));
}
