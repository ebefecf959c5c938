/** Reads TypeScript as a syntax tree, so that checks of our own code look at code and never at comments or strings. */

import { parseAst } from 'vitest/node';

export type Source = {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
};

/** An ESTree node, as loosely as the checks need it. */
export type Node = { readonly type: string; readonly start: number; readonly end: number } & {
  readonly [key: string]: unknown;
};

export type Place = {
  readonly node: Node;
  readonly parent: Node | undefined;
  /** The key of `parent` that holds this node. */
  readonly key: string;
};

export type ImportOf = {
  /** As written: `./json.ts`, `node:fs`, `yaml`. */
  readonly specifier: string;
  readonly typeOnly: boolean;
  /** What is imported, by its name there; `*` for all of it. */
  readonly names: readonly string[];
  readonly start: number;
};

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

type Tree = { readonly source: Source; readonly program: Node; readonly places: readonly Place[] };

/** The source that was read last: all rules look at one before the next. The trees of all would fill the memory. */
let last: Tree | undefined;
const importsKnown = new WeakMap<Source, readonly ImportOf[]>();

/** Throws with the file's name where it does not parse. */
function treeOf(source: Source): Tree {
  if (last?.source === source) return last;
  try {
    const program = parseAst(source.text, { lang: 'ts' }) as unknown as Node;
    last = { source, program, places: placesBelow(program) };
    return last;
  } catch (error) {
    throw new Error(`${source.path} does not parse`, { cause: error });
  }
}

/** The program node of a source. */
export function programOf(source: Source): Node {
  return treeOf(source).program;
}

/** Every node of a source, parents first. */
export function placesOf(source: Source): readonly Place[] {
  return treeOf(source).places;
}

function placesBelow(root: Node): readonly Place[] {
  const places: Place[] = [];
  const visit = (node: Node, parent: Node | undefined, key: string): void => {
    places.push({ node, parent, key });
    for (const [name, value] of Object.entries(node)) {
      if (isNode(value)) visit(value, node, name);
      else if (Array.isArray(value)) for (const item of value) if (isNode(item)) visit(item, node, name);
    }
  };
  visit(root, undefined, '');
  return places;
}

/** The statements at the top of a module, `export` taken off, next to the statement as written. */
export function topLevel(program: Node): readonly { readonly statement: Node; readonly declared: Node }[] {
  return nodes(program['body']).map((statement) => ({
    statement,
    declared: isNode(statement['declaration']) ? statement['declaration'] : statement,
  }));
}

/** The nodes of a list field. */
export function nodes(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** A field that holds one node. */
export function child(node: Node | undefined, key: string): Node | undefined {
  const value = node?.[key];
  return isNode(value) ? value : undefined;
}

/** The name of an identifier node; empty for anything else. */
export function nameOf(node: Node | undefined): string {
  return node?.type === 'Identifier' ? String(node['name']) : '';
}

/** True where an identifier names a variable or a type, not a property of something. */
export function isReference({ node, parent, key }: Place): boolean {
  if (node.type !== 'Identifier' || parent === undefined) return false;
  if (parent.type === 'MemberExpression') return key === 'object' || parent['computed'] === true;
  if (parent.type === 'TSQualifiedName') return key === 'left';
  const named = ['Property', 'PropertyDefinition', 'MethodDefinition', 'TSPropertySignature', 'TSMethodSignature'];
  return !(key === 'key' && named.includes(parent.type) && parent['computed'] !== true);
}

/** Every import, re-export and `import()` of a literal. */
export function importsOf(source: Source): readonly ImportOf[] {
  const known = importsKnown.get(source) ?? importsIn(source);
  importsKnown.set(source, known);
  return known;
}

function importsIn(source: Source): readonly ImportOf[] {
  return placesOf(source).flatMap(({ node }) => {
    const from = child(node, 'source') ?? (node.type === 'TSImportType' ? child(node, 'argument') : undefined);
    const imports = /^(Import|Export(Named|All))Declaration$|^ImportExpression$|^TSImportType$/;
    if (from === undefined || !imports.test(node.type) || typeof from['value'] !== 'string') return [];
    const typeOnly = node['importKind'] === 'type' || node['exportKind'] === 'type' || node.type === 'TSImportType';
    return [{ specifier: from['value'], typeOnly, names: namesOf(node), start: node.start }];
  });
}

function namesOf(declaration: Node): readonly string[] {
  const specifiers = nodes(declaration['specifiers']);
  const isWhole = !/^(Import|ExportNamed)Declaration$/.test(declaration.type);
  if (isWhole || specifiers.some(({ type }) => type === 'ImportNamespaceSpecifier')) return ['*'];
  return specifiers.map((specifier) => nameOf(child(specifier, 'imported') ?? child(specifier, 'local')));
}

/** Every name that a module exports of its own. */
export function exportsOf(source: Source): readonly { readonly name: string; readonly start: number }[] {
  return topLevel(programOf(source)).flatMap(({ statement, declared }) => {
    if (statement.type !== 'ExportNamedDeclaration') return [];
    const one = child(declared, 'id');
    const several = nodes(declared['declarations']).flatMap((declaration) => child(declaration, 'id') ?? []);
    return [...(one === undefined ? [] : [one]), ...several].map((id) => ({ name: nameOf(id), start: id.start }));
  });
}

/** 1-based line of an offset. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
