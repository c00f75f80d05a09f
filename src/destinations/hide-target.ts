import type { Target } from './destination.ts';

const HIDDEN = '[hidden]';
/** A part of a path that is this long, or that has a digit in it and is at least so long, is taken for a token. */
const TOKEN_LENGTH_MIN = 16;
const TOKEN_WITH_DIGIT_LENGTH_MIN = 8;

/**
 * A text without what the address and the secrets of a webhook give power over: whoever knows a Slack address may post
 * there. For everything that is stored or shown of a delivery, and for the address itself.
 */
export function hideTarget(text: string, { url, secrets }: Target): string {
  const hidden = [...secrets, ...tokensOf(url)].filter((token) => token !== '');
  return hidden
    .toSorted((one, other) => other.length - one.length)
    .reduce((result, token) => result.replaceAll(token, HIDDEN), text);
}

/** As they stand in the address and as they are meant: the receiver's answer may have either. */
function tokensOf(url: string): readonly string[] {
  const address = URL.parse(url);
  if (!address || address.protocol === 'mailto:') return [];
  const inPath = address.pathname.split('/').filter(isToken);
  const inQuery = address.search.slice(1).split('&').map((pair) => pair.slice(pair.indexOf('=') + 1));
  return [...inPath, ...inQuery.filter(isToken), ...[...address.searchParams.values()].filter(isToken)];
}

function isToken(text: string): boolean {
  return text.length >= TOKEN_LENGTH_MIN || (text.length >= TOKEN_WITH_DIGIT_LENGTH_MIN && /\d/.test(text));
}
