import { TollbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { ApiClient } from './client.ts';
import type { ToolMachine, ToolContext } from './tool.ts';

export interface SessionOptions {
  readonly client: ApiClient;
  readonly machine: ToolMachine;
  readonly clock: Clock;
  /** Called for errors that the caller did not cause. */
  readonly onError: (error: unknown) => void;
  /** Called after each answered call. */
  readonly onAnswered?: () => void;
}

/** State shared by the calls of one connection. */
export class ToolSession {
  readonly options: SessionOptions;
  #timeZone: Promise<string> | null = null;

  constructor(options: SessionOptions) {
    this.options = options;
  }

  context(signal: AbortSignal, progress: ToolContext['progress']): ToolContext {
    const { client, machine, clock } = this.options;
    return { client, machine, clock, signal, progress, timeZone: () => this.#zone(signal) };
  }

  /** Asked for once; a token that may not ask sees UTC. */
  #zone(signal: AbortSignal): Promise<string> {
    this.#timeZone ??= this.#askZone(signal).catch((error: unknown) => {
      this.#timeZone = null;
      if (error instanceof TollbookError && error.type === 'missing_scope') return 'UTC';
      throw error;
    });
    return this.#timeZone;
  }

  async #askZone(signal: AbortSignal): Promise<string> {
    return (await this.options.client.call('GET /api/mcp/workspace', { signal })).timeZone;
  }
}
