import type { LocalCall } from '../../domain/sessions/local-call.ts';
import { type Inference, NO_TERMS, NO_USES, type ServiceTerms, type UseCounts } from '../../domain/usage/usage.ts';
import { copiedNotes } from '../reading/copied-notes.ts';
import type { ParsedFile } from '../reading/source.ts';
import { mergeCopies, type MergedCall } from './merge-copies.ts';
import {
  CACHE_READ,
  type ClaudeFacts,
  copyNumber,
  ENDED,
  type ExtraUsage,
  INPUT,
  MARKS,
  MODEL,
  OUTPUT,
  type PassCounts,
  PROGRESS,
  TERMS,
  THINKING,
  UNBILLED,
  WIDTH,
  WRITE_1H,
  WRITE_5M,
} from './facts.ts';
import { isKnownFromCopies, assignOwners } from './assign-owners.ts';
import { projectFolderName, type TranscriptSession, type TranscriptFile, buildTranscripts } from './transcript.ts';

type ClaudeFile = ParsedFile<ClaudeFacts>;
type TermsByFacts = Map<ClaudeFacts, readonly ServiceTerms[]>;

/** Returns each call of all files once, the oldest first. */
export function resolveTranscripts(files: readonly ClaudeFile[]): LocalCall[] {
  const transcripts = buildTranscripts(files);
  const terms = buildTerms(transcripts);
  const calls = mergeCopies(transcripts).filter(isUse);
  const owners = assignOwners(calls, transcripts);
  const resolved = calls.map((call, index) => toClaudeCall(call, owners[index] ?? call.transcript.session, terms));
  return resolved.toSorted((a, b) => a.at - b.at);
}

/** Returns sentences on what is less certain than it looks. */
export function transcriptWarnings(files: readonly ClaudeFile[], calls: readonly LocalCall[]): string[] {
  const warnings = copiedNotes('Claude Code', calls);
  const unreadable = files.reduce((sum, { facts }) => sum + facts.unreadable, 0);
  if (unreadable > 0)
    warnings.push(
      unreadable === 1
        ? 'Claude Code: 1 line that may contain usage could not be read and is not counted.'
        : `Claude Code: ${unreadable} lines that may contain usage could not be read and are not counted.`,
    );
  const begun = countUnfinished(files);
  if (begun > 0)
    warnings.push(
      begun === 1
        ? 'Claude Code: only the start of 1 answer was logged, by an old version or because it was stopped. Its output is counted as logged, which is too low.'
        : `Claude Code: only the start of ${begun} answers was logged, by an old version or because they were stopped. Their output is counted as logged, which is too low.`,
    );
  return warnings;
}

/** Counts calls whose copies all show only the start of the answer. */
function countUnfinished(files: readonly ClaudeFile[]): number {
  const begun = new Set<string>();
  for (const { facts } of files)
    for (let place = 0; place < facts.ids.length; place++)
      if ((copyNumber(facts, place, MARKS) & (ENDED | PROGRESS)) === 0) begun.add(facts.ids[place] ?? '');
  if (begun.size === 0) return 0;
  for (const { facts } of files)
    for (let place = 0; place < facts.ids.length; place++)
      if ((copyNumber(facts, place, MARKS) & ENDED) !== 0) begun.delete(facts.ids[place] ?? '');
  return begun.size;
}

function isUse({ transcript: { facts }, place }: MergedCall): boolean {
  const { numbers } = facts;
  const from = place * WIDTH;
  if (((numbers[from + MARKS] ?? 0) & UNBILLED) !== 0) return false;
  for (let at = from + INPUT; at <= from + WRITE_1H; at++) if (numbers[at] !== 0) return true;
  return facts.more[place] !== undefined;
}

function toClaudeCall(one: MergedCall, session: TranscriptSession, terms: TermsByFacts): LocalCall {
  const { transcript, place, at } = one;
  const { facts } = transcript;
  const more = facts.more[place];
  const from = place * WIDTH;
  const call: LocalCall = {
    source: 'claude_code',
    sessionId: session.id,
    project: session.project ?? projectFolderName(transcript),
    model: facts.names[facts.numbers[from + MODEL] ?? 0] ?? '',
    at: at ?? transcript.modifiedAt,
    usage: {
      inferences:
        more === undefined ? [wholeInference(facts, from)] : listInferences(wholeInference(facts, from), more),
      uses: more === undefined ? NO_USES : toUseCounts(more),
      thinking: facts.numbers[from + THINKING] ?? 0,
      terms: terms.get(facts)?.[facts.numbers[from + TERMS] ?? 0] ?? NO_TERMS,
    },
  };
  return isKnownFromCopies(one) ? { ...call, copied: true } : call;
}

/** Builds the terms of each file. Calls with the same terms share them. */
function buildTerms(transcripts: readonly TranscriptFile[]): TermsByFacts {
  return new Map(
    transcripts.map(({ facts }) => [facts, facts.terms.map(([tier, speed, geo]) => ({ tier, speed, geo }))]),
  );
}

function wholeInference({ numbers }: ClaudeFacts, from: number): Inference {
  return toInference(
    null,
    numbers[from + INPUT] ?? 0,
    numbers[from + OUTPUT] ?? 0,
    numbers[from + CACHE_READ] ?? 0,
    numbers[from + WRITE_5M] ?? 0,
    numbers[from + WRITE_1H] ?? 0,
  );
}

function listInferences(whole: Inference, { passes, summed, separate = [] }: ExtraUsage): Inference[] {
  const own = passes?.map(passInference) ?? [summed ? { ...whole, promptTokens: null } : whole];
  return [...own, ...separate.map(passInference)];
}

function passInference(pass: PassCounts): Inference {
  return toInference(...pass);
}

function toInference(...[model, input, output, cacheRead, cacheWrite5m, cacheWrite1h]: PassCounts): Inference {
  const tokens = { input, output, cacheRead, cacheWrite5m, cacheWrite1h };
  return { model, tokens, promptTokens: input + cacheRead + cacheWrite5m + cacheWrite1h };
}

function toUseCounts({ searches, fetches }: ExtraUsage): UseCounts {
  return { ...(searches && { webSearch: searches }), ...(fetches && { webFetch: fetches }) };
}
