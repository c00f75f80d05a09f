import type { CloudRequest, VendorForm } from './cloud-double.ts';

const PATH =
  /^\/(?:v1|v1beta1)\/projects\/[^/]+\/locations\/[^/]+\/publishers\/(anthropic|google)\/models\/([^/:]+):(\w+)(\?.*)?$/;
const LIST = /^\/v1beta1\/publishers\/(anthropic|google)\/models$/;

/** Translates a request to Vertex AI into that of the vendor, and refuses what Vertex AI refuses. */
export function readVertex(
  { method, path, body }: Pick<CloudRequest, 'method' | 'path' | 'body'>,
  urls: Readonly<Record<'anthropic' | 'google', string>>,
): VendorForm {
  if (method === 'GET') return LIST.test(path) ? { url: `${urls.google}/v1beta/models`, body: '' } : null;
  const [, publisher, model = '', action = '', query = ''] = PATH.exec(path) ?? [];
  if (publisher === 'google')
    return { url: `${urls.google}/v1beta/models/${model}:${action}${query}`, body: body.toString() };
  if (publisher !== 'anthropic' || !/^(?:rawPredict|streamRawPredict)$/.test(action)) return null;
  return readClaude(model, action, JSON.parse(body.toString()) as Record<string, unknown>, urls.anthropic);
}

function readClaude(model: string, action: string, body: Record<string, unknown>, url: string): VendorForm {
  const { anthropic_version: version, ...asked } = body;
  if (typeof version !== 'string') return 'anthropic_version: Field required';
  if (model === 'count-tokens') return { url: `${url}/v1/messages/count_tokens`, body: JSON.stringify(asked) };
  if ('model' in asked) return 'model: Extra inputs are not permitted';
  const stream = action === 'streamRawPredict';
  if ((asked['stream'] === true) !== stream) return 'stream: must agree with the method';
  const named = model.replace(/@\d{8}$/, '');
  return { url: `${url}/v1/messages`, body: JSON.stringify({ ...asked, model: named }) };
}
