import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { LIMITS } from '../config.ts';
import { isObservable } from '../domain/observed/observed-call.ts';
import { TollbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { ObservedStore } from '../storage/observed-store.ts';
import type { Records } from '../storage/records/records.ts';
import type { PricingOf } from '../storage/session-store.ts';
import { readCalls } from '../telemetry/read-calls.ts';
import { readJsonRecords } from '../telemetry/read-json.ts';
import { readJsonMetrics } from '../telemetry/read-json-metrics.ts';
import { readOutcomes } from '../telemetry/read-outcomes.ts';
import { readProtobufRecords } from '../telemetry/read-protobuf.ts';
import { readProtobufMetrics } from '../telemetry/read-protobuf-metrics.ts';
import type { TelemetryRecord } from '../telemetry/record.ts';
import { successJson, successProtobuf } from '../telemetry/success.ts';
import { type Endpoint, rawEndpoint } from './http/endpoint.ts';
import { parseJsonBytes, readBodyBytes } from './http/read-body.ts';

export interface TelemetryServices {
  readonly clock: Clock;
  readonly observed: ObservedStore;
  readonly records: Pick<Records, 'outcomes'>;
  readonly pricingOf: PricingOf;
  /** Computes what observed calls changed. */
  readonly computeSessions: () => Promise<void>;
}

type TelemetryRoute = 'POST /v1/logs' | 'POST /v1/traces' | 'POST /otlp/v1/logs' | 'POST /otlp/v1/traces';

export const receiveTelemetry: readonly Endpoint<TelemetryServices>[] = [
  receive('POST /v1/logs', 'log'),
  receive('POST /v1/traces', 'span'),
  receive('POST /otlp/v1/logs', 'log'),
  receive('POST /otlp/v1/traces', 'span'),
  receiveMetrics('POST /v1/metrics'),
  receiveMetrics('POST /otlp/v1/metrics'),
];

function receive(route: TelemetryRoute, signal: TelemetryRecord['signal']): Endpoint<TelemetryServices> {
  return rawEndpoint(route, async ({ caller: { workspaceId, actor }, request }, services) => {
    const isProtobuf = requireType(request);
    const records = await inTurn(async () => {
      const bytes = await readTelemetryBody(request);
      const decode = (message: Uint8Array): TelemetryRecord[] => readProtobufRecords(signal, message);
      return isProtobuf ? decodeMessage(decode, bytes) : readJsonRecords(signal, parseJsonBytes(bytes));
    });
    const { calls, unreadable } = readCalls(records, actor);
    const at = services.clock();
    const recent = calls.filter(({ startedAt, endedAt }) => isObservable(startedAt, at) && isObservable(endedAt, at));
    if (recent.length > 0) {
      await services.observed.observe({ workspaceId, calls: recent, at }, services.pricingOf);
      await services.computeSessions();
    }
    return answerExport(isProtobuf, signal, unreadable + calls.length - recent.length);
  });
}

/** Stores outcomes. Metrics are sums of calls that logs and spans report, so they are never counted as calls. */
function receiveMetrics(route: 'POST /v1/metrics' | 'POST /otlp/v1/metrics'): Endpoint<TelemetryServices> {
  return rawEndpoint(route, async ({ caller: { workspaceId, actor }, request }, { clock, records }) => {
    const isProtobuf = requireType(request);
    const points = await inTurn(async () => {
      const bytes = await readTelemetryBody(request);
      return isProtobuf ? decodeMessage(readProtobufMetrics, bytes) : readJsonMetrics(parseJsonBytes(bytes));
    });
    const { outcomes, unreadable } = readOutcomes(points, actor);
    const at = clock();
    const recent = outcomes.filter((one) => isObservable(one.at, at));
    await records.outcomes.record(workspaceId, recent);
    return answerExport(isProtobuf, 'metric', unreadable + outcomes.length - recent.length);
  });
}

let open = 0;

/** Runs work unless too much of it is open. Clients send the same again after the time in the answer. */
async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (open >= LIMITS.telemetryRequestsMax)
    throw new TollbookError('rate_limited', 'Too much telemetry arrives at once. Send it again later.', undefined, {
      retryAfter: 1 + Math.round(4 * Math.random()),
    });
  open += 1;
  try {
    return await work();
  } finally {
    open -= 1;
  }
}

/** Returns true for protobuf and false for JSON. */
function requireType(request: Request): boolean {
  const type = request.headers.get('content-type') ?? '';
  if (/^application\/(?:x-)?protobuf\s*(?:;|$)/i.test(type)) return true;
  if (/^application\/json\s*(?:;|$)/i.test(type)) return false;
  throw new TollbookError(
    'unsupported_media_type',
    'Send telemetry by OTLP over HTTP, as application/x-protobuf or application/json.',
  );
}

const unzip = promisify(gunzip);

async function readTelemetryBody(request: Request): Promise<Uint8Array> {
  const bytes = await readBodyBytes(request, LIMITS.telemetryBodyBytesMax);
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return bytes;
  if (encoding !== 'gzip')
    throw new TollbookError('unsupported_media_type', 'Send the body without content-encoding, or with gzip.');
  try {
    return await unzip(bytes, { maxOutputLength: LIMITS.telemetryDecodedBytesMax });
  } catch (error) {
    if (error instanceof RangeError)
      throw new TollbookError(
        'too_large',
        `The body is larger than ${LIMITS.telemetryDecodedBytesMax} bytes when it is decompressed. Send smaller batches.`,
      );
    throw new TollbookError('invalid', 'The body is not well-formed gzip. Send it again.');
  }
}

function decodeMessage<Message>(read: (bytes: Uint8Array) => Message, bytes: Uint8Array): Message {
  try {
    return read(bytes);
  } catch {
    // The library's message may quote the body.
    throw new TollbookError('invalid', 'The body is not an OTLP export request. Check the address of the exporter.');
  }
}

function answerExport(isProtobuf: boolean, signal: TelemetryRecord['signal'] | 'metric', rejected: number): Response {
  return isProtobuf
    ? new Response(successProtobuf(rejected), { headers: { 'content-type': 'application/x-protobuf' } })
    : new Response(successJson(signal, rejected), { headers: { 'content-type': 'application/json' } });
}
