import {
  canonicalPointer,
  documentOf,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  objectMember,
} from '../../contract/index.js'
import type { LintProblem, LintRule, LintSubject } from '../lint-rule.js'

/** The kinds of components (OpenRPC 1.3, components object). */
const kinds: ReadonlySet<string> = new Set([
  ...['contentDescriptors', 'schemas', 'examples', 'links', 'errors', 'examplePairingObjects', 'tags'],
  'examplePairings',
])

/** Rules about components. */
export const componentRules: readonly LintRule[] = [
  {
    name: 'unknown-components-member',
    severity: 'warning',
    summary: 'Components have kinds that OpenRPC defines.',
    check: ({ document }) =>
      Object.keys(objectMember(document, 'components'))
        .filter((kind) => !kinds.has(kind) && !kind.startsWith('x-'))
        .map((kind) => ({
          pointer: joinPointer('#/components', kind),
          message: `unknown kind of component "${kind}": use ${[...kinds].join(', ')}`,
        })),
  },
  {
    name: 'unused-component',
    severity: 'warning',
    summary: 'Every component is used.',
    check: unused,
  },
]

/**
 * Finds components that are not used outside the components, neither directly nor through other components.
 */
function unused({ document, documents }: LintSubject): readonly LintProblem[] {
  const components = objectMember(document, 'components')
  const places = new Map<string, JsonValue>()
  for (const [kind, members] of Object.entries(components)) {
    if (!isObject(members) || kind.startsWith('x-')) continue
    for (const [key, value] of Object.entries(members)) {
      if (value !== undefined) places.set(joinPointer('#/components', kind, key), value)
    }
  }
  const { components: _, ...others } = document
  const outside = documents.all().filter(({ name }) => name !== '')
  const used = new Set<string>()
  const waiting: JsonValue[] = [others as JsonObject, ...outside.map(({ value }) => value)]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const place of placesNamed(next)) {
      const value = places.get(place)
      if (value === undefined || used.has(place)) continue
      used.add(place)
      waiting.push(value)
    }
  }
  return [...places.keys()]
    .filter((place) => !used.has(place))
    .map((pointer) => ({ pointer, message: 'is not used: remove it or refer to it' }))
}

/** Returns the components that strings in a value point to: references, and extensions with pointers. */
function placesNamed(value: JsonValue): readonly string[] {
  const found: string[] = []
  const waiting: (JsonValue | undefined)[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (isArray(next)) for (const item of next) waiting.push(item)
    else if (isObject(next)) for (const item of Object.values(next)) waiting.push(item)
    else if (typeof next === 'string' && next.includes('#/components/')) {
      const pointer = canonicalPointer(next.slice(documentOf(next).length)) ?? ''
      found.push(pointer.split('/').slice(0, 4).join('/'))
    }
  }
  return found
}
