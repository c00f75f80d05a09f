import { type AssistantUsage, NO_VALUE } from '../../contract/assistants.ts';
import type { OutcomeCounts } from '../../contract/observed.ts';
import type { RouteQuery } from '../../contract/routes.ts';
import type { OutcomeDay } from '../../domain/observed/outcome.ts';
import type { Period } from '../../domain/time/period.ts';
import type { Records } from '../../storage/records/records.ts';
import { outcomeCountsView } from '../observed-calls.ts';
import type { AssistantRow, AssistantRows, CredentialOwner } from './assistant-rows.ts';

/** Outcomes of one person in one session or day. */
interface OwnedOutcome extends CredentialOwner {
  readonly assistant: string;
  readonly session: string | null;
  readonly counts: OutcomeCounts;
}

export interface AssistantOutcomes {
  readonly shown: AssistantUsage['outcomes'];
  /** Returns the outcomes of a session by its hash; null = none are known. */
  readonly ofSession: (hash: string | null) => OutcomeCounts | null;
}

const KINDS = ['commits', 'pullRequests', 'linesAdded', 'linesRemoved'] as const satisfies (keyof OutcomeCounts)[];
const NOTHING_SHOWN: AssistantOutcomes = { shown: null, ofSession: () => null };

/** Reads outcomes for the filter of a request. They name no project, model or plan. */
export async function readAssistantOutcomes(
  { outcomes }: Pick<Records, 'outcomes'>,
  workspaceId: string,
  range: Period,
  query: RouteQuery<'GET /api/mcp/assistants'>,
  { rows, ownerOf }: AssistantRows,
): Promise<AssistantOutcomes> {
  if ([query.project, query.model, query.covered].some((value) => value !== undefined)) return NOTHING_SHOWN;
  const days = await outcomes.list(workspaceId, range, 'session');
  const isInSession = sessionCheck(query.session, rows);
  const all = days
    .map((day) => toOwnedOutcome(day, ownerOf))
    .filter(({ counts }) => KINDS.some((kind) => counts[kind] !== null))
    .filter(
      (one) =>
        (query.assistant === undefined || one.assistant === query.assistant) &&
        (query.person === undefined || one.person.value === query.person) &&
        (query.credential === undefined || one.credential.value === query.credential) &&
        isInSession(one.session),
    );
  const bySession = Map.groupBy(all, ({ session }) => session);
  const ofSession = (hash: string | null): OutcomeCounts | null => sumOutcomes(bySession.get(hash) ?? []);
  return {
    shown: {
      assistant: groupOutcomes(all, ({ assistant }) => ({ value: assistant, name: assistant })),
      person: groupOutcomes(all, ({ person }) => person),
      noSession: ofSession(null),
    },
    ofSession: (hash) => (hash === null ? null : ofSession(hash)),
  };
}

function toOwnedOutcome(
  { tokenId, assistant, session, amounts }: OutcomeDay,
  ownerOf: AssistantRows['ownerOf'],
): OwnedOutcome {
  return { ...ownerOf(tokenId), assistant, session, counts: outcomeCountsView(amounts) };
}

/** Returns a check by the hash of a session; a request may name the session as the gateway does. */
function sessionCheck(asked: string | undefined, rows: readonly AssistantRow[]): (hash: string | null) => boolean {
  if (asked === undefined) return () => true;
  if (asked === NO_VALUE) return (hash) => hash === null;
  const hashes = new Set(rows.filter(({ session }) => session === asked).map(({ sessionHash }) => sessionHash));
  return (hash) => hash === asked || hashes.has(hash);
}

/** Sums outcomes by a name, those with the most commits first. */
function groupOutcomes(
  all: readonly OwnedOutcome[],
  nameOf: (one: OwnedOutcome) => { readonly value: string; readonly name: string },
): NonNullable<AssistantUsage['outcomes']>['person'] {
  const groups = Map.groupBy(all, (one) => nameOf(one).value);
  return [...groups.values()]
    .flatMap(([first, ...others]) => {
      const counts = first ? sumOutcomes([first, ...others]) : null;
      return first && counts ? [{ ...nameOf(first), ...counts }] : [];
    })
    .toSorted((a, b) => (b.commits ?? 0) - (a.commits ?? 0) || (a.name < b.name ? -1 : 1));
}

/** Sums outcomes; a kind that none reports stays null. null = there are none. */
function sumOutcomes(all: readonly OwnedOutcome[]): OutcomeCounts | null {
  const [first, ...others] = all.map(({ counts }) => counts);
  if (!first) return null;
  const sum = { ...first };
  for (const counts of others)
    for (const kind of KINDS) {
      const more = counts[kind];
      if (more !== null) sum[kind] = (sum[kind] ?? 0) + more;
    }
  return sum;
}
