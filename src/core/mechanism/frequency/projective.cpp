// Projective-geometry response (Feldman, Nelson, Nguyen, Talwar 2022): value v owns the v-th hyperplane of
// PG(t−1, F_q), and the points on it have the high weight. About one point in q lies on a hyperplane. With q
// near exp(ε)+1, the variance is close to the minimum for any number of values.
//
// parameters: k (4 bytes) · q (4) · t (1)

#include "core/math/projective_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/mechanism/frequency/incidence.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::projective {

namespace {

constexpr std::uint64_t max_domain = std::uint64_t{1} << 24;

class Projective final : public Incidence {
  public:
    Projective(const Header& header, Bytes block, std::uint64_t k, const ProjectiveSpace& space)
        : Incidence(header, block, k, {space.points(), space.points_on_one(), space.points_on_two()}),
          space_(space) {}

    std::vector<std::pair<std::string, double>> parameters() const override {
        auto all = Incidence::parameters();
        all.emplace_back("field", space_.field());
        all.emplace_back("dimension", space_.dimension());
        all.emplace_back("outputs", static_cast<double>(outputs()));
        return all;
    }
    // Each of t−2 dimensions takes q additions per sum, eight of them a step, and a write of the sum.
    Cost cost() const noexcept override {
        const double step = 1.5 + space_.field() / 8.0;
        return {1, static_cast<double>(outputs()) * (3 + (space_.dimension() - 2) * step)};
    }

    // Two hyperplanes v and w have points_on_two() points in common. All of them are on the hyperplane of a person's
    // value t if t is in the pencil of v and w: a linear combination of both. Otherwise points_on_three() of them are.
    std::optional<double> n_variance_of_sum(std::span<const double> weights,
                                            std::span<const double> shares) const override {
        const auto [p, q] = protocol();
        std::vector<std::uint64_t> values;
        double sum = 0, squares = 0, held = 0, held_squares = 0;
        for_each_index(weights.size(), [&](std::size_t v) {
            if (weights[v] == 0) return;
            values.push_back(v);
            sum += weights[v];
            squares += weights[v] * weights[v];
            held += shares[v] * weights[v];
            held_squares += shares[v] * weights[v] * weights[v];
        });
        double in_pencil = 2 * (sum * held - held_squares);  // pairs with the person's own value
        for (std::size_t i = 0; i < values.size(); ++i)
            for_each_index(i, [&](std::size_t j) {
                in_pencil += 2 * weights[values[i]] * weights[values[j]] *
                             others_of_pencil(values[i], values[j], shares);
            });
        const double few = chance_of_both(space_.points_on_three()),
                     all = chance_of_both(space_.points_on_two());
        const double mean_square = squares * (q - q * q) +
                                   held_squares * (p - 2 * p * q + q * q - (q - q * q)) +
                                   (few - q * q) * (sum * sum - squares) + (all - few) * in_pencil -
                                   2 * (p - q) * q * (sum * held - held_squares);
        return mean_square / ((p - q) * (p - q)) - held_squares;
    }

  private:
    /// Returns the probability of the common points of two values' hyperplanes, of which `own` are on the
    /// hyperplane of the person's value.
    [[nodiscard]] double chance_of_both(std::uint64_t own) const {
        return chance(own, space_.points_on_two() - own);
    }
    /// Returns the share of people whose value is in the pencil of two values, but neither of them.
    [[nodiscard]] double others_of_pencil(std::uint64_t one, std::uint64_t other,
                                          std::span<const double> shares) const {
        ProjectiveSpace::Vector x = space_.hyperplane(one);
        const ProjectiveSpace::Vector step = space_.hyperplane(other);
        double sum = 0;
        for_each_index(space_.field() - 1, [&](std::size_t) {
            for (unsigned i = 0; i < space_.dimension(); ++i) x[i] = (x[i] + step[i]) % space_.field();
            if (const std::uint64_t value = space_.number_of_hyperplane(x); value < shares.size())
                sum += shares[value];
        });
        return sum;
    }
    std::uint64_t draw(std::uint64_t value, bool inside, BitSource& bits) const override {
        const ProjectiveSpace::Vector x = space_.hyperplane(value);
        const std::uint64_t on = space_.points_on_one(), off = space_.points() - on;
        return inside ? space_.point_on(x, bits.below((space_.field() - 1) * on))
                      : space_.point_off(x, bits.below(off));
    }
    bool owns(std::uint64_t value, std::uint64_t output) const noexcept override {
        return space_.product(space_.hyperplane(value), space_.point(output)) == 0;
    }
    std::vector<std::uint64_t> tally(Bytes state) const override { return space_.sums(state); }
    std::uint64_t support(Bytes state, Cell value) const override {
        return space_.sum(space_.hyperplane(value), state);
    }

    ProjectiveSpace space_;
};

/// Returns n·Var at frequency 0 for an exact exp(ε).
double rare_variance(double epsilon, const ProjectiveSpace& space) {
    const double e = std::exp(epsilon);
    const auto all = static_cast<double>(space.points());
    const auto own = static_cast<double>(space.points_on_one());
    const auto shared = static_cast<double>(space.points_on_two());
    const double total = e * own + all - own;
    return PureProtocol{e * own / total, (e * shared + own - shared) / total}.n_variance(0);
}

/// Returns the space with the smallest variance and at least k points. In each dimension, three fields are
/// tried: the primes on either side of exp(ε)+1, and the smallest with at least k points. Any other field is
/// better by a fraction of a percent at most.
ProjectiveSpace choose(double epsilon, std::uint64_t k) {
    std::optional<ProjectiveSpace> best;
    double least = std::numeric_limits<double>::infinity();
    const auto ideal = static_cast<std::uint64_t>(std::exp(epsilon) + 1);
    for (unsigned t = 2; t <= ProjectiveSpace::max_dimension; ++t) {
        const auto first_with = [&](std::uint64_t points) {  // the first q with this number of points
            std::uint64_t from = 2, to = ProjectiveSpace::max_points;
            while (from < to) {
                const std::uint64_t q = (from + to) / 2;
                if (ProjectiveSpace::size(q, t).value_or(points) < points)
                    from = q + 1;
                else
                    to = q;
            }
            return from;
        };
        const std::uint64_t smallest = first_with(k);
        const std::uint64_t largest = first_with(ProjectiveSpace::max_points + 1) - 1;
        if (largest < smallest) continue;
        const std::uint64_t near = std::clamp(ideal, smallest, largest);
        for (const std::uint64_t q : {prime_from(smallest), prime_up_to(near), prime_from(near + 1)}) {
            if (q < smallest || q > largest) continue;
            const ProjectiveSpace space(static_cast<std::uint32_t>(q), t);
            if (const double variance = rare_variance(epsilon, space); variance < least) {
                least = variance;
                best = space;
            }
        }
    }
    return *best;  // with t = 2 there is a prime for every k up to max_domain (Bertrand)
}

void write(const Settings& settings, Writer& writer) {
    write_domain(settings, writer);
    const ProjectiveSpace space = choose(settings.epsilon(), settings.attributes()[0].domain);
    writer.put(space.field());
    writer.put(static_cast<std::uint8_t>(space.dimension()));
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t k = take_domain(reader, max_domain);
    const auto q = reader.take<std::uint32_t>();
    const auto t = reader.take<std::uint8_t>();
    reader.finish();
    if (!ProjectiveSpace::exists(q, t) || *ProjectiveSpace::size(q, t) < k)
        refuse_block("no projective space has this shape", "Found a field of " + std::to_string(q) +
                                                               " and dimension " + std::to_string(t) +
                                                               " for " + std::to_string(k) + " values.");
    return std::make_unique<Projective>(header, block, k, ProjectiveSpace(q, t));
}

}  // namespace

const MechanismEntry entry(
    11, "projective", "projective-geometry response",
    "a number that stands for some of the answers on the list. Chance picks them, and your "
    "own answer is among them more often than any other",
    Shape::one_categorical, max_domain, write, load, {.automatic = true});

}  // namespace ldp::projective
