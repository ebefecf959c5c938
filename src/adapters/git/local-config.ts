/** Reads a repository's own config file: enough of Git's format for the settings that a writer must obey. */

/** By lower-case `section.key` or `section.subsection.key`; the last of several counts. `true` where it has no value. */
export type Config = ReadonlyMap<string, string>;

/** The settings of a config text. Lines that are not understood say nothing; includes are not followed. */
export function parseConfig(text: string): Config {
  const settings = new Map<string, string>();
  let section = '';
  for (const line of text.replace(/\\\r?\n/g, '').split(/\r?\n/)) {
    const head = line.match(/^\s*\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/);
    const rest = head === null ? line : line.slice(head[0].length);
    if (head !== null) {
      const subsection = head[2]?.replace(/\\(.)/g, '$1');
      section = (head[1] ?? '').toLowerCase() + (subsection === undefined ? '' : `.${subsection}`);
    }
    const setting = rest.match(/^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=(.*))?$/);
    if (setting?.[1] !== undefined) {
      settings.set(`${section}.${setting[1].toLowerCase()}`, setting[2] === undefined ? 'true' : plain(setting[2]));
    }
  }
  return settings;
}

/** A value without quotes and comments. */
function plain(value: string): string {
  const parts = value.trim().match(/"(?:[^"\\]|\\.)*"|[^"#;]+|[#;].*/g) ?? [];
  const kept: string[] = [];
  for (const part of parts) {
    if (part.startsWith('#') || part.startsWith(';')) break;
    kept.push(part.startsWith('"') ? part.slice(1, -1).replace(/\\(.)/g, '$1') : part);
  }
  return kept.join('').trim();
}

/** Git's own spellings of yes and no; `otherwise` where the setting is missing or is neither. */
export function isOn(value: string | undefined, otherwise: boolean): boolean {
  if (value === undefined) return otherwise;
  if (/^(?:true|yes|on|[1-9]\d*)$/i.test(value)) return true;
  return /^(?:false|no|off|0|)$/i.test(value) ? false : otherwise;
}
