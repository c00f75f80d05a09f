import type { ProviderError, RenderedError } from '../provider.ts';
import { renderJson } from '../routes.ts';

/** Bedrock API reference, "Common errors" and those of `InvokeModel`. */
const TYPES: Readonly<Record<number, string>> = {
  401: 'UnrecognizedClientException',
  402: 'ServiceQuotaExceededException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  409: 'ConflictException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  502: 'ServiceUnavailableException',
  503: 'ServiceUnavailableException',
  504: 'ModelTimeoutException',
};

/** Renders an error as Bedrock does: the type is in a header. */
export function renderBedrockError(error: ProviderError): RenderedError {
  const type = TYPES[error.status] ?? (error.status < 500 ? 'ValidationException' : 'InternalServerException');
  const details = error.facts && { details: error.facts };
  const { status, headers, body } = renderJson(error, { message: error.message, ...details });
  return { status, headers: { ...headers, 'x-amzn-errortype': type }, body };
}
