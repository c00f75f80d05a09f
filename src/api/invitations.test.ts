import { expect, onTestFinished, test } from 'vitest';
import { startMailServer } from '../../test/doubles/mail-server.ts';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';

async function openLedgerWithMail(url: string): Promise<TestLedger> {
  const it = await openTestLedger({ SVC_SMTP_URL: url, SVC_MAIL_FROM: 'tollbook@example.com' });
  onTestFinished(() => it.close());
  return it;
}

const invite = (it: TestLedger, email: string | null, mail = true) =>
  it.call('POST /api/manage/invitations', { body: { role: 'viewer', email, mail } });

test('an invitation for an address is mailed with its link, where a mail server is set up', async () => {
  const { url, commands, mails } = await startMailServer();
  const it = await openLedgerWithMail(url);
  const made = await invite(it, 'ada@example.com');
  expect(made).toMatchObject({ mailed: true, mailError: null });
  expect(commands).toContain('RCPT TO:<ada@example.com>');
  const text = mails.join('\n');
  expect(text).toContain('Subject: Invitation to default');
  expect(text.replaceAll('=\n', '').replaceAll('=3D', '=')).toContain(made.link);
  expect(await invite(it, 'bob@example.com', false)).toMatchObject({ mailed: false, mailError: null });
  expect(await invite(it, null)).toMatchObject({ mailed: false, mailError: null });
  expect(commands.filter((line) => line.startsWith('RCPT'))).toHaveLength(1);
});

test('a mail that is refused leaves an invitation whose link works, and says why', async () => {
  const { url } = await startMailServer((line) => (line.startsWith('RCPT') ? '550 no such user' : null));
  const it = await openLedgerWithMail(url);
  const made = await invite(it, 'ada@example.com');
  expect(made).toMatchObject({ mailed: false, mailError: 'The mail server refused the mail: 550 no such user' });
  const headers = { 'x-svc-code': made.link.split('#')[1] ?? '' };
  expect((await it.ask('/api/account/invitation', { token: null, headers })).status).toBe(200);
});

test('without a mail server nothing is mailed', async () => {
  const it = await openTestLedger();
  onTestFinished(() => it.close());
  expect(await invite(it, 'ada@example.com')).toMatchObject({ mailed: false, mailError: null });
});
