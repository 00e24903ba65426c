// The client of one person or device: perturbs records, and queues and sends reports.
//
// The order is fixed: draw a report, write it durably, then send it. The state after a draw is valid only if the store
// replaces the preceding state by it. If another tab or process has saved a state meanwhile, the draw is discarded and
// repeated from that state. A change is appended to the stored state if the store can append, so that a report costs as
// many bytes as the report has, whatever the length of the queue. From time to time the state is written as a whole.

import { deliver } from "./delivery.js";
import { LdpError, environment } from "./error.js";
import { Sandbox } from "./instance.js";

export class Client {
    #collection;
    #store;
    #sandbox;
    #held = { revision: 0, size: 0, changes: 0, appended: 0 }; // the revision of the instance, and its size in the store
    #ledger; // the store with the ledger of a group
    #accounts = { revision: 0, state: undefined }; // the ledger of the instance, as stored
    #last = Promise.resolve(); // runs operations one at a time
    #flushing = Promise.resolve();
    #contract;
    #moved; // the destination of the last flush, if a change waits for an acceptance

    /** Use Client.open. `wrap` returns what restores and snapshots the state. */
    constructor(collection, store, { oncePerRound = true, ledger, limits = {} } = {}, wrap = (instance) => instance) {
        this.#collection = collection;
        this.#store = store;
        this.#ledger = ledger;
        if (ledger !== undefined && ledger === store) throw shared();
        this.#sandbox = new Sandbox(async () => {
            const { revision, state = new Uint8Array(), changes = [] } = await store.load();
            this.#held = { revision, size: state.length, changes: changes.length, appended: total(changes) };
            const bare = await collection.instance();
            if (ledger) {
                this.#accounts = await ledger.load();
                bare.restoreLedger(this.#accounts.state ?? new Uint8Array());
                for (const [group, epsilon] of Object.entries(limits.groups ?? {})) bare.limitLedger(group, epsilon);
                if (limits.total !== undefined) bare.limitLedger("", limits.total);
            }
            const instance = wrap(bare);
            instance.restore(state, oncePerRound, changes);
            return instance;
        });
    }
    static async open(collection, store, options) {
        const client = new this(collection, store, options);
        client.#contract = Object.freeze(await client.#change((instance) => instance.contract()));
        return client;
    }
    /** The contract of the store. Its changes are those that were found when the client was opened, or by a flush elsewhere. */
    get contract() {
        return this.#contract;
    }
    async accept(digest) {
        const { changes } = this.#contract;
        const contract = await this.#change((instance) => {
            if (this.#moved) instance.destination(this.#moved);
            instance.accept(digest);
            return instance.contract();
        });
        this.#moved = undefined;
        this.#contract = Object.freeze({ ...contract, changes });
    }
    get collection() {
        return this.#collection;
    }

    #turn(work) {
        const turn = this.#last.then(work);
        this.#last = turn.catch(() => {});
        return turn;
    }
    /** Runs synchronous work, and saves the changed state. */
    #change(work) {
        return this.#turn(async () => {
            for (;;) {
                // What is left of the group's budget follows from the latest ledger.
                if (this.#ledger && (await this.#ledger.load()).revision !== this.#accounts.revision) this.#sandbox.abandon();
                const [result, held, save, accounts] = await this.#use((instance) =>
                    [work(instance), ...this.#next(instance), this.#ledger && instance.snapshotLedger()]);
                if (!(await this.#reserve(accounts))) continue;
                if (!save) return result;
                const saved = await save().catch((error) => {
                    this.#sandbox.abandon();
                    throw error;
                });
                if (saved) {
                    this.#held = held;
                    return result;
                }
                this.#sandbox.abandon();
            }
        });
    }
    /**
     * Returns the next revision and what saves it, which is undefined if the instance has not changed. The state is written as a whole
     * once the changes have as many bytes as it, or one for each 256 of its bytes. Both the bytes that are written and the
     * number of stored changes are then in proportion to the reports.
     */
    #next(instance) {
        const { size, changes, appended } = this.#held, revision = this.#held.revision + 1;
        const change = instance.changes();
        if (revision > 1 && change.length === 0) return [this.#held, undefined];
        const room = appended + change.length <= Math.max(size, 16384) && changes < Math.max(64, size / 256);
        if (revision > 1 && room && this.#store.append) {
            const held = { revision, size, changes: changes + 1, appended: appended + change.length };
            return [held, () => this.#store.append(change, revision)];
        }
        const state = instance.snapshot();
        return [{ revision, size: state.length, changes: 0, appended: 0 }, () => this.#store.save(state, revision)];
    }
    /**
     * Saves a changed ledger, before the state whose reports it pays for. Returns false, and discards the change, if another
     * client has changed the ledger meanwhile. If the state is not saved afterwards, the next report uses the reservation.
     */
    async #reserve(accounts) {
        if (!this.#ledger || equal(accounts, this.#accounts.state)) return true;
        const revision = this.#accounts.revision + 1;
        const saved = await this.#ledger.save(accounts, revision).catch((error) => {
            this.#sandbox.abandon();
            throw error;
        });
        if (saved) this.#accounts = { revision, state: accounts };
        else this.#sandbox.abandon();
        return saved;
    }
    /** For Fleet. */
    _change(work) {
        return this.#change(work);
    }
    _look(work) {
        return this.#look(work);
    }
    /** Runs work on the latest state in the store. */
    #look(work) {
        return this.#turn(async () => {
            const { revision } = await this.#store.load();
            if (revision !== this.#held.revision) this.#sandbox.abandon();
            return this.#use(work);
        });
    }
    /** Runs work on the instance. An error of a changed contract gets the changes. */
    async #use(work) {
        try {
            return await this.#sandbox.use(work);
        } catch (error) {
            if (error instanceof LdpError && error.code === "changed" && this.#contract) error.changes = this.#contract.changes;
            throw error;
        }
    }

    async report(record, { round = 0, columns = {}, token } = {}) {
        const values = this.#collection.values(record), side = texts(token === undefined ? columns : { ...columns, ldp_token: token });
        whole(round);
        return this.#collection.named(await this.#change((instance) => instance.report(values, round, side)));
    }
    async reportAll(records, { round = 0, columns = {} } = {}) {
        const all = Array.from(records, (record) => this.#collection.values(record));
        const side = Array.isArray(columns) ? columns.map(texts) : [texts(columns)];
        if (Array.isArray(columns) && side.length !== all.length)
            throw new LdpError("invalid_value", "the public columns and the records differ in number",
                `Found ${side.length} and ${all.length}.`, "Pass one object for all records, or an array with one for each.");
        whole(round);
        const receipts = await this.#change((instance) => instance.reportAll(all, round, side));
        return receipts.map((receipt) => this.#collection.named(receipt));
    }

    pending() {
        return this.#look((instance) => instance.pending());
    }
    spent(delta = 1e-6) {
        return this.#look((instance) => instance.spent(delta));
    }
    refused() {
        return this.#look((instance) => instance.refused());
    }
    requeueRefused() {
        return this.#change((instance) => instance.requeueRefused());
    }
    dropRefused() {
        return this.#change((instance) => instance.dropRefused());
    }

    flush(options) {
        const flush = this.#flushing.then(() => this.#store.alone(() => this.#flush(options)));
        this.#flushing = flush.catch(() => {});
        return flush;
    }
    async #flush({ endpoint, name, most = 1000, progress, ...how }) {
        if (!Number.isInteger(most) || most < 1)
            throw new LdpError("invalid_value", "the maximum size of a batch must be at least 1", `Found ${most}.`);
        const flush = [String(endpoint), String(name)]; // identifies this flush
        const found = await this.#look((instance) => {
            instance.destination(flush);
            return instance.contract();
        });
        this.#moved = found.waiting === null ? undefined : flush;
        if (this.#moved) this.#contract = Object.freeze(found);
        const done = { batches: 0, reports: 0, repeated: 0, refused: 0 };
        // Another tab may have settled the batch meanwhile, with the same effect.
        const settle = (batch, work) =>
            this.#change((instance) => instance.next(flush, most)?.id !== batch.id || work(instance));
        for (;;) {
            const [batch, failure] = await this.#change((instance) => {
                const next = instance.next(flush, most);
                return [next, next ? undefined : instance.setBack()];
            });
            if (failure) throw failure;
            if (!batch) return done;
            const { outcome, error, history } = await deliver((work) => this.#collection.use(work), { endpoint, name, batch }, how);
            if (outcome === "delivered" || outcome === "repeated") {
                const earlier = outcome === "repeated";
                await settle(batch, (instance) => instance.delivered(earlier, history));
                done.batches += 1;
                done.reports += batch.reports;
                done.repeated += earlier ? 1 : 0;
                progress?.({ ...done });
            } else if (outcome === "outdated") {
                throw await this.#change((instance) => instance.setQueueAside());
            } else {
                if (!(await settle(batch, (instance) => instance.undelivered(outcome, error)))) throw error;
                if (batch.reports === 1) done.refused += 1;
            }
        }
    }
}

function shared() {
    return new LdpError("invalid_value", "one store cannot have both the state of a client and the ledger of a group", "",
        "Pass another store as the ledger. The clients of all collections of the group use the same ledger.");
}

function total(arrays) {
    return arrays.reduce((sum, each) => sum + each.length, 0);
}

export function whole(round) {
    if (!Number.isInteger(round) || round !== (round | 0))
        throw new LdpError("invalid_value", "a round must be a 32-bit integer", `Found ${round}.`);
}

/** Returns the values of public columns as pairs of a name and a text. A missing value takes the column's default. */
export function texts(columns) {
    if (columns === null || typeof columns !== "object" || Array.isArray(columns))
        throw new LdpError("invalid_value", "the public columns must be an object", `Found ${String(columns).slice(0, 100)}.`,
            'For example {country: "de"}.');
    const pairs = [];
    for (const [name, value] of Object.entries(columns)) {
        if (value === null || value === undefined) continue;
        const known = ["string", "number", "bigint", "boolean"].includes(typeof value);
        if (!known && !(value instanceof Date && !Number.isNaN(value.getTime())))
            throw new LdpError("invalid_value", `the value of public column "${name}" has no text form`,
                `It is of the type ${typeof value}.`, "A value is a string, a number, a boolean, a valid Date or null.");
        const pair = [name, value instanceof Date ? value.toISOString() : String(value)];
        if (pair.some((part) => /\p{Surrogate}/u.test(part)))
            throw new LdpError("invalid_value", `public column "${name}" is not valid Unicode`, "It has a lone surrogate.");
        pairs.push(pair);
    }
    return pairs;
}

function equal(a, b) {
    return a !== undefined && b !== undefined && a.length === b.length && a.every((byte, i) => byte === b[i]);
}
