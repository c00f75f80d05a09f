import fc from 'fast-check';
import { ALERT_TYPES, SEVERITIES } from '../../../domain/alerts/alert.ts';
import { NOTICE_KINDS, type WebhookNotice, type NoticeKind } from '../destination.ts';

const alert: WebhookNotice = {
  id: 'al_7Hq2',
  kind: 'alert',
  type: 'COST_SPIKE',
  severity: 'warning',
  title: 'Cost spike: anthropic',
  message:
    'anthropic cost $412.10 today; usual by this hour is $120.40.\nMost of it is claude-opus-4-5 by key "batch jobs".',
  at: Date.UTC(2026, 10, 21, 6, 0, 0, 250),
  episode: 'spike:anthropic:2026-11-21',
  workspace: 'Team A & B',
  facts: [
    { name: 'Today', value: '$412.10' },
    { name: 'Usual', value: '$120.40' },
    { name: 'Tag cost_center', value: 'r_and_d' },
  ],
  link: 'https://tollbook.example.com/alerts/al_7Hq2',
  data: {
    id: 'al_7Hq2',
    scope: { provider: 'anthropic' },
    value: 412.1,
    threshold: 240.8,
    evidence: { usual: 120.4, hours: 6 },
  },
};

/** A typical notice of each kind. */
export const NOTICES: Readonly<Record<NoticeKind, WebhookNotice>> = {
  alert,
  resolved: {
    ...alert,
    id: 'al_7Hq2_end',
    kind: 'resolved',
    title: 'Resolved: cost spike: anthropic',
    message: 'anthropic is back at its usual level.',
    at: Date.UTC(2026, 10, 21, 11),
  },
  test: {
    ...alert,
    id: 'msg_test1',
    kind: 'test',
    type: 'TEST',
    severity: 'info',
    title: 'Test of the webhook "on call"',
    message: 'Deliveries arrive here.',
    episode: 'test:msg_test1',
    facts: [],
    data: {},
  },
  digest: {
    ...alert,
    id: 'msg_digest1',
    kind: 'digest',
    type: 'WEEKLY_DIGEST',
    severity: 'info',
    title: 'Week of 16 November 2026',
    message: '$1,204.10 in 48,211 calls, 12% more than the week before.',
    episode: 'digest:2026-W47',
    data: { cost: 1204.1, calls: 48211 },
  },
};

const HOSTILE = [
  '',
  ' ',
  '\n\n',
  '<!channel> <!here> <@U123> <#C123> <https://evil.example|click>',
  '@everyone @here <@123> <@&456> <#789> <t:1700000000> <:a:1> :joy:',
  '[click](https://evil.example) ![x](https://evil.example/x.png) **bold** __u__ ~~s~~ ||spoiler|| `code`',
  '# heading\n- item\n1. one\n> quote\n```\nfence',
  '{{DATE(2026-01-01T00:00:00Z, SHORT)}} ${x} @{triggerBody()}',
  '<b>bold</b><script>alert(1)</script><a href="https://evil.example">x</a> &lt;!channel&gt; &amp;',
  '\u0000\u0007\u001b[31mred\u009b0m\u007f',
  '\u202egpj.exe\u202c \u2066x\u2069 \u2028 \u2029 \u0085',
  '\ud800 half \udfff',
  '👩‍👩‍👧‍👦🏳️‍🌈e\u0301',
  'Z\u0351\u0310\u0327a'.repeat(50),
  'Bcc: evil@example.com\r\nSubject: x\r\n\r\nbody',
  '\\ \\\\ \\" " \' {"a":1}',
  '*'.repeat(5_000),
  '<'.repeat(5_000),
  '&'.repeat(5_000),
  '"'.repeat(5_000),
  '\n'.repeat(5_000) + 'x',
  'x\n'.repeat(2_500),
  '👩‍👩‍👧‍👦'.repeat(700),
  '\u0301'.repeat(5_000),
  'ﷺ'.repeat(5_000),
];

/** Any UTF-16 text, including halves of surrogate pairs. */
const units = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 })
  .map((codes) => String.fromCharCode(...codes));
const hostileText = fc.oneof(
  fc.constantFrom(...HOSTILE),
  units,
  fc.array(fc.constantFrom(...HOSTILE), { maxLength: 5 }).map((parts) => parts.join('')),
);

/** Notices in which every text is hostile. */
export const hostileNotices: fc.Arbitrary<WebhookNotice> = fc.record({
  id: fc.stringMatching(/^[a-z]{2,3}_[A-Za-z0-9]{4,24}$/),
  kind: fc.constantFrom(...NOTICE_KINDS),
  type: fc.constantFrom(...ALERT_TYPES, 'TEST' as const, 'WEEKLY_DIGEST' as const),
  severity: fc.constantFrom(...SEVERITIES),
  title: hostileText,
  message: hostileText,
  at: fc.integer({ min: 0, max: Date.UTC(2100, 0) }),
  episode: hostileText,
  workspace: hostileText,
  facts: fc.array(fc.record({ name: hostileText, value: hostileText }), { maxLength: 30 }),
  link: fc.constant('https://tollbook.example.com/alerts/al_7Hq2'),
  data: fc.dictionary(fc.oneof(fc.string({ maxLength: 80 }), fc.constant('__proto__')), hostileText, { maxKeys: 30 }),
});
