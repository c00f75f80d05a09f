import { z } from 'zod';
import { SENSITIVITIES } from '../../domain/anomaly/series.ts';
import { readUsd } from '../../domain/money/money.ts';
import { detectionSettingsView } from '../anomalies/anomaly-view.ts';
import { detectionSettings } from '../../contract/anomalies.ts';
import { endpoint } from '../http/endpoint.ts';

export const getDetection = endpoint({
  method: 'GET',
  path: '/api/manage/detection',
  summary: 'How sensitive the workspace is to what is unusual',
  scope: 'admin',
  right: 'read',
  answer: detectionSettings,
  handle: async ({ caller }, { records }) =>
    detectionSettingsView(await records.detection.settings(caller.workspaceId)),
});

export const updateDetection = endpoint({
  method: 'PATCH',
  path: '/api/manage/detection',
  summary: 'Change how sensitive the workspace is to what is unusual',
  scope: 'admin',
  right: 'manage',
  body: z.strictObject({
    sensitivity: z.enum(SENSITIVITIES).optional(),
    minimumUsd: z.union([z.number(), z.string()]).optional().meta({ description: 'US dollars' }),
  }),
  answer: detectionSettings,
  async handle({ caller, body }, { records }) {
    const { sensitivity, minimumUsd } = body;
    const change = {
      ...(sensitivity !== undefined && { sensitivity }),
      ...(minimumUsd !== undefined && { minimumNano: readUsd(minimumUsd, 'minimumUsd') }),
    };
    return detectionSettingsView(await records.detection.update(caller.workspaceId, change, caller.actor));
  },
});
