/** Opens GitHub, or a GitHub Enterprise, as the forge of a repository: the port, put together from reading and writing. */

import type { Forge } from '../../../ports/forge.ts';
import { attach } from './attach.ts';
import { ForgeCaller, type ForgeOptions } from './call.ts';
import { writeCheck } from './check-runs.ts';
import { createPull } from './create-pull.ts';
import { readMakers } from './makers.ts';
import { readSelf } from './own.ts';
import { readPulls, readReviews } from './pulls.ts';
import { readRules } from './rules.ts';
import { readMembers } from './teams.ts';
import { readWaiting } from './waiting.ts';
import { closePull, updatePull, writeComment, writeStatus } from './writes.ts';

/** Opens no connection yet. */
export function openGithub(options: ForgeOptions): Forge {
  return githubOf(new ForgeCaller(options));
}

/** The same, with the token that Git sends: of an App both have one installation, and one token. */
export function openGithubFor(options: ForgeOptions): {
  readonly forge: Forge;
  readonly gitToken: () => Promise<string>;
} {
  const caller = new ForgeCaller(options);
  return { forge: githubOf(caller), gitToken: () => caller.gitToken() };
}

function githubOf(caller: ForgeCaller): Forge {
  return {
    begin: () => caller.pace.begin(),
    share: (parts) => caller.pace.share(parts),
    pulls: (query) => readPulls(caller, query),
    waiting: (numbers) => readWaiting(caller, numbers),
    reviews: (number) => readReviews(caller, number),
    members: (team, logins) => readMembers(caller, { team, logins }),
    makers: (commits) => readMakers(caller, commits),
    self: () => readSelf(caller),
    rules: (branch) => readRules(caller, branch),
    create: (pull) => createPull(caller, pull),
    attach: (attachments) => attach(caller, attachments),
    update: (number, text) => updatePull(caller, number, text),
    close: (number, why) => closePull(caller, number, why),
    showCheck: (check) => writeCheck(caller, check),
    setStatus: (status) => writeStatus(caller, status),
    comment: (comment) => writeComment(caller, comment),
  };
}
