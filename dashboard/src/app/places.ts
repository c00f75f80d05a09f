import { navigationPages } from './pages.ts';

interface NavigationTarget {
  readonly name: string;
  readonly path: string;
}

/** What can be gone to by name. */
export const navigationTargets: readonly NavigationTarget[] = navigationPages.map(({ name, path }) => ({ name, path }));

const CALL_ID = /^call_[\w-]{1,64}$/;

/** The address of what was typed: a call's id, or a name or its beginning; null = there is none. */
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
