// Chromium, driven through chromedriver (W3C WebDriver).

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class Browser {
    async start() {
        this.folder = mkdtempSync(join(tmpdir(), "ldp-chromium."));
        this.driver = spawn("chromedriver", ["--port=0"], { stdio: ["ignore", "pipe", "inherit"] });
        const port = await new Promise((resolve, reject) => {
            let text = "";
            this.driver.stdout.on("data", (data) => {
                text += data;
                const found = text.match(/successfully on port (\d+)/);
                if (found) resolve(found[1]);
            });
            this.driver.on("error", reject);
            this.driver.on("exit", () => reject(new Error(`chromedriver ended: ${text}`)));
        });
        this.url = `http://127.0.0.1:${port}/session`;
        const { sessionId } = await this.call("POST", "", { capabilities: { alwaysMatch: {
            timeouts: { script: 120000 },
            "goog:chromeOptions": { args: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
                `--user-data-dir=${this.folder}`] },
        } } });
        this.url += `/${sessionId}`;
        return this;
    }
    async stop() {
        await this.call("DELETE", "").catch(() => {});
        this.driver.kill();
        await new Promise((resolve) => (this.driver.exitCode === null ? this.driver.on("exit", resolve) : resolve()));
        rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
    }
    async call(method, path, body) {
        const response = await fetch(this.url + path, { method, body: method === "POST" ? JSON.stringify(body ?? {}) : undefined });
        const { value } = await response.json();
        if (!response.ok) throw new Error(`${method} ${path}: ${value.message}`);
        return value;
    }

    go(url) {
        return this.call("POST", "/url", { url });
    }
    /** Runs a function of the tests in the page; what it resolves with, or the fields of the error that it rejects with. */
    async run(work, ...args) {
        const script = `const done = arguments[arguments.length - 1];
            (${work})(...Array.from(arguments).slice(0, -1)).then((value) => done({ value }), (error) => done({ error: {
                name: error.name, code: error.code, message: error.message, detail: error.detail, hint: error.hint } }));`;
        const { value, error } = await this.call("POST", "/execute/async", { script, args });
        if (error) throw Object.assign(new Error(error.message), error);
        return value;
    }
    /** Opens a tab and goes there; its handle. */
    async open(url) {
        const { handle } = await this.call("POST", "/window/new", { type: "tab" });
        await this.switch(handle);
        await this.go(url);
        return handle;
    }
    switch(handle) {
        return this.call("POST", "/window", { handle });
    }
    async close(handle) {
        await this.switch(handle);
        const left = await this.call("DELETE", "/window");
        if (left.length > 0) await this.switch(left[0]);
    }
    devtools(cmd, params) {
        return this.call("POST", "/goog/cdp/execute", { cmd, params });
    }
}
