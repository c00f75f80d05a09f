import type { UsageTotals } from '../domain/usage/usage-totals.ts';
import type { LocalSource } from '../domain/sessions/local-call.ts';
import type { CodingAssistant, ObservedSource } from '../domain/observed/observed-call.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import type { SessionRecord } from '../domain/sessions/session-record.ts';
import type { Period } from '../domain/time/period.ts';
import type { PricedAs } from './counter-store.ts';

/** Session records of one upload. Records of a session and model replace all stored records of both. */
export interface SessionUpload {
  readonly workspaceId: string;
  readonly source: LocalSource;
  /** The access token that uploads. */
  readonly tokenId: string;
  readonly records: readonly SessionRecord[];
}

export interface UploadResult {
  readonly sessions: number;
  /** Number of replaced records. */
  readonly replaced: number;
  /** Usage of the uploaded records beyond calls through the gateway. */
  readonly counted: UsageTotals;
}

/** Current names and prices of a workspace's models. */
export interface SessionPricing {
  readonly pricedAs: PricedAs;
  resolve(provider: string, model: string, at: number): RateCard | null;
}

export type PricingOf = (workspaceId: string) => SessionPricing;

/** Usage outside the gateway that a person of the workspace reported. */
export interface SessionSum {
  readonly source: LocalSource | ObservedSource;
  /** The assistant that used it; null = not an assistant, so no plan covers it. */
  readonly assistant: CodingAssistant | LocalSource | null;
  readonly tokenId: string;
  readonly provider: string;
  readonly model: string;
  readonly totals: UsageTotals;
}

/** Usage outside the gateway of one assistant session and model in one UTC hour. */
export interface AssistantUse extends Omit<SessionSum, 'assistant'> {
  /** Start of the hour. */
  readonly hour: number;
  readonly assistant: CodingAssistant | LocalSource;
  /** Hash or name of the session; null = telemetry without a session. */
  readonly session: string | null;
  /** Hash of the project's folder; null = telemetry, which does not name it. */
  readonly project: string | null;
  /** Start of the first call, and the latest time that is known. */
  readonly firstAt: number;
  readonly lastAt: number;
}

export interface AssistantUseQuery {
  readonly range: Period;
  /** Only this session. Absent = all. */
  readonly session?: string;
  /** Reading ends, from the newest day on, where this many rows are reached. A few more may be read. */
  readonly valuesMax: number;
}

export interface AssistantUses {
  readonly uses: readonly AssistantUse[];
  /** Start of what was read: that of the range, or a later one if there is too much. */
  readonly from: number;
}

/**
 * Usage from session files. `EntryStore.append` stores what the calls of a session used and marks a session with
 * records for computing again, in the same transaction. Computing subtracts the calls from the records of the whole
 * session: max(0, records - calls), for each model (by the name under which it is priced) and token class.
 */
export interface SessionStore {
  /**
   * Stores an upload and computes its sessions, in one transaction. Throws `unprocessable` above the maximum of
   * models.
   */
  upload(upload: SessionUpload, pricing: SessionPricing): Promise<UploadResult>;
  /** Computes at most `limit` marked sessions again. Returns how many. */
  computeMarked(pricingOf: PricingOf, limit: number): Promise<number>;
  /** Marks all sessions of a workspace, or those with unpriced usage, for computing again. */
  markForComputing(workspaceId: string, which: 'all' | 'unpriced'): Promise<void>;
  /** Returns sums of session records and observed calls. An hour counts as a whole, at its start. */
  sums(workspaceId: string, range: Period): Promise<SessionSum[]>;
  /**
   * Returns the same usage of assistants by hour, session and project, unsorted, but for observed calls that retention
   * deleted. Records whose calls all went through the gateway are there with empty totals.
   */
  assistantUses(workspaceId: string, query: AssistantUseQuery): Promise<AssistantUses>;
  /** Returns the usage of a session's records beyond its calls; null = it has no records. */
  synced(workspaceId: string, session: string): Promise<UsageTotals | null>;
  /** Deletes usage of calls before `before`, at most `limit` rows, in sessions without records. */
  pruneUse(workspaceId: string, before: number, limit: number): Promise<number>;
}
