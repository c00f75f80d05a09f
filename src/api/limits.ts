import { z } from 'zod';
import { limitsPage } from '../contract/limits.ts';
import { endpoint } from './http/endpoint.ts';
import { wholeNumber } from './whole-number.ts';
import { standingViews } from './limit-view.ts';
import { valuesQuery } from './manage/values-query.ts';

const PAGE_DEFAULT = 1_000;
const PAGE_MAX = 10_000;

export const listLimits = endpoint({
  method: 'GET',
  path: '/api/manage/limits',
  summary: 'List limits and how they stand, oldest first',
  scope: 'usage:read',
  right: 'read',
  query: valuesQuery.extend({
    limit: wholeNumber(1, PAGE_MAX)
      .default(PAGE_DEFAULT)
      .meta({ description: `Of a page; default: ${PAGE_DEFAULT}` }),
    after: z.string().optional().meta({ description: 'Id of the last one on the page before' }),
  }),
  answer: limitsPage,
  async handle({ caller, query }, { records, standings, clock }) {
    const { workspaceId } = caller;
    const found = await records.limits.page(workspaceId, query.after ?? null, query.limit + 1);
    const page = found.slice(0, query.limit);
    const limits = standingViews(page, await standings(page), clock(), query.values);
    return { limits, next: found.length > page.length ? (page.at(-1)?.id ?? null) : null };
  },
});
