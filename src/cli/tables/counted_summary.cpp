#include "cli/tables/counted_summary.hpp"

#include <fstream>
#include <iostream>
#include <iterator>

#include "core/base/bytes.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/registry.hpp"
#include "core/summary/summary.hpp"
#include "core/tables/measured.hpp"

namespace ldp::cli {

namespace po = boost::program_options;

namespace {

/// Largest size of a summary's file in bytes.
constexpr std::size_t most_text = std::size_t{1} << 28;

}  // namespace

Counted counted(const Arguments& arguments) {
    const auto& name = arguments["summary"].as<std::string>();
    Spec spec = resolve(spec_text(arguments["spec"].as<std::string>()));
    const auto mechanism = make_mechanism(spec);
    std::ifstream file;
    if (name != "-") open(file, name);
    std::istream& in = name == "-" ? std::cin : file;
    std::string text(std::size_t{1} << 20, '\0');
    std::size_t used = 0;
    while (in.read(text.data() + used, static_cast<std::streamsize>(text.size() - used))) {
        used = text.size();
        if (used >= most_text) raise(ErrorCode::malformed, name + " is too long for a summary");
        text.resize(2 * used);
    }
    text.resize(used + static_cast<std::size_t>(in.gcount()));
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    std::vector<std::byte> bytes(text.size() / 2);
    if (text.empty() || !from_hex(text, bytes.data()))
        raise(ErrorCode::malformed, name + " does not contain a summary",
              "A summary is one line of hexadecimal digits.",
              "Write it with psql -XAtc \"SELECT ldp_agg(report) FROM TABLE\".");
    if (!is_summary_of(*mechanism, bytes)) {
        static_cast<void>(load_mechanism(bytes, Kind::summary));
        raise_incompatible(mechanism->block(), bytes);
    }
    check_summary(*mechanism, bytes);
    return {std::move(spec), measured_for_model(view_of(*mechanism, bytes))};
}

Options model_options() {
    Options options;
    options.add_options()("spec", po::value<std::string>()->required())(
        "summary", po::value<std::string>()->required())("significance",
                                                         real_number(ModelOptions{}.significance),
                                                         "largest p-value of a pair that becomes an edge")(
        "cells", po::value<std::int64_t>()->default_value(ModelOptions{}.most_cells),
        "largest number of cells of a clique's table");
    return options;
}

Model model_of(const Counted& counted, const Arguments& arguments) {
    return ldp::model_of(counted.measured,
                         {arguments["significance"].as<double>(), arguments["cells"].as<std::int64_t>()});
}

}  // namespace ldp::cli
