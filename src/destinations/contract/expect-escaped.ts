import { expect } from 'vitest';

/** Fails where a reader of Markdown finds markup: with what is escaped taken out, nothing that it reads may be left. */
export function expectEscaped(text: string): void {
  const rest = text.replace(/\\[^A-Za-z0-9\s]/g, '');
  expect(rest).not.toMatch(/[\\`*_~|[\]{}<>@]|:\S/);
  expect(rest).not.toMatch(/^\s*(?:[-+#]|\d+[.)])/m);
}
