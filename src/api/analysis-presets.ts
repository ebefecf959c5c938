/** The metrics that are known by name: which series of engines and gateways count what is bad, of which requests. */

import { GATEWAY_PRESETS } from './analysis-gateways.ts';
import { type Preset, part, type SeriesPart } from './analysis-preset.ts';

const VLLM_LABELS = ['engine', 'model_name'];
const SGLANG_LABELS = [
  'model_name',
  'engine_type',
  'is_streaming',
  'priority',
  'tp_rank',
  'pp_rank',
  'dp_rank',
  'moe_ep_rank',
  'method',
];

const ANSWERED = part('vllm:request_success_total');
const VLLM_START = part('vllm:num_requests_running');
const VLLM_LOAD = {
  tokens: part('vllm:request_prompt_tokens_sum'),
  requests: part('vllm:request_prompt_tokens_count'),
};
const SGLANG_START = { names: ['sglang:num_running_reqs', 'sglang:http_requests_active'], labels: {} };
const SGLANG_ANSWERED = part('sglang:num_requests_total');
const SGLANG_LOAD = { tokens: part('sglang:prompt_tokens_total'), requests: SGLANG_ANSWERED };

const ERRORS = { tolerate: { times: 1.5, points: 0.5 }, ruleOut: { times: 2 } } as const;
const LATENCY = { tolerate: { times: 1.5, points: 1 }, ruleOut: { times: 2 } } as const;
const QUALITY = { tolerate: { times: 1.5, points: 2 }, ruleOut: { times: 2 } } as const;

/** vLLM makes every series at its start, at 0: one that is not there was not scraped. */
const VLLM = { adds: VLLM_LABELS, anchor: undefined, load: undefined } as const;
/** SGLang makes a series with the first event. */
const SGLANG = { adds: SGLANG_LABELS, anchor: SGLANG_START, load: undefined } as const;

/** Of all requests that vLLM has answered, those that ended so. */
function ended(reason: string): Pick<Preset, 'bad' | 'of' | 'adds' | 'anchor' | 'load'> {
  const parts = [part('vllm:request_success_total', { finished_reason: [reason] })];
  return { ...VLLM, bad: { kind: 'counted', parts }, of: ANSWERED };
}

/** Of all requests in a histogram, those above a bucket. */
function slow(name: string, seconds: number): Pick<Preset, 'bad' | 'of'> {
  return { bad: { kind: 'over', bucket: part(`${name}_bucket`), seconds }, of: part(`${name}_count`) };
}

/** One of these for each of many of those, in tokens or events. */
const INFORM = {
  tolerate: { times: 1.5, points: 5 },
  ruleOut: { times: 2 },
  leadsTo: 'inform',
  informsOnly: true,
} as const;
const KV_CACHE: SeriesPart = { names: ['vllm:kv_cache_usage_perc', 'vllm:gpu_cache_usage_perc'], labels: {} };
/** A cache as full as this pushes requests out. */
const FULL = 0.95;

/** Tokens of the prefix cache, and what they were called until vLLM 0.9. */
function prefix(what: string): SeriesPart {
  return { names: [`vllm:prefix_cache_${what}_total`, `vllm:gpu_prefix_cache_${what}_total`], labels: {} };
}

const V1 = { handler: /^\/v1\/.*$/, method: ['POST'] } as const;
const GENERATE = { endpoint: /^(\/v1\/.*|\/generate)$/ } as const;

/** Each with what the specification of its engine says; `overSeconds`, tolerance and what it leads to may be said otherwise. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  'vllm/errors': { ...ended('error'), ...ERRORS, leadsTo: 'rollback' },
  'vllm/http': {
    ...VLLM,
    ...ERRORS,
    bad: { kind: 'counted', parts: [part('http_requests_total', { ...V1, status: ['5xx'] })] },
    of: part('http_requests_total', V1),
    anchor: VLLM_START,
    leadsTo: 'rollback',
  },
  'vllm/ttft': {
    ...VLLM,
    ...LATENCY,
    ...slow('vllm:time_to_first_token_seconds', 2.5),
    load: VLLM_LOAD,
    leadsTo: 'rollback',
  },
  'vllm/tpot': {
    ...VLLM,
    ...LATENCY,
    ...slow('vllm:request_time_per_output_token_seconds', 0.1),
    load: VLLM_LOAD,
    leadsTo: 'rollback',
  },
  'vllm/length': { ...ended('length'), ...QUALITY, leadsTo: 'hold' },
  'vllm/repetition': { ...ended('repetition'), ...QUALITY, leadsTo: 'hold' },
  'vllm/empty': {
    ...VLLM,
    ...QUALITY,
    bad: { kind: 'counted', parts: [part('vllm:request_generation_tokens_bucket', { le: ['1.0', '1'] })] },
    of: part('vllm:request_generation_tokens_count'),
    leadsTo: 'hold',
  },
  'vllm/corrupted': {
    ...VLLM,
    ...QUALITY,
    bad: { kind: 'counted', parts: [part('vllm:corrupted_requests_total')] },
    of: ANSWERED,
    leadsTo: 'rollback',
  },
  'vllm/stalled': {
    ...VLLM,
    ...ERRORS,
    bad: {
      kind: 'stalled',
      made: [part('vllm:generation_tokens_total'), ANSWERED],
      open: [VLLM_START, part('vllm:num_requests_waiting')],
    },
    of: ANSWERED,
    unit: 'windows',
    leadsTo: 'rollback',
  },
  'vllm/preempted': {
    ...VLLM,
    ...INFORM,
    bad: { kind: 'counted', parts: [part('vllm:num_preemptions_total')] },
    of: ANSWERED,
  },
  'vllm/prefix': {
    ...VLLM,
    ...INFORM,
    unit: 'tokens',
    bad: { kind: 'rest', good: prefix('hits') },
    of: prefix('queries'),
  },
  'vllm/spec': {
    ...VLLM,
    ...INFORM,
    unit: 'tokens',
    bad: { kind: 'rest', good: part('vllm:spec_decode_num_accepted_tokens_total') },
    of: part('vllm:spec_decode_num_draft_tokens_total'),
  },
  'vllm/kv': { ...VLLM, ...INFORM, unit: 'samples', bad: { kind: 'above', share: FULL }, of: KV_CACHE },
  'sglang/errors': {
    ...SGLANG,
    ...ERRORS,
    bad: { kind: 'counted', parts: [part('sglang:http_responses_total', { ...GENERATE, status_code: /^5..$/ })] },
    of: part('sglang:http_responses_total', GENERATE),
    leadsTo: 'rollback',
  },
  'sglang/ttft': {
    ...SGLANG,
    ...LATENCY,
    ...slow('sglang:time_to_first_token_seconds', 2),
    load: SGLANG_LOAD,
    leadsTo: 'rollback',
  },
  'sglang/transfer': {
    ...SGLANG,
    ...ERRORS,
    bad: {
      kind: 'counted',
      parts: [part('sglang:num_transfer_failed_reqs_total'), part('sglang:num_bootstrap_failed_reqs_total')],
    },
    of: SGLANG_ANSWERED,
    leadsTo: 'hold',
  },
  ...GATEWAY_PRESETS,
};
