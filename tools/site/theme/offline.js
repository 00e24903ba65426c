// A page that is opened as a file may start no worker and read no JSON. There the search's worker runs in a frame, and its
// index comes as a script, which tools/site/hooks.py writes.
if (location.protocol === "file:") {
    const here = document.currentScript.src;
    const run = (where, address) => new Promise((done, failed) => {
        const script = where.createElement("script");
        Object.assign(script, { src: address, onload: done, onerror: failed });
        where.head.append(script);
    });
    window.__search = { index: run(document, new URL("search/search_index.js", here)).then(() => window.searchIndex) };
    window.Worker = class extends EventTarget {
        constructor(address) {
            super();
            const frame = document.createElement("iframe");
            frame.hidden = true;
            document.body.append(frame);
            this.inside = frame.contentWindow;
            this.inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }));
            this.begun = run(this.inside.document, address);
        }
        async postMessage(data) {
            await this.begun;
            this.inside.dispatchEvent(new MessageEvent("message", { data }));
        }
    };
}
