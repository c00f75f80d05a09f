import { createRouter } from '@tanstack/react-router';
import { parseSearch, stringifySearch } from '../shared/filter/search-text.ts';
import { entranceRoutes, pageRoutes, root, shell } from './routes.tsx';

/** Milliseconds that a page's script may take before anything is said about it. */
const PENDING_AFTER_MS = 400;

export function createPages() {
  return createRouter({
    routeTree: root.addChildren([shell.addChildren(pageRoutes), ...entranceRoutes]),
    parseSearch,
    stringifySearch,
    scrollRestoration: true,
    defaultPendingMs: PENDING_AFTER_MS,
  });
}
