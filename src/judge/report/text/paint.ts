/** Terminal colours, which may be disabled. */
export interface Paint {
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly warn: (text: string) => string
  readonly faint: (text: string) => string
  readonly strong: (text: string) => string
}

/**
 * Creates a painter.
 * @param colours false for files, pipes and NO_COLOR
 */
export function createPaint(colours: boolean): Paint {
  const paint = (code: number) => (text: string) =>
    colours && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text
  return { good: paint(32), bad: paint(31), warn: paint(33), faint: paint(2), strong: paint(1) }
}
