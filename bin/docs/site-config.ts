import type { DefaultTheme, UserConfig } from 'vitepress'
import { slugOf } from './markdown-text.js'

/** A group of the sidebar: titles and paths. */
export interface SidebarGroup {
  readonly title: string
  readonly pages: readonly { readonly title: string; readonly route: string; readonly source: string }[]
}

/** What the settings of VitePress are made of. */
export interface SiteFacts {
  readonly title: string
  readonly description: string
  /** Path at which the site is served, with slashes at both ends. */
  readonly base: string
  readonly outDir: string
  readonly repository: string | undefined
  readonly groups: readonly SidebarGroup[]
}

/** Returns the settings of VitePress for the site. */
export function siteConfig(facts: SiteFacts): UserConfig<DefaultTheme.Config> {
  const { title, description, base, outDir, repository, groups } = facts
  const sources = new Map(groups.flatMap(({ pages }) => pages.map(({ route, source }) => [route, source])))
  return {
    title,
    description,
    base,
    outDir,
    lang: 'en',
    head: [['link', { rel: 'icon', href: 'data:,' }]],
    // Descriptions of a contract are text: HTML in them is shown, and Vue's expressions are not evaluated.
    markdown: {
      html: false,
      theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
      anchor: { slugify: slugOf },
      config: (md) => withoutExpressions(md),
    },
    transformPageData: (page) => {
      page.filePath = sources.get(page.relativePath.replace(/\.md$/, '')) ?? page.filePath
    },
    themeConfig: {
      search: { provider: 'local' },
      outline: [2, 3],
      sidebar: groups.map(({ title: text, pages }) => ({
        text,
        items: pages.map(({ title: name, route }) => ({ text: name, link: `/${route}` })),
      })),
      ...(repository === undefined
        ? {}
        : {
            editLink: { pattern: `${repository}/edit/main/:path`, text: 'Edit this page' },
            socialLinks: [{ icon: 'git', link: repository, ariaLabel: 'Repository' }],
          }),
    },
  }
}

type Markdown = Parameters<NonNullable<NonNullable<UserConfig['markdown']>['config']>>[0]

/** Writes the braces of all text and code as entities, so that Vue finds no expression in it. */
function withoutExpressions({ renderer }: Markdown): void {
  const render = renderer.render.bind(renderer)
  renderer.render = (...given) => render(...given).replaceAll('{{', '&#123;&#123;')
}
