import { type Contract, readLaws, type StatedLaw } from '../../../toolkit/contract/index.js'
import type { Scenario } from '../../scenario/scenario.js'
import { calledBy } from './law-answers.js'
import { lawWords } from './law-words.js'

/** Group of the cases of laws. */
const lawGroup = 'laws'

/**
 * Returns a case for each law of a contract (`x-laws`), with the id `laws/METHOD/LAW`. Laws that generated calls check
 * have none, and a law with mistakes has one that reports them.
 */
export function lawScenarios(contract: Contract): readonly Scenario[] {
  const taken = new Map<string, number>()
  const laws = readLaws(contract).toSorted((one, other) => rankOf(one) - rankOf(other))
  return laws.flatMap((stated): readonly Scenario[] => {
    const { law, method, rule, problems } = stated
    if (law === undefined && problems.length === 0) return []
    const name = `${lawGroup}/${encodeURIComponent(method.name)}/${law?.kind ?? 'mistake'}`
    const number = (taken.get(name) ?? 0) + 1
    taken.set(name, number)
    return [
      {
        id: number === 1 ? name : `${name}-${number}`,
        group: lawGroup,
        scenario: law === undefined ? `A law of \`${method.name}\` has a mistake.` : lawWords(law, stated),
        rules: rule === undefined ? [] : [rule],
        effect: law?.kind === 'undone-by' ? 'write' : 'read',
        networks: [],
        needs: [],
        after: [],
        followsHead: false,
        alone: true,
        builtIn: false,
        origin: 'derived',
        steps: [{ kind: 'law', stated, methods: [method.name, ...calledBy(law)] }],
        source: { file: 'openrpc.json', line: 1 },
      },
    ]
  })
}

/** Returns the rank of a law. Laws about one result run last, because they also judge answers to calls of other laws. */
function rankOf({ law }: StatedLaw): number {
  if (law?.kind === 'undone-by') return 0
  if (law?.kind === 'first-of' || (law?.kind === 'adds-up' && law.of !== undefined)) return 1
  return law?.kind === 'pages' || law?.kind === 'partition' ? 2 : 3
}
