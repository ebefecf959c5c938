/** The port to people who are elsewhere: sends a text to a target that the environment knows. Nothing is ever read back. */

export type Message = {
  /** As the file names the target. */
  readonly to: string;
  /** JSON. */
  readonly body: string;
  /** The same for each attempt. */
  readonly key: string;
};

/** `why`: without address, credential or answer. */
export type Sent = { readonly kind: 'sent' } | { readonly kind: 'failed'; readonly why: string };

export interface Notifier {
  /** The targets that there are. */
  readonly targets: readonly string[];
  /** Never throws. A few seconds at most. */
  send(message: Message): Promise<Sent>;
}
