import { join } from 'node:path';
import { describeSource } from '../contract/source-contract.ts';

/** Another session is a fork of it, with the same rows. */
const SESSION = 'session_0a74ebed-3d10-4450-b6dd-b1b54d89c1ea';

describeSource({
  source: 'kimi_code',
  home: join(import.meta.dirname, 'fixture'),
  calls: [
    `${SESSION} anthropic/claude-sonnet-4-5 0+0+22014 54`,
    `${SESSION} anthropic/claude-sonnet-4-5 0+22014+85 46`,
    `${SESSION} openai/gpt-5-mini 21025+0+0 86`,
    `${SESSION} openai/gpt-5-mini 84+20992+0 90`,
  ],
  projects: ['/code/atlas'],
});
