import { breakTags, cut } from './shown-text.ts';
import type { WebhookDestination, NoticeFact, WebhookNotice, ReceiverReply } from './destination.ts';
import { httpAddress, invalid, jsonPost, judgeHttp } from './http.ts';
import { toPlainNotice } from './plain-notice.ts';

/** Block Kit's own limits, in characters and counts. */
const HEADER_MAX = 150;
const TEXT_MAX = 3_000;
const FIELDS_MAX = 10;
const NAME_MAX = 200;
const VALUE_MAX = 500;
const WORKSPACE_MAX = 100;

/** Errors that say that the webhook, its channel or its workspace no longer exists. */
const GONE: ReadonlySet<string> = new Set([
  'channel_is_archived',
  'channel_not_found',
  'invalid_token',
  'no_active_hooks',
  'no_service',
  'no_team',
  'team_disabled',
]);

/**
 * An incoming webhook of Slack or of a compatible receiver. Text written by others is sent as `plain_text`, which has no
 * markup. The link is text, because a button without an app that acknowledges clicks shows a warning.
 */
export const slack: WebhookDestination = {
  type: 'SLACK',

  check(target) {
    const { hostname, pathname } = httpAddress(target, 'Slack');
    if (/^hooks\.slack(-gov)?\.com$/.test(hostname) && !/^\/services(\/[^/]+){3}\/?$/.test(pathname))
      throw invalid(
        'url',
        'url must be the URL of an incoming webhook: https://hooks.slack.com/services/ followed by three parts. Workflow URLs do not work.',
      );
  },

  message: (notice, target) => jsonPost(target.url, slackBody(notice)),

  /** Accepts any body with a 2xx, because compatible receivers answer with something else than "ok". */
  judge(reply) {
    return isGone(reply) ? { outcome: 'gone' } : judgeHttp(reply);
  },
};

function isGone({ status, body }: ReceiverReply): boolean {
  return status >= 400 && status < 500 && GONE.has(body.trim());
}

function slackBody(notice: WebhookNotice): unknown {
  const { title, message, facts, mark, workspace, time } = toPlainNotice(notice);
  const seconds = Math.floor(notice.at / 1_000);
  const context = [
    plainText(`${mark} · ${cut(workspace, WORKSPACE_MAX, breakTags)}`),
    markdown(`<!date^${seconds}^{date_short_pretty} {time}|${time}>`),
    markdown(`<${escape(notice.link)}|Open in Tollbook>`),
  ];
  return {
    // Text of the notification.
    text: cut(`${title}: ${message}`, TEXT_MAX, escape),
    mrkdwn: false,
    unfurl_links: false,
    blocks: [
      { type: 'header', text: plainText(cut(title, HEADER_MAX, breakTags)) },
      { type: 'section', text: plainText(cut(message, TEXT_MAX, breakTags)) },
      ...sections(facts),
      { type: 'context', elements: context },
    ],
  };
}

/** Two columns: names on the left, values on the right. */
function sections(facts: readonly NoticeFact[]): readonly unknown[] {
  const fields = facts.flatMap(({ name, value }) => [
    markdown(`*${cut(name, NAME_MAX, withoutFormatting)}*`),
    plainText(cut(value, VALUE_MAX, breakTags)),
  ]);
  const rows = Array.from({ length: Math.ceil(fields.length / FIELDS_MAX) }, (_, row) => row * FIELDS_MAX);
  return rows.map((start) => ({ type: 'section', fields: fields.slice(start, start + FIELDS_MAX) }));
}

function plainText(text: string): unknown {
  return { type: 'plain_text', text, emoji: false };
}

/** `verbatim` keeps Slack from turning text that looks like a link into one. */
function markdown(text: string): unknown {
  return { type: 'mrkdwn', text, verbatim: true };
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Removes formatting characters from names, which are ours or tag keys: Slack has no escape for them. */
function withoutFormatting(text: string): string {
  return escape(text.replace(/[*~`]|(?<![a-z0-9])_|_(?![a-z0-9])/gi, ' '));
}
