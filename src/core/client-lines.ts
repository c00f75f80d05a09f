import { clientAddress } from './client-address.ts';

/** Lines that are ready to be used with a wrapped key, per client. */
export interface ClientLines {
  readonly client: string;
  readonly lines: readonly string[];
}

type MakeLines = (address: string, key: string) => ClientLines;

const CHAT = {
  typescript: [
    'const answer = await client.chat.completions.create({',
    "  model: 'MODEL',",
    "  messages: [{ role: 'user', content: 'Hello' }],",
    '});',
  ],
  python: [
    'answer = client.chat.completions.create(',
    '    model="MODEL",',
    '    messages=[{"role": "user", "content": "Hello"}],',
    ')',
  ],
};

const RESPONSES = {
  typescript: ['const answer = await client.responses.create({', "  model: 'gpt-5-mini',", "  input: 'Hello',", '});'],
  python: ['answer = client.responses.create(model="gpt-5-mini", input="Hello")'],
};

function openaiLibraries(call: typeof CHAT): readonly MakeLines[] {
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

const OPENAI_COMPATIBLE: readonly MakeLines[] = [
  (address, key) =>
    curl(`${address}/chat/completions`, key, ['{"model":"MODEL",', ' "messages":[{"role":"user","content":"Hello"}]}']),
  ...openaiLibraries(CHAT),
];

const CLIENTS: Readonly<Record<string, readonly MakeLines[]>> = {
  anthropic: [
    (address, key) => ({ client: 'curl', lines: anthropicCurl(address, key) }),
    (address, key) =>
      typescript('@anthropic-ai/sdk', 'Anthropic', [`apiKey: '${key}',`, `baseURL: '${address}',`], {
        import: "import Anthropic from '@anthropic-ai/sdk';",
        call: [
          'const answer = await client.messages.create({',
          "  model: 'claude-haiku-4-5',",
          '  max_tokens: 64,',
          "  messages: [{ role: 'user', content: 'Hello' }],",
          '});',
        ],
      }),
    (address, key) =>
      python('anthropic', 'Anthropic', [`api_key="${key}",`, `base_url="${address}",`], {
        import: 'from anthropic import Anthropic',
        call: [
          'answer = client.messages.create(',
          '    model="claude-haiku-4-5",',
          '    max_tokens=64,',
          '    messages=[{"role": "user", "content": "Hello"}],',
          ')',
        ],
      }),
    (address, key) => ({
      client: 'Claude Code',
      lines: [`export ANTHROPIC_BASE_URL=${address}`, `export ANTHROPIC_AUTH_TOKEN=${key}`, 'claude'],
    }),
  ],
  google: [
    (address, key) =>
      curl(`${address}/v1beta/models/gemini-2.5-flash:generateContent`, key, [
        '{"contents":[{"parts":[{"text":"Hello"}]}]}',
      ]),
    (address, key) =>
      typescript('@google/genai', 'GoogleGenAI', [`apiKey: '${key}',`, `httpOptions: { baseUrl: '${address}' },`], {
        import: "import { GoogleGenAI } from '@google/genai';",
        call: [
          'const answer = await client.models.generateContent({',
          "  model: 'gemini-2.5-flash',",
          "  contents: 'Hello',",
          '});',
        ],
      }),
    (address, key) =>
      python('google-genai', 'genai.Client', [`api_key="${key}",`, `http_options={"base_url": "${address}"},`], {
        import: 'from google import genai',
        call: [
          'answer = client.models.generate_content(',
          '    model="gemini-2.5-flash",',
          '    contents="Hello",',
          ')',
        ],
      }),
  ],
  openai: [
    (address, key) => curl(`${address}/responses`, key, ['{"model":"gpt-5-mini","input":"Hello"}']),
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
  ],
};

/** A provider that isn't among these speaks OpenAI's language. */
export function clientLines(provider: string, baseUrl: string, key: string): ClientLines[] {
  const address = clientAddress(baseUrl, provider);
  return (CLIENTS[provider] ?? OPENAI_COMPATIBLE).map((make) => make(address, key));
}

/** A first call to Anthropic. */
export function anthropicCurl(address: string, key: string): readonly string[] {
  const body = ['{"model":"claude-haiku-4-5","max_tokens":64,', ' "messages":[{"role":"user","content":"Hello"}]}'];
  return curl(`${address}/v1/messages`, key, body).lines;
}

/** The key comes last: with it, no other sign fits into the 80 columns of a terminal. */
function curl(url: string, key: string, body: readonly string[]): ClientLines {
  const lines = [
    `curl ${url} \\`,
    '-H "content-type: application/json" \\',
    ...`-d '${body.join('\n')}' \\`.split('\n'),
    `-H "authorization: Bearer ${key}"`,
  ];
  return { client: 'curl', lines };
}

/** What stands around the making of a client, so that the lines are a program. */
interface Around {
  readonly import: string;
  readonly call: readonly string[];
}

function typescript(library: string, name: string, options: readonly string[], around: Around): ClientLines {
  const made = [`const client = new ${name}({`, ...options.map((line) => `  ${line}`), '});'];
  return { client: `TypeScript (${library})`, lines: [around.import, '', ...made, ...around.call] };
}

function python(library: string, name: string, options: readonly string[], around: Around): ClientLines {
  const made = [`client = ${name}(`, ...options.map((line) => `    ${line}`), ')'];
  return { client: `Python (${library})`, lines: [around.import, '', ...made, ...around.call] };
}
