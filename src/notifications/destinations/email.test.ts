import { expect, test } from 'vitest';
import { destinationContract, reply } from './contract/destination-contract.ts';
import { NOTICES } from './contract/notices.ts';
import type { MailMessage, WebhookMessage, WebhookNotice } from './destination.ts';
import { email } from './email.ts';

const target = { url: 'mailto:ops@example.com,fin.ance+ai@mail.example.org', secrets: [] };

function mailOf(notice: WebhookNotice): MailMessage {
  const message = email.message(notice, target, 0);
  if (message.via !== 'mail') throw new Error('This is no mail.');
  return message;
}

const tags = (html: string): readonly string[] => html.match(/<[^>]*>/g) ?? [];

function expectTaken(message: WebhookMessage, notice: WebhookNotice): void {
  const { to, subject, html, text } = message as MailMessage;
  expect(to).toBe('ops@example.com, fin.ance+ai@mail.example.org');
  expect(subject).toMatch(/^\[[A-Z][a-z ]+\] \S/);
  expect(subject).not.toContain('\n');
  expect(subject.length).toBeLessThanOrEqual(150);
  const harmless = {
    ...notice,
    title: 'x',
    message: 'x',
    workspace: 'x',
    facts: notice.facts.map(() => ({ name: 'x', value: 'x' })),
  };
  expect(tags(html)).toEqual(tags(mailOf(harmless).html));
  expect(text).toContain(notice.link);
}

destinationContract({
  destination: email,
  target,
  refused: {
    'a web address': [{ url: 'https://example.com', secrets: [] }, 'url'],
    'no address': [{ url: 'mailto:', secrets: [] }, 'url'],
    'a missing address between two': [{ url: 'mailto:a@example.com,,b@example.com', secrets: [] }, 'url'],
    'headers in the address': [{ url: 'mailto:a@example.com?bcc=b@example.com', secrets: [] }, 'url'],
    'a line end in the address': [{ url: 'mailto:a@example.com\r\nBcc: b@example.com', secrets: [] }, 'url'],
    'a line end that is percent-encoded': [{ url: 'mailto:a%0d%0aBcc@example.com', secrets: [] }, 'url'],
    'a name beside the address': [{ url: 'mailto:"A" <a@example.com>', secrets: [] }, 'url'],
    'more people than ten': [{ url: `mailto:${Array(11).fill('a@example.com').join(',')}`, secrets: [] }, 'url'],
    'an address that is too long': [{ url: `mailto:a@${'b.'.repeat(130)}com`, secrets: [] }, 'url'],
  },
  expectTaken,
  readsMarkup: true,
});

test('replies are judged by SMTP codes, and a refused login says nothing about the email', () => {
  expect(email.judge(reply(250))).toEqual({ outcome: 'delivered' });
  expect(email.judge(reply(421))).toEqual({ outcome: 'later', afterMs: null });
  expect(email.judge(reply(451))).toEqual({ outcome: 'later', afterMs: null });
  expect(email.judge(reply(550))).toEqual({ outcome: 'refused' });
  expect(email.judge(reply(535))).toEqual({ outcome: 'later', afterMs: null });
});

test('text written by others is escaped in the HTML', () => {
  const html = mailOf({ ...NOTICES.alert, title: `<a href="x">'&` }).html;
  expect(html).toContain('<h2>&lt;a href=&quot;x&quot;&gt;&#39;&amp;</h2>');
});
