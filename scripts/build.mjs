// Bundles the command line and the GitHub Action into dist/, or into the folder that is named: an entry each, and
// chunks that are loaded when a verb needs them.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { build, transform } from 'esbuild';

/**
 * What dependencies drag along for what is not used here. @kubernetes/client-node's kubeconfig: its API clients, 900 kB
 * that every pass with something in flight would load, and a parser of YAML next to ours. commander: programs as
 * subcommands, and so child processes, before the first word is read. A name that is imported and not listed here fails
 * the build, or the call.
 */
const unused = {
  undici: ['Agent', 'ProxyAgent'],
  socks: ['SocksClient'],
  'js-yaml': ['load'],
  './gen/index.js': ['createConfiguration', 'ServerConfiguration'],
  './gen/rxjsStub.js': ['of'],
  'node:child_process': ['spawn'],
};

const withoutUnused = {
  name: 'without-unused',
  setup: ({ onResolve, onLoad }) => {
    const from =
      (users) =>
      ({ path, importer }) =>
        users.test(importer) ? { path, namespace: 'unused' } : undefined;
    onResolve(
      { filter: /^(undici|socks|js-yaml|\.\/gen\/(index|rxjsStub)\.js)$/ },
      from(/@kubernetes.client-node.dist.(config|middleware)\.js$/),
    );
    onResolve({ filter: /^node:child_process$/ }, from(/commander.lib.command\.js$/));
    onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents: unused[path]
        .map((name) => `export const ${name} = () => { throw new Error('${name} of ${path} is not in this bundle'); };`)
        .join('\n'),
    }));
  },
};

/**
 * Files that are loaded together are one chunk, for opening one costs more than reading it. A file goes into the chunk of
 * those that the same rooms load: so each room stands on whatever is there before it anyway. `base` is what the command
 * line itself is, `pass` what a pass needs to ask for the heads, `answers` what it then needs to find nothing to do, `work`
 * what one needs that moves and the action, `verbs` what other verbs need on top of that.
 */
const rooms = {
  base: ['src/commands/program.ts'],
  // Which folders of PATH lie in a clone is asked for the cluster, for kustomize and for a clone: of no room of its own.
  pass: ['src/wiring.ts', 'src/commands/reconcile.ts', 'src/adapters/git/search-path.ts'],
  answers: ['src/adapters/git/remote-repository.ts', 'src/reconcile/status/record-store.ts'],
  work: [
    'src/reconcile/full-pass.ts',
    'src/reconcile/observe/read-main.ts',
    'src/commands/show.ts',
    'src/commands/lint.ts',
  ],
  verbs: [
    'src/commands/saved-pass.ts',
    'src/commands/plan.ts',
    'src/commands/status.ts',
    'src/commands/order.ts',
    'src/commands/replay.ts',
    'src/api/policy-schema.ts',
    'src/commands/schema.ts',
    'src/commands/init.ts',
    'src/commands/completion.ts',
  ],
  cluster: ['src/adapters/cluster/api-cluster.ts', 'src/adapters/cluster/renewed-connection.ts'],
};

/** What is loaded before a room. Of the adapters, the cluster, the model of one and metrics share what a pass works with. */
function groundOf(room) {
  if (room === 'base') return [];
  if (room === 'pass' || room === 'src/main.ts') return rooms.base;
  if (room === 'answers') return [...rooms.base, ...rooms.pass];
  const isOnWork =
    ['work', 'verbs', 'cluster'].includes(room) ||
    /^src\/(action|commands|reconcile|adapters\/(api-server|metrics))\b/.test(room);
  const isOnAnswers =
    isOnWork || /^src\/adapters\/git\/(local|working-tree|remote-marked|unpushed|tree-shares|file-shares)\b/.test(room);
  return [...rooms.base, ...rooms.pass, ...(isOnAnswers ? rooms.answers : []), ...(isOnWork ? rooms.work : [])];
}

/** What yaml asks of the environment once for each word of a file, for its own debugging: a tenth of the time of parsing. */
const withoutEnvironment = {
  name: 'without-environment',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^process$/ }, ({ path, importer }) =>
      /yaml.dist.(parse.parser|compose.composer)\.js$/.test(importer) ? { path, namespace: 'environment' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'environment' }, () => ({ contents: 'export const env = {};' }));
  },
};

/**
 * Packages that few passes need, with what is asked of them: each is a file of its own, opened when one of these names is
 * first used. Of @kubernetes/client-node's kubeconfig: ways to a cluster and to a token that most do not go. The language
 * of expressions, and patches: only a RouteProvider may have one. Times of a schedule: only a policy.
 */
const whenUsed = {
  '@marcbachmann/cel-js': ['Environment'],
  croner: ['Cron'],
  'fast-json-patch': ['applyPatch'],
  'jsonpath-plus': ['JSONPath'],
  'openid-client': ['customFetch', 'discovery', 'refreshTokenGrant'],
  'socks-proxy-agent': ['SocksProxyAgent'],
  hpagent: ['HttpProxyAgent', 'HttpsProxyAgent'],
};

/** The file of such a package, next to all other chunks. */
const fileOf = (path) => `./${path.split('/').at(-1)}.js`;

/** What is in these files: a name that a package does not have fails the build. */
const lateFiles = {
  name: 'late-files',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /./ }, ({ path, kind }) =>
      kind === 'entry-point' ? { path, namespace: 'late-file' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'late-file' }, ({ path }) => ({
      resolveDir: resolve('.'),
      contents: `export { ${whenUsed[path].join(', ')} } from '${path}';`,
    }));
  },
};

const openedLate = {
  name: 'opened-late',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /./ }, ({ path, namespace }) => {
      if (namespace === 'opened-late') return { path: fileOf(path), external: true };
      return Object.hasOwn(whenUsed, path) ? { path, namespace: 'opened-late' } : undefined;
    });
    onLoad({ filter: /./, namespace: 'opened-late' }, ({ path }) => ({
      contents: whenUsed[path]
        .map(
          (name) =>
            `Object.defineProperty(exports, '${name}', { enumerable: true, get: () => require('${path}').${name} });`,
        )
        .join('\n'),
    }));
  },
};

const inRooms = {
  name: 'in-rooms',
  setup: ({ onResolve, onLoad }) => {
    const filesOf = new Map();
    const nameOf = (file) => (file.endsWith('.ts') ? `./${file}` : file);
    onResolve({ filter: /^(\.\.?\/.*\.ts|@.*)$/ }, ({ path, resolveDir, kind }) => {
      const file = path.startsWith('@') ? path : relative('.', resolve(resolveDir, path));
      const isRoom = kind === 'dynamic-import' || (kind === 'entry-point' && file === 'src/action.ts');
      if (!isRoom) return undefined;
      const [room, files] = Object.entries(rooms).find((entry) => entry[1].includes(file)) ?? [file, [file]];
      filesOf.set(room, files);
      return { path: room, namespace: 'room' };
    });
    onLoad({ filter: /.*/, namespace: 'room' }, ({ path }) => ({
      resolveDir: resolve('.'),
      contents: [
        ...groundOf(path).map((file) => `import '${nameOf(file)}';`),
        ...filesOf.get(path).map((file) => `export * from '${nameOf(file)}';`),
      ].join('\n'),
    }));
  },
};

const folder = process.argv[2] ?? 'dist';
// What is there is deleted: only an earlier build may be.
if (folder.startsWith('-') || (folder !== 'dist' && existsSync(folder) && !existsSync(join(folder, 'tranche.js')))) {
  process.stderr.write(`error: ${folder} is no folder of an earlier build, wanted a new one: build.mjs [folder]\n`);
  process.exit(2);
}
const written = {
  minifyWhitespace: true,
  minifySyntax: true,
  platform: 'node',
  target: 'node20.19',
  logLevel: 'warning',
};
// Names stay as they are: a stack trace must be readable, and esbuild's way to keep them costs time at every start.
const output = { ...written, bundle: true, write: false, legalComments: 'linked', metafile: true };
const { outputFiles, metafile } = await build({
  entryPoints: { tranche: 'src/start.ts', action: 'src/action.ts' },
  outdir: folder,
  chunkNames: 'chunks/[name]-[hash]',
  splitting: true,
  format: 'esm',
  ...output,
  plugins: [withoutUnused, withoutEnvironment, openedLate, inRooms],
});
const late = await build({
  entryPoints: Object.keys(whenUsed).map((path) => ({ in: path, out: fileOf(path).slice(0, -3) })),
  outdir: join(folder, 'chunks'),
  format: 'cjs',
  ...output,
  plugins: [lateFiles],
});

/**
 * esbuild cuts only ECMAScript modules into chunks, and Node takes 6 ms of CPU longer to load a handful of those than
 * of CommonJS: so each chunk is written as CommonJS, which the package.json of the folder says they are.
 */
async function asCommonJs({ path, text }) {
  if (!path.endsWith('.js')) return text;
  const isProgram = dirname(path) === resolve(folder);
  const { code } = await transform(text, { ...written, format: 'cjs', supported: { 'dynamic-import': false } });
  return `${isProgram ? '#!/usr/bin/env node\n' : ''}${code}`;
}

/** The notices that bundled packages want kept with every copy of them; one without a notice fails the build. */
function licensesOf(files) {
  const packages = files.flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  const namesOf = new Map();
  for (const place of [...new Set(packages)].sort((left, right) => (left < right ? -1 : 1))) {
    const { name, version } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
    const found = readdirSync(place)
      .filter((file) => /^(licen[cs]e|notice)\b/i.test(file))
      .sort();
    if (found.length === 0) throw new Error(`${name} ${version} has no license to keep with it`);
    // Git has one end of a line, and a bundle that is built again is the one that Git has.
    const textOf = (file) => readFileSync(join(place, file), 'utf8').replace(/\r\n?/g, '\n').trim();
    const text = found.map(textOf).join('\n\n');
    namesOf.set(text, [...(namesOf.get(text) ?? []), `${name} ${version}`]);
  }
  return [...namesOf].map(([text, names]) => `${names.join(', ')}\n\n${text}\n`).join(`\n${'-'.repeat(80)}\n\n`);
}

await rm(folder, { recursive: true, force: true });
await mkdir(join(folder, 'chunks'), { recursive: true });
// A release names its commit; a bundle that is committed cannot know the one that it is in.
const commit = process.env.TRANCHE_COMMIT ?? '';
const about = /^[0-9a-f]{40}$/.test(commit)
  ? `{ "type": "commonjs", "commit": "${commit}" }`
  : '{ "type": "commonjs" }';
await writeFile(join(folder, 'package.json'), `${about}\n`);
await Promise.all(outputFiles.map(async (file) => writeFile(file.path, await asCommonJs(file))));
await Promise.all(late.outputFiles.map(({ path, text }) => writeFile(path, text)));
await chmod(`${folder}/tranche.js`, 0o755);
// For who wants to know what is in the bundle: scripts/sbom.mjs.
const inputs = [metafile, late.metafile].flatMap((one) => Object.keys(one.inputs));
await writeFile(join(folder, 'packages.LEGAL.txt'), licensesOf(inputs));
if (process.env.TRANCHE_INPUTS) await writeFile(process.env.TRANCHE_INPUTS, JSON.stringify(inputs));
