/** Answers GraphQL from values, with GitHub's published types: a field, an argument or a value that they lack is a fault. */

import { readFileSync } from 'node:fs';
import { isRecord } from '../../../src/api/json.ts';

type TypeTable = Readonly<
  Record<
    string,
    {
      readonly fields: readonly (readonly [name: string, type: string, args: readonly string[]])[];
      readonly values: readonly string[];
      readonly possible: readonly string[];
    }
  >
>;

const file = new URL('../../../fixtures/github/graphql.json', import.meta.url);
const types: TypeTable = JSON.parse(readFileSync(file, 'utf8'));

type Selection = {
  readonly alias: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly selections: readonly Selection[];
  /** Only of objects of this type. */
  readonly on?: string;
};

/** A value, or a function of its arguments that gives one. Objects may name their type as `__typename`. */
type Resolver = { readonly [field: string]: unknown };

/** What a query gives. Throws where it is no GraphQL, or asks what GitHub does not have. */
export function answerGraphql(query: string, variables: unknown, root: Resolver): unknown {
  const tokens = query.match(/\.\.\.|[A-Za-z_]\w*|\d+|"[^"]*"|\$\w+|[{}()[\]:!,]/g) ?? [];
  const asked = new Reader(tokens, isRecord(variables) ? variables : {}).document();
  if (nodesIn(asked) > NODES_MOST) throw new Error(`this query requests up to ${nodesIn(asked)} possible nodes`);
  return resolved(asked, 'Query', root);
}

/** As GitHub counts before it answers: of each list as many as are asked for, of each entry of the list above it. */
const NODES_MOST = 500_000;

function nodesIn(selections: readonly Selection[], times = 1): number {
  return selections.reduce((sum, { args, selections: below }) => {
    const many = Number(args['first'] ?? args['last'] ?? 0) * times;
    return sum + many + nodesIn(below, many === 0 ? times : many);
  }, 0);
}

class Reader {
  private at = 0;
  private readonly tokens: readonly string[];
  private readonly variables: Readonly<Record<string, unknown>>;

  constructor(tokens: readonly string[], variables: Readonly<Record<string, unknown>>) {
    this.tokens = tokens;
    this.variables = variables;
  }

  document(): readonly Selection[] {
    if (this.tokens[this.at] === 'query') while (this.tokens[this.at] !== '{') this.at += 1;
    return this.selections();
  }

  private next(): string {
    const token = this.tokens[this.at];
    if (token === undefined) throw new Error('the query ends too early');
    this.at += 1;
    return token;
  }

  private take(wanted: string): boolean {
    if (this.tokens[this.at] !== wanted) return false;
    this.at += 1;
    return true;
  }

  private selections(): readonly Selection[] {
    const found: Selection[] = [];
    if (!this.take('{')) return found;
    while (!this.take('}')) found.push(this.selection());
    return found;
  }

  private selection(): Selection {
    if (this.take('...')) {
      this.next();
      const on = this.next();
      return { alias: '', name: '', args: {}, selections: this.selections(), on };
    }
    const first = this.next();
    const name = this.take(':') ? this.next() : first;
    const args: Record<string, unknown> = {};
    if (this.take('('))
      while (!this.take(')')) {
        const arg = this.next();
        this.take(':');
        args[arg] = this.value(this.next());
        this.take(',');
      }
    return { alias: first, name, args, selections: this.selections() };
  }

  private value(token: string): unknown {
    if (token.startsWith('$')) return this.variables[token.slice(1)];
    return token.startsWith('"') ? token.slice(1, -1) : /^\d/.test(token) ? Number(token) : token;
  }
}

function resolved(selections: readonly Selection[], type: string, value: Resolver): Readonly<Record<string, unknown>> {
  const answer: Record<string, unknown> = {};
  for (const selection of selections) {
    if (selection.on !== undefined) {
      if (types[type]?.possible.includes(selection.on) === false && type !== selection.on)
        throw new Error(`${selection.on} is no ${type}`);
      if (value['__typename'] === selection.on)
        Object.assign(answer, resolved(selection.selections, selection.on, value));
      continue;
    }
    answer[selection.alias] =
      selection.name === '__typename' ? (value['__typename'] ?? type) : field(selection, type, value);
  }
  return answer;
}

function field({ name, args, selections }: Selection, type: string, value: Resolver): unknown {
  const described = types[type]?.fields.find(([known]) => known === name);
  if (described === undefined) throw new Error(`Field '${name}' doesn't exist on type '${type}'`);
  const [, spelled, known] = described;
  for (const arg of Object.keys(args)) if (!known.includes(arg)) throw new Error(`'${type}.${name}' takes no '${arg}'`);
  const given = value[name];
  return shaped(typeof given === 'function' ? given(args) : given, spelled, selections);
}

function shaped(value: unknown, spelled: string, selections: readonly Selection[]): unknown {
  if (spelled.endsWith('!')) {
    if (value === undefined || value === null) throw new Error(`there is no value for a ${spelled}`);
    return shaped(value, spelled.slice(0, -1), selections);
  }
  if (value === undefined || value === null) return null;
  if (spelled.startsWith('[')) {
    if (!Array.isArray(value)) throw new Error(`no list for a ${spelled}`);
    return value.map((item) => shaped(item, spelled.slice(1, -1), selections));
  }
  const { values = [] } = types[spelled] ?? {};
  if (values.length > 0 && !values.some((one) => one === value)) throw new Error(`a value is no ${spelled}`);
  return isRecord(value) ? resolved(selections, spelled, value) : value;
}
