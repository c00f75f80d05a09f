import type { SourceReader } from '../reading/source.ts';
import type { CodexFacts } from './facts.ts';
import { RolloutReader } from './reader.ts';
import { rolloutWarnings, resolveRollouts } from './resolve.ts';

export const ROLLOUTS: SourceReader<CodexFacts> = {
  read: (_file, before) => new RolloutReader(before),
  resolve: resolveRollouts,
  warnings: rolloutWarnings,
  sessionOf: ({ file, facts }) => facts.session ?? file.sessionId,
};
