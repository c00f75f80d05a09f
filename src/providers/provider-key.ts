/** Headers that may carry the client's own secret: none of them goes upstream. */
const SECRET_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'];

/** Takes every credential out of the upstream request's headers and sets the provider's key. */
export function setKey(headers: Record<string, string>, name: string, value: string): void {
  // Deleting what isn't there would still make the object a slow one.
  for (const secret of SECRET_HEADERS) if (headers[secret] !== undefined) delete headers[secret];
  headers[name] = value;
}

/** Why this can't be any provider's key; null = fine. */
export function refuseAnyKey(key: string): string | null {
  if (key === '') return 'The provider key is empty.';
  if (!/^[\x21-\x7e]+$/.test(key))
    return 'A provider key has no spaces, line breaks or special characters; copy it again.';
  if (key.startsWith('svc_sk_')) return "This is a key of this service's own; give the key that the provider issued.";
  return null;
}
