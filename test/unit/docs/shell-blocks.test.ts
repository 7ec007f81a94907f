import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { codeBlocks, notRun } from '../../support/markdown-blocks.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Files of a folder, without what is installed and built. */
function filesBelow(folder: string, ending: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory())
      return ['node_modules', 'dist'].includes(entry.name) ? [] : filesBelow(path, ending)
    return entry.name.endsWith(ending) ? [path] : []
  })
}

const folders = ['.github', 'conformance', 'deploy', 'docs', 'examples', 'generated', 'lab', 'src', 'test']
const guides = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => filesBelow(folder, '.md')),
]
const blocks = guides.flatMap((path) =>
  codeBlocks(readFileSync(join(root, path), 'utf8')).map((block) => ({
    ...block,
    path,
    text: block.text.trim(),
  })),
)

/** Guides that tests open, with the opened sections; no sections means all. A test file runs what it opens. */
const opened = filesBelow('test', '.ts').flatMap((path) =>
  [
    ...readFileSync(join(root, path), 'utf8').matchAll(
      /openGuide\(\s*'([^']+)'(?:,\s*\[([^\]]*)\])?,?\s*\)/g,
    ),
  ].map(([, guide = '', list]) => ({
    guide,
    sections: list === undefined ? undefined : [...list.matchAll(/'([^']+)'/g)].map(([, one = '']) => one),
  })),
)
const isOpened = ({ path, section }: (typeof blocks)[number]) =>
  opened.some(({ guide, sections }) => guide === path && (sections?.includes(section) ?? true))

t.test('every block of code names its language: sh for commands, text for output', async (t) => {
  const wrong = blocks.filter(({ language }) => ['', 'bash', 'console', 'shell', 'zsh'].includes(language))
  t.same(
    wrong.map(({ path, line }) => `${path}:${line}`),
    [],
  )
})

t.test('every block of shell commands is run by a test, or is in a block that is', async (t) => {
  const commands = blocks.filter(({ language }) => language === 'sh')
  t.ok(commands.length > 40)
  const run = commands.filter((block) => isOpened(block) && !(`${block.path}: ${block.text}` in notRun))
  const missed = commands.filter(
    ({ path, text }) => !(`${path}: ${text}` in notRun) && !run.some((block) => block.text.includes(text)),
  )
  t.same(
    missed.map(({ path, line, text }) => `${path}:${line} ${text}`),
    [],
  )
  for (const entry of Object.keys(notRun))
    t.ok(
      commands.some(({ path, text }) => `${path}: ${text}` === entry),
      `${entry} is in the guide`,
    )
})
