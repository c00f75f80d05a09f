import { z } from 'zod';
import { type UsageSummary, usageSummary } from '../contract/usage.ts';
import { NAMED_PERIODS } from '../domain/time/period.ts';
import { askedPeriod } from './asked-period.ts';
import { costText } from './local-shapes.ts';
import { choice, endDate, startDate } from './parameters.ts';
import { page, span } from './render.ts';
import { defineTool } from './tool.ts';
import { uncertaintyNotes, shareTable } from './view.ts';
import { countNoun, formatCount } from '../domain/text/counts.ts';

export const getUsageSummary = defineTool({
  name: 'svc_get_usage_summary',
  title: 'Usage and cost of a period',
  description:
    'What the workspace spent on AI models: total cost in US dollars, calls and tokens, by provider and by model. Call this for "what did we spend …". Give either a named period (today and yesterday are days of the workspace\'s time zone) or dates, which win. Default: the last 30 days.',
  input: {
    period: choice(NAMED_PERIODS, 'Default: last_30d').default('last_30d'),
    startDate,
    endDate,
  },
  output: usageSummary.extend({
    refusedCalls: z.int().optional().describe('Calls that limits refused, not in the figures; absent = none'),
  }),
  hints: { readOnly: true, idempotent: true, zone: 'workspace' },
  needsFiles: false,
  async run(args, context) {
    const query = await askedPeriod(args, context);
    const { client, signal } = context;
    const [summary, { calls: refusedCalls }] = await Promise.all([
      client.call('GET /api/mcp/usage/summary', { query, signal }),
      client.call('GET /api/mcp/refusals/counts', { query, signal }),
    ]);
    return refusedCalls === 0 ? summary : { ...summary, refusedCalls };
  },
  markdown(summary, timeZone) {
    const {
      totalCost,
      totalCalls,
      totalInputTokens,
      totalOutputTokens,
      byProvider,
      byModel,
      period,
      covered,
      callsUnknown,
      unpricedCalls,
      unpricedUsage,
      refusedCalls = 0,
    } = summary;
    const when = span(period, timeZone);
    if (totalCalls === 0 && Object.keys(byModel).length === 0)
      return page(`No usage to pay for from ${when}.`, coveredNote(covered), refusedNote(refusedCalls));
    return page(
      `**${costText({ cost: totalCost, unpricedCalls, unpricedUsage })}** for ${callsUnknown ? 'at least ' : ''}${countNoun(totalCalls, 'call')}, ${when}`,
      `${formatCount(totalInputTokens)} input tokens (cached ones included), ${formatCount(totalOutputTokens)} output tokens`,
      shareTable('Provider', byProvider, totalCost),
      shareTable('Model', byModel, totalCost),
      coveredNote(covered),
      uncertaintyNotes(summary),
      refusedNote(refusedCalls),
    );
  },
});

function refusedNote(calls: number): string {
  return calls === 0
    ? ''
    : `Limits refused ${countNoun(calls, 'more call')}, at no cost: svc_list_refused_calls lists them.`;
}

function coveredNote(covered: UsageSummary['covered']): string {
  if (!covered) return '';
  return `In addition, sessions covered by a plan: ${costText(covered)} at retail for ${countNoun(covered.calls, 'call')}. They are not in the figures above.`;
}
