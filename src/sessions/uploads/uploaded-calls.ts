import { hash } from 'node:crypto';
import { join } from 'node:path';
import { TollbookError } from '../../domain/errors.ts';
import type { LocalCall, LocalSource } from '../../domain/sessions/local-call.ts';
import { CACHE_READ_CLASSES, CACHE_WRITE_CLASSES, INPUT_CLASSES } from '../../domain/usage/usage.ts';
import { readChecked, writeChecked } from '../reading/checked-file.ts';
import type { HostEnvironment } from '../reading/source.ts';
import { configFolder } from './config-folder.ts';

/** Calls kept in the file (some megabytes): those of the sessions uploaded last. */
const CALLS_MAX = 250_000;
/** 66 bits, so that two calls of a machine never have the same mark by chance. */
const MARK_CHARS = 11;
const SERVICE_CHARS = 16;
const LABEL = 'uploaded 2';
const PROMPT_CLASSES = [...INPUT_CLASSES, ...CACHE_READ_CLASSES, ...CACHE_WRITE_CLASSES];

/** Service that sessions are uploaded to. Another token may belong to another workspace. */
export interface UploadService {
  /** Without a trailing slash. */
  readonly apiUrl: string;
  /** Access token. */
  readonly apiKey: string;
}

/** Calls uploaded from this machine: marks of calls by hashed session id. */
export type UploadedSessions = ReadonlyMap<string, readonly string[]>;

/** Identifies the file of uploaded calls. */
interface UploadedCallsFile {
  readonly host: HostEnvironment;
  readonly source: LocalSource;
}

interface UploadedLine {
  readonly service: string;
  readonly session: string;
  readonly marks: readonly string[];
}

/**
 * Returns a mark that identifies a call in any file to which its rows are copied. Codex copies keep the running total and the
 * prompt, but may have the time of the fork and no model. Other copies keep the time and the input. Their output is excluded,
 * because it may still have grown after the upload.
 */
export function fingerprintCall({ source, at, model, total = 0, usage }: LocalCall): string {
  const tokens = usage.inferences[0]?.tokens ?? {};
  const prompt = PROMPT_CLASSES.map((name) => tokens[name] ?? 0);
  const text = (source === 'codex' ? [source, total, tokens.output ?? 0, ...prompt] : [at, model, ...prompt]).join(' ');
  return hash('sha256', text, 'base64url').slice(0, MARK_CHARS);
}

/** Returns the hashed session id under which the service has each call uploaded from here, by mark. */
export function readUploadedCalls(file: UploadedCallsFile, service: UploadService): ReadonlyMap<string, string> {
  const id = serviceId(service);
  const own = readLines(file).filter((line) => line.service === id);
  return new Map(own.flatMap(({ session, marks }) => marks.map((mark) => [mark, session] as const)));
}

/** Records the calls of uploaded sessions, replacing earlier records of these sessions. */
export function writeUploadedCalls(file: UploadedCallsFile, service: UploadService, uploaded: UploadedSessions): void {
  const id = serviceId(service);
  const before = readLines(file).filter((line) => line.service !== id || !uploaded.has(line.session));
  const now = Array.from(uploaded, ([session, marks]): UploadedLine => ({ service: id, session, marks }));
  try {
    writeChecked(uploadedCallsPath(file), LABEL, newest([...before, ...now]).map(formatLine));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TollbookError(
      'unprocessable',
      `Everything is uploaded, but it could not be recorded locally (${why}). Without the record, copies of these sessions count twice after these are deleted. Run the command again when ${uploadedCallsPath(file)} can be written.`,
    );
  }
}

function newest(lines: readonly UploadedLine[]): readonly UploadedLine[] {
  let calls = 0;
  const dropped = lines.findLastIndex(({ marks }) => (calls += marks.length) > CALLS_MAX);
  return lines.slice(dropped + 1);
}

function readLines(file: UploadedCallsFile): UploadedLine[] {
  const text = readChecked(uploadedCallsPath(file), LABEL)?.body.toString('latin1') ?? '';
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [service = '', session = '', ...marks] = line.split(' ');
      return { service, session, marks };
    });
}

function formatLine({ service, session, marks }: UploadedLine): string {
  return `${[service, session, ...marks].join(' ')}\n`;
}

function serviceId({ apiUrl, apiKey }: UploadService): string {
  return hash('sha256', `${apiUrl} ${apiKey}`).slice(0, SERVICE_CHARS);
}

function uploadedCallsPath({ host, source }: UploadedCallsFile): string {
  return join(configFolder(host), `${source}.uploaded`);
}
