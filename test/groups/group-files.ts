import { testFiles } from '../support/missing-tools.js'

/**
 * Files that need their own process. V8 has one stack for regular expressions, and a pattern's share of it depends on
 * the code that the process has compiled before.
 */
export const aloneFiles: readonly string[] = ['openrpc-json/scalars.test.ts']

/** The room whose unit tests run, such as `judge`; all by default. `npm run test:room` sets it. */
const room = process.env['TEST_ROOM']

/**
 * Returns the unit tests that share a process, relative to `test/unit` and sorted.
 * @param kind quick tests of `npm test`, or slow tests of `npm run test:system`
 */
export function groupFiles(kind: 'quick' | 'slow'): readonly string[] {
  const ending = kind === 'quick' ? /(?<!\.(?:slow|process))\.test\.ts$/ : /\.slow\.test\.ts$/
  const isOfRoom = (file: string) => room === undefined || file.startsWith(`${room}/`)
  return testFiles('unit', ending).filter((file) => !aloneFiles.includes(file) && isOfRoom(file))
}
