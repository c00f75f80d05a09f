import { hash } from 'node:crypto';
import type { WebhookNotice } from './destination.ts';

/** PagerDuty accepts 255 characters, Opsgenie 512 as part of a path. */
const PLAIN_KEY = /^[\w.:-]{1,255}$/;

/** Returns the key by which a receiver recognizes an episode: its name, or a hash of a name that it might refuse. */
export function dedupKey({ episode }: WebhookNotice): string {
  return PLAIN_KEY.test(episode) ? episode : hash('sha256', episode.toWellFormed(), 'hex');
}
