import { fileURLToPath } from 'node:url'

const searchOptions = fileURLToPath(new URL('search-options.ts', import.meta.url))

/** Returns the program that VitePress loads as the theme of the site, in the browser. */
export function themeText(): string {
  return `import theme from 'vitepress/theme-without-fonts'
import { searchOptions } from ${JSON.stringify(searchOptions)}
import './style.css'

export default {
  extends: theme,
  enhanceApp({ siteData }) {
    siteData.value.themeConfig.search.options = { miniSearch: { searchOptions } }
  },
}
`
}
