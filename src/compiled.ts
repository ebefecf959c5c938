/**
 * What V8 made of the files of the bundle, kept by the build beside them: V8 would compile them anew at each start, which
 * is a quarter of a pass. It is taken by the very Node that made it, for the very text it was made of, and otherwise
 * passed over without a word: then the files are compiled as ever.
 */

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/** V8 looks at its own version and flags only, and not at all at whether the bytes are whole: it would run what is left. */
const SUM_BYTES = 4;

/** Below the folder of the bundle; another Node looks elsewhere, and finds nothing. */
export const compiledFolder = join('compiled', `${process.version}-${process.platform}-${process.arch}`);

/** What `require` makes of a file (Node, "The module wrapper"). */
const wrapper = '(function (exports, require, module, __filename, __dirname) {';
const wrapped = (text: Buffer): string => `${wrapper}${text.toString()}\n})`;

/** All functions of a CommonJS file, also those that are not called at once, as `useCompiled` takes them. */
export function compiledFrom(text: Buffer, name: string): Buffer {
  setFlagsFromString('--no-lazy');
  // Stack traces say this name: V8 keeps it with the code, and the place where the bundle will be is not known here.
  const script = new Script(wrapped(text), { filename: `chunks/${name}`, columnOffset: -wrapper.length });
  // V8 notes its flags with what it hands out, and takes it under the same ones only.
  setFlagsFromString('--lazy');
  const code = script.createCachedData();
  const sum = Buffer.alloc(SUM_BYTES);
  sum.writeUInt32LE(sumOf(text, code));
  return Buffer.concat([sum, code]);
}

/** From here on, `require` takes the files below `chunks/` of this bundle as they were compiled, where that is there. */
export function useCompiled(bundle: string): void {
  const [chunks, compiled] = [join(bundle, 'chunks'), join(bundle, compiledFolder)];
  if (!existsSync(compiled)) return;
  const { extensions } = createRequire(join(bundle, 'package.json'));
  const plain = extensions['.js'];
  extensions['.js'] = (module, path) => {
    const run = dirname(path) === chunks ? runnable(path, join(compiled, basename(path))) : undefined;
    if (run === undefined) plain?.(module, path);
    else run.call(module.exports, module.exports, (id: string) => module.require(id), module, path, dirname(path));
  };
}

function runnable(path: string, compiledPath: string): Callable | undefined {
  const [text, compiled] = [readFileSync(path), read(compiledPath)];
  if (compiled === undefined || compiled.length <= SUM_BYTES) return undefined;
  const cachedData = compiled.subarray(SUM_BYTES);
  if (compiled.readUInt32LE() !== sumOf(text, cachedData)) return undefined;
  const run: unknown = new Script(wrapped(text), { filename: path, cachedData }).runInThisContext();
  return isCallable(run) ? run : undefined;
}

type Callable = (...given: unknown[]) => unknown;
const isCallable = (value: unknown): value is Callable => typeof value === 'function';

const sumOf = (text: Buffer, code: Buffer): number => crc32(code, crc32(text));

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
