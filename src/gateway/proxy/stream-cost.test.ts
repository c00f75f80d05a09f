import type { StreamCostForm } from '../../providers/provider.ts';
import { describe, expect, test } from 'vitest';
import { type CostedStream, StreamCost } from './stream-cost.ts';

const STREAM: CostedStream = { costUsd: '0.000350000', responseId: 'chatcmpl-1', model: 'gpt', startedAt: 5_000 };
const MESSAGES = ['event: a\ndata: {"type":"a","b":{}}\n\n', 'event: message_stop\ndata: {"type":"message_stop"}\n\n'];
const CHUNKS = ['data: {"id":"chatcmpl-1"}\n\n', 'data: [DONE]\n\n'];
const GENERATED = [
  'data: {"text":"\\"usageMetadata\\": {"}\n\n',
  'data: {"candidates":[],"usageMetadata": {"promptTokenCount": 2}}\n\n',
];
const COST_CHUNK =
  'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":5,"model":"gpt","choices":[],"svc_cost_usd":0.000350000}\n\n';

/** Sends a stream torn into pieces. It is complete at byte `completeAt`. */
function send(form: StreamCostForm, text: string, cuts: readonly number[], stream = STREAM, completeAt = text.length) {
  const bytes = Buffer.from(text);
  const cost = new StreamCost(form);
  const passed: string[] = [];
  let from = 0;
  for (const until of [...cuts, bytes.length]) {
    passed.push(Buffer.from(cost.pass(bytes.subarray(from, until), until >= completeAt)).toString());
    from = until;
  }
  return { passed, all: passed.join('') + Buffer.from(cost.end(stream)).toString() };
}

test('the cost is in a stream that counts as complete before its last line ends', () => {
  const text = CHUNKS.join('');
  const completeAt = text.indexOf('[DONE]') + 6;
  for (let at = 0; at <= text.length; at++)
    expect(send('last_chunk', text, [at], STREAM, completeAt).all).toBe(CHUNKS.join(COST_CHUNK));
});

describe.each([
  ['last_event', MESSAGES, MESSAGES.join('').replace(/\}\n\n$/, ',"svc_cost_usd":0.000350000}\n\n')],
  ['last_chunk', CHUNKS, CHUNKS.join(COST_CHUNK)],
  ['usage_metadata', GENERATED, GENERATED.join('').replace('"promptTokenCount', '"svc_cost_usd":0.000350000,$&')],
] as const)('%s', (form, events, expected) => {
  const text = events.join('');

  test('the cost is in the last event, wherever the stream is split', () => {
    const wrong: unknown[] = [];
    for (let first = 0; first <= text.length; first++)
      for (let second = first; second <= text.length; second++)
        if (send(form, text, [first, second]).all !== expected) wrong.push([first, second]);
    expect(wrong).toEqual([]);
  });

  test('the cost is in a stream whose lines end with CRLF', () => {
    const crlf = text.replaceAll('\n', '\r\n');
    for (let at = 0; at <= crlf.length; at++)
      expect(send(form, crlf, [at]).all.replaceAll('\r\n', '\n')).toBe(expected);
  });

  test('whole events before the last one are passed on immediately', () => {
    const { passed } = send(form, text, [text.indexOf('\n\n') + 2]);
    expect(passed[0]).toBe(events[0]);
  });

  test('without a known cost every byte is unchanged', () => {
    const unknown = { ...STREAM, costUsd: null };
    for (let at = 0; at <= text.length; at++) expect(send(form, text, [at], unknown).all).toBe(text);
  });

  test('a stream that is cut off is unchanged', () => {
    const cost = new StreamCost(form);
    const cut = text.slice(0, -4);
    expect(Buffer.from(cost.pass(Buffer.from(cut), false)).toString() + Buffer.from(cost.end(STREAM)).toString()).toBe(
      cut,
    );
  });
});
