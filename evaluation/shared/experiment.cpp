#include "experiment.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/base/text.hpp"
#include "core/channel/numeric.hpp"
#include "core/choice/resolve.hpp"
#include "core/summary/summary.hpp"

namespace evaluation {

Experiment::Experiment(const std::string& json)
    : spec_(ldp::resolve(json)),
      mechanism_(ldp::make_mechanism(spec_)),
      summary_(ldp::summary_size(*mechanism_)) {
    ldp::start_summary(*mechanism_, summary_);
    const std::vector<std::uint64_t> cells = mechanism_->cells();
    cells_.resize(cells.size());
    for (std::size_t j = 0; j < cells.size(); ++j) {
        const ldp::Attribute& attribute = spec_.attributes()[j];
        const auto steps = static_cast<double>(cells[j] - 1);
        scales_.push_back(attribute.numeric() ? Scale{attribute.min, attribute.max, steps}
                                              : Scale{-1, 1, steps});
    }
}

void Experiment::ask(std::span<const double> person, ldp::BitSource& bits) {
    for (std::size_t j = 0; j < cells_.size(); ++j) {
        const auto [low, high, steps] = scales_[j];
        const double place = (std::clamp(person[j], low, high) - low) / (high - low) * steps;
        cells_[j] = ldp::grid_point(place, static_cast<std::uint64_t>(steps)).draw(bits);
    }
    count(cells_, bits);
}

void Experiment::count(ldp::Input cells, ldp::BitSource& bits) {
    if (ldp::accumulate(*mechanism_, summary_, mechanism_->perturb(cells, bits)) != ldp::Outcome::ok)
        throw std::logic_error("a summary refused an honest report");
}

ldp::SummaryView Experiment::part(std::size_t attribute) const {
    return ldp::part(ldp::view_of(*mechanism_, summary_), attribute);
}

std::vector<double> Experiment::means() const {
    std::vector<double> means;
    for (const auto& [value, error] :
         ldp::estimate(ldp::view_of(*mechanism_, summary_), {ldp::Quantity::means}))
        means.push_back(value);
    return means;
}

double Experiment::parameter(const std::string& name) const {
    for (const auto& [known, value] : mechanism_->parameters())
        if (known == name) return value;
    throw std::logic_error("no parameter " + name);
}

std::string numbers(std::size_t d, const std::string& more) {
    std::string list;
    for (std::size_t j = 0; j < d; ++j)
        list += (j == 0 ? "" : ", ") + ("{\"name\": \"" + std::to_string(j)) + "\", \"min\": -1, \"max\": 1" +
                more + "}";
    return "\"attributes\": [" + list + "]";
}

NumericCandidate::NumericCandidate(const char* name, double epsilon, const std::string& more)
    : name_(name),
      mechanism_(ldp::make_mechanism(ldp::resolve("{\"mechanism\": \"" + std::string(name) +
                                                  "\", \"epsilon\": " + ldp::shortest(epsilon) +
                                                  ", \"min\": -1, \"max\": 1" + more + "}"))) {}

}  // namespace evaluation
