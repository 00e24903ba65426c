#include "population.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <numbers>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "../../test/support/seeded_words.hpp"

namespace evaluation {

namespace {

double uniform(ldp::BitSource& bits) {
    return std::ldexp(static_cast<double>(bits.word() >> 11), -53);
}

/// A value of 0..size−1 on [−1,1].
double scaled(double value, double size) {
    return 2 * value / (size - 1) - 1;
}

constexpr double census_domains[] = {16, 7, 16, 16, 16, 7, 14, 6, 5, 2, 16, 16, 16, 41, 2};
constexpr std::size_t census_people = 45222;

/// Most people have one of a few values next to each other, as in the census.
People made_up_census() {
    ldp::test::SeededBits bits(1994);
    std::vector<double> values;
    for (std::size_t i = 0; i < census_people; ++i)
        for (const double size : census_domains) {
            const double middle = std::floor(0.3 * size), fall = -std::log(uniform(bits)) * 0.12 * size;
            const double value = middle + (bits.word() % 2 == 0 ? fall : -fall);
            values.push_back(scaled(std::clamp(std::round(value), 0.0, size - 1), size));
        }
    return {"a made-up census (no adult_coarse.csv.gz found)",
            std::size(census_domains),
            std::move(values),
            {std::begin(census_domains), std::end(census_domains)}};
}

/// Calls visit(line) for each line of a compressed file, without the first one if it is a header.
template <class Visit>
void for_each_line(const std::string& file, Visit visit, bool header = true) {
    setenv("LDP_BENCH_FILE", file.c_str(), 1);
    const std::unique_ptr<FILE, int (*)(FILE*)> gzip(popen("gzip -dc -- \"$LDP_BENCH_FILE\"", "r"), pclose);
    char line[1024];
    while (gzip && std::fgets(line, sizeof(line), gzip.get()) != nullptr)
        if (!std::exchange(header, false)) visit(line);
}

std::vector<double> domains(std::ifstream& file) {
    std::vector<double> sizes;
    std::string line, name, kind;
    std::getline(file, line);  // how many there are
    for (double size = 0; std::getline(file, line) && std::istringstream(line) >> name >> kind >> size;)
        sizes.push_back(size);
    return sizes;
}

}  // namespace

People::People(std::string title, std::size_t d, std::vector<double> values, std::vector<std::size_t> sizes)
    : title_(std::move(title)), d_(d), values_(std::move(values)), sizes_(std::move(sizes)), means_(d) {
    for (std::size_t at = 0; at < values_.size(); ++at) means_[at % d] += values_[at];
    for (double& mean : means_) mean /= static_cast<double>(size());
}

People People::first(std::size_t d) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < size(); ++i)
        values.insert(values.end(), (*this)[i].begin(), (*this)[i].begin() + static_cast<std::ptrdiff_t>(d));
    return {title_,
            d,
            std::move(values),
            {sizes_.begin(), sizes_.begin() + static_cast<std::ptrdiff_t>(std::min(d, sizes_.size()))}};
}

People census(const std::string& folder) {
    const std::string csv = folder + "/adult_coarse.csv.gz";
    std::ifstream domain_file(folder + "/adult_coarse.domain");
    if (!domain_file || !std::ifstream(csv)) return made_up_census();
    const std::vector<double> sizes = domains(domain_file);

    std::vector<double> values;
    for_each_line(csv, [&](const char* at) {
        for (const double size : sizes) {
            char* end = nullptr;
            const double value = std::strtod(at, &end);
            if (end == at || value < 0 || value >= size)
                throw std::runtime_error(csv + " does not agree with its domains");
            values.push_back(scaled(value, size));
            at = end + (*end == ',' ? 1 : 0);
        }
    });
    if (values.empty()) throw std::runtime_error(csv + " cannot be read");
    return {"the 1994 census (Adult)", sizes.size(), std::move(values), {sizes.begin(), sizes.end()}};
}

People thesis_data(const std::string& folder, int number) {
    const struct {
        int number;
        std::size_t people, attributes;
    } shapes[] = {{4, 21574, 16}, {7, 21574, 16}, {8, 10000, 16},
                  {10, 21574, 6}, {11, 574, 6},   {14, 21574, 16}};
    const auto shape = std::ranges::find(shapes, number, [](const auto& one) { return one.number; });
    if (shape == std::end(shapes)) throw std::logic_error("there is no such data set");
    const std::string name = std::to_string(number), csv = folder + "/thesis/data" + name + ".csv.gz";
    const std::vector<std::size_t> sizes(shape->attributes, 2);
    std::vector<double> values;
    if (!std::ifstream(csv)) {
        ldp::test::SeededBits bits(static_cast<std::uint64_t>(number));
        for (std::size_t i = 0; i < shape->people; ++i) {
            const double trait = uniform(bits);  // what a person's answers have in common
            for (std::size_t j = 0; j < shape->attributes; ++j)
                values.push_back(uniform(bits) < 0.6 * trait ? 1 : -1);
        }
        return {"synthetic answers for the missing data set " + name, shape->attributes, std::move(values),
                sizes};
    }
    for_each_line(
        csv,
        [&](const char* at) {
            for (std::size_t j = 0; j < shape->attributes; ++j) {
                char* end = nullptr;
                const double value = std::strtod(at, &end);
                if (end == at || (value != 0 && value != 1))
                    throw std::runtime_error(csv + " has another format");
                values.push_back(2 * value - 1);
                at = end + (*end == ',' ? 1 : 0);
            }
        },
        false);
    if (values.empty()) throw std::runtime_error(csv + " cannot be read");
    return {"data set " + name, shape->attributes, std::move(values), sizes};
}

People employees() {
    const std::string csv = "test/data/cps1988.csv.gz";
    // Public ranges; a larger income is clamped to the upper bound.
    const struct {
        double low, high;
        std::vector<std::string> labels;
    } columns[] = {{0, 2500, {}},         {0, 18, {}},
                   {-4, 64, {}},          {0, 1, {"afam", "cauc"}},
                   {0, 1, {"no", "yes"}}, {0, 3, {"northeast", "midwest", "south", "west"}},
                   {0, 1, {"no", "yes"}}};
    std::vector<double> values;
    for_each_line(csv, [&](const char* line) {
        std::istringstream fields(line);
        for (const auto& [low, high, labels] : columns) {
            std::string field;
            std::getline(fields >> std::ws, field, ',');
            while (!field.empty() && std::isspace(static_cast<unsigned char>(field.back()))) field.pop_back();
            double value = 0;
            if (labels.empty()) {
                value = std::stod(field);
            } else {
                const auto found = std::ranges::find(labels, field);
                if (found == labels.end()) throw std::runtime_error(csv + " has an unknown label " + field);
                value = static_cast<double>(found - labels.begin());
            }
            values.push_back(2 * (std::clamp(value, low, high) - low) / (high - low) - 1);
        }
    });
    if (values.empty()) throw std::runtime_error(csv + " cannot be read");
    return {"employees of 1988 (CPS)", std::size(columns), std::move(values)};
}

People days(std::size_t people, std::size_t times) {
    const auto day = static_cast<double>(times);
    ldp::test::SeededBits bits(32);
    std::vector<double> values;
    values.reserve(people * times);
    for (std::size_t i = 0; i < people; ++i) {
        const double level = 0.8 * uniform(bits) - 0.4, swing = 0.5 * uniform(bits);
        const double phase = day * uniform(bits);
        for (std::size_t t = 0; t < times; ++t) {
            // Normal, by Box and Muller.
            const double noise = 0.02 * std::sqrt(-2 * std::log(1 - uniform(bits))) *
                                 std::cos(2 * std::numbers::pi * uniform(bits));
            const double angle = 2 * std::numbers::pi * (static_cast<double>(t) + phase) / day;
            values.push_back(std::clamp(level + swing * std::sin(angle) + noise, -1.0, 1.0));
        }
    }
    return {"smooth days of " + std::to_string(times) + " readings", times, std::move(values)};
}

}  // namespace evaluation
