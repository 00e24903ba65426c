// A client's state in Node: a folder with one file, which bears the number of the state's revision.
//
// A new state is written to a file of its own, made durable, and then linked under the next number, which fails if
// somebody has taken it. A number that was taken and removed again shows by a higher one beside it. So of processes
// that write at once one succeeds, and a process may end at any moment.

import { constants } from "node:fs";
import { link, mkdir, open, readFile, readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { environment } from "./error.js";

function failure(folder, error) {
    const full = error.code === "ENOSPC" || error.code === "EDQUOT";
    return environment(full ? "the disk is full" : "the state's folder fails", `${folder}: ${error.message}`,
        full ? "Nothing was reported. Free some space, and report again."
             : "Nothing was reported. It must be a folder of its own, on a file system with hard links.", error);
}

export class FileStore {
    #folder;
    #sequence = 0;

    constructor(folder) {
        this.#folder = String(folder);
    }

    #names() {
        return readdir(this.#folder).catch((error) => {
            if (error.code === "ENOENT") return [];
            throw error;
        });
    }
    async #revisions() {
        const names = await this.#names();
        return names.filter((name) => /^[1-9][0-9]*$/.test(name)).map(Number).sort((a, b) => b - a);
    }
    /** Drafts of processes that ended in the middle. */
    async #clear() {
        for (const name of await this.#names()) {
            if (!name.startsWith("draft-")) continue;
            const { mtimeMs } = await stat(this.#path(name)).catch(() => ({ mtimeMs: Date.now() }));
            if (Date.now() - mtimeMs > 3600000) await unlink(this.#path(name)).catch(() => {});
        }
    }
    #path(name) {
        return join(this.#folder, String(name));
    }

    async load() {
        try {
            await this.#clear();
            for (;;) {
                const [revision] = await this.#revisions();
                if (revision === undefined) return { revision: 0, state: undefined };
                try {
                    return { revision, state: new Uint8Array(await readFile(this.#path(revision))) };
                } catch (error) {
                    if (error.code !== "ENOENT") throw error; // else a later one has taken its place
                }
            }
        } catch (error) {
            throw failure(this.#folder, error);
        }
    }

    /** In place of the revision before this one, durably, or, if that is not what is stored, not at all: false. */
    async save(state, revision) {
        const draft = this.#path(`draft-${process.pid}-${++this.#sequence}`);
        try {
            await mkdir(this.#folder, { recursive: true, mode: 0o700 });
            const file = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o600);
            try {
                await file.writeFile(state);
                await file.sync();
            } finally {
                await file.close();
            }
            const taken = await link(draft, this.#path(revision)).then(() => false, (error) => {
                if (error.code === "EEXIST") return true;
                throw error;
            });
            await unlink(draft).catch(() => {});
            if (taken) return false;
            const [highest, ...before] = await this.#revisions();
            if (highest !== revision) {
                await unlink(this.#path(revision)).catch(() => {});
                return false;
            }
            await this.#sync();
            for (const old of before) await unlink(this.#path(old)).catch(() => {});
            return true;
        } catch (error) {
            await unlink(draft).catch(() => {});
            throw failure(this.#folder, error);
        }
    }
    async #sync() {
        const folder = await open(this.#folder, constants.O_RDONLY);
        try {
            await folder.sync();
        } finally {
            await folder.close();
        }
    }

    /** Processes that flush at once send the same batches, which does no harm. */
    alone(work) {
        return work();
    }
}
