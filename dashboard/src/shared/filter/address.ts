import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { joinValues, splitValues } from './parameter-values.ts';
import type { SearchParameters } from './usage-filter.ts';

export type AddressChanges = Readonly<Record<string, string | undefined>>;

/**
 * Returns the search parameters, read by `read`, and a function that changes some of them; undefined removes one.
 * With `replace`, the change replaces the current history entry: use it while typing.
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

/** Parses search parameters as plain names and values, without JSON. The values of a repeated one are joined. */
export function parseSearch(text: string): Record<string, string> {
  const parameters = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => [name, joinValues(parameters.getAll(name)) ?? '']),
  );
}

export function stringifySearch(search: SearchParameters): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search))
    if (typeof value === 'string') for (const one of splitValues(value)) if (one !== '') parameters.append(name, one);
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** Returns a path parameter, for example `callId` of `/calls/$callId`. */
export function usePathParameter(name: string): string {
  const parameters: Readonly<Record<string, string | undefined>> = useParams({ strict: false });
  return parameters[name] ?? '';
}
