import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRow, oddValue } from '../../../test/sessions/any-claude-row.ts';
import { RowForms } from './row-forms.ts';
import { readUsageRow } from './rows.ts';

const USAGE = { input_tokens: 3, cache_creation: { ephemeral_1h_input_tokens: 5 }, output_tokens: 310 };
const MESSAGE = { model: 'claude-opus-5', id: 'msg_1', role: 'assistant', content: [{ text: ']' }], stop_reason: null };
const ROW = {
  cwd: '/w/prøject',
  isSidechain: true,
  message: { ...MESSAGE, usage: USAGE },
  requestId: 'req_1',
  type: 'assistant',
  timestamp: '2026-09-10T10:00:00.000Z',
};
const LATER = {
  ...ROW,
  cwd: '/w/other',
  message: { ...MESSAGE, id: 'msg_2', stop_reason: 'tool_use', usage: { ...USAGE, output_tokens: 7 } },
  timestamp: '2026-09-10T11:00:00.000Z',
};

/** Reads a row by its form, and learns the form of a row that the parser had to read. */
function readBy(forms: RowForms, line: string) {
  const bytes = Buffer.from(`{"before":1}\n${line}\n{"after":1}`);
  const start = bytes.indexOf('\n') + 1;
  const end = start + Buffer.byteLength(line);
  const found = forms.read(bytes, start, end);
  const parsed = readUsageRow(JSON.parse(line));
  if (found === null && parsed?.usage) forms.learn(parsed, bytes, start, end);
  return found;
}

/** The same members with other values, one after another where a value stands. */
function withValues(value: unknown, values: unknown[]): unknown {
  if (Array.isArray(value)) return value.map((one) => withValues(one, values));
  if (typeof value !== 'object' || value === null) return values.length > 0 ? (values.shift() ?? value) : value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withValues(one, values)]));
}

describe('rows read by their form', () => {
  it('equal what the parser reads, or are left to the parser', () => {
    const others = fc.array(fc.option(oddValue, { freq: 8, nil: undefined }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.array(fc.tuple(anyRow, others), { minLength: 1, maxLength: 3 }), (rows) => {
        const forms = new RowForms();
        for (const [row, values] of rows)
          for (const one of [row, row, withValues(row, [...values]), row]) {
            const line = JSON.stringify(one);
            const found = readBy(forms, line);
            if (found !== null) expect(found).toEqual(withoutFolder(readUsageRow(JSON.parse(line))));
          }
      }),
      { numRuns: 1_000 },
    );
  });

  it('are parsed only once per form', () => {
    const forms = new RowForms();
    const user = '{"parentUuid":null,"type":"user","message":{"role":"user","content":"a"}}';
    const lines = [JSON.stringify(ROW), user, JSON.stringify(LATER), `${JSON.stringify(ROW)}\r`, user];
    expect(lines.map((line) => readBy(forms, line))).toEqual([
      null,
      null,
      withoutFolder(readUsageRow(LATER)),
      withoutFolder(readUsageRow(ROW)),
      null,
    ]);
  });

  it.each([
    ['an error message', { isApiErrorMessage: false }, { isApiErrorMessage: true }],
    ['a copy made at a fork', { forkedFrom: null }, { forkedFrom: { sessionId: 's' } }],
    ['a row that names the requesting session', { requestSessionId: null }, { requestSessionId: 's' }],
  ])('do not match %s', (_name, plain, special) => {
    const forms = new RowForms();
    readBy(forms, JSON.stringify({ ...plain, ...ROW }));
    expect(readBy(forms, JSON.stringify({ ...plain, ...LATER }))).toEqual(withoutFolder(readUsageRow(LATER)));
    expect(readBy(forms, JSON.stringify({ ...special, ...LATER }))).toBeNull();
  });

  it('do not include messages that Claude Code writes itself', () => {
    const forms = new RowForms();
    const own = { ...ROW, message: { ...ROW.message, model: '<synthetic>' } };
    for (const row of [own, ROW, own]) expect(readBy(forms, JSON.stringify(row))).toBeNull();
    expect(readBy(forms, JSON.stringify(ROW))).toEqual(withoutFolder(readUsageRow(ROW)));
  });
});

function withoutFolder(row: ReturnType<typeof readUsageRow>) {
  return row && { ...row, cwd: null };
}
