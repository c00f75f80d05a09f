import { formatDateTime } from '../../domain/text/dates.ts';
import type { MailResult, OutgoingMail } from '../../lib/http/mailer.ts';
import { escapeHtml } from './email.ts';
import { cut } from './shown-text.ts';

interface InvitationFacts {
  readonly workspace: string;
  readonly role: string;
  /** null = it was no person. */
  readonly invitedBy: string | null;
  readonly link: string;
  readonly expiresAt: number;
  readonly timeZone: string;
}

const NAME_MAX = 100;

/** Writes the mail that carries an invitation link. */
export function invitationMail(facts: InvitationFacts): Omit<OutgoingMail, 'to'> {
  const workspace = cut(facts.workspace, NAME_MAX);
  const who = facts.invitedBy === null ? 'You are invited' : `${cut(facts.invitedBy, NAME_MAX)} invites you`;
  const sentence = `${who} to the workspace ${workspace} of Tollbook as ${facts.role}.`;
  const until = `The link works once, until ${formatDateTime(facts.expiresAt, facts.timeZone)} (${facts.timeZone}).`;
  const why = 'If you did not expect this invitation, ignore this mail.';
  return {
    subject: `Invitation to ${workspace}`,
    text: `${[sentence, facts.link, until, why].join('\n\n')}\n`,
    html: [
      '<!doctype html><html><body style="font-family:sans-serif">',
      `<p>${escapeHtml(sentence)}</p>`,
      `<p><a href="${escapeHtml(facts.link)}">Accept the invitation</a></p>`,
      `<p style="color:#667085"><small>${escapeHtml(until)} ${why}</small></p>`,
      '</body></html>\n',
    ].join('\n'),
  };
}

/** Says why a mail was not sent; null = the mail server took it. */
export function describeMailFailure(result: MailResult): string | null {
  if (!result.ok) return result.error;
  const { status, body } = result.reply;
  return status >= 200 && status < 300 ? null : `The mail server refused the mail: ${cut(body, NAME_MAX)}`;
}
