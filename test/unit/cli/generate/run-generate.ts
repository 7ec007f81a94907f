import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { generateCommand } from '../../../../src/cli/generate/generate.js'
import { UsageError } from '../../../../src/cli/io.js'
import { fixturePath, inFolder } from '../../toolkit/codegen/fixtures.js'

/** What a run of the command gave. */
export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs `concordat generate` as the command line does: errors are one message and exit code 2. */
export async function runGenerate(...args: readonly string[]): Promise<Outcome> {
  const out: string[] = []
  const err: string[] = []
  const io = {
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
    env: {},
  }
  const code = await generateCommand(args, io).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error
    err.push(error.message)
    return 2
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

/** Runs the work in a new folder with the pet store's document. */
export async function inProject(work: (dir: string, document: string) => Promise<void>): Promise<void> {
  await inFolder(async (dir) => {
    const document = join(dir, 'openrpc.json')
    await cp(fixturePath('pet-store'), document)
    await work(dir, document)
  })
}
