/** What tranche may write of a kustomization and next to it: its own entry and its own two files, and nothing that looks like them. */

import { expect, test } from 'vitest';
import { applyText, emptyPatch } from '../../src/manifests/patch-place.ts';
import { notAllowed } from '../../src/reconcile/write/allowed.ts';

const WORKLOAD = { namespace: 'llm', name: 'vllm' };
const KUSTOMIZATION = 'apps/prod/kustomization.yaml';
const APPLY = 'apps/prod/tranche/apply.yaml';
const PATCH = 'apps/prod/tranche/llm-vllm.yaml';
const OWN = applyText(WORKLOAD);
const FLOW = 'resources: [../base]\ntransformers: [labels.yaml]\n';
const ADOPTED = 'resources: [../base]\ntransformers: [labels.yaml, tranche/apply.yaml]\n';
const ONLY = 'resources: [../base]\n';
const FIRST = 'resources: [../base]\ntransformers:\n  - tranche/apply.yaml\n';
const LWS = emptyPatch(WORKLOAD);

const why = (file: string, before: string, after: string | undefined): string | undefined =>
  notAllowed([{ path: file, text: after }], { before: new Map([[file, before]]) })?.message;

test.each<readonly [what: string, file: string, before: string, after: string | undefined]>([
  ['the entry', KUSTOMIZATION, FLOW, ADOPTED],
  ['the entry, with its list', KUSTOMIZATION, ONLY, FIRST],
  ['the entry that goes', KUSTOMIZATION, ADOPTED, FLOW],
  ['the entry that goes with its list', KUSTOMIZATION, FIRST, ONLY],
  ['the entry that becomes the last', KUSTOMIZATION, FLOW.replace('labels', 'tranche/apply.yaml, labels'), ADOPTED],
  ['what applies a patch', APPLY, '', OWN],
  ['what applies another', APPLY, OWN, `${OWN}---\n${applyText({ namespace: 'llm', name: 'chat' })}`],
  ['what applies a patch, gone', APPLY, OWN, undefined],
  ['a patch', PATCH, '', LWS],
  ['a patch that goes', PATCH, LWS, undefined],
  ['what somebody has put into a patch', PATCH, `${LWS}spec: {startupPolicy: LeaderReady}\n`, LWS],
])('%s is written', (_, file, before, after) => expect(why(file, before, after)).toBeUndefined());

test.each<readonly [what: string, file: string, before: string, after: string | undefined]>([
  [
    'an entry of somebody else',
    KUSTOMIZATION,
    FLOW,
    FLOW.replace(']\n', '], ../x]\n').replace('labels.yaml]', 'labels.yaml'),
  ],
  ['an entry that is not the last', KUSTOMIZATION, FLOW, FLOW.replace('labels', 'tranche/apply.yaml, labels')],
  ['an entry of people that goes', KUSTOMIZATION, ADOPTED, FIRST],
  ['an entry in the place of one', KUSTOMIZATION, FLOW, FLOW.replace('labels.yaml', 'tranche/apply.yaml')],
  ['another field with it', KUSTOMIZATION, ONLY, `${FIRST}namePrefix: x-\n`],
  ['our entry in another list', KUSTOMIZATION, ONLY, `${ONLY}patches: [{path: tranche/apply.yaml}]\n`],
  ['a kustomization as a whole', KUSTOMIZATION, ONLY, undefined],
  ['our entry in what is no kustomization', 'apps/prod/other.yaml', ONLY, FIRST],
  ['a transformer at another place', 'apps/prod/apply.yaml', '', OWN],
  ['a transformer of another path', APPLY, '', OWN.replace('path: tranche/', 'path: ../base/')],
  ['a transformer with a target', APPLY, '', `${OWN}target: {kind: Deployment}\n`],
  ['a transformer with a patch inside', APPLY, '', OWN.replace(/path: .*/, 'patch: "{}"')],
  ['a transformer that runs a program', APPLY, '', OWN.replace('builtin', 'example.com/v1')],
  ['a transformer of another name', APPLY, '', OWN.replace('name: tranche-llm', 'name: labels-llm')],
  ['a transformer of people that goes', APPLY, OWN.replace('name: tranche-llm', 'name: labels-llm'), undefined],
  ['a field of a workload that goes', 'apps/prod/lws.yaml', `${LWS}spec: {startupPolicy: LeaderReady}\n`, LWS],
  ['a field that comes into a patch', PATCH, LWS, `${LWS}spec: {startupPolicy: LeaderReady}\n`],
  ['a workload that goes', 'apps/prod/lws.yaml', LWS, undefined],
  ['a workload that goes at a place of patches', 'apps/prod/tranche/lws.yaml', LWS, undefined],
])('%s is not', (_, file, before, after) => expect(why(file, before, after)).toContain('tranche never writes'));
