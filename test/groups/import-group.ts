import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import fc from 'fast-check'
import t from 'tap'
import { loadInTest } from '../support/load-in-test.js'
import { missingTools } from '../support/missing-tools.js'
import '../support/plain-children.js'
import { groupFiles } from './group-files.js'

// The same values each time: FC_SEED=… asks others.
fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20261121) })

const unit = fileURLToPath(new URL('../unit/', import.meta.url))

/** Files that take longest, by name, the slowest first: they are dealt out before the others, so that groups end together. */
const longest: readonly string[] = [
  'web-socket',
  'reference-html',
  'generate-command',
  'plan-package',
  'safe-mode',
  'evidence',
  'emitters',
  'validators',
  'own-contract',
  'verify',
  'properties',
  'lease-source',
  'random-schemas',
].map((name) => `${name}.test.ts`)

/** Loads a test file, unless its tools are missing. The command that runs the group lists such files at its end. */
async function load(file: string): Promise<void> {
  const path = join(unit, file)
  const missing = await missingTools(path)
  if (missing.length === 0) await import(pathToFileURL(path).href)
  else t.comment(`${file} is not run, because it needs ${missing.join(', ')}`)
}

function slowness(file: string): number {
  const at = longest.indexOf(basename(file))
  return at < 0 ? longest.length : at
}

const groups = 3

/**
 * Runs a third of the quick unit tests in this process: starting one for each of them takes longer than they do. There
 * is one group more than processors on a small machine: a quarter of the time a group waits for programs it started.
 */
export async function importQuick(number: 1 | 2 | 3): Promise<void> {
  const files = groupFiles('quick')
  for (const [at, file] of files.toSorted((one, other) => slowness(one) - slowness(other)).entries()) {
    // 1, 2, 3, 3, 2, 1, and again: the slowest goes to each in turn.
    const round = at % (2 * groups)
    const group = round < groups ? round + 1 : 2 * groups - round
    if (group === number) await load(file)
  }
}

/**
 * Folders whose slow tests share a process, because they share services, databases and modules. The last has the rest.
 * tap starts files in the order of their names, so these groups, which take longest, start before `unit-1` to `unit-3`.
 */
const subjects: readonly RegExp[] = [/^(?:cli|judge)\//, /^service\//, /^/]

/** Runs the slow unit tests of a subject in this process. */
export async function importSlow(number: 1 | 2 | 3): Promise<void> {
  for (const file of groupFiles('slow'))
    if (subjects.findIndex((subject) => subject.test(file)) === number - 1)
      await loadInTest(file, () => load(file))
}
