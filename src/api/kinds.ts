/** Kinds of objects by name, apart from their parsers: who only looks for one in a text loads none of these. */

export const LWS_KIND = 'LeaderWorkerSet';
export const SERVICE_KIND = 'Service';
export const POLICY_KIND = 'RolloutPolicy';
export const ROUTE_PROVIDER_KIND = 'RouteProvider';
export const POLICY_TEST_KIND = 'RolloutPolicyTest';
export const ANALYSIS_KIND = 'Analysis';
/** Of all kinds of ours. */
export const OWN_GROUP = 'tranche.dev/v1';
