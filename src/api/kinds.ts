/** Kinds of objects by name, apart from their parsers: who only looks for one in a text loads none of these. */

export const LWS_KIND = 'LeaderWorkerSet';
export const POLICY_KIND = 'RolloutPolicy';
export const ROUTE_PROVIDER_KIND = 'RouteProvider';
