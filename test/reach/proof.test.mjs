// Proof of ε for the released module. The test returns every outcome of each draw of a randomizer in turn. So it computes the
// distribution of the reports as exact fractions, and checks that ratios between any two inputs are at most e^ε. As in the
// native proof (core/proof/explore.hpp), the only assumption is the distribution of a single draw; the test vectors connect
// the draws of the module with the native ones.

import assert from "node:assert/strict";
import test from "node:test";
import "../../build/js/node.js";
import { Instance } from "../../build/js/instance.js";

const one = { over: 1n, under: 1n };
const times = (x, y) => ({ over: x.over * y.over, under: x.under * y.under });
const less = (x, y) => x.over * y.under < y.over * x.under;
const plus = (x, y) => (x.under === y.under ? { over: x.over + y.over, under: x.under }
    : { over: x.over * y.under + y.over * x.under, under: x.under * y.under });
const power = (x, n) => ({ over: x.over ** n, under: x.under ** n });
const rest = ({ over, under }) => ({ over: under - over, under });

/** e^x from below, by less than 2^-100 for 0 ≤ x ≤ 4; x is a multiple of 2^-10. */
function exponential(x) {
    const step = { over: BigInt(x * 1024), under: 1024n };
    let sum = one, term = one;
    for (let n = 1n; n < 60n; ++n) {
        term = times(term, { over: step.over, under: step.under * n });
        sum = plus(sum, term);
    }
    return sum;
}

/** Answers draws with their outcomes; next() goes on to the next sequence, in the manner of an odometer. */
class Explorer {
    #draws = [];
    #at = 0;

    answer({ kind, a, b, c, d, sum }) {
        if (this.#at === this.#draws.length) {
            let outcomes, weigh;
            const coin = (heads) => [2n, (side) => (side === 1n ? heads : rest(heads))];
            if (kind === 1) [outcomes, weigh] = [a, () => ({ over: 1n, under: a })];
            if (kind === 2) [outcomes, weigh] = coin({ over: a, under: b });
            if (kind === 3) [outcomes, weigh] = coin({ over: (a << 64n) + b, under: 1n << c });
            if (kind === 4) {
                const heads = { over: a, under: 1n << b };
                const ones = (lanes) => BigInt(lanes.toString(2).replaceAll("0", "").length);
                [outcomes, weigh] = [1n << c, (lanes) => times(power(heads, ones(lanes)), power(rest(heads), c - ones(lanes)))];
            }
            const total = a * b + c * d;
            if (kind === 5) [outcomes, weigh] = [b + d, (i) => ({ over: i < b ? a : c, under: total })];
            if (kind === 6) {
                const sums = Array.from({ length: Number(b) }, (_, i) => sum(i));
                [outcomes, weigh] = [b, (i) => ({ over: sums[i] - (i > 0n ? sums[Number(i) - 1] : 0n), under: sums.at(-1) })];
            }
            if (outcomes === undefined || outcomes > 100000n) throw new Error("this draw has too many outcomes");
            this.#draws.push({ outcome: 0n, outcomes, weigh });
        }
        return this.#draws[this.#at++].outcome;
    }
    probability() {
        return this.#draws.map(({ outcome, weigh }) => weigh(outcome)).reduce(times, one);
    }
    next() {
        this.#at = 0;
        while (this.#draws.length > 0 && ++this.#draws.at(-1).outcome === this.#draws.at(-1).outcomes) this.#draws.pop();
        return this.#draws.length > 0;
    }
}

// What e^ε is reached by to a thousandth, and what is not: the last number is the least share of ε that is spent.
const specs = [
    [{ mechanism: "grr", epsilon: 1, domain: 4 }, 0.999],
    [{ mechanism: "l_osue", epsilon: 2, report_epsilon: 1, domain: 3 }, 0.4],
    [{ mechanism: "subset", epsilon: 1, domain: 5 }, 0.999],
    [{ mechanism: "hadamard", epsilon: 1, domain: 6 }, 0.999],
    [{ mechanism: "projective", epsilon: 2, domain: 7 }, 0.999],
    [{ mechanism: "exponential", epsilon: 1, domain: 3, utilities: [[4, 1, 0], [2, 9, 2], [-3, 0, 1]] }, 0.5],
    [{ mechanism: "l_grr", epsilon: 2, report_epsilon: 1, domain: 3 }, 0.4],
    [{ mechanism: "duchi", epsilon: 1, min: 0, max: 10 }, 0.999],
    [{ mechanism: "onebit", epsilon: 1, min: 0, max: 10 }, 0.999],
    [{ mechanism: "pdp", epsilon: 1, min: 0, max: 10 }, 0.999],
    [{ mechanism: "sampled", epsilon: 1, per_report: 1,
        attributes: [{ name: "a", domain: 2, mechanism: "grr" }, { name: "b", domain: 3, mechanism: "grr" }] }, 0.999],
];
for (const [spec, least] of specs)
    test(`the proof of ${JSON.stringify(spec)}`, async () => {
        let explorer;
        const instance = await Instance.create(undefined, undefined, (draw) => explorer.answer(draw));
        instance.open(JSON.stringify(spec), false);
        const cells = instance.cells();
        // Of few values all, of a grid the ends, the middle and a neighbour; of several attributes all combinations.
        let inputs = [[]];
        for (const k of cells) {
            const tried = k <= 8n ? Array.from({ length: Number(k) }, (_, i) => BigInt(i)) : [0n, 1n, k / 2n, k - 1n];
            inputs = inputs.flatMap((input) => tried.map((cell) => [...input, cell]));
        }
        const laws = inputs.map((input) => {
            const law = new Map();
            explorer = new Explorer();
            do {
                const report = Buffer.from(instance.exploreCells(input)).toString("latin1");
                const probability = explorer.probability(), known = law.get(report);
                if (probability.over > 0n) law.set(report, known ? plus(known, probability) : probability);
            } while (explorer.next());
            return law;
        });
        for (const law of laws) {
            const sum = [...law.values()].reduce(plus);
            assert.equal(sum.over, sum.under, "the probabilities do not add up to 1");
        }
        let worst = one;
        for (const reports of laws)
            for (const others of laws) {
                assert.equal(reports.size, others.size, "a report is possible under one input alone");
                for (const [report, probability] of reports) {
                    const other = others.get(report);
                    const ratio = { over: probability.over * other.under, under: probability.under * other.over };
                    if (less(worst, ratio)) worst = ratio;
                }
            }
        assert.ok(!less(exponential(spec.epsilon), worst), "the ratio between two inputs exceeds e^ε");
        // Or nothing was tried.
        assert.ok(less(exponential(Math.round(least * spec.epsilon * 1024) / 1024), worst));
    });
