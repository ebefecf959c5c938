/** Fields of `tranche.yaml` that have rules of their own. */

import type { FieldReader } from './field-reader.ts';
import { hasPartition, type LwsVersion, parseLwsVersion } from './lws-version.ts';

export const LINKS_LIMIT = 10;
export const LABEL = /^[A-Za-z0-9][A-Za-z0-9 _.-]{0,39}$/;
/** What would end a link of Markdown, or of a table, is in none. */
export const ADDRESS = /^https:\/\/[A-Za-z0-9.-]+(:[0-9]+)?(\/[A-Za-z0-9._~:/?#@!$&'*+,;=%{}-]*)?$/;
export const ADDRESS_MOST = 500;

/** Pages for people by their labels; one that is wrong is a fault. */
export function readLinks(root: FieldReader): Readonly<Record<string, string>> {
  const links = Object.entries(root.stringMap('links'));
  const wrong = links.find(([label, to]) => !LABEL.test(label) || !ADDRESS.test(to) || to.length > ADDRESS_MOST);
  if (wrong !== undefined || links.length > LINKS_LIMIT)
    root.fault(
      'links',
      'BadLink',
      wrong === undefined
        ? `has ${links.length} links, wanted at most ${LINKS_LIMIT}`
        : `has ${JSON.stringify(wrong.join(': '))}, wanted a label of letters and digits with an https address`,
      wrong === undefined
        ? 'Leave the others out.'
        : 'Write for example dashboard: "https://grafana.example/d/llm?var-name={name}".',
    );
  return Object.fromEntries(links);
}

/** The version of LeaderWorkerSet, only as text: as a number, YAML reads 0.10 as 0.1. undefined: not there, or a fault. */
export function readLwsVersion(root: FieldReader): LwsVersion | undefined {
  const value = root.value('lwsVersion');
  const version = typeof value === 'string' ? parseLwsVersion(value) : undefined;
  if (value !== undefined && version === undefined)
    root.fault(
      'lwsVersion',
      'BadVersion',
      `is ${JSON.stringify(value)}, wanted the version of LeaderWorkerSet as text`,
      'Write for example "0.10", in quotes.',
    );
  if (version !== undefined && !hasPartition(version))
    root.fault(
      'lwsVersion',
      'BadVersion',
      `is ${JSON.stringify(value)}, wanted 0.7 or later`,
      'Before 0.7 LWS has no partition: update it.',
    );
  return version;
}
