import { useMantineColorScheme } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { shortSession } from '../../../../src/domain/text/limits.ts';
import { useRead } from '../../shared/api/use-api.ts';
import { limitName } from '../../shared/limits/limit-text.ts';
import { LIMITS_PATH } from '../../shared/limits/use-limits.ts';
import { useKeyNames } from '../../shared/names/queries.ts';
import { useMay, useSession } from '../../shared/session/session.ts';
import { useSignOut } from '../../shared/session/use-sign-out.ts';
import { RANGE_NAMES, RANGES } from '../../shared/time/period.ts';
import { listPages } from '../navigation.ts';
import type { PaletteTarget } from './targets.ts';

type SearchText = Readonly<Record<string, string>>;
type GoTo = (to: string, search?: SearchText) => () => void;

/** Pages whose period is in their address. */
const PERIOD_PAGES: ReadonlySet<string> = new Set(['/explore', '/calls', '/sessions', '/assistants']);
const SESSIONS_MAX = 100;

/** Returns everything that the palette offers. Names are read when it opens. */
export function useTargets(showShortcuts: () => void): readonly PaletteTarget[] {
  const navigate = useNavigate();
  const go: GoTo = (to, search = {}) => {
    return () => void navigate({ to, search });
  };
  return [
    ...usePages(go),
    ...useActions(go, showShortcuts),
    ...useControls(go),
    ...useUsage(go),
    ...usePeople(go),
    ...usePeriods(go),
  ];
}

/** Other words for pages. */
const PAGE_WORDS: Readonly<Record<string, string>> = {
  '/': 'home dashboard',
  '/explore': 'usage spend chart',
  '/calls': 'requests log entries',
  '/assistants': 'claude code codex people',
  '/limits': 'budgets',
  '/reports': 'reconciliation bill organization',
  '/savings': 'subscriptions plans',
  '/prices': 'rates contracts',
  '/settings': 'members tokens audit account',
  '/help': 'documentation',
};

function usePages(go: GoTo): PaletteTarget[] {
  const { showsNodes = false } = useSession().workspace;
  return listPages(showsNodes).map(({ path, name, icon }) => ({
    group: 'Pages',
    id: path,
    name,
    icon,
    words: PAGE_WORDS[path] ?? '',
    run: go(path),
  }));
}

function useActions(go: GoTo, showShortcuts: () => void): PaletteTarget[] {
  const [mayWork, mayManage] = [useMay('work'), useMay('manage')];
  const { setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  const action = (name: string, icon: PaletteTarget['icon'], run: () => void, words = ''): PaletteTarget => ({
    group: 'Actions',
    id: name,
    name,
    icon,
    words,
    run,
  });
  return [
    ...(mayWork ? [action('Create key', 'plus', go('/keys/new'), 'wrapped new')] : []),
    ...(mayManage
      ? [
          action('Create limit', 'plus', go('/limits/new'), 'budget new'),
          action('Add webhook', 'plus', go('/webhooks/new'), 'slack alert new'),
          action('Invite member', 'person', go('/settings', { part: 'members' }), 'user add link'),
        ]
      : []),
    ...(mayWork ? [action('Create access token', 'plus', go('/settings', { part: 'tokens' }), 'api new')] : []),
    action('Use light appearance', 'sun', () => setColorScheme('light'), 'theme mode'),
    action('Use dark appearance', 'moon', () => setColorScheme('dark'), 'theme mode'),
    action('Show keyboard shortcuts', 'help', showShortcuts, '?'),
    action('Sign out', 'person', () => signOut.mutate('here'), 'log out'),
  ];
}

function useControls(go: GoTo): PaletteTarget[] {
  const keyNames = useKeyNames();
  const limits = useRead(`GET ${LIMITS_PATH}`, { query: { values: 1 } });
  return [
    ...[...keyNames].map(([id, name]): PaletteTarget => ({
      group: 'Keys',
      id,
      name,
      icon: 'keys',
      words: `key ${id}`,
      run: go(`/keys/${id}`),
    })),
    ...(limits.data?.limits ?? []).map((limit): PaletteTarget => ({
      group: 'Limits',
      id: limit.id,
      name: limitName(limit, (id) => keyNames.get(id) ?? id),
      icon: 'limits',
      words: `limit budget ${limit.id}`,
      run: go(`/limits/${limit.id}`),
    })),
  ];
}

function useUsage(go: GoTo): PaletteTarget[] {
  const values = useRead('GET /api/mcp/usage/values');
  const sessions = useRead('GET /api/mcp/sessions', { query: { sort: 'recent', limit: SESSIONS_MAX } });
  return [
    ...(values.data?.models ?? []).map(({ value }): PaletteTarget => ({
      group: 'Models',
      id: value,
      name: value,
      icon: 'explore',
      words: 'model',
      run: go('/explore', { model: value }),
    })),
    ...(sessions.data?.sessions ?? []).map(({ session }): PaletteTarget => ({
      group: 'Sessions',
      id: session,
      name: shortSession(session),
      icon: 'sessions',
      words: `session ${session}`,
      run: go('/session', { name: session }),
    })),
    ...(values.data?.tagKeys ?? []).map((key): PaletteTarget => ({
      group: 'Tags',
      id: key,
      name: `Spend by ${key}`,
      icon: 'prices',
      words: 'tag explore',
      run: go('/explore', { by: `tag:${key}` }),
    })),
  ];
}

function usePeople(go: GoTo): PaletteTarget[] {
  const assistants = useRead('GET /api/mcp/assistants');
  return (assistants.data?.rows.person ?? []).flatMap(({ value, name }): PaletteTarget[] => {
    if (value === null) return [];
    const run = go('/assistants', { person: value, by: 'person' });
    return [{ group: 'People', id: value, name: name ?? value, icon: 'person', words: 'person assistants', run }];
  });
}

function usePeriods(go: GoTo): PaletteTarget[] {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const choose = (range: string): (() => void) => {
    if (!PERIOD_PAGES.has(pathname)) return go('/explore', { range });
    const search = (before: SearchText) => ({ ...before, range, from: undefined, to: undefined, cursor: undefined });
    return () => void navigate({ to: '.', search });
  };
  return RANGES.map((range) => ({
    group: 'Periods',
    id: range,
    name: RANGE_NAMES[range],
    icon: 'calendar',
    words: 'period range time',
    run: choose(range),
  }));
}
