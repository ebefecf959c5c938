/** What the folders of a commit build, by the model of kustomize. Commits do not change, so each is built once. */

import type { JsonObject } from '../../src/api/json.ts';
import type { FakeRepository } from '../support/fake-git.ts';
import { type ModelBuild, modelBuild } from '../support/kustomize-model/build.ts';
import { printed } from '../support/kustomize-model/print.ts';
import { textAt } from '../support/kustomize-model/resource.ts';
import { applyFile, applyText, type BuiltWorkload, overlayFile, patchFile, withEntry } from './built-files.ts';
import { Remembered } from './remembered/remembered.ts';

type Files = Readonly<Record<string, string>>;

const builds = new Remembered<ModelBuild>(1500);
const outputs = new Remembered<string>(600);
const commits = new Remembered<ModelBuild>(4000);
const texts = new Remembered<{ readonly said: string | undefined }>(4000);

/** By what kustomize may read; the Rollouts are no part of it. */
export function buildOf(files: Files, root: string): ModelBuild {
  const read = Object.fromEntries(Object.entries(files).filter(([path]) => !path.startsWith('rollouts/')));
  return builds.of(keyOf(read, root), () => modelBuild(new Map(Object.entries(read)), root));
}

function keyOf(files: Files, root: string): string {
  return `${root}\0${Object.entries(files)
    .map(([path, text]) => `${path}\0${text}`)
    .join('\0')}`;
}

/** The same as kustomize prints it. */
export function outputOf(files: Files, root: string): { readonly build: ModelBuild; readonly text: string } {
  const key = keyOf(files, root);
  const build = builds.of(key, () => modelBuild(new Map(Object.entries(files)), root));
  return { build, text: build.kind === 'built' ? outputs.of(key, () => printed(build.objects)) : '' };
}

/** The workload in a build; undefined: it has none. */
function workloadIn(build: ModelBuild, name: string): string | undefined {
  const found = build.kind === 'built' ? build.objects.find((one) => isCalled(one, name)) : undefined;
  return found === undefined ? undefined : printed([found]);
}

function isCalled(object: JsonObject, name: string): boolean {
  return textAt(object, ['kind']) === 'LeaderWorkerSet' && textAt(object, ['metadata', 'name']) === name;
}

/** The workload as the agent gets it of this commit; undefined: the folder is not built, or has no such object. */
export function builtText(
  repository: FakeRepository,
  commit: string,
  { name, root }: BuiltWorkload,
): string | undefined {
  return workloadIn(buildAt(repository, repository.head(commit) ?? commit, root), name);
}

function buildAt(repository: FakeRepository, oid: string, root: string): ModelBuild {
  return commits.of(`${oid} ${root}`, () => buildOf(repository.files(oid), root));
}

/** How far back a build is looked for. */
const LOOKS_MOST = 60;

/** All objects of the folder; where it is not built, those that main's own line built last: nothing else is applied. */
export function builtObjects(
  repository: FakeRepository,
  commit: string,
  { root }: Pick<BuiltWorkload, 'root'>,
): readonly JsonObject[] {
  const newest = buildAt(repository, repository.head(commit) ?? commit, root);
  if (newest.kind === 'built') return newest.objects;
  for (const { oid } of repository.log(commit).slice(0, LOOKS_MOST)) {
    const build = buildAt(repository, oid, root);
    if (build.kind === 'built') return build.objects;
  }
  return [];
}

/**
 * What main says of the workload, with our patch as it is: whether something applies it or not, and where the folder is not built,
 * over what was built last. A patch that is gone or cannot be read says what it said last.
 */
export function saidText(repository: FakeRepository, commit: string, workload: BuiltWorkload): string | undefined {
  const oid = repository.head(commit) ?? commit;
  return texts.of(`${oid} ${workload.name}`, () => ({ said: said(repository, oid, workload) })).said;
}

function said(repository: FakeRepository, oid: string, workload: BuiltWorkload): string | undefined {
  const files = repository.files(oid);
  const patch = files[patchFile(workload)];
  const line = repository.log(oid).slice(0, LOOKS_MOST);
  if (patch === undefined) {
    const plain = builtText(repository, oid, workload);
    if (plain !== undefined) return plain;
  } else
    for (const one of line) {
      const text = workloadIn(
        buildOf(entered(repository.files(one.oid), workload, patch), workload.root),
        workload.name,
      );
      if (text !== undefined) return text;
    }
  const [, parent] = line;
  return parent === undefined ? undefined : saidText(repository, parent.oid, workload);
}

/** The files with this patch as the last that is applied. */
function entered(files: Files, workload: BuiltWorkload, patch: string): Files {
  const overlay = files[overlayFile(workload)];
  if (overlay === undefined) return files;
  return {
    ...files,
    [overlayFile(workload)]: withEntry(overlay),
    [applyFile(workload)]: applyText(workload),
    [patchFile(workload)]: patch,
  };
}

/** What people's own files say of the workload, without our patch; undefined: nothing is built of them. */
export function peoplesText(repository: FakeRepository, commit: string, workload: BuiltWorkload): string | undefined {
  const files = repository.files(commit);
  const empty = `apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: ${workload.name}, namespace: llm}\n`;
  return workloadIn(buildOf(entered(files, workload, empty), workload.root), workload.name);
}
