// What client and server take for a report. Times are of the machine that this runs on; ratios to adding up
// the same bytes depend on it little.

#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "../shared/experiment.hpp"
#include "core/choice/resolve.hpp"
#include "core/summary/summary.hpp"
#include "panels.hpp"
#include "simulation/seeded_random.hpp"

namespace evaluation {

namespace {

constexpr std::size_t blocks = 20;  // of reports, each timed by itself

struct Subject {
    std::string name, spec;
};

std::vector<Subject> subjects() {
    std::vector<Subject> all;
    const auto vector = [&](const std::string& name, const std::string& rest, const std::string& each = {}) {
        all.push_back({name, "{\"epsilon\": 1, " + rest + ", " + numbers(16, each) + "}"});
    };
    vector("haar, sampled", R"("mechanism": "haar")");
    vector("haar, global", R"("mechanism": "haar", "details": "global")");
    for (const std::string candidate : {"optimal", "piecewise", "hybrid", "duchi", "laplace"})
        vector("sampled, " + candidate, R"("mechanism": "sampled")",
               ", \"mechanism\": \"" + candidate + "\"");
    vector("duchi_vector", R"("mechanism": "duchi_vector")");
    for (const auto& [name, rest] :
         {std::pair{"grr", R"("mechanism": "grr")"},
          {"oue", R"("mechanism": "oue")"},
          {"l_grr", R"("mechanism": "l_grr")"},
          {"l_osue", R"("mechanism": "l_osue")"},
          {"loloha, best", R"("mechanism": "loloha")"},
          {"rappor, two layers", R"("mechanism": "rappor", "report_epsilon": 0.5)"},
          {"dbitflip, 16 bits", R"("mechanism": "dbitflip", "bits_per_report": 16)"}})
        all.push_back({name, std::string("{\"epsilon\": 1, \"domain\": 360, ") + rest + "}"});
    return all;
}

template <class Work>
double nanoseconds(Work work) {
    const auto began = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - began).count();
}

/// Number of people; the server counts their reports repeatedly.
struct Load {
    double users;
    std::size_t reports, passes;
};
constexpr Load loads[] = {{1e4, 10000, 1}, {1e5, 100000, 1}, {1e6, 1000000, 1}, {1e7, 1000000, 10}};

}  // namespace

Figure speed_figure() {
    const char* const users = "users";
    const std::vector<double> marks{1e4, 1e5, 1e6, 1e7};
    Panel client{"client (this machine)", users, "ns a report", {}, marks}, server = client, ratio = client,
                                                                            bytes = client, answer = client;
    client.marks.pop_back();
    server.title = "server (this machine)";
    ratio.title = "server, as a ratio", ratio.y = "times what adding up the same bytes takes";
    bytes.title = "size", bytes.y = "bytes a report";
    answer.title = "one answer (this machine)", answer.y = "microseconds";
    const std::vector<Subject> all = subjects();
    Progress progress("speed", all.size() * std::size(loads));
    for (const Subject& subject : all) {
        const auto mechanism = ldp::make_mechanism(ldp::resolve(subject.spec));
        for (Panel* panel : {&client, &server, &ratio, &bytes, &answer})
            panel->curves.push_back({subject.name, {}});
        ldp::simulation::SeededBits bits(11);
        const std::vector<std::uint64_t> cells = mechanism->cells();
        std::vector<ldp::Cell> input(cells.size());
        std::vector<std::byte> reports;
        std::size_t size = 0;
        std::uint64_t kept = 0;  // what the baseline adds up, so that it is not left out
        for (const auto& [load, count, passes] : loads) {
            Point perturbing{load, {}, {}}, counting = perturbing, compared = perturbing;
            std::vector<std::byte> summary(ldp::summary_size(*mechanism));
            ldp::start_summary(*mechanism, summary);
            const std::size_t block = count / blocks;
            for (std::size_t b = 0; b < blocks; ++b) {
                if (passes == 1) {
                    if (b == 0) reports.clear();
                    perturbing.found.push_back(
                        nanoseconds([&] {
                            for (std::size_t i = 0; i < block; ++i) {
                                for (std::size_t j = 0; j < input.size(); ++j)
                                    input[j] = (b * block + i) * (j + 7) % cells[j];
                                const ldp::Report report = mechanism->perturb(input, bits);
                                size = report.size();
                                reports.insert(reports.end(), report.begin(), report.end());
                            }
                        }) /
                        static_cast<double>(block));
                }
                const ldp::Bytes part(reports.data() + b * block * size, block * size);
                const auto steps = static_cast<double>(block * passes);
                const double took = nanoseconds([&] {
                    for (std::size_t pass = 0; pass < passes; ++pass)
                        for (std::size_t i = 0; i < block; ++i)
                            if (ldp::accumulate(*mechanism, summary, part.subspan(i * size, size)) !=
                                ldp::Outcome::ok)
                                throw std::logic_error("a summary refused an honest report");
                });
                const double baseline = nanoseconds([&] {
                    for (std::size_t pass = 0; pass < passes; ++pass)
                        for (const std::byte byte : part) kept += std::to_integer<std::uint64_t>(byte);
                });
                counting.found.push_back(took / steps);
                compared.found.push_back(took / baseline);
            }
            Point answering{load, {}, {}};
            for (std::size_t b = 0; b < blocks; ++b)
                answering.found.push_back(nanoseconds([&] {
                                              const auto estimates =
                                                  ldp::estimate(ldp::view_of(*mechanism, summary),
                                                                {mechanism->answers()[0]});
                                              kept += estimates.size();
                                          }) /
                                          1000);
            if (passes == 1) client.curves.back().points.push_back(std::move(perturbing));
            server.curves.back().points.push_back(std::move(counting));
            ratio.curves.back().points.push_back(std::move(compared));
            answer.curves.back().points.push_back(std::move(answering));
            bytes.curves.back().points.push_back(
                {load, std::vector<double>(blocks, static_cast<double>(size)), {}});
            progress.step();
        }
        if (kept == 0) throw std::logic_error("reports without bytes");
    }
    return {"speed",
            {std::move(ratio), std::move(bytes), std::move(client), std::move(server), std::move(answer)}};
}

}  // namespace evaluation
