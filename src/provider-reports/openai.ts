import { z } from 'zod';
import type { ReportAmounts, ReportClass, ReportedCost } from '../domain/reconciliation/provider-report.ts';
import {
  combineUsage,
  count,
  decimalText,
  lowerOrNull,
  nanoFromDecimal,
  nextPage,
  parseDay,
  readReportBody,
  unknownAmounts,
  word,
  wordOrNull,
} from './shapes.ts';
import type { DatedReport, DaysPage, DayWindow, ListReport, ReportRequest, ReportSource } from './source.ts';
import { MalformedReport } from './source.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/time/units.ts';

/** Days requested. OpenAI does not document how long it keeps reports. */
const BACKFILL_DAYS = 365;
const USAGE_WINDOW_DAYS = 7;
const COST_WINDOW_DAYS = 31;
const NAMES_PER_PAGE = 100;

const row = z
  .looseObject({
    project_id: wordOrNull,
    api_key_id: wordOrNull,
    model: wordOrNull,
    batch: z.boolean().nullish(),
    service_tier: lowerOrNull,
  })
  .transform((fields) => fields as typeof fields & Readonly<Record<string, unknown>>);
const usagePage = openaiPage(row);
type UsageRow = z.output<typeof row>;

/** Fields of a report that are counted. */
interface ReportMeasure {
  /** Field with the number of requests; absent = counted in another report, or not at all. */
  readonly requests?: string;
  amounts(of: FieldReader): ReportAmounts;
}

/** Reads a count and records its name as known; 0 if it is absent. */
type FieldReader = (name: string) => number;

function usageDays(name: string, everyMs: number, groups: readonly string[], measure: ReportMeasure): DatedReport {
  return {
    kind: 'days',
    id: name,
    everyMs,
    backfillDays: BACKFILL_DAYS,
    windowDays: USAGE_WINDOW_DAYS,
    splitsDays: false,
    request: (window, page) =>
      openaiDaysRequest(`/v1/organization/usage/${name}`, groups, USAGE_WINDOW_DAYS, window, page),
    read(body): DaysPage {
      const { data, has_more, next_page } = readReportBody(usagePage, body);
      const unknown = new Set<string>();
      const days = data.map((bucket) => ({
        kind: 'usage' as const,
        day: parseDay(bucket.start_time * 1_000),
        rows: combineUsage(bucket.results.map((one) => toOpenaiUsage(one, measure, unknown))),
      }));
      return { next: nextPage(has_more, next_page), days, unknown: [...unknown] };
    },
  };
}

/** Amounts that are part of others, or counted in another report. */
const KNOWN_BESIDE = [
  'input_uncached_tokens',
  'input_text_tokens',
  'output_text_tokens',
  'input_cached_text_tokens',
  'input_cached_image_tokens',
  'num_model_requests',
];

function toOpenaiUsage(one: UsageRow, measure: ReportMeasure, unknown: Set<string>) {
  const known = new Set(KNOWN_BESIDE);
  const field: FieldReader = (name) => {
    known.add(name);
    return readReportBody(count, one[name]);
  };
  const amounts = measure.amounts(field);
  const requests = measure.requests === undefined ? null : field(measure.requests);
  for (const name of unknownAmounts(one, known)) unknown.add(name);
  return {
    key: one.api_key_id,
    project: one.project_id,
    model: one.model,
    tier: one.batch ? 'batch' : one.service_tier,
    context: null,
    geo: null,
    speed: null,
    amounts,
    requests,
  };
}

/** Splits `input_tokens`, which is the whole prompt, into classes that add up to it. */
function completionAmounts(of: FieldReader): ReportAmounts {
  const cached = of('input_cached_tokens');
  const cacheReadAudio = Math.min(cached, of('input_cached_audio_tokens'));
  const cacheWrite = of('input_cache_write_tokens');
  const cacheWrite12h = of('input_cache_write_12h_tokens');
  const inputImage = of('input_image_tokens');
  const rest = of('input_tokens') - cached - cacheWrite - cacheWrite12h - inputImage;
  // Older reports count cached audio as audio too.
  const inputAudio = Math.min(of('input_audio_tokens'), rest);
  const [outputAudio, outputImage] = [of('output_audio_tokens'), of('output_image_tokens')];
  const output = of('output_tokens') - outputAudio - outputImage;
  if (rest < 0 || output < 0) throw new MalformedReport('parts of the input or output exceed the whole');
  return {
    input: rest - inputAudio,
    inputAudio,
    inputImage,
    cacheRead: cached - cacheReadAudio,
    cacheReadAudio,
    cacheWrite,
    cacheWrite12h,
    output,
    outputAudio,
    outputImage,
  };
}

function tokenMeasure(): ReportMeasure {
  return { requests: 'num_model_requests', amounts: (of) => ({ input: of('input_tokens') }) };
}

function countMeasure(field: string, name: ReportClass, requests?: string): ReportMeasure {
  return { ...(requests !== undefined && { requests }), amounts: (of) => ({ [name]: of(field) }) };
}

const costRow = z.object({
  amount: z.object({ value: z.union([z.number(), z.string()]), currency: word }),
  line_item: wordOrNull,
  project_id: wordOrNull,
  api_key_id: wordOrNull,
});
const costPage = openaiPage(costRow);

function costsReport(): DatedReport {
  const groups = ['project_id', 'line_item', 'api_key_id'];
  return {
    kind: 'days',
    id: 'costs',
    everyMs: 5 * MINUTE_MS,
    backfillDays: BACKFILL_DAYS,
    windowDays: COST_WINDOW_DAYS,
    splitsDays: false,
    request: (window, page) => openaiDaysRequest('/v1/organization/costs', groups, COST_WINDOW_DAYS, window, page),
    read(body): DaysPage {
      const { data, has_more, next_page } = readReportBody(costPage, body);
      return {
        next: nextPage(has_more, next_page),
        days: data.map((bucket) => ({
          kind: 'cost',
          day: parseDay(bucket.start_time * 1_000),
          rows: bucket.results.map(toOpenaiCost),
        })),
        unknown: [],
      };
    },
  };
}

/** Matches `gpt-5.4, input_tokens` and `gpt-4o, cached input`. Other lines name no model. */
const LINE = /^([^\s,]+), (.+)$/;
const LINE_CLASSES: Readonly<Record<string, ReportClass>> = {
  input: 'input',
  input_tokens: 'input',
  'cached input': 'cacheRead',
  input_cached_tokens: 'cacheRead',
  output: 'output',
  output_tokens: 'output',
};

function toOpenaiCost({ amount, line_item: line, project_id, api_key_id }: z.output<typeof costRow>): ReportedCost {
  const [, model = null, what = ''] = LINE.exec(line ?? '') ?? [];
  const text = decimalText(amount.value);
  const currency = amount.currency.toUpperCase();
  return {
    key: api_key_id,
    project: project_id,
    model,
    tier: null,
    context: null,
    geo: null,
    kind: null,
    class: LINE_CLASSES[what.toLowerCase()] ?? null,
    line,
    amount: text,
    unit: currency,
    nanoUsd: currency === 'USD' ? nanoFromDecimal(text, 0) : null,
  };
}

function listReport<Shape extends z.ZodType>(
  id: string,
  query: readonly [string, string] | null,
  shape: Shape,
  nameOf: (one: z.output<Shape>) => ReturnType<ListReport['read']>['names'][number],
): ListReport {
  const answer = listPage(shape);
  return {
    kind: 'names',
    id,
    everyMs: HOUR_MS,
    request: (after) => listRequest(`/v1/organization/${id}`, after, query === null ? [] : [query]),
    read(body) {
      const { data, has_more, last_id } = readReportBody(answer, body);
      return { names: data.map((one) => nameOf(one)), next: nextPage(has_more, last_id) };
    },
  };
}

const keyRow = z.object({ id: word, name: wordOrNull, redacted_value: wordOrNull });
const keyList = listPage(keyRow);

/** Lists keys project by project. The page token names the project and the position in it. */
function projectKeysReport(): ListReport {
  return {
    kind: 'names',
    id: 'project_keys',
    everyMs: HOUR_MS,
    request(page, projects) {
      const { project, after } = parsePage(page, projects);
      if (project === null) return null;
      return listRequest(`/v1/organization/projects/${encodeURIComponent(project)}/api_keys`, after, []);
    },
    read(body, page, projects) {
      const { project } = parsePage(page, projects);
      const { data, has_more, last_id } = readReportBody(keyList, body);
      const after = nextPage(has_more, last_id);
      const following = projects.find((one) => one > (project ?? ''));
      return {
        names: data.map(({ id, name, redacted_value }) => ({
          kind: 'key',
          id,
          name: name ?? id,
          hint: redacted_value,
          project,
          status: 'active',
        })),
        next: after !== null ? `${project} ${after}` : following === undefined ? null : `${following} `,
      };
    },
  };
}

function parsePage(page: string | null, projects: readonly string[]): { project: string | null; after: string | null } {
  const [project = projects[0] ?? null, after = ''] = page?.split(' ') ?? [];
  return { project, after: after || null };
}

function listRequest(path: string, after: string | null, query: ReportRequest['query']): ReportRequest {
  return {
    path,
    query: [['limit', String(NAMES_PER_PAGE)], ...query, ...(after === null ? [] : [['after', after] as const])],
  };
}

function listPage<Shape extends z.ZodType>(shape: Shape) {
  return z.object({ data: z.array(shape), has_more: z.boolean(), last_id: wordOrNull });
}

function openaiPage<Shape extends z.ZodType>(shape: Shape) {
  return z.object({
    data: z.array(z.object({ start_time: z.int().min(0), results: z.array(shape) })),
    has_more: z.boolean(),
    next_page: wordOrNull,
  });
}

function openaiDaysRequest(
  path: string,
  groups: readonly string[],
  limit: number,
  { start, end }: DayWindow,
  page: string | null,
): ReportRequest {
  return {
    path,
    query: [
      ['start_time', String(start / 1_000)],
      ['end_time', String(end / 1_000)],
      ['bucket_width', '1d'],
      ['limit', String(limit)],
      ...groups.map((group) => ['group_by', group] as const),
      ...(page === null ? [] : [['page', page] as const]),
    ],
  };
}

/** OpenAI's organization usage, costs and lists. */
export const openaiReports: ReportSource = {
  provider: 'openai',
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  refuseKey: (key) =>
    /^sk-(proj|svcacct)-/.test(key)
      ? 'This isn’t an admin key. OpenAI admin keys start with sk-admin-; an organization owner creates them in the organization settings, under Admin keys. An API key for models cannot read reports.'
      : null,
  test: (now) => ({
    path: '/v1/organization/usage/completions',
    query: [
      ['start_time', String((now - (now % DAY_MS) - DAY_MS) / 1_000)],
      ['limit', '1'],
    ],
  }),
  readOrganization(body, headers) {
    readReportBody(z.object({ data: z.array(z.unknown()) }), body);
    const name = headers['openai-organization'];
    return typeof name === 'string' && name !== '' ? { id: name, name } : { id: null, name: null };
  },
  reports: [
    usageDays('completions', 5 * MINUTE_MS, ['project_id', 'api_key_id', 'model', 'batch', 'service_tier'], {
      requests: 'num_model_requests',
      amounts: completionAmounts,
    }),
    usageDays('embeddings', 5 * MINUTE_MS, ['project_id', 'api_key_id', 'model'], tokenMeasure()),
    costsReport(),
    listReport(
      'projects',
      ['include_archived', 'true'],
      z.object({ id: word, name: word, status: wordOrNull }),
      (one) => ({
        kind: 'project',
        ...one,
        hint: null,
        project: null,
      }),
    ),
    projectKeysReport(),
    listReport('users', null, z.object({ id: word, name: wordOrNull, email: wordOrNull }), ({ id, name, email }) => ({
      kind: 'user',
      id,
      name: name ?? email ?? id,
      hint: email,
      project: null,
      status: null,
    })),
    usageDays('moderations', HOUR_MS, ['project_id', 'api_key_id', 'model'], tokenMeasure()),
    usageDays(
      'images',
      HOUR_MS,
      ['project_id', 'api_key_id', 'model'],
      countMeasure('images', 'image', 'num_model_requests'),
    ),
    usageDays(
      'audio_speeches',
      HOUR_MS,
      ['project_id', 'api_key_id', 'model'],
      countMeasure('characters', 'speechCharacter', 'num_model_requests'),
    ),
    usageDays(
      'audio_transcriptions',
      HOUR_MS,
      ['project_id', 'api_key_id', 'model'],
      countMeasure('seconds', 'transcriptionSecond', 'num_model_requests'),
    ),
    usageDays('vector_stores', HOUR_MS, ['project_id'], countMeasure('usage_bytes', 'storedByte')),
    usageDays('code_interpreter_sessions', HOUR_MS, ['project_id'], countMeasure('num_sessions', 'codeInterpreter')),
    usageDays('file_search_calls', HOUR_MS, ['project_id', 'api_key_id'], countMeasure('num_requests', 'fileSearch')),
    usageDays(
      'web_search_calls',
      HOUR_MS,
      ['project_id', 'api_key_id', 'model'],
      countMeasure('num_requests', 'webSearch'),
    ),
  ],
};
