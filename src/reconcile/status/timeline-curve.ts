/** How something that changes with commits is drawn over time: each commit holds until the next one. */

import type { Instant } from '../../api/time.ts';

/** Of the whole picture, and of the frame inside of it. */
export const TIMELINE = { width: 720, height: 220, left: 56, right: 16, top: 16, bottom: 44 } as const;

/** `part`: from 0 to 1. */
export type Point = { readonly at: Instant; readonly part: number };

type Span = { readonly from: Instant; readonly to: Instant };

/** The path of an area: down to the ground at both ends. */
export function areaOf(points: readonly Point[], span: Span): string {
  return `M${x(span.from, span)} ${y(0)}${stepsOf(points, span)}H${x(span.to, span)}V${y(0)}Z`;
}

/** The path of a line: it starts at the first point, and what was before it is not known. */
export function lineOf(points: readonly Point[], span: Span): string {
  const [first, ...others] = points;
  if (first === undefined) return '';
  return `M${x(first.at, span)} ${y(first.part)}${stepsOf(others, span)}H${x(span.to, span)}`;
}

function stepsOf(points: readonly Point[], span: Span): string {
  return points.map(({ at, part }) => `H${x(at, span)}V${y(part)}`).join('');
}

function x(at: Instant, { from, to }: Span): number {
  const { left, right, width } = TIMELINE;
  const passed = (Math.max(from, Math.min(at, to)) - from) / (to - from);
  return left + Math.round(passed * (width - left - right));
}

function y(part: number): number {
  const { top, bottom, height } = TIMELINE;
  return height - bottom - Math.round(part * (height - top - bottom));
}
