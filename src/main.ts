import { argv, env, stderr, stdin, stdout } from 'node:process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { runProgram } from './commands/program.ts';

/** The command line's door: arguments, environment and standard streams are read here and nowhere else. */
process.exitCode = await runProgram(argv.slice(2), {
  out: (piece) => stdout.write(piece),
  err: (piece) => stderr.write(piece),
  outBytes: async (piece) => {
    if (!stdout.write(piece)) await once(stdout, 'drain');
  },
  readIn: () => text(stdin),
  inIsTerminal: stdin.isTTY,
  env,
});
