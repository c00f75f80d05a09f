import type { IconName } from '../shared/theme/icon.tsx';

/** A page that the navigation leads to. */
export interface NavigationPage {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  /** Pages that belong together stand together. */
  readonly group: 'usage' | 'control' | 'money' | 'workspace';
}

/** What the navigation shows, in this order; each has a route in routes.tsx. */
export const navigationPages: readonly NavigationPage[] = [
  { path: '/', name: 'Overview', icon: 'overview', group: 'usage' },
  { path: '/explore', name: 'Explore', icon: 'explore', group: 'usage' },
  { path: '/calls', name: 'Calls', icon: 'calls', group: 'usage' },
  { path: '/keys', name: 'Keys', icon: 'keys', group: 'control' },
  { path: '/limits', name: 'Limits', icon: 'limits', group: 'control' },
  { path: '/alerts', name: 'Alerts', icon: 'alerts', group: 'control' },
  { path: '/webhooks', name: 'Webhooks', icon: 'webhooks', group: 'control' },
  { path: '/reports', name: 'Provider reports', icon: 'reports', group: 'money' },
  { path: '/savings', name: 'Savings', icon: 'savings', group: 'money' },
  { path: '/prices', name: 'Prices', icon: 'prices', group: 'money' },
  { path: '/settings', name: 'Settings', icon: 'settings', group: 'workspace' },
];
