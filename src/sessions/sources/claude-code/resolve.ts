import type { LocalCall } from '../../../domain/sessions/local-call.ts';
import { type Inference, NO_TERMS, NO_USES, type ServiceTerms, type UseCounts } from '../../../domain/usage/usage.ts';
import { copiedNotes } from '../copied-notes.ts';
import type { ParsedFile } from '../source.ts';
import { callsOf, type OneCall } from './calls.ts';
import { numberOf } from './copies.ts';
import {
  CACHE_READ,
  type ClaudeFacts,
  ENDED,
  INPUT,
  MARKS,
  MODEL,
  type More,
  OUTPUT,
  type Pass,
  PROGRESS,
  TERMS,
  THINKING,
  UNBILLED,
  WIDTH,
  WRITE_1H,
  WRITE_5M,
} from './facts.ts';
import { isKnownFromCopies, ownersOf } from './owners.ts';
import { folderNameOf, type Session, type Transcript, transcriptsOf } from './transcript.ts';

type ClaudeFile = ParsedFile<ClaudeFacts>;
type TermsOf = Map<ClaudeFacts, readonly ServiceTerms[]>;

/** Each call of all files once, oldest first. */
export function resolveTranscripts(files: readonly ClaudeFile[]): LocalCall[] {
  const transcripts = transcriptsOf(files);
  const terms = termsOf(transcripts);
  const calls = callsOf(transcripts).filter(isUse);
  const owners = ownersOf(calls, transcripts);
  const resolved = calls.map((call, index) => localCall(call, owners[index] ?? call.transcript.session, terms));
  return resolved.toSorted((a, b) => a.at - b.at);
}

/** Returns sentences on what is less certain than it looks. */
export function doubtsOf(files: readonly ClaudeFile[], calls: readonly LocalCall[]): string[] {
  const doubts = copiedNotes('Claude Code', calls);
  const unreadable = files.reduce((sum, { facts }) => sum + facts.unreadable, 0);
  if (unreadable > 0)
    doubts.push(
      unreadable === 1
        ? 'Claude Code: a line that may tell of usage could not be read and is not counted.'
        : `Claude Code: ${unreadable} lines that may tell of usage could not be read and are not counted.`,
    );
  const begun = begunOf(files);
  if (begun > 0)
    doubts.push(
      begun === 1
        ? 'Claude Code: an answer was logged only as it began, by an old version or because it was stopped. Its output is counted as logged, which is too little.'
        : `Claude Code: ${begun} answers were logged only as they began, by an old version or because they were stopped. Their output is counted as logged, which is too little.`,
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

function isUse({ transcript: { facts }, place }: OneCall): boolean {
  const { numbers } = facts;
  const from = place * WIDTH;
  if (((numbers[from + MARKS] ?? 0) & UNBILLED) !== 0) return false;
  for (let at = from + INPUT; at <= from + WRITE_1H; at++) if (numbers[at] !== 0) return true;
  return facts.more[place] !== undefined;
}

function localCall(one: OneCall, session: Session, terms: TermsOf): LocalCall {
  const { transcript, place, at } = one;
  const { facts } = transcript;
  const more = facts.more[place];
  const from = place * WIDTH;
  const call: LocalCall = {
    source: 'claude_code',
    sessionId: session.id,
    project: session.project ?? folderNameOf(transcript),
    model: facts.names[facts.numbers[from + MODEL] ?? 0] ?? '',
    at: at ?? transcript.modifiedAt,
    usage: {
      inferences: more === undefined ? [wholeOf(facts, from)] : inferencesOf(wholeOf(facts, from), more),
      uses: more === undefined ? NO_USES : usesOf(more),
      thinking: facts.numbers[from + THINKING] ?? 0,
      terms: terms.get(facts)?.[facts.numbers[from + TERMS] ?? 0] ?? NO_TERMS,
    },
  };
  return isKnownFromCopies(one) ? { ...call, copied: true } : call;
}

/** Calls on the same terms share them. */
function termsOf(transcripts: readonly Transcript[]): TermsOf {
  return new Map(
    transcripts.map(({ facts }) => [facts, facts.terms.map(([tier, speed, geo]) => ({ tier, speed, geo }))]),
  );
}

function wholeOf({ numbers }: ClaudeFacts, from: number): Inference {
  return inferenceOf(
    null,
    numbers[from + INPUT] ?? 0,
    numbers[from + OUTPUT] ?? 0,
    numbers[from + CACHE_READ] ?? 0,
    numbers[from + WRITE_5M] ?? 0,
    numbers[from + WRITE_1H] ?? 0,
  );
}

function inferencesOf(whole: Inference, { passes, summed, beside = [] }: More): Inference[] {
  const own = passes?.map(inferenceOfPass) ?? [summed ? { ...whole, promptTokens: null } : whole];
  return [...own, ...beside.map(inferenceOfPass)];
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
