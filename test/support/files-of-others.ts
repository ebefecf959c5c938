/** What one file of another folder may be: forms that cost a reader much, or that cannot be read at all. */

/** A path that leads to another, as Git keeps it, or the content of a file. */
export type FileContent = string | Buffer | { readonly link: string };

const ALIAS_LEVELS = 40;

/** `own`: the text of a document that the file would like to be taken for. */
export function unreadableForms(own: string): Readonly<Record<string, FileContent>> {
  const levels = Array.from({ length: ALIAS_LEVELS }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}, *a${at}]`);
  return {
    'a file that is no YAML': `kind: LeaderWorkerSet\n  name: [vllm\n${own}`,
    'a file over the limit': `${own}\n${'# much\n'.repeat(400_000)}`,
    'bytes that are no text': Buffer.concat([Buffer.from(own), Buffer.from([0, 255, 254, 0xc3, 0x28])]),
    'a link to a file of its owners': { link: '../../tranche.yaml' },
    'a link that leads nowhere': { link: '../../../etc/passwd' },
    'thousands of documents': `${own}---\n${'kind: LeaderWorkerSet\n---\n'.repeat(5000)}`,
    'aliases of aliases': `kind: LeaderWorkerSet\na0: &a0 [x, x, x]\n${levels.join('\n')}\n---\n${own}`,
    'an alias of itself': `kind: LeaderWorkerSet\nspec: &a {b: *a}\n---\n${own}`,
    'folders in folders': `kind: LeaderWorkerSet\nspec: ${'['.repeat(3000)}${']'.repeat(3000)}\n`,
    'an expression that grows': [
      'apiVersion: tranche.dev/v1alpha1',
      'kind: RouteProvider',
      'metadata: {name: evil}',
      'spec:',
      '  resource: {group: gateway.networking.k8s.io, kind: HTTPRoute}',
      '  weights: [{canary: "/spec/rules/*/backendRefs/[name=$canary]/weight"}]',
      `  patch: [{op: add, path: "/spec/rules/-", cel: '${'"a".split("").join("a").split("")'.repeat(9)}'}]`,
      '',
    ].join('\n'),
  };
}
