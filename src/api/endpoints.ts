import { readAccount, updateAccount } from './account.ts';
import { claim } from './accounts/claim.ts';
import { acceptInvitation, readInvitation } from './accounts/invitation.ts';
import { changePassword, listSessions, revokeSession, revokeSessions, signIn, signOut } from './user-sessions.ts';
import { getAlert } from './alerts/get.ts';
import { listAlerts } from './alerts.ts';
import { readAlert } from './alerts/read.ts';
import { backtestAnomalies } from './anomalies/backtest.ts';
import { listAnomalies } from './anomalies.ts';
import { apply } from './apply/apply.ts';
import type { Endpoint } from './http/endpoint.ts';
import { getEntry } from './entries/get.ts';
import { listEntries } from './entries.ts';
import { resolveEntry } from './entries/resolve.ts';
import { exportEntries } from './export.ts';
import { live } from './live.ts';
import { createAdminKey } from './manage/admin-keys-create.ts';
import { listAdminKeys } from './admin-keys.ts';
import { removeAdminKey } from './manage/admin-keys-remove.ts';
import { replaceAdminKey } from './manage/admin-keys-replace.ts';
import { reconciliation } from './reconciliation.ts';
import { syncAdminKey } from './manage/admin-keys-sync.ts';
import { updateAdminKey } from './manage/admin-keys-update.ts';
import { listAudit } from './audit.ts';
import { backup } from './manage/backup.ts';
import { coverage } from './coverage.ts';
import { getDetection, updateDetection } from './manage/detection.ts';
import { doctor } from './installation.ts';
import { keyClientLines } from './manage/keys-clients.ts';
import { createKey } from './manage/keys-create.ts';
import { getKey } from './manage/keys-get.ts';
import { listKeys } from './keys.ts';
import { replaceProviderKey } from './manage/keys-replace.ts';
import { revokeKey } from './manage/keys-revoke.ts';
import { updateKey } from './manage/keys-update.ts';
import { offerClaim } from './manage/claim-offer.ts';
import { listUsers, removeUser, resetPassword } from './users.ts';
import { createInvitation, listInvitations, revokeInvitation } from './invitations.ts';
import { listMembers, removeMember, setMemberRole } from './members.ts';
import { createLimit } from './manage/limits-create.ts';
import { endRaise } from './manage/limits-end-raise.ts';
import { getLimit } from './manage/limits-get.ts';
import { listLimits } from './limits.ts';
import { raiseLimit } from './manage/limits-raise.ts';
import { listRefusals } from './manage/limits-refusals.ts';
import { removeLimit } from './manage/limits-remove.ts';
import { setLimit } from './manage/limits-set.ts';
import { updateLimit } from './manage/limits-update.ts';
import { createMute, listMutes, removeMute } from './mutes.ts';
import { clearPolicy } from './manage/policies-clear.ts';
import { getPolicy } from './manage/policies-get.ts';
import { listPolicies } from './policies.ts';
import { setPolicy } from './manage/policies-set.ts';
import { listPrices } from './prices.ts';
import { refreshPrices } from './manage/prices-refresh.ts';
import { removePrice } from './manage/prices-remove.ts';
import { setPrice } from './manage/prices-set.ts';
import { addProvider } from './manage/providers-add.ts';
import { listProviders } from './providers.ts';
import { removeProvider } from './manage/providers-remove.ts';
import { renewJournal } from './manage/journal-renew.ts';
import { rotateSecret } from './manage/secret-rotate.ts';
import { createToken } from './manage/tokens-create.ts';
import { listTokens } from './tokens.ts';
import { revokeToken } from './manage/tokens-revoke.ts';
import { createWorkspace } from './manage/workspaces-create.ts';
import { listWorkspaces } from './workspaces.ts';
import { updateWorkspace } from './manage/workspaces-update.ts';
import { endSubscription } from './manage/subscriptions-end.ts';
import { listSubscriptions } from './subscriptions.ts';
import { createSubscription } from './manage/subscriptions-create.ts';
import { getSavingsBreakdown } from './savings/breakdown.ts';
import { listPlans } from './savings/plans.ts';
import { getSavings } from './savings.ts';
import { activeSubscriptions } from './savings/subscriptions.ts';
import { syncClaudeCode, syncCodex } from './sync.ts';
import { byTag } from './usage/by-tag.ts';
import { pricing } from './usage/pricing.ts';
import { series } from './usage/series.ts';
import { changes } from './usage/changes.ts';
import { getOverview } from './usage/overview.ts';
import { getPriceCoverage } from './usage/price-coverage.ts';
import { getUsageValues } from './usage/values.ts';
import { summary } from './usage/summary.ts';
import { getOwnWorkspace } from './usage/workspace.ts';
import { createWebhook } from './webhooks/create.ts';
import { previewDigest } from './webhooks/digest.ts';
import { listDeliveries } from './deliveries.ts';
import { getWebhook } from './webhooks/get.ts';
import { listWebhooks } from './webhooks.ts';
import { removeWebhook } from './webhooks/remove.ts';
import { replayDelivery, replayPeriod } from './webhooks/replay.ts';
import { renewSecret } from './webhooks/secret.ts';
import { testWebhook } from './webhooks/test-webhook.ts';
import { updateWebhook } from './webhooks/update.ts';

/** Every endpoint there is: a new one is a file and a line here. */
export const endpoints: readonly Endpoint[] = [
  readAccount,
  updateAccount,
  claim,
  signIn,
  signOut,
  listSessions,
  revokeSession,
  revokeSessions,
  changePassword,
  readInvitation,
  acceptInvitation,
  summary,
  getOverview,
  changes,
  byTag,
  series,
  getUsageValues,
  getPriceCoverage,
  pricing,
  getSavings,
  getSavingsBreakdown,
  activeSubscriptions,
  listPlans,
  syncClaudeCode,
  syncCodex,
  listEntries,
  getEntry,
  resolveEntry,
  live,
  listAlerts,
  getAlert,
  readAlert,
  listAnomalies,
  backtestAnomalies,
  getOwnWorkspace,
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  removeWebhook,
  renewSecret,
  testWebhook,
  listDeliveries,
  previewDigest,
  replayDelivery,
  replayPeriod,
  createKey,
  listKeys,
  getKey,
  keyClientLines,
  updateKey,
  replaceProviderKey,
  revokeKey,
  listPolicies,
  getPolicy,
  setPolicy,
  clearPolicy,
  createLimit,
  setLimit,
  listLimits,
  getLimit,
  listRefusals,
  updateLimit,
  removeLimit,
  raiseLimit,
  endRaise,
  apply,
  getDetection,
  updateDetection,
  listMutes,
  createMute,
  removeMute,
  offerClaim,
  listUsers,
  resetPassword,
  removeUser,
  listMembers,
  setMemberRole,
  removeMember,
  createInvitation,
  listInvitations,
  revokeInvitation,
  createToken,
  listTokens,
  revokeToken,
  createAdminKey,
  listAdminKeys,
  updateAdminKey,
  replaceAdminKey,
  removeAdminKey,
  syncAdminKey,
  reconciliation,
  coverage,
  createSubscription,
  listSubscriptions,
  endSubscription,
  createWorkspace,
  listWorkspaces,
  updateWorkspace,
  addProvider,
  listProviders,
  removeProvider,
  setPrice,
  listPrices,
  removePrice,
  refreshPrices,
  listAudit,
  exportEntries,
  backup,
  renewJournal,
  rotateSecret,
  doctor,
];
