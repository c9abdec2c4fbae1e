// Processes that listen: started, found by what they say, ended.
import { spawn } from 'node:child_process';
import path from 'node:path';

const startSeconds = 60;

// A process that says on `stream` (stdout or stderr) where it listens: { child, url }.
export async function listening(command, words, options, stream, pattern) {
  const stdio = ['pipe', 'pipe', 'pipe'];
  const child = spawn(command, words, { ...options, stdio });
  let said = '';
  const url = await new Promise((done, failed) => {
    const fail = (why) => failed(new Error(`${path.basename(command)} ${why}: ${said}`));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      fail(`said no address in ${startSeconds} s`);
    }, startSeconds * 1000);
    child.on('close', (status, signal) => fail(`ended (${status ?? signal})`));
    for (const name of ['stdout', 'stderr']) {
      child[name].on('data', (data) => {
        said += data;
        const found = name === stream && pattern.exec(said);
        if (!found) return;
        clearTimeout(timer);
        done(found[1]);
      });
    }
  });
  return { child, url, said: () => said };
}

export async function ended({ child, said }, how) {
  const end = new Promise((done) => child.on('close', (status) => done(status)));
  if (child.exitCode === null && child.signalCode === null) how(child);
  else throw new Error(`it has ended while it was needed: ${said()}`);
  const status = await end;
  if (status !== 0) throw new Error(`it ended with ${status}: ${said()}`);
}

// `pi-mcp serve --http` in front of the servers of a configuration file; `url` has no path.
export function gateway(program, file, env) {
  const words = ['serve', '--http', '127.0.0.1:0', '--config', file];
  const pattern = /serving MCP at (http:\S+)\/mcp,/;
  return listening(program, words, { env, cwd: env.HOME }, 'stderr', pattern);
}
