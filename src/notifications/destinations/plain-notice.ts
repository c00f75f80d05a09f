import type { AlertSeverity } from '../../domain/alerts/alert.ts';
import type { NoticeFact, WebhookNotice } from './destination.ts';

/** More than these are not read beside a message; the rest stands in the dashboard. */
const FACTS_MAX = 10;
/** C0 and C1 but the line feed, and what turns the direction of the text after it. */
const UNSEEN = /[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
const REPLACEMENT = '\ufffd';

/** `good` = it is over. */
export type NoticeTone = AlertSeverity | 'good';

/**
 * What a person is shown, in every kind alike: nothing is empty, nothing is invisible, and only the message has more
 * than one line. It is still text, to be escaped as the kind needs it.
 */
export interface PlainNotice {
  readonly title: string;
  readonly message: string;
  readonly facts: readonly NoticeFact[];
  readonly workspace: string;
  /** One or two words that say how to take it. */
  readonly mark: string;
  readonly tone: NoticeTone;
  /** ISO 8601 in UTC, to the second. */
  readonly time: string;
}

export function toPlainNotice(notice: WebhookNotice): PlainNotice {
  const title = line(notice.title) || capitalized(notice.type.toLowerCase().replaceAll('_', ' '));
  return {
    title,
    message: paragraphs(visible(notice.message)).trim() || title,
    facts: fewFacts(notice.facts),
    workspace: line(notice.workspace) || '–',
    mark: noticeMark(notice),
    tone: notice.kind === 'resolved' ? 'good' : notice.severity,
    time: new Date(notice.at).toISOString().replace(/\.\d+/, ''),
  };
}

function noticeMark({ kind, severity }: WebhookNotice): string {
  if (kind === 'alert') return capitalized(severity);
  return { resolved: 'Resolved', test: 'Test', digest: 'Weekly digest' }[kind];
}

function fewFacts(facts: readonly NoticeFact[]): readonly NoticeFact[] {
  const shown = facts.slice(0, facts.length > FACTS_MAX ? FACTS_MAX - 1 : FACTS_MAX);
  const more = facts.length - shown.length;
  const all = more > 0 ? [...shown, { name: 'More', value: `${more} in the dashboard` }] : shown;
  return all.map(({ name, value }) => ({ name: line(name) || '–', value: line(value) || '–' }));
}

/** At most one empty line at a time. */
function paragraphs(text: string): string {
  return text.replace(/\n\s*\n/g, '\n\n');
}

function line(text: string): string {
  return visible(text).replace(/\s+/g, ' ').trim();
}

function visible(text: string): string {
  return text.toWellFormed().replaceAll('\t', ' ').replace(LINE_ENDS, '\n').replace(UNSEEN, REPLACEMENT);
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
