import { ANTHROPIC_FIRST_CALL, renderAnthropicError, routeMessages } from '../anthropic/anthropic.ts';
import { refuseAnyKey, setKey } from '../provider-key.ts';
import type { Provider } from '../provider.ts';
import type { AddedProvider } from './added-provider.ts';

interface AnthropicFormOptions {
  /** Price list, unless the operator names another. */
  readonly prices: string;
  /** The price list has the names of requests, not those of answers. */
  readonly keepsModel: boolean;
}

/** Builds an address of a cloud that serves Anthropic's API, with and without `/anthropic` before its paths. */
export function anthropicForm(
  { id, name, url, priceProvider, deployments }: AddedProvider,
  { prices, keepsModel }: AnthropicFormOptions,
): Provider {
  const route = routeMessages(deployments, { prefix: '', keepsModel });
  return {
    id,
    name,
    priceProvider: priceProvider ?? prices,
    pricesListed: 'when_named',
    largest: { contextWindow: null, outputTokens: null, outputOutsideWindow: null },
    url,
    deployments,
    clientPath: '',
    firstCall: ANTHROPIC_FIRST_CALL,
    clients: [],
    hasReports: false,
    route: (method, rest) => route(method, rest.replace(/^\/anthropic(?=\/)/, '')),
    authorize: (headers, key) => setKey(headers, 'x-api-key', key),
    defaultHeaders: { 'anthropic-version': '2023-06-01' },
    queryParameters: ['beta'],
    requestIdHeader: 'request-id',
    modelListPath: '/v1/models',
    refuseKey: refuseAnyKey,
    renderError: renderAnthropicError,
  };
}
