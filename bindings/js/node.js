import { readFile } from "node:fs/promises";
import { webcrypto } from "node:crypto";
import { readWith } from "./module.js";

readWith(readFile);
globalThis.crypto ??= webcrypto; // Node 18 has it under this name only

export * from "./index.js";
export { FileStore } from "./file-store.js";
