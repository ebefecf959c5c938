/** `tranche.yaml` as JSON Schema, for editors: with the defaults, limits and patterns of its parser. */

import { DEFAULT_CONFIG, PERIOD_MOST_SECONDS } from './config.ts';
import { ADDRESS, ADDRESS_MOST, LABEL, LINKS_LIMIT } from './config-fields.ts';
import type { JsonObject } from './json.ts';
import { FOLDERS_MOST, PATTERN, PATTERNS_MOST } from './owners.ts';
import {
  APP,
  AUTOSCALED_LIMIT,
  BRANCH,
  DNS_LABEL,
  PATHS_LIMIT,
  PROPOSALS_LIMIT,
  REFERENCE,
  REFERENCES_LIMIT,
  REQUIRED_LIMIT,
  WORKLOAD,
} from './parse-config.ts';
import { PROMOTIONS } from './promotion.ts';
import { about, DIALECT, fields, integer, list, TEXT, textLike } from './schema-parts.ts';
import { KEYS_LIMIT, PUBLIC_HALF } from './status-keys.ts';

/** From the root of the repository. */
const PATH: JsonObject = { type: 'string', not: { pattern: '(^|/)\\.\\.(/|$)|[\\u0000-\\u001f\\\\]' } };

/** Draft 2020-12. What it takes the parser may still refuse: whether a path leads somewhere, and a branch is another one. */
export function configSchema(): JsonObject {
  const { cluster, branch, statusBranch, auditSeconds, intervalSeconds, author } = DEFAULT_CONFIG;
  return {
    $schema: DIALECT,
    title: 'tranche.yaml',
    ...fields({
      cluster: about('the name of the cluster in records and trailers', { ...textLike(DNS_LABEL), default: cluster }),
      branches: fields({
        desired: about('what the agent applies', { ...textLike(BRANCH), default: branch }),
        status: about('where the status is kept', { ...textLike(BRANCH), default: statusBranch }),
      }),
      paths: about('files and folders to read; nothing: everything', list(PATH, PATHS_LIMIT)),
      namespaces: about('path → namespace, for manifests that name none; the longest path wins', {
        type: 'object',
        additionalProperties: textLike(DNS_LABEL),
      }),
      owners: about('namespace, or a pattern of some with *, → folders that speak for it', {
        type: 'object',
        maxProperties: PATTERNS_MOST,
        propertyNames: { pattern: PATTERN.source },
        additionalProperties: { ...list(PATH, FOLDERS_MOST), minItems: 1 },
      }),
      autoscaled: about(
        'namespace/name of workloads whose replicas something else than Git writes',
        list(textLike(WORKLOAD), AUTOSCALED_LIMIT),
      ),
      fixedReferences: about(
        'namespace/kind/name of ConfigMaps and Secrets that may keep their name, as llm/Secret/hf-token',
        list(textLike(REFERENCE), REFERENCES_LIMIT),
      ),
      lwsVersion: about('version of the LeaderWorkerSet controller, in quotes', TEXT),
      auditSeconds: about('how often a settled workload is compared with the cluster', {
        ...integer(60, PERIOD_MOST_SECONDS),
        default: auditSeconds,
      }),
      intervalSeconds: about('how often --watch looks where nothing asks for sooner', {
        ...integer(1, PERIOD_MOST_SECONDS),
        default: intervalSeconds,
      }),
      ...ofSteps(),
      author: fields({
        name: about('who its commits are by', { ...TEXT, default: author.name }),
        email: { ...TEXT, default: author.email },
      }),
    }),
  };
}

/** What steps, their pull requests and their records go by. */
function ofSteps(): JsonObject {
  const { stopFile, promotion, maxProposals } = DEFAULT_CONFIG;
  return {
    requiredPolicies: about(
      'policies that must govern every Rollout: without one no step goes forward',
      list({ type: 'string' }, REQUIRED_LIMIT),
    ),
    policyPaths: about('from where alone grants and exceptions of policies count', list(PATH, PATHS_LIMIT)),
    stopFile: about('where tranche stop writes its policy', { ...PATH, pattern: '[^/]\\.ya?ml$', default: stopFile }),
    promotion: about('pullRequest: each step is a pull request', { enum: [...PROMOTIONS], default: promotion }),
    maxProposals: about('pull requests of tranche that may be open at a time', {
      ...integer(1, PROPOSALS_LIMIT),
      default: maxProposals,
    }),
    links: about('label → address of a page for people, in the body of each pull request', {
      type: 'object',
      maxProperties: LINKS_LIMIT,
      propertyNames: { pattern: LABEL.source },
      additionalProperties: { ...textLike(ADDRESS), maxLength: ADDRESS_MOST },
    }),
    statusKeys: about('public halves of the keys that sign the status branch', {
      ...list(
        fields({ cluster: TEXT, key: { type: 'string', pattern: `^${PUBLIC_HALF}[A-Za-z0-9_-]{43}$` }, until: TEXT }, [
          'key',
        ]),
        KEYS_LIMIT,
      ),
      minItems: 1,
    }),
    app: about('the GitHub App that proposes for tranche, as in its address', textLike(APP)),
  };
}
