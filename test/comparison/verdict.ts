import { createHash } from 'node:crypto';
import type { BillRow } from '../doubles/bill.ts';
import type { ExportedCall } from '../e2e/recorded-call.ts';
import type { DrawnCall } from './drawn-call.ts';
import type { Received } from './send-call.ts';

/** One call as the four who know of it tell it. */
export interface Observation {
  readonly call: DrawnCall;
  readonly received: Received;
  /** From the double's bill; several would be a call sent twice, none one that never arrived. */
  readonly rows: readonly BillRow[];
  readonly entries: readonly ExportedCall[];
}

const NANO_PER_USD = 1e9;

export function hashOf(session: string): string {
  return createHash('sha256').update(`claude_code:${session}`).digest('hex');
}

export function nanoOf(usd: number): bigint {
  return BigInt(Math.round(usd * NANO_PER_USD));
}

/** What is wrong with how a call was booked; null = nothing. */
export function verdict({ call, received, rows, entries }: Observation, crashes: boolean): string | null {
  const [row, secondRow] = rows;
  const [entry, secondEntry] = entries;
  if (secondRow) return 'the provider saw it twice';
  if (secondEntry) return 'the book has it twice';
  if (row && !entry) return 'the provider saw it, and the book does not have it';
  if (!entry) return received.callId === null ? null : `it was answered as ${received.callId}, and is not in the book`;
  if (received.callId !== null && received.callId !== entry.id) return `it was answered as ${received.callId}`;
  if (!row) return isOpen(entry) ? null : 'the provider never saw it, and the book is sure of it';
  if (row.key !== providerKeyOf(call)) return `it left with the key ${row.key}`;
  const wanted = wantedOf(call, row);
  if (received.costUsd !== null && (entry.uncertainReason !== null || nanoOf(Number(received.costUsd)) !== row.nano))
    return `its header says it cost ${received.costUsd} USD`;
  if (
    wanted.uncertainReason === entry.uncertainReason &&
    (wanted.nano === 'any' || wanted.nano === recordedNano(entry))
  )
    return null;
  // An answer that the provider has sent can still be lost with the process that was to read it.
  if (crashes && !received.whole && entry.uncertainReason === 'crash' && entry.cost === null) return null;
  if (call.leaves && !received.whole && !row.delivered && entry.uncertainReason === 'client_left') return null;
  return `wanted ${String(wanted.nano)} (${wanted.uncertainReason ?? 'sure'})`;
}

export function providerKeyOf({ provider }: Pick<DrawnCall, 'provider'>): string {
  return `provider-key-of-${provider}`;
}

function isOpen(entry: ExportedCall): boolean {
  return entry.outcome === 'not_sent' || entry.uncertainReason !== null;
}

function recordedNano({ cost }: ExportedCall): bigint | null {
  return cost === null ? null : nanoOf(cost);
}

interface Wanted {
  readonly nano: bigint | null | 'any';
  readonly uncertainReason: string | null;
}

function wantedOf({ plan }: DrawnCall, row: BillRow): Wanted {
  if (plan.status !== undefined) return { nano: 0n, uncertainReason: null };
  if (!row.delivered) return { nano: null, uncertainReason: uncertainReasonOf(plan) };
  if (row.nano === null) return { nano: null, uncertainReason: 'no_price' };
  return row.unsure ? { nano: 'any', uncertainReason: 'length_tier' } : { nano: row.nano, uncertainReason: null };
}

function uncertainReasonOf({
  reset,
  noUsage,
  errorAfter,
  endAfter,
  truncateBytes,
  encoding,
}: DrawnCall['plan']): string | null {
  if (reset) return 'reset';
  if (errorAfter !== undefined) return 'error_event';
  if (noUsage) return 'no_usage';
  if (truncateBytes !== undefined && encoding) return 'unreadable';
  return endAfter !== undefined || truncateBytes !== undefined ? 'truncated' : null;
}
