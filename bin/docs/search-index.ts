import MiniSearch from 'minisearch'
import { searchOptions } from './search-options.js'
import { searchSections } from './search-sections.js'
import type { SiteGroup } from './site-pages.js'

/** A found part of a page. */
export interface Hit {
  /** Path and anchor, such as `qa#known-failures`. */
  readonly at: string
  readonly titles: readonly string[]
}

/**
 * Makes the index of the site's guides, as VitePress does, and returns a function that answers a question with the best
 * parts first.
 */
export function searchIndex(groups: readonly SiteGroup[]): (question: string) => readonly Hit[] {
  const index = new MiniSearch({ fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] })
  const pages = groups.filter(({ part }) => part === undefined).flatMap((group) => group.pages)
  for (const { route, source, markdown } of pages)
    for (const { anchor, titles, text } of searchSections(source, markdown))
      index.add({
        id: anchor === '' ? `/${route}.html` : `/${route}.html#${anchor}`,
        title: titles.at(-1),
        titles: titles.slice(0, -1),
        text,
      })
  return (question) =>
    index.search(question, searchOptions).map(({ id, title, titles }) => ({
      at: String(id).slice(1).replace('.html', ''),
      titles: [...titles, title],
    }))
}
