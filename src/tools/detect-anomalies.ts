import { anomalyReport } from '../api/contract-tools.ts';
import { defineTool } from './tool.ts';

export const detectAnomalies = defineTool({
  name: 'svc_detect_anomalies',
  title: 'Anomalies in spending',
  description:
    'Cost spikes and unusual activity in present spending. Where `detecting` is false nobody has looked: say so, and never conclude that all is well.',
  input: {},
  output: anomalyReport,
  hints: { readOnly: true, idempotent: true, zone: 'workspace' },
  needsFiles: false,
  run: (_, { client, signal }) => client.ask({ method: 'GET', path: '/api/mcp/anomalies', signal }, anomalyReport),
  markdown({ message, anomalies }) {
    return [message, ...anomalies.map((anomaly) => `- ${JSON.stringify(anomaly)}`)].join('\n');
  },
});
