import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DefaultTheme, UserConfig } from 'vitepress'
import { inlineDrawings, withoutExpressions } from './markdown-rules.js'
import { slugOf } from './markdown-text.js'
import type { PageGroup } from './page-groups.js'

/** A group of the sidebar: titles and paths. */
export interface SidebarGroup extends Omit<PageGroup, 'sources'> {
  readonly pages: readonly { readonly title: string; readonly route: string; readonly source: string }[]
}

/** What the settings of VitePress are made of. */
export interface SiteFacts {
  readonly title: string
  readonly description: string
  /** Path at which the site is served, with slashes at both ends. */
  readonly base: string
  /** The folder of the pages, as VitePress reads them. */
  readonly folder: string
  readonly outDir: string
  readonly repository: string | undefined
  readonly groups: readonly SidebarGroup[]
  /** SVG by file name. Pages contain the drawings, so that they follow the theme. */
  readonly drawings: Readonly<Record<string, string>>
}

/** Returns the settings of VitePress for the site. */
export function siteConfig(facts: SiteFacts): UserConfig<DefaultTheme.Config> {
  const { title, description, base, folder, outDir, repository, groups, drawings } = facts
  const sources = new Map(
    groups.flatMap(({ pages }) => pages.map(({ route, source }) => [`${route}.md`, source])),
  )
  const sidebarOf = (part: SidebarGroup['part']) => groups.filter((group) => group.part === part).map(folded)
  return {
    title,
    description,
    base,
    outDir,
    lang: 'en',
    // One file for the titles and paths of all pages, instead of a copy in each page.
    metaChunk: true,
    head: [['link', { rel: 'icon', href: 'data:,' }]],
    // A part of the site with a search index of its own: VitePress makes one for each locale.
    locales: { root: { label: 'Guides' }, project: { label: 'Project', link: '/project/architecture' } },
    // Descriptions of a contract are text: HTML in them is shown, and Vue's expressions are not evaluated.
    markdown: {
      html: false,
      theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
      anchor: { slugify: slugOf },
      config(md) {
        inlineDrawings(md, drawings)
        withoutExpressions(md)
      },
    },
    vite: { plugins: [foldingGroups, searchIndexes(folder)] },
    transformPageData: (page) => {
      page.filePath = sources.get(page.relativePath) ?? page.relativePath
    },
    themeConfig: {
      // The theme adds the options of a question: functions of settings would be evaluated in the browser.
      search: { provider: 'local', options: { _render: () => '' } },
      outline: [2, 3],
      i18nRouting: false,
      nav: navigation(groups),
      sidebar: { '/project/': sidebarOf('project'), '/': sidebarOf(undefined) },
      docFooter: { prev: 'Before', next: 'Next' },
      ...(repository === undefined
        ? {}
        : {
            editLink: { pattern: `${repository}/edit/main/:path`, text: 'Edit this page' },
            socialLinks: [{ icon: 'git', link: repository, ariaLabel: 'Repository' }],
          }),
    },
  }
}

/** The folder of the search indexes below that of the pages. Their names are those of locales. */
export const indexFolder = '.vitepress/search'

/** Replaces the indexes of VitePress, whose fields and words cannot be chosen, by those in {@link indexFolder}. */
const searchIndexes = (folder: string) => ({
  name: 'search-indexes',
  enforce: 'pre' as const,
  async load(id: string): Promise<string | undefined> {
    const [, locale] = /^\/@localSearchIndex(.+)$/.exec(id) ?? []
    if (locale === undefined) return undefined
    return `export default ${JSON.stringify(await readFile(join(folder, indexFolder, `${locale}.json`), 'utf8'))}`
  },
})

/** The heading of a group is a button that folds it. VitePress puts a second button for the same into it. */
const foldingGroups = {
  name: 'folding-groups',
  enforce: 'pre' as const,
  transform(code: string, id: string): string | undefined {
    if (!id.endsWith('/VPSidebarItem.vue')) return undefined
    const nested =
      /role="button"\s+aria-label="toggle section"\s+(@click="onCaretClick"\s+)@keydown.enter="onCaretClick"\s+tabindex="0"/
    if (!nested.test(code)) throw new TypeError('VitePress has another VPSidebarItem.vue')
    return code.replace(nested, '$1')
  },
}

/** A group whose pages are shown when it is opened, or when one of them is. */
function folded({ title, hasIndex, pages }: SidebarGroup): DefaultTheme.SidebarItem {
  const items = (hasIndex ? pages.slice(0, 1) : pages)
    .filter(({ route }) => route !== 'index')
    .map(({ title: text, route }) => ({ text, link: `/${route}` }))
  return { text: title, items, collapsed: title !== 'Start' }
}

function navigation(groups: readonly SidebarGroup[]): DefaultTheme.NavItem[] {
  const pagesOf = (title: string) => groups.find((group) => group.title === title)?.pages ?? []
  const guides = groups.filter(({ title }) => title.startsWith('For '))
  return [
    {
      text: 'Tutorials',
      items: pagesOf('Tutorials').map(({ title: text, route }) => ({ text, link: `/${route}` })),
    },
    {
      text: 'Guides',
      items: guides.map(({ title: text, pages }) => ({ text, link: `/${pages[0]?.route}` })),
    },
    { text: 'Concepts', link: '/concepts' },
    { text: 'Reference', link: '/reference/', activeMatch: '^/reference/' },
    { text: 'Project', link: '/project/architecture', activeMatch: '^/project/' },
  ]
}
