import type { Subscription } from '../../domain/sessions/subscription.ts';
import type { Actor } from './actor.ts';

export type NewSubscription = Omit<Subscription, 'id' | 'createdAt'>;

export interface SubscriptionRecords {
  create(input: NewSubscription, actor: Actor): Promise<Subscription>;
  /** By their first day, ended ones included. */
  list(workspaceId: string): Promise<Subscription[]>;
  /** On its last day; null = it goes on after all. `check` is asked within the transaction and may throw. */
  end(
    workspaceId: string,
    id: string,
    endedOn: string | null,
    actor: Actor,
    check?: (before: Subscription) => void,
  ): Promise<Subscription>;
}
