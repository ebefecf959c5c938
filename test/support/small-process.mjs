// Starts programs for a process that holds much memory: the system copies the tables of it for each program that it starts.

import { spawn } from 'node:child_process';

const ERRORS_MOST = 4000;

process.on('message', ({ id, command, args, env, input }) => {
  const child = spawn(command, args, { env, stdio: 'pipe' });
  const errors = [];
  let failed;
  child.on('error', (error) => {
    failed = error.message;
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  child.stdout.on('data', (chunk) => process.send({ id, chunk }));
  child.stderr.on('data', (chunk) => errors.push(chunk));
  child.on('close', (code) => {
    const said = failed ?? Buffer.concat(errors).toString();
    process.send({ id, code: code ?? -1, errors: said.slice(0, ERRORS_MOST) });
  });
});
// Ends with the process that started it, however that ends.
process.on('disconnect', () => process.exit());
