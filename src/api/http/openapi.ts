import { z } from 'zod';
import { errorShape } from '../../contract/errors.ts';
import type { Endpoint } from './endpoint.ts';
import { isOptional } from './read-shape.ts';
import type { ApiSettings } from '../settings.ts';

const COMPONENTS = '#/components/schemas/';

/**
 * Builds the OpenAPI 3.1 document from the shapes that validate requests. Its schemas are plain JSON Schema 2020-12.
 */
export function openApiDocument(list: readonly Endpoint[], settings: Pick<ApiSettings, 'baseUrl' | 'version'>): object {
  const schemas: Record<string, object> = {};
  const paths: Record<string, Record<string, object>> = {};
  for (const one of list) (paths[one.path] ??= {})[one.method.toLowerCase()] = operation(one, schemas);
  return pointToComponents({
    openapi: '3.1.1',
    info: {
      title: 'Tollbook',
      version: settings.version,
      description:
        'Usage, cost and management of a Tollbook installation. The proxy answers in the format of its providers.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: settings.baseUrl }],
    security: [{ token: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'Access token: svc_sk_…' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'tollbook.session_token',
          description: 'User session. With HTTPS the name begins with __Secure-',
        },
      },
      schemas,
    },
  });
}

/** Moves the definitions inside each schema to one list of components. */
function pointToComponents(document: object): object {
  return JSON.parse(JSON.stringify(document).replaceAll('"#/$defs/', `"${COMPONENTS}`)) as object;
}

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The `etag` of the record as you read it, in quotes. If the record has changed since, nothing is changed: 412. Without it the last change wins',
  schema: { type: 'string' },
};

const ETAG = { ETag: { description: 'The `etag` of the record, in quotes', schema: { type: 'string' } } };

/** Returns true if the response is one record that can be changed. */
function hasEtag(response: z.ZodType): boolean {
  return response instanceof z.ZodObject && 'etag' in response.shape;
}

function operation(one: Endpoint, schemas: Record<string, object>): object {
  const error = { content: { 'application/json': { schema: jsonSchema(errorShape, 'output', schemas) } } };
  return {
    operationId: `${one.method.toLowerCase()}${one.path.replace('/api', '').replaceAll(/[/{-]+(\w)|\}/g, (_, letter?: string) => letter?.toUpperCase() ?? '')}`,
    summary: one.summary,
    ...(one.description !== undefined && { description: one.description }),
    ...(one.scope === null ? { security: [] } : { 'x-scope': one.scope, 'x-right': one.right }),
    parameters: [...pathParameters(one.path), ...queryParameters(one.query), ...(one.ifMatch ? [IF_MATCH] : [])],
    ...(one.bodyTypes && {
      requestBody: {
        required: true,
        content: Object.fromEntries(one.bodyTypes.map((type) => [type, { schema: { type: 'string' } }])),
      },
    }),
    ...(one.body && {
      requestBody: {
        required: !isOptional(one.body),
        content: { 'application/json': { schema: jsonSchema(one.body, 'input', schemas) } },
      },
    }),
    responses: {
      [one.status]: {
        description: 'Done',
        ...(hasEtag(one.response) && { headers: ETAG }),
        content: responseContent(one, schemas),
      },
      ...(one.ifMatch && { 412: { description: 'The record is not as If-Match says; nothing was changed', ...error } }),
      default: { description: 'Error', ...error },
    },
  };
}

function responseContent(one: Endpoint, schemas: Record<string, object>): object {
  const schema = jsonSchema(one.response, 'output', schemas);
  if (one.streams.length > 0)
    return Object.fromEntries(one.streams.map((type) => [type, { schema: { type: 'string' } }]));
  return { 'application/json': { schema } };
}

function pathParameters(path: string): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: z.ZodType | undefined): object[] {
  if (!query) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input' });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

/** Converts a shape to JSON Schema. A shape with an id becomes a component; others stay inline. */
function jsonSchema(shape: z.ZodType, io: 'input' | 'output', schemas: Record<string, object>): object {
  const { $schema: _dialect, $defs = {}, id, ...schema } = z.toJSONSchema(shape, { io });
  for (const [name, { id: _id, ...definition }] of Object.entries($defs)) schemas[name] = definition;
  if (id === undefined) return schema;
  schemas[id] = schema;
  return { $ref: COMPONENTS + id };
}
