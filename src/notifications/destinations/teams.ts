import { cut, escapeMarkdown } from './shown-text.ts';
import type { WebhookDestination, WebhookNotice } from './destination.ts';
import { httpAddress, invalid, jsonPost, judgeHttp } from './http.ts';
import { toPlainNotice, type NoticeTone } from './plain-notice.ts';

/** Together these stay below the 28 KB that Teams accepts, at three bytes per character. */
const TITLE_MAX = 200;
const MESSAGE_MAX = 3_000;
const NAME_MAX = 64;
const VALUE_MAX = 256;
const WORKSPACE_MAX = 100;
const FALLBACK_MAX = 500;

const COLOR: Readonly<Record<NoticeTone, string>> = {
  critical: 'Attention',
  warning: 'Warning',
  info: 'Accent',
  good: 'Good',
};

/** A flow of the Teams Workflows app ("When a Teams webhook request is received") that gets an Adaptive Card 1.4. */
export const teams: WebhookDestination = {
  type: 'TEAMS',

  check(target) {
    const { hostname, searchParams } = httpAddress(target, 'Teams');
    if (/(^|\.)(webhook\.office|outlook\.office(365)?)\.com$/.test(hostname))
      throw invalid(
        'url',
        'Office 365 connectors are retired. Create the workflow "Send webhook alerts to a channel" in Teams and enter its URL.',
      );
    if (/\.(logic\.azure|api\.powerplatform)\.com$/.test(hostname) && !searchParams.get('sig'))
      throw invalid('url', 'url is incomplete: the part after "?" contains the signature that the workflow requires.');
  },

  /** Sends to the URL as entered, because its query contains a signature. */
  message: (notice, target) =>
    jsonPost(target.url, {
      type: 'message',
      attachments: [
        { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: buildCard(notice) },
      ],
    }),

  judge: judgeHttp,
};

function buildCard(notice: WebhookNotice): unknown {
  const { title, message, facts, mark, workspace, tone, time } = toPlainNotice(notice);
  const context = `${mark} · ${cut(workspace, WORKSPACE_MAX, escapeMarkdown)} · ${localTime(time)}`;
  const shownFacts = facts.map(({ name, value }) => ({
    title: cut(name, NAME_MAX, escapeMarkdown),
    value: cut(value, VALUE_MAX, escapeMarkdown),
  }));
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: cut(`${title}: ${message}`, FALLBACK_MAX, escapeParagraphs),
    body: [
      textBlock(cut(title, TITLE_MAX, escapeMarkdown), { weight: 'Bolder', size: 'Large', color: COLOR[tone] }),
      textBlock(cut(message, MESSAGE_MAX, escapeParagraphs)),
      ...(shownFacts.length > 0 ? [{ type: 'FactSet', facts: shownFacts }] : []),
      textBlock(context, { isSubtle: true, size: 'Small' }),
    ],
    actions: [{ type: 'Action.OpenUrl', title: 'Open in Tollbook', url: notice.link }],
  };
}

function textBlock(text: string, style: object = {}): unknown {
  return { type: 'TextBlock', text, wrap: true, ...style };
}

/** Escapes text and doubles line feeds, because a card shows a single one as a space. */
function escapeParagraphs(text: string): string {
  return escapeMarkdown(text).replace(/\n+/g, '\n\n');
}

/** Returns card functions that show a time in the reader's time zone. */
function localTime(time: string): string {
  return `{{DATE(${time}, SHORT)}} {{TIME(${time})}}`;
}
