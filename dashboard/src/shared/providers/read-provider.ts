import type { NewProviderShape } from '../../../../src/contract/providers.ts';
import type { FormFields } from '../ui/fields.ts';
import { FieldError } from '../ui/form-errors.ts';
import type { ProviderKind } from './provider-kinds.ts';

/** Reads the form of a new provider. Throws a `FieldError` for a deployment without a model. */
export function readProvider(fields: FormFields, kind: ProviderKind): NewProviderShape {
  const optional = (field: string): string | undefined => fields(field).trim() || undefined;
  return {
    id: fields('id').trim(),
    name: fields('name').trim(),
    // An OpenAI-compatible address may be one of Azure, which it then implies.
    kind: kind === 'openai-compatible' ? null : kind,
    url: optional('url'),
    region: optional('region'),
    project: optional('project'),
    priceProvider: optional('priceProvider') ?? null,
    deployments: splitDeployments(fields('deployments')),
  };
}

function splitDeployments(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, model] = /^\s*([^=]+?)\s*=\s*(\S+)\s*$/.exec(pair) ?? [];
      if (name === undefined || model === undefined)
        throw new FieldError('deployments', `“${pair.trim()}” has no model. Write name=model.`);
      return [name, model] as const;
    }),
  );
}
