import { TollbookError } from '../../domain/errors.ts';
import { openMessageReader } from '../anthropic/answer.ts';
import { cloudMessagesRoute } from '../anthropic/request.ts';
import { renderGoogleError } from '../google/google.ts';
import { generateRouteAt } from '../google/request.ts';
import { setKey, UNSIGNED } from '../provider-key.ts';
import type { DeploymentModels, FirstCall, MakeClientLines, NoRoute, Provider, ProviderRoute } from '../provider.ts';
import { freeRoute, noRoute, refusePath, withoutSlash, wrongMethod } from '../routes.ts';
import { typescript } from '../client-lines.ts';
import type { AddedProvider } from './added-provider.ts';
import { compactGoogleKey, isServiceAccount, refuseGoogleKey, ServiceAccountTokens } from './service-account.ts';

/** The project and location of a provider on Vertex AI, and the address of its API. */
interface VertexPlace {
  /** URL before the version. */
  readonly origin: string;
  readonly project: string;
  readonly location: string;
}

const PLACE = /^(https?:\/\/[^?#]*?)\/v1\/projects\/([a-z0-9:.-]{1,64})\/locations\/([a-z0-9-]{1,32})$/;
const GLOBAL = 'global';
/** Locations of several regions have hosts of their own: Google Cloud docs, "Deployments and endpoints". */
const MULTI_REGIONS: ReadonlySet<string> = new Set(['us', 'eu']);

/** Returns the URL of a project and a location on Vertex AI. */
export function vertexUrl(project: string, location: string): string {
  return `https://${vertexHost(location)}/v1/projects/${project}/locations/${location}`;
}

function vertexHost(location: string): string {
  if (location === GLOBAL) return 'aiplatform.googleapis.com';
  return MULTI_REGIONS.has(location)
    ? `aiplatform.${location}.rep.googleapis.com`
    : `${location}-aiplatform.googleapis.com`;
}

function readPlace(url: string): VertexPlace {
  const [, origin, project, location] = PLACE.exec(url) ?? [];
  if (origin !== undefined && project !== undefined && location !== undefined) return { origin, project, location };
  throw new TollbookError(
    'invalid',
    `"${url}" is not a URL of Vertex AI. Enter the project and the region, or a URL that ends with /v1/projects/PROJECT/locations/REGION.`,
    'url',
  );
}

const FIRST_CALL: FirstCall = {
  path: '/publishers/google/models/gemini-2.5-flash:generateContent',
  body: ['{"contents":[{"role":"user","parts":[{"text":"Hello"}]}]}'],
};

function vertexClients({ project, location }: VertexPlace): readonly MakeClientLines[] {
  return [
    (address, key) =>
      typescript(
        '@google/genai',
        'GoogleGenAI',
        ['vertexai: true,', `apiKey: '${key}',`, `httpOptions: { baseUrl: '${withoutVersion(address)}' },`],
        {
          import: "import { GoogleGenAI } from '@google/genai';",
          call: [
            'const answer = await client.models.generateContent({',
            "  model: 'gemini-2.5-flash',",
            "  contents: 'Hello',",
            '});',
          ],
        },
      ),
    (address, key) => ({
      client: 'Claude Code',
      lines: [
        'export CLAUDE_CODE_USE_VERTEX=1',
        'export CLAUDE_CODE_SKIP_VERTEX_AUTH=1',
        `export ANTHROPIC_VERTEX_BASE_URL=${address}`,
        `export ANTHROPIC_VERTEX_PROJECT_ID=${project}`,
        `export CLOUD_ML_REGION=${location}`,
        `export ANTHROPIC_CUSTOM_HEADERS="x-svc-key: ${key}"`,
        'claude',
      ],
    }),
  ];
}

function withoutVersion(address: string): string {
  return address.replace(/\/v1$/, '');
}

/**
 * Builds a project in a location of Vertex AI (Google Cloud docs, "Vertex AI API"): Gemini in Google's form, and Claude in
 * Anthropic's form with the model in the path (Claude docs, "Claude on Vertex AI").
 */
export function vertex({ id, name, url, priceProvider, deployments }: AddedProvider): Provider {
  const place = readPlace(url);
  const tokens = new ServiceAccountTokens();
  return {
    id,
    name,
    priceProvider: priceProvider ?? 'vertex',
    pricesListed: 'when_named',
    // The windows of Gemini limit the input only. The output limit is added.
    largest: { contextWindow: null, outputTokens: null, outputOutsideWindow: 65_536 },
    url: place.origin,
    readUrl: (moved) => PLACE.exec(moved)?.[1] ?? moved,
    deployments,
    clientPath: '/v1',
    firstCall: FIRST_CALL,
    clients: vertexClients(place),
    hasReports: false,
    route: (method, rest) => routeVertex(place, deployments, method, rest),
    authorize: (headers, key) => setKey(headers, 'authorization', isServiceAccount(key) ? UNSIGNED : `Bearer ${key}`),
    sign: ({ headers }, key, now) => {
      const token = isServiceAccount(key) ? tokens.find(key, now) : null;
      if (token !== null) headers['authorization'] = `Bearer ${token}`;
    },
    tierHeaders: ['x-vertex-ai-llm-request-type', 'x-vertex-ai-llm-shared-request-type'],
    defaultHeaders: {},
    queryParameters: ['alt=sse', 'alt=json', 'pageSize', 'pageToken', 'view'],
    requestIdHeader: 'request-id',
    modelListPath: '/v1beta1/publishers/google/models',
    compactKey: compactGoogleKey,
    refuseKey: refuseGoogleKey,
    renderError: renderGoogleError,
  };
}

const SERVED =
  'Served paths, with and without /v1 or /v1beta1 and /projects/{project}/locations/{region}: POST /publishers/google/models/{model}:generateContent, :streamGenerateContent, :countTokens; POST /publishers/anthropic/models/{model}:rawPredict, :streamRawPredict; GET /publishers/{publisher}/models.';
const PATH =
  /^(?:\/(v1|v1beta1))?(?:\/projects\/([^/]+)\/locations\/([^/]+))?\/publishers\/(anthropic|google)\/models(?:\/([^/:]+)(?::([A-Za-z]+))?)?$/;
const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,199}$/;
/** Name in place of a model for the counter of Claude's prompts. */
const COUNT_MODEL = 'count-tokens';

interface VertexCall {
  /** Path of the project and location, with the version. */
  readonly base: string;
  readonly model: string;
  readonly action: string;
  /** Model whose price applies. */
  readonly priced: string;
  /** Geography that the price depends on. */
  readonly geo: string;
}

function routeVertex(
  { project, location }: VertexPlace,
  deployments: DeploymentModels,
  method: string,
  rest: string,
): ProviderRoute | NoRoute {
  const refused = refusePath(rest);
  if (refused) return refused;
  const path = withoutSlash(rest);
  const found = PATH.exec(path);
  if (!found) return noRoute(404, `Unknown path ${path}. ${SERVED}`);
  const [, version = 'v1', askedProject, askedLocation, publisher, model, action] = found;
  if (askedProject !== undefined && (askedProject !== project || askedLocation !== location))
    return noRoute(
      400,
      `This provider is the project "${project}" in "${location}". Set both in the client, or leave /projects/…/locations/… out.`,
    );
  if (model === undefined || action === undefined) {
    const listed = `/v1beta1/publishers/${publisher}/models${model === undefined ? '' : `/${model}`}`;
    return method === 'GET' ? freeRoute(listed) : wrongMethod(method, path, 'GET');
  }
  if (!MODEL_NAME.test(model)) return noRoute(400, `"${model}" is not a valid model name.`);
  if (method !== 'POST') return wrongMethod(method, path, 'POST');
  const base = `/${version}/projects/${project}/locations/${location}/publishers/${publisher}/models`;
  const geo = location === GLOBAL ? GLOBAL : 'regional';
  const call = { base, model, action, priced: deployments.get(model) ?? model, geo };
  const route = publisher === 'google' ? routeGemini(call) : routeClaude(call);
  return route ?? noRoute(404, `":${action}" is not supported, because its cost cannot be determined. ${SERVED}`);
}

function routeGemini({ base, model, action, priced, geo }: VertexCall): ProviderRoute | null {
  const modelPath = `${base}/${model}`;
  if (action === 'countTokens') return freeRoute(`${modelPath}:${action}`);
  if (action !== 'generateContent' && action !== 'streamGenerateContent') return null;
  return generateRouteAt({ modelPath, model: priced, action, geo });
}

function routeClaude({ base, model, action, priced, geo }: VertexCall): ProviderRoute | null {
  if (action !== 'rawPredict' && action !== 'streamRawPredict') return null;
  const upstreamPath = `${base}/${model}:${action}`;
  if (model === COUNT_MODEL) return action === 'rawPredict' ? freeRoute(upstreamPath) : null;
  return cloudMessagesRoute({
    upstreamPath,
    model: priced,
    stream: action === 'streamRawPredict',
    geo,
    counter: {
      upstreamPath: `${base}/${COUNT_MODEL}:rawPredict`,
      before: `{"model":"${model}",`,
    },
    openReader: (answer) => openMessageReader(answer, { geo }),
  });
}
