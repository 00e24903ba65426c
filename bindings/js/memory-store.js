// A state in memory. It is lost with the page or process, and the person then spends the budget again.

export class MemoryStore {
    #held = { revision: 0, state: undefined, changes: [] };

    async load() {
        return { ...this.#held, changes: [...this.#held.changes] };
    }
    async save(state, revision) {
        if (revision !== this.#held.revision + 1) return false;
        this.#held = { revision, state, changes: [] };
        return true;
    }
    async append(change, revision) {
        if (revision !== this.#held.revision + 1) return false;
        this.#held.changes.push(change);
        this.#held.revision = revision;
        return true;
    }

    alone(work) {
        return work();
    }
}
