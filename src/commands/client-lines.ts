/** Lines that are ready to be used with a wrapped key, per client. */
export interface ClientLines {
  readonly client: string;
  readonly lines: readonly string[];
}

const OPENAI_COMPATIBLE: readonly ((baseUrl: string, key: string) => ClientLines)[] = [
  (base, key) => ({
    client: 'curl',
    lines: [
      `curl ${base}/chat/completions \\`,
      `  -H "authorization: Bearer ${key}" -H "content-type: application/json" \\`,
      `  -d '{"model":"MODEL","messages":[{"role":"user","content":"Hello"}]}'`,
    ],
  }),
  (base, key) => ({
    client: 'TypeScript (openai)',
    lines: [`const client = new OpenAI({ apiKey: '${key}', baseURL: '${base}' });`],
  }),
  (base, key) => ({
    client: 'Python (openai)',
    lines: [`client = OpenAI(api_key="${key}", base_url="${base}")`],
  }),
];

const CLIENTS: Readonly<Record<string, readonly ((base: string, key: string) => ClientLines)[]>> = {
  anthropic: [
    (base, key) => ({
      client: 'curl',
      lines: [
        `curl ${base}/v1/messages \\`,
        `  -H "authorization: Bearer ${key}" -H "content-type: application/json" \\`,
        `  -d '{"model":"claude-haiku-4-5","max_tokens":64,"messages":[{"role":"user","content":"Hello"}]}'`,
      ],
    }),
    (base, key) => ({
      client: 'TypeScript (@anthropic-ai/sdk)',
      lines: [`const client = new Anthropic({ apiKey: '${key}', baseURL: '${base}' });`],
    }),
    (base, key) => ({
      client: 'Python (anthropic)',
      lines: [`client = anthropic.Anthropic(api_key="${key}", base_url="${base}")`],
    }),
    (base, key) => ({
      client: 'Claude Code',
      lines: [`export ANTHROPIC_BASE_URL=${base}`, `export ANTHROPIC_AUTH_TOKEN=${key}`, 'claude'],
    }),
  ],
  google: [
    (base, key) => ({
      client: 'curl',
      lines: [
        `curl ${base}/v1beta/models/gemini-2.5-flash:generateContent \\`,
        `  -H "authorization: Bearer ${key}" -H "content-type: application/json" \\`,
        `  -d '{"contents":[{"parts":[{"text":"Hello"}]}]}'`,
      ],
    }),
    (base, key) => ({
      client: 'TypeScript (@google/genai)',
      lines: [`const client = new GoogleGenAI({ apiKey: '${key}', httpOptions: { baseUrl: '${base}' } });`],
    }),
    (base, key) => ({
      client: 'Python (google-genai)',
      lines: [`client = genai.Client(api_key="${key}", http_options={"base_url": "${base}"})`],
    }),
  ],
  openai: [
    (base, key) => ({
      client: 'curl',
      lines: [
        `curl ${base}/v1/responses \\`,
        `  -H "authorization: Bearer ${key}" -H "content-type: application/json" \\`,
        `  -d '{"model":"gpt-5-mini","input":"Hello"}'`,
      ],
    }),
    (base, key) => ({
      client: 'TypeScript (openai)',
      lines: [`const client = new OpenAI({ apiKey: '${key}', baseURL: '${base}/v1' });`],
    }),
    (base, key) => ({
      client: 'Python (openai)',
      lines: [`client = OpenAI(api_key="${key}", base_url="${base}/v1")`],
    }),
    (base, key) => ({
      client: 'Codex (in ~/.codex/config.toml, then the last line in a shell)',
      lines: [
        'model_provider = "tollbook"',
        '[model_providers.tollbook]',
        'name = "Tollbook"',
        `base_url = "${base}/v1"`,
        'env_key = "TOLLBOOK_KEY"',
        'wire_api = "responses"',
        '',
        `TOLLBOOK_KEY=${key} codex`,
      ],
    }),
  ],
};

/** A provider that isn't among these speaks OpenAI's language. */
export function clientLines(provider: string, baseUrl: string, key: string): ClientLines[] {
  const clients = CLIENTS[provider] ?? OPENAI_COMPATIBLE;
  return clients.map((make) => make(`${baseUrl}/api/proxy/${provider}`, key));
}
