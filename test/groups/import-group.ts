import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import fc from 'fast-check'
import t from 'tap'
import { loadInTest } from '../support/load-in-test.js'
import { missingTools } from '../support/missing-tools.js'
import '../support/plain-children.js'
import { groupFiles } from './group-files.js'

// Each run generates the same values. FC_SEED sets another seed.
fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20261121) })

const unit = fileURLToPath(new URL('../unit/', import.meta.url))

/** Loads a test file, unless its tools are missing. `test/run.ts` lists the skipped files. */
async function load(file: string): Promise<void> {
  const path = join(unit, file)
  const missing = await missingTools(path)
  if (missing.length === 0) await import(pathToFileURL(path).href)
  else t.comment(`${file} is not run, because it needs ${missing.join(', ')}`)
}

/** Patterns of the folders of each group. The last group has the remaining folders. */
type Subjects = readonly [RegExp, RegExp, RegExp]

/** Returns the files of a kind that belong to a group. */
function filesOf(kind: 'quick' | 'slow', subjects: Subjects, number: 1 | 2 | 3): readonly string[] {
  return groupFiles(kind).filter((file) => subjects.findIndex((subject) => subject.test(file)) === number - 1)
}

/**
 * Each subject takes a third of the time. Its files share modules, the contract, its generated code and compiled
 * schemas. Loading these takes longer than most tests.
 */
const quickSubjects: Subjects = [
  /^(?:architecture|cli|docs|project|toolkit\/(?:codegen|contract|lint|mock))\//,
  /^(?:judge|openrpc-json|toolkit\/cases)\//,
  /^/,
]

/**
 * Runs a third of the quick unit tests in this process, because starting a process for each file takes longer than its
 * tests. There is one more group than a small machine has processors: for a quarter of its time, a group waits for
 * programs that it started.
 */
export async function importQuick(number: 1 | 2 | 3): Promise<void> {
  for (const file of filesOf('quick', quickSubjects, number)) await load(file)
}

/**
 * The slow tests of a subject share services, databases and modules. tap starts files in the order of their names, so
 * these groups, which take longest, start before `unit-1` to `unit-3`.
 */
const slowSubjects: Subjects = [/^(?:cli|judge)\//, /^service\//, /^/]

/** Runs the slow unit tests of a subject in this process. */
export async function importSlow(number: 1 | 2 | 3): Promise<void> {
  for (const file of filesOf('slow', slowSubjects, number)) await loadInTest(file, () => load(file))
}
