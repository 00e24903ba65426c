// A client's state in Node: a folder with one file, whose name is the number of the state's revision. A second file has the
// collection's spec, if it was fetched.
//
// A new state is written durably to a draft, which is then linked under the next number. The link fails if another
// process has used the number. If a higher number exists after the link, there are two cases. Either the number was
// used and removed before, and the save is void; or another process has already built on this state. The first line of
// every state distinguishes the cases: it lists the writers of the state and of its predecessors, with the last
// revision of each. Thus exactly one of several concurrent writers succeeds, and a process may stop at any moment.

import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { link, mkdir, open, readFile, readdir, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { LdpError, environment } from "./error.js";

function failure(folder, error) {
    if (error instanceof LdpError) return error;
    const full = error.code === "ENOSPC" || error.code === "EDQUOT";
    return environment(full ? "the disk is full" : "the state's folder cannot be used", `${folder}: ${error.message}`,
        full ? "Nothing was reported. Free some space, and report again."
             : "Nothing was reported. Use a separate folder on a file system with hard links.", error);
}

const newline = 10, most_writers = 1000, most_revisions = 16;

const checksum = (text) => createHash("sha256").update(text).digest("hex");

/** Returns the first line: the writers and their last revisions, the latest first. */
function headed(writers) {
    const text = JSON.stringify(writers);
    return `${checksum(text)} ${text}\n`;
}
/** Reads the first line. Returns the writers and the offset of the state. */
function lineage(file) {
    const end = file.indexOf(newline), [sum, text] = file.subarray(0, end).toString().split(" ");
    if (end < 0 || checksum(text ?? "") !== sum)
        throw environment("the stored state is damaged", "The checksum does not match the first line.",
            "Restore it from a backup: a person without their memory spends the budget again.");
    return { writers: JSON.parse(text), begin: end + 1 };
}

export class FileStore {
    #folder;
    #sequence = 0;
    #self = randomUUID();
    #writers = new Map(); // writers of the states that were loaded or saved last, by revision
    #saved = Promise.resolve(); // the end of the preceding save

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
    /** Deletes old drafts of processes that did not finish. */
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
                const file = await this.#read(revision);
                if (!file) continue;
                const { writers, begin } = lineage(file);
                this.#remember(revision, writers);
                return { revision, state: new Uint8Array(file.subarray(begin)) };
            }
        } catch (error) {
            throw failure(this.#folder, error);
        }
    }

    /** Returns the file of a revision; undefined if a later revision has replaced it. */
    #read(revision) {
        return readFile(this.#path(revision)).catch((error) => {
            if (error.code !== "ENOENT") throw error;
        });
    }
    /** Returns whether the latest state was built on the revision that this object saved. */
    async #builtOn(revision) {
        for (;;) {
            const [highest] = await this.#revisions(), file = await this.#read(highest);
            if (file) return lineage(file).writers.some(([writer, last]) => writer === this.#self && last === revision);
        }
    }

    #remember(revision, writers) {
        this.#writers.set(revision, writers);
        while (this.#writers.size > most_revisions) this.#writers.delete(Math.min(...this.#writers.keys()));
    }

    /**
     * Replaces the preceding revision durably. Returns false if another revision is stored; then nothing changes. Clients
     * that share this object save one after another: they are one writer, of which a state has the last revision only.
     */
    save(state, revision) {
        const saved = this.#saved.then(() => this.#save(state, revision));
        this.#saved = saved.catch(() => {});
        return saved;
    }
    async #save(state, revision) {
        const draft = this.#path(`draft-${this.#self}-${++this.#sequence}`);
        const others = (this.#writers.get(revision - 1) ?? []).filter(([writer]) => writer !== this.#self);
        const writers = [[this.#self, revision], ...others].slice(0, most_writers);
        try {
            await this.#write(draft, headed(writers), state);
            const taken = await link(draft, this.#path(revision)).then(() => false, (error) => {
                if (error.code === "EEXIST") return true;
                throw error;
            });
            await unlink(draft).catch(() => {});
            if (taken) return false;
            const [highest, ...before] = await this.#revisions();
            const latest = highest === revision;
            if (!latest && !(await this.#builtOn(revision))) {
                await unlink(this.#path(revision)).catch(() => {});
                return false;
            }
            await this.#sync();
            if (latest) for (const old of before) await unlink(this.#path(old)).catch(() => {});
            this.#remember(revision, writers);
            return true;
        } catch (error) {
            await unlink(draft).catch(() => {});
            throw failure(this.#folder, error);
        }
    }
    /** Writes a draft durably. */
    async #write(draft, ...parts) {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 });
        const file = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o600);
        try {
            for (const part of parts) await file.writeFile(part);
            await file.sync();
        } finally {
            await file.close();
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

    async loadSpec() {
        try {
            return await readFile(this.#path("spec"), "utf8");
        } catch (error) {
            if (error.code === "ENOENT") return undefined;
            throw failure(this.#folder, error);
        }
    }
    async saveSpec(spec) {
        const draft = this.#path(`draft-${this.#self}-${++this.#sequence}`);
        try {
            await this.#write(draft, spec);
            await rename(draft, this.#path("spec"));
        } catch (error) {
            await unlink(draft).catch(() => {});
            throw failure(this.#folder, error);
        }
    }

    /** Runs work without a lock: processes that flush concurrently send the same batches, which count once. */
    alone(work) {
        return work();
    }
}
