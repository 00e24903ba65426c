// The state of a fleet: the snapshot of a client with the queue of all people, and then the name and the snapshot of each
// person. A change has the changes of the queue, and the names and the snapshots of the people whose memory changed. Each
// of these parts is preceded by its length (32 bits, little-endian).

import { environment } from "./error.js";

/** Joins parts, each preceded by its length. */
export function joined(parts) {
    const all = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, 0));
    const view = new DataView(all.buffer);
    let at = 0;
    for (const part of parts) {
        view.setUint32(at, part.length, true);
        all.set(part, at + 4);
        at += 4 + part.length;
    }
    return all;
}
/** Returns the parts of what joined() returned. */
export function parted(all) {
    const view = new DataView(all.buffer, all.byteOffset, all.byteLength), parts = [];
    for (let at = 0; at < all.length;) {
        const size = at + 4 <= all.length ? view.getUint32(at, true) : Infinity;
        at += 4 + size;
        if (at > all.length)
            throw environment("the store does not have the state of a fleet", "It may have the state of a client, or be damaged.",
                "Use a store of its own for the fleet, or restore it from a backup.");
        parts.push(all.slice(at - size, at));
    }
    return parts;
}

/** Returns the contract in the stored state of a client or a fleet, read by a new instance; undefined without one. */
export function contractOf(instance, state, changes = []) {
    let queues = [state, ...changes];
    try {
        queues = [state, ...changes].map((each) => parted(each)[0]).filter((queue) => queue.length > 0);
    } catch {
        // A client's state is not a sequence of such parts.
    }
    return instance.agreed(queues[0], queues.slice(1));
}
