#!/usr/bin/env node
// Answers the JSON lines of conformance/README.md through the npm package in build/js, with known random words.
//
// The package has no function that reads a batch, and it makes batches in the short form only: both are answered as
// unsupported. So are reports of the mechanisms of the literature, unless the module has them (make wasm LITERATURE=ON).

import { createHash } from "node:crypto";
import { createInterface } from "node:readline";
import { Collection } from "../../build/js/node.js";
import { LdpError } from "../../build/js/error.js";
import { Instance } from "../../build/js/instance.js";
import { Summary } from "../../build/js/results-node.js";
import { oneByOne, seeded } from "../reach/seeded.mjs";

const series = ["ddrm", "threshold_series"];
const statistics = ["mean", "direction", "proportion", "response_rate"];
const nowhere = ["", ""]; // the destination of a flush
const shortHead = 2 + 8 + 4; // of a batch in the short form: version, kind, fingerprint, number of reports
const secretWords = 4; // which a new store draws for the ids of its batches, apart from the words of the reports

/** The package does not offer what the question needs. */
class Unsupported extends Error {}

const hex = (bytes) => Buffer.from(bytes).toString("hex");
function bytesOf(digits) {
    if (typeof digits !== "string" || !/^([0-9a-f]{2})*$/.test(digits)) throw new TypeError("bytes are not hexadecimal digits");
    return new Uint8Array(Buffer.from(digits, "hex"));
}

/** Returns what fills 8 bytes with the next word: of a generator, or of a list of hexadecimal numbers. */
function wordsOf(words) {
    if (Array.isArray(words)) {
        let next = 0;
        return (bytes) => {
            if (next === words.length) throw new LdpError("invalid_value", "there are too few words");
            bytes.set(Buffer.from(words[next++], "hex").reverse());
        };
    }
    const seed = /^mt19937_64:(\d+)$/.exec(words);
    if (!seed) throw new Unsupported(String(words));
    return seeded(BigInt(seed[1]));
}

/** Returns an instance of the module with a spec, and the canonical spec. */
async function opened(spec, fill) {
    const instance = await Instance.create(undefined, fill);
    try {
        return [instance, JSON.parse(instance.open(JSON.stringify(spec), false))];
    } catch (error) {
        if (error instanceof LdpError && / is missing in this build/.test(error.message)) throw new Unsupported(spec.mechanism);
        throw error;
    }
}

/** Returns the reports that wait in an instance, in their order: a flush of batches with one report each. */
function sent(instance, block) {
    const reports = [];
    for (let batch; (batch = instance.next(nowhere, 1)); instance.delivered(false)) reports.push(block + hex(batch.body.subarray(shortHead)));
    return reports;
}

/** Returns whether the records of a spec belong to rounds 1, 2, … instead of round 0. */
function inRounds(spec) {
    return spec.evolving !== undefined || [spec, ...spec.attributes].some(({ mechanism }) => series.includes(mechanism));
}

/** Returns a snapshot with reports of round 0 in its queue, from the snapshot of a new client, by its layout in doc/formats.md. */
function queued(snapshot, reports) {
    const old = Buffer.from(snapshot);
    let at = 32 + 4 + 1 + 32; // digest, version, fingerprint
    for (let i = 0; i < 2; ++i) at += 8 + Number(old.readBigUInt64LE(at)); // public randomness, progress
    if (old.readBigUInt64LE(at) !== 0n || old.readBigUInt64LE(at + 8) !== 0n) throw new TypeError("a new client has responses or reports");
    const number = (value) => {
        const bytes = Buffer.alloc(8);
        bytes.writeBigUInt64LE(BigInt(value));
        return bytes;
    };
    const queue = reports.flatMap((report) => [Buffer.alloc(4), number(report.length), report, Buffer.alloc(8)]);
    const content = Buffer.concat([old.subarray(32, at + 8), number(reports.length), ...queue, old.subarray(at + 16)]);
    return new Uint8Array(Buffer.concat([createHash("sha256").update(content).digest(), content]));
}

const verbs = {
    async fingerprint({ spec }) {
        const [instance, canonical] = await opened(spec);
        return { fingerprint: instance.fingerprint(), block: canonical.derived.block };
    },
    async report({ spec, records, words }) {
        const next = wordsOf(words);
        let secret = secretWords;
        const [instance, canonical] = await opened(spec, oneByOne((word) => (secret > 0 ? secret-- : next(word))));
        instance.restore(new Uint8Array());
        const collection = await Collection.from(spec), rounds = inRounds(canonical);
        const reports = records.flatMap((record, i) => {
            instance.report(collection.values(record), rounds ? i + 1 : 0);
            return sent(instance, canonical.derived.block);
        });
        return { reports };
    },
    async batch({ spec, reports, form }) {
        if (form !== "short") throw new Unsupported(`batches in the form ${form}`);
        const [one] = await opened(spec), [other] = await opened(spec);
        one.restore(new Uint8Array());
        other.restore(queued(one.snapshot(), reports.map(bytesOf)));
        const batch = other.next(nowhere, reports.length);
        if (batch?.reports !== reports.length) throw new TypeError("the reports do not make one batch");
        return { batch: hex(batch.body) };
    },
    async summarize({ spec, reports }) {
        const summary = await Summary.summarize(spec, reports.map(bytesOf), { rounds: reports.map(() => 0) });
        return { summary: hex(summary.data) };
    },
    async estimate({ spec, summary: digits, texts = [] }) {
        // A series has estimates of rounds, and the other mechanism estimates ranges alone.
        if ([...series, "haar_ranges"].includes(spec.mechanism)) return { rows: [] };
        const summary = await Summary.from(bytesOf(digits), spec);
        const rows = await summary.query("estimate", texts.length > 0 ? { texts } : {});
        const optional = spec.attributes.filter(({ missing }) => missing === true).map(({ name }) => name);
        if (optional.length > 0 && spec.mechanism !== "means_by_group") rows.push(...(await summary.query("estimate", { attributes: optional, statistics: ["response_rate"] })));
        const chosen = rows.filter(({ statistic }) => statistics.includes(statistic));
        return { rows: chosen.map(({ attribute, label, statistic, estimate, stderr }) => ({ attribute, label, statistic, estimate, stderr })) };
    },
    /** A report is counted, and a summary is added to an empty one. */
    async read({ spec, kind, bytes: digits }) {
        const bytes = bytesOf(digits);
        if (kind === "report") await Summary.summarize(spec, [bytes], { rounds: [0] });
        else if (kind === "summary") await (await Summary.summarize(spec, [], { rounds: [] })).merge(await Summary.from(bytes, spec));
        else throw new Unsupported(`reading of ${kind}`);
        return { ok: true };
    },
};

/** Returns the answer to a line. An error of the environment, such as a module that stops, ends the program. */
async function answer(line) {
    try {
        const question = JSON.parse(line);
        if (!Object.hasOwn(verbs, question.verb)) throw new Unsupported(String(question.verb));
        return await verbs[question.verb](question);
    } catch (error) {
        if (error instanceof Unsupported) return { unsupported: error.message };
        if (error instanceof LdpError && error.code !== "environment") return { refused: error.message };
        if (error instanceof SyntaxError || error instanceof TypeError) return { refused: `the question is malformed: ${error.message}` };
        throw error;
    }
}

for await (const line of createInterface({ input: process.stdin })) process.stdout.write(`${JSON.stringify(await answer(line))}\n`);
