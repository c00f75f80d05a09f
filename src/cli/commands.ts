import type { Command } from 'commander';
import type { CliEnvironment } from './cli.ts';

/** Adds one command to its parent. */
type AddCommand = (parent: Command, cli: CliEnvironment) => void;

export interface CommandGroup {
  /** null = its commands are at the top level. */
  readonly name: string | null;
  readonly description: string;
  /**
   * Commands by name. A command's file is loaded when the command runs, so that its imports slow down no other command.
   */
  readonly commands: Readonly<Record<string, () => Promise<AddCommand>>>;
}

/** Every command there is: a new one is a file and a line here. */
export const topics: readonly CommandGroup[] = [
  {
    name: null,
    description: '',
    commands: {
      serve: async () => (await import('./serve.ts')).serveCommand,
      calls: async () => (await import('./calls.ts')).callsCommand,
      spend: async () => (await import('./spend.ts')).spendCommand,
      status: async () => (await import('./status.ts')).statusCommand,
      open: async () => (await import('./open-dashboard.ts')).openCommand,
    },
  },
  {
    name: 'keys',
    description: 'wrapped keys for the proxy',
    commands: {
      create: async () => (await import('./keys.ts')).keysCreate,
      list: async () => (await import('./keys.ts')).keysList,
      clients: async () => (await import('./keys.ts')).keysClients,
      rename: async () => (await import('./keys.ts')).keysRename,
      expire: async () => (await import('./keys.ts')).keysExpire,
      replace: async () => (await import('./keys.ts')).keysReplace,
      revoke: async () => (await import('./keys.ts')).keysRevoke,
    },
  },
  {
    name: 'limits',
    description: 'limits on spend, calls, tokens and concurrency',
    commands: {
      set: async () => (await import('./limits.ts')).limitsSet,
      list: async () => (await import('./limits.ts')).limitsList,
      raise: async () => (await import('./limits.ts')).limitsRaise,
      remove: async () => (await import('./limits.ts')).limitsRemove,
      resolve: async () => (await import('./resolve-call.ts')).limitsResolve,
      refusals: async () => (await import('./refusals.ts')).limitsRefusals,
    },
  },
  {
    name: 'policies',
    description: 'what a wrapped key may do',
    commands: {
      set: async () => (await import('./policies.ts')).policiesSet,
      list: async () => (await import('./policies.ts')).policiesList,
      show: async () => (await import('./policies.ts')).policiesShow,
      clear: async () => (await import('./policies.ts')).policiesClear,
    },
  },
  {
    name: 'sessions',
    description: 'sessions of calls, with their agents',
    commands: {
      list: async () => (await import('./sessions.ts')).sessionsList,
      show: async () => (await import('./sessions.ts')).sessionsShow,
    },
  },
  {
    name: 'events',
    description: 'calls that programs report themselves',
    commands: {
      send: async () => (await import('./events.ts')).eventsSend,
    },
  },
  {
    name: 'tokens',
    description: 'access tokens for the API',
    commands: {
      create: async () => (await import('./tokens.ts')).tokensCreate,
      list: async () => (await import('./tokens.ts')).tokensList,
      revoke: async () => (await import('./tokens.ts')).tokensRevoke,
    },
  },
  {
    name: null,
    description: '',
    commands: { claim: async () => (await import('./claim.ts')).claimCommand },
  },
  {
    name: 'members',
    description: 'members of a workspace and their roles',
    commands: {
      list: async () => (await import('./members.ts')).membersList,
      'set-role': async () => (await import('./members.ts')).membersSetRole,
      remove: async () => (await import('./members.ts')).membersRemove,
    },
  },
  {
    name: 'invitations',
    description: 'invitation links',
    commands: {
      create: async () => (await import('./invitations.ts')).invitationsCreate,
      list: async () => (await import('./invitations.ts')).invitationsList,
      revoke: async () => (await import('./invitations.ts')).invitationsRevoke,
    },
  },
  {
    name: 'users',
    description: 'user accounts',
    commands: {
      list: async () => (await import('./users.ts')).usersList,
      'reset-password': async () => (await import('./users.ts')).usersResetPassword,
      remove: async () => (await import('./users.ts')).usersRemove,
    },
  },
  {
    name: 'workspaces',
    description: 'workspaces',
    commands: {
      create: async () => (await import('./workspaces.ts')).workspacesCreate,
      list: async () => (await import('./workspaces.ts')).workspacesList,
      update: async () => (await import('./workspaces.ts')).workspacesUpdate,
    },
  },
  {
    name: 'nodes',
    description: 'gateway processes on this database',
    commands: {
      forget: async () => (await import('./nodes.ts')).nodesForget,
      list: async () => (await import('./nodes.ts')).nodesList,
    },
  },
  {
    name: 'providers',
    description: 'upstream providers',
    commands: {
      add: async () => (await import('./providers.ts')).providersAdd,
      list: async () => (await import('./providers.ts')).providersList,
      remove: async () => (await import('./providers.ts')).providersRemove,
      test: async () => (await import('./providers.ts')).providersTest,
    },
  },
  {
    name: 'prices',
    description: 'prices of models',
    commands: {
      list: async () => (await import('./prices.ts')).pricesList,
      set: async () => (await import('./prices.ts')).pricesSet,
      coverage: async () => (await import('./prices.ts')).pricesCoverage,
      remove: async () => (await import('./prices.ts')).pricesRemove,
      refresh: async () => (await import('./prices.ts')).pricesRefresh,
    },
  },
  {
    name: 'contracts',
    description: 'prices by contract: discounts and fixed prices',
    commands: {
      list: async () => (await import('./contracts.ts')).contractsList,
      set: async () => (await import('./contracts.ts')).contractsSet,
      remove: async () => (await import('./contracts.ts')).contractsRemove,
    },
  },
  {
    name: 'subscriptions',
    description: 'flat-rate plans and the sessions they cover',
    commands: {
      add: async () => (await import('./subscriptions.ts')).subscriptionsAdd,
      list: async () => (await import('./subscriptions.ts')).subscriptionsList,
      end: async () => (await import('./subscriptions.ts')).subscriptionsEnd,
    },
  },
  {
    name: 'admin-keys',
    description: 'admin keys and report sync',
    commands: {
      add: async () => (await import('./admin-keys.ts')).adminKeysAdd,
      list: async () => (await import('./admin-keys.ts')).adminKeysList,
      sync: async () => (await import('./admin-keys.ts')).adminKeysSync,
      pause: async () => (await import('./admin-keys.ts')).adminKeysPause,
      resume: async () => (await import('./admin-keys.ts')).adminKeysResume,
      replace: async () => (await import('./admin-keys.ts')).adminKeysReplace,
      remove: async () => (await import('./admin-keys.ts')).adminKeysRemove,
    },
  },
  {
    name: 'bill-lines',
    description: 'credits and minimum commitments of providers',
    commands: {
      list: async () => (await import('./bill-lines.ts')).billLinesList,
      add: async () => (await import('./bill-lines.ts')).billLinesAdd,
      remove: async () => (await import('./bill-lines.ts')).billLinesRemove,
    },
  },
  {
    name: null,
    description: '',
    commands: { reconcile: async () => (await import('./reconcile.ts')).reconcileCommand },
  },
  {
    name: 'alerts',
    description: 'list, read and mute alerts',
    commands: {
      list: async () => (await import('./alerts.ts')).alertsList,
      read: async () => (await import('./alerts.ts')).alertsRead,
      mute: async () => (await import('./alerts.ts')).alertsMute,
      mutes: async () => (await import('./alerts.ts')).alertsMutes,
      unmute: async () => (await import('./alerts.ts')).alertsUnmute,
    },
  },
  {
    name: null,
    description: '',
    commands: { anomalies: async () => (await import('./anomalies.ts')).anomalies },
  },
  {
    name: 'webhooks',
    description: 'webhooks for alerts',
    commands: {
      create: async () => (await import('./webhooks.ts')).webhooksCreate,
      list: async () => (await import('./webhooks.ts')).webhooksList,
      show: async () => (await import('./webhooks.ts')).webhooksShow,
      update: async () => (await import('./webhooks.ts')).webhooksUpdate,
      remove: async () => (await import('./webhooks.ts')).webhooksRemove,
      secret: async () => (await import('./webhooks.ts')).webhooksSecret,
      test: async () => (await import('./webhooks.ts')).webhooksTest,
      digest: async () => (await import('./webhooks.ts')).webhooksDigest,
      deliveries: async () => (await import('./webhooks.ts')).webhooksDeliveries,
      replay: async () => (await import('./webhooks.ts')).webhooksReplay,
    },
  },
  {
    name: null,
    description: '',
    commands: { tools: async () => (await import('./tools.ts')).toolsCommand },
  },
  {
    name: 'journal',
    description: 'the journal of the gateway',
    commands: { renew: async () => (await import('./journal-renew.ts')).journalRenew },
  },
  {
    name: 'secret',
    description: 'the master secret',
    commands: { rotate: async () => (await import('./secret-rotate.ts')).secretRotate },
  },
  {
    name: null,
    description: '',
    commands: {
      usage: async () => (await import('./usage.ts')).usage,
      sync: async () => (await import('./sync.ts')).sync,
      statusline: async () => (await import('./statusline.ts')).statusline,
      apply: async () => (await import('./apply.ts')).applyCommand,
      audit: async () => (await import('./audit.ts')).audit,
      export: async () => (await import('./export.ts')).exportCommand,
      backup: async () => (await import('./backup.ts')).backup,
      restore: async () => (await import('./restore.ts')).restore,
      move: async () => (await import('./move.ts')).moveCommand,
      doctor: async () => (await import('./doctor.ts')).doctor,
    },
  },
];
