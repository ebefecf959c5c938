// Records a terminal with the real command line as `docs/terminal.cast` (asciinema v2) and `docs/terminal.svg` (its last screen):
// node scripts/record-terminal.mjs. The clock stands still, so that the same code gives the same bytes;
// test/recording.test.ts records it again and compares.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What the clock says all the time, in milliseconds. */
export const AT = Date.UTC(2026, 0, 15, 9);

const [WIDTH, HEIGHT] = [120, 40];
/** Seconds of the recording: for a key, for a line of output, and between two commands. */
const [KEY, LINE, REST] = [0.05, 0.12, 2];

/** The folder of a demo has another name each time. */
const FOLDER = /\/[^\s"]*\/tranche-demo-\w+/;
const SHOWN = '/tmp/tranche-demo';
const LINES = [
  'tranche demo --keep',
  `tranche history vllm --repo ${SHOWN}/repo.git`,
  `tranche status vllm --repo ${SHOWN}/repo.git`,
];

/** Runs the lines one after the other by `run`, which gives what a line prints, and removes the folder of the demo. */
export async function record(run) {
  let folder = SHOWN;
  const events = [];
  const screen = [];
  let time = 0;
  const put = (text, seconds) => {
    time += seconds;
    events.push([Number(time.toFixed(2)), 'o', text]);
  };
  try {
    for (const line of LINES) {
      put('$ ', REST);
      for (const key of line) put(key, KEY);
      put('\r\n', KEY);
      const out = (await run(line.replaceAll(SHOWN, folder))).trimEnd();
      folder = FOLDER.exec(out)?.[0] ?? folder;
      const shown = out.replaceAll(folder, SHOWN).split('\n');
      for (const one of shown) put(`${one}\r\n`, LINE);
      screen.push(`$ ${line}`, ...shown);
    }
  } finally {
    if (folder !== SHOWN) rmSync(folder, { recursive: true, force: true });
  }
  put('$ ', REST);
  const header = {
    version: 2,
    width: WIDTH,
    height: HEIGHT,
    timestamp: AT / 1000,
    title: 'tranche: a delivery, its history and its status',
  };
  const cast = `${[header, ...events].map((one) => JSON.stringify(one)).join('\n')}\n`;
  return { cast, svg: pictureOf([...screen, '$ ']) };
}

/** The last rows as a terminal of that width shows them: text in an SVG, so that it can be read and searched. */
function pictureOf(lines) {
  const rows = lines.flatMap((line) => line.match(new RegExp(`.{1,${WIDTH}}`, 'gu')) ?? ['']).slice(-HEIGHT);
  const [column, row] = [7.8, 17];
  const [width, height] = [Math.ceil(WIDTH * column + 24), HEIGHT * row + 24];
  const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const texts = rows.map((text, at) => `<text x="12" y="${12 + row * at + 13}">${escaped(text)}</text>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A terminal: tranche status of a Rollout that has settled">`,
    '<style>text{font:13px ui-monospace,Menlo,Consolas,monospace;fill:#e6edf3;white-space:pre}</style>',
    `<rect width="${width}" height="${height}" rx="8" fill="#161b22"/>`,
    ...texts,
    '</svg>',
    '',
  ].join('\n');
}

/** The built program in a process of its own, whose clock stands still. */
function runBuilt(bundle) {
  const clock = `globalThis.Date=class extends Date{constructor(...a){super(...(a.length?a:[${AT}]))}static now(){return ${AT}}}`;
  return (line) => {
    const args = ['--import', `data:text/javascript,${encodeURIComponent(clock)}`, bundle, ...line.split(' ').slice(1)];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${line}: ${stderr}`);
    return stdout;
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = dirname(import.meta.dirname);
  const folder = mkdtempSync(join(tmpdir(), 'tranche-record-'));
  const built = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), join(folder, 'dist')], {
    stdio: 'inherit',
  });
  if (built.status === 0) {
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const { cast, svg } = await record(runBuilt(join(folder, 'dist/tranche.js')));
    writeFileSync(join(root, 'docs/terminal.cast'), cast);
    writeFileSync(join(root, 'docs/terminal.svg'), svg);
  }
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = built.status ?? 1;
}
