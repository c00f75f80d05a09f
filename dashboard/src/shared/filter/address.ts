import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
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

/** Addresses that people read: plain names and values, no JSON. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: SearchParameters): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search))
    if (typeof value === 'string' && value !== '') parameters.set(name, value);
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** The part of the path that a route names, for instance `callId` of `/calls/$callId`. */
export function usePathParameter(name: string): string {
  const parameters: Readonly<Record<string, string | undefined>> = useParams({ strict: false });
  return parameters[name] ?? '';
}
