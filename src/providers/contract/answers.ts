import type { AnswerExamples } from './answer-contract.ts';
import { ANTHROPIC_MESSAGES } from './answers/anthropic.ts';
import { COHERE_CHAT } from './answers/cohere.ts';
import { GEMINI_GENERATE } from './answers/google.ts';
import { CHAT_COMPLETIONS, OPENAI_RESPONSES } from './answers/openai.ts';

/** Answers of each dialect, by the name of its folder in `src/providers`. */
export const ANSWERS: ReadonlyMap<string, readonly AnswerExamples[]> = new Map([
  ['anthropic', [ANTHROPIC_MESSAGES]],
  ['cohere', [COHERE_CHAT]],
  ['compatible', [CHAT_COMPLETIONS]],
  ['google', [GEMINI_GENERATE]],
  ['openai', [OPENAI_RESPONSES, CHAT_COMPLETIONS]],
]);
