/** `npm run docs`: builds the documentation site from the repository's Markdown with VitePress. */
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, posix, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'vitepress'
import { llmsText } from './docs/llms-text.js'
import { movedPage } from './docs/moved-page.js'
import { repositoryUrl } from './docs/repository-url.js'
import { hitsOf, searchIndex } from './docs/search-index.js'
import { indexFolder, type SiteFacts } from './docs/site-config.js'
import { siteContent } from './docs/site-pages.js'
import { siteStyle, typefaceFile } from './docs/site-style.js'
import { themeText } from './docs/site-theme.js'

const root = fileURLToPath(new URL('..', import.meta.url))

const help = `Usage: npm run docs -- [--out FOLDER] [--base PATH] [--service ORIGIN]

Builds the documentation as static files: the guides, the reference with a page for each method, search, and llms.txt.
Pages have edit links, and links to code, when package.json has a "repository".

  --out FOLDER      where the files go; default site
  --base PATH       path at which the site is served; default /
  --ask QUESTION    print the first three hits of the search for a question, and build nothing; repeatable
  --service ORIGIN  origin of a running service, for the links "Try it" of methods, such as https://rpc.example.com

Exit codes: 0 success, 1 problems found`

/** The landing page has the whole width, and links to the tutorials. */
const landingMatter = `---
pageClass: landing
sidebar: false
aside: false
prev: false
next: false
editLink: false
titleTemplate: false
---

`

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'site' },
    base: { type: 'string', default: '/' },
    service: { type: 'string' },
    ask: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', short: 'h' },
  },
})

if (values.help === true) process.stdout.write(`${help}\n`)
else if (values.ask.length > 0) await answer(values.ask)
else await buildSite()

async function answer(questions: readonly string[]): Promise<void> {
  const index = searchIndex((await siteContent(root, {})).groups)
  for (const question of questions) {
    const hits = hitsOf(index, question).slice(0, 3)
    process.stdout.write(
      `${question}\n${hits.map(({ at, titles }) => `  ${at}  ${titles.join(' > ')}\n`).join('')}`,
    )
  }
}

async function buildSite(): Promise<void> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const repository = repositoryUrl(manifest.repository)
  const { groups, pictures, formerAnchors } = await siteContent(root, { repository, service: values.service })
  const outDir = resolve(values.out)
  // VitePress reads a folder: pages, their pictures in `public`, and settings.
  const folder = join(root, 'node_modules/.cache/docs')
  await rm(folder, { recursive: true, force: true })
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  const pages = groups.flatMap((group) => group.pages)
  for (const { route, markdown } of pages)
    await write(`${route}.md`, route === 'index' ? `${landingMatter}${markdown}` : markdown)
  const drawings: Record<string, string> = {}
  for (const [path, file] of pictures) {
    if (path.endsWith('.svg')) drawings[path] = await readFile(join(root, file), 'utf8')
    await copyFile(join(root, file), join(folder, path))
  }
  const facts: SiteFacts = {
    title: 'Concordat',
    description: manifest.description,
    base: values.base,
    folder,
    outDir,
    repository,
    groups,
    drawings,
  }
  const config = JSON.stringify(fileURLToPath(new URL('docs/site-config.ts', import.meta.url)))
  const shown = { ...facts, groups: groups.map(withoutMarkdown) }
  await write(
    '.vitepress/config.ts',
    `import { siteConfig } from ${config}\nexport default siteConfig(${JSON.stringify(shown)})\n`,
  )
  for (const part of [undefined, 'project'] as const)
    await write(
      `${indexFolder}/${part ?? 'root'}.json`,
      JSON.stringify(searchIndex(groups, part, values.base)),
    )
  const theme = '.vitepress/theme'
  await write(`${theme}/style.css`, await siteStyle())
  await copyFile(typefaceFile.path, join(folder, theme, typefaceFile.name))
  await write(`${theme}/index.ts`, themeText(values.base, formerAnchors))
  await build(folder)
  for (const { route, formerRoutes } of pages)
    for (const former of formerRoutes) {
      await mkdir(dirname(join(outDir, former)), { recursive: true })
      await writeFile(
        join(outDir, `${former}.html`),
        movedPage(posix.relative(posix.dirname(former), `${route}.html`)),
      )
    }
  // Programs that read Markdown find it beside each page.
  for (const { route, markdown } of pages) await writeFile(join(outDir, `${route}.md`), markdown)
  await writeFile(join(outDir, 'llms.txt'), llmsText(facts.title, facts.description, groups))
  process.stdout.write(`${pages.length} pages at ${pathToFileURL(join(outDir, 'index.html'))}\n`)
}

function withoutMarkdown({ pages, ...group }: Awaited<ReturnType<typeof siteContent>>['groups'][number]) {
  return { ...group, pages: pages.map(({ markdown: _, ...page }) => page) }
}
