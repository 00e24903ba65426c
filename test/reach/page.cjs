// Opens pages in headless Chromium, in light and dark, wide, narrow and on paper, and tells what is wrong with them:
// messages on the console, requests for anything, violations of accessibility rules (axe-core), text that is cut off.
//
//     node page.cjs CHROMIUM PICTURES PAGE...       pictures of each go to the folder PICTURES, and a PDF
const fs = require('fs');
const path = require('path');
const puppeteer = require('puppeteer-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const [chromium, pictures, ...pages] = process.argv.slice(2);
const looks = [
    { name: 'light', scheme: 'light', width: 900 },
    { name: 'dark', scheme: 'dark', width: 900 },
    { name: 'narrow', scheme: 'light', width: 360 },
];

async function faults(browser, file, look) {
    const found = [];
    const page = await browser.newPage();
    page.on('console', message => found.push(`console: ${message.text()}`));
    page.on('pageerror', error => found.push(`error: ${error.message}`));
    page.on('request', request => {
        if (request.url() !== `file://${file}`) found.push(`request: ${request.url()}`);
    });
    await page.setViewport({ width: look.width, height: 1000 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: look.scheme }]);
    await page.goto(`file://${file}`);
    // Through the debugger, which the page's own policy does not bind.
    const results = await page.evaluate(async source => {
        eval(source);
        return axe.run(document, { resultTypes: ['violations'] });
    }, axe).catch(error => ({ violations: [{ id: error.message, nodes: [] }] }));
    for (const one of results.violations)
        found.push(`${one.id}: ${one.nodes.map(node => node.html.slice(0, 160)).join(' | ')}`);
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (beyond > 0) found.push(`${beyond} pixels wider than the window`);
    // By keyboard alone: the first stop is the link to the answers.
    await page.keyboard.press('Tab');
    const first = await page.evaluate(() => document.activeElement.className);
    if (first !== 'skip') found.push(`the keyboard stops at "${first}" first`);
    await page.evaluate(() => document.activeElement.blur());
    const name = path.basename(file, '.html');
    await page.screenshot({ path: path.join(pictures, `${name}-${look.name}.png`), fullPage: true });
    if (look.name === 'light') await page.pdf({ path: path.join(pictures, `${name}.pdf`), format: 'A4' });
    await page.close();
    return found;
}

(async () => {
    const browser = await puppeteer.launch({ executablePath: chromium, args: ['--no-sandbox', '--disable-gpu'] });
    let passed = 0, failed = 0;
    try {
        for (const file of pages)
            for (const look of looks) {
                const found = await faults(browser, path.resolve(file), look);
                if (found.length === 0) { ++passed; continue; }
                ++failed;
                console.log(`FAILED: ${path.basename(file)}, ${look.name}`);
                for (const fault of found) console.log(`    ${fault}`);
            }
    } finally {
        await browser.close();
    }
    console.log(`${passed} passed, ${failed} failed`);
    process.exit(failed === 0 && passed > 0 ? 0 : 1);
})();
