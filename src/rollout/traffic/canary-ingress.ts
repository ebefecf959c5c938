/** Ingress with canary annotations: a second Ingress, made once, whose annotations say which requests it takes. */

import type { FieldFault } from '../../api/field-reader.ts';
import { type IngressPath, parseIngress } from '../../api/ingress.ts';
import { at, isJsonObject, type Json, type JsonObject, jsonEqual } from '../../api/json.ts';
import { keysFor } from './ingress-annotations.ts';
import type { IngressClass } from './ingress-classes.ts';
import { ANNOTATIONS, annotationEdits, canaryName, prepare } from './ingress-copy.ts';
import {
  type RouteFault,
  type RouteFiles,
  type RouteReading,
  type RouteSurvey,
  type Share,
  type Sides,
  type TrafficProvider,
  type Unwritable,
  type Written,
  wordless,
} from './provider.ts';

const KIND = 'Ingress';
const GROUP = 'networking.k8s.io';

/** The provider of a class. */
export function canaryIngress(dialect: IngressClass): TrafficProvider {
  return {
    kind: KIND,
    isOf: ({ object }) => object.kind === KIND && object.apiVersion.startsWith(`${GROUP}/`),
    isNamed: ({ kind, group, ingressClass }) => kind === KIND && group === GROUP && ingressClass === dialect.name,
    copies: true,
    survey: (files, sides) => survey(files, sides, dialect),
    read: (files, sides) => read(files, sides, dialect),
    ...wordless,
    prepare: (files, sides) => prepare(files, sides, dialect),
    write: (files, _, share) => write(files, share, dialect),
  };
}

function survey({ route, canary }: RouteFiles, sides: Sides, { prefix }: IngressClass): RouteSurvey {
  const { paths, defaultService, annotations, faults } = parseIngress(route.value);
  const own = paths.filter(({ service }) => service === sides.stable);
  const rules = own.map(({ serviceAt, port }) => ({
    portAt: [...serviceAt, 'port', typeof port === 'string' ? 'name' : 'number'],
    port,
    portInText: false,
    portOptional: false,
    timeout: undefined,
  }));
  const isSticky =
    annotations[`${prefix}affinity`] !== undefined && annotations[`${prefix}affinity-canary-behavior`] !== 'legacy';
  return {
    rules,
    faults: [
      ...faults,
      ...(own.length > 0 ? [] : [missing(sides)]),
      ...(defaultService === sides.stable ? [byDefault(sides)] : []),
      ...(isSticky ? [sticky(prefix)] : []),
      ...(canary === undefined || sameRules(canary.value, expectedRules(route.value, own, sides))
        ? []
        : [stale(canary.object.name)]),
    ],
  };
}

function missing({ stable }: Sides): FieldFault {
  return {
    at: ['spec', 'rules'],
    reason: 'BackendMissing',
    message: `no path sends to the Service ${stable}, so there is nothing that a share could be taken of`,
    hint: 'Name the Ingress that sends to it, or the Service that this one has.',
  };
}

function byDefault({ stable }: Sides): FieldFault {
  return {
    at: ['spec', 'defaultBackend'],
    reason: 'DefaultBackend',
    message: `its default backend is ${stable}: what comes in that way cannot be shared out, and stays on the stable version`,
    hint: 'Write it as a rule with the path /.',
  };
}

function sticky(prefix: string): RouteFault {
  return {
    at: [...ANNOTATIONS, `${prefix}affinity`],
    reason: 'SessionPersistence',
    message:
      'its affinity keeps sessions where they are, even at weight 0: those on a new version that fails would stay on it',
    hint: `Remove it, or add ${prefix}affinity-canary-behavior: legacy.`,
    mend: [{ kind: 'set', path: [...ANNOTATIONS, `${prefix}affinity-canary-behavior`], value: 'legacy' }],
  };
}

function stale(name: string): FieldFault {
  return {
    at: ['spec', 'rules'],
    reason: 'CanaryIngressDiffers',
    message: `Ingress ${name} has other rules than this one: what they take is not a share of its requests`,
    hint: `Remove Ingress ${name}; the next delivery re-creates it.`,
  };
}

/** The rules with paths to the stable Service, and those paths alone, to the new version. */
function expectedRules(value: JsonObject, own: readonly IngressPath[], { canary }: Sides): readonly Json[] {
  const rules = at(value, ['spec', 'rules']);
  return (Array.isArray(rules) ? rules : []).flatMap((rule: Json, number: number): readonly Json[] => {
    const paths = own
      .filter((path) => path.rule === number)
      .map(({ serviceAt }) => renamed(at(value, serviceAt.slice(0, -2)), canary));
    return paths.length === 0 || !isJsonObject(rule) ? [] : [{ ...rule, http: { paths } }];
  });
}

function renamed(path: Json | undefined, name: string): JsonObject {
  const service = at(path, ['backend', 'service']);
  return {
    ...(isJsonObject(path) ? path : {}),
    backend: { service: { ...(isJsonObject(service) ? service : {}), name } },
  };
}

function sameRules(canary: JsonObject, rules: readonly Json[]): boolean {
  return jsonEqual(at(canary, ['spec', 'rules']), rules);
}

function read({ route, canary }: RouteFiles, { stable }: Sides, { prefix }: IngressClass): RouteReading {
  const { paths, defaultService } = parseIngress(route.value);
  const isNamed = defaultService === stable || paths.some(({ service }) => service === stable);
  const nothing = { percent: 0, ours: [], mirrors: [], stable: isNamed };
  if (canary === undefined) return nothing;
  const { annotations } = parseIngress(canary.value);
  if (annotations[`${prefix}canary`] !== 'true') return nothing;
  const number = (key: string, otherwise: number): number => Number(annotations[`${prefix}${key}`] ?? otherwise);
  // An API server answers with the keys in order of the alphabet, in whatever order the file has them.
  const conditions = Object.keys(annotations)
    .filter((key) => key.startsWith(`${prefix}canary-by-`))
    .toSorted();
  const percent = (number('canary-weight', 0) * 100) / number('canary-weight-total', 100);
  return {
    percent,
    ours: conditions.map((key) => [...ANNOTATIONS, key]),
    mirrors: [],
    stable: isNamed && percent < 100,
  };
}

function write({ route, canary }: RouteFiles, share: Share, dialect: IngressClass): Written | Unwritable {
  if (canary === undefined) {
    // It is made before the first share; without it there is none to take back.
    return share.kind === 'none'
      ? { kind: 'ok', edits: [], displaced: [] }
      : { kind: 'unwritable', faults: [unmade(route.object.name)] };
  }
  const wanted = keysFor(dialect, share, parseIngress(route.value).annotations);
  if (wanted.kind === 'unwritable') return wanted;
  const edits = annotationEdits(parseIngress(canary.value).annotations, wanted.keys);
  return {
    kind: 'ok',
    edits: edits.length === 0 ? [] : [{ file: canary.file, object: canary.object, edits }],
    displaced: [],
  };
}

/** Said in mid-delivery, as a hold in these words: lint makes the Ingress before it tries a share. */
function unmade(name: string): FieldFault {
  return {
    at: ['metadata', 'name'],
    reason: 'CanaryIngressDiffers',
    message: `there is no Ingress ${canaryName(name)} that could be given a share`,
    hint: 'Put it back as the last commit of tranche wrote it.',
  };
}
