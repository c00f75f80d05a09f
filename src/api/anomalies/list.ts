import { anomalyReport } from '../contract-tools.ts';
import { endpoint } from '../endpoint.ts';

export const listAnomalies = endpoint({
  method: 'GET',
  path: '/api/mcp/anomalies',
  summary: 'Anomalies in present spending',
  scope: 'usage:read',
  answer: anomalyReport,
  async handle() {
    return {
      detecting: false,
      message:
        'This version has no detector of anomalies: nobody has looked, so this is not a finding that all is well. Compare periods of /api/mcp/usage/summary, and see /api/mcp/alerts for limits that were reached.',
      anomalies: [],
    };
  },
});
