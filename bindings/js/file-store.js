// A client's state in Node: a folder with one file for each revision, whose name is its number. The first of them has a
// complete state, and each later one a change that was appended to it.
//
// A new revision is written durably to a draft, which is then linked under the next number. The link fails if another
// process has used the number. If the preceding revision is gone after the link, there are two cases. Either the number
// was used and removed before, and the new revision is void; or another process has already built on it. The first line
// of every file distinguishes the cases. In a state, it lists the writers of the state and of its predecessors, with the
// last revision of each; in a change, it has the writer of the change. A complete state replaces all earlier files, which
// are removed in ascending order, so that a number is never free while the number before it exists. Thus exactly one of
// several concurrent writers succeeds, and a process may stop at any moment.

import { createHash, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { link, mkdir, open, readFile, readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { LdpError, environment } from "./error.js";

function failure(folder, error) {
    if (error instanceof LdpError) return error;
    const full = error.code === "ENOSPC" || error.code === "EDQUOT";
    return environment(full ? "the disk is full" : "the state's folder cannot be used", `${folder}: ${error.message}`,
        full ? "Nothing was reported. Free some space, and report again."
             : "Nothing was reported. Use a separate folder on a file system with hard links.", error);
}

function missing(error) {
    if (error.code !== "ENOENT") throw error;
}

const newline = 10, most_writers = 1000, most_revisions = 16;

const checksum = (text) => createHash("sha256").update(text).digest("hex");

/** Returns the first line: the writers and their last revisions, the latest first; or {appended} with the writer of a change. */
function headed(about) {
    const text = JSON.stringify(about);
    return `${checksum(text)} ${text}\n`;
}
/** Reads a file. Returns the writers of a state, or the writer of a change, and the offset of the content. */
function lineage(file) {
    const end = file.indexOf(newline), [sum, text] = file.subarray(0, end).toString().split(" ");
    if (end < 0 || checksum(text ?? "") !== sum)
        throw environment("the stored state is damaged", "The checksum does not match the first line.",
            "Restore it from a backup: without memoized responses, a person spends the budget again.");
    const about = JSON.parse(text);
    return { writers: Array.isArray(about) ? about : undefined, writer: about.appended, begin: end + 1 };
}
function incomplete() {
    return environment("the stored state is damaged", "The folder has changes without the state that they changed.",
        "Restore it from a backup: without memoized responses, a person spends the budget again.");
}
/** The writers after another one has written a revision. */
function followed(writers, writer, revision) {
    return [[writer, revision], ...writers.filter(([other]) => other !== writer)].slice(0, most_writers);
}

export class FileStore {
    #folder;
    #sequence = 0;
    #self = randomUUID();
    #known = new Map(); // of the revisions that were loaded or saved last: the writers, and the identity of the file
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
            const found = await this.#latest();
            if (!found) return { revision: 0, state: undefined };
            const { writers, ...stored } = found;
            await this.#remember(stored.revision, writers);
            return stored;
        } catch (error) {
            throw failure(this.#folder, error);
        }
    }

    /** Returns the file of a revision; undefined if a later state has replaced it. */
    #read(revision) {
        return readFile(this.#path(revision)).catch((error) => {
            if (error.code !== "ENOENT") throw error;
        });
    }
    /** Returns the latest state and its writers; undefined without one. */
    async #latest() {
        for (let before;;) {
            const [highest] = await this.#revisions();
            if (highest === undefined) return undefined;
            const found = await this.#state(highest);
            if (found) return found;
            // A later state replaces files only after it has the highest number.
            if (highest === before) throw incomplete();
            before = highest;
        }
    }
    /** Returns the state whose last change has this revision; undefined if a later state has replaced it. */
    async #state(revision) {
        const changes = [], makers = [];
        for (let each = revision; each > 0; --each) {
            const file = await this.#read(each);
            if (!file) return undefined;
            const { writers, writer, begin } = lineage(file), content = new Uint8Array(file.subarray(begin));
            if (writers) {
                const all = makers.reduceRight((before, maker, i) => followed(before, maker, revision - i), writers);
                return { revision, state: content, changes: changes.reverse(), writers: all };
            }
            changes.push(content);
            makers.push(writer);
        }
        throw incomplete();
    }
    /** Returns whether the latest state was built on the revision that this object saved. */
    async #builtOn(revision) {
        const { writers } = await this.#latest();
        return writers.some(([writer, last]) => writer === this.#self && last === revision);
    }

    async #remember(revision, writers) {
        this.#known.set(revision, { writers, file: await this.#identity(revision) });
        while (this.#known.size > most_revisions) this.#known.delete(Math.min(...this.#known.keys()));
    }
    /** Returns what distinguishes the file of a revision from a later file of this name; undefined if there is none. */
    async #identity(revision) {
        const found = await stat(this.#path(revision), { bigint: true }).catch(missing);
        return found && `${found.ino} ${found.mtimeNs}`;
    }
    /** Returns whether no state has replaced the revision before the one that was just linked. */
    async #follows(revision) {
        if (revision === 1) return (await this.#revisions())[0] === 1;
        const before = this.#known.get(revision - 1)?.file;
        if (before === undefined) return (await this.#revisions())[0] === revision;
        return before === (await this.#identity(revision - 1));
    }

    /**
     * Replaces the preceding revision durably. Returns false if another revision is stored; then nothing changes. Clients
     * that share this object save one after another: they are one writer, of which a state has the last revision only.
     */
    save(state, revision) {
        return this.#next(revision, (writers) => [headed(writers), state], async () => {
            const before = (await this.#revisions()).filter((each) => each < revision);
            for (const old of before.reverse()) await unlink(this.#path(old)).catch(() => {});
        });
    }
    /** Appends a change to the preceding revision durably, which this object has loaded or saved. Returns as save(). */
    async append(change, revision) {
        if (!this.#known.has(revision - 1)) return false;
        return this.#next(revision, () => [headed({ appended: this.#self }), change], () => {});
    }
    #next(revision, parts, settle) {
        const saved = this.#saved.then(() => this.#link(revision, parts, settle));
        this.#saved = saved.catch(() => {});
        return saved;
    }
    async #link(revision, parts, settle) {
        const draft = this.#path(`draft-${this.#self}-${++this.#sequence}`);
        const writers = followed(this.#known.get(revision - 1)?.writers ?? [], this.#self, revision);
        try {
            await this.#write(draft, ...parts(writers));
            const taken = await link(draft, this.#path(revision)).then(() => false, (error) => {
                if (error.code === "EEXIST") return true;
                throw error;
            });
            await unlink(draft).catch(() => {});
            if (taken) return false;
            const follows = await this.#follows(revision);
            if (!follows && !(await this.#builtOn(revision))) {
                await unlink(this.#path(revision)).catch(() => {});
                return false;
            }
            await this.#sync();
            if (follows) await settle();
            await this.#remember(revision, writers);
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

    /** Runs work without a lock: processes that flush concurrently send the same batches, which count once. */
    alone(work) {
        return work();
    }
}
