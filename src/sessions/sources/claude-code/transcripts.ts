import type { SourceReader } from '../source.ts';
import type { ClaudeFacts } from './facts.ts';
import { TranscriptReader } from './reader.ts';
import { doubtsOf, resolveTranscripts } from './resolve.ts';
import { sessionOf } from './transcript.ts';

export const TRANSCRIPTS: SourceReader<ClaudeFacts> = {
  read: (file, before) => new TranscriptReader(file, before),
  resolve: resolveTranscripts,
  sessionOf,
  doubts: doubtsOf,
};
