import {
  eachRecord,
  eachOrText,
  FREE,
  only,
  SCHEMA,
  type ScanList,
  scanPlan,
  type ScanSpec,
} from '../../lib/json/scan-plan.ts';

/** Returns both spellings that the provider accepts: `inlineData` and `inline_data`. */
function both(name: string): string {
  return `${name}|${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
}

function spelt(spec: ScanSpec): ScanSpec {
  return Object.fromEntries(
    Object.entries(spec).map(([name, inner]) => [/[A-Z]/.test(name) ? both(name) : name, inner]),
  );
}

const MEDIA: ScanSpec = {
  ...spelt({ inlineData: spelt({ mimeType: {}, data: {} }), fileData: spelt({ mimeType: {}, fileUri: {} }) }),
};

/** All known members of a part. Any other may mean anything. */
const PART: ScanSpec = {
  ...MEDIA,
  ...spelt({
    text: {},
    thought: {},
    thoughtSignature: {},
    functionCall: FREE,
    functionResponse: { response: FREE, parts: eachOrText('part', { ...MEDIA, ...spelt({ mediaProcessing: {} }) }) },
    executableCode: FREE,
    codeExecutionResult: FREE,
    toolCall: FREE,
    toolResponse: FREE,
    audioTranscription: FREE,
    videoMetadata: FREE,
    mediaResolution: spelt({ numTokens: {} }),
    mediaProcessing: {},
    partMetadata: FREE,
    speechMetadata: FREE,
  }),
};

const CONTENT: ScanList = eachOrText('content', only({ parts: eachOrText('part', PART) }, 'role'));

/** Tools that the provider runs itself. They have no field that limits their uses. */
export const SERVER_TOOLS = [
  'googleSearch',
  'googleSearchRetrieval',
  'googleMaps',
  'enterpriseWebSearch',
  'exaAiSearch',
  'parallelAiSearch',
  'urlContext',
  'codeExecution',
  'fileSearch',
  'retrieval',
  'mcpServers',
];

const TOOL: ScanSpec = spelt({
  functionDeclarations: SCHEMA,
  computerUse: only(
    {},
    'environment',
    'excludedPredefinedFunctions',
    'enablePromptInjectionDetection',
    'disabledSafetyPolicies',
  ),
  ...Object.fromEntries(SERVER_TOOLS.map((name) => [name, FREE])),
});

/** Fields that change only tokens that are bounded anyway. Pictures are output tokens too. */
const GENERATION_HARMLESS = [
  'audioTimestamp',
  'enableAffectiveDialog',
  'enableEnhancedCivicAnswers',
  'frequencyPenalty',
  'logprobs',
  'mediaResolution',
  'presencePenalty',
  'responseLogprobs',
  'responseMimeType',
  'seed',
  'stopSequences',
  'temperature',
  'topK',
  'topP',
];

export const MEDIA_NOTES = ['inlineData', 'fileData', 'numTokens'].flatMap((name) => both(name).split('|'));

export const GENERATE_PLAN = scanPlan(
  spelt({
    model: {},
    contents: CONTENT,
    systemInstruction: CONTENT,
    tools: eachRecord('tool', TOOL),
    toolConfig: only(
      spelt({
        functionCallingConfig: only({}, 'mode', 'allowedFunctionNames', 'streamFunctionCallArguments'),
        retrievalConfig: only({}, 'languageCode', 'latLng'),
      }),
      'includeServerSideToolInvocations',
    ),
    safetySettings: FREE,
    labels: FREE,
    cachedContent: {},
    continuationToken: {},
    store: {},
    serviceTier: {},
    generationConfig: only(
      spelt({
        maxOutputTokens: {},
        candidateCount: {},
        responseModalities: {},
        responseFormat: {},
        speechConfig: only({}, 'languageCode', 'multiSpeakerVoiceConfig', 'voiceConfig'),
        translationConfig: {},
        modelSelectionConfig: {},
        routingConfig: {},
        responseSchema: SCHEMA,
        responseJsonSchema: SCHEMA,
        thinkingConfig: only(spelt({ thinkingBudget: {} }), 'includeThoughts', 'thinkingLevel'),
        audioTranscriptionConfig: only(
          {},
          'adaptationPhrases',
          'customVocabulary',
          'diarization',
          'languageAuto',
          'languageCodes',
          'languageHints',
          'mode',
          'sourceText',
          'wordTimestamp',
        ),
        imageConfig: only(
          {},
          'aspectRatio',
          'imageOutputOptions',
          'imageSize',
          'outputCompressionQuality',
          'outputMimeType',
          'personGeneration',
          'prominentPeople',
        ),
      }),
      ...GENERATION_HARMLESS,
    ),
  }),
  // Media, and their size, in places that are not read.
  Object.fromEntries(MEDIA_NOTES.map((spelling) => [spelling, null])),
);

const EMBED: ScanSpec = spelt({
  model: {},
  content: CONTENT,
  taskType: {},
  title: {},
  outputDimensionality: {},
  autoTruncate: {},
});
const EMBED_NOTES = Object.fromEntries(MEDIA_NOTES.map((spelling) => [spelling, null]));

export const EMBED_PLAN = scanPlan(EMBED, EMBED_NOTES);
export const BATCH_EMBED_PLAN = scanPlan({ requests: eachRecord('request', only(EMBED)) }, EMBED_NOTES);
