// Summaries of reports and their results, without a server: the module ldp-results.wasm, whose exports
// src/wasm/results_module.cpp documents.

import { Sandbox } from "./instance.js";
import { LdpError } from "./error.js";
import { compile, hostErrors } from "./module.js";

const utf8 = new TextEncoder();
const text = new TextDecoder();

/** An instance of the module. An exception leaves it in an undefined state, so that Sandbox discards it. */
class ResultsInstance {
    #exports;
    #spec;

    static async create(module) {
        const made = new ResultsInstance();
        const instance = await WebAssembly.instantiate(module, { ldp: hostErrors(() => made.#exports) });
        made.#exports = instance.exports;
        instance.exports._initialize();
        return made;
    }

    #input(...parts) {
        const size = parts.reduce((sum, each) => sum + each.length, 0);
        let at = this.#exports.input(size);
        for (const part of parts) {
            new Uint8Array(this.#exports.memory.buffer, at, part.length).set(part);
            at += part.length;
        }
    }
    #output(size) {
        return new Uint8Array(this.#exports.memory.buffer, this.#exports.output(), size);
    }
    /** Selects the spec of the next calls; undefined for none. Returns its canonical form. */
    open(spec) {
        if (spec === this.#spec) return spec;
        this.#spec = undefined;
        this.#exports.close();
        if (spec === undefined) return undefined;
        this.#input(utf8.encode(spec));
        this.#spec = text.decode(this.#output(this.#exports.open()));
        return this.#spec;
    }
    reportSize() {
        return this.#exports.report_size();
    }
    summarize(reports, rounds) {
        this.#input(reports, rounds);
        return this.#output(this.#exports.summarize(reports.length)).slice();
    }
    merge(one, other) {
        this.#input(one, other);
        return this.#output(this.#exports.merge(one.length)).slice();
    }
    query(summary, query) {
        this.#input(summary ?? [], utf8.encode(JSON.stringify(query)));
        const rows = this.#exports.query(summary?.length ?? 0, summary === undefined);
        return JSON.parse(text.decode(this.#output(rows)));
    }
}

const hint = "If the error recurs with more free memory, report it as a bug.";
const sandboxes = new Map();
/** Returns the sandbox of a compiled module; by default, of the file beside the sources. */
function sandbox(module) {
    if (!sandboxes.has(module))
        sandboxes.set(module, new Sandbox(async () => ResultsInstance.create(module ?? (await compile(new URL("./ldp-results.wasm", import.meta.url)))), hint));
    return sandboxes.get(module);
}

function bytes(data) {
    if (typeof data !== "string") return data instanceof Uint8Array ? data : new Uint8Array(data);
    const digits = data.trim().replace(/^\\x/, "");
    if (!/^([0-9a-f]{2})*$/i.test(digits))
        throw new LdpError("malformed", "the text is not a summary in hexadecimal", `Found ${JSON.stringify(data.slice(0, 60))}.`);
    return Uint8Array.from({ length: digits.length / 2 }, (_, i) => parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}
function hexadecimal(data) {
    let digits = "";
    for (const byte of data) digits += byte.toString(16).padStart(2, "0");
    return digits;
}

const numbers = ["estimate", "stderr", "lower", "upper"];
const infinite = { "Infinity": Infinity, "-Infinity": -Infinity };
/** Infinite numbers are texts in JSON. */
function rowsOf(found) {
    for (const row of found)
        for (const name of numbers) if (typeof row[name] === "string") row[name] = infinite[row[name]] ?? row[name];
    return found;
}

/** Arguments of a query: further summaries in hexadecimal. */
function plain(value) {
    if (value instanceof Summary) return hexadecimal(value.data);
    if (ArrayBuffer.isView(value)) return Array.from(value);
    return Array.isArray(value) ? value.map(plain) : value;
}
function queryOf(name, options) {
    return { function: name, ...Object.fromEntries(Object.entries(options).map(([key, value]) => [key, plain(value)])) };
}

export class Summary {
    #module;

    /** Use Summary.from or Summary.summarize. */
    constructor(data, spec, module) {
        this.data = data;
        this.spec = spec;
        this.#module = module;
    }
    static async #canonical(spec, module) {
        if (spec === undefined) return undefined;
        const written = typeof spec === "string" ? spec : JSON.stringify(spec.spec ?? spec);
        return sandbox(module).use((instance) => instance.open(written));
    }

    static async from(data, spec = undefined, { module } = {}) {
        const canonical = await Summary.#canonical(spec, module);
        return new Summary(bytes(data), canonical, module);
    }

    static async summarize(spec, reports, { rounds, module } = {}) {
        const canonical = await Summary.#canonical(spec, module);
        const data = await sandbox(module).use((instance) => {
            instance.open(canonical);
            const size = instance.reportSize();
            const each = Array.from(reports);
            const wrong = each.findIndex((report) => report.length !== size);
            if (wrong >= 0)
                throw new LdpError("malformed", `report ${wrong} has ${each[wrong].length} bytes`, `Each report of this spec has ${size}.`);
            if (rounds !== undefined && rounds.length !== each.length)
                throw new LdpError("invalid_value", `there are ${each.length} reports and ${rounds.length} rounds`);
            const all = new Uint8Array(size * each.length);
            each.forEach((report, i) => all.set(report, i * size));
            const view = new DataView(new ArrayBuffer(4 * (rounds?.length ?? 0)));
            rounds?.forEach((round, i) => view.setInt32(4 * i, round, true));
            return instance.summarize(all, new Uint8Array(view.buffer));
        });
        return new Summary(data, canonical, module);
    }

    async merge(other) {
        const data = await sandbox(this.#module).use((instance) => instance.merge(this.data, other.data));
        return new Summary(data, this.spec, this.#module);
    }

    async query(name, options = {}) {
        return sandbox(this.#module).use((instance) => {
            instance.open(this.spec);
            return rowsOf(instance.query(this.data, queryOf(name, options)));
        });
    }

    static async queryGroups(name, groups, options = {}) {
        const entries = groups instanceof Map ? [...groups] : Object.entries(groups);
        const first = entries.map(([, summary]) => summary).find((summary) => summary.spec !== undefined) ?? entries[0]?.[1];
        return sandbox(first?.#module).use((instance) => {
            instance.open(first?.spec);
            const query = { groups: entries.map(([group]) => group), summaries: entries.map(([, summary]) => summary), ...options };
            return rowsOf(instance.query(undefined, queryOf(name, query)));
        });
    }
}
