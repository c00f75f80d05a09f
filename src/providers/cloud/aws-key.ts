import aws4 from 'aws4';
import { refuseAnyKey } from '../provider-key.ts';
import type { OutgoingRequest } from '../provider.ts';

/** Credentials that sign requests, as one word: id, secret and, for temporary ones, session token. */
const SIGNING_KEY = /^(A[A-Z]{3}[A-Z0-9]{12,124}):([A-Za-z0-9/+=]{16,128})(?::([A-Za-z0-9/+=]+))?$/;
/** Beginning of an id without its secret. */
const LONE_ID = /^(?:AKIA|ASIA)[A-Z0-9]+$/;

/** Reports whether a provider key signs requests; otherwise it is sent as a bearer token. */
export function isSigningKey(key: string): boolean {
  return SIGNING_KEY.test(key);
}

/** Returns why this is neither credentials of AWS nor an API key of Bedrock; null = it may be one. */
export function refuseAwsKey(key: string): string | null {
  return LONE_ID.test(key)
    ? 'This is the id of an access key without its secret. Enter both as ACCESS_KEY_ID:SECRET_ACCESS_KEY, with :SESSION_TOKEN if they are temporary.'
    : refuseAnyKey(key);
}

/** Signs a request for a service in a region (AWS docs, "Signature Version 4"). Other keys change nothing. @param now epoch ms */
export function signAws(
  { method, origin, path, headers, body }: OutgoingRequest,
  key: string,
  now: number,
  scope: { readonly service: string; readonly region: string },
): void {
  const [, accessKeyId, secretAccessKey, sessionToken] = SIGNING_KEY.exec(key) ?? [];
  if (accessKeyId === undefined || secretAccessKey === undefined) return;
  // Only what must be signed: others may be changed on the way.
  const signed: Record<string, string> = {
    host: new URL(origin).host,
    'x-amz-date': new Date(now).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
  };
  if (sessionToken !== undefined) signed['x-amz-security-token'] = sessionToken;
  const request = {
    ...scope,
    method,
    path,
    headers: signed,
    body: body === null ? '' : Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    extraHeadersToIgnore: { 'content-length': true, 'content-type': true },
  };
  const { headers: complete } = aws4.sign(request, { accessKeyId, secretAccessKey });
  for (const name of ['x-amz-date', 'x-amz-security-token', 'Authorization'])
    if (complete?.[name] !== undefined) headers[name.toLowerCase()] = String(complete[name]);
}
