/**
 * What a runner of GitHub Actions makes of the log and of the file of outputs, by the rules of its source
 * (`Runner.Common/ActionCommand.cs`, `Runner.Worker/FileCommandManager.cs`): the oracle of what our text makes it do.
 */

export type RunnerCommand = {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
};

const REGISTERED: ReadonlySet<string> = new Set(
  'set-env set-output save-state add-path add-mask add-matcher remove-matcher stop-commands warning error notice debug group endgroup echo'.split(
    ' ',
  ),
);

type Mapping = readonly (readonly [escaped: string, token: string])[];
const LINE_ENDS: Mapping = [
  ['%0D', '\r'],
  ['%0A', '\n'],
];
const DATA: Mapping = [...LINE_ENDS, ['%25', '%']];
const PROPERTY: Mapping = [...LINE_ENDS, ['%3A', ':'], ['%2C', ','], ['%25', '%']];
const OLD: Mapping = [['%3B', ';'], ...LINE_ENDS, ['%5D', ']'], ['%25', '%']];

function unescaped(text: string, mapping: Mapping): string {
  return mapping.reduce((done, [escaped, token]) => done.replaceAll(escaped, token), text);
}

/** The commands of a log, in their order. Lines end as .NET reads them: LF, CR, or both. */
export function runnerCommands(log: string): readonly RunnerCommand[] {
  return log.split(/\r\n|\r|\n/).flatMap((line) => parsedNow(line) ?? parsedOld(line) ?? []);
}

/** `::name a=1,b=2::data`, behind spaces. */
function parsedNow(line: string): RunnerCommand | undefined {
  const text = line.trimStart();
  const end = text.indexOf('::', 2);
  if (!text.startsWith('::') || end < 0) return undefined;
  return command(text.slice(2, end), { data: text.slice(end + 2), between: ',', mapping: [PROPERTY, DATA] });
}

/** `##[name a=1;b=2]data`, anywhere on a line. */
function parsedOld(line: string): RunnerCommand | undefined {
  const start = line.indexOf('##[');
  const end = line.indexOf(']', Math.max(start, 0));
  if (start < 0 || end < 0) return undefined;
  return command(line.slice(start + 3, end), { data: line.slice(end + 1), between: ';', mapping: [OLD, OLD] });
}

function command(
  info: string,
  of: { readonly data: string; readonly between: string; readonly mapping: readonly [Mapping, Mapping] },
): RunnerCommand | undefined {
  const space = info.indexOf(' ');
  const name = space < 0 ? info : info.slice(0, space);
  if (!REGISTERED.has(name)) return undefined;
  const pairs = (space > 0 ? info.slice(space + 1).trim() : '').split(of.between).flatMap((pair) => {
    const at = pair.indexOf('=');
    return at <= 0 || at === pair.length - 1 ? [] : [[pair.slice(0, at), unescaped(pair.slice(at + 1), of.mapping[0])]];
  });
  return { name, properties: Object.fromEntries(pairs), data: unescaped(of.data, of.mapping[1]) };
}

/** The outputs that a file sets: `name=value`, or `name<<delimiter` and lines up to it. Throws where the runner does. */
export function runnerOutputs(text: string): Readonly<Record<string, string>> {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const values: Record<string, string> = {};
  while (lines.length > 0) {
    const line = lines.shift() ?? '';
    const [equals, here] = [line.indexOf('='), line.indexOf('<<')];
    if (line === '') continue;
    if (equals >= 0 && (here < 0 || equals < here)) {
      values[line.slice(0, equals)] = line.slice(equals + 1);
      continue;
    }
    const [name, delimiter] = [line.slice(0, here), line.slice(here + 2)];
    const end = lines.indexOf(delimiter);
    if (here <= 0 || delimiter === '' || end < 0) throw new Error(`the runner does not take ${line}`);
    values[name] = lines.slice(0, end).join('\n');
    lines.splice(0, end + 1);
  }
  return values;
}
