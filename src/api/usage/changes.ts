import { readPeriod } from '../../domain/time/period.ts';
import { usageChanges } from '../../contract/overview.ts';
import { periodQuery } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { wholeNumber } from '../whole-number.ts';
import { comparedQuery, comparison } from './comparison.ts';
import { explainChange } from './explain-change.ts';
import { usageParts } from './usage-rows.ts';

export const changes = endpoint({
  method: 'GET',
  path: '/api/mcp/usage/changes',
  summary: 'What changed between two periods, and which key, model or tag explains it',
  description:
    'The parts of each dimension and everything else come to the difference. Without dates to compare with: the time of the same length right before.',
  scope: 'usage:read',
  right: 'read',
  query: periodQuery.extend({
    ...comparedQuery.shape,
    limit: wholeNumber(1, 50).default(5).meta({ description: 'Parts of a dimension that are shown apart; default: 5' }),
  }),
  answer: usageChanges,
  async handle({ caller, query }, services) {
    const period = readPeriod(query.startDate, query.endDate, services.clock());
    const parts = await usageParts(services, caller.workspaceId);
    return explainChange(
      { ...parts, records: services.records },
      { period, comparedWith: comparison(query, period), partsMax: query.limit, than: 'in the period before' },
    );
  },
});
