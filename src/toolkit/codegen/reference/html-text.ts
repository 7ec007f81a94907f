import { escapeMarkup } from '../../report-formats/index.js'
import { plainText } from '../../text/index.js'

/**
 * Escapes text for HTML content and quoted attributes. Control characters and unpaired surrogates are
 * removed.
 */
export function escapeHtml(text: string): string {
  return escapeMarkup(plainText(text).replaceAll(/\p{Cs}/gu, '\ufffd'))
}

/** Returns an id that is unique on the page. */
export type NewId = (prefix: string, name: string) => string

/**
 * Creates the id generator of one page.
 * @param reserved ids that the page itself uses
 */
export function createIds(reserved: readonly string[]): NewId {
  const taken = new Set(reserved)
  return (prefix, name) => {
    const slug = name.replaceAll(/[^\w.$-]+/g, '-').replaceAll(/^-|-$/g, '')
    const wanted = [prefix, slug].filter((part) => part !== '').join('-') || 'part'
    let id = wanted
    for (let copy = 2; taken.has(id); copy += 1) id = `${wanted}-${copy}`
    taken.add(id)
    return id
  }
}
