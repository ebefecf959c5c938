/** Plays a story: sentences in, a transcript out. What a sentence does stands in the table of `sentences.ts`. */

import { createHash } from 'node:crypto';
import { LWS_KIND } from '../../../src/api/kinds.ts';
import { parseManifestFile } from '../../../src/manifests/parse-file.ts';
import { readWorkload } from '../../../src/reconcile/documents/read-workload.ts';
import { type Look, look, pass, type Rehearsed, STATUS } from './rehearse.ts';
import { sentences } from './sentences.ts';
import { type Beginning, Stage } from './stage.ts';
import { CommitNames, tellLook } from './tell.ts';

/** More passes than any story needs to get anywhere. */
const LOOKS_MAX = 80;

/** The files of what stories share, by the name of its folder. */
type Shared = (part: string) => Readonly<Record<string, string>>;

export type Until = (seen: Look, before: Look | undefined) => boolean;

/** What is done at each pass of a story. */
export type Way = {
  /** One pass, with its rehearsals or without. `past`: all that was played before it. */
  readonly look: (stage: Stage, past: string) => Promise<Look>;
  /** What is done after it, on copies of the stage. */
  readonly after: (player: Player) => Promise<void>;
};

/** As the stories are checked: with every rehearsal that no other story had before. */
export function checkedWay(rehearsed: Rehearsed): Way {
  return { look: (stage, past) => look(stage, past, rehearsed), after: async () => undefined };
}

/** How a story is played; `start`: what it starts with, as a text. */
type Played = { readonly way?: Way; readonly start?: string };

/** What a sentence may do in addition to changing the stage. */
export class Player {
  readonly stage: Stage;
  private readonly lines: string[] = [];
  private readonly names: CommitNames;
  private readonly began: number;
  private last = '';
  private repeated = 0;
  private isLearning = true;
  /** All that was played: what the story starts with, its sentences, and a letter for each pass. */
  private past: string;
  /** The last pass; undefined: there was none. */
  seen: Look | undefined;
  /** Main when it ended. */
  mainAtLook: string | undefined;

  /** The files of a folder of `common`. */
  readonly shared: Shared;

  private readonly way: Way;

  constructor(stage: Stage, shared: Shared, { way = checkedWay(new Map()), start = '' }: Played = {}) {
    this.stage = stage;
    this.shared = shared;
    this.way = way;
    this.past = start;
    this.names = new CommitNames((commit, digest) => templatesIn(stage, commit).includes(digest));
    this.began = stage.world.now;
    this.mainAtLook = stage.repository.head('main');
    this.learn();
  }

  /** What has been told so far. */
  transcript(): string {
    return `${this.lines.join('\n')}\n`;
  }

  comment(line: string): void {
    this.flush();
    this.last = '';
    this.lines.push(line);
  }

  async play(sentence: string): Promise<void> {
    this.comment(`» ${sentence}`);
    this.past += `\n${sentence}`;
    const said = await this.act(sentence);
    this.learn();
    if (said !== undefined && said !== '') this.say([said]);
  }

  /** Does what a sentence says; answers with what is told below it. */
  async act(sentence: string): Promise<string | undefined> {
    for (const { pattern, act } of sentences) {
      const match = pattern.exec(sentence);
      if (match !== null) return (await act(this, match.slice(1))) ?? undefined;
    }
    throw new Error(`no such sentence: ${sentence}`);
  }

  /** Commits of this time get no names: they become one, or are gone. */
  async unnamed(acts: () => Promise<void>): Promise<void> {
    this.isLearning = false;
    await acts();
    this.isLearning = true;
  }

  /** Indented lines of what came of the sentence. */
  say(lines: readonly string[]): void {
    for (const line of lines) this.lines.push(`    ${this.names.in(line)}`);
  }

  name(oid: string): string {
    this.learn();
    return this.names.of(oid);
  }

  /** One pass; told unless it says what the one before said. */
  async look(): Promise<Look> {
    const seen = await this.lookAlone();
    this.seen = seen;
    this.mainAtLook = this.stage.repository.head('main');
    this.learn();
    await this.way.after(this);
    const told = tellLook(this.stage, seen);
    const text = told
      .filter((line) => !line.startsWith('status '))
      .join('\n')
      .replaceAll(/another \d+ s/g, 'another while');
    if (text === this.last && !seen.wroteStatus) {
      this.repeated += 1;
      return seen;
    }
    this.flush();
    this.last = text;
    this.lines.push(`  ${clock(this.stage.world.now - this.began)}`);
    this.say(told);
    return seen;
  }

  private async lookAlone(): Promise<Look> {
    this.past += '.';
    return this.way.look(this.stage, this.past);
  }

  /** The whole beginning, untold: applied, taken over, settled. */
  async takeOver(): Promise<void> {
    this.sync('main');
    this.stage.world.tick(60);
    for (let looks = 0; looks < 5; looks += 1) {
      const seen = await this.lookAlone();
      this.seen = seen;
      this.mainAtLook = this.stage.repository.head('main');
      if (seen.result?.quiet === true) return this.learn();
      this.sync('main');
      this.stage.world.tick(30);
    }
    throw new Error('not settled after five passes');
  }

  /** The agent applies what is on main, this many seconds pass, a pass looks; again and again. */
  async lookUntil(seconds: number, until: Until): Promise<void> {
    let before: Look | undefined;
    for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
      if (!this.stage.asleep) this.sync('main');
      this.stage.world.tick(seconds);
      const seen = await this.look();
      if (until(seen, before)) {
        this.flush();
        return;
      }
      before = seen;
    }
    throw new Error(`not after ${LOOKS_MAX} passes:\n${this.transcript()}`);
  }

  sync(at: string, only?: Parameters<Stage['sync']>[1]): void {
    const { refused, notes } = this.stage.sync(at, only);
    const lines = [...refused.map((why) => `the agent is refused ${why}`), ...notes];
    if (lines.length > 0) {
      this.flush();
      this.last = '';
      this.say(lines);
    }
  }

  private flush(): void {
    if (this.repeated > 0)
      this.lines.push(`    … the same ${this.repeated === 1 ? 'once' : `${this.repeated} times`} more`);
    this.repeated = 0;
  }

  private learn(): void {
    if (!this.isLearning) return;
    const line = this.stage.repository.log('main');
    this.names.learn(line.map((commit) => commit.oid).reverse());
  }

  /** The story ends with a pass that writes nothing, and with what main has to tell. */
  async end(): Promise<void> {
    const { repository } = this.stage;
    const heads = (): readonly (string | undefined)[] => [repository.head('main'), repository.head(STATUS)];
    const before = heads();
    await pass(this.stage, repository, true);
    if (JSON.stringify(heads()) !== JSON.stringify(before)) {
      await this.look();
      throw new Error(`the last pass wrote something:\n${this.transcript()}`);
    }
    this.comment('');
    this.comment('A second pass writes nothing.');
    this.comment('');
    this.comment('git log --oneline --format="%h %an: %s" main');
    for (const commit of repository.log('main'))
      this.say([`${this.names.of(commit.oid)} ${commit.author.name}: ${commit.message.split('\n')[0] ?? ''}`]);
  }
}

function clock(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `+${hours}:${String(minutes).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
}

/** The whole transcript of a story. Throws where a pass does what no pass may do, with the story so far. */
export async function playStory(
  story: string,
  files: Readonly<Record<string, string>>,
  shared: Shared,
  way: Way,
): Promise<string> {
  const { beginning, lines } = parseStory(story);
  const start = JSON.stringify([beginning, files]);
  const player = new Player(new Stage(files, beginning), shared, {
    way,
    start: createHash('sha256').update(start).digest('hex'),
  });
  try {
    for (const line of lines) {
      if (line === '' || line.startsWith('#')) player.comment(line);
      else await player.play(line);
    }
    await player.end();
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new Error(`${player.transcript()}\n${why}`, { cause: error });
  }
  return player.transcript();
}

const SETTING =
  /^Given LWS (0\.8|0\.10)(?:, the StatefulSet gate (on|off))?(?:, groups that load for (\d+) seconds)?(?:, (\d+) of (\S+))?\.$/;

const SHARED = /^In Git: ([a-z0-9, -]+)\.$/;

/** The folders of `common` whose files the repository of a story starts with. */
export function sharedOf(story: string): readonly string[] {
  return story.split('\n').flatMap((line) => SHARED.exec(line)?.[1]?.split(', ') ?? []);
}

function parseStory(story: string): { readonly beginning: Beginning; readonly lines: readonly string[] } {
  const lines = story
    .trimEnd()
    .split('\n')
    .filter((line) => !SHARED.test(line));
  const setting = lines.map((line) => SETTING.exec(line)).find((match) => match !== null);
  return {
    beginning: {
      lws: setting?.[1] === '0.8' ? '0.8' : '0.10',
      gate: setting?.[2] === 'on' ? 'on' : 'off',
      loadSeconds: Number(setting?.[3] ?? 20),
      stock: setting?.[4] === undefined ? undefined : { resource: setting[5] ?? '', amount: Number(setting[4]) },
    },
    lines: lines.map((line) => (SETTING.test(line) ? `# ${line}` : line)),
  };
}

/** The digests of the templates that a commit has. */
function templatesIn({ repository }: Stage, commit: string): readonly (string | undefined)[] {
  return Object.entries(repository.files(commit)).flatMap(([file, text]) =>
    /\.ya?ml$/.test(file)
      ? parseManifestFile(file, text, [LWS_KIND]).documents.map((document) => readWorkload(document).workload?.digest)
      : [],
  );
}
