// Opens pages of the site as files in headless Chromium, in light and dark, wide and narrow, and tells what is wrong with
// them: messages on the console, requests for what is not a file, pages wider than the window, violations of accessibility
// rules (axe-core), formulas that are not displayed, a search that finds nothing.
//
//     node site.cjs CHROMIUM PICTURES SITE       pictures go to the folder PICTURES
const fs = require('fs');
const path = require('path');
const puppeteer = require('puppeteer-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const [chromium, pictures, site] = process.argv.slice(2);
const looks = [
    { name: 'light', scheme: 'light', width: 1280 },
    { name: 'dark', scheme: 'dark', width: 1280 },
    { name: 'narrow', scheme: 'dark', width: 360 },
];
const pages = ['index', 'doc/tutorial', 'doc/sql', 'doc/sql-reference', 'doc/evaluation', 'doc/theory-frequencies', 'api/client-client-hpp', 'api/capi-ldp-h'];

async function opened(browser, name, look, found) {
    // Where nothing is kept of the look that another page had.
    const page = await (await browser.createBrowserContext()).newPage();
    page.on('console', message => found.push(`console: ${message.text()}`));
    page.on('pageerror', error => found.push(`error: ${error.message}`));
    page.on('request', request => {
        if (!/^(file|data|about|blob):/.test(request.url())) found.push(`request: ${request.url()}`);
    });
    page.on('requestfailed', request => found.push(`not there: ${request.url()}`));
    await page.setViewport({ width: look.width, height: 900 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: look.scheme }]);
    await page.goto(`file://${path.resolve(site)}/${name}.html`, { waitUntil: 'load', timeout: 120000 });
    return page;
}

async function faults(browser, name, look) {
    const found = [];
    const page = await opened(browser, name, look, found);
    if (look.name !== 'narrow') {
        const results = await page.evaluate(async source => {
            eval(source);
            return axe.run(document.querySelector('article'), {
                resultTypes: ['violations'], preload: false, runOnly: ['wcag2a', 'wcag2aa'],
                rules: { 'scrollable-region-focusable': { enabled: false } },  // browsers see to it by now
            });
        }, axe);
        for (const one of results.violations)
            found.push(`${one.id}: ${one.nodes.length}, as ${one.nodes[0].html.slice(0, 160)}`);
    }
    // A formula is an element of MathML with a size; no TeX is left, neither in lines nor in blocks.
    const formulas = await page.evaluate(() => ({
        flat: [...document.querySelectorAll('article math')].filter(one => one.getBoundingClientRect().height < 5).length,
        blocks: document.querySelectorAll('article div.math > math[display=block]').length,
        lines: document.querySelectorAll('article math[display=inline]').length,
        tex: /\$|\\(frac|hat|sum|operatorname)\b/.test(document.querySelector('article').innerText),
    }));
    if (formulas.flat > 0) found.push(`${formulas.flat} formulas without a size`);
    if (name === 'doc/theory-frequencies' && (formulas.blocks < 5 || formulas.lines < 50 || formulas.tex))
        found.push(`formulas: ${JSON.stringify(formulas)}`);
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (beyond > 0) found.push(`${beyond} pixels wider than the window`);
    await page.screenshot({ path: path.join(pictures, `${name.replace('/', '-')}-${look.name}.png`) });
    await page.browserContext().close();
    return found;
}

// By keyboard, as a reader does: what it finds leads to the page. The list of all changes is never found.
async function search(browser, words, expected, first) {
    const found = [];
    const page = await opened(browser, 'doc/glossary', looks[0], found);
    await page.keyboard.press('/');
    await page.waitForSelector('[data-md-toggle=search]:checked', { timeout: 120000 });
    await page.keyboard.type(words);
    const link = await page.waitForSelector('.md-search-result__link', { timeout: 120000 });
    await new Promise(done => setTimeout(done, 500));
    const addresses = await page.$$eval('.md-search-result__link', links => links.map(link => link.href.replace(/[?]h=[^#]*/, '')));
    if (!addresses.some(address => address.includes(expected))) found.push(`no ${expected} among ${addresses.slice(0, 5)}`);
    if (first && !addresses[0].includes(expected)) found.push(`${addresses[0]} before ${expected}`);
    if (addresses.some(address => address.includes('CHANGELOG'))) found.push('the list of changes');
    await page.screenshot({ path: path.join(pictures, 'search.png') });
    await link.dispose();
    await page.browserContext().close();
    return found;
}

(async () => {
    const browser = await puppeteer.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] });
    let passed = 0, failed = 0;
    const told = (what, found) => {
        if (found.length === 0) { ++passed; return; }
        ++failed;
        console.log(`FAILED: ${what}`);
        for (const fault of found) console.log(`    ${fault}`);
    };
    try {
        for (const name of pages)
            for (const look of looks) told(`${name}, ${look.name}`, await faults(browser, name, look));
        told('search', await search(browser, 'ldp_quantiles', 'sql-reference.html#ldp_quantiles'));
        told('search in words', await search(browser, 'composition', 'sql.html'));
        told('search in titles', await search(browser, 'forged reports', 'doc/forgery.html', true));
        told('search in keywords', await search(browser, 'memoization', 'doc/evolving.html', true));
    } catch (error) {
        told('the browser', [error.stack]);
    } finally {
        await browser.close();
    }
    console.log(`${passed} passed, ${failed} failed`);
    process.exit(failed === 0 && passed > 0 ? 0 : 1);
})();
