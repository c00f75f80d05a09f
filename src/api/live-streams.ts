import { TollbookError } from '../domain/errors.ts';
import { toIso } from '../domain/time/period.ts';
import { scopeAllows, type TokenScope } from '../domain/identity/access.ts';
import { type Clock, type Scheduler, systemScheduler } from '../lib/clock.ts';
import type { LiveEvents } from '../contract/live.ts';

/** Most streams of the whole installation. */
const STREAMS_MAX = 500;
/** Most streams of one person or token: some tabs on some machines. */
const STREAMS_PER_ACTOR_MAX = 20;
const HEARTBEAT_MS = 20_000;
/** Longest time of a stream. Its client then opens another one, if it still has the right to. */
const STREAM_MS_MAX = 5 * 60_000;
/** Most unread data of a client. A slower client is disconnected and reads the current state again. */
const BACKLOG_BYTES_MAX = 64 * 1_024;
/** Time after which a client reconnects. */
const RETRY_MS = 2_000;
const IDS_SHOWN_MAX = 20;

/** Scopes that events need in addition to the scope that opens a stream. */
const NEEDS: Readonly<Partial<Record<keyof LiveEvents, TokenScope>>> = { alert: 'alerts:read' };

/** A client of a stream, with its rights. */
interface LiveListener {
  readonly actor: string;
  readonly workspaceId: string;
  readonly scopes: readonly TokenScope[];
}

interface LiveStream extends LiveListener {
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  readonly callOff: () => void;
}

/**
 * Sends events of a workspace to its open streams as server-sent events. Keeps nothing for clients that are not
 * connected.
 */
export class LiveStreams {
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #streams = new Set<LiveStream>();
  /** Time of the last event by workspace, for a limited number of workspaces. */
  readonly #happenedAt = new Map<string, number>();
  #heartbeat: (() => void) | null = null;

  constructor(clock: Clock, scheduler: Scheduler = systemScheduler) {
    this.#clock = clock;
    this.#scheduler = scheduler;
  }

  /** Opens a stream. Throws `rate_limited` when there are too many. */
  open(listener: LiveListener): ReadableStream<Uint8Array> {
    const own = [...this.#streams].filter(({ actor }) => actor === listener.actor).length;
    if (own >= STREAMS_PER_ACTOR_MAX || this.#streams.size >= STREAMS_MAX)
      throw new TollbookError('rate_limited', 'Too many live streams are open. Close some, or poll instead.');
    let opened: LiveStream | null = null;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const ends = this.#scheduler.later(() => opened && this.#end(opened), STREAM_MS_MAX);
          opened = { ...listener, controller, callOff: ends };
          this.#streams.add(opened);
          controller.enqueue(ENCODER.encode(`retry: ${RETRY_MS}\n`));
          this.#send(opened, 'open', { heartbeatMs: HEARTBEAT_MS, sinceLastEventMs: this.#quietMs(listener) });
          this.#heartbeat ??= this.#beatLater();
        },
        cancel: () => {
          if (opened) this.#forget(opened);
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: BACKLOG_BYTES_MAX }),
    );
  }

  /** Announces new entries, in the order of their end. */
  entriesRecorded(entries: readonly { readonly workspaceId: string; readonly callId: string }[]): void {
    const listened = this.#workspaces();
    for (const workspaceId of new Set(entries.map((entry) => entry.workspaceId))) {
      this.#happenedAt.set(workspaceId, this.#clock());
      if (!listened.has(workspaceId)) continue;
      const own = entries.filter((entry) => entry.workspaceId === workspaceId);
      const ids = own.slice(-IDS_SHOWN_MAX).map(({ callId }) => callId);
      this.send(workspaceId, 'recorded', { count: own.length, ids: ids.toReversed() });
    }
  }

  /** Announces calls that limits refused. */
  refusalsRecorded(refused: readonly { readonly workspaceId: string; readonly calls: number }[]): void {
    const counts = new Map<string, number>();
    for (const { workspaceId, calls } of refused) counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + calls);
    for (const [workspaceId, count] of counts) this.send(workspaceId, 'refused', { count });
  }

  send<Name extends keyof LiveEvents>(workspaceId: string, name: Name, data: LiveEvents[Name]): void {
    this.#happenedAt.set(workspaceId, this.#clock());
    for (const stream of this.#streams) if (stream.workspaceId === workspaceId) this.#send(stream, name, data);
  }

  /**
   * Ends the streams of a person or token that lost the right to them.
   * @param workspaceId null = in all
   */
  dismiss(actor: string, workspaceId: string | null): void {
    for (const stream of this.#streams)
      if (stream.actor === actor && (workspaceId === null || stream.workspaceId === workspaceId)) this.#end(stream);
  }

  /** Ends every stream cleanly. */
  close(): void {
    for (const stream of this.#streams) this.#end(stream);
  }

  #quietMs({ workspaceId }: LiveListener): number | null {
    const at = this.#happenedAt.get(workspaceId);
    return at === undefined ? null : Math.max(0, this.#clock() - at);
  }

  #workspaces(): Set<string> {
    return new Set([...this.#streams].map(({ workspaceId }) => workspaceId));
  }

  #send<Name extends keyof LiveEvents>(stream: LiveStream, name: Name, data: LiveEvents[Name]): void {
    const needed = NEEDS[name];
    if (needed && !scopeAllows(stream.scopes, needed)) return;
    if ((stream.controller.desiredSize ?? 0) <= 0) return this.#end(stream);
    stream.controller.enqueue(ENCODER.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));
  }

  #beatLater(): () => void {
    return this.#scheduler.later(() => {
      const beat = { at: toIso(this.#clock()) };
      for (const stream of this.#streams) this.#send(stream, 'heartbeat', beat);
      this.#heartbeat = this.#streams.size > 0 ? this.#beatLater() : null;
    }, HEARTBEAT_MS);
  }

  #end(stream: LiveStream): void {
    if (!this.#streams.has(stream)) return;
    this.#forget(stream);
    stream.controller.close();
  }

  #forget(stream: LiveStream): void {
    stream.callOff();
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    this.#heartbeat?.();
    this.#heartbeat = null;
  }
}

const ENCODER = new TextEncoder();
