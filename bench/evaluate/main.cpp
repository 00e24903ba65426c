// The evaluation: every accuracy and cost figure of the manual, measured, drawn, and held against its closed
// form.
//
// evaluate [FOLDER]: prints tables, writes CSV and SVG into FOLDER (default build/evaluate), and fails if a
// point lies off its closed form. LDP_DATA names the folder of the census; by default it is ../shared/data,
// and if there is none, made-up people stand in. REPETITIONS may be set, at least and by default 20. It runs
// from the project's root.

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <stdexcept>

#include "../published_haar.hpp"
#include "panels.hpp"

int main(int count, char** arguments) {
    try {
        using namespace bench;
        const auto began = std::chrono::steady_clock::now();
        const std::string folder = count > 1 ? arguments[1] : "build/evaluate";
        const char* const data = std::getenv("LDP_DATA");
        const char* const repetitions = std::getenv("REPETITIONS");
        const Setup setup{data == nullptr ? "../shared/data" : data,
                          repetitions == nullptr ? least_repetitions : std::stoul(repetitions)};
        if (setup.repetitions < least_repetitions) throw std::runtime_error("REPETITIONS is at least 20");
        std::filesystem::create_directories(folder);
        check_published_haar();
        std::cout
            << "The published Haar pipeline at a claimed epsilon of 1 truly costs 16 with 15 details, and 1 "
               "more for the mean; as released, it has no bound.\n";
        const People people = census(setup.data);
        std::cout << "Data: " << people.title() << ", " << people.size()
                  << " people; test/data/cps1988.csv.gz; "
                  << "synthetic streams. " << setup.repetitions << " repetitions, medians.\n";

        std::vector<Figure> figures;
        const auto add = [&](Figure figure) {
            write(figure, folder);
            print(figure, std::cout);
            figures.push_back(std::move(figure));
        };
        add(numbers_figure(setup));
        add(means_figure(setup, people));
        add(shares_figure(setup, people));
        add(ranges_figure(setup));
        add(joint_figure(setup, people));
        add(evolving_figure(setup));
        add(series_figure(setup));
        add(speed_figure());
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
