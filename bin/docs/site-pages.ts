import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { guideChapters } from './guide-chapters.js'
import { type GuidePage, guidePages } from './guide-pages.js'
import { mapLinks, titleOf, withoutComments } from './markdown-text.js'
import { type PageGroup, pageGroups } from './page-groups.js'
import { referencePages } from './reference-pages.js'

/** A page of the site. */
export interface SitePage {
  /** Path on the site, without the ending, such as `reference/eth_call` or `deploy/index`. */
  readonly route: string
  readonly title: string
  /** Former paths of the page, without the ending. They lead to it. */
  readonly formerRoutes: readonly string[]
  /** The file of the repository that is edited to change the page. */
  readonly source: string
  readonly markdown: string
}

/** A group of the sidebar with its pages. */
export interface SiteGroup extends Omit<PageGroup, 'sources'> {
  readonly pages: readonly SitePage[]
}

/** All content of the site. */
export interface SiteContent {
  readonly groups: readonly SiteGroup[]
  /** Pictures: paths on the site, and files of the repository. */
  readonly pictures: ReadonlyMap<string, string>
  /** Anchors that were on a page, by its path, and the paths of the pages that have them now. */
  readonly formerAnchors: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** What a site is made for. */
export interface SiteOptions {
  /** URL of the repository's files on the web, for edit links and links to code; undefined for neither. */
  readonly repository?: string | undefined
  /** Origin of a running service, for the links "Try it"; undefined for none. */
  readonly service?: string | undefined
}

const referenceSource = 'generated/REFERENCE.md'

/** Reads all pages and makes their links those of the site. Links to other files lead to the repository. */
export async function siteContent(root: string, { repository, service }: SiteOptions): Promise<SiteContent> {
  const read = async (source: string) => withoutComments(await readFile(join(root, source), 'utf8'))
  const written = await Promise.all(
    pageGroups.map(async ({ sources, ...group }) => ({
      ...group,
      pages: (
        await Promise.all(
          (
            await expanded(root, sources)
          ).map(async (source) => {
            const route = routeOf(source, group.part)
            const pages = guidePages(route, await read(source), guideChapters[source])
            return pages.map((page) => ({
              ...page,
              source,
              formerRoutes: page.route === route ? formerRoutesOf(source, group.part) : [],
            }))
          }),
        )
      ).flat(),
    })),
  )
  const reference = referencePages(await read(referenceSource), (method) =>
    service === undefined ? undefined : `${service}/try?method=${encodeURIComponent(method)}`,
  )
  const all = written.flatMap(({ pages }) => pages)
  const pagesOf = new Map(all.map(({ source }) => [source, all.filter((page) => page.source === source)]))
  const anchors = new Map(
    reference.flatMap(({ route, anchors: { top, headings } }) => [
      ...headings.map((heading) => [heading, `${route}.md#${heading}`] as const),
      [top, `${route}.md`] as const,
    ]),
  )
  const pictures = new Map<string, string>()
  const targetOf = (source: string, target: string): string | undefined => {
    if (/^[a-z]+:/.test(target)) return target
    const [path = '', fragment] = target.split('#')
    const hash = fragment === undefined ? '' : `#${fragment}`
    const file = path === '' ? source : posix.normalize(posix.join(posix.dirname(source), path))
    if (file === referenceSource) return fragment === undefined ? 'reference/index.md' : anchors.get(fragment)
    const homes = pagesOf.get(file) ?? pagesOf.get(posix.join(file, 'README.md'))
    const home = homes?.find(({ anchors: own }) => own.has(fragment ?? '')) ?? homes?.[0]
    if (home !== undefined) return `${home.route}.md${hash}`
    if (!existsSync(join(root, file))) throw new Error(`${source} links to ${target}, which does not exist`)
    if (/\.(?:webp|svg|png)$/.test(file)) {
      pictures.set(posix.basename(file), file)
      return posix.basename(file)
    }
    return repository === undefined ? undefined : `${repository}/blob/main/${file}${hash}`
  }
  const finished = (
    { route, source, formerRoutes, markdown }: Omit<SitePage, 'title'>,
    resolve: (target: string) => string | undefined,
  ) => ({
    route,
    source,
    formerRoutes,
    title: route === 'overview' ? 'Overview' : titleOf(markdown),
    markdown: mapLinks(markdown, (target) => relativeTo(route, resolve(target))),
  })
  const ofReference = () =>
    reference.map(({ route, markdown, repeated }) =>
      finished({ route, markdown, source: 'openrpc.json', formerRoutes: [] }, (target) =>
        repeated.has(target.slice(1)) ? target : targetOf(referenceSource, target),
      ),
    )
  const groups = written.map(({ pages, ...group }) => ({
    ...group,
    pages: pages.flatMap((page) =>
      page.source === referenceSource
        ? ofReference()
        : [finished(page, (target) => targetOf(page.source, target))],
    ),
  }))
  return { groups, pictures, formerAnchors: formerAnchorsOf(pagesOf) }
}

/** The anchors of guides that are on other pages now. Those of README.md were on the first page of the site. */
function formerAnchorsOf(pagesOf: ReadonlyMap<string, readonly GuidePage[]>): SiteContent['formerAnchors'] {
  const moved = [...pagesOf].flatMap(([source, [first, ...others]]) => {
    const from = source === 'README.md' ? 'index' : (first?.route ?? '')
    const pages = source === 'README.md' && first !== undefined ? [first] : others
    const homes = pages.flatMap(({ route, anchors }) =>
      [...anchors].map((anchor) => [anchor, route] as const),
    )
    return homes.length === 0 ? [] : [[from, Object.fromEntries(homes)] as const]
  })
  return Object.fromEntries(moved)
}

async function expanded(root: string, sources: PageGroup['sources']): Promise<readonly string[]> {
  const lists = sources.map(async (source) => {
    if (!source.endsWith('/*')) return [source]
    const folder = source.slice(0, -2)
    const names = (await readdir(join(root, folder))).filter((name) => name.endsWith('.md'))
    return names.sort().map((name) => `${folder}/${name}`)
  })
  return [...new Set((await Promise.all(lists)).flat())]
}

/**
 * `docs/x.md` is at `x`, `deploy/README.md` at `deploy/index`, `SECURITY.md` at `security`, and `README.md` at
 * `overview`. Pages of the project are at `project/…`.
 */
function routeOf(source: string, part: PageGroup['part']): string {
  if (source === 'README.md') return 'overview'
  const path = source.replace(/^docs\//, '').replace(/\.md$/, '')
  const route = path.replace(/^[A-Z]+$/, (name) => name.toLowerCase()).replace(/(^|\/)readme$/i, '$1index')
  return part === undefined ? route : `${part}/${route}`
}

/** Pages of the project were beside the guides before they had a part of their own. */
function formerRoutesOf(source: string, part: PageGroup['part']): readonly string[] {
  return part === undefined ? [] : [routeOf(source, undefined)]
}

/** Makes a path on the site relative to a page. Fragments and URLs stay as they are. */
function relativeTo(route: string, target: string | undefined): string | undefined {
  if (target === undefined || target.startsWith('#') || /^[a-z]+:/.test(target)) return target
  const path = posix.relative(posix.dirname(route), target)
  return path.startsWith('.') ? path : `./${path}`
}
