// `npm run simulate`: plays schedules for as long, or as many, as asked.
import { runCommand } from './command.ts';
import { PLAYER } from './run.ts';

await runCommand('simulate', PLAYER);
