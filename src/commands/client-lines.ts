import { clientAddress } from '../core/client-address.ts';

/** Lines that are ready to be used with a wrapped key, per client. */
export interface ClientLines {
  readonly client: string;
  readonly lines: readonly string[];
}

type MakeLines = (address: string, key: string) => ClientLines;

const OPENAI_LIBRARIES: readonly MakeLines[] = [
  (address, key) => typescript('openai', 'OpenAI', [`apiKey: '${key}',`, `baseURL: '${address}',`]),
  (address, key) => python('openai', 'OpenAI', [`api_key="${key}",`, `base_url="${address}",`]),
];

const OPENAI_COMPATIBLE: readonly MakeLines[] = [
  (address, key) =>
    curl(`${address}/chat/completions`, key, ['{"model":"MODEL",', ' "messages":[{"role":"user","content":"Hello"}]}']),
  ...OPENAI_LIBRARIES,
];

const CLIENTS: Readonly<Record<string, readonly MakeLines[]>> = {
  anthropic: [
    (address, key) => ({ client: 'curl', lines: anthropicCurl(address, key) }),
    (address, key) => typescript('@anthropic-ai/sdk', 'Anthropic', [`apiKey: '${key}',`, `baseURL: '${address}',`]),
    (address, key) => python('anthropic', 'anthropic.Anthropic', [`api_key="${key}",`, `base_url="${address}",`]),
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
      typescript('@google/genai', 'GoogleGenAI', [`apiKey: '${key}',`, `httpOptions: { baseUrl: '${address}' },`]),
    (address, key) =>
      python('google-genai', 'genai.Client', [`api_key="${key}",`, `http_options={"base_url": "${address}"},`]),
  ],
  openai: [
    (address, key) => curl(`${address}/responses`, key, ['{"model":"gpt-5-mini","input":"Hello"}']),
    ...OPENAI_LIBRARIES,
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

function typescript(library: string, name: string, options: readonly string[]): ClientLines {
  const lines = [`const client = new ${name}({`, ...options.map((line) => `  ${line}`), '});'];
  return { client: `TypeScript (${library})`, lines };
}

function python(library: string, name: string, options: readonly string[]): ClientLines {
  const lines = [`client = ${name}(`, ...options.map((line) => `    ${line}`), ')'];
  return { client: `Python (${library})`, lines };
}
