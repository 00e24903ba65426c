"""The benchmark (ldp.benchmark), without a server. LDP is the command ldp, which proves the epsilon of the library's entries."""
# Length: all tests use the mechanisms at the top, which the command and the program of a test also load from this file.

import csv
import gzip
import io
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from statistics import NormalDist, fmean, stdev
from unittest import mock

import ldp
from ldp import native
from ldp.benchmark import (WORKLOADS, EntryError, Population, PythonEntry, Row, Settings, channel_epsilon, clipped, contest, from_file,
                           load_class, lower_bound, norm_sub, page, synthetic)
from ldp.benchmark import library
from ldp.benchmark.peers import Hdg, HierarchicalHistograms, PrefixExtension, PrivUnit
from ldp.benchmark.special import incomplete_beta, proportion_lower, proportion_upper, student_critical

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PAGE = os.path.join(ROOT, "doc", "benchmark.md")
#: Columns of the CSV file that may differ between two runs.
TIMES = {"report_microseconds"}


class Response:
    """Randomized response over the categories (generalized randomized response), at a given true epsilon."""

    spent = None

    def __init__(self, workload, epsilon):
        self.size, self.epsilon = workload.size, epsilon
        e = math.exp(self.spent or epsilon)
        self.true, self.other = e / (e + self.size - 1), 1 / (e + self.size - 1)

    def randomize(self, values):
        return [value if random.random() < self.true - self.other else random.randrange(self.size) for value in values]

    def estimate(self, reports):
        return [(reports.count(value) / len(reports) - self.other) / (self.true - self.other) for value in range(self.size)]


class False_(Response):
    """Claims 1 and spends 3."""

    spent = 3


class Stated(Response):
    """States its channel."""

    def channel(self):
        return {value: {report: self.true if report == value else self.other for report in range(self.size)} for value in range(self.size)}


class Lying(Stated):
    """States the channel of epsilon 1, and spends 3."""

    def __init__(self, workload, epsilon):
        super().__init__(workload, epsilon)
        self.honest = Response(workload, 3)

    def randomize(self, values):
        return self.honest.randomize(values)


class Laplace:
    """The mean of a number in [-1, 1] with Laplace noise, and intervals."""

    def __init__(self, workload, epsilon):
        self.epsilon = epsilon

    def randomize(self, values):
        return [value + random.choice((-1, 1)) * random.expovariate(self.epsilon / 2) for value in values]

    def estimate(self, reports):
        mean = fmean(reports)
        return [{"estimate": mean, "stderr": stdev(reports) / math.sqrt(len(reports)) if len(reports) > 1 else None}]


class Words:
    """Finds the strings of two known ones by randomized response, and lists both."""

    KNOWN = ("first", "second")

    def __init__(self, workload, epsilon):
        self.epsilon = epsilon
        self.true = math.exp(epsilon) / (math.exp(epsilon) + 1)

    def randomize(self, values):
        return [int((value == self.KNOWN[1]) == (random.random() < self.true)) for value in values]

    def estimate(self, reports):
        share = (fmean(reports) - (1 - self.true)) / (2 * self.true - 1)
        return [{"label": label, "estimate": x, "stderr": 0.1} for label, x in zip(self.KNOWN, (1 - share, share))]


PROGRAM = '''
import json, random, sys
sys.path.insert(0, TESTS)
from test_benchmark import Response
from types import SimpleNamespace
for line in sys.stdin:
    request = json.loads(line)
    entry = Response(SimpleNamespace(size=request["size"]), request["epsilon"])
    if request["verb"] == "randomize":
        random.seed(request["seed"])
        response = {"reports": entry.randomize(request["values"])}
    else:
        response = {"estimates": entry.estimate(request["reports"])}
    print(json.dumps(response), flush=True)
'''


def command(*arguments, cwd=None, **environment):
    """Runs python3 -m ldp.benchmark --quick with the package of this test."""
    packages = os.path.dirname(os.path.dirname(os.path.abspath(ldp.__file__)))
    return subprocess.run([sys.executable, "-m", "ldp.benchmark", "--quick", *arguments], cwd=cwd, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, encoding="utf-8",
                          env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONPATH": packages, **environment})


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def entry_of(kind, workload="shares", size=8, people=1000, epsilon=1.0):
    return PythonEntry(kind, WORKLOADS[workload](size, people), epsilon)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, text=""):
        path = os.path.join(self.folder, name)
        if text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return path

    def rows(self, path):
        return {row["entry"]: row for row in csv.DictReader(io.StringIO(read(path)))}


class Command(Case):
    def test_the_example_of_the_page(self):
        """The mechanism of 20 lines of the page is in the table, with error, coverage, bytes and a lower bound of epsilon."""
        text = read(PAGE)
        example = re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1)
        self.assertLessEqual(len(example.splitlines()), 20)
        self.file("mine.py", example)
        line = next(line for line in text.splitlines() if re.match(r"    python3 -m ldp.benchmark .*mine.py", line))
        arguments = line.split()[3:]
        run = command(*arguments, cwd=self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        row = next(line.split() for line in run.stdout.splitlines() if line.startswith("  Mine  "))
        name, source, claimed, sign, kept, method, error = row[:7]
        self.assertEqual((name, source, claimed, sign, method), ("Mine", "own", "1", "≥", "attack"))
        self.assertTrue(0.7 < float(kept) <= 1, kept)
        self.assertTrue(0.005 < float(error) < 0.2, error)
        coverage, size, time = row[-3:]
        self.assertTrue(70 <= float(coverage.rstrip("%")) <= 100)
        self.assertGreaterEqual(float(size), 1)
        self.assertGreater(float(time), 0)

    def test_a_false_claim(self):
        """A mechanism that claims 1 and spends 3 is listed at about 3, among the library's mechanisms at that epsilon."""
        table, html = self.file("out.csv"), self.file("out.html")
        run = command("--entry", f"{__file__}:False_", "--entry", f"{__file__}:Response", "--post", "none", "--csv", table, "--html", html)
        self.assertEqual(run.returncode, 1, run.stderr)
        everything = list(csv.DictReader(io.StringIO(read(table))))
        false = next(row for row in everything if row["entry"] == "False_")
        kept = float(false["epsilon_kept"])
        self.assertTrue(2.5 <= kept <= 3.05, kept)
        self.assertEqual((float(false["epsilon_claimed"]), false["overspends"], false["kept_method"]), (1, "True", "attack"))
        peers = [row for row in everything if float(row["epsilon_compared"]) == kept and row["source"] == "library"]
        self.assertEqual(len(peers), 8)
        self.assertTrue(all(float(row["epsilon_claimed"]) == kept for row in peers))
        # At the claimed epsilon it would win by far; at the kept one it is near grr, with a larger true epsilon.
        grr = next(row for row in peers if row["entry"] == "grr")
        self.assertTrue(0.4 < float(false["rmse"]) / float(grr["rmse"]) < 1.3)
        honest = next(row for row in everything if row["entry"] == "Response")
        self.assertEqual((honest["overspends"], float(honest["epsilon_compared"])), ("False", 1))
        self.assertEqual([float(row["epsilon_compared"]) for row in everything], sorted(float(row["epsilon_compared"]) for row in everything))
        self.assertIn(f"compared at ε = {kept:.3g}, the ε that False_ spends at least", run.stdout)
        self.check_page(read(html), everything)

    def check_page(self, text, everything):
        checker = Page()
        checker.feed(text)
        self.assertEqual(checker.open, [])
        self.assertEqual(checker.count["svg"], 2)
        self.assertNotIn("script", checker.count)
        for row in everything:
            self.assertIn(f'text-anchor="end">{row["entry"]}</text>', text)
            self.assertIn(f"<td>{row['entry']}</td>", text)
        self.assertNotRegex(text, r"(src|href)=|https?:|url\(")

    def test_a_program_equals_the_class(self):
        """A program that speaks JSON lines gives the figures of the same mechanism as a class."""
        program = self.file("program.py", PROGRAM.replace("TESTS", repr(os.path.dirname(os.path.abspath(__file__)))))
        table = self.file("out.csv")
        run = command("--command", f"{sys.executable} {program}", "--entry", f"{__file__}:Response", "--csv", table, "--size", "4",
                      "--samples", "1000", "--people", "1000", "--post", "none", LDP="")
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = self.rows(table)
        own = [row for row in rows.values() if row["source"] == "own"]
        self.assertEqual(len(own), 2)
        for name in set(own[0]) - TIMES - {"entry"}:
            self.assertEqual(own[0][name], own[1][name], name)

    def test_a_program_that_fails(self):
        for program, message in (("true", "without a response"), ("echo nonsense", "nonsense"), ("echo '{\"reports\": 1}'", "no array"),
                                 ("echo '{\"reports\": [1]}'", "1 reports for 16000 values")):
            run = command("--command", program, LDP="")
            self.assertEqual(run.returncode, 2, program)
            self.assertIn(message, run.stderr)

    def test_equal_commands_give_equal_figures(self):
        """Two runs differ only in times, if the library has ldp_simulate_summary; else the library's own figures differ, too."""
        found = []
        for name in ("one.csv", "two.csv"):
            table = self.file(name)
            run = command("--workload", "ranges", "--workload", "vectors", "--csv", table, "--people", "500", "--samples", "400",
                          LDP="", PYTHONHASHSEED=str(len(found) + 1))
            self.assertEqual(run.returncode, 0, run.stderr)
            found.append([{key: value for key, value in row.items() if key not in TIMES}
                          for row in csv.DictReader(io.StringIO(read(table)))])
        if not native.has("ldp_simulate_summary"):
            found = [[row for row in one if row["source"] != "library"] for one in found]
            for row in found[0] + found[1]:
                del row["library_ratio"]
            found = [sorted(one, key=lambda row: (row["workload"], row["entry"])) for one in found]
        self.assertGreater(len(found[0]), 3)
        self.assertEqual(found[0], found[1])

    def test_strings_and_series(self):
        """The library and the peer list strings with F1, and all entries of series have the epsilon of the whole series."""
        table = self.file("out.csv")
        run = command("--workload", "strings", "--workload", "changing", "--csv", table, "--epsilon", "4", "--samples", "400")
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = list(csv.DictReader(io.StringIO(read(table))))
        strings = {row["entry"]: row for row in rows if row["workload"] == "strings"}
        self.assertEqual(set(strings), {"strings", "strings + significant", "PEM"})
        self.assertTrue(all(0 < float(row["f1"]) <= 1 for row in strings.values()))
        series = [row for row in rows if row["workload"] == "changing"]
        self.assertEqual(len(series), 3)
        self.assertTrue(all(row["f1"] == "" and float(row["epsilon_claimed"]) == 4 for row in series))
        for row in series:
            self.assertAlmostEqual(float(row["epsilon_kept"]), 4)
            self.assertEqual(row["kept_method"], "proof" if os.environ.get("LDP") else "stated")

    def test_consistent_shares(self):
        """--post selects the methods of the library, too."""
        table = self.file("out.csv")
        run = command("--people", "500", "--post", "power", "--post", "clip", "--csv", table, LDP="")
        self.assertEqual(run.returncode, 0, run.stderr)
        names = set(self.rows(table))
        self.assertTrue({"grr", "grr + power", "grr + clip"} <= names, names)
        self.assertFalse(any("norm" in name for name in names))

    def test_invalid_arguments(self):
        for arguments, message in ((["--entry", "nowhere.py:Mine"], "nowhere.py"), (["--entry", "Mine"], "FILE.py:Class"),
                                   (["--data", "nowhere.csv", "--column", "a"], "nowhere.csv"), (["--size", "1"], "at least 2"),
                                   (["--repetitions", "1"], "at least 2"), (["--samples", "9"], "at least 100"), (["--epsilon", "99"], "epsilon")):
            run = command(*arguments, LDP="")
            self.assertEqual(run.returncode, 2, arguments)
            self.assertIn(message, run.stderr)

    def test_without_the_program(self):
        run = command("--people", "200", "--post", "none", LDP="", PATH="/nowhere")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"grr +library +1 +1 +stated ")


class Page(HTMLParser):
    """Counts tags, and keeps those that are open."""

    def __init__(self):
        super().__init__()
        self.open, self.count = [], {}

    def handle_starttag(self, tag, attributes):
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.count[tag] = self.count.get(tag, 0) + 1

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


class ClosedForms(unittest.TestCase):
    """Errors of the library's entries agree with the predicted standard errors, at a level of one in a million for all together."""

    REPETITIONS = 60

    def agrees(self, row, level):
        """Whether repetitions * mse / predicted^2 is within quantiles of chi-squared, which is exact for one normal error, and
        conservative for the mean of many (quantiles of Wilson, Hilferty 1931)."""
        degrees = self.REPETITIONS
        ratio = (row.rmse / row.predicted) ** 2
        bounds = [(1 - 2 / (9 * degrees) + z * math.sqrt(2 / (9 * degrees))) ** 3
                  for z in (NormalDist().inv_cdf(level / 2), NormalDist().inv_cdf(1 - level / 2))]
        return bounds[0] <= ratio <= bounds[1]

    @mock.patch.dict(os.environ, {"LDP": "", "PATH": ""})  # epsilon is not the subject
    def test_closed_forms(self):
        compared = []
        for name in ("shares", "mean", "pairs", "vectors", "changing"):
            kind = WORKLOADS[name]
            people = synthetic("skewed", name, {"shares": 16, "pairs": 4}.get(name, kind.usual_size), 2000, 7)
            rows = contest(kind, [people], [], 1.0, Settings(self.REPETITIONS, processing=()))
            compared += [row for row in rows if row.predicted is not None]
        self.assertEqual(len(compared), 8 + 7 + 2 + 4 + 2)
        level = 1e-6 / len(compared)
        for row in compared:
            self.assertTrue(self.agrees(row, level), row)
        # The mean of at least 16 cells and 60 repetitions has a relative standard deviation below 2.5 %: a deviation of a seventh fails.
        for row in compared:
            if row.workload in ("shares", "pairs", "changing"):
                self.assertLess(abs(math.log(row.rmse / row.predicted)), 0.15, row)
        coverage = fmean(row.coverage for row in compared)
        self.assertTrue(0.93 < coverage < 0.97, coverage)


class Attack(unittest.TestCase):
    def test_bounds(self):
        """The lower bound is at most epsilon, and at least a stated part of it."""
        for kind, workload, size, epsilon, part in (
                (Response, "shares", 4, 1.0, 0.85), (Response, "shares", 8, 3.0, 0.85), (Laplace, "mean", 1, 2.0, 0.8),
                (PrivUnit, "vectors", 4, 2.0, 0.8), (HierarchicalHistograms, "ranges", 16, 1.0, 0.5), (Hdg, "pairs", 4, 1.0, 0.5),
                (PrefixExtension, "strings", 4, 1.0, 0.0)):
            with self.subTest(kind=kind.__name__, epsilon=epsilon):
                bound = lower_bound(entry_of(kind, workload, size, 3000, epsilon), 6000, 0.99, 3)
                self.assertTrue(part * epsilon <= bound.epsilon <= epsilon, bound)
                self.assertEqual(bound.total, 3000)

    def test_confidence(self):
        """The bound is Clopper and Pearson's, at the level divided by two bounds and three pairs."""
        bound = lower_bound(entry_of(Response), 4000, 0.95, 5)
        alpha = 0.05 / 6
        self.assertAlmostEqual(bound.epsilon, math.log(proportion_lower(bound.hits, bound.total, alpha) /
                                                       proportion_upper(bound.misses, bound.total, alpha)))

    def test_noise_without_information(self):
        class Constant(Response):
            def randomize(self, values):
                return [random.random() for _ in values]
        self.assertEqual(lower_bound(entry_of(Constant), 2000, 0.99, 1).epsilon, 0)

    def test_channels(self):
        self.assertAlmostEqual(channel_epsilon(Stated(WORKLOADS["shares"](5, 9), 1.5).channel(), "x"), 1.5)
        self.assertEqual(channel_epsilon({0: {"a": 1.0}, 1: {"b": 1.0}}, "x"), math.inf)
        self.assertEqual(channel_epsilon({0: {"a": 0.25, "b": 0.75}, 1: {"b": 0.75, "a": 0.25}}, "x"), 0)
        for wrong in ({0: {"a": 0.9}}, {0: {"a": 1.5, "b": -0.5}}):
            with self.assertRaisesRegex(EntryError, "no distribution"):
                channel_epsilon(wrong, "x")

    def test_a_stated_channel_is_attacked(self):
        people = [synthetic("uniform", "shares", 4, 300, 1)]
        makers = [lambda workload, kind=kind: PythonEntry(kind, workload, 1.0) for kind in (Stated, Lying)]
        rows = {row.entry: row for row in contest(WORKLOADS["shares"], people, makers, 1.0, Settings(3, 3000, processing=()))
                if row.source == "own"}
        self.assertEqual((rows["Stated"].kept_method, rows["Stated"].overspends, rows["Stated"].epsilon_compared), ("channel", False, 1))
        self.assertAlmostEqual(rows["Stated"].epsilon_kept, 1)
        self.assertEqual((rows["Lying"].kept_method, rows["Lying"].overspends), ("attack", True))
        self.assertTrue(2.4 < rows["Lying"].epsilon_kept <= 3)

    def test_no_privacy(self):
        """An entry without noise that states its channel is compared at infinity, where the library has nothing."""
        class Plain(Response):
            def randomize(self, values):
                return list(values)

            def estimate(self, reports):
                return [reports.count(value) / len(reports) for value in range(self.size)]

            def channel(self):
                return {value: {value: 1.0} for value in range(self.size)}
        rows = contest(WORKLOADS["shares"], [synthetic("uniform", "shares", 4, 300, 1)],
                       [lambda workload: PythonEntry(Plain, workload, 1.0)], 1.0, Settings(2, 400))
        own = [row for row in rows if row.source == "own"]
        self.assertEqual([(row.epsilon_kept, row.overspends, row.rmse, row.library_ratio) for row in own], [(math.inf, True, 0, None)])
        text = page(rows, "<title>", [])
        self.assertIn("&lt;title&gt;", text)
        self.assertIn("Plain", text)


class Entries(unittest.TestCase):
    def test_intervals(self):
        """Coverage is that of the intervals that an entry states."""
        people = [synthetic("uniform", "mean", 1, 400, 1)]
        rows = {row.entry: row for row in contest(WORKLOADS["mean"], people, [lambda w: PythonEntry(Laplace, w, 2.0)], 2.0,
                                                  Settings(100, 400, processing=()))}
        self.assertTrue(0.87 < rows["Laplace"].coverage < 0.995)
        self.assertLess(rows["Laplace"].coverage_lower, 0.95)
        self.assertGreater(rows["Laplace"].coverage_upper, 0.95)
        self.assertEqual(rows["Laplace"].report_bytes, 8)
        # n * mse of Laplace noise of scale 2/epsilon is 2 * (2/2)^2 = 2.
        self.assertTrue(rows["Laplace"].n_mse * 0.5 < 2 < rows["Laplace"].n_mse * 2)

    def test_wrong_estimates(self):
        for estimates, message in (([1.0], "1 estimates"), ([math.nan] * 4, "nan"), ([{"value": 1}] * 4, "estimate"), (["x"] * 4, "'x'")):
            class Wrong(Response):
                def estimate(self, reports):
                    return estimates
            with self.assertRaisesRegex(EntryError, message):
                entry_of(Wrong, size=4).collect([0, 1, 2, 3], 1)

    def test_failures(self):
        """Any failure of a class is an EntryError that names the part."""
        class Fails(Response):
            def randomize(self, values):
                raise KeyError("reason")

            def channel(self):
                return [1]
        entry = entry_of(Fails)
        for action, message in ((lambda: entry.randomize([1], 1), "Fails failed in randomize: KeyError.'reason'"), (entry.channel, "in channel"),
                                (lambda: entry_of(int), "int failed in the constructor"),
                                (lambda: entry_of(Response, epsilon=-1.0), "Response claims the epsilon -1.0")):
            with self.assertRaisesRegex(EntryError, message):
                action()

    def test_equal_names(self):
        """Two entries of one name, also the name of a mechanism of the library, keep their own epsilon."""
        class Other(False_):
            name = "grr"

        class Same(Response):
            name = "grr"
        rows = contest(WORKLOADS["shares"], [synthetic("uniform", "shares", 4, 300, 1)],
                       [lambda w, kind=kind: PythonEntry(kind, w, 1.0) for kind in (Other, Same)], 1.0, Settings(2, 2000, processing=()))
        self.assertEqual([row.overspends for row in rows if row.entry == "grr" and row.source == "own"], [False, True])

    def test_classes(self):
        self.assertEqual(load_class(f"{__file__}:Response").__name__, "Response")
        with self.assertRaisesRegex(EntryError, "Missing"):
            load_class(f"{__file__}:Missing")

    def test_privunit(self):
        """The means are unbiased, and a report has length 1/m; its squared length is the sum of the variances for v = 0."""
        workload = WORKLOADS["vectors"](6, 4000)
        entry = PythonEntry(PrivUnit, workload, 2.0, "paper")
        values = [(0.6, 0.0, -0.5, 0.1, 0.0, 0.0)] * 4000
        reports = entry.randomize(values, 1)
        lengths = {round(math.sqrt(sum(x * x for x in report)), 9) for report in reports}
        self.assertEqual(len(lengths), 1)
        for row, true in zip(entry.estimate(reports), values[0]):
            self.assertLess(abs(row.estimate - true), 5 * (row.upper - row.lower) / 3.92)
        better = PrivUnit(workload, 2.0)
        self.assertLess(better._constants(0.0)[0], better._projection)

    def test_consistent_peers(self):
        values = synthetic("bimodal", "ranges", 16, 3000, 2).values
        entry = entry_of(HierarchicalHistograms, "ranges", 16, 3000, 3.0)
        shares = [row.estimate for row in entry.estimate(entry.randomize(values, 1))]
        self.assertAlmostEqual(sum(shares), 1)
        truth = entry.workload.cell_truth(values)
        self.assertLess(math.sqrt(fmean((x - y) ** 2 for x, y in zip(shares, truth))), 0.03)
        values = synthetic("skewed", "pairs", 4, 3000, 2).values
        entry = entry_of(Hdg, "pairs", 4, 3000, 3.0)
        table = [row.estimate for row in entry.estimate(entry.randomize(values, 1))]
        self.assertAlmostEqual(sum(table), 1, 3)
        self.assertGreaterEqual(min(table), 0)
        truth = entry.workload.cell_truth(values)
        even = math.sqrt(fmean((1 / 16 - y) ** 2 for y in truth))
        self.assertLess(math.sqrt(fmean((x - y) ** 2 for x, y in zip(table, truth))), 0.75 * even)

    def test_constrained_inference(self):
        """The consistent shares of the hierarchical histograms are the least-squares fit to all levels, with the sum 1."""
        draw = random.Random(4)
        levels = [[draw.gauss(4 ** -level, 0.1) for _ in range(4 ** level)] for level in (1, 2)]
        entry = HierarchicalHistograms(WORKLOADS["ranges"](16, 100), 1.0)
        with mock.patch.object(entry._tables, "shares", lambda reports: [list(level) for level in levels]):
            fit = entry.estimate([])

        def distance(leaves):
            nodes = [sum(leaves[4 * i:4 * i + 4]) for i in range(4)]
            return sum((x - y) ** 2 for x, y in zip(nodes + leaves, levels[0] + levels[1]))
        self.assertAlmostEqual(sum(fit), 1)
        for i, j in ((0, 1), (0, 5), (7, 15), (3, 12)):
            for step in (1e-4, -1e-4):
                moved = list(fit)
                moved[i], moved[j] = moved[i] + step, moved[j] - step
                self.assertGreater(distance(moved), distance(fit))

    def test_prefix_extension(self):
        """PEM finds the frequent strings. The shares of its last round are unbiased, and its reports keep epsilon."""
        workload = WORKLOADS["strings"](3, 6000)
        values = ["frequent"[:6]] * 3000 + ["often"] * 2000 + ["abc"] * 900 + ["zz"] * 100
        entry = PythonEntry(PrefixExtension, workload, 3.0, "paper")
        rows = entry.estimate(entry.randomize(values, 1))
        truth = workload.truth(values)
        self.assertEqual([row.label for row in rows], ["freque", "often", "abc"])
        self.assertEqual(workload.f1(rows, truth), 1)
        for row in rows:  # 6 standard errors
            self.assertLess(abs(row.estimate - truth[row.label]), 6 * (row.upper - row.lower) / 3.92)
        peer = PrefixExtension(workload, 3.0)
        other = (1 - peer._true) / (2 ** peer._hash_bits - 1)
        self.assertAlmostEqual(math.log(peer._true / other), 3.0)
        # The hash value of the string is reported with probability e^3/(e^3 + 15): within 6 standard deviations of 6000 draws.
        code = peer._code("often")
        hits = 0
        for group, *matrix, value in (peer._report(code) for _ in range(6000)):
            prefix = code >> 10 * (2 - group)
            hits += value == sum((bin(row & prefix).count("1") & 1) << i for i, row in enumerate(matrix))
        self.assertLess(abs(hits / 6000 - peer._true), 6 * math.sqrt(peer._true * (1 - peer._true) / 6000))

    def test_strings_of_ones_own(self):
        """A class lists strings with labels; its error is that of the listed strings and of those that it misses."""
        values = ["first"] * 600 + ["second"] * 300 + ["third"] * 100
        rows = contest(WORKLOADS["strings"], [Population("x", values[:900], 2)], [lambda w: PythonEntry(Words, w, 3.0)], 3.0,
                       Settings(4, 400, processing=()))
        own = next(row for row in rows if row.source == "own")
        self.assertEqual((own.f1, own.coverage), (1, 1))
        workload = WORKLOADS["strings"](2, 1000)
        truth = workload.truth(values)
        self.assertEqual(truth, {"first": 0.6, "second": 0.3, "third": 0.1})
        listed = [Row(0.5, label="first"), Row(0.2, label="nobody")]
        self.assertAlmostEqual(workload.error(listed, truth), (0.1 ** 2 + 0.2 ** 2 + 0.3 ** 2) / 2)
        self.assertEqual(workload.f1(listed, truth), 0.5)
        self.assertAlmostEqual(workload.error([], truth), (0.6 ** 2 + 0.3 ** 2) / 2)
        self.assertEqual(workload.f1([], truth), 0)
        self.assertEqual(workload.f1([Row(0.1, label="third"), *listed[:1]], truth), 0.5)
        self.assertEqual(workload.f1([Row(0.5, label="b")], {"a": 0.4, "b": 0.3, "c": 0.3}), 2 / 3)  # a tie
        for rows, message in ((listed * 2, "at most 2"), ([Row(0.5)], "without a label"), (listed[:1] * 2, "two estimates")):
            self.assertIn(message, workload.fault(rows))

    @unittest.skipUnless(native.has("ldp_simulate_summary"), "the library has no ldp_simulate_summary")
    def test_series(self):
        """Errors of ddrm agree with its standard errors: z has a mean square of 1, and 8 chi-squared deviations are allowed."""
        people = synthetic("uniform", "changing", 3, 500, 5)
        workload = WORKLOADS["changing"](3, 500)
        entry = next(entry for entry in library.entries(workload, 2.0) if entry.name == "ddrm")
        truth, squares = workload.truth(people.values), []
        for repetition in range(60):
            one = entry.collect(people.values, repetition)
            self.assertIsNone(workload.fault(one.cells))
            squares.append(fmean(((row.estimate - true) / ((row.upper - row.lower) / 3.92)) ** 2 for row, true in zip(one.cells, truth)))
        self.assertLess(abs(fmean(squares) - 1), 8 * math.sqrt(2 / 60))
        self.assertGreater(one.report_bytes, 1)

    def test_library_entries(self):
        """Every mechanism collects and estimates on each of its workloads, in cells or in queries."""
        for name, kind in WORKLOADS.items():
            size = min(8, kind.usual_size)
            workload, values = kind(size, 400), synthetic("skewed", name, size, 400, 1).values
            for entry in library.entries(workload, 2.0):
                with self.subTest(workload=name, entry=entry.name):
                    one = entry.collect(values, 1)
                    if workload.labelled:
                        self.assertEqual([workload.fault(cells) for cells in (one.cells, *one.variants.values())], [None, None])
                        continue
                    self.assertEqual(len(one.scored(workload)), len(workload.truth(values)))
                    self.assertTrue(all(len(cells) == workload.cells for cells in one.variants.values()))
                    self.assertTrue(1 <= one.report_bytes < 60, one.report_bytes)
        kept = entry.kept()
        self.assertEqual(kept.method, "proof" if os.environ.get("LDP") else "stated")
        self.assertAlmostEqual(kept.epsilon, 2.0)


class Simulation(unittest.TestCase):
    SPEC = {"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "town", "domain": ["Ulm", "Bonn", "Kiel"]}]}

    @unittest.skipUnless(native.has("ldp_simulate_summary"), "the library has no ldp_simulate_summary")
    def test_summaries(self):
        """Equal seeds give equal summaries, and other columns of a frame are ignored."""
        people = {"town": ["Ulm", "Bonn"] * 200, "wage": [1] * 400}
        one, same, other = (ldp.simulate_summary(self.SPEC, people, seed) for seed in (1, 1, 2))
        self.assertEqual(one.data, same.data)
        self.assertNotEqual(one.data, other.data)
        rows = one.rows("estimate")
        self.assertEqual([row["n"] for row in rows], [400] * 3)
        for row, share in zip(rows, (0.5, 0.5, 0)):
            self.assertLess(abs(row["estimate"] - share), 6 * row["stderr"])

    def test_errors(self):
        with mock.patch.object(native, "has", lambda name: False), self.assertRaisesRegex(ldp.Error, "no function ldp_simulate_summary"):
            ldp.simulate_summary(self.SPEC, [["Ulm"], ["Bonn"]])
        with self.assertRaisesRegex(ldp.Error, "seed"):
            ldp.simulate_summary(self.SPEC, [["Ulm"], ["Bonn"]], -1)


class People(Case):
    def test_files(self):
        path = self.file("people.csv.gz")
        with gzip.open(path, "wt", encoding="utf-8") as file:
            file.write("town,age,wage\n" + "".join(f"{'Ulm' if i % 3 else 'Bonn'},{i % 50},{i}\n" for i in range(100)) + "Ulm,,7\n")
        shares = from_file(path, ["town"], "shares", 32)
        self.assertEqual((shares.size, WORKLOADS["shares"](2, 100).truth(shares.values)), (2, [34 / 101, 67 / 101]))
        mean = from_file(path, ["age"], "mean", 1)
        self.assertEqual((len(mean.values), min(mean.values), max(mean.values)), (100, -1, 1))
        ordered = from_file(path, ["wage"], "ranges", 10)
        self.assertEqual(WORKLOADS["ranges"](10, 101).cell_truth(ordered.values), [11 / 101] + [10 / 101] * 9)
        self.assertEqual(from_file(path, ["town", "age"], "pairs", 8).size, 50)
        vectors = from_file(path, ["age", "wage"], "vectors", 8)
        self.assertLessEqual(max(x * x + y * y for x, y in vectors.values), 1 + 1e-12)
        self.assertEqual(set(from_file(path, ["town"], "strings", 5).values), {"ulm", "bonn"})
        series = from_file(path, ["town"] * 15 + ["age"], "changing", 4)
        self.assertEqual((len(series.values[0]), series.values[0][0], series.size), (16, series.values[3][0], 52))
        for columns, workload, message in ((["town"], "mean", "no number"), (["size"], "shares", "no column size"), ([], "shares", "needs"),
                                           (["town"], "pairs", "needs 2"), (["town"], "changing", "needs 16"), (["age"], "vectors", "at least 2")):
            with self.assertRaisesRegex(ValueError, message):
                from_file(path, columns, workload, 8)
        run = command("--data", path, "--column", "town", "--people", "60", "--post", "none", LDP="")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("population town: 60 people", run.stdout)

    def test_families(self):
        for name, kind in WORKLOADS.items():
            size = kind.usual_size
            people = [synthetic(family, name, size, 200, 3) for family in ("uniform", "skewed", "bimodal")]
            self.assertEqual(people[1].values, synthetic("skewed", name, size, 200, 3).values)
            self.assertNotEqual(people[1].values, synthetic("skewed", name, size, 200, 4).values)
            self.assertNotEqual(people[0].values, people[2].values)
            self.assertEqual({len(one.values) for one in people}, {200})

    def test_queries(self):
        values = [0, 1, 1, 2, 2, 2, 3, 3, 3, 3]
        self.assertEqual(WORKLOADS["distribution"](4, 10).truth(values), [x / 3 for x in (0, 1, 1, 2, 2, 2, 3, 3, 3)])
        ranges = WORKLOADS["ranges"](4, 10)
        for (low, high), share in zip(ranges.ranges, ranges.truth(values)):
            self.assertAlmostEqual(share, sum(low <= value <= high for value in values) / 10)
        changing = WORKLOADS["changing"](2, 2).truth([(0,) * 16, (0,) * 4 + (1,) * 12])
        self.assertEqual((len(changing), changing[:2], changing[6:10]), (32, [1, 0], [1, 0, 0.5, 0.5]))
        self.assertEqual(WORKLOADS["pairs"](2, 4).truth([(0, 0), (0, 1), (1, 1), (1, 1)]), [0.25, 0.25, 0, 0.5])
        self.assertEqual(Population("x", [1], 1).values, [1])


class Numbers(unittest.TestCase):
    def test_special_functions(self):
        self.assertAlmostEqual(student_critical(19), 2.0930240544, 9)
        self.assertAlmostEqual(student_critical(1), 12.7062047362, 7)
        self.assertAlmostEqual(proportion_upper(0, 10, 0.025), 1 - 0.025 ** 0.1)
        self.assertAlmostEqual(proportion_lower(10, 10, 0.025), 0.025 ** 0.1)
        self.assertEqual((proportion_lower(0, 9, 0.05), proportion_upper(9, 9, 0.05)), (0, 1))
        # I_x(k, n - k + 1) is the probability of at least k of n.
        for n, k, x in ((12, 5, 0.3), (200, 3, 0.02), (5000, 2600, 0.51)):
            tail = math.fsum(math.exp(math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * math.log(x) +
                                      (n - i) * math.log(1 - x)) for i in range(k, n + 1))
            self.assertAlmostEqual(incomplete_beta(x, k, n - k + 1), tail, 10)

    def test_post_processing(self):
        draw = random.Random(1)
        for _ in range(20):
            shares = [draw.gauss(0.2, 0.3) for _ in range(5)]
            near = norm_sub(shares)
            self.assertAlmostEqual(sum(near), 1)
            self.assertGreaterEqual(min(near), 0)
            distance = sum((x - y) ** 2 for x, y in zip(near, shares))
            for _ in range(200):  # no other point of the simplex is nearer
                other = [draw.expovariate(1) for _ in range(5)]
                mixed = [0.9 * x + 0.1 * y / sum(other) for x, y in zip(near, other)]
                self.assertLessEqual(distance, sum((x - y) ** 2 for x, y in zip(mixed, shares)) + 1e-12)
        self.assertEqual(norm_sub([0.5, 0.25, 0.25]), [0.5, 0.25, 0.25])
        self.assertEqual(clipped([-1, 1.0, 3.0, 0.0]), [0, 0.5, 0.5, 0])
        self.assertEqual(clipped([-1, -2]), [0.5, 0.5])


if __name__ == "__main__":
    unittest.main()
