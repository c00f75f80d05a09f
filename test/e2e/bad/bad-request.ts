import { LONG_BYTES } from './exchange.ts';

/** Whose error shape the answer has; `own`: the service's; `bare`: a JSON sentence of the HTTP server; `empty`: no body. */
export type Shape = 'anthropic' | 'google' | 'openai' | 'own' | 'bare' | 'empty';

/** Secrets that stand in the tables as `{{name}}`. */
type SecretName =
  | 'anthropic'
  | 'anthropicOther'
  | 'google'
  | 'openai'
  | 'revoked'
  | 'expired'
  | 'token'
  | 'reader'
  | 'admin';
export type Secrets = Readonly<Record<SecretName, string>>;

/** One request that must be refused, and how. */
export interface BadRequest {
  /** What is wrong with it. */
  readonly name: string;
  /** Default: POST. */
  readonly method?: string;
  readonly path?: string;
  /** A list is a header that comes several times. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | (() => Uint8Array);
  /** The exact bytes, one per character, instead of all that. */
  readonly raw?: string;
  /** The client ends its side of the connection after the request. */
  readonly halfClose?: boolean;
  readonly status: number;
  readonly shape: Shape;
  readonly says?: RegExp;
}

export const PATHS = {
  anthropic: '/api/proxy/anthropic/v1/messages',
  google: '/api/proxy/google',
  openai: '/api/proxy/openai/v1/chat/completions',
  responses: '/api/proxy/openai/v1/responses',
  embeddings: '/api/proxy/openai/v1/embeddings',
} as const;

export const BODIES = {
  anthropic: '{"model":"claude-haiku-4-5","max_tokens":64,"messages":[{"role":"user","content":"Hello"}]}',
  google: '{"model":"gemini-2.5-flash","contents":[{"parts":[{"text":"Hello"}]}]}',
  openai: '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"Hello"}]}',
  responses: '{"model":"gpt-4o-mini","input":"Hello"}',
  embeddings: '{"model":"text-embedding-3-small","input":"Hello"}',
} as const;

function fillSecrets(text: string, secrets: Secrets): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) =>
    Object.hasOwn(secrets, name) ? secrets[name as SecretName] : whole,
  );
}

/** The request as it goes over the wire: nothing checks or repairs it on the way. */
export function render(bad: BadRequest, secrets: Secrets): Buffer {
  if (bad.raw !== undefined) return Buffer.from(fillSecrets(bad.raw, secrets), 'latin1');
  const { method = 'POST', path = '/', body = '' } = bad;
  const bytes = typeof body === 'string' ? Buffer.from(fillSecrets(body, secrets)) : Buffer.from(body());
  const given = Object.entries(bad.headers ?? {}).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${value}`),
  );
  const lines = [`${method} ${path} HTTP/1.1`, 'host: localhost', ...given];
  if (bytes.length > 0) lines.push(`content-length: ${bytes.length}`);
  const head = fillSecrets(
    `${lines.join('\r\n')}\r\nconnection: ${bytes.length > LONG_BYTES ? 'keep-alive' : 'close'}\r\n\r\n`,
    secrets,
  );
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}
