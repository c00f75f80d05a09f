import type { SourceReader } from '../reading/source.ts';
import type { ClaudeFacts } from './facts.ts';
import { TranscriptReader } from './reader.ts';
import { transcriptWarnings, resolveTranscripts } from './resolve.ts';
import { fileSession } from './transcript.ts';

export const TRANSCRIPTS: SourceReader<ClaudeFacts> = {
  read: (file, before) => new TranscriptReader(file, before),
  resolve: resolveTranscripts,
  sessionOf: fileSession,
  warnings: transcriptWarnings,
};
