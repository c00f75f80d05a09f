import type { AccountShape } from '../../contract/accounts.ts';
import type { Services } from '../services.ts';

/** What the dashboard begins with. @param userId who is signed in; null = nobody */
export async function describeAccount(userId: string | null, { records, settings }: Services): Promise<AccountShape> {
  const { version, demo } = settings;
  const user = userId === null ? null : await records.users.get(userId);
  if (user) {
    const { id, name, email } = user;
    const workspaces = (await records.members.of(id)).map(({ workspaceId, workspace, timeZone, role }) => ({
      id: workspaceId,
      name: workspace,
      role,
      timeZone,
    }));
    return { version, demo, state: 'signed_in', user: { id, name, email }, workspaces };
  }
  return { version, demo, state: (await records.users.claimed()) ? 'signed_out' : 'unclaimed' };
}
