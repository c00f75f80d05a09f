import { join } from 'node:path';
import { describeSource } from '../contract/source-contract.ts';

const SESSION = '9df49002-ccb1-426e-ac35-a2c996f44b10';

describeSource({
  source: 'gemini_cli',
  home: join(import.meta.dirname, 'fixture'),
  calls: [
    `${SESSION} gemini-2.5-flash 7684+0+0 45`,
    `${SESSION} gemini-2.5-flash 7764+0+0 71`,
    `${SESSION} gemini-2.5-flash 7870+0+0 45`,
    `${SESSION} gemini-2.5-flash 7950+0+0 37`,
  ],
  projects: ['/code/atlas'],
});
