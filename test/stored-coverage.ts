import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('..', import.meta.url))
/** Folder of V8's coverage of the quick unit tests, and of the digest of the tested files. tap uses `.tap/coverage`. */
const storedFolder = '.tap/quick-coverage'
const digestName = 'digest'

/** Names of generated files and folders, and of those that tests write. */
const made = /^(?:node_modules|dist|coverage|site|\.git|\.tap|\.concordat)$|\.tsbuildinfo$/

/** Returns the digest of everything that unit tests depend on: the project's files, Node.js, and the options. */
function projectDigest(root: string): string {
  const hash = createHash('sha256')
  hash.update([process.version, process.env['TEST_LENGTH'], process.env['FC_SEED']].join())
  const add = (folder: string) => {
    const entries = readdirSync(join(root, folder), { withFileTypes: true })
    for (const entry of entries
      .filter(({ name }) => !made.test(name))
      .sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) add(path)
      else if (entry.isFile()) hash.update(`\0${path}\0`).update(readFileSync(join(root, path)))
    }
  }
  add('.')
  return hash.digest('hex')
}

/** Empties a folder for V8's coverage, and returns its path. */
function emptied(folder: string): string {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return folder
}

/**
 * Runs the quick unit tests and keeps their coverage for {@link takeQuickCoverage}, so that `npm run test:system` need
 * not repeat them.
 * @param run runs the tests with these environment variables, and returns true if they pass
 */
export function withQuickCoverage(
  run: (env: Readonly<Record<string, string>>) => boolean,
  root = project,
): boolean {
  const digest = projectDigest(root)
  const stored = emptied(join(root, storedFolder))
  const hasPassed = run({ NODE_V8_COVERAGE: stored })
  if (hasPassed) writeFileSync(join(stored, digestName), digest)
  return hasPassed
}

/**
 * Prepares the coverage folder of `.c8rc.json` for the unit tests of `npm run test:system`.
 * @returns true if the folder contains the coverage of the quick unit tests, which passed with the same files
 */
export function takeQuickCoverage(root = project): boolean {
  const folder = emptied(join(root, '.tap/unit-coverage'))
  const stored = join(root, storedFolder)
  const hasQuick = digestIn(stored) === projectDigest(root)
  const isCoverage = (path: string) => basename(path) !== digestName
  if (hasQuick) cpSync(stored, folder, { recursive: true, filter: isCoverage })
  return hasQuick
}

/** Returns the stored digest; undefined if the last run failed, or before the first run. */
function digestIn(stored: string): string | undefined {
  const file = join(stored, digestName)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}
