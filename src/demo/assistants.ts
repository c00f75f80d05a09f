import { hash } from 'node:crypto';
import type { OutcomeKind, ReportedOutcome } from '../domain/observed/outcome.ts';
import { type LocalSource, sessionText } from '../domain/sessions/local-call.ts';
import type { SessionRecord } from '../domain/sessions/session-record.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';
import { type RandomSource, spread } from './teams.ts';

/** A made-up person who uses coding assistants on their machines. */
export interface DemoPerson {
  readonly name: string;
  /** Names of access tokens, one for each machine. */
  readonly machines: readonly string[];
  readonly source: LocalSource;
  /** Usual sessions of a working day. */
  readonly sessions: number;
}

export const PEOPLE: readonly DemoPerson[] = [
  { name: 'Ben Okafor', machines: ['ben-laptop', 'ben-desktop'], source: 'claude_code', sessions: 4 },
  { name: 'Chloe Martin', machines: ['chloe-laptop'], source: 'claude_code', sessions: 3 },
  { name: 'Ida Lindqvist', machines: ['ida-laptop'], source: 'claude_code', sessions: 2 },
  { name: 'Dev Patel', machines: ['dev-laptop'], source: 'codex', sessions: 2 },
];

const PROJECTS = ['storefront', 'invoices', 'search', 'infrastructure'];
const MODELS: Readonly<Partial<Record<LocalSource, readonly [usual: string, rare: string]>>> = {
  claude_code: ['claude-opus-4-8', 'claude-sonnet-5'],
  codex: ['gpt-5.4', 'gpt-5.4-mini'],
};
const RARE_SHARE = 0.25;
const DAYS = 30;
const WEEKEND_SHARE = 0.15;
const FIRST_HOUR = 7;
const HOURS = 10;
/** Hours of a session, at most. */
const LENGTH_MAX = 3;
/** Tokens and calls of a usual hour. */
const USUAL = { input: 30_000, output: 18_000, cacheRead: 1_900_000, cacheWrite: 90_000, calls: 26 };

/** Records of one machine. */
export interface DemoUpload {
  readonly machine: string;
  readonly source: LocalSource;
  readonly sessions: readonly SessionRecord[];
}

/** Returns the session files of the past 30 days, as machines upload them. */
export function demoUploads(now: number, random: RandomSource): DemoUpload[] {
  return PEOPLE.flatMap((person) =>
    person.machines.map((machine, index) => {
      const share = index === 0 ? 1 : 0.3;
      const sessions = assistantDays(now).flatMap((day) => daySessions(person, share, day, random));
      return {
        machine,
        source: person.source,
        sessions: sessions.filter(({ timestamp }) => Date.parse(timestamp) < now),
      };
    }),
  );
}

function daySessions(
  { source, sessions }: DemoPerson,
  share: number,
  day: number,
  random: RandomSource,
): SessionRecord[] {
  const count = Math.round(sessions * share * (isWeekend(day) ? WEEKEND_SHARE : 0.6 + random() * 0.8));
  return Array.from({ length: count }, () => sessionRecords(source, day, random)).flat();
}

function sessionRecords(source: LocalSource, day: number, random: RandomSource): SessionRecord[] {
  const sessionId = hash('sha256', sessionText(source, `demo ${random()}`));
  const projectId = hash('sha256', `demo ${PROJECTS[Math.floor(random() ** 2 * PROJECTS.length)]}`);
  const [usual = '', rare = ''] = MODELS[source] ?? [];
  const start = day + (FIRST_HOUR + Math.floor(random() * HOURS)) * HOUR_MS + Math.floor(random() * HOUR_MS);
  return Array.from({ length: 1 + Math.floor(random() * LENGTH_MAX) }, (_, hour) => ({
    sessionId,
    projectId,
    model: random() < RARE_SHARE ? rare : usual,
    inputTokens: spread(USUAL.input, random),
    outputTokens: spread(USUAL.output, random),
    cacheReadTokens: spread(USUAL.cacheRead, random),
    cacheCreationTokens: source === 'codex' ? 0 : spread(USUAL.cacheWrite, random),
    calls: spread(USUAL.calls, random),
    timestamp: new Date(start + hour * HOUR_MS).toISOString(),
  }));
}

/** Usual amounts of one session, and the share of sessions that have them. */
const OUTCOMES: Readonly<Partial<Record<OutcomeKind, { readonly usual: number; readonly share: number }>>> = {
  commits: { usual: 2, share: 0.8 },
  pull_requests: { usual: 1, share: 0.3 },
  lines_added: { usual: 130, share: 1 },
  lines_removed: { usual: 45, share: 1 },
};

/**
 * Returns what the sessions of the assistant that counts outcomes led to.
 * @param tokenIds id of the access token by the name of the machine
 */
export function demoOutcomes(
  uploads: readonly DemoUpload[],
  tokenIds: ReadonlyMap<string, string>,
  random: RandomSource,
): ReportedOutcome[] {
  return uploads
    .filter(({ source }) => source === 'claude_code')
    .flatMap(({ machine, sessions }) =>
      [...new Map(sessions.map((record) => [record.sessionId, record])).values()].flatMap((session) =>
        sessionOutcomes(session, tokenIds.get(machine) ?? '', random),
      ),
    );
}

function sessionOutcomes(
  { sessionId, timestamp }: SessionRecord,
  tokenId: string,
  random: RandomSource,
): ReportedOutcome[] {
  return Object.entries(OUTCOMES)
    .filter(([, { share }]) => random() < share)
    .map(([kind, { usual }]) => ({
      series: hash('sha256', `demo ${sessionId} ${kind}`),
      kind: kind as OutcomeKind,
      assistant: 'claude_code',
      tokenId,
      session: sessionId,
      at: Date.parse(timestamp),
      amount: spread(usual, random),
    }));
}

/** Returns the starts of the past 30 days, today first. */
function assistantDays(now: number): number[] {
  return Array.from({ length: DAYS }, (_, daysAgo) => now - (now % DAY_MS) - daysAgo * DAY_MS);
}

function isWeekend(day: number): boolean {
  return new Date(day).getUTCDay() % 6 === 0;
}
