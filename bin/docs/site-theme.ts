import { fileURLToPath } from 'node:url'
import type { SiteContent } from './site-pages.js'

const searchOptions = fileURLToPath(new URL('search-options.ts', import.meta.url))

/**
 * Returns the program that VitePress loads as the theme of the site, in the browser.
 * @param base path at which the site is served
 * @param formerAnchors anchors that were on a page, and the pages that have them now, by path
 */
export function themeText(base: string, formerAnchors: SiteContent['formerAnchors']): string {
  return `import theme from 'vitepress/theme-without-fonts'
import { indexOptions, searchOptions } from ${JSON.stringify(searchOptions)}
import './style.css'

const base = ${JSON.stringify(base)}
const formerAnchors = ${JSON.stringify(formerAnchors)}

function leadOn() {
  const page = location.pathname.slice(base.length).replace(/\\.html$/, '').replace(/(^|\\/)$/, '$1index')
  const anchor = decodeURIComponent(location.hash.slice(1))
  const home = formerAnchors[page]?.[anchor]
  if (home !== undefined && document.getElementById(anchor) === null) {
    location.replace(base + home.replace(/(^|\\/)index$/, '$1') + (/index$/.test(home) ? '' : '.html') + location.hash)
  }
}

export default {
  extends: theme,
  enhanceApp({ siteData }) {
    if (typeof window !== 'undefined') {
      leadOn()
      addEventListener('hashchange', leadOn)
    }
    siteData.value.themeConfig.search.options = { miniSearch: { options: indexOptions, searchOptions } }
  },
}
`
}
