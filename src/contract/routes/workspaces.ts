import { z } from 'zod';
import { adminKey, askedSync } from '../admin-keys.ts';
import { name, wholeNumber, timeZone, retentionDays } from '../fields.ts';
import { auditPage } from '../audit.ts';
import { billLine, newBillLine } from '../bill-lines.ts';
import { periodQuery } from '../usage.ts';
import { forgottenNode, nodeList, doctorReport, backupResult, renewedJournal, rotatedSecret } from '../installation.ts';
import { workspace, ownWorkspace } from '../workspaces.ts';
import { coverageResponse } from '../coverage.ts';
import { reconciliationResponse } from '../reconciliation.ts';
import type { RouteTable } from '../route.ts';

export const DAYS_MAX = 31;

export const workspaceRoutes = {
  'GET /api/manage/admin-keys': {
    summary: 'List admin keys of organizations and the progress of their report sync',
    scope: 'admin',
    right: 'read',
    response: z.array(adminKey),
  },
  'POST /api/manage/admin-keys': {
    summary: 'Add an admin key of an organization',
    description: "Tests the key immediately, then reads the organization's reports, newest days first.",
    scope: 'admin',
    right: 'manage',
    body: z.strictObject({
      name,
      provider: z.string().meta({ description: 'A provider that has reports' }),
      adminKey: z.string().min(1).meta({ description: 'Kept encrypted and never shown again' }),
    }),
    response: adminKey,
    status: 201,
  },
  'PATCH /api/manage/admin-keys/{id}': {
    summary: 'Pause or resume an admin key',
    description: 'Data that was read stays. A resumed report sync continues where it stopped.',
    scope: 'admin',
    right: 'manage',
    body: z.strictObject({ paused: z.boolean() }),
    ifMatch: true,
    response: adminKey,
  },
  'POST /api/manage/admin-keys/{id}/replace': {
    summary: 'Replace an admin key by another one of the same organization',
    description:
      'Tests the new key immediately. Data that was read stays, and the report sync continues where it stopped.',
    scope: 'admin',
    right: 'manage',
    body: z.strictObject({ adminKey: z.string().min(1).meta({ description: 'Kept encrypted and never shown again' }) }),
    ifMatch: true,
    response: adminKey,
  },
  'DELETE /api/manage/admin-keys/{id}': {
    summary: 'Delete an admin key and all data read with it',
    description: 'The key is deleted immediately, its data soon after. To keep the data, pause the key instead.',
    scope: 'admin',
    right: 'manage',
    ifMatch: true,
    response: z.object({ removed: z.string() }),
  },
  'POST /api/manage/admin-keys/{id}/sync': {
    summary: 'Start a report sync of an organization now',
    scope: 'admin',
    right: 'manage',
    response: askedSync,
  },
  'GET /api/manage/audit': {
    summary: 'List audited changes, newest first',
    description:
      'Rows are chained by hashes, so that a changed or missing row is detected. The owner without a workspace sees all rows.',
    scope: 'admin',
    right: 'manage',
    query: z.object({
      limit: wholeNumber(1, 500).default(50).meta({ description: 'Default: 50' }),
      cursor: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
    }),
    response: auditPage,
  },
  'GET /api/manage/coverage': {
    summary: 'Get the share of organizations’ spend through the gateway over time',
    description:
      'Final UTC days at list price; default: today and the 29 days before. Calls of all workspaces count, because a key may be wrapped in any of them.',
    scope: 'admin',
    right: 'read',
    query: periodQuery.extend({ step: z.enum(['day', 'week', 'month']).default('week') }),
    response: coverageResponse,
  },
  'GET /api/manage/doctor': {
    summary: 'Check the installation',
    scope: 'admin',
    right: 'operate',
    query: z.object({
      online: z.enum(['true', 'false']).default('false').meta({ description: 'Also contact the providers' }),
    }),
    response: doctorReport,
  },
  'GET /api/manage/nodes': {
    summary: 'List the nodes on this database',
    scope: 'admin',
    right: 'operate',
    response: nodeList,
  },
  'POST /api/manage/nodes/{id}/forget': {
    summary: 'Forget a node that never comes back',
    description:
      'Calls that only its journal has are missing from the ledger. If it starts again, they are recorded and it is listed again.',
    scope: 'admin',
    right: 'operate',
    body: z.strictObject({
      uncertain: z.enum(['count', 'free']).default('count').meta({
        description:
          'Amounts of limits that it had and may have used. count: they stay counted until their window ends; free: only its recorded calls count',
      }),
    }),
    response: forgottenNode,
  },
  'POST /api/manage/backup': {
    summary: 'Write a consistent copy of the ledger and the journal while everything runs',
    scope: 'admin',
    right: 'folder',
    body: z.strictObject({
      folder: z.string().min(1).meta({ description: 'New folder on this machine; must not exist yet' }),
    }),
    response: backupResult,
    status: 201,
  },
  'POST /api/manage/journal/renew': {
    summary: 'Give up a lost journal; the next start creates a new one',
    description: 'The last calls of the lost journal are missing from the ledger, and no limit counts them.',
    scope: 'admin',
    right: 'folder',
    body: z.strictObject({}),
    response: renewedJournal,
  },
  'POST /api/manage/secret/rotate': {
    summary: 'Encrypt all stored secrets again with a new master secret',
    scope: 'admin',
    right: 'folder',
    body: z.strictObject({
      secret: z.string().nullable().default(null).meta({ description: 'null = a random one, kept in the data folder' }),
    }),
    response: rotatedSecret,
  },
  'GET /api/manage/reconciliation': {
    summary: 'Compare ledger and provider reports, with a reason for each difference',
    description: `At most ${DAYS_MAX} whole UTC days; default: today and the 29 days before. Keys are matched with the provider keys of all workspaces.`,
    scope: 'admin',
    right: 'read',
    query: periodQuery,
    response: reconciliationResponse,
  },
  'GET /api/manage/bill-lines': {
    summary: 'List credits and minimum commitments, with what is used and left',
    scope: 'admin',
    right: 'read',
    response: z.array(billLine),
  },
  'POST /api/manage/bill-lines': {
    summary: 'Add a credit or a minimum commitment',
    description:
      'Reconciliation adds it to the bill of its provider. Costs are those that Tollbook recorded, in the gateway and outside it. Of several credits, the one that ends first is used first. Limits and costs of calls stay as they are.',
    scope: 'admin',
    right: 'manage',
    body: newBillLine,
    response: billLine,
    status: 201,
  },
  'DELETE /api/manage/bill-lines/{id}': {
    summary: 'Delete a credit or a commitment as if it had never been',
    scope: 'admin',
    right: 'manage',
    ifMatch: true,
    response: z.object({ id: z.string() }),
  },
  'GET /api/manage/workspaces': {
    summary: 'List workspaces; a token sees only its own',
    scope: 'admin',
    right: 'read',
    response: z.array(workspace),
  },
  'POST /api/manage/workspaces': {
    summary: 'Create a workspace',
    scope: 'admin',
    right: 'operate',
    body: z.strictObject({ name, timeZone: timeZone.default('UTC'), retentionDays: retentionDays.optional() }),
    response: workspace,
    status: 201,
  },
  'PATCH /api/manage/workspaces/{id}': {
    summary: 'Change the name, time zone or retention of a workspace',
    scope: 'admin',
    right: 'manage',
    body: z.strictObject({
      name: name.optional(),
      timeZone: timeZone.optional(),
      retentionDays: retentionDays.optional(),
    }),
    ifMatch: true,
    response: workspace,
  },
  'GET /api/mcp/workspace': {
    summary: "Get the access token's workspace, whose time zone defines today",
    scope: 'usage:read',
    right: 'read',
    response: ownWorkspace,
  },
} as const satisfies RouteTable;
