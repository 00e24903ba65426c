// The clients of many people in one store, for a program that acts for their devices, such as an import of a panel.

import { Client, texts, whole } from "./client.js";
import { LdpError } from "./error.js";
import { joined, parted } from "./fleet-state.js";

const utf8 = new TextEncoder();
const text = new TextDecoder();

/** An instance whose state is that of a fleet. */
class Members {
    #instance;
    #once; // whether each person has one record per round
    #people = new Map(); // name → snapshot
    #changed = new Set(); // names of people whose snapshots changed since the last change or snapshot

    constructor(instance, once) {
        this.#instance = instance;
        this.#once = once;
        for (const name of ["next", "delivered", "undelivered", "setQueueAside", "setBack", "pending", "refused", "requeueRefused", "dropRefused", "snapshotLedger", "contract", "accept", "destination"])
            this[name] = (...given) => instance[name](...given);
    }
    restore(state, _, changes = []) {
        this.#people.clear();
        const queues = [state, ...changes].filter((each) => each.length > 0).map((each) => {
            const [queue, ...people] = parted(each);
            for (let i = 0; i + 1 < people.length; i += 2) this.#people.set(text.decode(people[i]), people[i + 1]);
            return queue;
        });
        this.#instance.restore(queues[0] ?? state, false, queues.slice(1).filter((queue) => queue.length > 0));
    }
    snapshot() {
        this.#changed.clear();
        return joined([this.#instance.snapshot(), ...this.#of(this.#people.keys())]);
    }
    /** Returns the changes of the queue and the snapshots of the people who changed. */
    changes() {
        const queue = this.#instance.changes();
        if (queue.length === 0 && this.#changed.size === 0) return queue;
        const change = joined([queue, ...this.#of(this.#changed)]);
        this.#changed.clear();
        return change;
    }
    /** Returns names and snapshots. */
    #of(names) {
        return Array.from(names, (name) => [utf8.encode(name), this.#people.get(name)]).flat();
    }
    report({ person, values, round, columns }) {
        const [receipt, snapshot] = this.#instance.reportMember(this.#people.get(person) ?? new Uint8Array(), values, round,
            columns, this.#once, person);
        this.#people.set(person, snapshot);
        this.#changed.add(person);
        return receipt;
    }
    people() {
        return this.#people.size;
    }
}

export class Fleet extends Client {
    /** Use Fleet.open. */
    constructor(collection, store, { oncePerRound = false, ledger, limits } = {}) {
        super(collection, store, { ledger, limits }, (instance) => new Members(instance, oncePerRound));
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
