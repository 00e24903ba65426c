// What devices talk to, for tests: keeps batches as `ldp collect` does, counts each id once, and misbehaves on demand.

import { createHash } from "node:crypto";
import { createServer } from "node:http";

/** Returns the payloads of a batch in the short form (doc/formats.md). */
export function unpacked(body) {
    const count = body.readUInt32LE(10), payloads = body.subarray(14), size = payloads.length / count;
    return Array.from({ length: count }, (_, i) => payloads.subarray(i * size, (i + 1) * size).toString("hex"));
}

/** Splits the body of a request into its public columns and its batch. */
function parts(type, body) {
    if (type !== "application/vnd.ldp.batch") return { columns: {}, batch: body };
    const end = body.indexOf(10);
    return { columns: JSON.parse(body.subarray(0, end).toString()), batch: body.subarray(end + 1) };
}

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
/** The receipt of an answer, as doc/protocol.md describes it. */
export const receipt = (method, status, name, id, round, content) =>
    sha256(["ldp receipt 1", method, status, id, round, sha256(content), name].join("\n"));

export class Endpoint {
    batches = new Map(); // id → {round, body, columns, batch}
    given = new Set(); // ids that were given up
    requests = [];
    spec = "";
    /** Called before a batch is stored; may return {status, headers} to answer instead, or "lose the answer". */
    mood = () => undefined;
    /** Called with each answer; may return another one: what stands between a client and an endpoint. */
    between = (answer) => answer;
    /** Serves what is not the endpoint's. */
    page = () => undefined;

    async start() {
        this.server = createServer((request, response) => this.#serve(request, response));
        await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
        this.url = `http://127.0.0.1:${this.server.address().port}`;
        return this;
    }
    async stop() {
        this.server.closeAllConnections();
        await new Promise((resolve) => this.server.close(resolve));
    }

    async #serve(request, response) {
        const chunks = [];
        try {
            for await (const chunk of request) chunks.push(chunk);
        } catch {
            return; // the sender is gone
        }
        const body = Buffer.concat(chunks);
        const { pathname, searchParams } = new URL(request.url, this.url);
        const given = this.#answer(request, pathname, searchParams, body) ?? (await this.page(pathname, searchParams, body));
        const answer = this.between(given, request);
        if (answer === "lose the answer") return request.socket.destroy();
        const { status = 404, headers = {}, content = "" } = answer ?? {};
        response.writeHead(status, { "access-control-allow-origin": "*",
            "access-control-expose-headers": "Ldp-Receipt, Retry-After", ...headers }).end(content);
    }
    #answer(request, path, query, body) {
        const name = decodeURIComponent(path.match(/^\/collections\/([^/]+)\//)?.[1] ?? "");
        if (path.match(/^\/collections\/[^/]+\/spec$/))
            return { status: 200, content: this.spec, headers: { "content-type": "application/json",
                "ldp-receipt": receipt("GET", 200, name, "", 0, this.spec) } };
        const id = path.match(/^\/collections\/[^/]+\/batches\/([0-9a-f-]{36})$/)?.[1];
        if (!id) return undefined;
        if (request.method === "OPTIONS")
            return { status: 204, headers: { "access-control-allow-methods": "POST, DELETE",
                "access-control-allow-headers": "content-type" } };
        this.requests.push({ method: request.method, id, headers: request.headers });
        const known = this.batches.get(id), round = Number(query.get("round"));
        // The receipt of a refusal; that of 413 has no content.
        const refusal = (status) => ([400, 413, 422].includes(status) ? { "ldp-receipt": receipt(request.method, status, name, id, round,
            status === 413 ? "" : body) } : {});
        const settled = (status) => ({ status, headers: { "ldp-receipt": receipt(request.method, status, name, id, round, body) } });
        if (request.method === "DELETE") {
            if (known) return settled(409);
            this.given.add(id);
            return settled(204);
        }
        if (this.given.has(id) || (known && !(known.round === round && known.body.equals(body)))) return settled(409);
        const given = parts(request.headers["content-type"], body);
        const mood = this.mood(given.batch, id);
        if (mood && mood !== "lose the answer") return { ...mood, headers: { ...refusal(mood.status), ...mood.headers } };
        this.batches.set(id, { round, body, ...given });
        return mood ?? settled(known ? 200 : 201);
    }

    /** Every payload that was counted, with its round. */
    counted() {
        return [...this.batches.values()].flatMap(({ round, batch }) =>
            unpacked(batch).map((payload) => ({ round, payload })));
    }
    /** The number of reports that were counted, by their public columns. */
    countedByColumns() {
        const counts = {};
        for (const { columns, batch } of this.batches.values())
            counts[JSON.stringify(columns)] = (counts[JSON.stringify(columns)] ?? 0) + unpacked(batch).length;
        return counts;
    }
}
