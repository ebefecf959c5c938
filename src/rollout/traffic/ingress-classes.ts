/** The annotations by which controllers know a second Ingress for a share of the requests: one row a class. */

/** How a class spells what a canary Ingress gets (reference: Kruise lua_configuration/trafficrouting_ingress). */
export type IngressClass = {
  /** What Kruise's `classType` calls it. */
  readonly name: string;
  readonly prefix: string;
  /** Annotations that stand on it for good. */
  readonly always: Readonly<Record<string, string>>;
  /** Where it takes query parameters. */
  readonly queries: boolean;
  /** Where it writes headers of the requests that it sends on; undefined: it cannot. */
  readonly requestHeaders: string | undefined;
  /** On the second Ingress this annotation always has this value, if the first has it at all. */
  readonly subset: { readonly key: string; readonly value: string } | undefined;
};

const nginx: IngressClass = {
  name: 'nginx',
  prefix: 'nginx.ingress.kubernetes.io/',
  always: {},
  queries: false,
  requestHeaders: undefined,
  subset: undefined,
};

const MSE = 'mse.ingress.kubernetes.io/';

/** ingress-nginx, whose dialect Traefik and Higress read, and the classes of Alibaba Cloud. */
export const ingressClasses = {
  nginx,
  higress: { ...nginx, name: 'higress' },
  aliyunAlb: {
    ...nginx,
    name: 'aliyun-alb',
    prefix: 'alb.ingress.kubernetes.io/',
    always: { 'alb.ingress.kubernetes.io/order': '1' },
  },
  mse: {
    ...nginx,
    name: 'mse',
    queries: true,
    requestHeaders: `${MSE}request-header-control-update`,
    subset: { key: `${MSE}service-subset`, value: 'gray' },
  },
} satisfies Record<string, IngressClass>;
