import type { WebhookType } from '../../domain/alerts/webhook-kinds.ts';
import { custom } from './custom.ts';
import type { WebhookDestination } from './destination.ts';
import { discord } from './discord.ts';
import { email } from './email.ts';
import { opsgenie } from './opsgenie.ts';
import { pagerduty } from './pagerduty.ts';
import { slack } from './slack.ts';
import { teams } from './teams.ts';

/** Every kind of receiver. A type that is missing here does not compile. */
const DESTINATIONS: Readonly<Record<WebhookType, WebhookDestination>> = {
  SLACK: slack,
  DISCORD: discord,
  TEAMS: teams,
  PAGERDUTY: pagerduty,
  CUSTOM: custom,
  EMAIL: email,
  OPSGENIE: opsgenie,
};

export function findDestination(type: WebhookType): WebhookDestination {
  return DESTINATIONS[type];
}
