// Reports, batches and summaries under forged blocks, themselves damaged or not.

#include "core/base/error.hpp"
#include "core/mechanism/role/registry.hpp"
#include "examine.hpp"
#include "forge.hpp"

namespace ldp::fuzz {

bool forged(Bytes bytes) {
    Choices choices(bytes);
    std::vector<std::byte> block = forge_block(choices);
    const auto mechanism = loaded(block, Kind::report);
    if (mechanism == nullptr) return false;
    const std::vector<std::uint64_t> cells = mechanism->cells();
    if (summary_size(*mechanism) > std::size_t{1} << 13 || cells.size() > 64 ||
        mechanism->payload_size() > 1024 || mechanism->permanent_size() > 1024)
        return true;
    std::vector<std::byte> summary(summary_size(*mechanism));
    start_summary(*mechanism, summary);
    Report report;
    std::vector<Report> reports;
    for (std::uint64_t n = choices.up_to(6); n > 0; --n) {
        std::vector<Cell> input;
        for (const std::uint64_t each : cells)
            input.push_back(choices.rarely(4) ? each - 1 : choices.up_to(each));
        report = mechanism->perturb(input, choices);
        const auto round = static_cast<std::int32_t>(choices.up_to(3));
        const Rounds rounds = choices.rarely(16) ? Rounds::unrecorded() : Rounds::only(round);
        need(accumulate(*mechanism, summary, report, rounds) == Outcome::ok,
             "a mechanism refuses its own report");
        reports.push_back(report);
    }
    bool taken = false;
    if (!reports.empty()) {
        std::vector<std::byte> batch = pack(*mechanism, reports)[0];
        if (choices.rarely(2)) damage(batch, choices);
        taken = examine_batch(batch);
    }
    if (report.empty()) report = frame_report(block, sent_size(*mechanism));
    damage(report, choices);
    taken = examine_report(report) || taken;
    if (choices.rarely(2)) damage(summary, choices);
    return examine_summary(summary) || taken;
}

}  // namespace ldp::fuzz
