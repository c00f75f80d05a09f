import { parseSlice } from '../lib/json/bytes.ts';
import type { FoundMembers } from '../lib/json/scan.ts';
import type { TokenCounter } from './provider.ts';
import type { RequestBody } from './request-body.ts';
import { asObject } from '../lib/json/values.ts';

/** Request and response format of a provider's free token counter. */
export interface CounterForm {
  /** Members of the call's body that form the prompt, as named in the plan. */
  readonly members: readonly string[];
  /** Text after them. */
  readonly after: string;
  /** Name of the count in the response. */
  readonly answer: string;
  /** Maximum error of the count: percent of it, and tokens. */
  readonly slack: { readonly percent: number; readonly tokens: number };
}

/**
 * Builds the counter's request from the members of the body that form the prompt, without keeping the body. Each byte of
 * the other members may be a token too and is added to the count.
 */
export class PromptCounter implements TokenCounter {
  readonly upstreamPath: string;
  readonly #found: FoundMembers;
  readonly #form: CounterForm;
  readonly #before: string;
  readonly #bodyBytes: number;
  readonly #mediaTokens: number;

  /**
   * @param before text before the members
   * @param mediaTokens tokens of media that the count may leave out
   */
  constructor(
    { found, textBytes }: RequestBody,
    upstreamPath: string,
    form: CounterForm,
    before: string,
    mediaTokens = 0,
  ) {
    this.upstreamPath = upstreamPath;
    this.#found = found;
    this.#form = form;
    this.#before = before;
    this.#bodyBytes = textBytes;
    this.#mediaTokens = mediaTokens;
  }

  requestOf(bytes: Uint8Array): Uint8Array {
    const pieces: Uint8Array[] = [];
    for (const name of this.#form.members) {
      const member = this.#found.get(name);
      if (!member) continue;
      const between = pieces.length === 0 ? Buffer.from(this.#before) : COMMA;
      pieces.push(between, bytes.subarray(member.nameStart, member.end));
    }
    return Buffer.concat([...pieces, Buffer.from(this.#form.after)]);
  }

  read(answer: Uint8Array): number | null {
    const { answer: name, slack } = this.#form;
    const count = asObject(parseSlice(answer, 0, answer.length))?.[name];
    if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) return null;
    const most = count + Math.ceil((count * slack.percent) / 100) + slack.tokens;
    return most + this.#mediaTokens + this.#uncountedBytes();
  }

  #uncountedBytes(): number {
    let bytes = this.#bodyBytes - BRACES_BYTES;
    for (const name of this.#form.members) {
      const member = this.#found.get(name);
      if (member) bytes -= member.end - member.nameStart + COMMA.length;
    }
    return Math.max(0, bytes);
  }
}

const COMMA = Buffer.from(',');
const BRACES_BYTES = 2;
