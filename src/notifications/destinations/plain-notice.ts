import type { AlertSeverity } from '../../domain/alerts/alert.ts';
import type { NoticeFact, WebhookNotice } from './destination.ts';

/** Facts shown with a message. The dashboard has the others. */
const FACTS_MAX = 10;
/** Control characters except the line feed, and characters that change the direction of text. */
const UNSEEN = /[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
const REPLACEMENT = '\ufffd';

/** `good` = resolved. */
export type NoticeTone = AlertSeverity | 'good';

/**
 * A notice as people see it, the same for every receiver: no field is empty, no character is invisible, and only the
 * message has several lines. It is plain text that each destination escapes in its own way.
 */
export interface PlainNotice {
  readonly title: string;
  readonly message: string;
  readonly facts: readonly NoticeFact[];
  readonly workspace: string;
  /** Label of one or two words, for example `Critical`. */
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

/** Reduces several empty lines in a row to one. */
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
