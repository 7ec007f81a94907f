import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { filesBelow, testFiles } from '../../support/missing-tools.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The names in the braces of an import or export; names that are types alone are marked. */
function namesIn(braces: string, isType: boolean): { readonly name: string; readonly isType: boolean }[] {
  return [...braces.matchAll(/(type )?(\w+)(?: as \w+)?(?:,|\s*$)/g)].map(([, type, name = '']) => ({
    name,
    isType: isType || type !== undefined,
  }))
}

/** The source file that a specifier of a file names, relative to the root. */
function targetOf(file: string, specifier: string): string {
  const source = relative(root, resolve(root, dirname(file), specifier)).replace(/\.js$/, '.ts')
  return existsSync(join(root, source)) ? source : `${source}x`
}

/** Imports, or exports from another file. */
function statements(file: string, keyword: 'import' | 'export') {
  const text = readFileSync(join(root, file), 'utf8')
  const found = text.matchAll(new RegExp(`^${keyword} (type )?\\{([^}]*)\\} from '(\\.[^']+)'`, 'gm'))
  return [...found].map(([, type, braces = '', specifier = '']) => ({
    target: targetOf(file, specifier),
    names: namesIn(braces, type !== undefined),
  }))
}

/** The ports around a file: the `index.ts` of its folders in `src`. */
const portsAround = (file: string) =>
  file
    .split('/')
    .slice(0, -1)
    .map((_, at, folders) => [...folders.slice(0, at + 1), 'index.ts'].join('/'))
    .filter((port) => port !== file && port !== 'src/index.ts' && existsSync(join(root, port)))

const exported = new Map<string, ReturnType<typeof statements>>()
function exportsOf(port: string) {
  const known = exported.get(port) ?? statements(port, 'export')
  exported.set(port, known)
  return known
}

t.test('tests import from a port what it exports, as the users of the part do', async (t) => {
  const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.ts$/.test(file) && !file.startsWith('clients/'))
    .map((file) => `test/${file}`)
  t.ok(tests.length > 100, 'the tests were found')
  const passedBy = tests.flatMap((file) =>
    statements(file, 'import').flatMap(({ target, names }) =>
      portsAround(target).flatMap((port) => {
        const offered = exportsOf(port).flatMap((other) => (other.target === target ? other.names : []))
        const isOffered = ({ name, isType }: (typeof names)[number]) =>
          offered.some((other) => other.name === name && (isType || !other.isType))
        return names.filter(isOffered).map(({ name }) => `${file}: ${name} of ${port}`)
      }),
    ),
  )
  t.same(passedBy, [])
})

t.test('test files that start processes also load what ends these with them', async (t) => {
  const starts = /^import \{(?! type ChildProcess \}).*\} from 'node:child_process'$/m
  const files = testFiles('service', /\.test\.ts$/).map((file) => join(root, 'test/service', file))
  const starting = files.filter((file) =>
    [...filesBelow(file)].some((each) => starts.test(readFileSync(each, 'utf8'))),
  )
  t.ok(starting.length > 50, 'the files were found')
  const guard = join(root, 'test/support/child-guard.ts')
  t.same(
    starting.filter((file) => !filesBelow(file).has(guard)),
    [],
  )
})
