// Opens the pages of `tranche page` in a real Chromium: whether anything of hostile texts acts, whether what is shown can
// be read and reached by everyone (axe-core), light and dark, narrow and wide. Keeps pictures of them.
// Usage: node scripts/look-at-pages.mjs BUNDLE DRIVER PICTURES [DOCUMENTS]: the folders of tranche.js, of node_modules with
// playwright-core and axe-core, and for what it has seen; DOCUMENTS is the file for the picture that the documents show.
// CHROMIUM names the browser (default: chromium on PATH).

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const [bundle, driver, pictures, documents] = process.argv.slice(2).map((path) => resolve(path));
if (pictures === undefined) {
  process.stderr.write('error: wanted three folders: look-at-pages.mjs BUNDLE DRIVER PICTURES\n');
  process.exit(2);
}
const fromDriver = createRequire(join(driver, 'x.js'));
const { chromium } = fromDriver('playwright-core');
const browserPath = process.env.CHROMIUM ?? execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();

const { outputFiles } = await build({
  entryPoints: ['test/support/published-look.ts'],
  bundle: true,
  write: false,
  format: 'esm',
});
const { lookOf } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
);

const HOSTILE = `<script>window.acted = 1</script><img src=x onerror="window.acted = 2">"><svg onload='window.acted = 3'>`;
const looks = {
  few: lookOf([{ kind: 'moving' }, { kind: 'moving', name: 'llama', groups: 24 }, { kind: 'resting', name: 'b' }]),
  hostile: lookOf([{ kind: 'moving', url: 'javascript:window.acted = 4' }], HOSTILE),
  many: lookOf(
    Array.from({ length: 1000 }, (_, at) => ({
      kind: at % 10 === 0 ? 'moving' : 'resting',
      name: `vllm-${at}`,
      groups: 8,
    })),
  ),
};
const SIZES = { wide: { width: 1300, height: 900 }, narrow: { width: 390, height: 844 } };
const ROLLOUT = 'rollouts/default/llm/vllm.html';

let failed = 0;
function said(what, faults) {
  if (faults.length > 0) failed += 1;
  console.log(`${faults.length === 0 ? 'ok' : 'FAILED'}: ${what}${faults.map((fault) => `\n  ${fault}`).join('')}`);
}

/** The pages of a look, in a folder of its own; where they are. */
function made(name) {
  const place = join(pictures, name);
  mkdirSync(pictures, { recursive: true });
  const [status, history] = ['status', 'history'].map((what) => {
    const file = join(pictures, `${name}.${what}.json`);
    writeFileSync(file, JSON.stringify(looks[name][what]));
    return file;
  });
  execFileSync(process.execPath, [
    join(bundle, 'tranche.js'),
    'page',
    '--out',
    place,
    '--status',
    status,
    '--history',
    history,
  ]);
  return place;
}

/** What axe finds wrong, each with an element that shows it. */
async function unreadable(page) {
  await page.addScriptTag({ path: fromDriver.resolve('axe-core') });
  // oxlint-disable-next-line no-undef -- of the page
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html.slice(0, 160)}`);
}

/** A picture that gets narrow takes its text with it. Runs in the page. */
function tiny() {
  // oxlint-disable-next-line no-undef -- of the page
  const texts = [...document.querySelectorAll('svg text')];
  const size = (text) => Number.parseFloat(getComputedStyle(text).fontSize) * (text.getScreenCTM()?.a ?? 1);
  return texts.filter((text) => size(text) < 9).map((text) => `${text.textContent}: ${size(text).toFixed(1)} pixels`);
}

async function look(browser, { name, path, colorScheme, size }) {
  // The policy of the page would let axe not in either.
  const context = await browser.newContext({ colorScheme, viewport: SIZES[size], bypassCSP: true });
  const page = await context.newPage();
  await page.goto(pathToFileURL(join(pictures, name, path)).href);
  const what = `${name}/${path}, ${colorScheme}, ${size}`;
  await page.screenshot({
    path: join(pictures, `${name}-${path.split('/').at(-1)}-${colorScheme}-${size}.png`),
    fullPage: name !== 'many',
  });
  const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  said(`${what}: no wider than the window`, over > 0 ? [`${over} pixels`] : []);
  said(`${what}: no text is tiny`, await page.evaluate(tiny));
  said(`${what}: axe`, await unreadable(page));
  await context.close();
}

/** With the policy in force: nothing runs, nothing is asked for, nothing is refused, and the style is there. */
async function nothingActs(browser, name, paths) {
  for (const path of paths) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const heard = [];
    page.on('console', (message) => heard.push(message.text()));
    page.on('pageerror', (error) => heard.push(String(error)));
    page.on('dialog', (dialog) => heard.push(dialog.message()));
    page.on('request', (request) => {
      if (!request.url().startsWith('file://')) heard.push(request.url());
    });
    await page.goto(pathToFileURL(join(pictures, name, path)).href);
    // Loaded is not painted yet.
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    const seen = await page.evaluate(() => ({
      acted: window.acted,
      scripts: document.scripts.length + document.images.length + document.forms.length,
      family: getComputedStyle(document.body).fontFamily,
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    }));
    if (seen.acted !== undefined || seen.scripts > 0) heard.push(JSON.stringify(seen));
    if (!seen.family.includes('system-ui')) heard.push('the style was not loaded');
    said(`${name}/${path}: nothing acts; first paint after ${Math.round(seen.paint ?? 0)} ms`, heard);
    await context.close();
  }
}

/** Milliseconds of CPU that the first paint may take the page: those of the clock are the machine's as well. */
const PAINT_MOST = 200;

/** What a page costs until something of it can be seen: by what the thread of the page was on, the least of some tries. */
async function firstPaint(browser, name, path) {
  const tries = [];
  for (let round = 0; round < 3; round += 1) {
    const context = await browser.newContext({ viewport: SIZES.wide });
    const page = await context.newPage();
    await browser.startTracing(page, { categories: ['toplevel', 'loading', 'blink.user_timing', 'devtools.timeline'] });
    await page.goto(pathToFileURL(join(pictures, name, path)).href);
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    const { traceEvents } = JSON.parse(String(await browser.stopTracing()));
    const paint = traceEvents.find((event) => event.name === 'firstContentfulPaint');
    const start = traceEvents.findLast(
      ({ name: is, pid, ts }) => is === 'navigationStart' && pid === paint.pid && ts < paint.ts,
    );
    const tasks = traceEvents.filter(
      ({ name: is, pid, tid, ts }) =>
        is === 'ThreadControllerImpl::RunTask' &&
        pid === paint.pid &&
        tid === paint.tid &&
        ts >= start.ts &&
        ts <= paint.ts,
    );
    const cpu = tasks.reduce((sum, { tdur = 0 }) => sum + tdur, 0) / 1000;
    tries.push({ cpu, clock: (paint.ts - start.ts) / 1000 });
    await context.close();
  }
  const [least] = tries.sort((a, b) => a.cpu - b.cpu);
  const words = `${Math.round(least.cpu)} ms of CPU until the first paint, ${Math.round(least.clock)} ms by the clock`;
  const isMeasured = least.cpu > 0;
  said(`${name}/${path}: ${words}`, isMeasured && least.cpu <= PAINT_MOST ? [] : [`wanted at most ${PAINT_MOST}`]);
}

/** By the keyboard alone: to the content, to a Rollout, and back. */
async function byKeyboard(browser) {
  const page = await browser.newPage();
  await page.goto(pathToFileURL(join(pictures, 'few', 'index.html')).href);
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  const faults = [];
  await page.keyboard.press('Tab');
  if ((await focused()) !== 'To the content') faults.push(`first comes ${await focused()}`);
  for (let presses = 0; presses < 20 && (await focused()) !== 'llm/vllm'; presses += 1)
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(/vllm\.html$/, { timeout: 10_000 });
  for (let presses = 0; presses < 5 && (await focused()) !== 'All Rollouts'; presses += 1)
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(/index\.html$/, { timeout: 10_000 });
  said('by the keyboard alone', faults);
  await page.close();
}

const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
try {
  for (const name of Object.keys(looks)) made(name);
  await nothingActs(browser, 'hostile', ['index.html', ROLLOUT]);
  await nothingActs(browser, 'many', ['index.html']);
  await firstPaint(browser, 'many', 'index.html');
  await byKeyboard(browser);
  for (const colorScheme of ['light', 'dark'])
    for (const size of ['wide', 'narrow'])
      for (const [name, path] of [
        ['few', 'index.html'],
        ['many', 'index.html'],
        ['few', ROLLOUT],
        ['hostile', ROLLOUT],
      ])
        await look(browser, { name, path, colorScheme, size });
  if (documents !== undefined) copyFileSync(join(pictures, 'few-index.html-light-wide.png'), documents);
} finally {
  await browser.close();
}
process.exit(failed === 0 ? 0 : 1);
