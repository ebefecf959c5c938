/** Metrics as the text that Prometheus scrapes: exposition format 0.0.4. */

import type { MetricFamily, Sample } from '../../ports/probes.ts';

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** https://prometheus.io/docs/instrumenting/exposition_formats/: HELP, TYPE, then the samples; a metric without any is left out. */
export function exposition(families: readonly MetricFamily[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, type, help, samples }) =>
      [
        `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
        `# TYPE ${name} ${type}`,
        ...samples.map((sample) => sampleLine(name, sample)),
        '',
      ].join('\n'),
    )
    .join('');
}

function sampleLine(name: string, { suffix = '', labels, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
