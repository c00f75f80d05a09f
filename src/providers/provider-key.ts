import { KEY_HEADERS } from '../lib/http/key-headers.ts';

/** Placeholder in a header until the request is signed. Providers refuse it. */
export const UNSIGNED = 'Bearer unsigned';

/** Removes all credentials from the headers of the upstream request and sets the provider's key. */
export function setKey(headers: Record<string, string>, name: string, value: string): void {
  // Deleting an absent property would still make the object slow.
  for (const secret of KEY_HEADERS) if (headers[secret] !== undefined) delete headers[secret];
  headers[name] = value;
}

/** Returns why this cannot be a provider key; null = it may be one. */
export function refuseAnyKey(key: string): string | null {
  if (key === '') return 'The provider key is empty.';
  if (!/^[\x21-\x7e]+$/.test(key))
    return 'A provider key has no spaces, line breaks or special characters. Copy it again.';
  if (key.startsWith('svc_sk_')) return 'This is a wrapped key of Tollbook. Enter the key issued by the provider.';
  return null;
}
