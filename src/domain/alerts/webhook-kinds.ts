/** A type of webhook: name, fields and abilities of its receiver, as the dashboard shows them. */
export interface WebhookKind {
  /** Display name. */
  readonly name: string;
  readonly note: string;
  readonly address: {
    readonly label: string;
    /** Explains how to find the address. */
    readonly help: string;
    /** Valid example, shown as a placeholder. */
    readonly example: string;
    /** Default address, the same for most people. */
    readonly usual?: string;
  };
  /** Key that the receiver needs; null = none. */
  readonly key: { readonly label: string; readonly help: string; readonly example: string } | null;
  /** Requests are signed with a secret. */
  readonly signs: boolean;
  /** The address is `mailto:` and mailboxes. */
  readonly isMail: boolean;
  /** Accepts the weekly digest; false = each message opens an incident. */
  readonly takesDigest: boolean;
  /** Gets a message when the alert is resolved, which closes its incident. A chat or mailbox gets none. */
  readonly sendsEnd: boolean;
  /** Offered by the tool `svc_create_webhook`. */
  readonly inTools: boolean;
}

const chat = { key: null, signs: false, isMail: false, takesDigest: true, sendsEnd: false, inTools: true } as const;
const incidents = { signs: false, isMail: false, takesDigest: false, sendsEnd: true } as const;

/** All types, in display order. A type without a line in `destinations.ts` doesn't compile. */
const KINDS = {
  SLACK: {
    ...chat,
    name: 'Slack',
    note: 'a channel',
    address: {
      label: 'Webhook URL',
      help: 'In Slack: your app > Incoming Webhooks > Add New Webhook to Workspace.',
      example: 'https://hooks.slack.com/services/T000/B000/XXXX',
    },
  },
  DISCORD: {
    ...chat,
    name: 'Discord',
    note: 'a channel',
    address: {
      label: 'Webhook URL',
      help: 'In Discord: Edit Channel > Integrations > Webhooks > Copy Webhook URL.',
      example: 'https://discord.com/api/webhooks/1234567890/XXXX',
    },
  },
  TEAMS: {
    ...chat,
    name: 'Teams',
    note: 'a channel',
    address: {
      label: 'Workflow URL',
      help: 'In Teams: Workflows > “Send webhook alerts to a channel”. Copy the whole URL: its end is a signature.',
      example: 'https://default.environment.api.powerplatform.com/workflows/invoke?sig=XXXX',
    },
  },
  EMAIL: {
    ...chat,
    name: 'Email',
    note: 'mailboxes',
    address: {
      label: 'Email addresses',
      help: 'Needs a mail server: the operator sets SVC_SMTP_URL.',
      example: 'mailto:ops@example.com,finance@example.com',
    },
    isMail: true,
    inTools: false,
  },
  PAGERDUTY: {
    ...incidents,
    name: 'PagerDuty',
    note: 'incidents',
    address: {
      label: 'Address',
      help: 'The default address, or the one of your region.',
      example: 'https://events.pagerduty.com/v2/enqueue',
      usual: 'https://events.pagerduty.com/v2/enqueue',
    },
    key: {
      label: 'Integration key',
      help: 'In PagerDuty: your service > Integrations > Events API v2. The key has 32 letters and digits.',
      example: '0123456789abcdef0123456789abcdef',
    },
    inTools: true,
  },
  OPSGENIE: {
    ...incidents,
    name: 'Opsgenie',
    note: 'incidents',
    address: {
      label: 'Address',
      help: 'For Europe: https://api.eu.opsgenie.com/v2/alerts.',
      example: 'https://api.opsgenie.com/v2/alerts',
      usual: 'https://api.opsgenie.com/v2/alerts',
    },
    key: {
      label: 'API key',
      help: 'The key of an integration of type “API”.',
      example: '01234567-89ab-cdef-0123-456789abcdef',
    },
    inTools: false,
  },
  CUSTOM: {
    ...chat,
    name: 'Custom HTTP',
    note: 'your program',
    address: {
      label: 'Address',
      help: 'Receives JSON by POST, signed by the Standard Webhooks rules.',
      example: 'https://example.com/tollbook',
    },
    signs: true,
    sendsEnd: true,
  },
} as const satisfies Readonly<Record<string, WebhookKind>>;

export type WebhookType = keyof typeof KINDS;

export const WEBHOOK_KINDS: Readonly<Record<WebhookType, WebhookKind>> = KINDS;

export const WEBHOOK_TYPES: readonly WebhookType[] = Object.keys(KINDS).filter(
  (name): name is WebhookType => name in KINDS,
);
