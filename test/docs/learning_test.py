"""Tests of demo/learning. The random words of the library have a seed, so each run draws the same reports."""

import collections
import math
import os
import random
import statistics
import unittest

import logistic as learning
import slopes
from people import CENSUS, ldp, rows_of, shuffled

PEOPLE = learning.read_people(CENSUS)
SOME = learning.split(PEOPLE, 7)[0][:6000]


def towns(runs: int, people: int) -> tuple[list[list[slopes.Record]], list[float]]:
    """Samples of a population with independent, uniform predictors, and its slopes."""
    rng, found = random.Random(5), []
    for _ in range(runs):
        town = []
        for _ in range(people):
            education, experience = rng.uniform(8, 18), rng.uniform(0, 40)
            town.append({"education": education, "experience": experience,
                         "wage": 750 + 60 * (education - 13) + 11 * (experience - 20) + rng.uniform(-225, 225)})
        found.append(town)
    return found, [60, 11]


class Learning(unittest.TestCase):
    def test_people(self) -> None:
        training, held_out = learning.split(PEOPLE, 1)
        self.assertEqual((len(PEOPLE), len(training), len(held_out)), (28155, 23000, 5155))
        people = collections.Counter(map(id, PEOPLE))
        self.assertEqual(collections.Counter(map(id, training + held_out)), people)
        for i in range(len(learning.TERMS)):
            self.assertLess(sum(person.features[i] ** 2 for person in PEOPLE) / len(PEOPLE), 2)

    def test_the_gradient_is_that_of_the_log_likelihood(self) -> None:
        model, step, seen = [0.1, -0.4, 0.7, 0.2, -0.3], 1e-6, 0
        for person in PEOPLE[:200]:
            exact = []
            for i in range(len(model)):
                losses = [learning.log_loss([m + sign * step * (i == k) for k, m in enumerate(model)], [person]) for sign in (1, -1)]
                exact.append((losses[1] - losses[0]) / (2 * step))
            length = math.sqrt(learning.dot(exact, exact))
            found = learning.clipped_gradient(model, person)
            self.assertLessEqual(learning.dot(found, found), 1 + 1e-12)
            for a, b in zip(found, exact):
                self.assertAlmostEqual(a, b * min(1.0, learning.NORM / length), 6)
            seen += length > learning.NORM
        self.assertGreater(seen, 0)
        self.assertLess(seen, 100)

    def test_the_fit_has_no_slope(self) -> None:
        model = learning.fit(SOME)
        for i in range(len(model)):
            slope = sum((person.label - learning.probability(model, person)) * person.features[i] for person in SOME)
            self.assertAlmostEqual(slope / len(SOME), 0, 9)

    def test_each_person_reports_once_and_costs_the_epsilon_of_one_report(self) -> None:
        asked = collections.Counter()
        gradient_of = learning.clipped_gradient

        def counted(model, person):
            asked[id(person)] += 1
            return gradient_of(model, person)

        learning.clipped_gradient = counted
        try:
            rounds = list(learning.train(SOME, 2, 7))
        finally:
            learning.clipped_gradient = gradient_of
        self.assertEqual(set(asked.values()), {1})
        self.assertEqual(len(asked), len(SOME))
        self.assertEqual([one.reports for one in rounds], [857, 857, 857, 857, 857, 857, 858])
        contract = ldp.Collection(learning.spec_of_rounds(2)).contract
        self.assertEqual(contract["report_epsilon"], 2)

    def test_the_gradient_of_a_round_has_the_stated_error(self) -> None:
        first = next(iter(learning.train(SOME, 1, 1)))
        truths = [learning.clipped_gradient([0.0] * len(learning.TERMS), person) for person in SOME]
        for i, (estimate, error) in enumerate(zip(first.gradient, first.errors)):
            truth = sum(one[i] for one in truths) / len(truths)
            self.assertLess(abs(estimate - truth), 5 * error)
            # n·Var is 6.37 at epsilon 1 and norm 1.
            self.assertAlmostEqual(error * math.sqrt(len(SOME) / 6.37), 1, 1)

    def test_few_people_come_near_the_fit(self) -> None:
        held_out = learning.split(PEOPLE, 7)[1]
        best = learning.log_loss(learning.fit(SOME), held_out)
        *_, last = learning.train(SOME, 4, 10)
        loss = learning.log_loss(last.model, held_out)
        self.assertLess(loss, best + 0.01)
        self.assertGreater(learning.accuracy(last.model, held_out), learning.accuracy([0.0] * 5, held_out) + 0.15)
        # With labels at random, the same rounds find no model.
        shuffled = [learning.Person(one.features, other.label) for one, other in zip(SOME, SOME[1:] + SOME[:1])]
        *_, nothing = learning.train(shuffled, 4, 10)
        self.assertGreater(learning.log_loss(nothing.model, held_out), best + 0.1)


class Slopes(unittest.TestCase):
    def test_the_influences_are_those_of_least_squares(self) -> None:
        people = slopes.read_people(CENSUS)[:3000]
        terms = [[1.0] + [slopes.unit(name, person[name]) for name in slopes.ON] for person in people]
        gram = [[sum(z[i] * z[k] for z in terms) / len(people) for k in range(3)] for i in range(3)]
        inverse = [slopes.solve(gram, [float(i == k) for k in range(3)]) for i in range(3)]
        start = [0.1, -0.2, 0.3]
        exact = slopes.FirstRound(start, inverse[1:], 1e9)
        moved = [sum(column) / len(people) for column in zip(*(slopes.influence(person, exact, start) for person in people))]
        for name, truth, first, step in zip(slopes.ON, slopes.slopes_without_privacy(people), start[1:], moved):
            self.assertAlmostEqual((first + step) * slopes.half(slopes.OF) / slopes.half(name), truth, 6)
        short = slopes.FirstRound(start, inverse[1:], 0.01)
        for person in people[:100]:
            vector = slopes.influence(person, short, start)
            self.assertLessEqual(math.sqrt(slopes.dot(vector, vector)), 0.01 * (1 + 1e-12))

    def test_dependent_predictors_are_found(self) -> None:
        with self.assertRaises(ValueError):
            slopes.solve([[1.0, 0.5], [0.5, 0.2]], [1.0, 1.0])

    def test_intervals_hold_and_are_shorter_than_those_of_one_round(self) -> None:
        towns_, truths = towns(RUNS, 12000)
        seeds = iter(range(10**6))
        collected, slopes.collected = slopes.collected, lambda collection, records: ldp.simulate_summary(
            collection, records, next(seeds))
        held, errors, earlier = 0, [[], []], [[], []]
        try:
            for town in towns_:
                for j, (one, before) in enumerate(zip(slopes.slopes_in_rounds(town, 2), slopes.slopes_in_one_round(town, 2))):
                    held += one.lower <= truths[j] <= one.upper
                    errors[j].append(one.estimate - truths[j])
                    earlier[j].append(before.estimate - truths[j])
        finally:
            slopes.collected = collected
        for j in range(2):
            shorter = statistics.pstdev(errors[j], 0) / statistics.pstdev(earlier[j], 0)
            if RUNS != 20:
                print(f"slope {j}: standard deviation {shorter:.2f} of one round's")
            self.assertLess(shorter, 0.8)
        if RUNS != 20:
            print(f"covered {held / 2 / RUNS:.3f}")
        self.assertGreaterEqual(held, 0.88 * 2 * RUNS)


#: LEARNING_RUNS=1000 measures the figures of the page.
RUNS = int(os.environ.get("LEARNING_RUNS", "20"))

if __name__ == "__main__":
    unittest.main()
