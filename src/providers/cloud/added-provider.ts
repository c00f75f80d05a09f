import type { CustomProvider } from '../../domain/identity/custom-provider.ts';
import type { DeploymentModels } from '../provider.ts';

/** A provider that the operator added, with a complete URL. */
export interface AddedProvider extends Pick<CustomProvider, 'id' | 'name' | 'url' | 'region' | 'priceProvider'> {
  readonly deployments: DeploymentModels;
}
