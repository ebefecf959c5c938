// A program in the foreground of this one: it gets the signals that this one gets, and this one ends when it has ended.

import { spawn } from 'node:child_process';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs Node on `args` and answers its exit code, 1 where a signal ended it. Nobody is left behind: whoever stops this process
 * by its number, as a supervisor does, means the program.
 */
export function runForwarding(args) {
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  const pass = (signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, pass);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      for (const signal of SIGNALS) process.off(signal, pass);
      resolve(code ?? 1);
    });
  });
}
