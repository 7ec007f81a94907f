import { markupText } from '../markup-text.js'

/** A sentence of a contract or a scenario, in which `code` stands between backquotes. */
export function proseMarkup(text: string): string {
  return markupText(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}
