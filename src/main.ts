import { once } from 'node:events';
import { runProgram } from './cli/program.ts';
import type { CommandTerminal } from './cli/terminal.ts';
import { systemClock } from './lib/clock.ts';

// Not imported by name, which would make standard input too: some milliseconds, and most commands read nothing.
const { argv, env, stderr, stdout } = process;
const serves = argv[2] === 'serve';
// All files created from here on are private from the start, also those that databases create.
process.umask(0o077);
// A reader such as `head` may close early. That is no error, and there is nowhere to report it. A service needs no reader.
for (const stream of [stdout, stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (!serves && stream === stdout) process.exit(0);
  });

/** Arguments, environment, standard streams and the system's clock are read here and nowhere else. */
const terminal: CommandTerminal = {
  out: (piece) => stdout.write(piece),
  err: (piece) => stderr.write(piece),
  outBytes: async (piece) => {
    if (!stdout.write(piece)) await once(stdout, 'drain');
  },
  readIn: async () => (await import('node:stream/consumers')).text(process.stdin),
  get streams() {
    return { input: process.stdin, output: stdout };
  },
  get inIsTerminal() {
    return process.stdin.isTTY;
  },
  errIsTerminal: stderr.isTTY,
  columns: stdout.columns,
  env,
};
process.exitCode = await runProgram(argv.slice(2), terminal, systemClock);
