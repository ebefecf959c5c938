/** The resources that a pass reads, as their URLs name them. RBAC rules in the docs are made from this table. */

/** All of them are namespaced. Group is empty for the core API. */
export const resources = {
  lws: { group: 'leaderworkerset.x-k8s.io', version: 'v1', plural: 'leaderworkersets' },
  statefulSets: { group: 'apps', version: 'v1', plural: 'statefulsets' },
  pods: { group: '', version: 'v1', plural: 'pods' },
  controllerRevisions: { group: 'apps', version: 'v1', plural: 'controllerrevisions' },
  horizontalPodAutoscalers: { group: 'autoscaling', version: 'v2', plural: 'horizontalpodautoscalers' },
  scaledObjects: { group: 'keda.sh', version: 'v1alpha1', plural: 'scaledobjects' },
} as const;
