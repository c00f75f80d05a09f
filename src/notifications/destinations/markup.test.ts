import { expect, test } from 'vitest';
import { breakTags, escapeMarkdown } from './shown-text.ts';

test.each([
  ['claude-opus-4-5 at 06:00, $3.50', 'claude-opus-4-5 at 06:00, $3.50'],
  ['[x](https://evil.example)', String.raw`\[x\](https\://evil.example)`],
  ['@everyone <@1> :joy:', String.raw`\@everyone \<\@1\> \:joy:`],
  ['5:100: 7:1a:', String.raw`5\:100: 7\:1a:`],
  ['**b** _i_ ~~s~~ ||p|| `c`', String.raw`\*\*b\*\* \_i\_ \~\~s\~\~ \|\|p\|\| \`c\``],
  ['# h\n- a\n  1. b\n2) c\n> q', '\\# h\n\\- a\n  1\\. b\n2\\) c\n\\> q'],
  ['a\n===\nb', 'a\n\\===\nb'],
  ['&lt;b&gt; R&D & co', String.raw`\&lt;b\&gt; R&D & co`],
  ['see WWW.evil.example', String.raw`see WWW\.evil.example`],
  [String.raw`\*`, String.raw`\\\*`],
  ['{{DATE(2026-01-01T00:00:00Z)}}', String.raw`\{\{DATE(2026-01-01T00:00:00Z)\}\}`],
])('%j is shown as it is', (text, escaped) => {
  expect(escapeMarkdown(text)).toBe(escaped);
});

test('a word joiner after the bracket prevents a tag', () => {
  expect(breakTags('1 < 2 <b> <!channel>')).toBe('1 < 2 <\u2060b> <\u2060!channel>');
});
