import type { Usage } from '../../domain/usage/usage.ts';
import { asObject, asText, type JsonObject } from '../../lib/json/values.ts';
import type { UsageTally } from '../answer-tally.ts';
import { type ErrorNames, readErrorNames } from '../error-names.ts';

/** Slots in which `SoundTally` receives the members of an answer. */
export const SOUND_SLOTS = { type: 0, usage: 1, error: 2 };
export const WORD_BYTES_MAX = 256;

interface SoundTallyOptions {
  /** Type of the event that ends a stream. */
  readonly done: string;
  /** @param finished the stream has ended */
  readonly read: (used: JsonObject | null, finished: boolean) => Usage | null;
}

/** Reads an answer of speech or transcription: an error, a document with usage, or a stream whose last event has it. */
export class SoundTally implements UsageTally {
  finished = false;
  errored = false;
  error: ErrorNames | null = null;
  readonly model = null;
  readonly responseId = null;
  readonly #options: SoundTallyOptions;
  #type: string | null = null;
  #usage: JsonObject | null = null;

  constructor(options: SoundTallyOptions) {
    this.#options = options;
  }

  get sawUsage(): boolean {
    return this.#usage !== null;
  }

  receive(slot: number, value: unknown): void {
    if (slot === SOUND_SLOTS.type) this.#type = asText(value);
    else if (slot === SOUND_SLOTS.usage) this.#usage = asObject(value);
    else {
      this.errored ||= value !== null;
      this.error = readErrorNames(value);
    }
  }

  closeDocument(): void {
    if (this.#type === this.#options.done) this.finished = true;
    else if (this.#type === 'error') this.errored = true;
    this.#type = null;
  }

  endEvent(name: string): void {
    if (name === 'error') this.errored = true;
  }

  end(): void {}

  usage(): Usage | null {
    return this.#options.read(this.#usage, this.finished);
  }
}
