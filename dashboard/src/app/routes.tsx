import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { parseSearch, stringifySearch } from '../shared/filter/address.ts';
import type { SearchParameters } from '../shared/filter/usage-filter.ts';
import { PageError, PageNotFound } from './fallback-pages.tsx';
import { Shell } from './shell.tsx';

export const root = createRootRoute({
  // Every page reads its own search parameters; see shared/filter/address.ts.
  validateSearch: (search: SearchParameters) => search,
  search: { middlewares: [retainSearchParams(['workspace'])] },
  errorComponent: PageError,
});

/** Parent of all pages that need a user session. */
export const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  errorComponent: PageError,
});

type PageModule<Name extends string> = Readonly<Record<Name, () => ReactNode>>;

/** A page inside the shell. Its script loads when the page is first shown, or when a link to it is hovered. */
function page<Name extends string>(path: string, load: () => Promise<PageModule<Name>>, name: Name): AnyRoute {
  return createRoute({ getParentRoute: () => shell, path, component: lazyRouteComponent(load, name) });
}

function signedOutPage<Name extends string>(path: string, load: () => Promise<PageModule<Name>>, name: Name): AnyRoute {
  return createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, name) });
}

/** Every page: a new one is a folder in features/, a line here and a line in navigation.ts. */
export const pageRoutes: readonly AnyRoute[] = [
  page('/', () => import('../features/overview/overview-page.tsx'), 'OverviewPage'),
  page('/explore', () => import('../features/explore/explore-page.tsx'), 'ExplorePage'),
  page('/calls', () => import('../features/calls/calls-page.tsx'), 'CallsPage'),
  page('/sessions', () => import('../features/sessions/sessions-page.tsx'), 'SessionsPage'),
  page('/session', () => import('../features/sessions/session-page.tsx'), 'SessionPage'),
  page('/assistants', () => import('../features/assistants/assistants-page.tsx'), 'AssistantsPage'),
  page('/keys', () => import('../features/keys/keys-page.tsx'), 'KeysPage'),
  page('/keys/new', () => import('../features/keys/new-key-page.tsx'), 'NewKeyPage'),
  page('/keys/$keyId', () => import('../features/keys/key-page.tsx'), 'KeyPage'),
  page('/limits', () => import('../features/limits/limits-page.tsx'), 'LimitsPage'),
  page('/limits/new', () => import('../features/limits/new-limit-page.tsx'), 'NewLimitPage'),
  page('/limits/$limitId', () => import('../features/limits/limit-page.tsx'), 'LimitPage'),
  page('/limits/$limitId/edit', () => import('../features/limits/edit-limit-page.tsx'), 'EditLimitPage'),
  page('/alerts', () => import('../features/alerts/alerts-page.tsx'), 'AlertsPage'),
  page('/alerts/$alertId', () => import('../features/alerts/alert-page.tsx'), 'AlertPage'),
  page('/webhooks', () => import('../features/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  page('/webhooks/new', () => import('../features/webhooks/new-webhook-page.tsx'), 'NewWebhookPage'),
  page('/webhooks/$webhookId', () => import('../features/webhooks/webhook-page.tsx'), 'WebhookPage'),
  page('/calls/$callId', () => import('../features/calls/call-page.tsx'), 'CallPage'),
  page('/reports', () => import('../features/reports/reports-page.tsx'), 'ReportsPage'),
  page('/savings', () => import('../features/savings/savings-page.tsx'), 'SavingsPage'),
  page('/prices', () => import('../features/prices/prices-page.tsx'), 'PricesPage'),
  page('/help', () => import('../features/help/help-pages.tsx'), 'HelpPage'),
  page('/help/$page', () => import('../features/help/help-pages.tsx'), 'HelpTopicPage'),
  page('/nodes', () => import('../features/nodes/nodes-page.tsx'), 'NodesPage'),
  page('/settings', () => import('../features/settings/settings-page.tsx'), 'SettingsPage'),
];

export const signedOutRoutes: readonly AnyRoute[] = [
  signedOutPage('/sign-in', () => import('../features/auth/sign-in-page.tsx'), 'SignInPage'),
  signedOutPage('/claim', () => import('../features/auth/claim-page.tsx'), 'ClaimPage'),
  signedOutPage('/join', () => import('../features/auth/invitation-page.tsx'), 'InvitationPage'),
];

/** Every other address, with the menu. */
const noPage = createRoute({ getParentRoute: () => shell, path: '$', component: PageNotFound });

/** Time before a loading page shows a placeholder. */
const PENDING_AFTER_MS = 400;

export function createAppRouter() {
  return createRouter({
    routeTree: root.addChildren([shell.addChildren([...pageRoutes, noPage]), ...signedOutRoutes]),
    parseSearch,
    stringifySearch,
    scrollRestoration: true,
    defaultPendingMs: PENDING_AFTER_MS,
  });
}
