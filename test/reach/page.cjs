// Opens pages in headless Chromium, in light and dark, wide, narrow and on paper, and prints their faults: messages on the
// console, requests, violations of accessibility rules (axe-core), hidden columns, a theme without effect, a wrong order of
// the keyboard, and tables that are missing on paper.
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
    { name: 'narrow', scheme: 'light', width: 375, open: true },
    { name: 'toggled', scheme: 'light', width: 375, theme: 'dark' },
    { name: 'untoggled', scheme: 'dark', width: 900, theme: 'light' },
];

// Everything that is wider than its place. Titles of tables for screen readers are one pixel wide.
function hidden() {
    const found = [];
    for (const one of document.querySelectorAll('body *')) {
        if (one.closest('svg') || one.classList.contains('unseen')) continue;
        const scrolls = /auto|scroll|hidden/.test(getComputedStyle(one).overflowX);
        if (scrolls && one.scrollWidth > one.clientWidth + 1) found.push(`hidden columns: ${one.tagName} ${one.className}`);
    }
    return found;
}

// The page's own control must set the colours of text and drawings, whatever the system prefers.
async function themed(page, theme) {
    const colours = () => page.evaluate(() => [document.body, document.querySelector('svg text')].filter(one => one).map(one =>
        getComputedStyle(one)[one === document.body ? 'backgroundColor' : 'fill']));
    const before = await colours();
    await page.click(`#theme-${theme}`);
    const after = await colours();
    return after.every((colour, i) => colour !== before[i]) ? [] : [`the theme ${theme} changes nothing: ${after}`];
}

// By keyboard alone: the first stop is the link to the results, the second one the theme.
async function keyboard(page) {
    const stop = async key => {
        await page.keyboard.press(key);
        return page.evaluate(() => document.activeElement.id || document.activeElement.className || document.activeElement.tagName);
    };
    const stops = [await stop('Tab'), await stop('Tab'), await stop('ArrowRight')];
    if (`${stops}` !== 'skip,theme-auto,theme-light') return [`the keyboard stops at "${stops}" first`];
    return await page.evaluate(() => document.querySelector('#theme-light').checked) ? [] : ['the keyboard does not choose the theme'];
}

// On paper there are no controls, and every table is unfolded, unless its drawing states all intervals. Queries are for the screen.
async function paper(page) {
    await page.emulateMediaType('print');
    const found = await page.evaluate(() => [...document.querySelectorAll('table')].filter(one => !one.closest('.screen') && !one.checkVisibility())
        .map(one => `missing on paper: ${one.textContent.slice(0, 40)}`).concat([...document.querySelectorAll('.controls, summary, .data, pre')]
            .filter(one => one.checkVisibility()).map(one => `a control on paper: ${one.textContent.trim().slice(0, 40)}`)));
    await page.emulateMediaType('screen');
    return found;
}

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
    if (look.theme) found.push(...await themed(page, look.theme).catch(error => [`no theme: ${error.message}`]));
    if (look.open) {
        await page.evaluate(() => document.querySelectorAll('details').forEach(one => { one.open = true; }));
        await page.click('#show-queries').catch(() => found.push('no switch of the queries'));
        found.push(...await page.evaluate(() => [...document.querySelectorAll('.sql')].filter(one => !one.checkVisibility())
            .map(one => `a hidden query: ${one.textContent.slice(0, 40)}`)));
    }
    // Through the debugger, which the page's own policy does not bind.
    const results = await page.evaluate(async source => {
        eval(source);
        return axe.run(document, { resultTypes: ['violations'] });
    }, axe).catch(error => ({ violations: [{ id: error.message, nodes: [] }] }));
    for (const one of results.violations)
        found.push(`${one.id}: ${one.nodes.map(node => node.html.slice(0, 160)).join(' | ')}`);
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (beyond > 0) found.push(`${beyond} pixels wider than the window`);
    found.push(...await page.evaluate(hidden));
    if (look.name === 'light') found.push(...await paper(page), ...await keyboard(page));
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
