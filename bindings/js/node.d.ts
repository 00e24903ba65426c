import type { Store, Stored } from "./index.js";

export * from "./index.js";

/** In a folder of its own, on a file system with hard links. Serves several processes at once. */
export class FileStore implements Store {
    constructor(folder: string);
    load(): Promise<Stored>;
    save(state: Uint8Array, revision: number): Promise<boolean>;
    append(change: Uint8Array, revision: number): Promise<boolean>;
    alone<T>(work: () => Promise<T>): Promise<T>;
}
