import { z } from 'zod';
import { doctorReport } from '../contract/usage.ts';
import { endpoint } from './http/endpoint.ts';

export const doctor = endpoint({
  method: 'GET',
  path: '/api/manage/doctor',
  summary: 'Check the installation',
  scope: 'admin',
  right: 'operate',
  query: z.object({
    online: z.enum(['true', 'false']).default('false').meta({ description: 'Also reach the providers' }),
  }),
  answer: doctorReport,
  async handle({ query }, { installation: operations }) {
    const checks = await operations.doctor(query.online === 'true');
    return { ok: checks.every(({ state }) => state !== 'failed'), checks: [...checks] };
  },
});
