import { z } from 'zod';
import { unpricedShape } from '../contract/uncertainty.ts';
import { sessionRecord } from '../contract/sync.ts';
import { type ErrorType, TollbookError } from '../domain/errors.ts';
import type { LocalSource } from '../domain/sessions/local-call.ts';
import { usdFromNano } from '../domain/money/money.ts';
import { type PreparedUpload, prepareUpload } from '../sessions/uploads/prepare-upload.ts';
import { uploadPrepared } from '../sessions/uploads/upload.ts';
import { VERSION } from '../version.ts';
import { LOCAL_TOOLS_WORK, stdioAdvice } from './advice.ts';
import { assistantTitle, readToolSource, sourceInput, sourceOutput, type ToolSource } from './asked-source.ts';
import { costText, localNotes, warningsShape } from './local-shapes.ts';
import { flag, maxAgeHours, text, wholeNumber } from './parameters.ts';
import { cell, page } from './render.ts';
import { defineTool, type Tool, type ToolContext } from './tool.ts';
import { countNoun } from '../domain/text/counts.ts';
import { formatDollars } from '../domain/text/money.ts';

const PREVIEW_MAX = 100;
/** Progress goes to 100: one half is reading, the other uploading. */
const READ_PERCENT = 50;

const uploadedShape = z.object({
  records: z.int(),
  sessions: z.int(),
  replaced: z.int().meta({ description: 'Records that were replaced' }),
  cost: z.number().meta({ description: 'US dollars of these records, without calls through the gateway' }),
  unpricedCalls: z.int(),
  unpricedUsage: unpricedShape.unpricedUsage,
});

const output = z.object({
  dryRun: z.boolean(),
  sessionsParsed: z.int(),
  calls: z.int(),
  records: z.int().meta({ description: 'One per session, model and hour' }),
  cost: z.number().meta({ description: 'US dollars at list prices, computed on this machine' }),
  unpricedCalls: z.int(),
  preview: z.array(sessionRecord).optional().meta({
    description:
      'The first records, as they would be sent; before the first upload, project hashes differ in each dry run',
  }),
  files: z.array(z.string()).optional().meta({ description: 'Files read; never uploaded' }),
  uploaded: uploadedShape.optional(),
  warnings: warningsShape,
});
type SyncData = z.output<typeof output> & { readonly source?: unknown };

export function syncTool(name: `svc_${string}`, fixed: ToolSource): Tool {
  const assistant = assistantTitle(fixed);
  return defineTool({
    name,
    title: `Sync ${assistant} usage`,
    description: `Uploads the usage of ${assistant} on this machine to the service for the team's totals and savings. Only hashed ids, model names, times and token counts are sent: never code, prompts, file paths or project names. Repeating it replaces earlier records and counts nothing twice. With dryRun, no network request is made and the records are only shown.`,
    input: {
      ...sourceInput(fixed),
      maxAgeHours: maxAgeHours(720),
      dryRun: flag('Show what would be uploaded without uploading').default(false),
      previewLimit: wholeNumber(0, PREVIEW_MAX, 'Most records shown by a dry run').default(3),
      includeFileList: flag('List the local files read; they are never uploaded').default(false),
      apiKey: text('an access token').optional().describe('Access token to use instead of SVC_API_KEY'),
    },
    output: output.extend(sourceOutput(fixed)),
    hints: { readOnly: false, idempotent: true, zone: 'machine' },
    needsFiles: true,
    async run(args, context) {
      const { dryRun, previewLimit, includeFileList } = args;
      const source = readToolSource(fixed, args);
      // Whether it may upload is known before anything is read.
      const apiKey = dryRun ? null : allowed(source, context).client.secret(args.apiKey);
      const prepared = await prepare(source, args, context);
      const data: SyncData = {
        ...(fixed === null && { source }),
        dryRun,
        sessionsParsed: prepared.sessions,
        calls: prepared.calls,
        records: prepared.records.length,
        cost: usdFromNano(prepared.cost),
        unpricedCalls: prepared.unpricedCalls,
        // The shape's lists can be written to; what was prepared can't.
        ...(dryRun && { preview: z.array(sessionRecord).parse(prepared.records.slice(0, previewLimit)) }),
        ...(includeFileList && { files: [...prepared.files] }),
        warnings: [...prepared.warnings],
      };
      if (apiKey === null) return data;
      return { ...data, uploaded: await upload(prepared, apiKey, context) };
    },
    markdown: (data) => markdown(data, assistantTitle(readToolSource(fixed, data))),
  });
}

function allowed(source: LocalSource, context: ToolContext): ToolContext {
  if (source !== 'codex' || context.machine.codexSync) return context;
  throw new TollbookError(
    'policy_denied',
    'SVC_CODEX_AUTO_SYNC=false stops uploads of Codex sessions. To allow them, unset it and restart the host. dryRun, svc_list_codex_sessions and svc_get_local_codex_usage upload nothing and still work.',
  );
}

interface PrepareArguments {
  readonly dryRun: boolean;
  readonly maxAgeHours: number;
  readonly apiKey?: string | undefined;
}

function prepare(
  source: LocalSource,
  { dryRun, maxAgeHours: hours, apiKey: given }: PrepareArguments,
  { client, machine, clock, signal, progress }: ToolContext,
): Promise<PreparedUpload> {
  const apiKey = client.anySecret(given);
  return prepareUpload({
    source,
    env: machine.env,
    version: VERSION,
    maxAgeHours: hours,
    now: clock(),
    service: apiKey === null ? null : { apiUrl: client.url, apiKey },
    dryRun,
    signal,
    onProgress: ({ files, ofFiles }) =>
      progress((READ_PERCENT * files) / Math.max(1, ofFiles), 100, `${files} of ${ofFiles} session files read`),
  });
}

async function upload(
  prepared: PreparedUpload,
  apiKey: string,
  { client, machine, signal, progress }: ToolContext,
): Promise<z.output<typeof uploadedShape>> {
  try {
    return await uploadPrepared(prepared, machine.env, {
      apiUrl: client.url,
      apiKey,
      signal,
      onProgress: (done) =>
        progress(
          READ_PERCENT + ((100 - READ_PERCENT) * done.records) / Math.max(1, done.ofRecords),
          100,
          `${done.records} of ${done.ofRecords} records uploaded`,
        ),
    });
  } catch (error) {
    if (!(error instanceof TollbookError)) throw error;
    const advice = ADVICE[error.type];
    throw advice === undefined ? error : new TollbookError(error.type, `${error.message} ${advice}`, error.param);
  }
}

/** Advice by error type. */
const ADVICE: Partial<Record<ErrorType, string>> = {
  upstream_unreachable: LOCAL_TOOLS_WORK,
  unknown_secret: stdioAdvice.newKey,
  wrong_secret: stdioAdvice.newKey,
  missing_scope: stdioAdvice.newKey,
};

function markdown(data: SyncData, assistant: string): string {
  const { dryRun, sessionsParsed, calls, records, preview = [], files, uploaded, warnings } = data;
  const found = `${countNoun(sessionsParsed, 'session')} of ${assistant}, ${countNoun(calls, 'call')}, ${costText(data)} at list prices: ${countNoun(records, 'record')}`;
  return page(
    dryRun ? `Dry run, nothing was uploaded. ${found}.` : `${found}.`,
    uploaded &&
      `**Uploaded ${countNoun(uploaded.records, 'record')}** of ${countNoun(uploaded.sessions, 'session')}; ${countNoun(uploaded.replaced, 'record')} replaced. ${formatDollars(uploaded.cost)} in addition to calls through the gateway.`,
    preview.length > 0 && `The first ${preview.length}, as they would be sent:`,
    preview.length > 0 && `\`\`\`json\n${JSON.stringify({ sessions: preview }, null, 2)}\n\`\`\``,
    files && `Files read (never uploaded):\n\n${files.map((file) => `- ${cell(file)}`).join('\n')}`,
    localNotes(data, warnings),
  );
}
