/** Fields of a Flux HelmRelease with which its text in Git is not what Flux renders, or not what Flux leaves in place. */

import { CARRIER_API_VERSION } from '../../api/carrier.ts';
import type { Issue } from '../../api/issue.ts';
import { at, isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { list } from '../../manifests/kustomize-changes.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { pathText } from '../../manifests/path-text.ts';
import type { FieldPath } from '../../rollout/edits/edit.ts';
import { nameOf } from '../documents/read-rollout.ts';

type Found = Pick<Issue, 'reason' | 'message' | 'hint'> & { readonly path: FieldPath };
type Rule = (value: JsonObject) => readonly Found[];

/** Each with its line and the way out, in the order of the API. */
export function fieldIssues(document: ManifestDocument): readonly Issue[] {
  const { file, value, lineOf } = document;
  const rules = [version, chart, chartRef, suspended, cluster, drift, upgrade, remediation, valuesFrom];
  return rules
    .flatMap((rule) => rule(value))
    .map(({ path, reason, message, hint }) => ({
      file,
      line: lineOf(path),
      path: pathText(path),
      reason,
      message: `${nameOf(document)}: ${message}`,
      hint,
    }));
}

const LAYOUT = 'UnsupportedLayout';
const CHART = ['spec', 'chart', 'spec'];
/** One version: of a part of one Flux takes the newest that fits. */
const ONE_VERSION = /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

const version: Rule = (value) => {
  const seen = value['apiVersion'];
  if (seen === CARRIER_API_VERSION) return [];
  const message = `apiVersion is ${shown(seen)}, wanted ${CARRIER_API_VERSION}`;
  return [{ path: ['apiVersion'], reason: LAYOUT, message, hint: `Write it in ${CARRIER_API_VERSION}.` }];
};

const noChart: Found = {
  path: ['spec', 'chart'],
  reason: LAYOUT,
  message: 'it names no chart',
  hint: 'Write spec.chart with a HelmRepository and one version.',
};

const chart: Rule = (value) => {
  if (at(value, ['spec', 'chart']) === undefined) return at(value, ['spec', 'chartRef']) === undefined ? [noChart] : [];
  const found: Found[] = [];
  const kind = at(value, [...CHART, 'sourceRef', 'kind']);
  const isRepository = kind === 'HelmRepository';
  if (!isRepository)
    found.push({
      path: [...CHART, 'sourceRef', 'kind'],
      reason: LAYOUT,
      message: `the chart comes from ${shown(kind)}, whose files change without a change here`,
      hint: 'Publish the chart, and name a HelmRepository with one version.',
    });
  const asked = at(value, [...CHART, 'version']);
  if (isRepository && !(typeof asked === 'string' && ONE_VERSION.test(asked)))
    found.push({
      path: [...CHART, 'version'],
      reason: LAYOUT,
      message: `version is ${shown(asked)}, which may become another chart without a commit`,
      hint: 'Write one whole version, as version: 1.2.3.',
    });
  const strategy = at(value, [...CHART, 'reconcileStrategy']);
  if (strategy !== undefined && strategy !== 'ChartVersion')
    found.push({
      path: [...CHART, 'reconcileStrategy'],
      reason: LAYOUT,
      message: `reconcileStrategy is ${shown(strategy)}: what changes at the source is rendered without a commit here`,
      hint: 'Remove it: ChartVersion is the default.',
    });
  return found;
};

const chartRef: Rule = (value) => {
  if (at(value, ['spec', 'chartRef']) === undefined) return [];
  const message =
    'chartRef names another object, which has the version: Flux applies that one apart from the values here';
  const hint = 'Write spec.chart with a HelmRepository (type: oci for a registry) and one version.';
  return [{ path: ['spec', 'chartRef'], reason: LAYOUT, message, hint }];
};

const suspended: Rule = (value) => {
  if (at(value, ['spec', 'suspend']) !== true) return [];
  const message = 'it is suspended: neither a step nor a rollback is applied';
  return [{ path: ['spec', 'suspend'], reason: 'NotAutomated', message, hint: 'Remove suspend.' }];
};

const cluster: Rule = (value) => {
  if (at(value, ['spec', 'kubeConfig']) === undefined) return [];
  const message = 'kubeConfig renders it into another cluster than the one that applies this file';
  const hint = 'Apply it by a Flux that runs in the cluster of the workload.';
  return [{ path: ['spec', 'kubeConfig'], reason: LAYOUT, message, hint }];
};

/** Fields that a step writes. */
const STEPPED = ['spec', 'metadata/annotations'];

const drift: Rule = (value) => {
  const rules = ['spec', 'driftDetection', 'ignore'];
  return list(at(value, rules)).flatMap((rule, place): readonly Found[] => {
    const kind = at(rule, ['target', 'kind']);
    if (typeof kind === 'string' && kind !== '' && /^\w+$/.test(kind) && kind !== LWS_KIND) return [];
    const paths = list(at(rule, ['paths'])).filter((path) => typeof path === 'string');
    const reached = paths.filter((path) => STEPPED.some((field) => isAtOrAbove(path, field)));
    if (reached.length === 0) return [];
    return [
      {
        path: [...rules, String(place)],
        reason: 'IgnoredDifference',
        message: `differences are ignored in ${reached.map((path) => (path === '' ? 'the whole object' : path)).join(', ')}: what a step writes there and somebody changes by hand stays changed`,
        hint: `Give the rule a target of another kind than ${LWS_KIND}, or remove it.`,
      },
    ];
  });
};

/** Whether a JSON pointer names the field, one below it, or one above it: the empty one is the whole object. */
function isAtOrAbove(pointer: string, field: string): boolean {
  const path = pointer.replace(/^\/+|\/+$/g, '');
  return path === '' || path === field || path.startsWith(`${field}/`) || field.startsWith(`${path}/`);
}

const upgrade: Rule = (value) => {
  const found: Found[] = [];
  if (at(value, ['spec', 'upgrade', 'force']) === true)
    found.push({
      path: ['spec', 'upgrade', 'force'],
      reason: 'ForcedApply',
      message: 'force deletes and creates again what refuses a change: all groups go down at once, past every policy',
      hint: 'Remove it.',
    });
  if (at(value, ['spec', 'upgrade', 'preserveValues']) === true)
    found.push({
      path: ['spec', 'upgrade', 'preserveValues'],
      reason: LAYOUT,
      message: 'preserveValues merges values of the last release, which are in no file',
      hint: 'Remove it, and write all values here.',
    });
  return found;
};

/** `retries` alone asks for it, also of the last failure. */
const remediation: Rule = (value) => {
  const place = ['spec', 'upgrade', 'remediation'];
  const wanted = at(value, place);
  if (!isJsonObject(wanted)) return [];
  const { retries, remediateLastFailure } = wanted;
  const asking = [
    ...(retries === undefined || retries === 0 ? [] : ['retries']),
    ...(remediateLastFailure === true ? ['remediateLastFailure'] : []),
  ];
  const does = wanted['strategy'] === 'uninstall' ? 'uninstalls the release, with every group of it' : 'rolls it back';
  return asking.map((key) => ({
    path: [...place, key],
    reason: 'HelmRemediates',
    message: `upgrade.remediation.${key} is ${shown(wanted[key])}: after an upgrade that fails Flux ${does}, whatever Git says`,
    hint: 'Remove upgrade.remediation: without it a failed upgrade stays as it is until the next commit.',
  }));
};

const valuesFrom: Rule = (value) =>
  list(at(value, ['spec', 'valuesFrom']))
    .slice(0, 1)
    .map((first) => ({
      path: ['spec', 'valuesFrom'],
      reason: LAYOUT,
      message: `valuesFrom takes values of ${shown(at(first, ['kind']))} ${shown(at(first, ['name']))}, which change without a commit here`,
      hint: 'Write the values below spec.values. A secret belongs into the pods (secretKeyRef), and not into values.',
    }));

const SHOWN_MOST = 60;

function shown(value: Json | undefined): string {
  if (value === undefined) return 'missing';
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
  return text.length > SHOWN_MOST ? `${text.slice(0, SHOWN_MOST)}…` : text;
}
