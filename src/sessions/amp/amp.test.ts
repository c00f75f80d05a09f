import { join } from 'node:path';
import { describeSource } from '../contract/source-contract.ts';

describeSource({
  source: 'amp',
  home: join(import.meta.dirname, 'fixture'),
  calls: [
    'T-6f0d2a51-5d0e-4c53-9a3c-6d0b5a2f7c11 anthropic/claude-haiku-4-5-20251001 10+11372+986 178',
    'T-6f0d2a51-5d0e-4c53-9a3c-6d0b5a2f7c11 openai/gpt-5 5+12000+0 42',
  ],
  projects: [null],
  notes: ['Amp: 1 record that may contain usage could not be read and is not counted.'],
});
