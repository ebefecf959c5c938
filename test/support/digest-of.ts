/** The digest of the template that the text of a LeaderWorkerSet has. */

import { parseManifestFile } from '../../src/manifests/parse-file.ts';
import { readWorkload } from '../../src/reconcile/documents/read-workload.ts';
import { LWS_FILE } from './vllm.ts';

/** Empty where it cannot be read. */
export function digestOf(text: string): string {
  const [document] = parseManifestFile(LWS_FILE, text, ['LeaderWorkerSet']).documents;
  return document === undefined ? '' : (readWorkload(document).workload?.digest ?? '');
}
