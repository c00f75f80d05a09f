import { setImmediate } from 'node:timers/promises';
import { BATCHES, type Entry, isUncertain } from '../domain/usage/call.ts';
import { settleCall } from '../domain/usage/settle.ts';
import { BATCH_TIER } from '../domain/pricing/batch-card.ts';
import { cardVersions, fromPrices } from '../domain/pricing/provenance.ts';
import { NANO_MAX } from '../domain/money/money.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../domain/time/units.ts';
import { TollbookError } from '../domain/errors.ts';
import { inputTokens, outputTokens, totalTokens } from '../domain/usage/usage.ts';
import type { GatewayKey } from '../domain/identity/wrapped-key.ts';
import { LineSplitter } from '../lib/http/line-splitter.ts';
import { isSpace } from '../lib/json/bytes.ts';
import { type CallPrices, callPrices } from '../prices/call-prices.ts';
import { withGeo } from '../providers/provider-host.ts';
import type { BatchAnswer, BatchForm, EndedBatch, Provider } from '../providers/provider.ts';
import { effectiveEntry } from '../storage/effective-entry.ts';
import type { RecordedEntry } from '../storage/usage-queries.ts';
import { BatchSum } from './batch-sum.ts';
import { fetchFromProvider, readAnswerText } from './fetch-from-provider.ts';
import { type OpenCallOutcome, type OpenCallParts, type OpenCalls, openCallsJob } from './open-calls.ts';
import type { Job } from './schedule.ts';

export const SETTLE_BATCHES = 'settle_batches';
const EVERY_MS = MINUTE_MS;
/** Providers keep results for about a month. */
const LOOKED_MS = 31 * DAY_MS;
/** Results that are not there this long after the batch was sent were deleted. */
const GONE_MS = 2 * DAY_MS;
const ANSWER_MS_MAX = 30 * SECOND_MS;
const RESULTS_MS_MAX = 30 * MINUTE_MS;
/** Longest description of a batch, without its results. */
const BATCH_BYTES_MAX = 1_048_576;
/** Longest result of one request. */
const LINE_BYTES_MAX = 64 * 1_048_576;
/** Results that are read in one turn. */
const LINES_AT_ONCE = 50;

export interface BatchJobParts extends OpenCallParts {
  readonly batches: OpenCalls;
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
    isOf: isBatchCall,
    ask: (recorded, signal) => settleBatch(parts, recorded, signal),
  });
}

function isBatchCall({ operation }: Entry): boolean {
  return operation === BATCHES;
}

/** An open batch, and what its results are read with. */
interface OpenBatch {
  readonly recorded: RecordedEntry;
  readonly provider: Provider;
  readonly form: BatchForm;
  readonly key: GatewayKey;
  readonly prices: CallPrices;
}

async function settleBatch(
  parts: BatchJobParts,
  recorded: RecordedEntry,
  signal: AbortSignal,
): Promise<OpenCallOutcome> {
  const { records, providers, prices, log } = parts;
  const { entry } = recorded;
  const provider = providers.get(entry.provider);
  const key = await records.keys.findForGateway(entry.keyId);
  if (!provider?.batches || !key || key.providerKey === '') return stayUncertain(parts, entry, 'its key was revoked');
  const form = provider.batches;
  const batch = { recorded, provider, form, key, prices: callPrices(prices, entry, provider.priceProvider) };
  try {
    return await settleEnded(parts, batch, signal);
  } catch (error) {
    // A person has just resolved the call.
    if (error instanceof TollbookError) return 'later';
    if (!signal.aborted)
      log.warn({ callId: entry.callId, err: error }, 'the results of a batch could not be read; trying again');
    return 'later';
  }
}

function stayUncertain({ log }: BatchJobParts, { callId, responseId }: Entry, why: string): 'never' {
  log.warn({ callId, batch: responseId }, `the cost of a batch stays uncertain: ${why}`);
  return 'never';
}

async function settleEnded(parts: BatchJobParts, batch: OpenBatch, signal: AbortSignal): Promise<OpenCallOutcome> {
  const { entry } = batch.recorded;
  const ended = await fetchEnd(parts, batch, signal);
  if (ended === 'gone') return stayUncertain(parts, entry, 'the provider no longer has it');
  if (ended === null) return 'later';
  if (Number.isNaN(ended.billed))
    return stayUncertain(parts, entry, 'the provider does not say how many of its requests it bills');
  const sum = new BatchSum();
  for (const path of ended.resultPaths)
    if (!(await addResults(parts, batch, path, sum, signal)))
      return stayUncertain(parts, entry, 'a result is gone, or has no usage or no price');
  // Less than the provider counts: they did not arrive whole, or are not all written yet.
  if (!(sum.billed >= ended.billed)) throw new Error(`${sum.billed} of ${ended.billed} results were there`);
  return (await correctBatch(parts, batch, sum))
    ? 'done'
    : stayUncertain(parts, entry, 'it costs more than an entry can hold');
}

/** Returns the end of the batch; null = it has not ended. */
async function fetchEnd(
  { clock }: BatchJobParts,
  { recorded, provider, form, key }: OpenBatch,
  signal: AbortSignal,
): Promise<EndedBatch | 'gone' | null> {
  const path = form.path(encodeURIComponent(recorded.entry.responseId ?? ''));
  const answer = await fetchFromProvider({ provider, key, path, msMax: ANSWER_MS_MAX, now: clock(), signal });
  const text = await readAnswerText(answer, BATCH_BYTES_MAX);
  if (answer.status === 404 && clock() - recorded.entry.startedAt > GONE_MS) return 'gone';
  if (!answer.ok || text === null) throw new Error(`${provider.name} answered ${answer.status} to GET ${path}`);
  return form.readEnd(JSON.parse(text));
}

/** Adds the results of one file. Returns false if it is gone, or the usage or cost of a result is not known. */
async function addResults(
  { clock }: BatchJobParts,
  batch: OpenBatch,
  path: string,
  sum: BatchSum,
  signal: AbortSignal,
): Promise<boolean> {
  const { provider, form, key } = batch;
  const answer = await fetchFromProvider({ provider, key, path, msMax: RESULTS_MS_MAX, now: clock(), signal });
  if (!answer.ok) {
    await answer.body?.cancel();
    if (answer.status === 404 && clock() - batch.recorded.entry.startedAt > GONE_MS) return false;
    throw new Error(`${provider.name} answered ${answer.status} to GET ${path}`);
  }
  let lines = 0;
  for await (const line of splitLines(answer)) {
    const result = form.readResult(JSON.parse(line));
    if (result === 'unknown') return false;
    if (typeof result === 'string') sum.addUnbilled(result);
    else if (!settleAnswer(batch, result, sum)) return false;
    if (++lines % LINES_AT_ONCE === 0) await setImmediate();
  }
  return true;
}

/** Settles one answered request at the price of batches, as if it were a call. */
function settleAnswer({ recorded, provider, key, prices }: OpenBatch, answer: BatchAnswer, sum: BatchSum): boolean {
  const { entry } = recorded;
  const read = withGeo(answer.usage, key.policy, provider) ?? answer.usage;
  const usage = { ...read, terms: { ...read.terms, tier: BATCH_TIER } };
  const model = answer.model ?? entry.requestedModel ?? '';
  const seen = { ...entry, status: 200, stopped: null, complete: true, errored: false, usage, model };
  const settled = settleCall(entry, { ...seen, outputBytes: 0, bodyBytes: 0 }, prices.contracted, prices.list);
  const { cost, provenance, priced } = settled;
  if (cost === null || isUncertain(settled)) return false;
  const { list, contracted } = priced ?? { list: cost, contracted: cost };
  sum.add(usage, model, { cost, list, contracted, versions: provenance ? cardVersions(provenance) : [] });
  return true;
}

/** Yields the lines of a body that are not empty. */
async function* splitLines(answer: Response): AsyncGenerator<string> {
  const body: AsyncIterable<Uint8Array> | null = answer.body;
  const lines = new LineSplitter(LINE_BYTES_MAX);
  for await (const piece of body ?? []) for (const line of lines.push(piece)) if (!isBlank(line)) yield line.toString();
  const last = lines.end();
  if (!isBlank(last)) yield last.toString();
}

function isBlank(line: Buffer): boolean {
  return line.every(isSpace);
}

/** Corrects the call with the sum of the results. Returns false if an entry can't hold it. */
async function correctBatch(
  { entries, clock }: BatchJobParts,
  { recorded }: OpenBatch,
  sum: BatchSum,
): Promise<boolean> {
  const { callId, workspaceId } = recorded.entry;
  const { usage, cost, priced } = sum;
  if (cost > NANO_MAX) return false;
  const tokens = totalTokens(usage);
  await entries.adjust([
    {
      // The same after a crash, so that the results are counted once.
      adjustmentId: `${callId}:batch`,
      callId,
      workspaceId,
      recordedAt: clock(),
      costBefore: effectiveEntry(recorded).cost,
      costAfter: cost,
      ...(priced && { priced }),
      provenance: fromPrices(sum.versions) ?? { from: 'provider' },
      reason: `results of the batch: ${sum.counts}`,
      resolved: { inputTokens: inputTokens(tokens), outputTokens: outputTokens(tokens), usage },
    },
  ]);
  return true;
}
