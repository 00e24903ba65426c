// Results in WebAssembly equal those of the native library: every function, for every mechanism. Each line of the file
// LDP_CASES has a spec, two summaries, and queries with the native rows (bindings/python/tests/summary_cases.py), which equal
// those of SQL in every bit.
//
// Texts, counts, truth values, NULLs, the order of rows, and messages of errors are equal. So are the summaries that were merged. A
// number may differ where the C libraries differ in the last bit of exp, log and the like, or where a long double has 113 bits
// instead of 64. Intervals of differences end their search at 1e-12 of its range.

import assert from "node:assert/strict";
import { createReadStream, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import test from "node:test";
import { Collection } from "../../build/js/node.js";
import { LdpError } from "../../build/js/error.js";
import { Summary } from "../../build/js/results-node.js";

/** The largest relative distances from native numbers: of estimates and standard errors, and of all others. */
const tolerances = [2 ** -42, 2 ** -36];
/** Ends of intervals of models of groups are searched for in the spread between groups. They are relative to the end that is farther from 0. */
const toleranceOfModels = 2 ** -26;
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const text = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

async function resultOf(summaries, { function: name, arguments: given }) {
    const options = Object.fromEntries(Object.entries(given).map(([key, value]) =>
        [key, value?.summary === undefined ? value : summaries[value.summary]]));
    try {
        if (options.groups === undefined) return { rows: await summaries[0].query(name, options) };
        const groups = new Map(options.groups.map((each, i) => [each, summaries[options.summaries[i]]]));
        delete options.groups;
        delete options.summaries;
        return { rows: await Summary.queryGroups(name, groups, options) };
    } catch (error) {
        if (!(error instanceof LdpError)) throw error;
        return { error: error.message };
    }
}

/** Compares two results. `numbers` counts the numbers, and those with other bits. `end` is the larger end of the row's interval. */
function compare(own, native, where, numbers, end = 0) {
    if (typeof own === "number" && typeof native === "number") {
        ++numbers.all;
        if (Object.is(own, native)) return;
        ++numbers.different;
        assert.ok(!Number.isInteger(native) || Math.abs(native) < 2, `${where}: ${own}, not ${native}`);
        const kind = /\.(estimate|stderr)$/.test(where) ? 0 : 1;
        const ofModel = kind === 1 && / (clustered|small_areas|smooth)\./.test(where);
        const distance = Math.abs(own - native) / Math.max(Math.abs(own), Math.abs(native), ofModel ? end : 0);
        assert.ok(distance <= (ofModel ? toleranceOfModels : tolerances[kind]), `${where}: ${own}, not ${native}`);
        numbers.farthest[kind] = Math.max(numbers.farthest[kind], distance);
        return;
    }
    if (own === null || typeof own !== "object" || native === null || typeof native !== "object")
        return assert.equal(own, native, where);
    assert.deepEqual(Object.keys(own), Object.keys(native), where);
    const farther = Math.max(Math.abs(native.lower ?? 0), Math.abs(native.upper ?? 0));
    for (const key of Object.keys(own)) compare(own[key], native[key], `${where}.${key}`, numbers, farther);
}

test("rows equal those of the native library", async () => {
    const numbers = { all: 0, different: 0, farthest: [0, 0] }, mechanisms = new Set(), functions = new Map();
    for await (const line of createInterface({ input: createReadStream(process.env.LDP_CASES) })) {
        const { spec, summaries, merged, results } = JSON.parse(line);
        const own = await Promise.all(summaries.map((each) => Summary.from(each, spec)));
        assert.equal(hex((await own[0].merge(own[1])).data), merged);
        const { mechanism } = JSON.parse(spec);
        for (const one of results) {
            const { rows, error } = one;
            compare(await resultOf(own, one), rows ? { rows } : { error }, `${mechanism} ${one.function}`, numbers);
            if (rows?.length > 0) functions.set(one.function, (functions.get(one.function) ?? 0) + 1);
        }
        mechanisms.add(mechanism);
    }
    console.log(`${numbers.all} numbers of ${mechanisms.size} mechanisms, ${numbers.different} with other bits; distances at most ${numbers.farthest}`);
    assert.ok(mechanisms.size > 25);
    assert.ok(numbers.different < numbers.all / 20);
    for (const name of ["series", "series_between", "marginal", "association", "frequent_strings", "compare_groups", "clustered", "small_areas", "smooth", "kernel_regression", "calibrate"])
        assert.ok(functions.get(name) > 0, name);
});

const pets = { mechanism: "grr", epsilon: 2, attributes: [{ name: "pet", domain: ["cat", "dog"] }] };

test("summaries of reports of the package", async () => {
    const collection = await Collection.from(pets);
    const reports = await Promise.all(Array.from({ length: 400 }, async (_, i) => (await collection.perturb([i % 4 ? "cat" : "dog"])).report));
    const summary = await Summary.summarize(collection, reports);
    const [cat, dog] = await summary.query("estimate", { attributes: ["pet"] });
    assert.deepEqual([cat.label, dog.label, cat.n], ["cat", "dog", 400]);
    // A deviation of seven standard errors has a chance below 1e-10.
    assert.ok(Math.abs(cat.estimate - 0.75) < 7 * cat.stderr);
    const twice = await summary.merge(await Summary.summarize(pets, reports, { rounds: reports.map(() => 1) }));
    assert.equal((await twice.query("estimate"))[0].n, 800);
    const unnamed = await Summary.from(`\\x${hex(summary.data)}`);
    assert.equal((await unnamed.query("estimate"))[0].label, "0");
    const change = await summary.query("change", { after: twice });
    assert.equal(change.length, 2);
    const groups = await Summary.queryGroups("compare_groups", { a: summary, b: twice }, { baseline: "a" });
    assert.deepEqual(groups.map((row) => [row.group_key, row.label]), [["b", "cat"], ["b", "dog"]]);
    const cells = new Map([1, 2].map((age) => [JSON.stringify({ region: "north", age }), age === 1 ? summary : twice]));
    const calibrated = await Summary.queryGroups("calibrate", cells, { totals: { region: { north: 4 }, age: { 1: 1, 2: 3 } } });
    assert.deepEqual(calibrated.map((row) => [row.label, row.n]), [["cat", 1200], ["dog", 1200]]);
    const [whole] = await twice.query("estimate", { target: "population" });
    assert.ok(Math.abs(calibrated[0].estimate - (cat.estimate + 3 * whole.estimate) / 4) < 1e-12);
    await assert.rejects(Summary.queryGroups("calibrate", cells, { totals: { age: { 1: 1 } } }), { code: "invalid_value" });
    const single = await Summary.from((await Summary.summarize(pets, reports.slice(0, 1))).data, pets);
    assert.equal((await single.query("estimate")).length, 2);
});

test("errors have codes, and the next call works", async () => {
    const summary = await Summary.summarize(pets, []);
    const code = (expected) => (error) => error instanceof LdpError && error.code === expected;
    await assert.rejects(summary.query("tops"), (error) => code("invalid_value")(error) && /there is no function/.test(error.message) && /estimate/.test(error.hint + error.detail));
    await assert.rejects(summary.query("top", { limit: "many" }), code("invalid_value"));
    await assert.rejects(summary.query("estimate", { statistics: ["mean"] }), code("unsupported"));
    await assert.rejects(Summary.from(summary.data.slice(1), pets).then((broken) => broken.query("estimate")), code("malformed"));
    await assert.rejects(Summary.from("0g"), code("malformed"));
    await assert.rejects(Summary.from(summary.data, "{}"), code("invalid_spec"));
    await assert.rejects(Summary.from(summary.data, { mechanism: "auto", epsilon: 1, domain: 4 }), code("invalid_spec"));
    await assert.rejects(Summary.from(summary.data, { ...pets, epsilon: 1 }).then((other) => other.query("estimate")), code("incompatible"));
    await assert.rejects(Summary.summarize(pets, [new Uint8Array(3)]), code("malformed"));
    await assert.rejects(Summary.summarize(pets, [], { rounds: [1] }), code("invalid_value"));
    await assert.rejects(Summary.queryGroups("compare_groups", { a: summary }), code("invalid_value"));
    assert.equal((await summary.query("health")).length >= 0, true);
});

test("types and manual name every function", async () => {
    const summary = await Summary.from("");
    const names = await summary.query("tops").catch((error) => error.hint || error.detail);
    const all = names.replace(/.*functions are |\.$/g, "").split(", ");
    const declared = (type) => [...text("build/js/results.d.ts").match(new RegExp(`${type} =([^;]*);`))[1].matchAll(/"(\w+)"/g)].map(([, name]) => name);
    assert.deepEqual([...new Set([...declared("RowFunction"), ...declared("GroupFunction")])], all);
});
