import type { HelpDocument } from './document.ts';

const FILES = '../../../../docs/*.md';

/** Titles of all pages by file; the pages themselves load when they are opened. */
const titles: Readonly<Record<string, string>> = import.meta.glob('../../../../docs/*.md', {
  eager: true,
  query: '?title',
  import: 'title',
});
const documents = import.meta.glob<HelpDocument>('../../../../docs/*.md', { import: 'document' });

/** Pages by subject, in reading order. Pages that are not named follow under the last title. */
const GROUPS: readonly { readonly title: string; readonly pages: readonly string[] }[] = [
  { title: 'Connect', pages: ['clients', 'tools', 'telemetry', 'local-usage', 'api', 'terminal'] },
  { title: 'Control', pages: ['limits', 'policies', 'alerts'] },
  { title: 'Understand', pages: ['sessions', 'provider-reports', 'prices'] },
  { title: 'Run', pages: ['people', 'settings', 'deployment', 'operations', 'growing', 'postgresql', 'clickhouse'] },
  { title: 'Reference', pages: [] },
];

interface HelpPageLink {
  readonly name: string;
  readonly title: string;
}

export interface HelpGroup {
  readonly title: string;
  readonly pages: readonly HelpPageLink[];
}

const pages: readonly HelpPageLink[] = Object.entries(titles)
  .map(([file, title]) => ({ name: readName(file), title }))
  .toSorted((a, b) => a.name.localeCompare(b.name));
const grouped = new Set(GROUPS.flatMap((group) => group.pages));

/** All help pages, by subject. */
export const helpGroups: readonly HelpGroup[] = GROUPS.map(({ title, pages: names }, index) => ({
  title,
  pages: [
    ...names.flatMap((name) => pages.find((page) => page.name === name) ?? []),
    ...(index === GROUPS.length - 1 ? pages.filter(({ name }) => !grouped.has(name)) : []),
  ],
}));

/** Returns the title of a help page; undefined = there is none of this name. */
export function helpTitle(name: string): string | undefined {
  return pages.find((page) => page.name === name)?.title;
}

/** Loads a help page; null = there is no page of this name. */
export async function loadHelpPage(name: string): Promise<HelpDocument | null> {
  const load = documents[FILES.replace('*', name)];
  return load ? await load() : null;
}

function readName(file: string): string {
  return file.replace(/^.*\//u, '').replace(/\.md$/u, '');
}
