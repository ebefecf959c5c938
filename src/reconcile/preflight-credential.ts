/** Who the credential acts as, and whether main knows it. */

import { CONFIG_FILE } from '../api/config.ts';
import type { Finding, PreflightRules } from './preflight-findings.ts';
import { TOKEN_OF_RUN } from './preflight-status.ts';

const BOT = '[bot]';

/** What the account of the credential means for pull requests and for `verify`. */
export function credential({ self, app }: PreflightRules): readonly Finding[] {
  if (self.login !== TOKEN_OF_RUN) return appNotNamed(self.login, app);
  return [
    {
      name: 'TokenOfRun',
      seen: `the credential is that of ${self.login}: checks of its pull requests start when someone approves them, its pushes and what is merged by them start no workflow, and no bypass list takes it`,
      action: 'Use a GitHub App: policies/github/reconcile-app.yaml',
    },
  ];
}

/** What `verify` lets bring annotations of tranche: without the name it refuses the pull requests of the App itself. */
function appNotNamed(login: string, app: string | undefined): readonly Finding[] {
  if (!login.endsWith(BOT) || login === `${app}${BOT}`) return [];
  const slug = login.slice(0, -BOT.length);
  return [
    {
      name: 'AppNotNamed',
      seen: `pull requests are opened by ${login}, and ${CONFIG_FILE} names ${app === undefined ? 'no App' : `the App ${app}`}: verify takes the annotations that they bring for forged`,
      action: `Write app: ${slug} into ${CONFIG_FILE}`,
    },
  ];
}
