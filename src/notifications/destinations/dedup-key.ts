import { hash } from 'node:crypto';
import type { WebhookNotice } from './destination.ts';

/** PagerDuty takes 255 characters, Opsgenie 512 and as a part of a path. */
const PLAIN_KEY = /^[\w.:-]{1,255}$/;

/** By what a receiver knows an episode again: its name, or the hash of a name that it might not take. */
export function dedupKey({ episode }: WebhookNotice): string {
  return PLAIN_KEY.test(episode) ? episode : hash('sha256', episode.toWellFormed(), 'hex');
}
