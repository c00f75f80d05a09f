import type { LocalCall } from '../../core/local-call.ts';
import { type Inference, NO_TERMS, type ServiceTerms, type UseCounts } from '../../core/usage.ts';
import type { ParsedFile } from '../source.ts';
import { callsOf, hasMark, type OneCall } from './calls.ts';
import { modelOf, numberOf, tokensOf } from './copies.ts';
import {
  CACHE_READ,
  type ClaudeFacts,
  ENDED,
  INPUT,
  MARKS,
  type More,
  OUTPUT,
  type Pass,
  PROGRESS,
  TERMS,
  THINKING,
  UNBILLED,
  WRITE_1H,
  WRITE_5M,
} from './facts.ts';
import { ownersOf } from './owners.ts';
import { folderNameOf, projectsOf, type Transcript, transcriptOf } from './transcript.ts';

type ClaudeFile = ParsedFile<ClaudeFacts>;
type TermsOf = Map<ClaudeFacts, readonly ServiceTerms[]>;

const NO_USES: UseCounts = {};

/** Each call of all files once. */
export function resolveTranscripts(files: readonly ClaudeFile[]): LocalCall[] {
  const transcripts = files.map(transcriptOf);
  const projects = projectsOf(transcripts);
  const terms = termsOf(transcripts);
  const calls = callsOf(transcripts).filter(isUse);
  const owners = ownersOf(calls);
  return calls.map((call, index) => localCall(call, owners[index] ?? '', projects, terms));
}

/** What is not as sure as it looks, in sentences. */
export function doubtsOf(files: readonly ClaudeFile[]): string[] {
  const doubts: string[] = [];
  const unreadable = files.reduce((sum, { facts }) => sum + facts.unreadable, 0);
  if (unreadable > 0)
    doubts.push(`Claude Code: ${unreadable} lines that may tell of usage could not be read and are not counted.`);
  const begun = begunOf(files);
  if (begun > 0)
    doubts.push(
      `Claude Code: ${begun} answers were logged only as they began, by an old version or because they were stopped. Their output is counted as logged, which is too little.`,
    );
  return doubts;
}

/** Calls no copy of which shows more than their begin. */
function begunOf(files: readonly ClaudeFile[]): number {
  const begun = new Set<string>();
  for (const { facts } of files)
    for (let place = 0; place < facts.ids.length; place++)
      if ((numberOf(facts, place, MARKS) & (ENDED | PROGRESS)) === 0) begun.add(facts.ids[place] ?? '');
  if (begun.size === 0) return 0;
  for (const { facts } of files)
    for (let place = 0; place < facts.ids.length; place++)
      if ((numberOf(facts, place, MARKS) & ENDED) !== 0) begun.delete(facts.ids[place] ?? '');
  return begun.size;
}

function isUse(call: OneCall): boolean {
  const { facts } = call.transcript;
  return (tokensOf(facts, call.place) > 0 || facts.more[call.place] !== undefined) && !hasMark(call, UNBILLED);
}

function localCall(
  { transcript, place, at }: OneCall,
  sessionId: string,
  projects: ReadonlyMap<string, string>,
  terms: TermsOf,
): LocalCall {
  const { facts } = transcript;
  const more = facts.more[place];
  return {
    source: 'claude_code',
    sessionId,
    project: projects.get(sessionId) ?? folderNameOf(transcript),
    model: modelOf(facts, place),
    at: at ?? transcript.modifiedAt,
    usage: {
      inferences: inferencesOf(facts, place, more),
      uses: more === undefined ? NO_USES : usesOf(more),
      thinking: numberOf(facts, place, THINKING),
      terms: terms.get(facts)?.[numberOf(facts, place, TERMS)] ?? NO_TERMS,
    },
  };
}

/** Calls on the same terms share them. */
function termsOf(transcripts: readonly Transcript[]): TermsOf {
  return new Map(
    transcripts.map(({ facts }) => [facts, facts.terms.map(([tier, speed, geo]) => ({ tier, speed, geo }))]),
  );
}

function inferencesOf(facts: ClaudeFacts, place: number, more: More | undefined): Inference[] {
  const whole = inferenceOf(
    null,
    numberOf(facts, place, INPUT),
    numberOf(facts, place, OUTPUT),
    numberOf(facts, place, CACHE_READ),
    numberOf(facts, place, WRITE_5M),
    numberOf(facts, place, WRITE_1H),
  );
  if (more === undefined) return [whole];
  const own = more.passes?.map(inferenceOfPass) ?? [more.summed ? { ...whole, promptTokens: null } : whole];
  return [...own, ...(more.beside ?? []).map(inferenceOfPass)];
}

function inferenceOfPass(pass: Pass): Inference {
  return inferenceOf(...pass);
}

function inferenceOf(...[model, input, output, cacheRead, cacheWrite5m, cacheWrite1h]: Pass): Inference {
  const tokens = { input, output, cacheRead, cacheWrite5m, cacheWrite1h };
  return { model, tokens, promptTokens: input + cacheRead + cacheWrite5m + cacheWrite1h };
}

function usesOf({ searches, fetches }: More): UseCounts {
  return { ...(searches && { webSearch: searches }), ...(fetches && { webFetch: fetches }) };
}
