// A device that reports in every round, and flushes at times, until it is killed. It prints each report that is durable.
//
// Arguments: folder of the store, endpoint, first round, how many, spec.

import { writeSync } from "node:fs";
import { Client, Collection, FileStore } from "../../build/js/node.js";

const [folder, endpoint, first, count, spec] = process.argv.slice(2);
const client = await Client.open(await Collection.from(spec), new FileStore(folder));
for (let i = 0; i < Number(count); ++i) {
    const round = Number(first) + i;
    writeSync(1, `began ${round}\n`);
    await client.report([round % 7], { round });
    writeSync(1, `reported ${round}\n`);
    if (i % 3 === 2) await client.flush({ endpoint, name: "numbers", most: 2 });
}
