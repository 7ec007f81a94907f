import { printableLines } from '../text/index.js'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes the characters of markup, for content and quoted attributes of XML and HTML. */
export function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

/** Escapes text of unknown origin for XML and HTML. Characters that neither format allows are replaced. */
export function markupText(text: string): string {
  return escapeMarkup(printableLines(text))
}
