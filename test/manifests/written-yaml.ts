/** Writes a JSON value as YAML in many styles, so that properties can be tried on files people might write. */

import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../src/api/json.ts';

export type Style = {
  readonly seed: number;
  readonly step: 2 | 3 | 4;
  readonly indentLists: boolean;
  readonly lineBreak: '\n' | '\r\n';
  readonly finalBreak: boolean;
  readonly byteOrderMark: boolean;
  /** Values that are equal may be written once, with an anchor, and repeated by aliases and merge keys. */
  readonly ties?: boolean;
};

/** A small generator of its own, so that one number repeats one file. */
function dice(seed: number): (sides: number) => number {
  let state = (seed * 2_654_435_761 + 12_345) % 4_294_967_296;
  return (sides) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((state / 4_294_967_296) * sides);
  };
}

const COMMENTS = ['# why: 3 # two', '#', '# "quoted\'', '#\ttab', '# {a: [', '# --- not a separator'];

type Writer = {
  readonly roll: (sides: number) => number;
  readonly style: Style;
  /** What each name stands for at this place of the text. */
  readonly anchors: Map<string, Json>;
};

export function writeYaml(value: JsonObject, style: Style): string {
  const writer: Writer = { roll: dice(style.seed), style, anchors: new Map() };
  const lines = mapLines(writer, value, 0);
  // Block text at the end would lose its last line break with the file's.
  const last = lastOf(value);
  const isOpen = !style.finalBreak && !(typeof last === 'string' && last.endsWith('\n'));
  const text = lines.join(style.lineBreak) + (isOpen ? '' : style.lineBreak);
  return (style.byteOrderMark ? '\uFEFF' : '') + text;
}

function lastOf(value: Json | undefined): Json | undefined {
  return typeof value === 'object' && value !== null ? lastOf(Object.values(value).at(-1)) : value;
}

function mapLines(writer: Writer, value: JsonObject, indent: number): string[] {
  return Object.entries(value).flatMap(([key, item]) => {
    const head = `${' '.repeat(indent)}${keyText(writer, key)}:`;
    return [...noise(writer, indent), ...valueLines(writer, { head, item, indent, inList: false })];
  });
}

/** `<<: *name` first, then the keys that it does not bring, where an anchored map is a part of this one. */
function mergedLines(writer: Writer, value: JsonObject, indent: number): string[] {
  for (const [name, part] of writer.style.ties === true ? writer.anchors : []) {
    if (!isJsonObject(part) || Object.keys(part).length === 0 || !isPart(part, value)) continue;
    const rest = Object.fromEntries(Object.entries(value).filter(([key]) => part[key] === undefined));
    return [`${' '.repeat(indent)}<<: *${name}`, ...mapLines(writer, rest, indent)];
  }
  return mapLines(writer, value, indent);
}

function isPart(part: JsonObject, whole: JsonObject): boolean {
  return Object.entries(part).every(([key, item]) => whole[key] !== undefined && jsonEqual(whole[key], item));
}

/** An alias for a value that has a name already, or a new name before the value, or nothing. */
function tie(writer: Writer, value: Json): { readonly alias: string | undefined; readonly name: string | undefined } {
  const { roll, style, anchors } = writer;
  if (style.ties !== true) return { alias: undefined, name: undefined };
  const known = [...anchors].find(([, other]) => jsonEqual(other, value));
  if (known !== undefined && roll(3) > 0) return { alias: known[0], name: undefined };
  return { alias: undefined, name: roll(3) === 0 ? ['a', 'b', 'image', 'x-1'][roll(4)] : undefined };
}

function noise({ roll }: Writer, indent: number): string[] {
  const choice = roll(8);
  if (choice === 0) return [''];
  if (choice === 1) return [`${' '.repeat(indent)}${COMMENTS[roll(COMMENTS.length)]}`];
  if (choice === 2) return [`${' '.repeat(indent + roll(2))}${COMMENTS[roll(COMMENTS.length)]}`, ''];
  return [];
}

type Place = { readonly head: string; readonly item: Json; readonly indent: number; readonly inList: boolean };

function valueLines(writer: Writer, { head, item, indent, inList }: Place): string[] {
  const { anchors } = writer;
  const { alias, name } = tie(writer, item);
  if (alias !== undefined) return [`${head} *${alias}`];
  if (name !== undefined) {
    // No alias inside may mean an earlier value of the same name.
    anchors.delete(name);
    const lines = bareLines(writer, { head: `${head} &${name}`, item, indent, inList });
    anchors.set(name, item);
    return lines;
  }
  return bareLines(writer, { head, item, indent, inList });
}

function bareLines(writer: Writer, { head, item, indent, inList }: Place): string[] {
  const { roll, style } = writer;
  const tail = roll(5) === 0 ? ` ${COMMENTS[roll(COMMENTS.length)]}` : '';
  const isEmpty = isJsonObject(item) ? Object.keys(item).length === 0 : Array.isArray(item) && item.length === 0;
  if (typeof item !== 'object' || item === null || isEmpty || roll(5) === 0) {
    if (typeof item === 'string' && isBlockText(item) && roll(2) === 0) {
      const inner = ' '.repeat(indent + style.step);
      return [
        `${head} |`,
        ...item
          .slice(0, -1)
          .split('\n')
          .map((line) => (line === '' ? '' : inner + line)),
      ];
    }
    return [`${head} ${bareFlow(writer, item)}${tail}`];
  }
  if (Array.isArray(item)) {
    const at = indent + (style.indentLists || inList ? style.step : 0);
    return [`${head}${tail}`, ...item.flatMap((one: Json) => itemLines(writer, one, at))];
  }
  return [`${head}${tail}`, ...mergedLines(writer, item as JsonObject, indent + style.step)];
}

function itemLines(writer: Writer, item: Json, indent: number): string[] {
  const dash = `${' '.repeat(indent)}- `;
  if (isJsonObject(item) && Object.keys(item).length > 0) {
    const lines = Object.entries(item).flatMap(([key, value]) => {
      const head = `${' '.repeat(indent + 2)}${keyText(writer, key)}:`;
      return valueLines(writer, { head, item: value, indent: indent + 2, inList: false });
    });
    return [...noise(writer, indent), dash + (lines[0] ?? '').slice(indent + 2), ...lines.slice(1)];
  }
  return [...noise(writer, indent), `${dash}${flow(writer, item)}`];
}

function isBlockText(text: string): boolean {
  return /^[^\s][^\n]*\n(?:[^\s][^\n]*\n|\n(?=[^\s]))*$/.test(text);
}

function flow(writer: Writer, value: Json): string {
  const { alias, name } = tie(writer, value);
  if (alias !== undefined) return `*${alias} `;
  if (name === undefined) return bareFlow(writer, value);
  writer.anchors.delete(name);
  const text = `&${name} ${bareFlow(writer, value)}`;
  writer.anchors.set(name, value);
  return text;
}

function bareFlow(writer: Writer, value: Json): string {
  const { roll } = writer;
  const [comma, colon] = roll(2) === 0 ? [', ', ': '] : [' , ', ':  '];
  if (Array.isArray(value)) return `[${value.map((item: Json) => flow(writer, item)).join(comma)}]`;
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([key, item]) => `${keyText(writer, key)}${colon}${flow(writer, item)}`);
    return members.length > 0 && roll(2) === 0 ? `{ ${members.join(comma)} }` : `{${members.join(comma)}}`;
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  if (/^[a-z]{3,}$/.test(value) && !/^(yes|off|true|false|null)$/.test(value) && roll(3) === 0) return value;
  return /[\n'\\\u2028]/.test(value) || roll(2) === 0
    ? JSON.stringify(value).replaceAll('\u2028', '\\u2028')
    : `'${value}'`;
}

function keyText({ roll }: Writer, key: string): string {
  if (!/^[A-Za-z][A-Za-z./-]{2,}$/.test(key)) return JSON.stringify(key);
  const choice = roll(6);
  return choice === 0 ? `"${key}"` : choice === 1 ? `'${key}'` : key;
}
