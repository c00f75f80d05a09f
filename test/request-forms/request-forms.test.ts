import { describe, expect, test } from 'vitest';
import { seedOfRun } from '../seeded.ts';
import { checkForm, hold } from './check-form.ts';
import { declaredFields, type Library } from './declared-fields.ts';
import { ANTHROPIC, CHAT, EMBEDDINGS, GOOGLE, RESPONSES } from './documented-fields.ts';
import { describeBatch, playBatches } from './play-batches.ts';
import { describeHole, playForms } from './play-forms.ts';
import { SCENES } from './scene.ts';
import { documentedFields } from './strangers.ts';

const FORMS = 20_000;
const BATCHES = 500;
const SEED = seedOfRun();

test(`no form of a documented field costs more than its hold (TEST_SEED=${SEED})`, () => {
  const { forms, held, holes } = playForms(SEED, FORMS);
  expect(holes.map(describeHole)).toEqual([]);
  expect(forms).toBe(FORMS);
  // Refusing everything would keep the promise too.
  expect(held).toBeGreaterThan(FORMS / 4);
});

test(`no batch costs more than the sum of its bounds (TEST_SEED=${SEED})`, () => {
  const { lines, holes } = playBatches(SEED, BATCHES);
  expect(holes.map(describeBatch)).toEqual([]);
  expect(lines).toBeGreaterThan(BATCHES);
});

test('every documented field of a body is known: none is refused as unknown', () => {
  const bases = { anthropic: { max_tokens: 9, messages: [] }, google: { contents: [] }, chat: { messages: [] } };
  const unknown = SCENES.flatMap((scene) =>
    documentedFields(scene.dialect).flatMap(([name, value]) => {
      const body = { model: scene.model, input: 'a', ...bases[scene.dialect as keyof typeof bases], [name]: value };
      if (scene.dialect !== 'responses' && scene.dialect !== 'embeddings') Reflect.deleteProperty(body, 'input');
      const held = hold(scene, JSON.stringify(body));
      return held.kind === 'refused' && held.why.includes('unknown field') ? [`${scene.address}: ${name}`] : [];
    }),
  );
  expect([...new Set(unknown)]).toEqual([]);
});

/** Types of settings and tools, and where their members stand; `0` is an element of a list. */
const TYPES: readonly (readonly [model: string, library: Library, type: string, path: string])[] = [
  ...[
    'BetaTool',
    'BetaToolBash20250124',
    'BetaToolComputerUse20251124',
    'BetaToolTextEditor20250728',
    'BetaMemoryTool20250818',
    'BetaBrowserToolset20260801',
    'BetaComputerToolset20260801',
    'BetaCodeExecutionTool20260521',
    'BetaWebSearchTool20260318',
    'BetaWebFetchTool20260318',
    'BetaAdvisorTool20260301',
    'BetaToolSearchToolBm25_20251119',
  ].map((type) => ['claude-opus-4-8', 'anthropic', type, 'tools.0'] as const),
  ['claude-opus-4-8', 'anthropic', 'BetaThinkingConfigEnabled', 'thinking'],
  ['claude-opus-4-8', 'anthropic', 'BetaThinkingConfigAdaptive', 'thinking'],
  ['claude-opus-4-8', 'anthropic', 'BetaOutputConfig', 'output_config'],
  ['claude-opus-4-8', 'anthropic', 'BetaTokenTaskBudget', 'output_config.task_budget'],
  ['claude-opus-4-8', 'anthropic', 'BetaJSONOutputFormat', 'output_config.format'],
  ['claude-opus-4-8', 'anthropic', 'BetaToolChoiceAuto', 'tool_choice'],
  ['claude-opus-4-8', 'anthropic', 'BetaToolChoiceTool', 'tool_choice'],
  ['claude-opus-4-8', 'anthropic', 'BetaContainerParams', 'container'],
  ['claude-opus-4-8', 'anthropic', 'BetaCompactionConfig', 'compaction'],
  ['claude-opus-4-8', 'anthropic', 'BetaClearToolUses20250919Edit', 'context_management.edits.0'],
  ['claude-opus-4-8', 'anthropic', 'BetaClearThinking20251015Edit', 'context_management.edits.0'],
  ['claude-opus-4-8', 'anthropic', 'BetaCompact20260112Edit', 'context_management.edits.0'],
  ['claude-opus-4-8', 'anthropic', 'BetaFallbackParam', 'fallbacks.0'],
  ['gemini-2.5-pro', 'google', 'ThinkingConfig', 'generationConfig.thinkingConfig'],
  ['gemini-2.5-pro', 'google', 'ImageConfig', 'generationConfig.imageConfig'],
  ['gemini-2.5-pro', 'google', 'SpeechConfig', 'generationConfig.speechConfig'],
  ['gemini-2.5-pro', 'google', 'AudioTranscriptionConfig', 'generationConfig.audioTranscriptionConfig'],
  ['gemini-2.5-pro', 'google', 'ToolConfig', 'toolConfig'],
  ['gemini-2.5-pro', 'google', 'FunctionCallingConfig', 'toolConfig.functionCallingConfig'],
  ['gemini-2.5-pro', 'google', 'RetrievalConfig', 'toolConfig.retrievalConfig'],
  ['gemini-2.5-pro', 'google', 'ComputerUse', 'tools.0.computerUse'],
  ['gpt-4o', 'openaiChat', 'ChatCompletionStreamOptions', 'stream_options'],
  ['gpt-4o', 'openaiChat', 'ChatCompletionAudioParam', 'audio'],
  ['gpt-4o', 'openaiChat', 'ChatCompletionFunctionTool', 'tools.0'],
  ['gpt-4o', 'openaiChat', 'ChatCompletionCustomTool', 'tools.0'],
  ['gpt-4o', 'openaiChat', 'ChatCompletionNamedToolChoice', 'tool_choice'],
  ['gpt-4o', 'openaiChat', 'ChatCompletionAllowedToolChoice', 'tool_choice'],
  ['gpt-4o', 'openaiShared', 'ResponseFormatJSONSchema', 'response_format'],
  ...[
    'FunctionTool',
    'FileSearchTool',
    'WebSearchTool',
    'FunctionShellTool',
    'CustomTool',
    'NamespaceTool',
    'ToolSearchTool',
  ].map((type) => ['gpt-5.6-sol', 'openaiResponses', type, 'tools.0'] as const),
  ['gpt-5.6-sol', 'openaiResponses', 'ComputerUsePreviewTool', 'tools.0'],
  ['gpt-5.6-sol', 'openaiResponses', 'WebSearchPreviewTool', 'tools.0'],
  ['gpt-5.6-sol', 'openaiShared', 'Reasoning', 'reasoning'],
  ['gpt-5.6-sol', 'openaiResponses', 'ResponseTextConfig', 'text'],
  ['gpt-5.6-sol', 'openaiResponses', 'ResponseFormatTextJSONSchemaConfig', 'text.format'],
  ['gpt-5.6-sol', 'openaiResponses', 'ToolChoiceFunction', 'tool_choice'],
  ['gpt-5.6-sol', 'openaiResponses', 'ToolChoiceMcp', 'tool_choice'],
  ['gpt-5.6-sol', 'openaiResponses', 'ToolChoiceAllowed', 'tool_choice'],
];

test.each(TYPES)(
  'every member of a setting that a library of %s declares is known: %s %s',
  (model, library, type, path) => {
    const scene = SCENES.find((each) => each.model === model)!;
    const unknown = declaredFields(library, type).filter((field) => {
      const body = path
        .split('.')
        .reduceRight<unknown>((inner, name) => (name === '0' ? [inner] : { [name]: inner }), { [field]: 1 });
      const held = hold(scene, JSON.stringify({ model, ...(body as object) }));
      return held.kind === 'refused' && held.why.includes('unknown field');
    });
    expect(unknown).toEqual([]);
  },
);

describe('the fields that the forms are made of', () => {
  const groups = [...ANTHROPIC, ...GOOGLE, ...CHAT, ...RESPONSES, ...EMBEDDINGS];
  test.each(groups.map((group) => [`${group.library} ${group.type}`, group] as const))(
    'are those that the library declares: %s',
    (_name, { library, type, fields, deciding }) => {
      // A new field: say in documented-fields.ts where it stands and what it may say, and read it if it changes the bill.
      expect(Object.keys(fields).toSorted()).toEqual(declaredFields(library, type));
      expect(Object.keys(fields)).toEqual(expect.arrayContaining([...deciding]));
    },
  );
});

test('every model of the forms has a cost bound for text', () => {
  for (const scene of SCENES) {
    const body = {
      anthropic: { model: scene.model, max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] },
      google: { contents: [{ parts: [{ text: 'Hi' }] }], generationConfig: { maxOutputTokens: 10 } },
      chat: { model: scene.model, max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }], modalities: ['text'] },
      responses: { model: scene.model, max_output_tokens: 10, input: 'Hi' },
      embeddings: { model: scene.model, input: 'Hi' },
    }[scene.dialect];
    expect(hold(scene, JSON.stringify(body)).kind, `${scene.address} ${scene.model}`).toBe('held');
    expect(checkForm(scene, JSON.stringify(body)).short).toBeNull();
  }
});
