import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ToolName, tools } from './tools.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Returns the path of a file relative to the root, with slashes. */
const rooted = (file: string): string => relative(root, file).replaceAll(sep, '/')

/** Returns the relative imports of a file, except type-only ones. */
function importsOf(file: string, text: string): readonly string[] {
  const found = text.matchAll(
    /^(?:import|export)\s(?!type\s)(?:[^'"]*?from\s+)?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm,
  )
  return [...found].flatMap(([, fixed, late]) => {
    const target = join(dirname(file), fixed ?? late ?? '').replace(/\.js$/, '.ts')
    return existsSync(target) ? [target] : []
  })
}

const read = new Map<string, { readonly imports: readonly string[]; readonly tools: readonly ToolName[] }>()

/** Returns the imports of a file, and the tools that it looks up with `findTool('…')`. */
function factsOf(file: string) {
  const known = read.get(file)
  if (known !== undefined) return known
  const text = readFileSync(file, 'utf8')
  const names = [...text.matchAll(/\bfindTool\('([\w .]+)'\)/g)].map(([, name = '']) => {
    if (name in tools) return name as ToolName
    throw new TypeError(`${rooted(file)}: the tool ${name} is not in test/support/tools.ts`)
  })
  const facts = { imports: importsOf(file, text), tools: names }
  read.set(file, facts)
  return facts
}

/**
 * Returns the files that a test file loads, including itself. Skips `src/`, whose code uses no tools.
 * @param file absolute path
 */
export function filesBelow(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file) || rooted(file).startsWith('src/')) return seen
  seen.add(file)
  for (const target of factsOf(file).imports) filesBelow(target, seen)
  return seen
}

/**
 * Returns the tools that a test file, or a file that it imports, looks up with `findTool('…')`.
 * @param file absolute path
 */
export function toolsOf(file: string): readonly ToolName[] {
  return [...new Set([...filesBelow(file)].flatMap((each) => factsOf(each).tools))].sort()
}

const found = new Map<ToolName, Promise<boolean>>()

function isThere(tool: ToolName): Promise<boolean> {
  const known = found.get(tool) ?? tools[tool].find().then((path) => path !== undefined)
  found.set(tool, known)
  return known
}

/**
 * Returns the tools of a test file that this machine lacks. Test files with missing tools are skipped.
 * @param file absolute path
 */
export async function missingTools(file: string): Promise<readonly ToolName[]> {
  const missing: ToolName[] = []
  for (const tool of toolsOf(file)) if (!(await isThere(tool))) missing.push(tool)
  return missing
}

/**
 * Returns the files below a folder whose paths match a pattern, relative to the folder and sorted.
 * @param folder path of the folder in `test/`
 */
export function testFiles(folder: string, ending: RegExp): readonly string[] {
  return readdirSync(join(root, 'test', folder), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => ending.test(file))
    .sort()
}
