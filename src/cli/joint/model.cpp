// ldp model SPEC SUMMARY

#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <numbers>
#include <sstream>

#include "cli/joint/counted.hpp"

namespace ldp::cli::model {

namespace {

Options options() {
    Options options = model_options();
    options.add_options()("svg", boost::program_options::value<std::string>()->default_value(""),
                          "a file to draw the graph in");
    return options;
}

std::string names(const Spec& spec, const std::vector<std::size_t>& attributes) {
    std::vector<std::string> found;
    for (const std::size_t attribute : attributes) found.push_back(spec.attributes()[attribute].name);
    return joined(found);
}

/// As text of an SVG.
std::string escaped(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        if (c == '<')
            safe += "&lt;";
        else if (c == '&')
            safe += "&amp;";
        else
            safe += c;
    }
    return safe;
}

/// Attributes in a circle, edges the broader the more information, each with its V.
std::string drawing(const Spec& spec, const Model& model) {
    constexpr double radius = 240, middle = 330, size = 2 * middle;
    const auto count = static_cast<double>(spec.attributes().size());
    const auto place = [&](std::size_t attribute, double far) {
        const double angle =
            2 * std::numbers::pi * static_cast<double>(attribute) / count - std::numbers::pi / 2;
        return std::pair(middle + far * std::cos(angle), middle + far * std::sin(angle));
    };
    double most = 0;
    for (const Association& edge : model.edges) most = std::max(most, edge.information.value);
    std::ostringstream svg;
    svg << std::setprecision(4)
        << R"(<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="13" width=")"
        << size << "\" height=\"" << size << "\"><rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    for (const Association& edge : model.edges) {
        const auto [x1, y1] = place(edge.first, radius);
        const auto [x2, y2] = place(edge.second, radius);
        svg << "<line x1=\"" << x1 << "\" y1=\"" << y1 << "\" x2=\"" << x2 << "\" y2=\"" << y2
            << "\" stroke=\"#2a6db0\" stroke-width=\""
            << 1 + (most > 0 ? 7 * std::sqrt(edge.information.value / most) : 0)
            << "\" stroke-opacity=\".6\"/>\n";
        svg << "<text x=\"" << 0.6 * x1 + 0.4 * x2 << "\" y=\"" << 0.6 * y1 + 0.4 * y2
            << "\" fill=\"#555\" font-size=\"11\">" << std::setprecision(2) << edge.cramers_v
            << std::setprecision(4) << "</text>\n";
    }
    for (std::size_t j = 0; j < spec.attributes().size(); ++j) {
        const auto [x, y] = place(j, radius);
        const auto [text_x, text_y] = place(j, radius + 18);
        const char* anchor = std::abs(text_x - middle) < 1 ? "middle" : text_x > middle ? "start" : "end";
        svg << "<circle cx=\"" << x << "\" cy=\"" << y << "\" r=\"7\" fill=\"#c0392b\"/>\n<text x=\""
            << text_x << "\" y=\"" << text_y + 4 << "\" text-anchor=\"" << anchor << "\">"
            << escaped(spec.attributes()[j].name) << "</text>\n";
    }
    svg << "</svg>\n";
    return svg.str();
}

int run(const Arguments& arguments) {
    const Counted all = counted(arguments);
    const Model model = model_of(all, arguments);
    std::cout << "edges, the strongest first: Cramer's V, bits of information, p-value\n"
              << std::setprecision(3);
    for (const Association& edge : model.edges)
        std::cout << "  " << names(all.spec, {edge.first, edge.second}) << ": " << edge.cramers_v << ", "
                  << edge.information.value << ", " << edge.p_value << "\n";
    if (model.edges.empty()) std::cout << "  none: the reports do not tell that anything hangs together\n";
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
    "how all attributes of cross tables hang together",
    "SPEC is a file, or the JSON itself. SUMMARY is a file, or - for standard input, with what\n"
    "  psql -XAtc \"SELECT ldp_agg(report) FROM TABLE\"\n"
    "writes. Tells which pairs of attributes depend on each other beyond chance, and the cliques of the "
    "graph\n"
    "that they make.",
    options,
    counted_arguments,
    run};

}  // namespace ldp::cli::model
