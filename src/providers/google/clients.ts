import { python, typescript } from '../client-lines.ts';
import type { FirstCall, MakeClientLines } from '../provider.ts';

export const GOOGLE_FIRST_CALL: FirstCall = {
  path: '/v1beta/models/gemini-2.5-flash:generateContent',
  body: ['{"contents":[{"parts":[{"text":"Hello"}]}]}'],
};

export const GOOGLE_CLIENTS: readonly MakeClientLines[] = [
  (address, key) =>
    typescript('@google/genai', 'GoogleGenAI', [`apiKey: '${key}',`, `httpOptions: { baseUrl: '${address}' },`], {
      import: "import { GoogleGenAI } from '@google/genai';",
      call: [
        'const answer = await client.models.generateContent({',
        "  model: 'gemini-2.5-flash',",
        "  contents: 'Hello',",
        '});',
      ],
    }),
  (address, key) =>
    python('google-genai', 'genai.Client', [`api_key="${key}",`, `http_options={"base_url": "${address}"},`], {
      import: 'from google import genai',
      call: ['answer = client.models.generate_content(', '    model="gemini-2.5-flash",', '    contents="Hello",', ')'],
    }),
];
