import { markupText } from '../../../toolkit/report-formats/index.js'

/** Markup of a sentence in which backquotes enclose code. */
export function proseMarkup(text: string): string {
  return markupText(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}
