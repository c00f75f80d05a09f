import { expect } from 'vitest';

/** The colon in 12:30, which is not escaped. */
const TIME_OF_DAY = /(?<=\d):(?=\d\d(?!\d))/g;

/** Expects that all Markdown markup in a text is escaped. */
export function expectEscaped(text: string): void {
  const rest = text.replace(/\\[^A-Za-z0-9\s]/g, '').replace(TIME_OF_DAY, '');
  expect(rest).not.toMatch(/[\\`*_~|[\]{}<>@]|:\S|&#?\w+;|\bwww\./i);
  expect(rest).not.toMatch(/^\s*(?:[-+#=]|\d+[.)])/m);
}
