/** A kind of webhook: what its receiver is called, asks for and can do. The dashboard shows it as it is. */
export interface WebhookKind {
  /** As people call it. */
  readonly name: string;
  readonly note: string;
  readonly address: {
    readonly label: string;
    /** Where a person finds it. */
    readonly help: string;
    /** Passes the check of the kind; shown where a person types an address. */
    readonly example: string;
    /** The address that is the same for nearly everybody, and filled in. */
    readonly usual?: string;
  };
  /** The key that is sent along to the receiver; null = its address is all it needs, or it signs. */
  readonly key: { readonly label: string; readonly help: string; readonly example: string } | null;
  /** Its secret signs what is sent and stays here. */
  readonly signs: boolean;
  /** Its address is `mailto:` and mailboxes. */
  readonly isMail: boolean;
  /** A weekly digest can go there; false = each message opens an incident. */
  readonly takesDigest: boolean;
  /**
   * It keeps an incident open until it gets the end of the alert. In a chat or a mailbox the end would be a second line
   * about what the first one links to.
   */
  readonly tellsEnd: boolean;
  /** The tool `svc_create_webhook` offers it. */
  readonly inTools: boolean;
}

const chat = { key: null, signs: false, isMail: false, takesDigest: true, tellsEnd: false, inTools: true } as const;
const incidents = { signs: false, isMail: false, takesDigest: false, tellsEnd: true } as const;

/** Every kind, in the order in which people choose. A kind without a line in `destinations.ts` doesn't compile. */
const KINDS = {
  SLACK: {
    ...chat,
    name: 'Slack',
    note: 'a channel',
    address: {
      label: 'Address of the incoming webhook',
      help: 'In Slack: your app, Incoming Webhooks, Add New Webhook to Workspace.',
      example: 'https://hooks.slack.com/services/T000/B000/XXXX',
    },
  },
  DISCORD: {
    ...chat,
    name: 'Discord',
    note: 'a channel',
    address: {
      label: 'Address of the webhook',
      help: 'In Discord: Edit Channel, Integrations, Webhooks, Copy Webhook URL.',
      example: 'https://discord.com/api/webhooks/1234567890/XXXX',
    },
  },
  TEAMS: {
    ...chat,
    name: 'Teams',
    note: 'a channel',
    address: {
      label: 'Address of the workflow',
      help: 'In Teams: Workflows, “Send webhook alerts to a channel”. Give the whole address; its end is a signature.',
      example: 'https://default.environment.api.powerplatform.com/workflows/invoke?sig=XXXX',
    },
  },
  EMAIL: {
    ...chat,
    name: 'E-mail',
    note: 'mailboxes',
    address: {
      label: 'Addresses',
      help: 'Needs a mail server, which the operator sets (SVC_SMTP_URL).',
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
      help: 'The usual one, or that of your region.',
      example: 'https://events.pagerduty.com/v2/enqueue',
      usual: 'https://events.pagerduty.com/v2/enqueue',
    },
    key: {
      label: 'Integration key',
      help: 'In PagerDuty: the service, Integrations, Events API v2. It has 32 letters and digits.',
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
      help: 'In Europe: https://api.eu.opsgenie.com/v2/alerts.',
      example: 'https://api.opsgenie.com/v2/alerts',
      usual: 'https://api.opsgenie.com/v2/alerts',
    },
    key: {
      label: 'API key',
      help: 'Of an integration of the kind “API”.',
      example: '01234567-89ab-cdef-0123-456789abcdef',
    },
    inTools: false,
  },
  CUSTOM: {
    ...chat,
    name: 'Your own',
    note: 'a program',
    address: {
      label: 'Address',
      help: 'It gets JSON by POST, signed as the Standard Webhooks rules say.',
      example: 'https://example.com/tollbook',
    },
    signs: true,
    tellsEnd: true,
  },
} as const satisfies Readonly<Record<string, WebhookKind>>;

export type WebhookType = keyof typeof KINDS;

export const WEBHOOK_KINDS: Readonly<Record<WebhookType, WebhookKind>> = KINDS;

export const WEBHOOK_TYPES: readonly WebhookType[] = Object.keys(KINDS).filter(
  (name): name is WebhookType => name in KINDS,
);
