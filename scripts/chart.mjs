// Writes the templates of the Helm chart from what kustomize installs: policies/install is written once.
// Usage: node scripts/chart.mjs [FOLDER], by default that of the chart

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = 'policies/install';
const folder = process.argv[2] ?? join(SOURCE, 'chart');

/** Examples of the base, and the values in their places; each stands there as often as its file says below. */
const REPO = ['"https://github.com/example/models"', '{{ .Values.repo | quote }}'];
const IMAGE = [
  'registry.example.com/tranche:0.1.0 # by digest, once you have pushed it',
  '{{ .Values.image | quote }}',
];
const SECRET = ['secretName: tranche-git', 'secretName: {{ .Values.secret | quote }}'];
const OWN = ['namespace: tranche', 'namespace: {{ .Release.Namespace | quote }}'];
const POD = [REPO, IMAGE, SECRET, OWN];

/** A Namespace is none of them: Helm makes that of a release, and the Secret is in it before. */
const TEMPLATES = [
  { from: 'base/service-account.yaml', values: [OWN] },
  { from: 'base/role.yaml', values: [] },
  { from: 'base/network-policy.yaml', values: [OWN] },
  { from: 'base/deployment.yaml', values: POD, only: 'le (int .Values.shards) 1' },
  {
    from: 'shards/stateful-set.yaml',
    values: [
      ...POD,
      ['replicas: 3', 'replicas: {{ int .Values.shards }}'],
      ['$(POD_INDEX)/3', '$(POD_INDEX)/{{ int .Values.shards }}'],
    ],
    only: 'gt (int .Values.shards) 1',
  },
  { from: 'traffic/role.yaml', values: [], only: '.Values.traffic' },
];

/** Every example once: one that is gone, or there twice, would be a value that does nothing. */
function withValues(text, values, from) {
  return values.reduce((before, [example, value]) => {
    if (before.split(example).length !== 2) throw new Error(`${from} has not once: ${example}`);
    return before.replace(example, () => value);
  }, text);
}

function templateOf({ from, values, only }) {
  const text = withValues(readFileSync(join(SOURCE, from), 'utf8'), values, from);
  const body = only === undefined ? text : `{{- if ${only} }}\n${text}{{- end }}\n`;
  return `# Made of ${from} by scripts/chart.mjs\n${body}`;
}

/** The bindings of the overlay, in each namespace that is named. */
function bindings() {
  const from = 'overlay/bindings.yaml';
  const [plain, traffic] = readFileSync(join(SOURCE, from), 'utf8')
    .split('---\n')
    .map((text) =>
      withValues(
        text,
        [
          ['namespace: llm', 'namespace: {{ . | quote }}'],
          ['namespace: tranche}', 'namespace: {{ $.Release.Namespace | quote }}}'],
        ],
        from,
      ),
    );
  return `# Made of ${from} by scripts/chart.mjs\n{{- range .Values.namespaces }}\n---\n${plain}{{- if $.Values.traffic }}\n---\n${traffic}{{- end }}\n{{- end }}\n`;
}

const templates = join(folder, 'templates');
rmSync(templates, { recursive: true, force: true });
mkdirSync(templates, { recursive: true });
for (const template of TEMPLATES) {
  const [place, file] = template.from.split('/');
  writeFileSync(join(templates, place === 'traffic' ? `traffic-${file}` : file), templateOf(template));
}
writeFileSync(join(templates, 'bindings.yaml'), bindings());
