import { expect, onTestFinished, test } from 'vitest';
import { startMailServer } from '../../../test/doubles/mail-server.ts';
import { createMailer, type MailSender } from './mailer.ts';

const MAIL = { to: 'a@example.com, b@example.com', subject: 'A test', text: 'text', html: '<p>html</p>' };

function open(url: string): { mailer: MailSender; late: (() => void)[] } {
  const late: (() => void)[] = [];
  const scheduler = {
    soon: setImmediate,
    later: (act: () => void) => {
      late.push(act);
      return () => {};
    },
  };
  const mailer = createMailer({ url, from: 'tollbook@example.com', scheduler });
  onTestFinished(() => mailer.close());
  return { mailer, late };
}

test('a mail is sent to each recipient, and the response is the server’s', async () => {
  const { url, commands } = await startMailServer(() => null);
  expect(await open(url).mailer.send(MAIL)).toMatchObject({ ok: true, reply: { status: 250 } });
  expect(commands.filter((line) => /^(?:MAIL|RCPT)/.test(line))).toEqual([
    'MAIL FROM:<tollbook@example.com>',
    'RCPT TO:<a@example.com>',
    'RCPT TO:<b@example.com>',
  ]);
});

test('a refusal is a reply with its code; an unreachable server is an error without its password', async () => {
  const { url } = await startMailServer((line) => (line.startsWith('MAIL') ? '451 not now' : null));
  expect(await open(url).mailer.send(MAIL)).toMatchObject({ ok: true, reply: { status: 451 } });
  const nobody = await open('smtp://user:password@127.0.0.1:1').mailer.send(MAIL);
  expect(nobody).toEqual({ ok: false, error: 'The mail server could not be reached (ESOCKET).' });
});

test('a server that talks without end delays one mail, and not the next one', async () => {
  const asked = Promise.withResolvers<void>();
  let talks = true;
  const { url } = await startMailServer((line, socket) => {
    if (!talks || !line.startsWith('EHLO')) return null;
    // The beginning of an answer of many lines.
    socket.write('250-and\r\n');
    asked.resolve();
    return '250-so on';
  });
  const { mailer, late } = open(url);
  const first = mailer.send(MAIL);
  await asked.promise;
  late[0]?.();
  expect(await first).toEqual({ ok: false, error: 'The mail server took longer than 45 s.' });
  talks = false;
  expect(await mailer.send(MAIL)).toMatchObject({ ok: true });
});
