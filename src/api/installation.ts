import type { ForgottenNode, NodeList } from '../contract/installation.ts';
import { endpoint } from './http/endpoint.ts';
import type { Records } from '../storage/records/records.ts';
import type { Actor } from '../storage/records/audit.ts';
import type { UncertainGrants } from '../storage/records/nodes.ts';

/** Operations on the data folder; provided by the ledger thread. */
export interface InstallationOperations {
  /** Writes a consistent copy of ledger and journal into a new folder while everything runs. */
  backup(folder: string): Promise<BackupResult>;
  /** Gives up a missing journal, so that the next start creates a new one. Throws `conflict` if it exists. */
  renewJournal(actor: Actor): Promise<void>;
  /** Lists the nodes on the database. */
  nodes(): Promise<NodeList>;
  /** Forgets a node that never comes back. Throws `conflict` while it runs or may still admit calls. */
  forgetNode(id: string, uncertain: UncertainGrants, actor: Actor): Promise<ForgottenNode>;
  /** Runs all checks of the installation; `online` also contacts the providers. */
  doctor(online: boolean): Promise<readonly DoctorCheck[]>;
}

export interface BackupResult {
  readonly folder: string;
  /** Paths relative to the folder. */
  readonly files: readonly string[];
  /** A sentence about missing parts of the copy (a secret from the environment); null = complete. */
  readonly note: string | null;
}

export interface DoctorCheck {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped';
  /** A sentence: the finding and the remedy. */
  readonly message: string;
}

export interface InstallationServices {
  readonly records: Records;
  readonly installation: InstallationOperations;
}

export const doctor = endpoint(
  'GET /api/manage/doctor',
  async ({ query }, { installation: operations }: InstallationServices) => {
    const checks = await operations.doctor(query.online === 'true');
    return { ok: checks.every(({ state }) => state !== 'failed'), checks: [...checks] };
  },
);

export const listNodes = endpoint(
  'GET /api/manage/nodes',
  async (_, { installation: operations }: InstallationServices) => await operations.nodes(),
);

export const forgetNode = endpoint(
  'POST /api/manage/nodes/{id}/forget',
  async ({ path, body, caller }, { installation: operations }: InstallationServices) =>
    await operations.forgetNode(path.id, body.uncertain, caller.actor),
);

export const backup = endpoint(
  'POST /api/manage/backup',
  async ({ body }, { installation: operations }: InstallationServices) => {
    const { folder, files, note } = await operations.backup(body.folder);
    return { folder, files: [...files], note };
  },
);

export const renewJournal = endpoint(
  'POST /api/manage/journal/renew',
  async ({ caller }, { installation: operations }: InstallationServices) => {
    await operations.renewJournal(caller.actor);
    return { renewed: true as const };
  },
);

export const rotateSecret = endpoint(
  'POST /api/manage/secret/rotate',
  async ({ caller, body }, { records }: InstallationServices) => {
    return records.rotateSecret(body.secret, caller.actor);
  },
);
