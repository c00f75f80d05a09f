import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { MAIN, type Service } from '../service.ts';

/** The fields of `tollbook export --format jsonl` that tests read. */
export interface ExportedCall {
  readonly id: string;
  readonly provider: string;
  readonly model: string | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly outcome: string;
  readonly uncertainReason: string | null;
  readonly usageSource: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number | null;
  readonly uncertainUpTo?: number;
  readonly requestId: string | null;
  readonly responseId: string | null;
  readonly sessionHash: string | null;
  readonly session: string | null;
  readonly startedAt: string;
}

const EXPORT_BYTES_MAX = 64 * 1_048_576;

/** Exports the whole ledger with the command line. */
export async function exportCalls({ dataDir }: Service): Promise<ExportedCall[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, 'export', '--format', 'jsonl'], {
    env: { ...process.env, SVC_DATA_DIR: dataDir },
    maxBuffer: EXPORT_BYTES_MAX,
  });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ExportedCall);
}
