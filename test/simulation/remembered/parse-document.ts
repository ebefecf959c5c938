/** Stands in for `src/manifests/parse-document.ts` in bundles of the simulation: parses each text once for all schedules. */

import {
  type DocumentText,
  type ParsedDocument,
  parseDocumentText as parseAfresh,
} from '../../../src/manifests/parse-document.ts';
import { Remembered } from './remembered.ts';

export type { Ambiguous, DocumentText, ParsedDocument } from '../../../src/manifests/parse-document.ts';

const known = new Remembered<ParsedDocument>(3000);

/** As the real one, which is pure: what it answers depends on what it is asked and on nothing else. */
export function parseDocumentText(asked: DocumentText): ParsedDocument {
  const { file, text, firstLine, doubt } = asked;
  return known.of(`${file}\n${firstLine}\n${doubt?.line} ${doubt?.reason}\n${text}`, () => parseAfresh(asked));
}
