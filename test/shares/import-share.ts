import { readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import fc from 'fast-check'
import '../support/plain-children.js'
import { keepCompiledMetaSchema } from './compiled-meta-schema.js'

const unit = fileURLToPath(new URL('../unit/', import.meta.url))

/**
 * Files that need a process of their own. V8 has one stack for regular expressions, and a pattern's share of it depends
 * on what the process compiled before.
 */
const alone: ReadonlySet<string> = new Set(['openrpc-json/scalars.test.ts'])

/**
 * Files that take seconds, the slowest first. They are distributed first, so that all shares end at about the same
 * time.
 */
const slow: readonly string[] = [
  'codegen/conformance-soundness.test.ts',
  'contract/formats.test.ts',
  'gateway/usage/usage.test.ts',
  'codegen/member-order.test.ts',
  'server/service-settings.test.ts',
  'cli/lint.test.ts',
  'codegen/random-documents.test.ts',
  'cli/conform-secrets.test.ts',
  'cli/conform-options.test.ts',
  'conformance/run/evidence.test.ts',
  'cli/conform.test.ts',
  'codegen/emit-client.test.ts',
  'client/time-and-abort.test.ts',
  'cli/conform-suite.test.ts',
  'cli/diff.test.ts',
]

const shares = 3

/**
 * Runs a share of the unit tests in this process, because a process for each file takes longer than most files. There
 * is one share more than processors on a small machine: shares wait for child processes a quarter of the time.
 */
export async function importShare(number: 1 | 2 | 3): Promise<void> {
  // The seed is fixed; FC_SEED=… sets another one.
  fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20261121) })
  keepCompiledMetaSchema()
  const others = readdirSync(unit, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => file.endsWith('.test.ts') && !alone.has(file) && !slow.includes(file))
    .sort()
  for (const [at, file] of [...slow, ...others].entries()) {
    // Snake order: 1, 2, 3, 3, 2, 1, and so on.
    const round = at % (2 * shares)
    const share = round < shares ? round + 1 : 2 * shares - round
    if (share === number) await import(pathToFileURL(join(unit, file)).href)
  }
}
