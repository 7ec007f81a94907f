import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openGuide, type ShellBlock } from './guide.js'
import { compilerEnvironment } from './tsc.js'

const text = await readFile(fileURLToPath(new URL('../../docs/extend.md', import.meta.url)), 'utf8')
const guide = await openGuide('docs/extend.md')

/** A code block of a recipe that changes files. */
interface Change {
  readonly language: string
  readonly file: string
  /** Its place in a JSON file, such as `info/x-networks`. */
  readonly place: string
  readonly text: string
}

/** The steps of a recipe of docs/extend.md, as text. */
export function stepsOf(recipe: string): readonly string[] {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${recipe}\n`)) ?? ''
  return section.split(/^\d+\. /m).slice(1)
}

/** The names of all recipes. */
export const recipes = [...text.matchAll(/^## (.*)$/gm)].map(([, name = '']) => name)

/**
 * Applies recipes to a copy of this project: creates files, applies `diff` blocks, adds members to JSON and runs shell
 * lines. Several recipes together first change files; each shell line then runs once.
 * @throws TypeError when a step cannot be applied, or a shell line fails
 */
export async function followRecipes(names: readonly string[], folder: string): Promise<void> {
  const blocks = names.flatMap((recipe) => {
    const own = blocksOf(recipe)
    if (own.length === 0) throw new TypeError(`docs/extend.md has no recipe "${recipe}"`)
    return own
  })
  if (names.length === 1) {
    for (const block of blocks) {
      if ('run' in block) await runLines([block], folder)
      else await apply(block, folder)
    }
    return
  }
  for (const block of blocks) if (!('run' in block)) await apply(block, folder)
  await runLines(
    blocks.filter((block) => 'run' in block),
    folder,
  )
}

/** The blocks of a recipe, in order. */
function blocksOf(recipe: string): readonly (Change | ShellBlock)[] {
  const commands = [...guide.commands(recipe)]
  const found = stepsOf(recipe)
    .join('')
    .matchAll(/^ {3}```(\w+) ?(\S*) ?(\S*)\n(.*?)^ {3}```/gms)
  return [...found].map(([, language = '', file = '', place = '', indented = '']) => {
    const block = language === 'sh' ? commands.shift() : undefined
    return block ?? { language, file, place, text: indented.replaceAll(/^ {3}/gm, '') }
  })
}

async function apply({ language, file, place, text }: Change, folder: string): Promise<void> {
  const path = join(folder, file)
  if (language === 'json') return addJson(path, place, JSON.parse(text))
  // Files that a recipe writes must not exist yet.
  if (language !== 'diff') {
    await mkdir(dirname(path), { recursive: true })
    return writeFile(path, text, { flag: 'wx' })
  }
  const lines = text.trimEnd().split('\n')
  const side = (without: string) =>
    lines.filter((line) => !line.startsWith(without)).map((line) => `${line.slice(1)}\n`)
  const [before, after] = [side('+').join(''), side('-').join('')]
  const parts = (await readFile(path, 'utf8')).split(before)
  if (parts.length !== 2) throw new TypeError(`${file} has ${parts.length - 1} matches for:\n${text}`)
  await writeFile(path, parts.join(after))
}

/** Adds members to an object, or an item to a list. */
async function addJson(path: string, place: string, added: unknown): Promise<void> {
  const document = JSON.parse(await readFile(path, 'utf8'))
  let target = document
  for (const member of place.split('/')) target = target[member]
  if (Array.isArray(target)) target.push(added)
  else Object.assign(target, added)
  await writeFile(path, `${JSON.stringify(document, null, 2)}\n`)
}

/** `npx concordat` without the start of npm, and `npm run build` for changed files only. */
const functions = `npx() { if [ "$1" = concordat ]; then shift; node bin/concordat.js "$@"; else command npx "$@"; fi; }
npm() {
  if [ "$*" != 'run build' ]; then command npm "$@"; return; fi
  node_modules/.bin/tsc -b tsconfig.build.json --singleThreaded && node bin/copy-assets.js
  # The command line reads this file to check that dist/ is current.
  touch dist/src/cli/main.js
}`

async function runLines(blocks: readonly ShellBlock[], folder: string): Promise<void> {
  const { code, output } = await guide.runLines(blocks, { cwd: folder, functions, env: compilerEnvironment })
  if (code !== 0) throw new TypeError(output)
}
