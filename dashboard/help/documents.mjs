import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { marked } from 'marked';

/**
 * Vite plugin that turns the pages of docs/ into data at build time: `x.md` exports its `document`, `x.md?title` its
 * `title`. The browser gets no Markdown parser and no HTML. Shapes are in src/features/help/document.ts.
 */
export function helpDocuments() {
  return {
    name: 'help-documents',
    enforce: 'pre',
    transform(code, id) {
      const [path = '', query = ''] = id.split('?');
      if (!path.endsWith('.md')) return null;
      const { title, blocks } = parseDocument(code, listNames(dirname(path)));
      const exported = query.includes('title')
        ? `export const title = ${JSON.stringify(title)};`
        : `export const document = ${JSON.stringify({ title, blocks })};`;
      return { code: exported, map: null, moduleType: 'js' };
    },
  };
}

/** Returns the title (the first heading) and the blocks below it. @param names names of all pages, for links */
export function parseDocument(text, names) {
  const tokens = marked.lexer(text);
  const first = tokens.find(({ type }) => type === 'heading');
  if (first?.depth !== 1) throw new Error(`A help page begins with a heading of the first level: ${text.slice(0, 80)}`);
  const context = { names, ids: new Set() };
  return {
    title: first.text,
    blocks: toBlocks(
      tokens.filter((token) => token !== first),
      context,
    ),
  };
}

function listNames(folder) {
  return new Set(
    readdirSync(folder)
      .filter((file) => file.endsWith('.md'))
      .map((file) => basename(file, '.md')),
  );
}

function toBlocks(tokens, context) {
  return tokens.flatMap((token) => toBlock(token, context) ?? []);
}

function toBlock(token, context) {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'hr':
      return null;
    case 'heading':
      return {
        kind: 'heading',
        level: token.depth,
        id: createId(token.text, context.ids),
        children: inline(token, context),
      };
    case 'paragraph':
    case 'text':
      return { kind: 'paragraph', children: inline(token, context) };
    case 'code':
      return { kind: 'code', text: token.text };
    case 'blockquote':
      return { kind: 'quote', blocks: toBlocks(token.tokens, context) };
    case 'list':
      return {
        kind: 'list',
        ordered: token.ordered,
        items: token.items.map(({ tokens }) => toBlocks(tokens, context)),
      };
    case 'table':
      return {
        kind: 'table',
        head: token.header.map((cell) => inline(cell, context)),
        rows: token.rows.map((row) => row.map((cell) => inline(cell, context))),
      };
    case 'html':
      // Comments for tools. Other HTML is never used in the pages.
      if (/^\s*<!--[\s\S]*-->\s*$/u.test(token.text)) return null;
      throw new Error(`Help pages contain no HTML: ${token.text.slice(0, 80)}`);
    default:
      throw new Error(`Help pages can't show Markdown of type ${token.type}.`);
  }
}

function inline(token, context) {
  return (token.tokens ?? []).map((part) => toInline(part, context));
}

function toInline(token, context) {
  switch (token.type) {
    case 'text':
      return token.tokens ? { kind: 'group', children: inline(token, context) } : token.text;
    case 'escape':
      return token.text;
    case 'codespan':
      return { kind: 'code', text: token.text };
    case 'strong':
    case 'em':
      return { kind: token.type, children: inline(token, context) };
    case 'br':
      return '\n';
    case 'image':
      return token.text;
    case 'link':
      return toLink(token, context);
    default:
      return token.raw;
  }
}

/** Links to other help pages and to the web stay; links to files of the repository become text. */
function toLink(token, context) {
  const children = inline(token, context);
  const { href } = token;
  if (/^https?:/u.test(href)) return { kind: 'link', page: null, href, children };
  const [file = '', hash = ''] = href.split('#');
  const name = basename(file, '.md');
  if (file === '') return { kind: 'link', page: null, href: `#${hash}`, children };
  if (!file.includes('/') && context.names.has(name))
    return { kind: 'link', page: name, href: hash === '' ? '' : `#${hash}`, children };
  return { kind: 'group', children };
}

/** Creates the ID of a heading as GitHub does, so that links work in both places. */
function createId(text, ids) {
  const words = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/gu, '-');
  let id = words;
  for (let count = 1; ids.has(id); count += 1) id = `${words}-${count}`;
  ids.add(id);
  return id;
}
