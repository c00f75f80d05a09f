import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { SearchText } from './usage-filter.ts';

type Changes = Readonly<Record<string, string | undefined>>;

/**
 * The part of the address after the question mark, read by `read`, and how to change some of its fields. Fields set to
 * undefined leave it. What is typed replaces the entry of the history; what is chosen makes a new one.
 */
export function useAddress<Search>(read: (search: SearchText) => Search): {
  readonly search: Search;
  readonly change: (changes: Changes, options?: { readonly replace?: boolean }) => void;
} {
  const text: SearchText = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (changes: Changes, { replace = false } = {}) =>
      void navigate({
        to: '.',
        search: (before: SearchText) => ({ ...before, ...changes }),
        replace,
        resetScroll: false,
      } as never),
    [navigate],
  );
  return { search: read(text), change };
}
