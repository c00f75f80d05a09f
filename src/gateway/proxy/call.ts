import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { CallBegin, CallEnd } from '../../domain/usage/call.ts';
import { readsOnce } from '../../domain/limits/demand.ts';
import { usdTextFromNano } from '../../domain/money/money.ts';
import { inputTokens, outputTokens, totalTokens, type Usage } from '../../domain/usage/usage.ts';
import { settleCall } from '../../domain/usage/settle.ts';
import { limitHeaders } from '../../domain/limits/limit-headers.ts';
import type { CommitCallback, Journal, JournaledCall } from '../../journal/journal.ts';
import { mayBreakOff } from '../../limits/abandoned-calls.ts';
import type { Hold } from '../../limits/hold.ts';
import type { LimitsEngine } from '../../limits/limits.ts';
import type { Clock, Uptime } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type CallPrices, callPrices } from '../../prices/call-prices.ts';
import type { PriceBook } from '../../prices/price-book.ts';
import { NO_PLACE } from '../../lib/concurrency/slots.ts';
import { mayChargeRefusal, withGeo } from '../../providers/provider-host.ts';
import type { Provider, UsageReader } from '../../providers/provider.ts';
import { type AnswerSource, AnswerWriter } from './answer-writer.ts';
import type { AdmittedCall } from './attempt.ts';
import { denyBrokenCall, NoConnection, readStopReason, type StopReason } from './broken-call.ts';
import { AnswerDecoder } from './decoder.ts';
import { type Drain, type DrainLimits, openDrain } from './drain.ts';
import { clientHeaders, type FlatHeaders, mediaType } from './headers.ts';
import type { InferenceRequest } from './proxy-request.ts';
import type { RateWatch } from './rate-watch.ts';
import { StreamCost } from './stream-cost.ts';
import type { ConnectionLease } from './upstream.ts';

export interface CallLimits extends DrainLimits {
  readonly callMsMax: number;
}

export interface CallDeps {
  readonly journal: Journal;
  readonly engine: LimitsEngine;
  readonly prices: Pick<PriceBook, 'resolve' | 'contracts'>;
  /** Window time. */
  readonly now: Clock;
  /** Clock of deadlines and durations, so that a step of the wall clock interrupts no call. */
  readonly uptime: Uptime;
  readonly limits: CallLimits;
  readonly log: Log;
  readonly rates: Pick<RateWatch, 'look'>;
  /** Runs once per call, after its end is in the journal; `failure`: the end could not be written yet. */
  ended(call: ProxiedCall, end: CallEnd, failure: Error | null): void;
}

/** The parts of a request that its call needs. */
export type CallRequest = Pick<
  InferenceRequest,
  'res' | 'provider' | 'key' | 'facts' | 'bodyBytes' | 'streamCost' | 'releaseBody'
>;

/** Output bytes between two checks of a stream's running usage. */
const USAGE_CHECK_BYTES = 1_024;

/**
 * One open call: between the commit of its begin and the commit of its end. Events come in this order:
 * `dispatch` → onRequestStart → onResponseStart → onResponseData* → onResponseEnd | onResponseError, with
 * `clientLeft` at any time. It settles exactly once.
 */
export class ProxiedCall implements Dispatcher.DispatchHandler, AnswerSource {
  readonly begin: CallBegin;
  readonly hold: Hold;
  readonly connection: Pick<ConnectionLease, 'end'>;
  readonly #request: CallRequest;
  place = NO_PLACE;
  readonly #deps: CallDeps;
  readonly #startedAt: number;
  readonly #answer: AnswerWriter;
  #journaled: JournaledCall | null = null;
  /** Passed to the pool, where it may wait for a connection; there is no controller until it has one. */
  #dispatched = false;
  #controller: Dispatcher.DispatchController | null = null;
  #reader: UsageReader | null = null;
  #decoder: AnswerDecoder | null = null;
  #state: 'open' | 'settling' | 'settled' = 'open';
  #ended = false;
  #stop: StopReason | null = null;
  #streamCost: StreamCost | null = null;
  #status = 0;
  #requestId: string | null = null;
  #isBilledByUse = false;
  #firstByteMs: number | null = null;
  #noted = false;
  #streaming = false;
  #clientGone = false;
  /** null = the client is there, or the answer is read to its end. */
  #drain: Drain | null = null;
  /** Output bytes from which the running usage is checked again. */
  #lookAtBytes = 0;
  #lastEnd: CallEnd | null = null;

  constructor(
    deps: CallDeps,
    request: CallRequest,
    begin: CallBegin,
    { hold }: Pick<AdmittedCall, 'hold'>,
    connection: Pick<ConnectionLease, 'end'>,
  ) {
    this.#deps = deps;
    this.#startedAt = deps.uptime();
    this.#request = request;
    this.begin = begin;
    this.hold = hold;
    this.connection = connection;
    const { res } = request;
    this.#answer = new AnswerWriter(res, this);
    res.once('close', () => {
      request.releaseBody();
      if (!res.writableFinished) this.clientLeft();
    });
  }

  /** Writes the begin to the journal; `committed` runs with its commit. */
  writeBegin(committed: CommitCallback): void {
    this.#journaled = this.#deps.journal.begin(this.begin, committed);
  }

  /**
   * Sends the call to the provider. Returns false if its client disconnected, or it ended, while the begin was being
   * written.
   */
  dispatch(pool: Pick<Dispatcher, 'dispatch'>, options: Dispatcher.DispatchOptions): boolean {
    if (this.#state === 'open' && !this.#clientGone) {
      this.#dispatched = true;
      pool.dispatch(options, this);
      return true;
    }
    this.connection.end();
    if (this.#state === 'open') this.#settle('not_sent');
    return false;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The call may have ended while it waited for a connection. An abort here sends nothing.
    if (this.#state !== 'open') controller.abort(new Error('the call is over'));
  }

  onRequestSent(): void {
    this.#request.releaseBody();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // Early hints and the like precede the answer itself.
    if (status < 200) return;
    const { provider, facts } = this.#request;
    const { begin } = this;
    this.#status = status;
    this.#requestId = firstValue(headers[provider.requestIdHeader]);
    this.#isBilledByUse = provider.subscription?.isBilledByUse?.(headers) ?? false;
    this.#deps.rates.look(begin, headers, begin.startedAt);
    const contentType = mediaType(firstValue(headers['content-type']));
    const reader = facts.openReader({ status, contentType, headers });
    this.#reader = reader;
    const encoding = firstValue(headers['content-encoding']);
    if (encoding !== null) this.#openDecoder(encoding.trim().toLowerCase(), reader);
    this.#streaming = facts.stream && status < 300;
    if (this.#clientGone) return;
    this.#openStreamCost(contentType);
    const keepsBody = reader.takeOutput === undefined && this.#streamCost === null;
    const out = clientHeaders(headers, false, keepsBody);
    out.push('x-svc-call-id', begin.callId, ...shortenedHeaders(begin));
    this.#answer.open(status, out, keepsBody ? firstValue(headers['content-length']) : null, this.#streaming);
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    this.#firstByteMs ??= this.#elapsedMs();
    if (this.#decoder) {
      // Decoding is asynchronous; one piece at a time keeps the order and the memory bounded.
      controller.pause();
      this.#decoder.push(piece, () => {
        this.#checkProgress();
        if (this.#deliver(piece)) this.#resume();
      });
      return;
    }
    this.#reader?.push(piece);
    this.#checkProgress();
    if (!this.#deliver(piece)) controller.pause();
  }

  onResponseEnd(): void {
    this.connection.end();
    if (this.#decoder) this.#decoder.end(() => this.#finishReading());
    else this.#finishReading();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.connection.end();
    this.#ended = true;
    this.#decoder?.close();
    const stop = this.#stop ?? this.#stopFrom(error);
    if (this.#state === 'open') this.#settle(stop, error);
    // While the end is being written, the answer is complete and is sent with it.
    else if (this.#state === 'settled' && !this.#clientGone && this.#status !== 0) this.#answer.breakOff();
  }

  /** Stops writing to a client that closed its connection. The answer is read on for a while, to learn the usage. */
  clientLeft(): void {
    if (this.#clientGone) return;
    this.#clientGone = true;
    this.#answer.stop();
    if (!this.#dispatched) return;
    if (this.#state === 'open' && !(this.#drains && this.#controller)) return this.abort('client_left');
    if (this.#state === 'open') {
      const { requestedModel } = this.begin;
      const card = this.#prices.contracted(requestedModel ?? '');
      this.#drain = openDrain(this.#deps.limits, this.#deps.uptime(), this.#reader?.outputBytes ?? 0, card);
    }
    // Even when the usage is known: a connection that is not read would never be free again.
    this.#resume();
  }

  /** Ends the call if it takes too long. Called about once a second. */
  sweep(uptime: number): void {
    if (this.#state !== 'open') return;
    if (this.#drain !== null && uptime >= this.#drain.until) this.#endDrain();
    else if (uptime - this.#startedAt >= this.#deps.limits.callMsMax) this.abort('timeout');
  }

  /** Stops reading from the provider. A call that still waits for a connection ends immediately: nothing was sent. */
  abort(stop: StopReason): void {
    if (this.#controller) {
      this.#stop = stop;
      this.#controller.abort(new Error(stop));
    } else if (this.#state === 'open') this.#settle('not_sent', new NoConnection());
  }

  /** Prepares for the cost at the end of the stream, where the client asks for it. */
  #openStreamCost(contentType: string): void {
    const { streamCost } = this.#request;
    if (streamCost !== null && this.#streaming && !this.#decoder && contentType === 'text/event-stream')
      this.#streamCost = new StreamCost(streamCost);
  }

  #openDecoder(encoding: string, reader: UsageReader): void {
    if (encoding === 'identity' || encoding === '') return;
    this.#decoder = AnswerDecoder.open(encoding, (piece) => reader.push(piece));
    if (!this.#decoder) this.#deps.log.warn({ encoding }, 'a provider answered in an encoding that was not offered');
  }

  /**
   * Checks the progress after each piece: settles a complete stream, notes early usage, and ends an answer that
   * exceeds its hold or its drain.
   */
  #checkProgress(): void {
    const reader = this.#reader;
    if (!reader || this.#state !== 'open') return;
    if (reader.complete && this.#streaming) this.#settle(null);
    else if (reader.early && !this.#noted) {
      this.#noted = true;
      const usage = reader.usage();
      // A crash counts what was noted as the whole prompt.
      if (usage && readsOnce(this.#request.facts.demand)) this.#note(usage);
    } else if (this.#drain !== null && reader.outputBytes > this.#drain.outputBytesMax) this.#endDrain();
    else if (this.#noted && this.#passesHold(reader)) this.abort('overrun');
  }

  /** Reports whether a stream's running usage exceeds its hold. It is then cut, so that it exceeds no limit. */
  #passesHold(reader: UsageReader): boolean {
    const { counters, need, presumed } = this.hold;
    if (counters.length === 0 || presumed || reader.outputBytes < this.#lookAtBytes) return false;
    this.#lookAtBytes = reader.outputBytes + USAGE_CHECK_BYTES;
    const usage = reader.usage();
    if (!usage) return false;
    const tokens = totalTokens(usage);
    return outputTokens(tokens) > need.outputTokens || inputTokens(tokens) > need.inputTokens;
  }

  /** Lets the provider continue, unless the previous piece is still being decoded. */
  #resume(): void {
    if (!this.#decoder?.busy) this.#controller?.resume();
  }

  #elapsedMs(): number {
    return Math.round(this.#deps.uptime() - this.#startedAt);
  }

  #note(usage: Usage): void {
    if (this.#journaled) this.#deps.journal.note(this.#journaled, usage);
  }

  /** Forwards a piece. Returns false when the client can't take more now. */
  #deliver(piece: Uint8Array): boolean {
    if (this.#clientGone) return true;
    const output = this.#reader?.takeOutput;
    if (!output) return this.#handOn(piece);
    let flowing = true;
    for (const part of output.call(this.#reader)) flowing = this.#handOn(part);
    return flowing;
  }

  #handOn(piece: Uint8Array): boolean {
    const part = this.#streamCost ? this.#streamCost.pass(piece, this.#reader?.complete ?? false) : piece;
    if (this.#state === 'settling') {
      this.#answer.hold(part);
      return true;
    }
    const isFlowing = this.#answer.write(part);
    if (this.#state === 'settled') this.#addStreamCost();
    return isFlowing;
  }

  #finishReading(): void {
    this.#ended = true;
    this.#reader?.end();
    if (this.#reader?.takeOutput) this.#deliver(new Uint8Array());
    if (this.#state === 'open')
      this.#settle(this.#decoder?.failed ? 'unreadable' : this.#clientGone ? 'client_left' : null);
    else if (this.#state === 'settled') this.#finish();
  }

  #finish(): void {
    this.#addStreamCost();
    this.#answer.finish();
  }

  #settle(stopped: StopReason | null, error?: Error): void {
    this.#state = 'settling';
    const { begin, hold } = this;
    const { key, provider, facts } = this.#request;
    const { demand } = facts;
    const reader = this.#reader;
    const usage = reader?.usage() ?? null;
    const prices = this.#prices;
    const settled = settleCall(
      begin,
      {
        endedAt: begin.startedAt + this.#elapsedMs(),
        status: this.#status,
        stopped,
        complete: reader?.complete ?? false,
        errored: reader?.errored ?? false,
        chargedRefusal: mayChargeRefusal(provider, this.#status, reader?.error?.code ?? null),
        errorType: reader?.error?.type ?? null,
        runsOn: facts.runsOn === true,
        isBilledByUse: this.#isBilledByUse || isSpeedBilledByUse(provider, usage),
        usage: withGeo(usage, key.policy, provider),
        unlistedFee: demand.work.hasUnlistedFee ? (key.policy.assumedCostUsd ?? 0) : null,
        asked: demand.asked,
        outputBytes: reader?.outputBytes ?? 0,
        bodyBytes: this.#request.bodyBytes,
        model: readAnsweringModel(provider, begin, reader?.model ?? null),
        requestId: this.#requestId,
        responseId: reader?.responseId ?? null,
        firstByteMs: this.#firstByteMs,
      },
      prices.contracted,
      prices.list,
    );
    const adopted = hold.adoptedRefs();
    const end = adopted ? { ...settled, adopted } : settled;
    this.#lastEnd = end;
    this.#deps.engine.ending(hold);
    if (!this.#journaled) throw new Error(`Call ${begin.callId} was settled before it began.`);
    this.#deps.journal.end(this.#journaled, end, (failure) => this.#settled(end, stopped, error ?? null, failure));
  }

  /**
   * Finishes the answer once the end is in the journal. If the end could not be written, the begin is there and
   * counts with the whole hold.
   */
  #settled(end: CallEnd, stopped: StopReason | null, error: Error | null, failure: Error | null): void {
    this.#state = 'settled';
    if (failure)
      this.#deps.log.error({ callId: end.callId, reason: failure.message }, 'the end of a call could not be written');
    this.#deps.ended(this, end, failure);
    if (this.#clientGone) return;
    if (error) return this.#reportBroken(stopped, error);
    if (this.#ended) return this.#finish();
    this.#addStreamCost();
    this.#answer.release();
  }

  #reportBroken(stopped: StopReason | null, error: Error): void {
    if (this.#status !== 0) return this.#answer.breakOff();
    denyBrokenCall(this.#request, this.begin.callId, stopped, error);
  }

  drained(): void {
    this.#resume();
  }

  /** Returns what is left under the tightest limit, and the cost if the call has ended. */
  lastHeaders(): FlatHeaders {
    const tightest = this.#deps.engine.tightest(this.hold, this.#deps.now());
    const headers: FlatHeaders = tightest ? limitHeaders(tightest) : [];
    const costUsd = this.#shownCost();
    if (costUsd !== null) headers.push('x-svc-cost-usd', costUsd);
    return headers;
  }

  /** Adds the cost once its place has been read: the call may be settled before its last event has come whole. */
  #addStreamCost(): void {
    const streamCost = this.#streamCost;
    if (!streamCost || !(streamCost.isAtPlace || this.#ended)) return;
    this.#streamCost = null;
    const { callId, requestedModel, startedAt } = this.begin;
    const { responseId = null, model = null } = this.#reader ?? {};
    const stream = { responseId: responseId ?? callId, model: model ?? requestedModel ?? '', startedAt };
    this.#answer.write(streamCost.end({ ...stream, costUsd: this.#shownCost() }));
  }

  /** Returns the cost in dollars; null = not known exactly. */
  #shownCost(): string | null {
    const { uncertainReason = null, cost = null } = this.#lastEnd ?? {};
    return cost === null || uncertainReason !== null ? null : usdTextFromNano(cost);
  }

  #stopFrom(error: Error): StopReason {
    if (!this.#controller) return 'not_sent';
    if (this.#clientGone) return 'client_left';
    return readStopReason(error);
  }

  /** After its client disconnects, the answer is read on to learn the usage. */
  get #drains(): boolean {
    return this.#request.key.policy.onDisconnect === 'drain';
  }

  get #prices(): CallPrices {
    return callPrices(this.#deps.prices, this.begin, this.#request.provider.priceProvider);
  }

  /** Breaks off an abandoned answer, or reads it to its end if its key's abandoned calls count too much already. */
  #endDrain(): void {
    if (this.#stop !== null) return;
    if (mayBreakOff(this.hold, this.#deps.now())) return this.abort('client_left');
    this.#drain = null;
  }
}

function shortenedHeaders({ shortenedTo }: CallBegin): FlatHeaders {
  if (shortenedTo === null) return NO_HEADERS;
  const headers: FlatHeaders = [];
  if (shortenedTo.outputTokens !== null) headers.push('x-svc-clamped-max-tokens', String(shortenedTo.outputTokens));
  if (shortenedTo.toolUses !== null) headers.push('x-svc-clamped-tool-uses', String(shortenedTo.toolUses));
  return headers;
}

const NO_HEADERS: FlatHeaders = [];

/**
 * Some hosts answer with the name of the deployment, others with that of its model. That model may be the name of another
 * deployment, so only the requested one is translated.
 */
function readAnsweringModel(
  { deployments }: Provider,
  { requestedModel }: CallBegin,
  name: string | null,
): string | null {
  return name !== null && deployments?.get(name) === requestedModel ? requestedModel : name;
}

function isSpeedBilledByUse({ subscription }: Provider, usage: Usage | null): boolean {
  const speed = usage?.terms.speed ?? null;
  return speed !== null && (subscription?.speedsBilledByUse?.includes(speed) ?? false);
}

function firstValue(value: string | string[] | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : (value[0] ?? null);
}
