import { visibleText } from './visible-text.js'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text for the content or a quoted attribute of XML and HTML: nothing in it is markup, or a character that neither may hold. */
export function markupText(text: string): string {
  return visibleText(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
