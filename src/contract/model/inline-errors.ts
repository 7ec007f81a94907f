import { documentOf } from '../load/documents.js'
import type { DeclaredError, Method } from './contract.js'

/** Equal errors that methods declare inline. */
interface Group {
  readonly first: DeclaredError
  /** The message as a name, if it can be one. */
  readonly title: string | undefined
  /** Names after each place: the method and the code. */
  readonly places: string[]
}

/** Most words of a message that become a name. */
const mostWords = 5

/**
 * Names the errors that methods declare inline. Equal errors share one name: their message, if no different error
 * has this name. Otherwise the name is the first of their methods, by name, and the code.
 * @param methods the methods, whose inline errors have empty keys
 * @param components the errors of `components.errors`
 */
export function withInlineErrorNames(
  methods: readonly Method[],
  components: readonly DeclaredError[],
): readonly Method[] {
  const groups = groupsOf(methods)
  const names = new Map<string, number>(components.map(({ key }) => [key, 1]))
  for (const { title } of groups.values()) {
    if (title !== undefined) names.set(title, (names.get(title) ?? 0) + 1)
  }
  const keyOf = ({ title, places }: Group) =>
    title !== undefined && names.get(title) === 1 ? title : ([...places].sort()[0] ?? '')
  return methods.map((method) => ({
    ...method,
    errors: method.errors.map((error) => {
      const group = error.key === '' ? groups.get(identity(error)) : undefined
      return group ? { ...error, key: keyOf(group), data: group.first.data } : error
    }),
  }))
}

function groupsOf(methods: readonly Method[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>()
  for (const { name, errors } of methods) {
    for (const error of errors) {
      if (error.key !== '') continue
      const group = groups.get(identity(error)) ?? { first: error, title: titleOf(error), places: [] }
      group.places.push(`${name}_${String(error.code).replace('-', 'minus_')}`)
      groups.set(identity(error), group)
    }
  }
  return groups
}

/** Returns what equal errors have in common. References of a data schema depend on the file that holds them. */
function identity({ code, message, description, data, dataRequired }: DeclaredError): string {
  const schema = data && [documentOf(data.pointer), data.schema]
  return JSON.stringify([code, message, description, schema, dataRequired])
}

/** Returns the words before the first punctuation mark as a name: `Invalid params: …` gives `invalidParams`. */
function titleOf({ message }: DeclaredError): string | undefined {
  const [clause = ''] = message.split(/[.:;,!?(){}]/)
  const [first, ...others] = clause
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .slice(0, mostWords)
  if (first === undefined || !/^\p{L}/u.test(first)) return undefined
  const isAcronym = first === first.toUpperCase()
  const start = isAcronym ? first.toLowerCase() : first.replace(/^./u, (letter) => letter.toLowerCase())
  return start + others.map((word) => word.replace(/^./u, (letter) => letter.toUpperCase())).join('')
}
