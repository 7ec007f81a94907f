import { printableLines } from '../contract/index.js'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * Escapes text for XML and HTML, both for content and for quoted attributes. Characters that neither format
 * allows are replaced.
 */
export function markupText(text: string): string {
  return printableLines(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
