import type { HelpDocument } from './document.ts';

const FILES = '../../../../docs/*.md';

/** Titles of all pages by file; the pages themselves load when they are opened. */
const titles: Readonly<Record<string, string>> = import.meta.glob('../../../../docs/*.md', {
  eager: true,
  query: '?title',
  import: 'title',
});
const documents = import.meta.glob<HelpDocument>('../../../../docs/*.md', { import: 'document' });

/** Pages that come first, in reading order; the others follow by name. */
const ORDER = [
  'clients',
  'limits',
  'policies',
  'alerts',
  'sessions',
  'local-usage',
  'provider-reports',
  'tools',
  'people',
  'settings',
  'deployment',
  'growing',
  'postgresql',
  'clickhouse',
  'operations',
  'api',
];

export interface HelpPageLink {
  readonly name: string;
  readonly title: string;
}

/** All help pages, in reading order. */
export const helpPages: readonly HelpPageLink[] = Object.entries(titles)
  .map(([file, title]) => ({ name: readName(file), title }))
  .toSorted((a, b) => rank(a.name) - rank(b.name) || a.name.localeCompare(b.name));

/** Loads a help page; null = there is no page of this name. */
export async function loadHelpPage(name: string): Promise<HelpDocument | null> {
  const load = documents[FILES.replace('*', name)];
  return load ? await load() : null;
}

function readName(file: string): string {
  return file.replace(/^.*\//u, '').replace(/\.md$/u, '');
}

function rank(name: string): number {
  const at = ORDER.indexOf(name);
  return at < 0 ? ORDER.length : at;
}
