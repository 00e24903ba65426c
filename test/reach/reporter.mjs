// The npm package as a command that `ldp audit` can attack: reads a value a line, the parts of a record separated by commas,
// and writes a fresh report a line, in hexadecimal.
//
// Arguments: spec.

import { createInterface } from "node:readline";
import { Collection } from "../../build/js/node.js";

const collection = await Collection.from(process.argv[2]);
const parts = collection.spec.attributes.map((attribute) => (Array.isArray(attribute.domain) ? String : Number));
const lines = [];
for await (const line of createInterface({ input: process.stdin })) {
    const record = line.split(",").map((part, i) => parts[i](part));
    lines.push(Buffer.from((await collection.perturb(record)).report).toString("hex"));
}
process.stdout.write(lines.map((line) => `${line}\n`).join(""));
