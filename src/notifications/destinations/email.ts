import { cut } from './shown-text.ts';
import type { WebhookDestination, WebhookTarget } from './destination.ts';
import { invalid, later } from './http.ts';
import { toPlainNotice, type PlainNotice, type NoticeTone } from './plain-notice.ts';

const ADDRESSES_MAX = 10;
const ADDRESS_MAX = 254;
/** An email address as HTML accepts it (`<input type=email>`): no space, line break, comma or quote. */
const ADDRESS =
  /^[a-z0-9.!#$&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

const SUBJECT_MAX = 150;
const MESSAGE_MAX = 5_000;
const LINE_MAX = 500;
const COLOR: Readonly<Record<NoticeTone, string>> = {
  critical: '#d92d20',
  warning: '#f79009',
  info: '#2e90fa',
  good: '#12b76a',
};
/** The operator's mail server refused the login: that says nothing about the message. */
const LOGIN_REFUSED: ReadonlySet<number> = new Set([530, 534, 535, 538]);

/**
 * One email to one or more people. The webhook's URL is `mailto:a@example.com,b@example.com`, and replies carry SMTP
 * codes.
 */
export const email: WebhookDestination = {
  type: 'EMAIL',

  check(target) {
    const addresses = splitAddresses(target);
    const isGood = addresses.every((address) => address.length <= ADDRESS_MAX && ADDRESS.test(address));
    if (!isGood || addresses.length > ADDRESSES_MAX)
      throw invalid(
        'url',
        `url must be mailto: followed by up to ${ADDRESSES_MAX} addresses, for example mailto:a@example.com,b@example.com.`,
      );
  },

  message(notice, target) {
    const shown = shortened(toPlainNotice(notice));
    return {
      via: 'mail',
      to: splitAddresses(target).join(', '),
      subject: cut(`[${shown.mark}] ${shown.title}`, SUBJECT_MAX),
      text: mailText(shown, notice.link),
      html: mailHtml(shown, notice.link),
    };
  },

  /** 4xx = try again later, 5xx = this email is refused (RFC 5321, 4.2.1). */
  judge({ status }) {
    if (status >= 200 && status < 300) return { outcome: 'delivered' };
    return status >= 500 && !LOGIN_REFUSED.has(status) ? { outcome: 'refused' } : later(null);
  },
};

function splitAddresses({ url }: WebhookTarget): readonly string[] {
  return /^mailto:/i.test(url) ? url.slice('mailto:'.length).split(',') : [''];
}

function shortened({ facts, ...shown }: PlainNotice): PlainNotice {
  return {
    ...shown,
    title: cut(shown.title, LINE_MAX),
    message: cut(shown.message, MESSAGE_MAX),
    workspace: cut(shown.workspace, LINE_MAX),
    facts: facts.map(({ name, value }) => ({ name: cut(name, LINE_MAX), value: cut(value, LINE_MAX) })),
  };
}

function mailText({ title, message, facts, workspace, time }: PlainNotice, link: string): string {
  const lines = facts.map(({ name, value }) => `${name}: ${value}`);
  const parts = [title, message, lines.join('\n'), link, `${workspace}, ${time}`];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function mailHtml(shown: PlainNotice, link: string): string {
  const { title, message, facts, workspace, tone, mark, time } = shown;
  const rows = facts.map(
    ({ name, value }) =>
      `<tr><th align="left" style="padding:2px 16px 2px 0">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  return [
    '<!doctype html><html><body style="font-family:sans-serif">',
    `<div style="border-left:4px solid ${COLOR[tone]};padding-left:16px">`,
    `<h2>${escapeHtml(title)}</h2>`,
    `<p style="white-space:pre-line">${escapeHtml(message)}</p>`,
    ...(rows.length > 0 ? [`<table>${rows.join('')}</table>`] : []),
    `<p><a href="${escapeHtml(link)}">Open in Tollbook</a></p>`,
    `<p style="color:#667085"><small>${mark} · ${escapeHtml(workspace)} · ${time}</small></p>`,
    '</div></body></html>\n',
  ].join('\n');
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
