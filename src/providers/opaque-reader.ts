import type { Usage } from '../domain/usage/usage.ts';
import type { UsageReader } from './provider.ts';

/** Reads an answer that is no JSON, such as sound. What it used is known from the request, or not at all. */
export class OpaqueReader implements UsageReader {
  complete = false;
  readonly errored = false;
  readonly early = false;
  readonly model = null;
  readonly responseId = null;
  readonly outputBytes = 0;
  readonly #usage: Usage | null;
  #isEmpty = true;

  constructor(usage: Usage | null) {
    this.#usage = usage;
  }

  push(piece: Uint8Array): void {
    if (piece.length > 0) this.#isEmpty = false;
  }

  end(): void {
    this.complete = !this.#isEmpty;
  }

  usage(): Usage | null {
    return this.complete ? this.#usage : null;
  }
}
