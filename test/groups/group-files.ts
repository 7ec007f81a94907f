import { testFiles } from '../support/missing-tools.js'

/**
 * Files that need a process of their own: V8 keeps one stack for regular expressions, and how much of it a pattern
 * takes depends on what the process has compiled before.
 */
export const aloneFiles: readonly string[] = ['openrpc-json/scalars.test.ts']

/** The room whose unit tests run, such as `judge`; all by default. `npm run test:room` sets it. */
const room = process.env['TEST_ROOM']

/**
 * Unit tests that run in one process with others, relative to `test/unit`, in the order of their names.
 * @param kind quick ones of `npm test`, or slow ones of `npm run test:system`
 */
export function groupFiles(kind: 'quick' | 'slow'): readonly string[] {
  const ending = kind === 'quick' ? /(?<!\.(?:slow|process))\.test\.ts$/ : /\.slow\.test\.ts$/
  const isOfRoom = (file: string) => room === undefined || file.startsWith(`${room}/`)
  return testFiles('unit', ending).filter((file) => !aloneFiles.includes(file) && isOfRoom(file))
}
