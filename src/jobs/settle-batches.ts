import { setImmediate } from 'node:timers/promises';
import { BATCHES, type CallAmounts, type Entry, isUncertain } from '../domain/usage/call.ts';
import { settleCall } from '../domain/usage/settle.ts';
import { BATCH_TIER } from '../domain/pricing/batch-card.ts';
import { cardVersions, fromPrices } from '../domain/pricing/provenance.ts';
import type { Alert } from '../domain/alerts/alert.ts';
import { NANO_MAX, usdFromNano } from '../domain/money/money.ts';
import { describeAmount } from '../domain/text/limits.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../domain/time/units.ts';
import { inputTokens, outputTokens, totalTokens } from '../domain/usage/usage.ts';
import { LineSplitter } from '../lib/http/line-splitter.ts';
import { isSpace } from '../lib/json/bytes.ts';
import { withGeo } from '../providers/provider-host.ts';
import type { BatchAnswer, BatchForm, BatchLine, EndedBatch } from '../providers/provider.ts';
import { BatchSum } from './batch-sum.ts';
import { readAnswerText, UnsettledError } from './fetch-from-provider.ts';
import {
  correctOpenCall,
  fetchForCall,
  type OpenCall,
  type OpenCallOutcome,
  type OpenCallParts,
  type OpenCalls,
  openCallsJob,
} from './open-calls.ts';
import type { Job } from './schedule.ts';

export const SETTLE_BATCHES = 'settle_batches';
const EVERY_MS = MINUTE_MS;
/** Providers keep results for about a month. */
const LOOKED_MS = 31 * DAY_MS;
/** These take about ten days. */
const FAILED_ASKS_MAX = 20;
const ANSWER_MS_MAX = 30 * SECOND_MS;
const RESULTS_MS_MAX = 30 * MINUTE_MS;
/** Longest description of a batch, which may have its results. */
const BATCH_BYTES_MAX = 64 * 1_048_576;
/** Longest result of one request. */
const LINE_BYTES_MAX = 64 * 1_048_576;
/** Results that are read in one turn. */
const LINES_AT_ONCE = 50;

export interface BatchJobParts extends OpenCallParts {
  readonly batches: OpenCalls;
  readonly raise: (alert: Alert) => Promise<void>;
}

/**
 * Settles batches that have ended with the usage of their results. Until then a batch counts with the cost bounds of all its
 * requests. Open batches are found in the ledger, so that a restart forgets none.
 */
export function settleBatchesJob(parts: BatchJobParts): Job {
  return openCallsJob(parts, {
    name: SETTLE_BATCHES,
    everyMs: EVERY_MS,
    lookedMs: LOOKED_MS,
    open: parts.batches,
    pauseMsMax: DAY_MS,
    failedAsksMax: FAILED_ASKS_MAX,
    isOf: isBatchCall,
    ask: (call, signal) => settleBatch(parts, call, signal),
  });
}

function isBatchCall({ operation }: Entry): boolean {
  return operation === BATCHES;
}

interface OpenBatch extends OpenCall {
  readonly form: BatchForm;
}

async function settleBatch(parts: BatchJobParts, call: OpenCall, signal: AbortSignal): Promise<OpenCallOutcome> {
  const form = call.provider.batches;
  if (!form) return { problem: `${call.provider.name} has no batches.` };
  const batch = { ...call, form };
  const path = form.path(call.recorded.entry.responseId ?? '');
  if (path === null)
    return { problem: `${call.provider.name} gave the batch an id by which it can't be asked for.`, isFinal: true };
  const ended = await fetchEnd(parts, batch, path, signal);
  if (ended === null) return 'later';
  if (Number.isNaN(ended.billed))
    return { problem: `${call.provider.name} does not say how many requests of the batch it bills.` };
  const sum = new BatchSum();
  for (const [at, result] of (ended.results ?? []).entries()) {
    addResult(batch, () => result, sum);
    if (at % LINES_AT_ONCE === 0) await setImmediate();
  }
  for (const file of ended.resultPaths) await addResults(parts, batch, file, sum, signal);
  const missing = ended.billed - sum.billed - sum.unread;
  // They did not arrive whole, or are not all written yet.
  if (missing > 0) throw new UnsettledError(`${missing} of ${ended.billed} results of the batch are missing.`);
  return await correctBatch(parts, batch, sum, ended);
}

/** Returns the end of the batch; null = it has not ended. */
async function fetchEnd(
  parts: BatchJobParts,
  batch: OpenBatch,
  path: string,
  signal: AbortSignal,
): Promise<EndedBatch | null> {
  const { provider, form } = batch;
  const answer = await fetchForCall(parts, batch, { path, msMax: ANSWER_MS_MAX, signal });
  const text = await readAnswerText(answer, BATCH_BYTES_MAX);
  if (text === null)
    throw new UnsettledError(`${provider.name} describes the batch in more than ${BATCH_BYTES_MAX} bytes.`);
  return form.readEnd(JSON.parse(text));
}

/** Adds the results of one file. */
async function addResults(
  parts: BatchJobParts,
  batch: OpenBatch,
  path: string,
  sum: BatchSum,
  signal: AbortSignal,
): Promise<void> {
  const answer = await fetchForCall(parts, batch, { path, msMax: RESULTS_MS_MAX, signal });
  let lines = 0;
  try {
    for await (const line of splitLines(answer)) {
      addResult(batch, () => JSON.parse(line) as unknown, sum);
      if (++lines % LINES_AT_ONCE === 0) await setImmediate();
    }
  } catch (error) {
    if (error instanceof RangeError)
      throw new UnsettledError(`A result of the batch has more than ${LINE_BYTES_MAX} bytes.`);
    throw error;
  }
}

function addResult(batch: OpenBatch, parse: () => unknown, sum: BatchSum): void {
  const result = readResultLine(batch.form, parse);
  if (result === 'unknown') sum.addUnread();
  else if (typeof result === 'string') sum.addUnbilled(result);
  else settleAnswer(batch, result, sum);
}

/** A line that can't be read leaves the other lines as they are. */
function readResultLine(form: BatchForm, parse: () => unknown): BatchLine {
  try {
    return form.readResult(parse());
  } catch {
    return 'unknown';
  }
}

/** Settles one answered request at the price of batches, as if it were a call. */
function settleAnswer({ recorded, provider, key, prices }: OpenBatch, answer: BatchAnswer, sum: BatchSum): void {
  const { entry } = recorded;
  const read = withGeo(answer.usage, key.policy, provider) ?? answer.usage;
  const usage = { ...read, terms: { ...read.terms, tier: BATCH_TIER } };
  const model = answer.model ?? entry.requestedModel ?? '';
  const seen = { ...entry, status: 200, stopped: null, complete: true, errored: false, usage, model };
  const settled = settleCall(entry, { ...seen, outputBytes: 0, bodyBytes: 0 }, prices.contracted, prices.list);
  const { cost, provenance, priced } = settled;
  if (isUncertain(settled)) return sum.addUnread();
  if (cost === null) throw new UnsettledError(`"${model}" has no price for batches. Set one: npx tollbook prices set.`);
  const { list, contracted } = priced ?? { list: cost, contracted: cost };
  const costs = { cost, list, contracted, versions: provenance ? cardVersions(provenance) : [] };
  sum.add(usage, model, costs, (name) => prices.contracted(name)?.tiers ?? []);
}

/** Yields the lines of a body that are not empty. A last one without an end that is no JSON has not arrived whole. */
async function* splitLines(answer: Response): AsyncGenerator<string> {
  const body: AsyncIterable<Uint8Array> | null = answer.body;
  const lines = new LineSplitter(LINE_BYTES_MAX);
  for await (const piece of body ?? []) for (const line of lines.push(piece)) if (!isBlank(line)) yield line.toString();
  const last = lines.end();
  if (isJson(last)) yield last.toString();
}

function isJson(text: Buffer): boolean {
  try {
    JSON.parse(text.toString());
    return true;
  } catch {
    return false;
  }
}

function isBlank(line: Buffer): boolean {
  return line.every(isSpace);
}

/** Corrects the call with the sum of the results. Each billed result that can't be read keeps the bound of the largest request. */
async function correctBatch(
  parts: BatchJobParts,
  batch: OpenBatch,
  sum: BatchSum,
  { billed }: EndedBatch,
): Promise<OpenCallOutcome> {
  const { entry } = batch.recorded;
  const { usage, cost, priced } = sum;
  if (cost > NANO_MAX) return { problem: 'The batch costs more than an entry can hold.', isFinal: true };
  const tokens = totalTokens(usage);
  const known = { usd: cost, inputTokens: inputTokens(tokens), outputTokens: outputTokens(tokens) };
  const unread = Math.max(0, billed - sum.billed);
  if (unread > 0) parts.log.warn({ callId: entry.callId, unread }, 'results of a batch can not be read');
  const kept = unread === 0 ? '' : `, ${unread} not readable, counted with the bound of the largest request`;
  const held = entry.hold.usd;
  if (held !== null && cost > held) await parts.raise(batchOverrunAlert(entry, { cost, held }, parts.clock()));
  return await correctOpenCall(parts, batch, {
    // The same after a crash, so that the results are counted once.
    adjustmentId: `${entry.callId}:batch`,
    costAfter: cost,
    ...(priced && { priced }),
    provenance: fromPrices(sum.versions) ?? { from: 'provider' },
    reason: `results of the batch: ${sum.counts}${kept}`,
    ...(unread === 0
      ? { resolved: { inputTokens: known.inputTokens, outputTokens: known.outputTokens, usage } }
      : { narrowed: { usage, counted: addUnread(entry, known, unread), uncertainReason: 'unreadable' as const } }),
  });
}

/** Adds what unread results can have used at most; all of the batch together stays within its bound. */
function addUnread({ counted, openWork }: Entry, known: CallAmounts, unread: number): CallAmounts {
  const largest = openWork?.batch?.largest ?? counted;
  const most = (sum: number, each: number, all: number): number => Math.max(sum, Math.min(sum + unread * each, all));
  return {
    usd: most(known.usd ?? 0, largest.usd ?? counted.usd ?? 0, counted.usd ?? 0),
    inputTokens: most(known.inputTokens, largest.inputTokens, counted.inputTokens),
    outputTokens: most(known.outputTokens, largest.outputTokens, counted.outputTokens),
  };
}

/** Alert that a batch was charged more than its cost bound. */
function batchOverrunAlert(
  { callId, workspaceId, keyId, provider }: Entry,
  { cost, held }: { readonly cost: number; readonly held: number },
  now: number,
): Alert {
  return {
    type: 'OVERRUN',
    severity: 'critical',
    workspaceId,
    title: 'Maximum cost exceeded by a batch',
    message: `The batch ${callId} (${provider}) cost ${describeAmount('usd', cost)}; its calculated maximum was ${describeAmount('usd', held)}. Limits count the rest. Compare the prices of its model with the bill: tollbook prices list --provider ${provider}.`,
    episode: `batch-overrun:${callId}`,
    createdAt: now,
    scope: { key: keyId, provider },
    value: usdFromNano(cost),
    threshold: usdFromNano(held),
    period: null,
    evidence: { callId },
  };
}
