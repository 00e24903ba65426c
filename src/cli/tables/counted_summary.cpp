#include "cli/tables/counted_summary.hpp"

#include "core/choice/resolve.hpp"
#include "core/summary/summary.hpp"
#include "core/tables/measured.hpp"

namespace ldp::cli {

namespace po = boost::program_options;

Counted counted(const Arguments& arguments) {
    const auto& name = arguments["summary"].as<std::string>();
    Spec spec = resolve(spec_text(arguments["spec"].as<std::string>()));
    const auto mechanism = make_mechanism(spec);
    const std::vector<std::byte> bytes = summary_in_file(name, *mechanism);
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
