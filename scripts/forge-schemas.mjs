/**
 * Cuts from GitHub's published descriptions what the simulated forge checks its requests and answers with.
 * The whole REST description is 385 MB to install, so nothing depends on it: give the files of the packages by hand,
 * `node scripts/forge-schemas.mjs OPENAPI GRAPHQL`, as api.github.com.json of @octokit/openapi 23.0.2 and schema.json of
 * @octokit/graphql-schema 15.26.1. A dash in the place of one leaves its fixture as it is.
 */

import { readFileSync, writeFileSync } from 'node:fs';

const repository = '/repos/{owner}/{repo}';

/** What the adapter asks, and nothing else. */
const operations = [
  ['get', `${repository}/pulls`],
  ['post', `${repository}/pulls`],
  ['get', `${repository}/pulls/{pull_number}`],
  ['patch', `${repository}/pulls/{pull_number}`],
  ['get', `${repository}/pulls/{pull_number}/reviews`],
  ['get', `${repository}/collaborators/{username}/permission`],
  ['get', `${repository}/commits/{ref}/status`],
  ['post', `${repository}/statuses/{sha}`],
  ['get', `${repository}/commits/{ref}/check-runs`],
  ['post', `${repository}/check-runs`],
  ['patch', `${repository}/check-runs/{check_run_id}`],
  ['get', `${repository}/issues/{issue_number}`],
  ['get', `${repository}/issues/{issue_number}/events`],
  ['get', `${repository}/issues/{issue_number}/comments`],
  ['post', `${repository}/issues/{issue_number}/comments`],
  ['patch', `${repository}/issues/comments/{comment_id}`],
  ['post', `${repository}/issues/{issue_number}/labels`],
  ['post', `${repository}/pulls/{pull_number}/requested_reviewers`],
  ['get', repository],
  ['get', `${repository}/branches/{branch}`],
  ['get', `${repository}/rules/branches/{branch}`],
  ['get', `${repository}/rulesets/{ruleset_id}`],
  // Nobody asks this one: the files of policies/github are its body.
  ['post', `${repository}/rulesets`],
  ['get', '/orgs/{org}/teams/{team_slug}'],
  ['get', '/orgs/{org}/teams/{team_slug}/memberships/{username}'],
  ['get', '/apps/{app_slug}'],
  ['get', `${repository}/installation`],
  ['post', '/app/installations/{installation_id}/access_tokens'],
];

const graphqlTypes = [
  'Query',
  'User',
  'Repository',
  'PullRequest',
  'PullRequestCommitConnection',
  'PullRequestCommit',
  'Commit',
  'GitObject',
  'Ref',
  'RefConnection',
  'PageInfo',
  'GitActor',
  'GitActorConnection',
  'GitSignature',
  'PullRequestConnection',
  'PullRequestState',
  'Actor',
  'StatusCheckRollup',
  'StatusCheckRollupContextConnection',
  'StatusCheckRollupContext',
  'CheckRun',
  'StatusContext',
  'MergeStateStatus',
  'MergeableState',
  'PullRequestReviewDecision',
  'CheckConclusionState',
  'CheckStatusState',
  'StatusState',
];

const prose = new Set(['example', 'examples', 'summary', 'externalDocs', 'x-github', 'tags', 'deprecated']);

/** Without examples and sentences; `description` may also be the name of a property, then it is an object. */
function withoutProse(value) {
  if (Array.isArray(value)) return value.map(withoutProse);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, part]) =>
      !(prose.has(key) && !('type' in Object(part))) && !(key === 'description' && typeof part === 'string'),
  );
  return Object.fromEntries(kept.map(([key, part]) => [key, withoutProse(part)]));
}

/** What a `#/…` pointer names. */
function pointed(document, pointer) {
  return pointer
    .slice(2)
    .split('/')
    .reduce((at, key) => at[key.replaceAll('~1', '/')], document);
}

function referencesOf(value, found) {
  if (Array.isArray(value)) for (const part of value) referencesOf(part, found);
  else if (typeof value === 'object' && value !== null)
    for (const [key, part] of Object.entries(value))
      if (key === '$ref' && typeof part === 'string') found.add(part);
      else referencesOf(part, found);
}

function cutOpenapi(document) {
  const taken = operations.map(([method, path]) => {
    const { operationId, parameters = [], requestBody, responses } = document.paths[path][method];
    return { method, path, operationId, ...withoutProse({ parameters, requestBody, responses }) };
  });
  const references = new Set();
  referencesOf(taken, references);
  const definitions = new Map();
  // A set that grows while it is walked is walked to its end.
  for (const reference of references) {
    const definition = withoutProse(pointed(document, reference));
    definitions.set(reference, definition);
    referencesOf(definition, references);
  }
  return { version: document.info.version, operations: taken, definitions: Object.fromEntries(definitions) };
}

function spelled(type) {
  if (type.kind === 'NON_NULL') return `${spelled(type.ofType)}!`;
  return type.kind === 'LIST' ? `[${spelled(type.ofType)}]` : type.name;
}

function cutGraphql({ __schema: schema }) {
  const types = graphqlTypes.map((name) => schema.types.find((type) => type.name === name));
  return Object.fromEntries(
    types.map(({ name, fields, enumValues, possibleTypes }) => [
      name,
      {
        fields: (fields ?? []).map((field) => [field.name, spelled(field.type), field.args.map((arg) => arg.name)]),
        values: (enumValues ?? []).map((value) => value.name),
        possible: (possibleTypes ?? []).map((type) => type.name),
      },
    ]),
  );
}

/** One part a line, so that a change of GitHub's shows as lines. */
function lines(parts) {
  return `{\n${Object.entries(parts)
    .map(([key, part]) => `${JSON.stringify(key)}: ${JSON.stringify(part)}`)
    .join(',\n')}\n}`;
}

const [openapiPath, graphqlPath] = process.argv.slice(2);
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
if (openapiPath !== '-') {
  const rest = cutOpenapi(read(openapiPath));
  writeFileSync(
    'fixtures/github/openapi.json',
    `{\n"version": ${JSON.stringify(rest.version)},\n"operations": [\n${rest.operations.map((one) => JSON.stringify(one)).join(',\n')}\n],\n"definitions": ${lines(rest.definitions)}\n}\n`,
  );
}
if (graphqlPath !== '-') writeFileSync('fixtures/github/graphql.json', `${lines(cutGraphql(read(graphqlPath)))}\n`);
