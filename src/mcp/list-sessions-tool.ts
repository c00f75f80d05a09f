import { basename } from 'node:path';
import { z } from 'zod';
import { toIso } from '../domain/time/period.ts';
import type { UsageGroup } from '../sessions/reports/groups.ts';
import { buildLocalReport } from '../sessions/reports/local-report.ts';
import { assistantTitle, readToolSource, sourceInput, sourceOutput, type ToolSource } from './asked-source.ts';
import { localNotes, TOTALS_COLUMNS, totalsCells, totalsData, totalsShape, warningsShape } from './local-shapes.ts';
import { maxAgeHours, wholeNumber } from './parameters.ts';
import { readSessions } from './read-sessions.ts';
import { page, table } from './render.ts';
import { defineTool, type Tool } from './tool.ts';
import { countNoun, formatCount } from '../domain/text/counts.ts';
import { formatDateTime } from '../domain/text/dates.ts';

const LIMIT_MAX = 1_000;

const sessionShape = z.object({
  sessionId: z.string(),
  project: z.string().nullable().meta({ description: 'Folder name without its path' }),
  models: z.array(z.string()),
  firstUse: z.string(),
  lastUse: z.string(),
  modifiedAt: z.string(),
  ...totalsShape.shape,
});

export function listSessionsTool(name: `svc_${string}`, fixed: ToolSource): Tool {
  const assistant = assistantTitle(fixed);
  return defineTool({
    name,
    title: `${assistant} sessions on this machine`,
    description: `Sessions of ${assistant} on this machine that were modified within maxAgeHours, last used first: project, models, tokens and cost at list prices. Uploads nothing and needs no service.`,
    input: {
      ...sourceInput(fixed),
      maxAgeHours: maxAgeHours(168),
      limit: wholeNumber(1, LIMIT_MAX, 'Most sessions').default(20),
    },
    output: z.object({
      ...sourceOutput(fixed),
      maxAgeHours: z.number(),
      sessions: z.array(sessionShape),
      found: z.int().meta({ description: 'All sessions with usage, including those beyond the limit' }),
      warnings: warningsShape,
    }),
    hints: { readOnly: true, idempotent: true, zone: 'machine' },
    needsFiles: true,
    async run(args, context) {
      const source = readToolSource(fixed, args);
      const { uses, modifiedAt, warnings } = await readSessions(source, args.maxAgeHours, context);
      const range = { since: null, until: null };
      const wish = {
        by: 'session',
        timeZone: context.machine.timeZone,
        range,
        plan: null,
        now: context.clock(),
      } as const;
      const groups = buildLocalReport(uses, wish).groups.toReversed();
      const sessions = groups.slice(0, args.limit).map((group) => sessionData(group, modifiedAt));
      return {
        ...(fixed === null && { source }),
        maxAgeHours: args.maxAgeHours,
        sessions,
        found: groups.length,
        warnings: [...warnings],
      };
    },
    markdown({ sessions, found, warnings, maxAgeHours: hours, ...data }, timeZone) {
      const title = assistantTitle(readToolSource(fixed, data));
      const unpricedCalls = sessions.reduce((sum, session) => sum + session.unpricedCalls, 0);
      const notes = localNotes({ unpricedCalls }, warnings);
      if (found === 0) return page(`No session of ${title} was modified within the last ${hours} hours.`, notes);
      return page(
        `${countNoun(found, 'session')} of ${title} modified within the last ${hours} hours, last used first; times in ${timeZone}`,
        table(
          ['Last use', 'Project', 'Models', ...TOTALS_COLUMNS, 'Session'],
          sessions.map((session) => [
            formatDateTime(session.lastUse, timeZone),
            session.project ?? '',
            session.models.join(', '),
            ...totalsCells(session),
            session.sessionId,
          ]),
        ),
        found > sessions.length && `${formatCount(found - sessions.length)} more are beyond the limit.`,
        notes,
      );
    },
  });
}

function sessionData(group: UsageGroup, modifiedAt: ReadonlyMap<string, number>): z.output<typeof sessionShape> {
  const { sessionId = '', project = null, models, first, last, totals } = group;
  return {
    sessionId,
    project: project === null ? null : basename(project),
    models: [...models],
    firstUse: toIso(first),
    lastUse: toIso(last),
    modifiedAt: toIso(modifiedAt.get(sessionId) ?? last),
    ...totalsData(totals),
  };
}
