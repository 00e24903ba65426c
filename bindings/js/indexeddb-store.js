// A client's state in a browser: one entry of a database of the page's origin, and one entry for each change that was
// appended to it. The key of a change is the name of the store and the revision.

import { environment } from "./error.js";

const states = "states", changes = "changes";

/** The keys of all changes of a store. */
const keys = (name) => IDBKeyRange.bound([name, 0], [name, Infinity]);

function failure(what, error) {
    if (error?.name === "QuotaExceededError")
        return environment("the browser's storage is full", `${what}: ${error.message}`,
            "Nothing was reported. Free storage of this site, or flush the queued reports, and report again.", error);
    return environment("the browser does not allow storage for this page",
        `${what}: ${error?.message ?? "IndexedDB is not available"}`,
        "Nothing was reported. Private windows, frames of other sites and settings may disable IndexedDB. A " +
        "MemoryStore keeps the state until the page closes.", error);
}

function settled(request) {
    return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}

export class IndexedDBStore {
    #name;
    #database;
    #opened;

    constructor(name, { database = "ldp" } = {}) {
        this.#name = String(name);
        this.#database = database;
    }

    #open() {
        this.#opened ??= new Promise((resolve, reject) => {
            const request = indexedDB.open(this.#database, 2);
            // Version 1 had no changes. Its pages cannot open version 2, so that they do not overlook changes.
            request.onupgradeneeded = ({ oldVersion }) => {
                if (oldVersion < 1) request.result.createObjectStore(states);
                request.result.createObjectStore(changes);
            };
            request.onerror = () => reject(request.error);
            request.onsuccess = () => {
                const forget = () => {
                    request.result.close();
                    this.#opened = undefined;
                };
                request.result.onversionchange = request.result.onclose = forget;
                resolve(request.result);
            };
        });
        return this.#opened.catch((error) => {
            this.#opened = undefined;
            throw failure("It cannot be opened", error);
        });
    }

    async load() {
        const database = await this.#open();
        try {
            const step = database.transaction([states, changes]);
            const [found, appended] = await Promise.all([settled(step.objectStore(states).get(this.#name)),
                settled(step.objectStore(changes).getAll(keys(this.#name)))]);
            const { revision, state } = found ?? { revision: 0, state: undefined };
            return { revision: revision + appended.length, state, changes: appended };
        } catch (error) {
            throw failure("It cannot be read", error);
        }
    }

    /** Replaces the preceding revision durably. Returns false if another revision is stored; then nothing changes. */
    save(state, revision) {
        return this.#write(revision, (step) => {
            step.objectStore(states).put({ revision, state }, this.#name);
            step.objectStore(changes).delete(keys(this.#name));
        });
    }
    /** Appends a change to the preceding revision durably. Returns as save(). */
    append(change, revision) {
        return this.#write(revision, (step) => step.objectStore(changes).put(change, [this.#name, revision]));
    }
    /** Runs `put` in a transaction if the preceding revision is stored. */
    async #write(revision, put) {
        const database = await this.#open();
        try {
            return await new Promise((resolve, reject) => {
                const step = database.transaction([states, changes], "readwrite", { durability: "strict" });
                let saved = false;
                const found = (stored) => {
                    saved = stored + 1 === revision;
                    if (saved) put(step);
                };
                // The last change has the latest revision. The state is read only if there is no change.
                step.objectStore(changes).openKeyCursor(keys(this.#name), "prev").onsuccess = ({ target: last }) => {
                    if (last.result) return found(last.result.key[1]);
                    step.objectStore(states).get(this.#name).onsuccess = ({ target }) => found(target.result?.revision ?? 0);
                };
                step.oncomplete = () => resolve(saved);
                step.onabort = () => reject(step.error);
            });
        } catch (error) {
            throw failure("It cannot be written", error);
        }
    }

    /** Runs work in one tab at a time. Without the Web Locks API, tabs may run it concurrently, which is harmless. */
    alone(work) {
        const locks = globalThis.navigator?.locks;
        return locks ? locks.request(`ldp:${this.#database}:${this.#name}`, work) : work();
    }
}
