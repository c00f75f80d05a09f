import { KEY_HEADERS } from '../http/key-headers.ts';

const HEADERS = [...KEY_HEADERS, 'proxy-authorization', 'cookie', 'set-cookie'].join('|');

/** The shapes of provider keys seen in the wild. */
const PROVIDER_KEYS = /(\b(?:sk-|gsk_|xai-|pplx-|tgp_|hf_|AIza))[A-Za-z0-9_-]{16,}/g;

/** Rules run on the finished line, so nothing can go round them, and leave it a well-formed line of JSON. */
const RULES: readonly (readonly [RegExp, string])[] = [
  // A header as a field of the line, its value a text or a list.
  [new RegExp(String.raw`("(?:${HEADERS})":)(?:"(?:[^"\\]|\\.)*"|\[[^\]]*\])`, 'gi'), '$1"[hidden]"'],
  // A header inside some text.
  [
    new RegExp(String.raw`(\b(?:${HEADERS})(?:\\?")?\s*[:=]\s*(?:\\?")?)(?:(?:Bearer|Basic)\s+)?[^\s"'\\,}]+`, 'gi'),
    '$1[hidden]',
  ],
  [/([?&](?:key|api_key|token|secret)=)[^&#\s"'\\]+/gi, '$1[hidden]'],
  [/(\b(?:Bearer|Basic)\s+)[^\s"',\\}]+/g, '$1[hidden]'],
  [/(\bsvc_sk_)[A-Za-z0-9_-]+/g, '$1[hidden]'],
  [/(\bwhsec_)[A-Za-z0-9+/=_-]+/g, '$1[hidden]'],
  [PROVIDER_KEYS, '$1[hidden]'],
];

/** Replaces everything that looks like a provider key, for messages that repeat input. */
export function hideProviderKeys(text: string): string {
  return text.replace(PROVIDER_KEYS, '$1[hidden]');
}

/** The same text without secrets: header values, `?key=`, `svc_sk_…` and everything shaped like a provider's key. */
export function hideSecrets(text: string): string {
  return RULES.reduce((result, [pattern, shown]) => result.replace(pattern, shown), text);
}
