import { readFile, writeFile } from 'node:fs/promises'
import { documentOf, isServiceUrl } from '../../toolkit/contract/index.js'
import { applyFixes, type Edit, type LintFinding } from '../../toolkit/lint/index.js'
import { contractFile } from '../contract-message.js'
import { UsageError } from '../io.js'

/**
 * Corrects the problems that have a certain correction, in the files of the contract.
 * @param source the document argument of the command
 * @param findings problems that are not turned off
 * @returns the corrected problems
 * @throws UsageError when the document is not a file, or a file cannot be written
 */
export async function fixFindings(
  source: string,
  findings: readonly LintFinding[],
): Promise<readonly LintFinding[]> {
  if (source === '-' || isServiceUrl(source)) throw new UsageError('--fix needs a file')
  const fixed = findings.filter(({ fix = [], file }) => fix.length > 0 && !file.includes('://'))
  const edits = new Map<string, Map<string, Edit>>()
  for (const edit of fixed.flatMap(({ fix = [] }) => fix)) {
    const file = 'file' in edit ? edit.file : documentOf('set' in edit ? edit.set : edit.remove)
    const own = edits.get(file) ?? new Map<string, Edit>()
    edits.set(file, own.set(JSON.stringify(edit), edit))
  }
  for (const [file, own] of edits) {
    const path = contractFile(source, file)
    const text = await readFile(path, 'utf8')
    await writeFile(path, applyFixes(text, [...own.values()])).catch((cause: NodeJS.ErrnoException) => {
      throw new UsageError(`${path}: cannot be written (${cause.code})`, { cause })
    })
  }
  return fixed
}
