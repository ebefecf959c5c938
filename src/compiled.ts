/**
 * Keeps what V8 makes of the files of the bundle in a private folder of the user: V8 would compile them at each start,
 * which is a quarter of a pass. Compiled code runs as it is, whatever it says, so it never comes with a package, an image
 * or a checkout: this process makes it of the text that it runs, where nobody but its own user can write.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { Script } from 'node:vm';

/** V8 looks at its own version and flags only, and not at all at whether the bytes are whole: it would run what is left. */
const SUM_BYTES = 32;
/** Files of earlier bundles: over this many all go, and those that are needed are made again. */
const FILES_MOST = 128;
const FILE_BYTES_MOST = 16 * 2 ** 20;
/** Write permission of the group and of others. */
const WRITABLE_BY_OTHERS = 0o022;

type Environment = Readonly<Record<string, string | undefined>>;

/** What `require` makes of a file (Node, "The module wrapper"). */
const wrapper = '(function (exports, require, module, __filename, __dirname) {';
const wrapped = (text: Buffer): string => `${wrapper}${text.toString()}\n})`;

/**
 * The folder for this Node below the user's cache, by the XDG Base Directory Specification; undefined where the user has
 * none, where the system has no owners of files, or where Node's own `NODE_DISABLE_COMPILE_CACHE` says no.
 */
export function privateFolder(environment: Environment): string | undefined {
  const { HOME: home, XDG_CACHE_HOME: named } = environment;
  const above = named !== undefined && isAbsolute(named) ? named : home && join(home, '.cache');
  const isOff = (environment['NODE_DISABLE_COMPILE_CACHE'] ?? '') !== '' || process.getuid === undefined;
  if (isOff || above === undefined || !isAbsolute(above)) return undefined;
  return join(above, 'tranche', `${process.version}-${process.platform}-${process.arch}`);
}

/** From here on, `require` takes the files below `chunks/` of this bundle as they were compiled, and keeps what it compiles. */
export function useCompiled(bundle: string, folder = privateFolder(process.env)): void {
  if (folder === undefined) return;
  const chunks = join(bundle, 'chunks');
  const isTrusted = isPrivate(dirname(folder)) && isPrivate(folder);
  const missing = new Map<string, Buffer>();
  const { extensions } = createRequire(join(bundle, 'package.json'));
  const plain = extensions['.js'];
  extensions['.js'] = (module, path) => {
    const text = dirname(path) === chunks ? fs.readFileSync(path) : undefined;
    const run = text !== undefined && isTrusted ? runnable(path, text, folder) : undefined;
    if (text !== undefined && run === undefined) missing.set(path, text);
    if (run === undefined) plain?.(module, path);
    else run.call(module.exports, module.exports, (id: string) => module.require(id), module, path, dirname(path));
  };
  // After the work is done: the first start is as fast as one without.
  process.once('exit', () => keep(folder, missing));
}

/** A folder of this user in which nobody else can write; a link is none. */
function isPrivate(folder: string): boolean {
  try {
    const found = fs.lstatSync(folder);
    return found.isDirectory() && isOwn(found);
  } catch {
    return false;
  }
}

function isOwn({ uid, mode }: fs.Stats): boolean {
  return uid === process.getuid?.() && (mode & WRITABLE_BY_OTHERS) === 0;
}

/** Says the place as well as the text: V8 keeps the name for stack traces with the code. */
function compiledPath(folder: string, path: string, text: Buffer): string {
  return join(folder, createHash('sha256').update(`${path}\0`).update(text).digest('hex'));
}

function runnable(path: string, text: Buffer, folder: string): Callable | undefined {
  const compiled = read(compiledPath(folder, path, text));
  if (compiled === undefined || compiled.length <= SUM_BYTES) return undefined;
  const cachedData = compiled.subarray(SUM_BYTES);
  if (!timingSafeEqual(compiled.subarray(0, SUM_BYTES), sumOf(cachedData))) return undefined;
  const script = new Script(wrapped(text), { filename: path, columnOffset: -wrapper.length, cachedData });
  if (script.cachedDataRejected === true) return undefined;
  const run: unknown = script.runInThisContext();
  return isCallable(run) ? run : undefined;
}

type Callable = (...given: unknown[]) => unknown;
const isCallable = (value: unknown): value is Callable => typeof value === 'function';

const sumOf = (code: Buffer): Buffer => createHash('sha256').update(code).digest();

/** The bytes of a file of this user; undefined for anything else. */
function read(path: string): Buffer | undefined {
  let file: number | undefined;
  try {
    file = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
    const found = fs.fstatSync(file);
    return found.isFile() && isOwn(found) && found.size <= FILE_BYTES_MOST ? fs.readFileSync(file) : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) fs.closeSync(file);
  }
}

/** Best effort: a home that cannot be written has no cache, and nothing is said of it. */
function keep(folder: string, texts: ReadonlyMap<string, Buffer>): void {
  if (texts.size === 0) return;
  // Below a home that is there: root could make one that is named and nobody has.
  const home = dirname(dirname(dirname(folder)));
  try {
    if (!fs.existsSync(home)) return;
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!isPrivate(dirname(folder)) || !isPrivate(folder)) return;
    const old = fs.readdirSync(folder);
    if (old.length + texts.size > FILES_MOST) for (const name of old) fs.rmSync(join(folder, name), { force: true });
    for (const [path, text] of texts) write(compiledPath(folder, path, text), compiledFrom(path, text));
  } catch {
    // As without a cache.
  }
}

/** All functions of a CommonJS file, also those that are not called at once, with the sum that says that it is whole. */
function compiledFrom(path: string, text: Buffer): Buffer {
  // Loaded where something is compiled alone: it costs 3 ms.
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--no-lazy');
  const script = new Script(wrapped(text), { filename: path, columnOffset: -wrapper.length });
  // V8 notes its flags with what it hands out, and takes it under the same ones only.
  setFlagsFromString('--lazy');
  const code = script.createCachedData();
  return Buffer.concat([sumOf(code), code]);
}

/** Whole or not at all: another process may read it at any time. */
function write(path: string, bytes: Buffer): void {
  const unfinished = join(dirname(path), `${basename(path)}.${process.pid}`);
  fs.writeFileSync(unfinished, bytes, { mode: 0o600, flag: 'wx' });
  fs.renameSync(unfinished, path);
}
