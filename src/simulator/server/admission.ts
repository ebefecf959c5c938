/** What the API server and the webhooks of LWS make of a write before it is stored: defaults, or a refusal. */

import type { JsonObject } from '../../api/json.ts';
import { lwsDefaults } from '../lws/lws-defaults.ts';
import { withoutUnknownFields } from '../lws/lws-schema.ts';
import { lwsFaults } from '../lws/lws-validation.ts';
import type { Modes } from '../modes.ts';
import type { KubeObject } from '../objects/objects.ts';
import { LWS } from '../objects/resource-table.ts';
import { type StatusBody, webhookDown } from '../objects/status-body.ts';

/** Read at each write: a controller upgrade changes the modes, and an outage takes the webhooks away. */
export type Admission = { readonly modes: () => Modes; readonly webhooksUp: () => boolean };

type Admitted =
  | { readonly ok: true; readonly content: JsonObject }
  | { readonly ok: false; readonly status: StatusBody };

type Write = {
  readonly resource: string;
  /** Undefined where the object is created. */
  readonly before: KubeObject | undefined;
  readonly after: JsonObject;
};

/** Only LeaderWorkerSets are defaulted and judged; what else agents write here has no rules that rollouts meet. */
export function admit(admission: Admission, write: Write): Admitted {
  if (write.resource !== LWS) return { ok: true, content: write.after };
  if (!admission.webhooksUp()) return { ok: false, status: webhookDown() };
  const { lws } = admission.modes();
  const content = lwsDefaults(withoutUnknownFields(write.after), lws);
  const status = lwsFaults({ before: write.before, after: content, lws });
  return status === undefined ? { ok: true, content } : { ok: false, status };
}
