/** The rules of the house that no compiler or linter holds: rings, purity, sizes, names, first lines, dead files. */

import { posix } from 'node:path';
import {
  child,
  exportsOf,
  importsOf,
  isReference,
  lineAt,
  type Node,
  nameOf,
  nodes,
  type Place,
  placesOf,
  programOf,
  type Source,
  topLevel,
} from './syntax.ts';

export type Violation = { readonly path: string; readonly line: number; readonly why: string };

/** A rule looks at one file at a time. */
type Rule = (source: Source) => readonly Violation[];

const outer = ['commands', 'options', 'wiring', 'reconcile', 'rollout', 'manifests', 'simulator', 'ports', 'api'];

/** Which ring may import which; a ring may always import itself. `(types)`: only `import type`. Arrows point inward. */
export const arrows: Readonly<Record<string, readonly string[]>> = {
  start: ['compiled', 'main'],
  compiled: [],
  main: outer,
  action: outer,
  commands: [...outer, 'demo'],
  // The demo is no part of the product: a repository, a served model and an agent, with the product in between.
  demo: [...outer.filter((ring) => ring !== 'commands'), 'adapters/git/git-error.ts', 'adapters/git/names.ts'],
  options: ['api'],
  wiring: ['adapters', 'ports', 'options', 'api', 'reconcile (types)'],
  reconcile: ['rollout', 'manifests', 'simulator', 'ports', 'api'],
  adapters: ['ports', 'api', 'simulator'],
  manifests: ['rollout/edits/edit.ts', 'api'],
  rollout: ['api'],
  simulator: ['api'],
  ports: ['api'],
  api: [],
};

/** Rings that are pure, each with the packages that it may use. */
const pureRings: Readonly<Record<string, readonly string[]>> = {
  api: [],
  // Expressions and patches of a RouteProvider, which are synchronous and ask nobody.
  rollout: ['@marcbachmann/cel-js', 'fast-json-patch'],
  manifests: ['yaml'],
  simulator: [],
};

const impureNames = ['Date', 'Promise', 'process', 'console', 'globalThis', 'fetch', 'crypto', 'performance'].concat([
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'structuredClone',
  'require',
]);

const limits = { file: 250, test: 600, function: 50 };

/** `src/rollout/gates/soak.ts` is in `rollout`, `src/main.ts` in `main`; undefined outside of src. */
export function ringOf(path: string): string | undefined {
  const [root, first] = path.split('/');
  return root === 'src' && first !== undefined ? first.replace(/\.ts$/, '') : undefined;
}

function resolved(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier);
}

function at(source: Source, offset: number, why: string): Violation {
  return { path: source.path, line: lineAt(source.text, offset), why };
}

const rings: Rule = (source) => {
  const ring = ringOf(source.path);
  if (ring === undefined) return [];
  const allowed = arrows[ring];
  if (allowed === undefined) return [at(source, 0, `'${ring}' is no ring of design.md §6`)];
  return importsOf(source).flatMap(({ specifier, typeOnly, start }) => {
    if (!specifier.startsWith('.')) return [];
    const target = resolved(source.path, specifier);
    const other = ringOf(target);
    if (other === undefined) return [at(source, start, `imports ${target}, which is outside of src`)];
    const file = target.replace(/^src\//, '');
    const open = other === ring || allowed.includes(other) || allowed.includes(file);
    const openForTypes = typeOnly && allowed.includes(`${other} (types)`);
    return open || openForTypes ? [] : [at(source, start, `${ring} must not import ${file}`)];
  });
};

/** The rooms of the decision, from the inside out: each imports itself and those before it. */
const decisionRooms = ['gates', 'events', 'strategies'];

/** The files of `strategies` that name rows; the rows themselves stand alone. */
const tables = ['index', 'partition', 'routed', 'canary', 'blue-green'];

const rows: Rule = (source) => {
  const [room, name] = roomOf(source.path) ?? [];
  if (room === undefined || name === undefined) return [];
  return importsOf(source).flatMap(({ specifier, start }) => {
    const [other] = roomOf(resolved(source.path, specifier)) ?? [];
    if (other === undefined) return [];
    if (other === 'strategies' && room === other && !tables.includes(name))
      return [at(source, start, `${name} is a row, and imports another: what both need is an event or a fact`)];
    const outward = decisionRooms.indexOf(other) > decisionRooms.indexOf(room);
    return outward ? [at(source, start, `${room} must not import ${other}`)] : [];
  });
};

function roomOf(path: string): readonly string[] | undefined {
  return /^src\/rollout\/(gates|events|strategies)\/(.+)\.ts$/.exec(path)?.slice(1);
}

const purity: Rule = (source) => {
  const packages = pureRings[ringOf(source.path) ?? ''];
  if (packages === undefined) return [];
  const outside = importsOf(source)
    .filter(({ specifier }) => !specifier.startsWith('.') && !packages.includes(specifier))
    .map(({ specifier, start }) => at(source, start, `imports ${specifier} in a pure ring`));
  const impure = placesOf(source).flatMap((place) => {
    const what = impurity(place);
    return what === undefined ? [] : [at(source, place.node.start, `${what} in a pure ring`)];
  });
  return [...outside, ...impure];
};

function impurity(place: Place): string | undefined {
  const { node } = place;
  if (node['async'] === true) return 'async';
  if (node.type === 'AwaitExpression' || node['await'] === true) return 'await';
  if (node.type === 'ImportExpression') return 'import()';
  if (node.type === 'MetaProperty') return 'import.meta';
  if (node.type === 'MemberExpression' && nameOf(child(node, 'object')) === 'Math') {
    return nameOf(child(node, 'property')) === 'random' ? 'Math.random' : undefined;
  }
  return isReference(place) && impureNames.includes(nameOf(node)) ? nameOf(node) : undefined;
}

const noSharedState: Rule = (source) => {
  if (ringOf(source.path) === undefined) return [];
  const program = programOf(source);
  const places = placesOf(source);
  const changed = places.map(changedName).filter((name) => name !== '');
  const variables = topLevel(program)
    .filter(({ declared }) => declared.type === 'VariableDeclaration')
    .flatMap(({ statement, declared }) =>
      nodes(declared['declarations'])
        .filter((one) => {
          const open = isOpenContainer(source, one, { exported: statement !== declared });
          return declared['kind'] !== 'const' || open || changed.includes(nameOf(child(one, 'id')));
        })
        .map((one) => at(source, one.start, `module-level mutable state: ${nameOf(child(one, 'id'))}`)),
    );
  const statics = places
    .filter(({ node }) => node.type === 'PropertyDefinition' && node['static'] === true && node['readonly'] !== true)
    .map(({ node }) => at(source, node.start, 'module-level mutable state: a static field'));
  return [...variables, ...statics];
};

/** The variable whose contents a node changes: `x.set(…)`, `x.push(…)`, `x[i] = …`, `delete x.y`; empty for others. */
function changedName({ node }: Place): string {
  const changers = /^(set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill)$/;
  if (node.type === 'CallExpression') {
    const callee = child(node, 'callee');
    return changers.test(nameOf(child(callee, 'property'))) ? nameOf(child(callee, 'object')) : '';
  }
  const isDelete = node.type === 'UnaryExpression' && node['operator'] === 'delete';
  if (!isDelete && !/^(Assignment|Update)Expression$/.test(node.type)) return '';
  return nameOf(child(child(node, 'left') ?? child(node, 'argument'), 'object'));
}

/**
 * A container that is made to be filled later (empty, or weak), or that others could fill (exported and not declared
 * read-only). A type of our own is taken to be read-only, as the house has it.
 */
function isOpenContainer(source: Source, declarator: Node, { exported }: { readonly exported: boolean }): boolean {
  const value = child(declarator, 'init');
  const type = child(child(declarator, 'id'), 'typeAnnotation');
  const declared = type === undefined ? '' : source.text.slice(type.start, type.end);
  const writable = /^: *(Weak)?(Map|Set|Record|Array)\b|\[\]$|^$/.test(declared) && !/readonly /.test(declared);
  if (!writable) return false;
  if (value?.type === 'ArrayExpression') return nodes(value['elements']).length === 0;
  if (value?.type === 'ObjectExpression') return nodes(value['properties']).length === 0;
  const made = value?.type === 'NewExpression' ? nameOf(child(value, 'callee')) : '';
  if (/^(Map|Set)$/.test(made)) return exported || nodes(value?.['arguments']).length === 0;
  return /^Weak(Map|Set)$/.test(made);
}

const plainTypes: Rule = (source) => {
  if (!/^(src|scripts|bench)\//.test(source.path)) return [];
  const wrong: Readonly<Record<string, string>> = {
    ExportDefaultDeclaration: 'a default export',
    TSAnyKeyword: 'any',
    TSEnumDeclaration: 'an enum',
    TSAsExpression: '`as` other than `as const`',
    TSNonNullExpression: 'a `!` assertion',
    TSParameterProperty: 'a parameter property',
  };
  return placesOf(source).flatMap(({ node }) => {
    const what = wrong[node.type];
    const isConst = nameOf(child(child(node, 'typeAnnotation'), 'typeName')) === 'const';
    // Scripts may narrow by assertion, as tests may; src never does.
    const inScript = !source.path.startsWith('src/') && /^TS(As|NonNull)/.test(node.type);
    return what === undefined || isConst || inScript ? [] : [at(source, node.start, what)];
  });
};

const fileSize: Rule = (source) => {
  const lines = source.text.split('\n').length - 1;
  const most = source.path.startsWith('test/') ? limits.test : limits.file;
  return lines > most ? [{ path: source.path, line: lines, why: `${lines} lines, at most ${most}` }] : [];
};

const functionSize: Rule = (source) => {
  // A describe block in a test is a table, not a decision: only its file has a limit.
  if (source.path.startsWith('test/')) return [];
  return placesOf(source).flatMap(({ node }) => {
    if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return [];
    const lines = lineAt(source.text, node.end) - lineAt(source.text, node.start) + 1;
    const why = `${nameOf(child(node, 'id')) || 'a function'} has ${lines} lines, at most ${limits.function}`;
    return lines > limits.function ? [at(source, node.start, why)] : [];
  });
};

const names: Rule = ({ path }) => {
  const parts = path.split('/');
  const vague = /(^|-)(helper|util|manager|handler|processor)s?(-|\.|$)/;
  return parts.flatMap((part) => {
    if (!/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/.test(part))
      return [{ path, line: 1, why: `${part} is not kebab-case` }];
    return vague.test(part) ? [{ path, line: 1, why: `${part} says nothing about what is in it` }] : [];
  });
};

const firstLine: Rule = (source) => {
  const text = source.text.replace(/^#!.*\n/, '');
  const comment = /^\/\*\*?([^]*?)\*\/\n(\n|$)/.exec(text)?.[1] ?? /^((\/\/.*\n)+)\n/.exec(text)?.[1] ?? '';
  const words = comment.replace(/^\s*(\*|\/\/)?\s*/gm, ' ').trim();
  return /^[A-Z0-9`'"][^]{15,}?[.:](\s|$)/.test(words)
    ? []
    : [{ path: source.path, line: 1, why: 'does not start with a sentence, then an empty line' }];
};

const docstrings: Rule = (source) => {
  if (!source.path.startsWith('src/')) return [];
  const seen = new Set<string>();
  return topLevel(programOf(source)).flatMap(({ statement, declared }) => {
    const name = exportedFunction(statement, declared);
    if (name === undefined || seen.has(name)) return [];
    seen.add(name);
    const before = source.text.slice(0, statement.start);
    // The comment must touch the function; the one that opens the file is followed by an empty line.
    return /\*\/[ \t]*\n?[ \t]*$/.test(before) && before.startsWith('/**', before.lastIndexOf('/*'))
      ? []
      : [at(source, statement.start, `${name} is exported and has no docstring`)];
  });
};

function exportedFunction(statement: Node, declared: Node): string | undefined {
  if (statement.type !== 'ExportNamedDeclaration') return undefined;
  if (/^(FunctionDeclaration|TSDeclareFunction)$/.test(declared.type)) return nameOf(child(declared, 'id'));
  const [only] = declared.type === 'VariableDeclaration' ? nodes(declared['declarations']) : [];
  const isFunction = /^(Arrow)?FunctionExpression$/i.test(child(only, 'init')?.type ?? '');
  return isFunction ? nameOf(child(only, 'id')) : undefined;
}

const finished: Rule = (source) =>
  matches(
    source,
    /\b(TO-?DO|FIX-?ME|X{3})\b/,
    (word) => `${word}: finish it, or open an issue and say what is missing`,
  );

const noMachinePaths: Rule = (source) =>
  matches(source, /(?<![\w.])\/(work|root)\//, (path) => `${path} is a path of one machine`).concat(
    source.path.startsWith('src/')
      ? matches(source, /(?<![\w.])\/tmp\//, (path) => `${path} is a path of one machine`)
      : [],
  );

function matches(source: Source, pattern: RegExp, why: (found: string) => string): readonly Violation[] {
  return source.text.split('\n').flatMap((text, i) => {
    const found = pattern.exec(text)?.[0];
    return found === undefined ? [] : [{ path: source.path, line: i + 1, why: why(found) }];
  });
}

/** Words that readers from Kubernetes and progressive delivery do not know in our sense; the glossary has those to say instead. */
const PRIVATE_WORDS =
  /(?<![a-z0-9-]|[a-z0-9]_)(anew|so long|so many|besides?|fleets?|(re-?)?arm(ed|s|ing)?|ways? back|give[ns]? up|giving up|whoever|a person|lets? go|letting go|under way|told|heard|home|the word of|begins?|began|begun)(?![a-z0-9-]|_[a-z0-9])/i;
const REASON = /^(?:[A-Z][a-z]+){2,}$/;
const COMMENT = /\/\*\*[\s\S]*?\*\/|(?<=^\s*)\/\/.*$/gm;
const IN_COMMENTS = /`[^`]*`|\b(told|heard|gives up)\b/gi;
/** Where one of them has its ordinary sense. */
const ORDINARY_SENSE: readonly (readonly [path: RegExp, word: RegExp])[] = [
  // The directory of a user, and what a server or a process was told by its settings.
  [/^src\/(adapters|compiled)/, /^(home|told|heard|begins?|let go)$/i],
  // Words of the test of policies, which has a field `tells`.
  [/^src\/commands\/policy\/test\.ts$/, /^told$/],
];

/** Texts for people: strings of several words in src, documents, and comments, where "told" and "heard" are plain English. */
const plainWords: Rule = (source) => {
  const isKept = (word: string): boolean =>
    ORDINARY_SENSE.some(([path, kept]) => path.test(source.path) && kept.test(word));
  const why = (word: string): string => `"${word}" is a private word: say what the glossary says`;
  if (!source.path.endsWith('.ts')) {
    const isDocument = source.path.endsWith('.md');
    return isDocument
      ? matches(source, PRIVATE_WORDS, why).filter(({ why: found }) => !isKept(/"(.*)"/.exec(found)?.[1] ?? ''))
      : [];
  }
  if (!source.path.startsWith('src/')) return [];
  const comments = [...source.text.matchAll(COMMENT)].flatMap(({ 0: text, index }) => {
    const word = PRIVATE_WORDS.exec(text.replace(IN_COMMENTS, ''))?.[0];
    return word === undefined || isKept(word) ? [] : [at(source, index, why(word))];
  });
  const texts = placesOf(source).flatMap(({ node }) => {
    const raw = node.type === 'TemplateElement' ? (node['value'] as { readonly cooked: string }).cooked : node['value'];
    const isText = node.type === 'TemplateElement' || node.type === 'Literal';
    if (!isText || typeof raw !== 'string') return [];
    // A reason is read as its words.
    const words = REASON.test(raw) ? raw.replaceAll(/(?!^)[A-Z]/g, ' $&') : raw;
    if (!/\s/.test(words)) return [];
    const word = PRIVATE_WORDS.exec(words)?.[0];
    return word === undefined || isKept(word) ? [] : [at(source, node.start, why(word))];
  });
  return [...comments, ...texts];
};

/** A name alone may mean another Rollout: what is printed to be typed comes from one place. */
const commandsByKey: Rule = (source) =>
  /^src\/(?!demo\/|rollout\/texts\/command-text)/.test(source.path)
    ? matches(
        source,
        /tranche (abort|acknowledge|approve|eject|jump|pause|plan|propose|resume|retry|status)( --[\w-]+)* \$\{/,
        (found) => `${found}…} is a command by a name: print it with \`command\``,
      )
    : [];

/** What differs by strategy stands in its row: a comparison with a name says nothing of a fourth strategy, and compiles. */
const oneStyleTable: Rule = (source) =>
  source.path.startsWith('src/') && !source.path.startsWith('src/demo/')
    ? matches(
        source,
        /\bstyle\)? [!=]== '(partition|canary|blueGreen)'/,
        (found) => `${found} decides by a strategy's name: ask its row (src/api/styles.ts)`,
      )
    : [];

/** A decision that is made loses its move by the table of brakes alone; `late-merge.ts` judges the one of another situation. */
const oneBrake: Rule = (source) =>
  /^src\/rollout\/(events\/(?!late-merge\.ts$)|gates|ladders|strategies)/.test(source.path)
    ? matches(
        source,
        /\bmove: undefined\b|\bmove\??\.way\b/,
        (found) => `${found} takes the move out of a decision: give it a brake (src/rollout/brakes.ts)`,
      )
    : [];

/** Rules for every TypeScript file; `names`, `finished`, `noMachinePaths` and `plainWords` read any text. */
export const rules = {
  rings,
  rows,
  purity,
  noSharedState,
  plainTypes,
  fileSize,
  functionSize,
  names,
  firstLine,
  docstrings,
  finished,
  noMachinePaths,
  commandsByKey,
  oneBrake,
  oneStyleTable,
  plainWords,
} satisfies Record<string, Rule>;

/** Files of src that no entry reaches. Tests keep a file alive only while there is no program yet. */
export function deadFiles(sources: readonly Source[]): readonly Violation[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const isEntry = byPath.has('src/start.ts')
    ? (path: string) => /^(src\/(start|action)\.ts|(scripts|bench)\/.*)$/.test(path)
    : (path: string) => /^(scripts|bench)\/|\.test\.ts$/.test(path);
  const reached = new Set<string>();
  const queue = [...byPath.keys()].filter(isEntry);
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const source = byPath.get(path);
    if (source === undefined || reached.has(path)) continue;
    reached.add(path);
    for (const { specifier } of importsOf(source)) if (specifier.startsWith('.')) queue.push(resolved(path, specifier));
  }
  return [...byPath.keys()]
    .filter((path) => path.startsWith('src/') && !reached.has(path))
    .map((path) => ({ path, line: 1, why: 'nothing that runs imports it' }));
}

/** Exports of src that no other file imports: what a file keeps to itself can be changed by looking at that file alone. */
export function deadExports(sources: readonly Source[]): readonly Violation[] {
  const imported = new Map<string, Set<string>>();
  for (const source of sources) {
    for (const { specifier, names: all } of importsOf(source)) {
      const target = resolved(source.path, specifier);
      const known = imported.get(target) ?? new Set();
      for (const name of all) known.add(name);
      imported.set(target, known);
    }
  }
  return sources
    .filter(({ path }) => path.startsWith('src/'))
    .flatMap((source) => {
      const known = imported.get(source.path) ?? new Set();
      if (known.has('*')) return [];
      return exportsOf(source)
        .filter(({ name }) => !known.has(name))
        .map(({ name, start }) => ({
          path: source.path,
          line: lineAt(source.text, start),
          why: `no other file imports ${name}: take the export off, or the thing away`,
        }));
    });
}

/** What each file of src imports of src, types included. */
function importsInside(sources: readonly Source[]): ReadonlyMap<string, readonly string[]> {
  const inside = sources.filter(({ path }) => path.startsWith('src/'));
  const paths = new Set(inside.map(({ path }) => path));
  const targets = (source: Source) =>
    importsOf(source)
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier }) => resolved(source.path, specifier));
  return new Map(
    inside.map((source) => [source.path, [...new Set(targets(source))].filter((path) => paths.has(path))]),
  );
}

/**
 * Files of src that import each other in a circle, types included: none of them can be read, moved or deleted alone. A type
 * that closes a circle lives in the wrong file.
 */
export function circles(sources: readonly Source[]): readonly Violation[] {
  const imports = new Map(importsInside(sources));
  // What imports nothing that is left, or is imported by nothing that is left, is in no circle.
  for (let before = -1; before !== imports.size; ) {
    before = imports.size;
    const targets = new Set([...imports.values()].flat());
    for (const [path, to] of imports)
      if (!targets.has(path) || !to.some((target) => imports.has(target))) imports.delete(path);
  }
  return [...imports].map(([path, to]) => ({
    path,
    line: 1,
    why: `is in a circle of imports, by ${to.filter((target) => imports.has(target)).join(' and ')}`,
  }));
}

/** Two folders of src that import each other, unless one lies in the other: neither can be understood without both. */
export function mutualRooms(sources: readonly Source[]): readonly Violation[] {
  const found = new Map<string, Violation>();
  const isInside = (one: string, other: string): boolean => `${one}/`.startsWith(`${other}/`);
  for (const [path, to] of importsInside(sources)) {
    const from = posix.dirname(path);
    for (const target of to) {
      const room = posix.dirname(target);
      if (isInside(from, room) || isInside(room, from) || found.has(`${from} ${room}`)) continue;
      found.set(`${from} ${room}`, { path, line: 1, why: `${from} imports ${room}, which imports it as well` });
    }
  }
  return [...found].flatMap(([pair, violation]) => (found.has(pair.split(' ').reverse().join(' ')) ? [violation] : []));
}
