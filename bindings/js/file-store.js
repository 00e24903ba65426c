// A client's state in Node: a folder with one file, which bears the number of the state's revision.
//
// A new state is written to a file of its own, made durable, and then linked under the next number, which fails if
// somebody has taken it. If a higher number is there already, either this one was taken before and removed again, and
// the state counts for nothing, or others have built on it meanwhile: every state names the last revision of each who
// wrote it or what it was built on, in its first line. So of processes that write at once one succeeds, each knows
// which, and a process may end at any moment.

import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { link, mkdir, open, readFile, readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { LdpError, environment } from "./error.js";

function failure(folder, error) {
    if (error instanceof LdpError) return error;
    const full = error.code === "ENOSPC" || error.code === "EDQUOT";
    return environment(full ? "the disk is full" : "the state's folder fails", `${folder}: ${error.message}`,
        full ? "Nothing was reported. Free some space, and report again."
             : "Nothing was reported. It must be a folder of its own, on a file system with hard links.", error);
}

const newline = 10, most_writers = 1000;

const checksum = (text) => createHash("sha256").update(text).digest("hex");

/** The first line: writers and their last revisions, the latest first. */
function headed(writers) {
    const text = JSON.stringify(writers);
    return `${checksum(text)} ${text}\n`;
}
/** That, and where in the file the state begins. */
function lineage(file) {
    const end = file.indexOf(newline), [sum, text] = file.subarray(0, end).toString().split(" ");
    if (end < 0 || checksum(text ?? "") !== sum)
        throw environment("the stored state is damaged", "Its first line is not as it was written.",
            "Restore it from a backup: a person who starts without their memory spends again.");
    return { writers: JSON.parse(text), begin: end + 1 };
}

export class FileStore {
    #folder;
    #sequence = 0;
    #self = randomUUID();
    #writers = []; // of what was loaded or saved last

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
                if (revision === undefined) {
                    this.#writers = [];
                    return { revision: 0, state: undefined };
                }
                const file = await this.#read(revision);
                if (!file) continue;
                const { writers, begin } = lineage(file);
                this.#writers = writers;
                return { revision, state: new Uint8Array(file.subarray(begin)) };
            }
        } catch (error) {
            throw failure(this.#folder, error);
        }
    }

    /** Undefined if a later one has taken its place. */
    #read(revision) {
        return readFile(this.#path(revision)).catch((error) => {
            if (error.code !== "ENOENT") throw error;
        });
    }
    /** Whether a state was built on what this one saved as that revision. */
    async #builtOn(revision) {
        for (;;) {
            const [highest] = await this.#revisions(), file = await this.#read(highest);
            if (file) return lineage(file).writers.some(([writer, last]) => writer === this.#self && last === revision);
        }
    }

    /** In place of the revision before this one, durably, or, if that is not what is stored, not at all: false. */
    async save(state, revision) {
        const draft = this.#path(`draft-${this.#self}-${++this.#sequence}`);
        const others = this.#writers.filter(([writer]) => writer !== this.#self);
        const writers = [[this.#self, revision], ...others].slice(0, most_writers);
        try {
            await mkdir(this.#folder, { recursive: true, mode: 0o700 });
            const file = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o600);
            try {
                await file.writeFile(headed(writers));
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
            const latest = highest === revision;
            if (!latest && !(await this.#builtOn(revision))) {
                await unlink(this.#path(revision)).catch(() => {});
                return false;
            }
            await this.#sync();
            if (latest) for (const old of before) await unlink(this.#path(old)).catch(() => {});
            this.#writers = writers;
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
