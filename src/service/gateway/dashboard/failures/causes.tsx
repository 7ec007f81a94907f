import type { FailureCause } from '../../administration/index.js'
import { errorMessage } from '../../administration/index.js'
import { minuteText, numberText } from '../parts/format.js'
import { Hex } from '../parts/hex.js'
import { StackedTable } from '../parts/stacked-table.js'
import { failuresPath } from './failure-links.js'
import { methodTitle } from './method-title.js'

interface CausesProps {
  readonly keyId: string
  readonly causes: readonly FailureCause[]
  readonly referencePath: string
}

const caption = 'Failed calls by cause, the most frequent first'

/** The failed calls by cause, with a page that helps. */
export function Causes({ keyId, causes, referencePath }: CausesProps) {
  if (causes.length === 0) return null
  return (
    <section aria-labelledby="causes">
      <h3 id="causes">By cause</h3>
      <StackedTable
        name="causes"
        caption={caption}
        columns={['Cause', 'Method', 'What helps', 'Logged', 'Last']}
        words={3}
        rows={causes.map((cause) => {
          const { code, method } = cause
          const [words, ofMethod, ...counts] = cellsOf(cause)
          const { title, path } = helpOf(cause, keyId, referencePath)
          return [
            <a href={failuresPath(keyId, { code, ...(method !== null && { method }) })} key="cause">
              {words}
            </a>,
            ofMethod,
            <a href={path} key="help">
              {title}
            </a>,
            ...counts,
          ]
        })}
      />
    </section>
  )
}

/** The failed calls by cause, for operators, who see neither the calls nor the settings of the key. */
export function CausesWithoutCalls({ causes }: Pick<CausesProps, 'causes'>) {
  return (
    <StackedTable
      caption={caption}
      columns={['Cause', 'Method', 'Logged', 'Last']}
      words={2}
      rows={causes.map(cellsOf)}
    />
  )
}

/** The message after the name of its error, which some messages begin with. */
const described = (error: string, message: string): string =>
  message.startsWith(error) ? message : `${error}: ${message}`

/** Cause, method, number and time of the last one. */
const cellsOf = ({ code, method, message, logged, lastAt }: FailureCause) => [
  <span key="cause">
    <Hex text={described(errorMessage(code) || String(code), message)} />
  </span>,
  <span class="whole" key="method">
    {method === null ? 'several' : methodTitle(method, [code])}
  </span>,
  numberText(logged),
  minuteText(lastAt),
]

const limitFailures = ['quotaSpent', 'quotaSpentInBatch']
const listFailures: Readonly<Record<string, string>> = {
  contractRefused: 'contracts',
  methodNotFound: 'methods',
}

/** The page that helps with a cause. */
function helpOf({ failure, method }: FailureCause, keyId: string, referencePath: string) {
  const name = failure ?? ''
  if (limitFailures.includes(name)) return { title: 'Your usage and limit', path: '/usage' }
  // A method of the contract was refused by the key's own list.
  if (name === 'contractRefused' || (name === 'methodNotFound' && method))
    return { title: 'The lists of this key', path: `/keys/${keyId}/settings#allow-${listFailures[name]}` }
  if (name === 'methodNotFound') return { title: 'All methods', path: referencePath }
  if (method) return { title: `Reference of ${method}`, path: `${referencePath}#method-${method}` }
  return { title: 'Failures in the reference', path: `${referencePath}#failures` }
}
