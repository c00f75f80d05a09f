import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { parseDocument } from '../help/documents.mjs';

const files = globSync('docs/*.md');
const names = new Set(files.map((file) => basename(file, '.md')));

test.each(files)('%s can be shown as a help page', (file) => {
  const { title, blocks } = parseDocument(readFileSync(file, 'utf8'), names);
  expect(title).not.toBe('');
  expect(blocks.length).toBeGreaterThan(0);
});

test('links to pages and to the web stay, links to files of the repository become text', () => {
  const { blocks } = parseDocument(
    '# T\n\n[a](b.md#c) [d](https://e.example) [f](#g) [h](../src/i.ts) [j](k.md)\n',
    new Set(['b']),
  );
  expect(blocks).toEqual([
    {
      kind: 'paragraph',
      children: [
        { kind: 'link', page: 'b', href: '#c', children: ['a'] },
        ' ',
        { kind: 'link', page: null, href: 'https://e.example', children: ['d'] },
        ' ',
        { kind: 'link', page: null, href: '#g', children: ['f'] },
        ' ',
        { kind: 'group', children: ['h'] },
        ' ',
        { kind: 'group', children: ['j'] },
      ],
    },
  ]);
});

test('HTML is refused, except for comments', () => {
  expect(parseDocument('# T\n\n<!-- note -->\n', new Set()).blocks).toEqual([]);
  expect(() => parseDocument('# T\n\n<script>alert(1)</script>\n', new Set())).toThrow('Help pages contain no HTML');
});

test('headings have the IDs that links on the web expect, each once', () => {
  const { blocks } = parseDocument('# T\n\n## Who may do what?\n\n## Who may do what?\n\n## `kill -9`\n', new Set());
  expect(blocks.map((block) => block.kind === 'heading' && block.id)).toEqual([
    'who-may-do-what',
    'who-may-do-what-1',
    'kill--9',
  ]);
});
