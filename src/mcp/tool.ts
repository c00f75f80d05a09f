import { z } from 'zod';
import { TollbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { ApiClient } from './client.ts';
import { format } from './parameters.ts';

/** Client, session and clock for one tool call. */
export interface ToolContext {
  readonly client: ApiClient;
  readonly machine: ToolMachine;
  readonly clock: Clock;
  /** Aborted when the host cancels the call or closes the connection. */
  readonly signal: AbortSignal;
  /** Returns the time zone of the workspace, or UTC if the token may not read it. */
  timeZone(): Promise<string>;
  /** Reports progress to the host, if it requested progress. */
  progress(done: number, total: number, message: string): void;
}

/** Location of session files and permission to upload them. */
export interface ToolMachine {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** IANA name. */
  readonly timeZone: string;
  /** false = sessions of Codex are never uploaded. */
  readonly codexSync: boolean;
}

interface ToolHints {
  /** Changes nothing, anywhere. */
  readonly readOnly: boolean;
  /** Repeating it with the same arguments changes nothing more. */
  readonly idempotent: boolean;
  /** Time zone of its Markdown: of the workspace or of this machine. */
  readonly zone: 'workspace' | 'machine';
}

/** One tool. Its shapes check arguments and results, and describe both to the host. */
interface ToolDeclaration<Input extends z.ZodRawShape, Output extends z.ZodObject> {
  readonly name: `svc_${string}`;
  readonly title: string;
  /** For the assistant: what it answers and when to call it. */
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly hints: ToolHints;
  /** Reads files of the machine it runs on, so it is not offered over HTTP. */
  readonly needsFiles: boolean;
  run(args: z.output<z.ZodObject<Input>>, context: ToolContext): Promise<z.input<Output>>;
  markdown(data: z.output<Output>, timeZone: string): string;
}

/** A declared tool without its type parameters. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly hints: ToolHints;
  readonly needsFiles: boolean;
  /** Checks the arguments and answers. Throws `TollbookError`s that say what to do. */
  call(args: unknown, context: ToolContext): Promise<ToolResult>;
}

interface ToolResult {
  readonly text: string;
  readonly data: Record<string, unknown>;
}

export function defineTool<const Input extends z.ZodRawShape, Output extends z.ZodObject>(
  declared: ToolDeclaration<Input, Output>,
): Tool {
  const { name, title, description, output, hints, needsFiles } = declared;
  const input = z.strictObject({ ...declared.input, format });
  return {
    name,
    title,
    description,
    input,
    output,
    hints,
    needsFiles,
    async call(given, context) {
      const args = readArguments(name, input, given);
      // The shape is the declaration's own, with one more field, which TypeScript can't see through the spread.
      const data = output.parse(await declared.run(args as z.output<z.ZodObject<Input>>, context));
      if (args['format'] === 'json') return { text: JSON.stringify(data), data };
      const zone = hints.zone === 'machine' ? context.machine.timeZone : await context.timeZone();
      return { text: declared.markdown(data, zone), data };
    },
  };
}

/** Hosts send null for what an assistant leaves open: that is the same as leaving it out. */
function readArguments(tool: string, input: z.ZodObject, given: unknown): Record<string, unknown> {
  const fields = Object.entries((given ?? {}) as Record<string, unknown>).filter(([, value]) => value !== null);
  const result = input.safeParse(Object.fromEntries(fields));
  if (result.success) return result.data;
  const sentences = result.error.issues.map((issue) => describeIssue(issue, input));
  const [issue] = result.error.issues;
  throw new TollbookError('invalid', `${tool}: ${sentences.join(' ')}`, issue?.path[0]?.toString());
}

function describeIssue(issue: z.core.$ZodIssue, input: z.ZodObject): string {
  if (issue.code === 'unrecognized_keys')
    return `Unknown parameter ${issue.keys.map((key) => `"${key}"`).join(', ')}; parameters: ${Object.keys(input.shape).join(', ')}.`;
  return `${String(issue.path[0])} ${issue.message}.`;
}
