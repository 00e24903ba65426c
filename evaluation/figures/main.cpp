// The evaluation: every accuracy and cost figure of the manual, measured, drawn, and held against its closed
// form.
//
// evaluate [FOLDER [FIGURE…]]: prints tables, writes CSV and SVG into FOLDER (default build/evaluate), and
// fails if a point is off its closed form. Figures are limit, means, shares, ranges, joint, fitted_pairs,
// evolving, mixed, layers, layer_shares, thesis, series, number_series, trees, attacks, dependence, coverage
// and speed; "dominance" prints which mechanisms are never the best. All are made by default. LDP_DATA names the folder of the
// census, by default ../shared/data. Without this folder, synthetic people are used. REPETITIONS may be set
// to 20 or more; the default is 20. Run it from the project's root.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "panels.hpp"

int main(int count, char** arguments) {
    try {
        using namespace evaluation;
        const auto began = std::chrono::steady_clock::now();
        const std::string folder = count > 1 ? arguments[1] : "build/evaluate";
        const char* const data = std::getenv("LDP_DATA");
        const char* const repetitions = std::getenv("REPETITIONS");
        const Setup setup{data == nullptr ? "../shared/data" : data,
                          repetitions == nullptr ? least_repetitions : std::stoul(repetitions)};
        if (setup.repetitions < least_repetitions) throw std::runtime_error("REPETITIONS is at least 20");
        std::filesystem::create_directories(folder);
        const People people = census(setup.data);
        std::cout << "Data: " << people.title() << ", " << people.size()
                  << " people; test/data/cps1988.csv.gz; "
                  << "synthetic streams. " << setup.repetitions << " repetitions, medians.\n";

        print_published(people, std::cout);

        const std::pair<const char*, std::function<Figure()>> parts[] = {
            {"limit", [] { return limit_figure(); }},
            {"means", [&] { return means_figure(setup, people); }},
            {"shares", [&] { return shares_figure(setup, people); }},
            {"ranges", [&] { return ranges_figure(setup); }},
            {"joint", [&] { return joint_figure(setup, people); }},
            {"fitted_pairs", [&] { return fitted_pairs_figure(setup, people); }},
            {"evolving", [&] { return evolving_figure(setup); }},
            {"mixed", [&] { return mixed_figure(setup, people); }},
            {"layers", [&] { return layers_figure(setup, people); }},
            {"layer_shares", [&] { return layer_shares_figure(setup); }},
            {"thesis", [&] { return thesis_figure(setup, people); }},
            {"series", [&] { return series_figure(setup); }},
            {"number_series", [&] { return number_series_figure(setup); }},
            {"trees", [] { return trees_figure(); }},
            {"attacks", [&] { return attacks_figure(setup); }},
            {"dependence", [&] { return dependence_figure(setup); }},
            {"coverage", [&] { return coverage_figure(setup); }},
            {"speed", [] { return speed_figure(); }}};
        const std::set<std::string> wanted(arguments + std::min(count, 2), arguments + count);
        for (const std::string& name : wanted)
            if (name != "dominance" && std::ranges::find(parts, name, [](const auto& part) {
                                           return std::string(part.first);
                                       }) == std::end(parts))
                throw std::runtime_error("there is no figure " + name);
        if (wanted.empty() || wanted.contains("dominance")) print_dominance(std::cout);
        std::vector<Figure> figures;
        for (const auto& [name, make] : parts) {
            if (!wanted.empty() && !wanted.contains(name)) continue;
            Figure figure = make();
            write(figure, folder);
            print(figure, std::cout);
            figures.push_back(std::move(figure));
        }
        std::cout << "\n";
        const std::size_t off = judge(figures, std::cout);
        std::cout << "Tables and drawings are in " << folder << "; " << std::fixed << std::setprecision(0)
                  << std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count()
                  << " s\n";
        return off == 0 ? 0 : 1;
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
}
