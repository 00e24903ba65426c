// ldp model SPEC SUMMARY

#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <numbers>
#include <sstream>

#include "cli/tables/counted_summary.hpp"
#include "plot/sheet.hpp"

namespace ldp::cli::model {

namespace {

Options options() {
    Options options = model_options();
    options.add_options()("svg", boost::program_options::value<std::string>()->default_value(""),
                          "file for a drawing of the graph");
    return options;
}

std::string names(const Spec& spec, const std::vector<std::size_t>& attributes) {
    std::vector<std::string> found;
    for (const std::size_t attribute : attributes) found.push_back(spec.attributes()[attribute].name);
    return joined(found);
}

/// Draws attributes in a circle. The width of an edge shows its mutual information; its label is Cramér's V.
std::string drawing(const Spec& spec, const Model& model) {
    constexpr double height = 480, middle = 50;
    const auto count = static_cast<double>(spec.attributes().size());
    const auto place = [&](std::size_t attribute, double radius) {
        const double angle =
            2 * std::numbers::pi * static_cast<double>(attribute) / count - std::numbers::pi / 2;
        return std::pair(middle + 0.9 * radius * std::cos(angle),
                         height / 100 * (middle + radius * std::sin(angle)));
    };
    constexpr double radius = 38;
    double most = 0;
    for (const Association& edge : model.edges) most = std::max(most, edge.information.value);
    plot::Canvas canvas;
    for (const Association& edge : model.edges) {
        const auto [x1, y1] = place(edge.first, radius);
        const auto [x2, y2] = place(edge.second, radius);
        canvas.line(x1, y1, x2, y2, "c0", 1 + (most > 0 ? 7 * std::sqrt(edge.information.value / most) : 0));
        std::ostringstream cramers_v;
        cramers_v << std::setprecision(2) << edge.cramers_v;
        canvas.text(0.6 * x1 + 0.4 * x2, 0.6 * y1 + 0.4 * y2, "m", cramers_v.str());
    }
    for (std::size_t j = 0; j < spec.attributes().size(); ++j) {
        const auto [x, y] = place(j, radius);
        const auto [text_x, text_y] = place(j, radius + 5);
        canvas.circle(x, y, 7, "c1");
        canvas.text(text_x, text_y + 4,
                    std::abs(text_x - middle) < 1 ? "t c"
                    : text_x > middle             ? "t"
                                                  : "t e",
                    spec.attributes()[j].name);
    }
    plot::ChartLayout sheet;
    sheet.row({{canvas.drawing(height)}});
    return sheet.svg();
}

int run(const Arguments& arguments) {
    const Counted all = counted(arguments);
    const Model model = model_of(all, arguments);
    std::cout << "edges, the strongest first: Cramer's V, bits of information, p-value\n"
              << std::setprecision(3);
    for (const Association& edge : model.edges)
        std::cout << "  " << names(all.spec, {edge.first, edge.second}) << ": " << edge.cramers_v << ", "
                  << edge.information.value << ", " << edge.p_value << "\n";
    if (model.edges.empty()) std::cout << "  none: no pair of attributes is significantly associated\n";
    std::cout << "cliques, each with the attributes that it shares with an earlier one\n";
    for (const Clique& clique : model.cliques) {
        std::cout << "  " << names(all.spec, clique.table.attributes) << " (" << clique.table.shares.size()
                  << " cells)";
        if (!clique.separator.empty()) std::cout << ", through " << names(all.spec, clique.separator);
        std::cout << "\n";
    }
    if (const auto& name = arguments["svg"].as<std::string>(); !name.empty()) {
        std::ofstream file(name);
        if (!(file << drawing(all.spec, model) << std::flush))
            throw Error(ErrorCode::environment, "cannot write " + name, {},
                        "Check the name and its permissions.");
        std::cout << "drawn in " << name << "\n";
    }
    std::cout << std::flush;
    return Exit::done;
}

}  // namespace

const Command command{
    "model",
    "[OPTION...] SPEC SUMMARY",
    "shows the graph of associated attributes",
    "SPEC is a file, or the JSON itself. SUMMARY is a file, or - for standard input, with the output of\n"
    "  psql -XAtc \"SELECT ldp_agg(report) FROM TABLE\"\n\n"
    "The command prints the pairs of attributes that are significantly associated, and the cliques of their\n"
    "graph.",
    options,
    counted_arguments,
    run};

}  // namespace ldp::cli::model
