import { readFile } from "node:fs/promises";
import { readWith } from "./module.js";

readWith(readFile);

export * from "./results.js";
