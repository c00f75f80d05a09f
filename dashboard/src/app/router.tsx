import { createRouter } from '@tanstack/react-router';
import { parseSearch, stringifySearch } from '../shared/filter/search-text.ts';
import { signedOutRoutes, pageRoutes, root, shell } from './routes.tsx';

/** Milliseconds that a page's script may take before anything is said about it. */
const PENDING_AFTER_MS = 400;

export function createAppRouter() {
  return createRouter({
    routeTree: root.addChildren([shell.addChildren(pageRoutes), ...signedOutRoutes]),
    parseSearch,
    stringifySearch,
    scrollRestoration: true,
    defaultPendingMs: PENDING_AFTER_MS,
  });
}
