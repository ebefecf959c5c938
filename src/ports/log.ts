/** The port to people who watch: one line an event. Adapters print it as text, JSON or annotations. */

export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
