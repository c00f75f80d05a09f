import { Webhook } from 'standardwebhooks';
import { cut } from './shown-text.ts';
import type { WebhookDestination, WebhookNotice } from './destination.ts';
import { httpAddress, invalid, jsonPost, judgeHttp, toJson } from './http.ts';
import { toPlainNotice } from './plain-notice.ts';

/** Maximum that the Standard Webhooks specification recommends; some receivers refuse larger bodies. */
const BODY_BYTES_MAX = 20_000;
const TITLE_MAX = 500;
const MESSAGE_MAX = 2_000;
/** Fields left out of a body are listed by name, up to these numbers of names and bytes. */
const OMITTED_MAX = 20;
const OMITTED_NAME_MAX = 64;
const OMITTED_BYTES_MAX = 8_000;

const SECRET_PREFIX = 'whsec_';
const BASE64 = /^(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The user's own program, by the rules of https://www.standardwebhooks.com. Without a secret, messages are unsigned. */
export const custom: WebhookDestination = {
  type: 'CUSTOM',

  check(target) {
    httpAddress(target, 'the receiver');
    if (target.secrets.includes('')) throw invalid('secret', 'secret is empty. Enter a secret or leave it out.');
  },

  message(notice, target, at) {
    const body = customBody(notice);
    const signatures = target.secrets.map((secret) => signer(secret).sign(notice.id, new Date(at), toJson(body)));
    return jsonPost(target.url, body, {
      'webhook-id': notice.id,
      'webhook-timestamp': String(Math.floor(at / 1_000)),
      ...(signatures.length > 0 ? { 'webhook-signature': signatures.join(' ') } : {}),
    });
  },

  judge: judgeHttp,
};

/**
 * Returns the signer for a secret. For the form of the specification, `whsec_` and base64, the decoded bytes are the
 * key. For any other text its UTF-8 bytes are the key.
 */
function signer(secret: string): Webhook {
  const encoded = secret.startsWith(SECRET_PREFIX) && BASE64.test(secret.slice(SECRET_PREFIX.length));
  return encoded ? new Webhook(secret) : new Webhook(secret, { format: 'raw' });
}

function customBody(notice: WebhookNotice): unknown {
  const { id, kind, type, severity, link, at } = notice;
  const { title, message } = toPlainNotice(notice);
  const name = type.toLowerCase().replaceAll('_', '.');
  const own = { severity, title: cut(title, TITLE_MAX), message: cut(message, MESSAGE_MAX), link };
  const bodyWith = (data: object): unknown => ({
    type: kind === 'resolved' ? `${name}.resolved` : name,
    timestamp: new Date(at).toISOString(),
    data,
  });
  const whole = bodyWith({ id, ...notice.data, ...own });
  if (jsonBytes(whole) <= BODY_BYTES_MAX) return whole;
  const left = BODY_BYTES_MAX - jsonBytes(bodyWith({ id, ...own })) - OMITTED_BYTES_MAX;
  return bodyWith({ id, ...fittingData(notice.data, left), ...own });
}

/** Returns the fields of the data that fit; `omitted` names the others. */
function fittingData(data: WebhookNotice['data'], bytesMax: number): object {
  const kept: [string, unknown][] = [];
  const omitted: string[] = [];
  let left = bytesMax;
  for (const [name, value] of Object.entries(data)) {
    const bytes = jsonBytes({ [name]: value });
    if (bytes <= left) {
      kept.push([name, value]);
      left -= bytes;
    } else omitted.push(name);
  }
  const names = omitted.slice(0, OMITTED_MAX).map((name) => cut(name, OMITTED_NAME_MAX));
  return { ...Object.fromEntries(kept), omitted: names };
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(toJson(value));
}
