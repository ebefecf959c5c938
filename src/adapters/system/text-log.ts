/** A log of lines on a stream: what comes from outside cannot start a line, a colour or a command of a CI runner. */

import type { Log } from '../../ports/log.ts';

type Line = (text: string) => void;

/** `error:` and `warning:` in front of what is one; plain text else. */
export function textLog(write: Line): Log {
  return {
    info: (message) => write(clean(message)),
    warn: (message) => write(`warning: ${clean(message)}`),
    error: (message) => write(`error: ${clean(message)}`),
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
