import { type ClientProgram, python, typescript } from '../client-lines.ts';
import type { FirstCall, MakeClientLines } from '../provider.ts';

export const OPENAI_FIRST_CALL: FirstCall = { path: '/responses', body: ['{"model":"gpt-5-mini","input":"Hello"}'] };

const RESPONSES = {
  typescript: ['const answer = await client.responses.create({', "  model: 'gpt-5-mini',", "  input: 'Hello',", '});'],
  python: ['answer = client.responses.create(model="gpt-5-mini", input="Hello")'],
};

export const OPENAI_CLIENTS: readonly MakeClientLines[] = [
  ...openaiLibraries(RESPONSES),
  (address) => ({
    client: 'Codex: at the top of ~/.codex/config.toml, above any [section]',
    // Dotted, since a section would take in the settings that follow it in the user's file.
    lines: [
      'model_provider = "tollbook"',
      'model_providers.tollbook.name = "Tollbook"',
      `model_providers.tollbook.base_url = "${address}"`,
      'model_providers.tollbook.env_key = "TOLLBOOK_KEY"',
      'model_providers.tollbook.wire_api = "responses"',
    ],
  }),
  (_, key) => ({ client: 'and then, in a shell', lines: [`TOLLBOOK_KEY=${key} codex`] }),
];

/** OpenAI's libraries with a call of one of their operations. */
export function openaiLibraries(
  call: Record<'typescript' | 'python', ClientProgram['call']>,
): readonly MakeClientLines[] {
  return [
    (address, key) =>
      typescript('openai', 'OpenAI', [`apiKey: '${key}',`, `baseURL: '${address}',`], {
        import: "import OpenAI from 'openai';",
        call: call.typescript,
      }),
    (address, key) =>
      python('openai', 'OpenAI', [`api_key="${key}",`, `base_url="${address}",`], {
        import: 'from openai import OpenAI',
        call: call.python,
      }),
  ];
}
