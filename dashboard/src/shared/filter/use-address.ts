import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { SearchParameters } from './usage-filter.ts';

type AddressChanges = Readonly<Record<string, string | undefined>>;

/**
 * The part of the address after the question mark, read by `read`, and how to change some of its fields. Fields set to
 * undefined leave it. What is typed replaces the entry of the history; what is chosen makes a new one.
 */
export function useAddress<Search>(read: (search: SearchParameters) => Search): {
  readonly search: Search;
  readonly change: (changes: AddressChanges, options?: { readonly replace?: boolean }) => void;
} {
  const text: SearchParameters = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (changes: AddressChanges, { replace = false } = {}) =>
      void navigate({
        to: '.',
        search: (before: SearchParameters) => ({ ...before, ...changes }),
        replace,
        resetScroll: false,
      } as never),
    [navigate],
  );
  return { search: read(text), change };
}
