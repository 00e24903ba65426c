#include "cli/collect/metrics.hpp"

#include <algorithm>

#include "core/base/text.hpp"

namespace ldp::collect {

void Metrics::answered(unsigned status, double seconds) {
    ++requests_[status];
    ++count_;
    seconds_ += seconds;
    const auto bound = std::ranges::lower_bound(bounds, seconds);
    if (bound != bounds.end()) ++within_[static_cast<std::size_t>(bound - bounds.begin())];
}

void Metrics::stored(std::size_t batches, std::uint64_t reports, double seconds) {
    ++transactions_;
    batches_ += batches;
    reports_ += reports;
    transaction_seconds_ += seconds;
}

std::string Metrics::text(std::size_t waiting) const {
    std::string all;
    const auto describe = [&](const std::string& name, const char* type, const char* help) {
        all += "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
    };
    const auto sample = [&](const std::string& name, const std::string& value) {
        all += name + " " + value + "\n";
    };
    const auto single = [&](const std::string& name, const char* type, const char* help, double value) {
        describe(name, type, help);
        sample(name, shortest(value));
    };
    describe("ldp_collect_requests_total", "counter", "Answered requests by status.");
    for (const auto& [status, count] : requests_)
        sample("ldp_collect_requests_total{code=\"" + std::to_string(status) + "\"}", std::to_string(count));
    describe("ldp_collect_request_seconds", "histogram", "Seconds from a complete request to its response.");
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i < bounds.size(); ++i)
        sample("ldp_collect_request_seconds_bucket{le=\"" + shortest(bounds[i]) + "\"}",
               std::to_string(so_far += within_[i]));
    sample("ldp_collect_request_seconds_bucket{le=\"+Inf\"}", std::to_string(count_));
    sample("ldp_collect_request_seconds_sum", shortest(seconds_));
    sample("ldp_collect_request_seconds_count", std::to_string(count_));

    const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
    single("ldp_collect_batches_total", "counter", "Stored batches.", number(batches_));
    single("ldp_collect_reports_total", "counter", "Stored reports.", number(reports_));
    single("ldp_collect_transactions_total", "counter", "Transactions that stored batches.",
           number(transactions_));
    single("ldp_collect_transaction_seconds_total", "counter",
           "Total duration of these transactions in seconds.", transaction_seconds_);
    single("ldp_collect_waiting", "gauge", "Batches waiting to be stored.", number(waiting));
    single("ldp_collect_connections", "gauge", "Open connections of clients.", number(connections));
    single("ldp_collect_crowded_out_total", "counter", "Connections closed to make room for others.",
           number(crowded_out));
    single("ldp_collect_refused_total", "counter", "Connections refused because their address had too many.",
           number(refused));
    single("ldp_collect_database_up", "gauge", "Whether the database answers.", database ? 1 : 0);
    return all;
}

}  // namespace ldp::collect
