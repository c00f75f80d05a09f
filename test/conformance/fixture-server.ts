import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { fromJsonSchema, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { openHttpTransport } from '../../src/mcp/http-transport.ts';
import type { Running } from './token-adder.ts';

/** Names and texts here are the suite's: it asks for them and looks for them. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const BODY_BYTES_MAX = 1024 * 1024;
const text = (words: string) => ({ type: 'text' as const, text: words });
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };
const embedded = (uri: string, mimeType: string, words: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: words },
});

/** The suite's own tools behind the same door as the product's: what it tests then is the door. */
export async function startFixtureServer(): Promise<Running> {
  const transport = openHttpTransport({
    serverFor: fixtureServer,
    authenticate: () => Promise.resolve({ secret: 'fixture', count: () => {} }),
    hostnames: [],
    bodyBytesMax: BODY_BYTES_MAX,
    onError: () => undefined,
  });
  const listener = getRequestListener((request) => transport.fetch(request));
  const server = createServer((req, res) => void listener(req, res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => void server.close(),
  };
}

function fixtureServer(): McpServer {
  const server = new McpServer(
    { name: 'fixtures', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { listChanged: false },
      },
      cacheHints: { 'tools/list': { ttlMs: 1_000, cacheScope: 'public' } },
    },
  );
  addTools(server);
  addResources(server);
  addPrompts(server);
  return server;
}

function addTools(server: McpServer): void {
  const contents = {
    test_simple_text: [text('This is a simple text response for testing.')],
    test_image_content: [image],
    test_audio_content: [{ type: 'audio' as const, data: WAV, mimeType: 'audio/wav' }],
    test_embedded_resource: [
      embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
    ],
    test_multiple_content_types: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  };
  for (const [name, content] of Object.entries(contents))
    server.registerTool(name, { description: name }, () => ({ content }));
  server.registerTool('test_error_handling', { description: 'Always fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  server.registerTool(
    'test_tool_with_progress',
    { description: 'Tells how far it is' },
    async ({ mcpReq: { _meta, notify } }) => {
      const progressToken = _meta?.progressToken;
      for (const progress of progressToken === undefined ? [] : [0, 50, 100])
        await notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      return { content: [text('Done.')] };
    },
  );
  server.registerTool(
    'test_custom_headers',
    {
      description: 'Takes a parameter from a header too',
      inputSchema: fromJsonSchema<{ region: string }>(WITH_HEADER),
    },
    ({ region }) => ({ content: [text(region)] }),
  );
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Tool with JSON Schema 2020-12 features', inputSchema: fromJsonSchema(JSON_SCHEMA_2020_12) },
    () => ({ content: [text('Taken.')] }),
  );
}

const WITH_HEADER = {
  type: 'object' as const,
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  required: ['region'],
};

/** As text: an object with a `then` is taken for a promise. */
const CONDITION = `{
  "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
  "then": { "required": ["phone"] },
  "else": { "required": ["email"] }
}`;

const JSON_SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  ...(JSON.parse(CONDITION) as Record<string, unknown>),
  additionalProperties: false,
};

function addResources(server: McpServer): void {
  const words = 'This is the content of the static text resource.';
  server.registerResource(
    'static-text',
    'test://static-text',
    { description: 'Text', mimeType: 'text/plain' },
    ({ href }) => ({ contents: [{ uri: href, mimeType: 'text/plain', text: words }] }),
  );
  server.registerResource(
    'static-binary',
    'test://static-binary',
    { description: 'Bytes', mimeType: 'image/png' },
    ({ href }) => ({ contents: [{ uri: href, mimeType: 'image/png', blob: PNG }] }),
  );
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'By id', mimeType: 'application/json' },
    ({ href }, { id }) => {
      const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` });
      return { contents: [{ uri: href, mimeType: 'application/json', text: data }] };
    },
  );
}

function addPrompts(server: McpServer): void {
  const says = (...contents: (ReturnType<typeof text> | typeof image | ReturnType<typeof embedded>)[]) => ({
    messages: contents.map((content) => ({ role: 'user' as const, content })),
  });
  const named = (...names: string[]) =>
    z.object(Object.fromEntries(names.map((name) => [name, z.string().describe('For the test')])));
  server.registerPrompt('test_simple_prompt', { description: 'Plain' }, () =>
    says(text('This is a simple prompt for testing.')),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'With arguments', argsSchema: named('arg1', 'arg2') },
    ({ arg1, arg2 }) => says(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'With a resource', argsSchema: named('resourceUri') },
    ({ resourceUri = '' }) =>
      says(
        embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'With an image' }, () =>
    says(image, text('Please analyze the image above.')),
  );
}
