/** A log of lines on a stream: what comes from outside cannot start a line, a colour or a command of a CI runner. */

import { jsonLine } from '../../api/printable.ts';
import { type Instant, printInstant } from '../../api/time.ts';
import type { Log } from '../../ports/log.ts';

type Line = (text: string) => void;
type Level = 'info' | 'warn' | 'error';

/** Each line by itself, with its time, or as one object with `time`, `level`, `event` and `message`. */
type Form = { readonly form: 'dated' | 'json' | undefined; readonly now: () => Instant };

const HEADS = { info: '', warn: 'warning: ', error: 'error: ' } as const;

/** `error:` and `warning:` in front of what is one; plain text else. */
export function textLog(write: Line, { form, now }: Form): Log {
  const line = (level: Level, message: string): void => {
    const text = clean(message);
    if (form === 'json')
      return write(jsonLine({ time: printInstant(now()), level, event: 'log', message: text }).trimEnd());
    const time = form === 'dated' ? `${printInstant(now())} ` : '';
    return write(`${time}${HEADS[level]}${text}`);
  };
  return {
    info: (message) => line('info', message),
    warn: (message) => line('warn', message),
    error: (message) => line('error', message),
  };
}

/** One line without control characters; `::` and `##[` are broken up, because CI runners obey them anywhere. */
function clean(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- control characters are exactly what must go
      .replace(/[\u0000-\u0009\u000b-\u001f\u007f\u0080-\u009f\u202a-\u202e\u2066-\u2069]+/g, ' ')
      .replaceAll('::', ':\u200b:')
      .replaceAll('##[', '##\u200b[')
  );
}
