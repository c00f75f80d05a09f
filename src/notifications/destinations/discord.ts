import { cut, escapeMarkdown } from './shown-text.ts';
import type { WebhookDestination, WebhookNotice, ReceiverReply, WebhookTarget } from './destination.ts';
import { httpAddress, invalid, jsonPost, judgeHttp, later, retryAfterMs } from './http.ts';
import { toPlainNotice, type NoticeTone } from './plain-notice.ts';

/** Discord allows more for each field, but only 6,000 characters for a whole embed, which these maxima never exceed. */
const TITLE_MAX = 256;
const DESCRIPTION_MAX = 2_048;
const NAME_MAX = 64;
const VALUE_MAX = 256;
const WORKSPACE_MAX = 100;

const COLOR: Readonly<Record<NoticeTone, number>> = {
  critical: 0xd92d20,
  warning: 0xf79009,
  info: 0x2e90fa,
  good: 0x12b76a,
};
/** "Unknown webhook" and "invalid webhook token". */
const GONE_CODES: ReadonlySet<unknown> = new Set([10_015, 50_027]);

/** A webhook of a Discord channel. */
export const discord: WebhookDestination = {
  type: 'DISCORD',

  check(target) {
    const { hostname, pathname } = httpAddress(target, 'Discord');
    if (/(^|\.)discord(app)?\.com$/.test(hostname) && !/^\/api(\/v\d+)?\/webhooks\/\d+\/[^/]+\/?$/.test(pathname))
      throw invalid('url', 'url must have the form https://discord.com/api/webhooks/ID/TOKEN with nothing after it.');
  },

  message: (notice, target) =>
    jsonPost(confirmed(target), { allowed_mentions: { parse: [] }, embeds: [buildEmbed(notice)] }),

  judge(reply) {
    const { code, retry_after: seconds } = parseReplyBody(reply);
    if (reply.status === 401 || (reply.status === 404 && GONE_CODES.has(code))) return { outcome: 'gone' };
    if (reply.status === 429 && typeof seconds === 'number')
      return later(Math.max(Math.ceil(seconds * 1_000), retryAfterMs(reply) ?? 0));
    return judgeHttp(reply);
  },
};

/** Adds `wait`: Discord then responds after it has stored the message, and reports an error if it could not. */
function confirmed(target: WebhookTarget): string {
  const url = httpAddress(target, 'Discord');
  url.searchParams.set('wait', 'true');
  return url.href;
}

function buildEmbed(notice: WebhookNotice): unknown {
  const { title, message, facts, mark, workspace, tone, time } = toPlainNotice(notice);
  return {
    title: cut(title, TITLE_MAX, escapeMarkdown),
    url: notice.link,
    description: cut(message, DESCRIPTION_MAX, escapeMarkdown),
    color: COLOR[tone],
    fields: facts.map(({ name, value }) => ({
      name: cut(name, NAME_MAX, escapeMarkdown),
      value: cut(value, VALUE_MAX, escapeMarkdown),
      inline: true,
    })),
    footer: { text: `${mark} · ${cut(workspace, WORKSPACE_MAX)}` },
    timestamp: time,
  };
}

function parseReplyBody({ body }: ReceiverReply): { readonly code?: unknown; readonly retry_after?: unknown } {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    // A proxy in between may answer with another body. Then only the status counts.
    return {};
  }
}
