// ldp synthesize SPEC SUMMARY

#include <algorithm>
#include <iostream>

#include "cli/input/csv_field.hpp"
#include "cli/progress.hpp"
#include "cli/tables/counted_summary.hpp"
#include "core/contract/labels.hpp"
#include "core/models/synthesis.hpp"
#include "simulation/seeded_random.hpp"

namespace ldp::cli::synthesize {

namespace {

namespace po = boost::program_options;

Options options() {
    Options options = model_options();
    options.add_options()("records", po::value<std::int64_t>()->default_value(1000), "number of records")(
        "seed", po::value<std::uint64_t>()->default_value(1), "equal seeds give equal records");
    return options;
}

/// Returns the text of each value of an attribute; empty for a number in bins.
std::vector<std::string> words_of(const Attribute& attribute) {
    std::vector<std::string> words;
    if (attribute.binned()) return words;
    for (std::size_t v = 0; v < attribute.domain; ++v)
        words.push_back(csv_field(label_or_number(attribute, v)));
    return words;
}

int run(const Arguments& arguments) {
    const auto count = arguments["records"].as<std::int64_t>();
    if (count < 0) throw UsageError("--records must be 0 or more");
    const Counted all = counted(arguments);
    const Model model = model_of(all, arguments);
    const std::vector<Attribute>& attributes = all.spec.attributes();
    const Synthesis synthesis(model, attributes.size());
    std::vector<std::vector<std::string>> words;
    std::string line;
    for (const Attribute& attribute : attributes) {
        line += (line.empty() ? "" : ",") + csv_field(attribute.name);
        words.push_back(words_of(attribute));
    }
    std::cout << line << "\n";
    simulation::SeededBits bits(arguments["seed"].as<std::uint64_t>());
    std::vector<std::uint32_t> values;
    for (auto left = static_cast<std::size_t>(count); left > 0;) {
        const std::size_t rows = std::min(left, Synthesis::block);
        left -= rows;
        values.resize(rows * attributes.size());
        synthesis.draw(rows, bits, values);
        for (std::size_t row = 0; row < rows; ++row) {
            line.clear();
            for (std::size_t j = 0; j < attributes.size(); ++j) {
                const std::size_t value = values[row * attributes.size() + j];
                if (j > 0) line += ',';
                const Attribute& attribute = attributes[j];
                if (!attribute.binned()) {
                    line += words[j][value];
                    continue;
                }
                const auto [low, high] = attribute.bin(value);
                line += shortest(number_in_bin(low, high, static_cast<double>(bits.fair(24)) / 0x1p24));
            }
            std::cout << line << '\n';
        }
        if (!std::cout) finish_output();
    }
    std::cout << std::flush;
    return Exit::done;
}

}  // namespace

const Command command{
    "synthesize",
    "[OPTION...] SPEC SUMMARY",
    "writes synthetic records with the estimated distribution",
    "SPEC is a file, or the JSON itself. SUMMARY is a file, or - for standard input, with the output of\n"
    "  psql -XAtc \"SELECT ldp_agg(report) FROM TABLE\"\n"
    "\n"
    "The command writes synthetic records as CSV to standard output. The records have the distribution of\n"
    "the model that ldp model shows; numbers in bins are distributed evenly within their bins. The\n"
    "records do not correspond to real people, and contain no more information about people than the\n"
    "summary.",
    options,
    counted_arguments,
    run};

}  // namespace ldp::cli::synthesize
