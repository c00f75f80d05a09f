import type { EntryShape } from '../../../../src/contract/usage.ts';

const SOURCE_NAMES: Readonly<Record<EntryShape['source'], string>> = {
  proxy: 'Gate',
  provider_report: 'Provider report',
  claude_code: 'Claude Code',
  codex: 'Codex',
};

/** A source as people know it. */
export function sourceName(source: string): string {
  return (SOURCE_NAMES as Readonly<Record<string, string>>)[source] ?? source;
}
