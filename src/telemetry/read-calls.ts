import type { ObservedCall } from '../domain/observed/observed-call.ts';
import { isClaudeCodeCall, readClaudeCodeCall } from './claude-code.ts';
import { isCodexCall, readCodexCall } from './codex.ts';
import { isGeminiCliCall, readGeminiCliCall } from './gemini-cli.ts';
import { isGenAiCall, readGenAiCall } from './gen-ai.ts';
import type { TelemetryRecord } from './record.ts';

/** Programs whose records are calls. The first that knows a record reads it. */
const READERS = [
  { isCall: isClaudeCodeCall, read: readClaudeCodeCall },
  { isCall: isCodexCall, read: readCodexCall },
  { isCall: isGeminiCliCall, read: readGeminiCliCall },
  { isCall: isGenAiCall, read: readGenAiCall },
] as const;

export interface ReadCalls {
  readonly calls: readonly ObservedCall[];
  /** Records of calls whose usage can't be read. */
  readonly unreadable: number;
}

/** Returns the calls among records. All other records are ignored. */
export function readCalls(records: readonly TelemetryRecord[], tokenId: string): ReadCalls {
  const calls: ObservedCall[] = [];
  let unreadable = 0;
  for (const record of records) {
    const reader = READERS.find(({ isCall }) => isCall(record));
    const call = reader?.read(record, tokenId);
    if (call) calls.push(call);
    else if (reader) unreadable += 1;
  }
  return { calls, unreadable };
}
