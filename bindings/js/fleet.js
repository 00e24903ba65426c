// The clients of many people in one store, for a program that acts for their devices, such as an import of a panel.
//
// The state has the snapshot of a client with the queue of all people, and then the name and the snapshot of each
// person. Each of these parts is preceded by its length (32 bits, little-endian).

import { Client, texts, whole } from "./client.js";
import { LdpError, environment } from "./error.js";

const utf8 = new TextEncoder();
const text = new TextDecoder();

/** An instance whose state is that of a fleet. */
class Members {
    #instance;
    #once; // whether each person has one record per round
    #people = new Map(); // name → snapshot

    constructor(instance, once) {
        this.#instance = instance;
        this.#once = once;
        for (const name of ["next", "delivered", "undelivered", "invalidate", "pending", "refused", "requeueRefused", "dropRefused", "snapshotLedger"])
            this[name] = (...given) => instance[name](...given);
    }
    restore(state) {
        this.#people.clear();
        if (state.length === 0) return this.#instance.restore(state);
        const view = new DataView(state.buffer, state.byteOffset, state.byteLength);
        let at = 0;
        const take = () => {
            const size = at + 4 <= state.length ? view.getUint32(at, true) : Infinity;
            at += 4 + size;
            if (at > state.length)
                throw environment("the stored state is damaged", "It is not the state of a fleet.", "Restore it from a backup.");
            return state.slice(at - size, at);
        };
        const queue = take();
        while (at < state.length) {
            const name = text.decode(take());
            this.#people.set(name, take());
        }
        this.#instance.restore(queue);
    }
    snapshot() {
        const parts = [this.#instance.snapshot()];
        for (const [name, snapshot] of this.#people) parts.push(utf8.encode(name), snapshot);
        const state = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, 0));
        const view = new DataView(state.buffer);
        let at = 0;
        for (const part of parts) {
            view.setUint32(at, part.length, true);
            state.set(part, at + 4);
            at += 4 + part.length;
        }
        return state;
    }
    report({ person, values, round, columns }) {
        const [receipt, snapshot] = this.#instance.reportMember(this.#people.get(person) ?? new Uint8Array(), values, round,
            columns, this.#once, person);
        this.#people.set(person, snapshot);
        return receipt;
    }
    people() {
        return this.#people.size;
    }
}

export class Fleet extends Client {
    /** Use Fleet.open. */
    constructor(collection, store, { oncePerRound = false, ledger } = {}) {
        super(collection, store, { ledger }, (instance) => new Members(instance, oncePerRound));
    }

    async report(person, record, options = {}) {
        return (await this.reportAll([{ person, record, ...options }]))[0];
    }
    async reportAll(entries) {
        const all = Array.from(entries, ({ person, record, round = 0, columns = {} }) => {
            if (typeof person !== "string" || person === "" || /\p{Surrogate}/u.test(person))
                throw new LdpError("invalid_value", "the name of a person must be a non-empty string",
                    `Found ${String(person).slice(0, 100)}.`, "Use a name that is unique to the person and does not change.");
            whole(round);
            return { person, values: this.collection.values(record), round, columns: texts(columns) };
        });
        const receipts = await this._change((members) => all.map((entry) => members.report(entry)));
        return receipts.map((receipt) => this.collection.named(receipt));
    }
    people() {
        return this._look((members) => members.people());
    }
    async spent() {
        throw new LdpError("unsupported", "a fleet has no ledger of its own", "Each person has a ledger.");
    }
}
