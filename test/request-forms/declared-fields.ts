import { readFileSync } from 'node:fs';

const LIBRARIES = {
  anthropic: '@anthropic-ai/sdk/resources/beta/messages/messages.d.ts',
  google: '@google/genai/dist/genai.d.ts',
  openaiChat: 'openai/resources/chat/completions/completions.d.ts',
  openaiResponses: 'openai/resources/responses/responses.d.ts',
  openaiEmbeddings: 'openai/resources/embeddings.d.ts',
  openaiShared: 'openai/resources/shared.d.ts',
} as const;
export type Library = keyof typeof LIBRARIES;

/** Names of the fields that a library's type declares, sorted. Throws where there is no such type. */
export function declaredFields(library: Library, type: string): string[] {
  const file = new URL(`../../node_modules/${LIBRARIES[library]}`, import.meta.url);
  const body = bodyOf(withoutComments(readFileSync(file, 'utf8')), type);
  const fields = new Set<string>();
  let depth = 0;
  for (const line of body.split('\n')) {
    const name = /^\s*(?:readonly )?([A-Za-z_]\w*)\??:/.exec(line)?.[1];
    if (depth === 0 && name !== undefined) fields.add(name);
    for (const letter of line) depth += letter === '{' ? 1 : letter === '}' ? -1 : 0;
  }
  return [...fields].toSorted();
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\//g, '');
}

/** What stands between the braces of the first such interface or class. */
function bodyOf(text: string, type: string): string {
  const found = new RegExp(`(?:interface|class) ${type}(?: extends [\\w.]+)? \\{`).exec(text);
  if (!found) throw new Error(`The library declares no ${type}.`);
  const start = found.index + found[0].length;
  let depth = 1;
  let at = start;
  for (; depth > 0; at++) depth += text[at] === '{' ? 1 : text[at] === '}' ? -1 : 0;
  return text.slice(start, at - 1);
}
