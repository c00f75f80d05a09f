import { z } from 'zod';
import { LOCAL_SOURCES, type LocalSource } from '../domain/sessions/local-call.ts';
import { SOURCE_TITLES } from '../domain/text/assistants.ts';
import { choice } from './parameters.ts';

const given = choice(LOCAL_SOURCES, 'The assistant');

/** The assistant of a tool: a fixed one, or for null the one that each call names. */
export type ToolSource = LocalSource | null;

/** Returns the parameter of a tool without a fixed assistant. */
export function sourceInput(fixed: ToolSource): { readonly source?: typeof given } {
  return fixed === null ? { source: given } : {};
}

/** Returns the result field of a tool without a fixed assistant. */
export function sourceOutput(fixed: ToolSource): { readonly source?: z.ZodEnum<{ [Name in LocalSource]: Name }> } {
  return fixed === null ? { source: z.enum(LOCAL_SOURCES) } : {};
}

/** Returns the assistant of a tool call. */
export function readToolSource(fixed: ToolSource, values: object): LocalSource {
  return fixed ?? given.parse('source' in values ? values.source : undefined);
}

/** Returns the display name of the assistant, or for a tool without a fixed one, what it is. */
export function assistantTitle(source: ToolSource): string {
  return source === null ? 'one coding assistant' : SOURCE_TITLES[source];
}
