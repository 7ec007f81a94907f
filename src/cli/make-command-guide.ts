/**
 * Writes `docs/commands.md`, the list of all commands and their options.
 *
 *   npx tsx src/cli/make-command-guide.ts
 */
import { writeFile } from 'node:fs/promises'
import { commandGuide } from './command-guide.js'

await writeFile(new URL('../../docs/commands.md', import.meta.url), await commandGuide())
