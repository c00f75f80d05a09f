import { createTransport, type Transporter } from 'nodemailer';

const CONNECT_MS_MAX = 10_000;
const SILENCE_MS_MAX = 15_000;
const CONNECTIONS_MAX = 2;

interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** What the mail server said, with its own codes (RFC 5321): 250 taken, 4xx not now, 5xx never. */
interface MailReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type MailResult =
  | { readonly ok: true; readonly reply: MailReply }
  | { readonly ok: false; readonly error: string };

export interface Mailer {
  /** Never rejects for what happens on the network. */
  send(mail: Mail): Promise<MailResult>;
  close(): void;
}

/** @param url for instance `smtps://user:password@host` or `smtp://host:587`. */
export function createMailer(url: string, from: string): Mailer {
  const transport = createTransport(
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
  return { send: (mail) => send(transport, mail), close: () => transport.close() };
}

async function send(transport: Transporter, { to, subject, text, html }: Mail): Promise<MailResult> {
  try {
    const { response } = await transport.sendMail({ to, subject, text, html });
    return { ok: true, reply: { status: codeOf(response) ?? 250, headers: {}, body: String(response) } };
  } catch (error) {
    const answer = error instanceof Error && 'response' in error ? String(error.response) : null;
    const status = answer === null ? null : codeOf(answer);
    if (answer !== null && status !== null) return { ok: true, reply: { status, headers: {}, body: answer } };
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return { ok: false, error: `The mail server could not be reached${code}.` };
  }
}

/** The code that a line of a mail server begins with. */
function codeOf(response: unknown): number | null {
  const code = /^(\d{3})\b/.exec(String(response))?.[1];
  return code === undefined ? null : Number(code);
}
