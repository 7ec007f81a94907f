import type { Contract } from '../../toolkit/contract/index.js'
import type { CoveredParts } from '../report/index.js'
import type { Target } from '../send/target.js'
import { contractTerms } from '../terms/contract-terms.js'
import { formWords } from './call-form.js'
import { requestForms } from './request-forms.js'
import { statedSpellings } from './spellings.js'

const batchWords = 'in a batch'

/**
 * Counts the forms in which calls were sent and answered: over each path, compressed, with the second key, in a batch, and with
 * each spelling.
 * Without HTTP there are none.
 * @param sent forms of answered calls, in words
 */
export function formCoverage(
  contract: Contract,
  { transport, facts }: Pick<Target, 'transport' | 'facts'>,
  sent: ReadonlySet<string>,
): CoveredParts {
  const { paths } = contractTerms(contract)
  const hasPaths = facts.has('key')
  const words = requestForms(hasPaths ? paths : [])
    .flatMap((form) => formWords({ ...form, key: hasPaths ? form.key : undefined }).split(', '))
    .filter((word) => word !== '')
  const all = transport !== 'http' ? [] : [...new Set([...words, batchWords, ...statedSpellings(contract)])]
  const used = new Set(
    [...sent].flatMap((form) =>
      form.split(', ').map((part) => (part.includes(' of a batch of ') ? batchWords : part)),
    ),
  )
  const never = all.filter((word) => !used.has(word))
  return { seen: all.length - never.length, total: all.length, never }
}
