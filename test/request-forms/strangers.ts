import { ANTHROPIC, CHAT, COMPATIBLE, EMBEDDINGS, type FieldGroup, GOOGLE, RESPONSES } from './documented-fields.ts';
import type { Json } from './json-tree.ts';
import { at, folded, isUsed, objects } from './readings.ts';
import type { Scene } from './scene.ts';

const GROUPS: Readonly<Record<Scene['dialect'], readonly Omit<FieldGroup, 'library' | 'type'>[]>> = {
  anthropic: ANTHROPIC,
  google: GOOGLE,
  chat: [...CHAT, ...COMPATIBLE],
  responses: RESPONSES,
  embeddings: EMBEDDINGS,
};

/** Members that no documentation names, as a provider may take them tomorrow. */
export const STRANGERS: Readonly<Record<string, unknown>> = {
  hologram: true,
  multi_agent: { enabled: true },
  sub_agents: 100,
  swarmMode: 'auto',
  extraPasses: [{ model: 'a' }],
};
const INVENTED: ReadonlySet<string> = new Set(Object.keys(STRANGERS).map(folded));

/** Objects within a body whose members are all documented; `0` is an element of a list. */
export const SETTINGS: Readonly<Record<Scene['dialect'], readonly string[]>> = {
  anthropic: [
    'messages.0',
    'container',
    'context_management',
    'context_management.edits.0',
    'output_config',
    'output_config.format',
    'thinking',
    'tool_choice',
    'tools.0',
  ],
  google: [
    'contents.0',
    'generationConfig',
    'generationConfig.imageConfig',
    'generationConfig.thinkingConfig',
    'toolConfig',
    'toolConfig.functionCallingConfig',
  ],
  chat: ['audio', 'moderation', 'provider', 'reasoning', 'response_format', 'stream_options', 'tool_choice', 'tools.0'],
  responses: [
    'context_management.0',
    'moderation',
    'reasoning',
    'stream_options',
    'text',
    'text.format',
    'tool_choice',
    'tools.0',
    'tools.0.container',
    'tools.0.environment',
    'tools.0.tools.0',
  ],
  embeddings: [],
};

/** Names of the documented fields of a body, each with every value that it may have. */
export function documentedFields(dialect: Scene['dialect']): (readonly [name: string, value: unknown])[] {
  const groups = GROUPS[dialect].filter((group) => group.at.length === 0);
  return groups.flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([name, values]) => values.map((value) => [name, value] as const)),
  );
}

/** Name of a member that is not documented and therefore may mean any work; null = there is none. */
export function findStranger({ dialect }: Scene, body: Json): string | null {
  const settings = SETTINGS[dialect].flatMap((path) =>
    objects(at([body], ...path.split('.').filter((name) => name !== '0'))),
  );
  return strangerOf(body, namesAt(dialect, '')) ?? settings.map(invented).find((name) => name !== null) ?? null;
}

function invented(value: Json): string | null {
  if (value.kind !== 'object') return null;
  return value.members.find(([name, inner]) => isUsed(inner) && INVENTED.has(folded(name)))?.[0] ?? null;
}

function strangerOf(value: Json, known: ReadonlySet<string>): string | null {
  if (value.kind !== 'object') return null;
  return value.members.find(([name, inner]) => isUsed(inner) && !known.has(folded(name)))?.[0] ?? null;
}

function namesAt(dialect: Scene['dialect'], path: string): ReadonlySet<string> {
  const groups = GROUPS[dialect].filter((group) => group.at.join('.') === path);
  const names = ['contents', 'generationConfig', ...groups.flatMap(({ fields }) => Object.keys(fields))];
  return new Set(names.map(folded));
}
