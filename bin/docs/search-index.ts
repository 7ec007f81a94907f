import MiniSearch from 'minisearch'
import { indexOptions, searchOptions } from './search-options.js'
import { searchSections } from './search-sections.js'
import type { SiteGroup } from './site-pages.js'

/** A found part of a page. */
export interface Hit {
  /** Path and anchor, such as `qa#known-failures`. */
  readonly at: string
  readonly titles: readonly string[]
}

/**
 * Makes the search index of a part of the site, which the browser loads.
 * @param base path at which the site is served
 */
export function searchIndex(
  groups: readonly SiteGroup[],
  part: SiteGroup['part'] = undefined,
  base = '/',
): MiniSearch {
  const index = new MiniSearch({ ...indexOptions, searchOptions })
  for (const { route, source, markdown } of groups.flatMap((group) =>
    group.part === part ? group.pages : [],
  ))
    for (const { anchor, titles, text, words } of searchSections(source, markdown)) {
      const page = `${base}${route.replace(/(^|\/)index$/, '$1')}${/(^|\/)index$/.test(route) ? '' : '.html'}`
      const id = anchor === '' ? page : `${page}#${anchor}`
      index.add({ id, title: titles.at(-1), titles: titles.slice(0, -1), words, text })
    }
  return index
}

/** Answers a question with the best parts first. */
export function hitsOf(index: MiniSearch, question: string): readonly Hit[] {
  return index.search(question).map(({ id, title, titles }) => ({
    at: String(id).slice(1).replace('.html', ''),
    titles: [...titles, title],
  }))
}
