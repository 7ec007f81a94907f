import type { Law, StatedLaw, Tokens } from '../../../toolkit/contract/index.js'

/** States a law in one sentence. */
export function lawWords(law: Law, { method, when }: Pick<StatedLaw, 'method' | 'when'>): string {
  const values = Object.entries(when).map(([name, value]) => `\`${name}\` ${JSON.stringify(value)}`)
  return sentence(
    law,
    values.length === 0 ? `\`${method.name}\`` : `\`${method.name}\` with ${values.join(' and ')}`,
  )
}

/** @param name the method, with the condition of the law */
function sentence(law: Law, name: string): string {
  switch (law.kind) {
    case 'sorted': {
      const keys = law.by.map(
        ({ path, isDescending }) =>
          `${path.length === 0 ? 'value' : `\`${path.join('/')}\``}${isDescending ? ' (descending)' : ''}`,
      )
      return `${placed('The list', law.list)} that ${name} returns is sorted by ${keys.join(', then by ')}.`
    }
    case 'adds-up': {
      const parts = law.of === undefined ? '' : ` of \`${law.of.method.name}\``
      const kind = law.isCount ? 'number' : 'sum'
      return `${placed('The total', law.total)} that ${name} returns is the ${kind} of ${placed('the parts', law.parts)}${parts}.`
    }
    case 'pages':
      return `The pages of ${name} join to the whole list, and none has more items than \`${law.size}\` says.`
    case 'first-of':
      return `${name} returns the first item of the list of \`${law.of.method.name}\`.`
    case 'subset-by': {
      const names = [
        ...law.members.map(({ param }) => param),
        ...law.bounds.flatMap(({ from, to }) => [from, to]),
      ]
      return `Each item of ${placed('the list', law.list)} that ${name} returns matches ${listed(names)} of the request.`
    }
    case 'echoes':
      return `The result of ${name} has ${listed(law.members.map(({ param }) => param))} of the request.`
    case 'partition':
      return `The list that ${name} returns for a range from \`${law.from.join('/')}\` to \`${law.to.join('/')}\` is that of its parts.`
    case 'undone-by':
      return `\`${law.by.method.name}\` undoes ${name}: ${law.observe.map(({ method }) => `\`${method.name}\``).join(' and ')} return what they returned before.`
  }
}

function listed(paths: readonly Tokens[]): string {
  return paths.map((path) => `\`${path.join('/')}\``).join(', ')
}

function placed(noun: string, tokens: Tokens): string {
  return tokens.length === 0 ? noun : `${noun} \`${tokens.map((token) => `/${token}`).join('')}\``
}
