import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

interface Typescript {
  /** Path of the compiler's program for this platform. */
  readonly default: () => string
}

const starter = new URL('../../node_modules/typescript/lib/getExePath.js', import.meta.url)
/** The path of the compiler for this platform. */
export const compiler = ((await import(starter.href)) as Typescript).default()

/** The compiler is a Go program. Collecting its memory less often saves a quarter of its processor time. */
export const compilerEnvironment = { GOGC: '300' } as const

/**
 * Runs the TypeScript compiler and returns its output; `''` when there are no errors. The program runs directly,
 * because a test runner's loaders block its Node.js launcher.
 */
export async function tsc(args: readonly string[]): Promise<string> {
  // One thread: several threads repeat work, and other tests use the other processors.
  const all = [...args, '--singleThreaded']
  const options = { maxBuffer: 50_000_000, env: { ...process.env, ...compilerEnvironment } }
  const { stdout, stderr } = await promisify(execFile)(compiler, all, options).catch(
    (error: { readonly stdout: string; readonly stderr: string; readonly code?: number | string }) => {
      if (typeof error.code !== 'number') throw error
      return error
    },
  )
  return `${stdout}${stderr}`
}
