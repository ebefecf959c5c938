/** Check runs of the simulated forge: only Apps write them, and each only its own. */

import { at } from '../../../src/api/json.ts';
import type { ForgeRepository } from './repository.ts';
import { type Answered, problem, type Route, type RouteContext } from './route.ts';

type Written = NonNullable<ReturnType<ForgeRepository['checks']['get']>>[number];

export function checkRoutes(repo: string): Readonly<Record<string, Route>> {
  return {
    [`get ${repo}/commits/{ref}/check-runs`]: { needs: ['checks', 'read'], run: list },
    [`post ${repo}/check-runs`]: { needs: ['checks', 'write'], run: post },
    [`patch ${repo}/check-runs/{check_run_id}`]: { needs: ['checks', 'write'], run: patch },
  };
}

function list(context: RouteContext): Answered {
  const sha = context.parameters['ref'] ?? '';
  const name = context.query.get('check_name');
  const runs = (context.repository.checks.get(sha) ?? [])
    .filter((run) => run.written !== undefined && (name === null || run.name === name))
    .map((run) => shown(context, sha, run));
  return { status: 200, body: { total_count: runs.length, check_runs: runs } };
}

function shown({ openapi }: RouteContext, sha: string, { name, conclusion, written }: Written): unknown {
  const slug = written?.by.login.replace('[bot]', '') ?? '';
  return openapi.sample('check-run', {
    id: written?.id,
    name,
    head_sha: sha,
    status: 'completed',
    conclusion: conclusion?.toLowerCase(),
    output: { title: written?.title, summary: written?.summary, text: null, annotations_count: 0, annotations_url: '' },
    app: openapi.sample('nullable-integration', { id: written?.by.id, slug, name: slug }),
  });
}

function outputOf({ body }: RouteContext): { readonly title: string; readonly summary: string } {
  return { title: String(at(body, ['output', 'title'])), summary: String(at(body, ['output', 'summary'])) };
}

function post(context: RouteContext): Answered {
  const { repository, body, by } = context;
  if (by.type !== 'Bot') return problem(403, 'Resource not accessible by personal access token');
  const sha = String(body['head_sha']);
  const run: Written = {
    name: String(body['name']),
    status: 'COMPLETED',
    conclusion: body['conclusion'] === 'neutral' ? 'NEUTRAL' : 'FAILURE',
    written: { id: repository.nextId(), by, ...outputOf(context) },
  };
  repository.checks.set(sha, [...(repository.checks.get(sha) ?? []), run]);
  return { status: 201, body: shown(context, sha, run) };
}

function patch(context: RouteContext): Answered {
  const { repository, parameters, by } = context;
  for (const [sha, runs] of repository.checks)
    for (const run of runs) {
      if (run.written?.id !== Number(parameters['check_run_id'])) continue;
      if (run.written.by.id !== by.id)
        return problem(
          403,
          `Invalid app_id \`${by.id}\` - check run can only be modified by the GitHub App that created it.`,
        );
      Object.assign(run.written, outputOf(context));
      return { status: 200, body: shown(context, sha, run) };
    }
  return problem(404, 'Not Found');
}
