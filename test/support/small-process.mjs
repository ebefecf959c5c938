// Starts programs for a process that holds much memory: the system copies the tables of it for each program that it starts.

import { spawn } from 'node:child_process';
import { createServer } from 'node:http';

const ERRORS_MOST = 4000;

const server = createServer({ maxHeaderSize: 1024 * 1024 }, (request, response) => {
  const { command, args, env } = JSON.parse(Buffer.from(request.headers['x-program'], 'base64').toString());
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const errors = [];
  let failed;
  child.on('error', (error) => {
    failed = error.message;
  });
  child.stderr.on('data', (chunk) => errors.push(chunk));
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  response.writeHead(200, { trailer: 'x-code, x-errors' });
  child.stdout.pipe(response, { end: false });
  child.on('close', (code) => {
    const said = failed ?? Buffer.concat(errors).toString();
    response.addTrailers({
      'x-code': String(code),
      'x-errors': Buffer.from(said.slice(0, ERRORS_MOST)).toString('base64'),
    });
    response.end();
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
// Ends with the process that started it, however that ends.
process.stdin.resume();
process.stdin.on('end', () => process.exit());
