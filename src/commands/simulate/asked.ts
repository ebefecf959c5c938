/** What a call of `tranche simulate` asks for: the words of the command line, checked. */

import { type IntOrPercent, isIntOrPercent } from '../../api/int-or-percent.ts';
import { UsageError } from '../../options.ts';
import type { Gate, LwsVersion } from '../../simulator/modes.ts';
import { versionOf } from '../../simulator/scenario/scenario-file.ts';

export type ImagePlace = 'both' | 'leader' | 'worker';

type ImageSetting = { readonly place: ImagePlace; readonly image: string };

/** What one commit would change; a field that is not here stays as the file has it. */
export type AskedChange = {
  readonly images: readonly ImageSetting[];
  readonly replicas?: number;
  readonly partition?: number;
  readonly maxSurge?: IntOrPercent;
  readonly maxUnavailable?: IntOrPercent;
};

export type AskedStages = {
  readonly kind: 'stages';
  readonly file: string;
  /** Which LeaderWorkerSet of the file; empty where it has only one. */
  readonly name: string;
  readonly change: AskedChange;
  readonly lws: LwsVersion;
  readonly gate: Gate;
  /** Groups that become ready before all others, in this order; the others from the highest ordinal down. */
  readonly readyOrder: readonly number[];
  readonly output: 'text' | 'markdown' | 'json';
};

export type AskedScenario = {
  readonly kind: 'scenario';
  readonly file: string;
  /** Undefined: as the file says. */
  readonly lws: LwsVersion | undefined;
  readonly gate: Gate | undefined;
  readonly output: 'text' | 'json';
};

type Given = Readonly<Record<string, unknown>>;

/** The flags that describe a change, which a scenario describes itself. */
const CHANGE_FLAGS: readonly (readonly [key: string, flag: string])[] = [
  ['set', '--set'],
  ['replicas', '--replicas'],
  ['partition', '--partition'],
  ['maxSurge', '--max-surge'],
  ['maxUnavailable', '--max-unavailable'],
  ['readyOrder', '--ready-order'],
  ['name', '--name'],
];

const IMAGE_SETTINGS: Readonly<Record<string, ImagePlace>> = {
  image: 'both',
  'leader.image': 'leader',
  'worker.image': 'worker',
};

/** The call, or a UsageError that names the flag, what it is and what is wanted. */
export function askedOf(file: string | undefined, given: Given): AskedStages | AskedScenario {
  const scenario = textOf(given, 'scenario');
  const lws = lwsOf(textOf(given, 'lws'));
  const gate = gateOf(textOf(given, 'gate'));
  if (scenario !== undefined) {
    const extra = CHANGE_FLAGS.filter(([key]) => isSet(given[key])).map(([, flag]) => flag);
    if (file !== undefined) extra.unshift(file);
    if (extra.length > 0) throw new UsageError(`a scenario says what happens: leave out ${extra.join(', ')}`);
    return { kind: 'scenario', file: scenario, lws, gate, output: oneOf(given, 'output', ['text', 'json']) };
  }
  if (file === undefined) throw new UsageError('name the file of the LeaderWorkerSet, or a --scenario');
  return {
    kind: 'stages',
    file,
    name: textOf(given, 'name') ?? '',
    change: changeOf(given),
    lws: lws ?? '0.10',
    gate: gate ?? 'off',
    readyOrder: orderOf(textOf(given, 'readyOrder')),
    output: oneOf(given, 'output', ['text', 'markdown', 'json']),
  };
}

/** A delivery is that of the files: it takes no word but how to print it. */
export function deliveryOutput(given: Given): 'text' | 'json' {
  const words = [...CHANGE_FLAGS, ['scenario', '--scenario'], ['lws', '--lws'], ['gate', '--gate']] as const;
  const extra = words.filter(([key]) => isSet(given[key])).map(([, flag]) => flag);
  if (extra.length > 0) throw new UsageError(`a Rollout says what a release does: leave out ${extra.join(', ')}`);
  return oneOf(given, 'output', ['text', 'json']);
}

function changeOf(given: Given): AskedChange {
  const settings = Array.isArray(given['set']) ? given['set'].filter((one) => typeof one === 'string') : [];
  const replicas = countOf(given, 'replicas', '--replicas');
  const partition = countOf(given, 'partition', '--partition');
  const maxSurge = shareOf(given, 'maxSurge', '--max-surge');
  const maxUnavailable = shareOf(given, 'maxUnavailable', '--max-unavailable');
  const change = {
    images: settings.map(imageSetting),
    ...(replicas === undefined ? {} : { replicas }),
    ...(partition === undefined ? {} : { partition }),
    ...(maxSurge === undefined ? {} : { maxSurge }),
    ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
  };
  if (change.images.length > 0 || Object.keys(change).length > 1) return change;
  throw new UsageError('no change is named: add --set image=…, --partition or another');
}

function imageSetting(setting: string): ImageSetting {
  const cut = setting.indexOf('=');
  const key = cut < 0 ? setting : setting.slice(0, cut);
  const image = cut < 0 ? '' : setting.slice(cut + 1);
  const place = Object.hasOwn(IMAGE_SETTINGS, key) ? IMAGE_SETTINGS[key] : undefined;
  if (place === undefined) {
    throw new UsageError(`--set ${key}: unknown setting, wanted one of ${Object.keys(IMAGE_SETTINGS).join(', ')}`);
  }
  if (!/^\S+$/.test(image)) throw new UsageError(`--set ${setting}: no image, wanted ${key}=<image>`);
  return { place, image };
}

function lwsOf(text: string | undefined): LwsVersion | undefined {
  if (text === undefined) return undefined;
  if (/^v?0\.(6|7|8|9|10)(\.\d+)?$/.test(text)) return versionOf(text);
  throw new UsageError(`--lws is ${text}, wanted 0.6, 0.8 (also for 0.7) or 0.10 (also for 0.9)`);
}

function gateOf(text: string | undefined): Gate | undefined {
  if (text === undefined || text === 'on' || text === 'off' || text === 'on-1.37') return text;
  throw new UsageError(`--gate is ${text}, wanted on, off or on-1.37`);
}

function orderOf(text: string | undefined): readonly number[] {
  if (text === undefined) return [];
  if (/^\d{1,4}(,\d{1,4})*$/.test(text)) return text.split(',').map(Number);
  throw new UsageError(`--ready-order is ${text}, wanted ordinals, as 4,5,3`);
}

function countOf(given: Given, key: string, flag: string): number | undefined {
  const text = textOf(given, key);
  if (text === undefined) return undefined;
  if (/^(0|[1-9]\d{0,8})$/.test(text)) return Number(text);
  throw new UsageError(`${flag} is ${text}, wanted a whole number`);
}

function shareOf(given: Given, key: string, flag: string): IntOrPercent | undefined {
  const text = textOf(given, key);
  const value = text === undefined || !/^(0|[1-9]\d{0,8})$/.test(text) ? text : Number(text);
  if (value === undefined || isIntOrPercent(value)) return value;
  throw new UsageError(`${flag} is ${text}, wanted a whole number or a percentage, as 25%`);
}

function oneOf<T extends string>(given: Given, key: string, words: readonly [T, ...T[]]): T {
  const text = textOf(given, key) ?? words[0];
  const word = words.find((one) => one === text);
  if (word !== undefined) return word;
  throw new UsageError(`--${key} is ${text}, wanted ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`);
}

function textOf(given: Given, key: string): string | undefined {
  const value = given[key];
  return typeof value === 'string' ? value : undefined;
}

function isSet(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}
