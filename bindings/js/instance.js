// An instance of the module: one collection and at most one client. src/wasm/device_module.cpp documents its exports.
//
// An exception leaves the module in an undefined state. Therefore Sandbox discards an instance after an exception, and
// with it the draws that were not stored.

import { LdpError, environment, says } from "./error.js";
import { compile, hostErrors } from "./module.js";

const utf8 = new TextEncoder();
const text = new TextDecoder();
const origins = ["drawn", "memoized", "nearest", "silent", "ignored"];
const outcomes = ["delivered", "repeated", "later", "refused", "too_large", "outdated"];
const actions = ["settle", "repeat", "revoke", "stop"];

/** Fills bytes from the system's generator. */
function system(bytes) {
    crypto.getRandomValues(bytes);
    return bytes.length;
}

export class Instance {
    #exports;

    /**
     * The package passes `module` alone. Its own tests replace the system's generator by `fill`, which returns the number of
     * filled bytes, and set the explored outcomes with `draw`.
     */
    static async create(module = undefined, fill = system, draw = () => 0n) {
        const made = new Instance();
        const ldp = {
            ...hostErrors(() => made.#exports),
            random(at, size) {
                return fill(made.#bytes(at, size));
            },
        };
        ldp.draw = (kind, ...parameters) => {
            const [a, b, c, d] = parameters.map((number) => BigInt.asUintN(64, number));
            return draw({ kind, a, b, c, d, sum: (i) => made.#sum(a, i) });
        };
        const instance = await WebAssembly.instantiate(module ?? (await compile(new URL("./ldp.wasm", import.meta.url))), { ldp });
        made.#exports = instance.exports;
        instance.exports._initialize();
        return made;
    }

    #bytes(at, size) {
        return new Uint8Array(this.#exports.memory.buffer, at, size);
    }
    #input(bytes) {
        const at = this.#exports.input(bytes.length);
        this.#bytes(at, bytes.length).set(bytes);
    }
    /** Returns the output of an export; valid until the next call. */
    #output(size) {
        return this.#bytes(this.#exports.output(), size);
    }
    #view(size) {
        return new DataView(this.#exports.memory.buffer, this.#exports.output(), size);
    }
    #figures(size) {
        const view = this.#view(size);
        return Array.from({ length: size / 8 }, (_, i) => view.getFloat64(8 * i, true));
    }

    /**
     * Opens a collection, once. `terms` are what the caller allows; `source` has the endpoint and the name of the collection, if it
     * was fetched. Returns the canonical form of the spec.
     */
    open(spec, refuseOutside, terms, source) {
        if (terms !== undefined && terms !== null) {
            const { epsilon, ...rest } = terms;
            this.#input(utf8.encode(JSON.stringify({ report_epsilon: epsilon, ...rest })));
            this.#exports.terms();
        }
        if (source !== undefined) {
            const [endpoint, name] = [source.endpoint, source.name].map((each) => utf8.encode(each));
            this.#input(new Uint8Array([...endpoint, ...name]));
            this.#exports.source(endpoint.length, name.length);
        }
        this.#input(utf8.encode(spec));
        return text.decode(this.#output(this.#exports.open(refuseOutside)));
    }
    /** Returns the contract that the collection offers. */
    offered() {
        const contract = JSON.parse(text.decode(this.#output(this.#exports.offered())));
        return { ...contract, summary: text.decode(this.#output(this.#exports.summary())) };
    }
    /** Returns the contract of a stored state; undefined if it has none. The instance is useless afterwards. */
    agreed(snapshot, changes = []) {
        this.#restored(snapshot, false, changes);
        const found = text.decode(this.#output(this.#exports.agreed()));
        return found === "" ? undefined : JSON.parse(found);
    }
    /** Returns the client's contract, with "changes" and "waiting". */
    contract() {
        const contract = JSON.parse(text.decode(this.#output(this.#exports.contract())));
        return { ...contract, summary: text.decode(this.#output(this.#exports.agreed_summary())) };
    }
    accept(digest) {
        this.#input(utf8.encode(String(digest)));
        this.#exports.accept();
    }
    /** Compares the endpoint and collection of the next flush with the contract. Another destination waits for `accept`. */
    destination(to) {
        this.#exports.destination(this.#destination(to));
    }
    #destination([endpoint, name]) {
        const [first, second] = [endpoint, name].map((each) => utf8.encode(each));
        this.#input(new Uint8Array([...first, ...second]));
        return first.length;
    }
    fingerprint() {
        return text.decode(this.#output(this.#exports.fingerprint()));
    }

    #record(values) {
        for (const value of values) {
            if (typeof value === "number") {
                this.#exports.number(value);
                continue;
            }
            const label = utf8.encode(value);
            this.#input(label);
            this.#exports.label(0, label.length);
        }
    }
    /** Returns the receipt in an output of this size, and the receipt's length in bytes. */
    #receipt(size) {
        const view = this.#view(size);
        const clamped = view.getUint32(8, true);
        const receipt = {
            origin: origins[view.getUint32(0, true)],
            clamped: Array.from({ length: clamped }, (_, i) => view.getUint32(12 + 4 * i, true)),
            coefficients: view.getUint32(4, true),
        };
        return [receipt, 12 + 4 * clamped];
    }
    perturb(values) {
        this.#record(values);
        const size = this.#exports.perturb();
        const [receipt, at] = this.#receipt(size);
        return { report: this.#output(size).slice(at), ...receipt };
    }
    /** Returns the number of input codes of each attribute. For tests and proofs, as the next two functions. */
    cells() {
        const size = this.#exports.cells(), view = this.#view(size);
        return Array.from({ length: size / 8 }, (_, i) => view.getBigUint64(8 * i, true));
    }
    perturbCells(cells) {
        for (const cell of cells) this.#exports.cell(cell);
        return this.#output(this.#exports.perturb_cells()).slice();
    }
    exploreCells(cells) {
        for (const cell of cells) this.#exports.cell(cell);
        return this.#output(this.#exports.explore_cells()).slice();
    }
    #sum(at, i) {
        return new DataView(this.#exports.memory.buffer).getBigUint64(Number(at) + 8 * i, true);
    }

    /**
     * Restores a client from a snapshot, which is empty for a new one, and the changes that were appended to it. `once` is
     * whether the client accepts one record per round.
     */
    restore(snapshot, once = false, changes = []) {
        this.#restored(snapshot, once, changes);
        this.#exports.begin();
    }
    #restored(snapshot, once, changes) {
        this.#input(snapshot);
        this.#exports.restore(once);
        for (const each of changes) {
            this.#input(each);
            this.#exports.apply();
        }
    }
    snapshot() {
        return this.#output(this.#exports.snapshot()).slice();
    }
    /** Returns the changes since the last snapshot or call; empty if there are none. */
    changes() {
        return this.#output(this.#exports.changes()).slice();
    }
    /** Restores the ledger of a group for the clients that are restored later. */
    restoreLedger(snapshot) {
        this.#input(snapshot);
        this.#exports.restore_ledger();
    }
    /** Sets what a person may spend in a group, or in all collections of the ledger if the name is empty. */
    limitLedger(group, epsilon) {
        this.#input(utf8.encode(group));
        this.#exports.limit_ledger(epsilon);
    }
    snapshotLedger() {
        return this.#output(this.#exports.snapshot_ledger()).slice();
    }
    /** Sets the public columns of the next records: pairs of a name and a text. */
    #columns(columns) {
        this.#exports.clear_columns();
        for (const [name, value] of columns) {
            const [first, second] = [utf8.encode(name), utf8.encode(value)];
            this.#input(new Uint8Array([...first, ...second]));
            this.#exports.column(first.length);
        }
    }
    report(values, round, columns = []) {
        this.#columns(columns);
        this.#record(values);
        return this.#receipt(this.#exports.report(round))[0];
    }
    /** Restores a person of a fleet, reports a record, and returns the receipt and the person's snapshot. */
    reportMember(snapshot, values, round, columns, once, person) {
        this.#input(snapshot);
        this.#exports.restore_member(once);
        this.#input(utf8.encode(person));
        this.#exports.name_member();
        this.#columns(columns);
        this.#record(values);
        const [receipt] = this.#receipt(this.#exports.report_member(round));
        return [receipt, this.#output(this.#exports.snapshot_member()).slice()];
    }
    /** `columns` has the public columns of each record, or one element for all. */
    reportAll(records, round, columns = [[]]) {
        const receipts = [];
        for (const [i, values] of records.entries()) {
            if (i < columns.length) this.#columns(columns[i]);
            this.#record(values);
            receipts.push(this.#receipt(this.#exports.stage())[0]);
        }
        this.#exports.commit(round);
        return receipts;
    }
    pending() {
        return this.#exports.pending();
    }
    spent(delta) {
        const [responses, epsilon, sum, advanced] = this.#figures(this.#exports.spent(delta));
        return { responses, epsilon, sum, advanced, delta };
    }
    refused() {
        const size = this.#exports.refused();
        const bytes = this.#output(size), view = this.#view(size);
        const all = [];
        for (let at = 0; at < size;) {
            const reason = view.getUint32(at + 4, true);
            all.push({ round: view.getInt32(at, true), reason: text.decode(bytes.subarray(at + 8, at + 8 + reason)) });
            at += 8 + reason;
        }
        return all;
    }
    requeueRefused() {
        return this.#exports.requeue_refused();
    }
    dropRefused() {
        return this.#exports.drop_refused();
    }

    #flush;
    /** Returns the next batch of a flush, whose destination is an array that identifies it; undefined at its end. */
    next(flush, most) {
        if (this.#flush !== flush) this.#exports.flush(most, this.#destination(flush));
        this.#flush = flush;
        const size = this.#exports.next();
        if (size === 0) return undefined;
        const bytes = this.#output(size), view = this.#view(size);
        return {
            id: text.decode(bytes.subarray(0, 36)),
            round: view.getInt32(36, true),
            reports: view.getUint32(40, true),
            type: view.getUint32(44, true) > 0 ? "application/vnd.ldp.batch" : "application/octet-stream",
            body: bytes.slice(48),
        };
    }
    delivered(earlier, history) {
        this.#input(utf8.encode(history));
        this.#exports.delivered(earlier);
    }
    /** Returns the error of a server that was set back since the last delivery; undefined if it was not. */
    setBack() {
        const [message, detail, hint] = text.decode(this.#output(this.#exports.set_back())).split("\n");
        return message ? new LdpError("environment", message, detail, hint) : undefined;
    }
    /** Returns false if the flush cannot continue. */
    undelivered(outcome, error) {
        const message = utf8.encode([error.message, says(error.said)].filter((part) => part).join("; "));
        this.#input(new Uint8Array([...message, ...utf8.encode(error.detail)]));
        return this.#exports.undelivered(outcomes.indexOf(outcome), message.length) !== 0;
    }
    /** Sets the queue aside. Returns the error that ends the flush. */
    setQueueAside() {
        const [message, detail, hint] = text.decode(this.#output(this.#exports.set_queue_aside())).split("\n");
        return new LdpError("incompatible", message, detail, hint);
    }

    /** Returns the receipt that the endpoint sends with a response to this request (doc/protocol.md). */
    receipt({ method, status, name, id = "", round = 0, content = new Uint8Array() }) {
        const head = [method, name, id].map((each) => utf8.encode(each));
        const bytes = new Uint8Array(head.reduce((sum, each) => sum + each.length, content.length));
        let at = 0;
        for (const each of [...head, content]) {
            bytes.set(each, at);
            at += each.length;
        }
        this.#input(bytes);
        return text.decode(this.#output(this.#exports.receipt(status, round, ...head.map((each) => each.length))));
    }
    /**
     * Returns the next step after a response: {action, outcome, foreign}. `foreign` is an error if the response did not
     * come from the endpoint.
     */
    judge({ receipt, soFar = "later", ...request }) {
        const { method, status } = request;
        const right = receipt !== null && receipt === this.receipt(request);
        const [message, hint] = text.decode(this.#output(this.#exports.foreign(status, right))).split("\n");
        const foreign = message ? new LdpError("environment", message, `Status ${status}.`, hint) : undefined;
        if (method === "GET") return { action: actions[this.#exports.spec_step(status, right)], foreign };
        const step = this.#exports.http_step(method === "DELETE" ? 1 : 0, outcomes.indexOf(soFar), status, right);
        return { action: actions[step >> 3], outcome: outcomes[step & 7], foreign };
    }
}

/** Holds an instance, and discards it after an exception. */
export class Sandbox {
    #make;
    #hint;
    #instance;

    /** `make` returns a new instance; `hint` says what to do if the module stops. */
    constructor(make, hint = "Nothing was reported. If the error recurs with more free memory, report it as a bug.") {
        this.#make = make;
        this.#hint = hint;
    }
    async use(work) {
        try {
            this.#instance ??= await this.#make();
            return work(this.#instance);
        } catch (error) {
            this.abandon();
            if (!(error instanceof WebAssembly.RuntimeError) && !(error instanceof RangeError)) throw error;
            throw environment("the module stopped", error.message, this.#hint, error);
        }
    }
    abandon() {
        this.#instance = undefined;
    }
}
