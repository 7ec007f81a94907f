import { plainText } from './text.js'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text that is nothing but text, between tags and in quoted attributes: control characters and half pairs go. */
export function escapeHtml(text: string): string {
  return plainText(text)
    .replaceAll(/\p{Cs}/gu, '\ufffd')
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}

/** Gives every part of a page an id that no other part has. */
export type NewId = (prefix: string, name: string) => string

/**
 * Makes the ids of one page.
 * @param reserved ids that the page uses itself
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
