import type { IconName } from '../shared/ui/icon.tsx';

/** A page in the navigation. */
interface NavigationPage {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  /** A line separates groups. */
  readonly group: 'usage' | 'control' | 'money' | 'workspace';
}

/** Pages of the navigation, in order; each has a route in routes.tsx. */
export const navigationPages: readonly NavigationPage[] = [
  { path: '/', name: 'Overview', icon: 'overview', group: 'usage' },
  { path: '/explore', name: 'Explore', icon: 'explore', group: 'usage' },
  { path: '/calls', name: 'Calls', icon: 'calls', group: 'usage' },
  { path: '/sessions', name: 'Sessions', icon: 'sessions', group: 'usage' },
  { path: '/assistants', name: 'Assistants', icon: 'assistants', group: 'usage' },
  { path: '/keys', name: 'Keys', icon: 'keys', group: 'control' },
  { path: '/limits', name: 'Limits', icon: 'limits', group: 'control' },
  { path: '/alerts', name: 'Alerts', icon: 'alerts', group: 'control' },
  { path: '/webhooks', name: 'Webhooks', icon: 'webhooks', group: 'control' },
  { path: '/reports', name: 'Provider reports', icon: 'reports', group: 'money' },
  { path: '/savings', name: 'Savings', icon: 'savings', group: 'money' },
  { path: '/prices', name: 'Prices', icon: 'prices', group: 'money' },
  { path: '/settings', name: 'Settings', icon: 'settings', group: 'workspace' },
  { path: '/help', name: 'Help', icon: 'help', group: 'workspace' },
];

/** Shown where several nodes can use the database, to users who may list them. */
const nodesPage: NavigationPage = { path: '/nodes', name: 'Nodes', icon: 'nodes', group: 'workspace' };

export function listPages(showsNodes: boolean): readonly NavigationPage[] {
  if (!showsNodes) return navigationPages;
  return navigationPages.flatMap((page) => (page.path === '/settings' ? [nodesPage, page] : [page]));
}

interface NavigationTarget {
  readonly name: string;
  readonly path: string;
}

/** Targets of the search field. */
export const navigationTargets: readonly NavigationTarget[] = navigationPages.map(({ name, path }) => ({ name, path }));

const CALL_ID = /^call_[\w-]{1,64}$/;

/** Returns the path for a call ID, or for a page by its name or a part of it; null = no match. */
export function findPagePath(text: string): string | null {
  const words = text.trim();
  if (words === '') return null;
  if (CALL_ID.test(words)) return `/calls/${words}`;
  const asked = words.toLowerCase();
  const named = (match: (name: string) => boolean): NavigationTarget | undefined =>
    navigationTargets.find(({ name }) => match(name.toLowerCase()));
  const found =
    named((name) => name === asked) ?? named((name) => name.startsWith(asked)) ?? named((name) => name.includes(asked));
  return found?.path ?? null;
}
