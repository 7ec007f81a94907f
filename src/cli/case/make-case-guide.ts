/**
 * Writes the list of functions and fixtures of scenarios.
 *
 *   npx tsx src/cli/case/make-case-guide.ts
 */
import { writeFile } from 'node:fs/promises'
import { caseGuide } from './case-guide.js'

await writeFile(new URL('../../../docs/cases.md', import.meta.url), await caseGuide())
