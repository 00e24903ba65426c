// The golden vectors, in WebAssembly: every mechanism, and every client, makes of the same words the same bytes as
// natively.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { Collection } from "../../build/js/node.js";
import { Instance } from "../../build/js/instance.js";
import { oneByOne, seeded } from "./seeded.mjs";

const read = (name) => readFileSync(new URL(`../data/${name}`, import.meta.url), "utf8").trimEnd().split("\n");
const lines = read("vectors.txt");
const hex = (bytes) => Buffer.from(bytes).toString("hex");

/** FNV-1a of 64 bits, in halves. */
function hashed(chunks) {
    let high = 0xcbf29ce4, low = 0x84222325;
    for (const chunk of chunks)
        for (const byte of chunk) {
            low = (low ^ byte) >>> 0;
            // times 2^40 + 0x1b3
            const product = low * 0x1b3;
            high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
            low = product >>> 0;
        }
    return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");
}

/** The parameter block that a report begins with. */
function block(report) {
    return report.subarray(0, report[4] | (report[5] << 8));
}

// The module leaves out the mechanisms of the literature.
const leftOut = (spec) => ["oue", "piecewise", "sue", "blh", "rappor", "laplace", "hybrid", "l_sue", "gaussian"].includes(JSON.parse(spec).mechanism);
const refused = async (spec) => {
    const instance = await Instance.create();
    assert.throws(() => instance.open(spec, false), (error) => error.code === "invalid_spec" &&
        /is missing in this build/.test(error.message) && /make wasm LITERATURE=ON/.test(error.hint));
};

assert.equal(lines.length % 5, 0);
for (let at = 0; at < lines.length; at += 5) {
    const [spec, parameters, first, all] = lines.slice(at, at + 5);
    test(`vectors of ${spec}`, async () => {
        if (leftOut(spec)) return refused(spec);
        const instance = await Instance.create(undefined, oneByOne(seeded(2026)));
        instance.open(spec, false);
        const cells = instance.cells();
        const payloads = [];
        for (let i = 0; i < 200; ++i) {
            const report = instance.perturbCells(cells.map((k, j) => BigInt(i * 7919 + j * 104729) % k));
            const front = block(report);
            assert.equal(hex(front.subarray(24)), parameters);
            payloads.push(report.subarray(front.length));
        }
        assert.equal(payloads.slice(0, 3).map(hex).join(" "), first);
        assert.equal(hashed(payloads), all);
    });
}

// What the command made of the same specs, a line each: also what follows from them, probabilities included.
test("canonical specs are the native ones", { skip: !process.env.LDP_CANONICAL }, async () => {
    const canonical = readFileSync(process.env.LDP_CANONICAL, "utf8").trimEnd().split("\n");
    assert.equal(canonical.length, lines.length / 5);
    for (const [i, native] of canonical.entries()) {
        if (leftOut(native)) continue;
        const instance = await Instance.create();
        assert.equal(instance.open(lines[5 * i], false), native);
        assert.equal((await Instance.create()).open(native, false), native);
    }
});

/** Reports that wait in an instance, taken out in one flush to an unknown destination. */
const nowhere = ["", ""];
function sent(instance, block) {
    const reports = [];
    // A batch in the short form: 14 bytes, and the payload.
    for (let batch; (batch = instance.next(nowhere, 1)); instance.delivered(false))
        reports.push(block + hex(batch.body.subarray(14)));
    return reports;
}

const specs = [];
for (const line of read("records.txt")) {
    const [, word, rest] = line.match(/^(spec|record|report) (.*)$/) ?? [];
    if (word === "spec") specs.push({ spec: rest, records: [] });
    if (word === "record") {
        const [, round, record] = rest.match(/^(-?\d+) (.*)$/);
        specs.at(-1).records.push({ round: Number(round), record: JSON.parse(record), reports: [] });
    }
    if (word === "report") specs.at(-1).records.at(-1).reports.push(rest);
}
assert.ok(specs.length > 40);
for (const { spec, records } of specs)
    test(`records of ${spec}`, async () => {
        if (leftOut(spec)) return refused(spec);
        // The secret that batches are named by is drawn first: 4 words, which are not of the seeded stream.
        const words = seeded(2026);
        let secret = 4;
        const instance = await Instance.create(undefined, oneByOne((word) => (secret > 0 ? secret-- : words(word))));
        const { block } = JSON.parse(instance.open(spec, false)).derived;
        instance.restore(new Uint8Array());
        const collection = await Collection.from(spec);
        for (const { round, record, reports } of records) {
            instance.report(collection.values(record), round);
            assert.deepEqual(sent(instance, block), reports);
        }
    });
