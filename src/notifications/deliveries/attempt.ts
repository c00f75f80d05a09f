import type { HttpMessage, WebhookMessage, ReceiverReply, WebhookTarget } from '../destinations/destination.ts';
import type { DeliveryAttempt } from '../../storage/records/delivery-records.ts';

/** Characters kept of a request and of a response. */
const REQUEST_CHARS_MAX = 4_096;
const RESPONSE_CHARS_MAX = 1_024;
/** Shorter parts of a URL are words, not secrets. */
const SECRET_CHARS_MIN = 8;
const HIDDEN = '…';
const SECRET_HEADERS = new Set(['authorization']);

/** Result of sending a message: the receiver's reply, or a sentence that says why there is none. */
export type SendResult =
  | { readonly ok: true; readonly reply: ReceiverReply }
  /** `isClosing`: nothing was sent, because this process is shutting down. */
  | { readonly ok: false; readonly error: string; readonly isClosing?: boolean };

interface AttemptInput {
  readonly message: WebhookMessage;
  readonly target: WebhookTarget;
  readonly sent: SendResult;
  readonly isDelivered: boolean;
  readonly at: number;
  readonly ms: number;
}

/** Returns an attempt as it is stored: shortened, and without the secrets of its webhook. */
export function toAttempt({ message, target, sent, isDelivered, at, ms }: AttemptInput): DeliveryAttempt {
  const hide = createHider(listSecrets(target));
  const status = sent.ok ? sent.reply.status : null;
  const error = sent.ok ? `The receiver answered ${sent.reply.status}.` : hide(sent.error);
  return {
    at,
    ms,
    status,
    error: isDelivered ? null : error,
    request: message.via === 'mail' ? showMail(message, hide) : showHttp(message, hide),
    response: sent.ok && sent.reply.body !== '' ? hide(sent.reply.body).slice(0, RESPONSE_CHARS_MAX) : null,
  };
}

function showHttp({ url, headers, body }: HttpMessage, hide: HideSecrets): Record<string, unknown> {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    SECRET_HEADERS.has(name.toLowerCase()) ? HIDDEN : hide(value),
  ]);
  const { origin } = new URL(url);
  return {
    url: `${origin}/${HIDDEN}`,
    headers: Object.fromEntries(shown),
    body: hide(body).slice(0, REQUEST_CHARS_MAX),
  };
}

function showMail(
  { to, subject, text }: Extract<WebhookMessage, { via: 'mail' }>,
  hide: HideSecrets,
): Record<string, unknown> {
  return { to, subject, body: hide(text).slice(0, REQUEST_CHARS_MAX) };
}

type HideSecrets = (text: string) => string;

/** Hides the longest secrets first, because one may contain another. */
function createHider(secrets: readonly string[]): HideSecrets {
  const longestFirst = secrets.toSorted((one, other) => other.length - one.length);
  return (text) => longestFirst.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
}

/** URLs of chat and incident services carry their secret in the path or query, either plain or percent-encoded. */
function listSecrets({ url, secrets }: WebhookTarget): string[] {
  const parsed = url.startsWith('mailto:') ? null : URL.parse(url);
  const parts = parsed ? `${parsed.pathname}${parsed.search}`.split(/[/?&=]/) : [];
  const decoded = parsed ? [...parts.map(decodeOrKeep), ...parsed.searchParams.values()] : [];
  return [...secrets, ...[...parts, ...decoded].filter((part) => part.length >= SECRET_CHARS_MIN)];
}

function decodeOrKeep(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A percent sign that encodes nothing is kept as it is.
    return part;
  }
}
