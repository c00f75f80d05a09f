import type { WebhookShape } from '../../../../src/api/contract-webhooks.ts';

export type WebhookType = WebhookShape['type'];

/** What a kind of receiver is given, and where a person finds it. */
export interface WebhookKind {
  readonly name: string;
  readonly note: string;
  readonly address: {
    readonly label: string;
    readonly placeholder: string;
    readonly help: string;
    /** What stands there from the beginning, where it is the same for everybody. */
    readonly usual?: string;
  };
  /** A key that the receiver asks for; null = its address is all there is, or it signs. */
  readonly key: { readonly label: string; readonly help: string } | null;
  /** A digest would open an incident there. */
  readonly takesDigest: boolean;
}

export const WEBHOOK_KINDS: Readonly<Record<WebhookType, WebhookKind>> = {
  SLACK: {
    name: 'Slack',
    note: 'a channel',
    address: {
      label: 'Address of the incoming webhook',
      placeholder: 'https://hooks.slack.com/services/…',
      help: 'In Slack: your app, Incoming Webhooks, Add New Webhook to Workspace.',
    },
    key: null,
    takesDigest: true,
  },
  DISCORD: {
    name: 'Discord',
    note: 'a channel',
    address: {
      label: 'Address of the webhook',
      placeholder: 'https://discord.com/api/webhooks/…',
      help: 'In Discord: Edit Channel, Integrations, Webhooks, Copy Webhook URL.',
    },
    key: null,
    takesDigest: true,
  },
  TEAMS: {
    name: 'Teams',
    note: 'a channel',
    address: {
      label: 'Address of the workflow',
      placeholder: 'https://….api.powerplatform.com/…',
      help: 'In Teams: Workflows, “Send webhook alerts to a channel”. Give the whole address; its end is a signature.',
    },
    key: null,
    takesDigest: true,
  },
  EMAIL: {
    name: 'E-mail',
    note: 'mailboxes',
    address: {
      label: 'Addresses',
      placeholder: 'ops@example.com, finance@example.com',
      help: 'Whoever runs Tollbook has to have set a mail server (SVC_SMTP_URL).',
    },
    key: null,
    takesDigest: true,
  },
  PAGERDUTY: {
    name: 'PagerDuty',
    note: 'incidents',
    address: {
      label: 'Address',
      placeholder: 'https://events.pagerduty.com/v2/enqueue',
      help: 'The usual one, or that of your region.',
      usual: 'https://events.pagerduty.com/v2/enqueue',
    },
    key: {
      label: 'Integration key',
      help: 'In PagerDuty: the service, Integrations, Events API v2. It has 32 letters and digits.',
    },
    takesDigest: false,
  },
  OPSGENIE: {
    name: 'Opsgenie',
    note: 'incidents',
    address: {
      label: 'Address',
      placeholder: 'https://api.opsgenie.com/v2/alerts',
      help: 'In Europe: https://api.eu.opsgenie.com/v2/alerts.',
      usual: 'https://api.opsgenie.com/v2/alerts',
    },
    key: { label: 'API key', help: 'Of an integration of the kind “API”.' },
    takesDigest: false,
  },
  CUSTOM: {
    name: 'Your own',
    note: 'a program',
    address: {
      label: 'Address',
      placeholder: 'https://example.com/tollbook',
      help: 'It gets JSON by POST, signed as the Standard Webhooks rules say.',
    },
    key: null,
    takesDigest: true,
  },
};

export const WEBHOOK_TYPES = Object.keys(WEBHOOK_KINDS) as readonly WebhookType[];
