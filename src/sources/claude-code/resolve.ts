import type { LocalCall } from '../../core/local-call.ts';
import type { Inference, TokenCounts, Usage, UseCounts } from '../../core/usage.ts';
import type { ParsedFile } from '../source.ts';
import { callsOf, type OneCall, type Told } from './calls.ts';
import { modelOf, tokensOf } from './copies.ts';
import {
  CACHE_READ,
  type ClaudeFacts,
  type Copy,
  ENDED,
  INPUT,
  MARKS,
  type More,
  MORE,
  OUTPUT,
  type Pass,
  TERMS,
  THINKING,
  UNBILLED,
  WRITE_1H,
  WRITE_5M,
} from './facts.ts';
import { ownersOf } from './owners.ts';
import { projectsOf, transcriptOf } from './transcript.ts';

type ClaudeFile = ParsedFile<ClaudeFacts>;

/** Each call of all files once, oldest first. */
export function resolveTranscripts(files: readonly ClaudeFile[]): LocalCall[] {
  const transcripts = files.map(transcriptOf);
  const projects = projectsOf(transcripts);
  const calls = callsOf(transcripts).filter(isUse);
  const owners = ownersOf(calls);
  return calls.map((call, index) => localCall(call, owners[index] ?? '', projects)).toSorted((a, b) => a.at - b.at);
}

/** What is not as sure as it looks, in sentences. */
export function doubtsOf(files: readonly ClaudeFile[]): string[] {
  const doubts: string[] = [];
  const unreadable = files.reduce((sum, { facts }) => sum + facts.unreadable, 0);
  if (unreadable > 0)
    doubts.push(`Claude Code: ${unreadable} lines that may tell of usage could not be read and are not counted.`);
  if (!files.some(({ facts }) => facts.copies.some(isBegin))) return doubts;
  const calls = callsOf(files.map(transcriptOf)).filter(isUse);
  const begun = calls.filter(({ copies }) => copies.every(({ copy }) => isBegin(copy))).length;
  if (begun > 0)
    doubts.push(
      `Claude Code: ${begun} of ${calls.length} answers were logged only as they began, by an old version or because they were stopped. Their output is counted as logged, which is too little.`,
    );
  return doubts;
}

function isBegin(copy: Copy): boolean {
  return (copy[MARKS] & ENDED) === 0;
}

function isUse({ best: { copy } }: OneCall): boolean {
  return (copy[MARKS] & UNBILLED) === 0 && (tokensOf(copy) > 0 || copy[MORE] !== undefined);
}

function localCall({ best, at }: OneCall, sessionId: string, projects: ReadonlyMap<string, string>): LocalCall {
  return {
    source: 'claude_code',
    sessionId,
    project: projects.get(sessionId) ?? best.transcript.folderName,
    model: modelOf(best.copy, best.transcript.facts),
    at: at ?? best.transcript.modifiedAt,
    usage: usageOf(best),
  };
}

function usageOf({ copy, transcript }: Told): Usage {
  const more = copy[MORE];
  const [tier, speed, geo] = transcript.facts.terms[copy[TERMS]] ?? [null, null, null];
  return {
    inferences: inferencesOf(copy, more),
    uses: more === undefined ? {} : usesOf(more),
    thinking: copy[THINKING],
    terms: { tier, speed, geo },
  };
}

function inferencesOf(copy: Copy, more: More | undefined): Inference[] {
  const whole: Pass = [null, copy[INPUT], copy[OUTPUT], copy[CACHE_READ], copy[WRITE_5M], copy[WRITE_1H]];
  if (more === undefined) return [inferenceOf(whole)];
  const own = more.passes?.map(inferenceOf) ?? [inferenceOf(whole)];
  const known = more.summed ? own.map((inference) => ({ ...inference, promptTokens: null })) : own;
  return [...known, ...(more.beside ?? []).map(inferenceOf)];
}

function inferenceOf([model, input, output, cacheRead, write5m, write1h]: Pass): Inference {
  const tokens: TokenCounts = {};
  if (input > 0) tokens.input = input;
  if (cacheRead > 0) tokens.cacheRead = cacheRead;
  if (write5m > 0) tokens.cacheWrite5m = write5m;
  if (write1h > 0) tokens.cacheWrite1h = write1h;
  if (output > 0) tokens.output = output;
  return { model, tokens, promptTokens: input + cacheRead + write5m + write1h };
}

function usesOf({ searches, fetches }: More): UseCounts {
  return { ...(searches && { webSearch: searches }), ...(fetches && { webFetch: fetches }) };
}
