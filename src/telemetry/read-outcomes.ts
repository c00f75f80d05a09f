import { hash } from 'node:crypto';
import type { OutcomeKind, ReportedOutcome } from '../domain/observed/outcome.ts';
import { sessionText } from '../domain/sessions/local-call.ts';
import type { MetricPoint } from './metric-point.ts';
import { textAttribute } from './record.ts';

/** Kinds of a metric by its attribute `type`; '' = it has none. */
const KINDS: Readonly<Record<string, Readonly<Record<string, OutcomeKind>>>> = {
  'claude_code.commit.count': { '': 'commits' },
  'claude_code.pull_request.count': { '': 'pull_requests' },
  'claude_code.lines_of_code.count': { added: 'lines_added', removed: 'lines_removed' },
  'claude_code.token.usage': {
    input: 'input_tokens',
    cacheRead: 'input_tokens',
    cacheCreation: 'input_tokens',
    output: 'output_tokens',
  },
  'gemini_cli.lines.changed': { added: 'lines_added', removed: 'lines_removed' },
  // What the cache had is in `input`.
  'gemini_cli.token.usage': {
    input: 'input_tokens',
    tool: 'input_tokens',
    output: 'output_tokens',
    thought: 'output_tokens',
  },
};
const AMOUNT_MAX = 1_000_000_000_000;

interface ReadOutcomes {
  readonly outcomes: readonly ReportedOutcome[];
  /** Points whose count can't be read. */
  readonly unreadable: number;
}

/** Returns the outcomes among points. All other points are ignored. */
export function readOutcomes(points: readonly MetricPoint[], tokenId: string): ReadOutcomes {
  const outcomes: ReportedOutcome[] = [];
  let unreadable = 0;
  for (const point of points) {
    const kind = KINDS[point.name]?.[textAttribute(point.attributes, 'type') ?? ''];
    if (kind === undefined) continue;
    const { value: amount, at } = point;
    const isReadable = Number.isInteger(amount) && amount >= 0 && amount <= AMOUNT_MAX;
    if (!isReadable) unreadable += 1;
    else outcomes.push({ ...readOrigin(point), series: outcomeSeries(point, tokenId), kind, tokenId, at, amount });
  }
  return { outcomes, unreadable };
}

function readOrigin({ name, attributes }: MetricPoint): Pick<ReportedOutcome, 'assistant' | 'session'> {
  const assistant = name.startsWith('claude_code.') ? 'claude_code' : 'gemini_cli';
  const id = textAttribute(attributes, 'session.id');
  return { assistant, session: id === null ? null : hash('sha256', sessionText(assistant, id)) };
}

function outcomeSeries({ identity, isCumulative, startedAt, at }: MetricPoint, tokenId: string): string {
  return hash('sha256', JSON.stringify([tokenId, identity, startedAt, isCumulative ? 'cumulative' : at]));
}
