import { acceptInvitation, claim, readAccount, readInvitation, updateAccount } from './account.ts';
import { changePassword, listSessions, revokeSession, revokeSessions, signIn, signOut } from './user-sessions.ts';
import { getAlert, listAlerts, readAlert } from './alerts.ts';
import { backtestAnomalies, getDetection, listAnomalies, updateDetection } from './anomalies.ts';
import { apply } from './apply/apply.ts';
import type { Endpoint } from './http/endpoint.ts';
import type { Services } from './services.ts';
import { getEntry, listEntries, resolveEntry } from './entries.ts';
import { listObservedCalls, listObservedOutcomes } from './observed-calls.ts';
import { receiveUsageEvents } from './usage-events.ts';
import { receiveTelemetry } from './telemetry.ts';
import { exportEntries } from './export.ts';
import { getCallSession, listCallSessions } from './sessions.ts';
import { live } from './live.ts';
import {
  createAdminKey,
  listAdminKeys,
  removeAdminKey,
  replaceAdminKey,
  syncAdminKey,
  updateAdminKey,
} from './admin-keys.ts';
import { reconciliation } from './reconciliation.ts';
import { listAudit } from './audit.ts';
import { backup, doctor, forgetNode, listNodes, renewJournal, rotateSecret } from './installation.ts';
import { coverage } from './coverage.ts';
import { createKey, getKey, keyClientLines, listKeys, replaceProviderKey, revokeKey, updateKey } from './keys.ts';
import { listUsers, offerClaim, removeUser, resetPassword } from './users.ts';
import { createInvitation, listInvitations, revokeInvitation } from './invitations.ts';
import { listMembers, removeMember, setMemberRole } from './members.ts';
import {
  createLimit,
  endRaise,
  getLimit,
  listLimits,
  previewNewLimit,
  raiseLimit,
  removeLimit,
  setLimit,
  updateLimit,
} from './limits.ts';
import { getLimitHistory } from './limit-history.ts';
import { countRefusals, listRefusals } from './refusals.ts';
import { createMute, listMutes, removeMute } from './mutes.ts';
import { clearPolicy, getPolicy, listPolicies, setPolicy } from './policies.ts';
import { addBillLine, listBillLines, removeBillLine } from './bill-lines.ts';
import { listContracts, previewNewContract, removeContract, setContract } from './contracts.ts';
import { applyPriceUpdate, getPriceUpdate, refreshPrices } from './price-updates.ts';
import { listPriceLists, listPrices, previewNewPrice, pricing, removePrice, setPrice } from './prices.ts';
import { testProvider } from './provider-test.ts';
import { addProvider, listProviders, removeProvider } from './providers.ts';
import { createToken, listTokens, revokeToken } from './tokens.ts';
import { createWorkspace, getOwnWorkspace, listWorkspaces, updateWorkspace } from './workspaces.ts';
import { listViews, removeView, saveView } from './saved-views.ts';
import { activeSubscriptions, createSubscription, endSubscription, listSubscriptions } from './subscriptions.ts';
import { getAssistants } from './assistants.ts';
import { getSavings, getSavingsBreakdown, listPlans } from './savings.ts';
import { syncClaudeCode, syncCodex, syncSessions } from './sync.ts';
import { byTag } from './usage/by-tag.ts';
import { series } from './usage/series.ts';
import { changes } from './usage/changes.ts';
import { getOverview } from './usage/overview.ts';
import { getPriceCoverage } from './usage/price-coverage.ts';
import { getUsageValues } from './usage/values.ts';
import { summary } from './usage/summary.ts';
import {
  createWebhook,
  getWebhook,
  listWebhooks,
  previewDigest,
  removeWebhook,
  renewSecret,
  updateWebhook,
} from './webhooks.ts';
import { listDeliveries, replayDelivery, replayPeriod, testWebhook } from './deliveries.ts';

/** All endpoints. A new resource is a file and a line here. */
export const endpoints: readonly Endpoint<Services>[] = [
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
  getAssistants,
  activeSubscriptions,
  listPlans,
  syncClaudeCode,
  syncCodex,
  syncSessions,
  ...receiveTelemetry,
  receiveUsageEvents,
  listObservedCalls,
  listObservedOutcomes,
  listEntries,
  getEntry,
  resolveEntry,
  listCallSessions,
  getCallSession,
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
  previewNewLimit,
  setLimit,
  listLimits,
  getLimit,
  getLimitHistory,
  listRefusals,
  countRefusals,
  updateLimit,
  removeLimit,
  raiseLimit,
  endRaise,
  apply,
  getDetection,
  updateDetection,
  listViews,
  saveView,
  removeView,
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
  testProvider,
  setPrice,
  listBillLines,
  addBillLine,
  removeBillLine,
  listContracts,
  setContract,
  previewNewContract,
  previewNewPrice,
  removeContract,
  listPrices,
  listPriceLists,
  removePrice,
  refreshPrices,
  getPriceUpdate,
  applyPriceUpdate,
  listAudit,
  exportEntries,
  backup,
  renewJournal,
  rotateSecret,
  doctor,
  listNodes,
  forgetNode,
];
