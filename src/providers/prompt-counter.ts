import { parseSlice } from '../lib/json-bytes.ts';
import type { FoundMembers } from '../lib/json-scan.ts';
import type { TokenCounter } from './provider.ts';
import type { RequestBody } from './request-body.ts';
import { objectOf } from './tally.ts';

/** What a provider's free counter wants and answers. */
export interface CounterForm {
  /** Members of the call's body that are the prompt, as the plan names them. */
  readonly members: readonly string[];
  /** Text around them. */
  readonly before: string;
  readonly after: string;
  /** Name of the number in the answer. */
  readonly answer: string;
  /** What the count may be off by: per cent of it, and tokens. */
  readonly slack: { readonly percent: number; readonly tokens: number };
}

/** The counter's request is made of those members of the body that are the prompt; the body itself is not kept. */
export function counterOf({ found }: RequestBody, upstreamPath: string, form: CounterForm): TokenCounter {
  return {
    upstreamPath,
    requestOf: (bytes) => requestOf(bytes, found, form),
    read: (answer) => readCount(answer, form),
  };
}

const COMMA = Buffer.from(',');

function requestOf(bytes: Uint8Array, found: FoundMembers, form: CounterForm): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (const name of form.members) {
    const member = found.get(name);
    if (!member) continue;
    pieces.push(pieces.length === 0 ? Buffer.from(form.before) : COMMA, bytes.subarray(member.nameStart, member.end));
  }
  return Buffer.concat([...pieces, Buffer.from(form.after)]);
}

function readCount(answer: Uint8Array, { answer: name, slack }: CounterForm): number | null {
  const count = objectOf(parseSlice(answer, 0, answer.length))?.[name];
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) return null;
  return count + Math.ceil((count * slack.percent) / 100) + slack.tokens;
}
