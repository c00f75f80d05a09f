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
