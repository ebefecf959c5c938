/** Names that stand in YAML which people paste. */

/** A name of Kubernetes as YAML reads it back as a text: `1e3`, `12` and `on` are quoted. */
export function yamlWord(text: string): string {
  return /^[a-z][a-z0-9./-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/.test(text)
    ? text
    : JSON.stringify(text);
}
