/** The port to signatures: signs with the key of this process, and tells what others have signed. */

/** A key of this process. `key` is its public half, as main names it. The same text has the same signature, always. */
export type Signer = { readonly key: string; readonly sign: (text: string) => string };

export interface Signatures {
  /** undefined: this process has no key. */
  readonly own: Signer | undefined;
  /** Why the key that was given cannot be used; undefined: it can, or none was given. */
  readonly fault: string | undefined;
  /** Whether the private half of this public half has signed this very text. Never throws: what cannot be read is no signature. */
  readonly isSigned: (text: string, by: { readonly key: string; readonly signature: string }) => boolean;
}
