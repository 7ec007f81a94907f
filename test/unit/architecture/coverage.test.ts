import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const { exclude } = JSON.parse(readFileSync(join(root, '.c8rc.json'), 'utf8')) as {
  exclude: readonly string[]
}

/** Beginnings of top-level lines in files that contain only types. Such files produce no code. */
const typeLine = /^(?:$|\s|\/[/*]|[}\])|]|(?:export )?(?:type|interface)\b|import type\b)/

const files = ['src', 'generated'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !/(?:^|\/)dist\//.test(file))
    .map((file) => `${folder}/${file}`),
)

const holdsTypesAlone = (file: string) =>
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .every((line) => typeLine.test(line))

t.test('coverage excludes the files that contain only types, and the validators', async (t) => {
  t.same(
    exclude.filter((pattern) => !pattern.includes('*')),
    // Code from ajv has a branch for each keyword of each schema; tests of values compare it with another validator.
    [...files.filter(holdsTypesAlone), 'generated/validators.js'].sort(),
  )
  t.same(
    exclude.filter((pattern) => pattern.includes('*')),
    // Browser code is tested in browsers, without coverage.
    ['**/*.d.ts', '**/dist/**', 'src/gateway/dashboard/assets/**'],
  )
})
