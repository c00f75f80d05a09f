import { TollbookError } from '../../domain/errors.ts';
import type { FirstCall, InferenceRoute, NoRoute, Provider, ProviderRoute, RequestFacts } from '../provider.ts';
import { OPENAI_FREE, OPENAI_REFUSED } from '../openai/free-routes.ts';
import {
  OPENAI_FORM,
  openaiLibraries,
  openaiOperations,
  renderOpenaiError,
  routeOperation,
  type ServedPaths,
} from '../openai/openai.ts';
import { refuseAnyKey, setKey } from '../provider-key.ts';
import type { AddedProvider } from './added-provider.ts';

const FIRST_CALL: FirstCall = { path: '/responses', body: ['{"model":"DEPLOYMENT","input":"Hello"}'] };
const RESPONSES = {
  typescript: ['const answer = await client.responses.create({', "  model: 'DEPLOYMENT',", "  input: 'Hello',", '});'],
  python: ['answer = client.responses.create(model="DEPLOYMENT", input="Hello")'],
};

/**
 * Builds a resource of Azure OpenAI with its v1 API (Azure OpenAI docs, "API version lifecycle"): OpenAI's forms and prices,
 * another key header, and names of deployments in place of models.
 */
export function azureOpenai({ id, name, url, priceProvider, deployments }: AddedProvider): Provider {
  const form = { ...OPENAI_FORM, prefix: '', deployments };
  const served: ServedPaths = {
    operations: openaiOperations(form),
    free: OPENAI_FREE.filter(({ shown }) => shown !== '/moderations'),
    refused: OPENAI_REFUSED,
    prefix: '',
  };
  return {
    id,
    name,
    priceProvider: priceProvider ?? 'openai',
    pricesListed: 'when_named',
    largest: { contextWindow: null, outputTokens: null, outputOutsideWindow: null },
    url,
    // Data zones cost more than global deployments. The policy of a key says where its deployments are.
    regional: true,
    deployments,
    clientPath: '/openai/v1',
    firstCall: FIRST_CALL,
    clients: openaiLibraries(RESPONSES),
    hasReports: false,
    route: (method, rest) => routeAzure(served, deployments, method, rest),
    authorize: (headers, key) => setKey(headers, 'api-key', key),
    defaultHeaders: {},
    // The v1 API takes no dated version, which older clients send.
    queryParameters: ['api-version=v1', 'api-version=preview'],
    requestIdHeader: 'apim-request-id',
    backgroundPath: '/responses',
    modelListPath: '/models',
    refuseKey: refuseAnyKey,
    renderError: renderOpenaiError,
  };
}

const OPENAI_PREFIX = /^\/openai(?=\/)/;
/** The older form of a path, which `AzureOpenAI` of OpenAI's library builds. */
const DEPLOYMENT_PREFIX = /^\/deployments\/([^/]+)(?=\/)/;

function routeAzure(
  served: ServedPaths,
  deployments: AddedProvider['deployments'],
  method: string,
  rest: string,
): ProviderRoute | NoRoute {
  const path = rest.replace(OPENAI_PREFIX, '');
  const [prefix = '', deployment] = DEPLOYMENT_PREFIX.exec(path) ?? [];
  const route = routeOperation(served, method, path.slice(prefix.length));
  if (deployment === undefined || route.kind !== 'inference') return route;
  return requireDeployment(route, deployment, deployments.get(deployment) ?? deployment);
}

/** Refuses bodies that name another model than the path: the v1 API reads the body alone. */
function requireDeployment(route: InferenceRoute, deployment: string, model: string): InferenceRoute {
  const check = (facts: RequestFacts): RequestFacts => {
    if (facts.model === model) return facts;
    throw new TollbookError(
      'invalid',
      `The path names the deployment "${deployment}". Send the same name as "model" in the body.`,
      'model',
    );
  };
  const { readForm } = route;
  return {
    ...route,
    ...(readForm && { readForm: (body, type) => check(readForm(body, type)) }),
    readRequest: (body) => check(route.readRequest(body)),
    *readRequestInSlices(body) {
      return check(yield* route.readRequestInSlices(body));
    },
  };
}
