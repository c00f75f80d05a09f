import type { Transporter } from 'nodemailer';
import { type Scheduler, systemScheduler } from '../clock.ts';

const CONNECT_MS_MAX = 10_000;
const SILENCE_MS_MAX = 15_000;
/** Maximum time from the request to the server's last reply, including the wait for a connection. */
const TOTAL_MS_MAX = 45_000;
const CONNECTIONS_MAX = 2;

export interface OutgoingMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Reply of the mail server with its own codes (RFC 5321): 250 accepted, 4xx temporary, 5xx permanent failure. */
interface MailReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type MailResult =
  | { readonly ok: true; readonly reply: MailReply }
  | { readonly ok: false; readonly error: string };

export interface MailSender {
  /** Never rejects for what happens on the network. */
  send(mail: OutgoingMail): Promise<MailResult>;
  close(): void;
}

interface MailerOptions {
  /** For instance `smtps://user:password@host` or `smtp://host:587`. */
  readonly url: string;
  readonly from: string;
  /** Default: the system's timers. */
  readonly scheduler?: Scheduler;
}

export function createMailer({ url, from, scheduler = systemScheduler }: MailerOptions): MailSender {
  let transport: Promise<Transporter> | null = null;
  return {
    async send(mail) {
      const used = (transport ??= openTransport(url, from));
      const late = Promise.withResolvers<MailResult>();
      const stop = scheduler.later(() => {
        late.resolve({ ok: false, error: `The mail server took longer than ${TOTAL_MS_MAX / 1_000} s.` });
        // Its connections are held by who never ends; what else was on them is sent again.
        void closeTransport(used);
        if (used === transport) transport = null;
      }, TOTAL_MS_MAX);
      try {
        return await Promise.race([sendMail(await used, mail), late.promise]);
      } finally {
        stop();
      }
    },
    close() {
      if (transport) void closeTransport(transport);
    },
  };
}

/** Loads the library with the first mail: most services send none. */
async function openTransport(url: string, from: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport(
    {
      url,
      pool: true,
      maxConnections: CONNECTIONS_MAX,
      connectionTimeout: CONNECT_MS_MAX,
      greetingTimeout: CONNECT_MS_MAX,
      socketTimeout: SILENCE_MS_MAX,
      // What is sent is text of ours; nothing is read from files or addresses.
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  );
}

async function closeTransport(transport: Promise<Transporter>): Promise<void> {
  (await transport).close();
}

async function sendMail(transport: Transporter, { to, subject, text, html }: OutgoingMail): Promise<MailResult> {
  try {
    const { response } = await transport.sendMail({ to, subject, text, html });
    return { ok: true, reply: { status: readReplyCode(response) ?? 250, headers: {}, body: String(response) } };
  } catch (error) {
    const answer = error instanceof Error && 'response' in error ? String(error.response) : null;
    const status = answer === null ? null : readReplyCode(answer);
    if (answer !== null && status !== null) return { ok: true, reply: { status, headers: {}, body: answer } };
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return { ok: false, error: `The mail server could not be reached${code}.` };
  }
}

/** The code that a line of a mail server begins with. */
function readReplyCode(response: unknown): number | null {
  const code = /^(\d{3})\b/.exec(String(response))?.[1];
  return code === undefined ? null : Number(code);
}
