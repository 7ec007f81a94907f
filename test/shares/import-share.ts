import { readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { keepCompiledMetaSchema } from './compiled-meta-schema.js'

const unit = fileURLToPath(new URL('../unit/', import.meta.url))

/** How many processes the unit tests are dealt out to: one for each of the two that run at a time. */
const shares = 2

/**
 * Files that need a process of their own: V8 keeps one stack for regular expressions, and how much of it a pattern
 * takes depends on what the process has compiled before.
 */
const alone: ReadonlySet<string> = new Set(['openrpc-json/scalars.test.ts'])

/**
 * Runs a share of the unit tests in this process: starting one for each of them takes longer than they do.
 * @param number from 1
 */
export async function importShare(number: number): Promise<void> {
  // The same values each time: FC_SEED=… asks others.
  fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20261121) })
  keepCompiledMetaSchema()
  const files = readdirSync(unit, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => file.endsWith('.test.ts') && !alone.has(file))
    .sort()
  for (const [at, file] of files.entries()) {
    if (at % shares === number - 1) await import(pathToFileURL(join(unit, file)).href)
  }
}
