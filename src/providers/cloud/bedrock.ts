import { SECRET_PREFIX } from '../../domain/identity/secret.ts';
import { openMessageReader } from '../anthropic/answer.ts';
import { routeMessages } from '../anthropic/anthropic.ts';
import { cloudMessagesRoute } from '../anthropic/request.ts';
import { setKey, UNSIGNED } from '../provider-key.ts';
import type { DeploymentModels, FirstCall, MakeClientLines, NoRoute, Provider, ProviderRoute } from '../provider.ts';
import { freeRoute, noRoute, refusePath, withoutSlash, wrongMethod } from '../routes.ts';
import type { AddedProvider } from './added-provider.ts';
import { isSigningKey, refuseAwsKey, signAws } from './aws-key.ts';
import { requireRegion } from './aws-region.ts';
import { renderBedrockError } from './bedrock-errors.ts';
import { converseRoute } from './converse-request.ts';

/** Returns the URL of Bedrock's runtime in a region. */
export function bedrockUrl(region: string): string {
  return `https://bedrock-runtime.${region}.amazonaws.com`;
}

const FIRST_CALL: FirstCall = {
  path: '/model/us.anthropic.claude-haiku-4-5-20251001-v1:0/converse',
  body: ['{"messages":[{"role":"user","content":[{"text":"Hello"}]}]}'],
};

function bedrockClients(region: string): readonly MakeClientLines[] {
  return [
    (address, key) => ({
      client: 'Claude Code',
      lines: [
        'export CLAUDE_CODE_USE_BEDROCK=1',
        `export AWS_REGION=${region}`,
        `export ANTHROPIC_BEDROCK_BASE_URL=${address}`,
        `export AWS_BEARER_TOKEN_BEDROCK=${key}`,
        'claude',
      ],
    }),
    (address, key) => ({
      client: 'TypeScript (@aws-sdk/client-bedrock-runtime)',
      lines: [
        "import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';",
        "import { NodeHttpHandler } from '@smithy/node-http-handler';",
        '',
        'const client = new BedrockRuntimeClient({',
        `  region: '${region}',`,
        `  endpoint: '${address}',`,
        `  token: { token: '${key}' },`,
        "  authSchemePreference: ['httpBearerAuth'],",
        '  requestHandler: new NodeHttpHandler(), // HTTP/1.1',
        '});',
        "const messages = [{ role: 'user', content: [{ text: 'Hello' }] }];",
        "const modelId = 'us.anthropic.claude-haiku-4-5-20251001-v1:0';",
        'const answer = await client.send(new ConverseCommand({ modelId, messages }));',
      ],
    }),
  ];
}

/**
 * Builds Bedrock's runtime in a region (Bedrock API reference, "Amazon Bedrock Runtime"): `InvokeModel` for Claude, in
 * Anthropic's form, and `Converse` for the models of all vendors.
 */
export function bedrock({ id, name, url, region: given, priceProvider, deployments }: AddedProvider): Provider {
  const region = requireRegion(url, given);
  const messages = routeMessages(deployments, { prefix: MESSAGES_PREFIX, keepsModel: true });
  return {
    id,
    name,
    priceProvider: priceProvider ?? 'aws',
    pricesListed: 'when_named',
    largest: { contextWindow: null, outputTokens: null, outputOutsideWindow: null },
    url,
    deployments,
    clientPath: '',
    firstCall: FIRST_CALL,
    clients: bedrockClients(region),
    hasReports: false,
    route: (method, rest) =>
      rest === MESSAGES_PATH ? messages(method, '/v1/messages') : routeBedrock(deployments, method, rest),
    authorize: (headers, key) => setKey(headers, 'authorization', isSigningKey(key) ? UNSIGNED : `Bearer ${key}`),
    sign: (request, key, now) => signAws(request, key, now, { service: 'bedrock', region }),
    tierHeaders: [
      'x-amzn-bedrock-guardrailidentifier',
      'x-amzn-bedrock-performanceconfig-latency',
      'x-amzn-bedrock-service-tier',
    ],
    defaultHeaders: {},
    queryParameters: [],
    requestIdHeader: 'x-amzn-requestid',
    modelListPath: '/async-invoke',
    isKeyUnknown: (status, headers) =>
      status === FORBIDDEN && headers.get('x-amzn-errortype')?.startsWith(DENIED) === true,
    refuseKey: refuseAwsKey,
    renderError: renderBedrockError,
  };
}

const MESSAGES_PREFIX = '/anthropic';
const MESSAGES_PATH = `${MESSAGES_PREFIX}/v1/messages`;
const FORBIDDEN = 403;
/** The key is good, but may not list what the check asks for. */
const DENIED = 'AccessDeniedException';

const SERVED =
  'Served paths: POST /model/{model}/converse, /converse-stream, /invoke, /invoke-with-response-stream and /count-tokens, and POST /anthropic/v1/messages.';
const PATH = /^\/model\/([^/]+)\/([a-z-]+)$/;
/** Characters that clients escape in names of models. */
const ESCAPED = /%(3a|2f)/gi;
const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,255}$/;
const ARN =
  /^arn:aws[a-z-]{0,16}:(?:bedrock|sagemaker):[a-z0-9-]{0,32}:\d{0,12}:[a-z-]{1,48}\/([A-Za-z0-9][A-Za-z0-9._:-]{0,127})$/;
/** Models of other vendors than Anthropic have request bodies of their own. */
const OTHER_VENDOR =
  /(?:^|\.)(?:ai21|amazon|cohere|deepseek|google|luma|meta|minimax|mistral|moonshotai?|nvidia|openai|qwen|stability|twelvelabs|writer|zai)\./;

function routeBedrock(deployments: DeploymentModels, method: string, rest: string): ProviderRoute | NoRoute {
  const [, written = '', action = ''] = PATH.exec(withoutSlash(rest)) ?? [];
  const model = written.replaceAll(ESCAPED, (_, code: string) => (code.toLowerCase() === '3a' ? ':' : '/'));
  const arn = ARN.exec(model);
  if (!arn || model.includes(SECRET_PREFIX)) {
    const refused = refusePath(rest.replace(written, () => model));
    if (refused) return refused;
    if (action === '') return noRoute(404, `Unknown path ${rest}. ${SERVED}`);
    if (!MODEL_NAME.test(model)) return noRoute(400, `"${model}" is not the id or the ARN of a model.`);
  }
  const named = arn?.[1] ?? model;
  const priced = deployments.get(model) ?? deployments.get(named) ?? named;
  const upstreamPath = `/model/${encodeURIComponent(model)}/${action}`;
  const route = routeAction(action, upstreamPath, priced);
  if (route.kind === 'none' || method === 'POST') return route;
  return wrongMethod(method, rest, 'POST');
}

function routeAction(action: string, upstreamPath: string, model: string): ProviderRoute | NoRoute {
  switch (action) {
    case 'converse':
    case 'converse-stream':
      return converseRoute({ upstreamPath, model, stream: action === 'converse-stream' });
    case 'invoke':
    case 'invoke-with-response-stream':
      return OTHER_VENDOR.test(model)
        ? noRoute(404, `"/${action}" is served for Claude only. Use /converse for ${model}.`)
        : cloudMessagesRoute({
            upstreamPath,
            model,
            stream: action === 'invoke-with-response-stream',
            geo: null,
            counter: null,
            openReader: (answer) => openMessageReader(answer, { model }),
          });
    case 'count-tokens':
      return freeRoute(upstreamPath);
    default:
      return noRoute(404, `"/${action}" is not supported, because its cost cannot be determined. ${SERVED}`);
  }
}
