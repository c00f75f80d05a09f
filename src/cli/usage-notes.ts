import type { LocalSource } from '../domain/sessions/local-call.ts';
import { localDate } from '../sessions/reports/local-date.ts';
import type { LocalReport } from '../sessions/reports/local-report.ts';
import { FOLDER_SETTINGS } from '../sessions/reading/assistant-folders.ts';
import { type EnvVariables, listSessionFolders } from '../sessions/reports/local-usage.ts';
import type { ModelUse } from '../sessions/reports/model-use.ts';
import { SOURCE_TITLES } from '../domain/text/assistants.ts';
import { formatCount } from '../domain/text/counts.ts';

const NOTES_OF_A_KIND_MAX = 3;

interface UsageFindings {
  readonly uses: readonly ModelUse[];
  readonly warnings: readonly string[];
  readonly sources: readonly LocalSource[];
  readonly env: EnvVariables;
}

/** Returns notes that a reader of the report needs. */
export async function usageNotes(report: LocalReport, found: UsageFindings): Promise<string[]> {
  const { unpriced, assumedModels } = report;
  const missing = unpriced.map(
    ([sentence, calls]) => `${callsText(calls)} without a price, not in the cost. ${sentence}`,
  );
  const assumed = `The files do not name the model of ${callsText(assumedModels)}: priced as the most common model of those days.`;
  return [
    ...firstNames(missing, 'more models have no price'),
    ...(assumedModels > 0 ? [assumed] : []),
    ...firstNames(found.warnings, 'more such notes'),
    ...(report.totals.calls === 0 ? [await nothingFound(report, found)] : []),
  ];
}

function firstNames(notes: readonly string[], rest: string): string[] {
  const more = notes.length - NOTES_OF_A_KIND_MAX;
  return more > 0 ? [...notes.slice(0, NOTES_OF_A_KIND_MAX), `${more} ${rest}.`] : [...notes];
}

function callsText(calls: number): string {
  return calls === 1 ? '1 call' : `${formatCount(calls)} calls`;
}

async function nothingFound({ timeZone }: LocalReport, { uses, sources, env }: UsageFindings): Promise<string> {
  const [first, last] = [uses[0], uses.at(-1)];
  if (first && last) {
    const days = `${localDate(first.call.at, timeZone)} to ${localDate(last.call.at, timeZone)}`;
    return `No usage in that period. The files have usage from ${days}.`;
  }
  const folders = await listSessionFolders(sources, env);
  const lines = folders.flatMap(([source, paths]) => [searchedLine(source)].concat(paths.map((path) => `    ${path}`)));
  return ['No sessions found. Searched these folders:', ...lines].join('\n');
}

function searchedLine(source: LocalSource): string {
  const setting = FOLDER_SETTINGS[source];
  return `  ${SOURCE_TITLES[source]}${setting === null ? '' : ` (${setting} sets another folder)`}:`;
}
