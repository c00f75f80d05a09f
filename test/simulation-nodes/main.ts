// `npm run simulate:nodes`: plays schedules of several nodes for as long, or as many, as asked.
import { runCommand } from '../simulation/command.ts';
import { PLAYER } from './simulate.ts';

await runCommand('simulate:nodes', PLAYER);
