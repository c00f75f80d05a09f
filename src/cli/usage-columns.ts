import { SOURCE_TITLES } from '../domain/text/assistants.ts';
import { forecastBlock } from '../sessions/reports/blocks.ts';
import type { UsageGroup } from '../sessions/reports/groups.ts';
import { isoWeek, localDate, localMinute } from '../sessions/reports/local-date.ts';
import type { LocalReport } from '../sessions/reports/local-report.ts';
import { type LocalTotals, sumTokens } from '../sessions/reports/model-use.ts';
import { shortModel } from './amounts.ts';
import type { NumberColumn } from './number-table.ts';
import { formatCents } from '../domain/text/money.ts';
import { describeTimeLeft } from '../domain/text/durations.ts';
import { formatCount, shortCount } from '../domain/text/counts.ts';

const MODELS_SHOWN_MAX = 2;
const SESSION_CHARS = 8;
const PROJECT_FOLDERS_SHOWN = 2;

/** The columns of a report, its total in their last cells. */
export function usageColumns(report: LocalReport): readonly NumberColumn[] {
  return COLUMNS[report.by](report);
}

/** The columns of the same usage by assistant. */
export function assistantColumns(report: LocalReport): readonly NumberColumn[] {
  return usageColumns({ ...report, by: 'assistant', groups: report.assistants });
}

const COLUMNS: Readonly<Record<LocalReport['by'], (report: LocalReport) => readonly NumberColumn[]>> = {
  daily: (report) => byPeriod(report, 'DAY', (start) => localDate(start, report.timeZone)),
  weekly: (report) => byPeriod(report, 'WEEK FROM', (start) => weekCell(start, report.timeZone)),
  monthly: (report) => byPeriod(report, 'MONTH', (start) => localDate(start, report.timeZone).slice(0, 7)),
  session: (report) => [
    groupColumn(report, 'LAST USE', ({ last }) => localMinute(last, report.timeZone), 'Total'),
    sessionColumn(report),
    { ...groupColumn(report, 'PROJECT', ({ project }) => projectCell(project)), names: true },
    modelsColumn(report),
    tokensColumn(report),
    costColumn(report),
  ],
  model: (report) => [
    { ...groupColumn(report, 'MODEL', ({ model = '' }) => model, 'Total'), names: true },
    callsColumn(report),
    ...classColumns(report),
    costColumn(report),
  ],
  project: (report) => [
    { ...groupColumn(report, 'PROJECT', ({ project }) => projectCell(project), 'Total'), names: true },
    modelsColumn(report),
    callsColumn(report),
    tokensColumn(report),
    costColumn(report),
  ],
  assistant: (report) => [
    { ...groupColumn(report, 'ASSISTANT', assistantCell, 'Total'), names: true },
    modelsColumn(report),
    callsColumn(report),
    tokensColumn(report),
    costColumn(report),
  ],
  blocks: (report) => [
    {
      heading: 'FROM',
      cells: [...report.blocks.map(({ start }) => localMinute(start, report.timeZone)), 'Total'],
    },
    {
      heading: 'OF',
      cells: [...report.blocks.map(({ source }) => SOURCE_TITLES[source]), ''],
      names: true,
    },
    stateColumn(report),
    modelsColumn(report),
    callsColumn(report),
    tokensColumn(report),
    costColumn(report),
  ],
};

function byPeriod(report: LocalReport, heading: string, nameOf: (start: number) => string): NumberColumn[] {
  const periods = groupColumn(report, heading, ({ period }) => nameOf(period?.start ?? 0), 'Total');
  return [periods, modelsColumn(report), ...classColumns(report), costColumn(report)];
}

function assistantCell({ source }: UsageGroup): string {
  return source === undefined ? '' : SOURCE_TITLES[source];
}

/** Ids of Codex begin with their time: those of one minute need more characters to differ. */
function sessionColumn(report: LocalReport): NumberColumn {
  const ids = report.groups.map(({ sessionId = '' }) => sessionId);
  const countPrefixes = (length: number): number => new Set(ids.map((id) => id.slice(0, length))).size;
  const different = new Set(ids).size;
  let shown = SESSION_CHARS;
  while (countPrefixes(shown) < different) shown += 1;
  return groupColumn(report, 'SESSION', ({ sessionId = '' }) => sessionId.slice(0, shown));
}

/** `W47 2026-11-16` */
function weekCell(start: number, timeZone: string): string {
  return `${isoWeek(start, timeZone).slice(5)} ${localDate(start, timeZone)}`;
}

function groupColumn(
  { groups }: LocalReport,
  heading: string,
  read: (group: UsageGroup) => string,
  sum = '',
): NumberColumn {
  return { heading, cells: [...groups.map(read), sum] };
}

function usageLines({
  by,
  groups,
  blocks,
}: LocalReport): readonly { models: readonly string[]; totals: LocalTotals }[] {
  return by === 'blocks' ? blocks : groups;
}

function allTotals(report: LocalReport): LocalTotals[] {
  return [...usageLines(report).map(({ totals }) => totals), report.totals];
}

function countColumn(report: LocalReport, heading: string, read: (totals: LocalTotals) => number): NumberColumn {
  const counts = allTotals(report).map(read);
  return {
    heading,
    cells: counts.map((count) => formatCount(count)),
    short: counts.map((count) => shortCount(count, 1_000)),
  };
}

function callsColumn(report: LocalReport): NumberColumn {
  const { heading, cells } = countColumn(report, 'CALLS', ({ calls }) => calls);
  return { heading, cells };
}

function tokensColumn(report: LocalReport): NumberColumn {
  return countColumn(report, 'TOKENS', sumTokens);
}

function classColumns(report: LocalReport): NumberColumn[] {
  return [
    countColumn(report, 'INPUT', ({ inputTokens }) => inputTokens),
    countColumn(report, 'OUTPUT', ({ outputTokens }) => outputTokens),
    countColumn(report, 'CACHE W', ({ cacheCreationTokens }) => cacheCreationTokens),
    countColumn(report, 'CACHE R', ({ cacheReadTokens }) => cacheReadTokens),
  ];
}

/** Returns the column of costs. If calls have no price, a total is a minimum. */
function costColumn(report: LocalReport): NumberColumn {
  const all = allTotals(report);
  const isLeast = all.some(({ cost, unpricedCalls }) => cost !== null && unpricedCalls > 0);
  const cells = all.map(({ cost, unpricedCalls }) => {
    const text = formatCents(cost);
    return isLeast ? text + (cost !== null && unpricedCalls > 0 ? '+' : ' ') : text;
  });
  return { heading: isLeast ? 'COST ' : 'COST', cells };
}

function modelsColumn(report: LocalReport): NumberColumn {
  const shown = usageLines(report).map(({ models }) => Array.from(new Set(models.map(shortModel))));
  return {
    heading: 'MODELS',
    cells: [...shown.map((models) => firstColumn(models, MODELS_SHOWN_MAX)), ''],
    short: [...shown.map((models) => firstColumn(models, 1)), ''],
    names: true,
  };
}

function firstColumn(names: readonly string[], max: number): string {
  const more = names.length - max;
  return names.slice(0, max).join(', ') + (more > 0 ? ` +${more}` : '');
}

/** Open, or how long nothing was used before it. */
function stateColumn({ blocks, now }: LocalReport): NumberColumn {
  const cells = blocks.map((block) => {
    if (forecastBlock(block, now)) return 'open';
    return block.gapBefore ? `${describeTimeLeft(block.gapBefore)} idle` : '';
  });
  return { heading: 'BEFORE', cells: [...cells, ''] };
}

/** Its last folders: the first ones are the same for most. */
function projectCell(project: string | null | undefined): string {
  if (!project) return '(unknown)';
  const folders = project.split(/[/\\]/).filter(Boolean);
  return folders.slice(-PROJECT_FOLDERS_SHOWN).join('/') || project;
}
