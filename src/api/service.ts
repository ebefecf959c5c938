/** A core Service, as far as it says which pods it reaches and by which ports. */

import { at, isRecord } from './json.ts';

export type ServicePort = {
  /** Empty: without a name. */
  readonly name: string;
  readonly port: number;
  /** undefined: the same as `port`. */
  readonly targetPort: number | string | undefined;
  /** Not there: TCP. */
  readonly protocol?: string;
  /** The protocol, as a gateway reads it. */
  readonly appProtocol?: string;
};

type Service = {
  readonly selector: Readonly<Record<string, string>>;
  readonly ports: readonly ServicePort[];
  /** `clusterIP: None`. */
  readonly headless: boolean;
};

/** What is written; fields of another type count as not written, because the API server refuses them. */
export function parseService(value: unknown): Service {
  const ports = at(value, ['spec', 'ports']);
  return {
    selector: stringsIn(at(value, ['spec', 'selector'])),
    ports: Array.isArray(ports) ? ports.flatMap(readPort) : [],
    headless: at(value, ['spec', 'clusterIP']) === 'None',
  };
}

function readPort(value: unknown): readonly ServicePort[] {
  const [name, port, target] = ['name', 'port', 'targetPort'].map((key) => at(value, [key]));
  if (typeof port !== 'number') return [];
  const targetPort = typeof target === 'number' || typeof target === 'string' ? target : undefined;
  const { protocol, appProtocol } = stringsIn(value);
  return [
    {
      name: typeof name === 'string' ? name : '',
      port,
      targetPort,
      ...(protocol === undefined || protocol === 'TCP' ? {} : { protocol }),
      ...(appProtocol === undefined ? {} : { appProtocol }),
    },
  ];
}

/** The first port of a Service that another does not have, or leads elsewhere; undefined: it has them all. */
export function portMissing(ports: readonly ServicePort[], others: readonly ServicePort[]): ServicePort | undefined {
  const textOf = ({ name, port, targetPort = port, protocol = 'TCP', appProtocol = '' }: ServicePort): string =>
    JSON.stringify([name, port, targetPort, protocol, appProtocol]);
  const there = new Set(others.map(textOf));
  return ports.find((port) => !there.has(textOf(port)));
}

/** The members of a map that are texts. */
export function stringsIn(value: unknown): Readonly<Record<string, string>> {
  if (!isRecord(value)) return {};
  // As a rule all are: then it is what was asked for.
  if (isTexts(value)) return value;
  const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === 'string';
  return Object.fromEntries(Object.entries(value).filter(isText));
}

function isTexts(value: Readonly<Record<string, unknown>>): value is Readonly<Record<string, string>> {
  for (const key of Object.keys(value)) if (typeof value[key] !== 'string') return false;
  return true;
}
