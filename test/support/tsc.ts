import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

interface Typescript {
  /** The path of the compiler's program for this platform. */
  readonly default: () => string
}

const starter = new URL('../../node_modules/typescript/lib/getExePath.js', import.meta.url)
const compiler = ((await import(starter.href)) as Typescript).default()

/**
 * Runs the TypeScript compiler and gives what it said on both outputs, `''` where it is content. The program itself
 * is run: what starts it is a script of Node's, which the loaders of a test runner keep from starting.
 */
export async function tsc(args: readonly string[]): Promise<string> {
  // Several threads find out much of it several times; there are other tests for the other processors.
  const all = ['--singleThreaded', ...args]
  const { stdout, stderr } = await promisify(execFile)(compiler, all, { maxBuffer: 50_000_000 }).catch(
    (error: { readonly stdout: string; readonly stderr: string; readonly code?: number | string }) => {
      if (typeof error.code !== 'number') throw error
      return error
    },
  )
  return `${stdout}${stderr}`
}
