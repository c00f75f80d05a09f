import type { Command } from 'commander';
import { alertsList } from './alerts-list.ts';
import { alertsRead } from './alerts-read.ts';
import { applyCommand } from './apply.ts';
import { audit } from './audit.ts';
import { backup } from './backup.ts';
import type { Cli } from './cli.ts';
import { doctor } from './doctor.ts';
import { exportCommand } from './export.ts';
import { keysCreate } from './keys-create.ts';
import { keysExpire } from './keys-expire.ts';
import { keysList } from './keys-list.ts';
import { keysRename } from './keys-rename.ts';
import { keysReplace } from './keys-replace.ts';
import { keysRevoke } from './keys-revoke.ts';
import { limitsList } from './limits-list.ts';
import { limitsRaise } from './limits-raise.ts';
import { limitsRemove } from './limits-remove.ts';
import { limitsResolve } from './limits-resolve.ts';
import { limitsSet } from './limits-set.ts';
import { policiesClear } from './policies-clear.ts';
import { policiesList } from './policies-list.ts';
import { policiesSet } from './policies-set.ts';
import { policiesShow } from './policies-show.ts';
import { pricesList } from './prices-list.ts';
import { pricesRefresh } from './prices-refresh.ts';
import { pricesRemove } from './prices-remove.ts';
import { pricesSet } from './prices-set.ts';
import { providersAdd } from './providers-add.ts';
import { providersList } from './providers-list.ts';
import { providersRemove } from './providers-remove.ts';
import { restore } from './restore.ts';
import { secretRotate } from './secret-rotate.ts';
import { serveCommand } from './serve.ts';
import { tokensCreate } from './tokens-create.ts';
import { tokensList } from './tokens-list.ts';
import { tokensRevoke } from './tokens-revoke.ts';
import { webhooksCreate } from './webhooks-create.ts';
import { webhooksList } from './webhooks-list.ts';
import { workspacesCreate } from './workspaces-create.ts';
import { workspacesList } from './workspaces-list.ts';
import { workspacesUpdate } from './workspaces-update.ts';

/** Adds one command to its parent. */
type Add = (parent: Command, cli: Cli) => void;

export interface Topic {
  /** null = its commands stand at the top. */
  readonly name: string | null;
  readonly description: string;
  readonly commands: readonly Add[];
}

/** Every command there is: a new one is a file and a line here. */
export const topics: readonly Topic[] = [
  { name: null, description: '', commands: [serveCommand] },
  {
    name: 'keys',
    description: 'wrapped keys, which open the proxy',
    commands: [keysCreate, keysList, keysRename, keysExpire, keysReplace, keysRevoke],
  },
  {
    name: 'limits',
    description: 'what calls may cost or use',
    commands: [limitsSet, limitsList, limitsRaise, limitsRemove, limitsResolve],
  },
  {
    name: 'policies',
    description: 'what a wrapped key may do',
    commands: [policiesSet, policiesList, policiesShow, policiesClear],
  },
  {
    name: 'tokens',
    description: 'access tokens, which read the book',
    commands: [tokensCreate, tokensList, tokensRevoke],
  },
  {
    name: 'workspaces',
    description: 'what keys, tokens and entries belong to',
    commands: [workspacesCreate, workspacesList, workspacesUpdate],
  },
  { name: 'providers', description: 'whom the gate reaches', commands: [providersAdd, providersList, providersRemove] },
  { name: 'prices', description: 'what calls cost', commands: [pricesList, pricesSet, pricesRemove, pricesRefresh] },
  { name: 'alerts', description: 'what happened', commands: [alertsList, alertsRead] },
  { name: 'webhooks', description: 'who is told of alerts', commands: [webhooksCreate, webhooksList] },
  { name: 'secret', description: 'the master secret', commands: [secretRotate] },
  { name: null, description: '', commands: [applyCommand, audit, exportCommand, backup, restore, doctor] },
];
