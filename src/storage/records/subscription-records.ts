import type { PlanSubscription } from '../../domain/sessions/subscription.ts';
import type { Actor } from './actor.ts';

export type NewSubscription = Omit<PlanSubscription, 'id' | 'createdAt'>;

export interface SubscriptionRecords {
  create(input: NewSubscription, actor: Actor): Promise<PlanSubscription>;
  /** By their first day, ended ones included. */
  list(workspaceId: string): Promise<PlanSubscription[]>;
  /** On its last day; null = it goes on after all. `check` is asked within the transaction and may throw. */
  end(
    workspaceId: string,
    id: string,
    endedOn: string | null,
    actor: Actor,
    check?: (before: PlanSubscription) => void,
  ): Promise<PlanSubscription>;
}
