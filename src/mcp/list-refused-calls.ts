import { z } from 'zod';
import { refusal } from '../contract/refusals.ts';
import { REFUSAL_REASONS } from '../domain/limits/refusal.ts';
import { NAMED_PERIODS } from '../domain/time/period.ts';
import { countNoun, formatCount } from '../domain/text/counts.ts';
import { formatDateTime } from '../domain/text/dates.ts';
import { describeNeeded, describeRemaining, shortSession } from '../domain/text/limits.ts';
import { describeRefusalReason } from '../domain/text/refusals.ts';
import { askedPeriod } from './asked-period.ts';
import { choice, endDate, startDate, text, wholeNumber } from './parameters.ts';
import { page, span, table } from './render.ts';
import { defineTool } from './tool.ts';

const listed = refusal
  .pick({ at: true, calls: true, model: true, limitId: true, value: true, unit: true, reason: true })
  .extend(refusal.pick({ needed: true, remaining: true, session: true, agent: true, run: true }).shape);
type ListedRefusal = z.output<typeof listed>;

export const listRefusedCalls = defineTool({
  name: 'svc_list_refused_calls',
  title: 'Refused calls',
  description:
    'Calls that limits refused, newest first: when, by which limit and why, what they needed and what was left. They were not sent and cost nothing. Call it when calls were refused, or to see what limits held up. Default: the last 24 hours. Above 60 a minute of a key, calls of one minute are one row with their number, without session, agent and run.',
  input: {
    period: choice(NAMED_PERIODS, 'Default: last_24h').default('last_24h'),
    startDate,
    endDate,
    session: text('a session').optional().describe('Only calls of this session, by its whole name'),
    agent: text('an agent').optional().describe('Only calls of this agent'),
    run: text('a run').optional().describe('Only calls of this run'),
    reason: choice(REFUSAL_REASONS, 'Only calls refused for this reason').optional(),
    limit: wholeNumber(1, 100, 'Most rows').default(20),
  },
  output: z.object({
    period: z.object({ start: z.string(), end: z.string() }),
    hasMore: z.boolean().describe('true = there are older ones'),
    refusals: z.array(listed),
  }),
  hints: { readOnly: true, idempotent: true, zone: 'workspace' },
  needsFiles: false,
  async run({ session, agent, run, reason, limit, ...dates }, context) {
    const asked = await askedPeriod(dates, context);
    const query = { session, agent, run, reason, limit, ...asked };
    const { refusals, nextCursor } = await context.client.call('GET /api/mcp/refusals', {
      query,
      signal: context.signal,
    });
    return { period: { start: asked.startDate, end: asked.endDate }, hasMore: nextCursor !== null, refusals };
  },
  markdown({ period, hasMore, refusals }, timeZone) {
    const when = span(period, timeZone);
    if (refusals.length === 0) return `No refused calls from ${when}.`;
    const calls = refusals.reduce((sum, refused) => sum + refused.calls, 0);
    return page(
      `${hasMore ? 'The newest ' : ''}${countNoun(calls, 'refused call')}, ${when}`,
      table(
        ['When', '>Calls', 'Model', 'Limit', 'Why', '>Needed', '>Left', 'Session', 'Agent', 'Run'],
        refusals.map((refused) => refusalCells(refused, timeZone)),
      ),
      hasMore && 'There are older ones: give an earlier endDate, or a higher limit.',
    );
  },
});

function refusalCells(refused: ListedRefusal, timeZone: string): string[] {
  const { at, calls, model, limitId, value, unit, reason, needed, remaining, session, agent, run } = refused;
  return [
    formatDateTime(at, timeZone),
    formatCount(calls),
    model ?? '',
    value === null ? limitId : `${limitId} (${shortSession(value)})`,
    describeRefusalReason(reason),
    needed === null ? '' : describeNeeded(unit, needed),
    remaining === null ? '' : describeRemaining(unit, remaining),
    session === null ? '' : shortSession(session),
    agent ?? '',
    run ?? '',
  ];
}
