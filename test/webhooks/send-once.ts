import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { parseWebhookAllow, webhookGuard } from '../../src/domain/alerts/webhook-address.ts';
import { createGuardedSender } from '../../src/lib/http/guarded-sender.ts';

/** A program: sends one message to the address in its arguments, then asks for it as other programs do. */
const [url = ''] = process.argv.slice(2);
const sender = createGuardedSender({ guard: webhookGuard(parseWebhookAllow('allow', '127.0.0.1')) });
const sent = await sender.send({ url, headers: {}, body: '{}' });
const [answer] = (await once(get(url), 'response')) as [IncomingMessage];
process.stdout.write(JSON.stringify({ sent: sent.ok && sent.body, asked: await text(answer) }));
