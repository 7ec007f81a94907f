import type { Json, Members } from './authored-contract.js'

/** The place of a statement in the contract: the keys and positions that lead to it. */
export type Place = readonly (string | number)[]

/** A change of one statement. */
export interface Mutation {
  /** What changes, such as `removed`. */
  readonly change: string
  /** Changes the statement in a copy of the contract. */
  readonly apply: (document: Json) => void
}

/** Members for people: names of sections, units, texts, and examples. */
const prose = new Set(
  'title description summary section text unit examples examplePairings example license'.split(' '),
)
/** The parts that describe the document instead of the service. */
const ofDocument = new Set(['openrpc', 'x-extensions'])

/** The value at a place; undefined where nothing is. */
function valueAt(document: Json, place: Place): Json | undefined {
  return place.reduce<Json | undefined>((here, key) => (here as Members | undefined)?.[key], document)
}

/** The places of all statements of a contract without members of their own, except prose and what describes the document. */
export function statementsOf(document: Members): readonly Place[] {
  const places: Place[] = []
  const visit = (value: Json, place: Place) => {
    if (value === null || typeof value !== 'object') return
    for (const key of Object.keys(value)) {
      const isName = place.at(-1) === 'properties' || Array.isArray(value)
      if ((prose.has(key) && !isName) || (place.length === 0 && ofDocument.has(key))) continue
      const inner = [...place, Array.isArray(value) ? Number(key) : key]
      const stated = (value as Members)[key] as Json
      if (stated === null || typeof stated !== 'object' || Object.keys(stated).length === 0)
        places.push(inner)
      visit(stated, inner)
    }
  }
  visit(document, [])
  return places.filter((place) => place.join('/') !== 'info/version')
}

/** Objects whose members have names that the contract chooses. */
const named =
  /^(?:info\/x-(?:networks|limits|failures|node-calls)|components\/\w+|.*\/properties|.*\/variables)$/

/** The kind of a statement: its place with an asterisk for each position and each name that the contract chooses. */
export function kindOf(place: Place): string {
  return place
    .map((key, at) => (typeof key === 'number' || named.test(place.slice(0, at).join('/')) ? '*' : key))
    .join('/')
}

/** The values that the statements of a kind have, as JSON. */
export function valuesByKind(document: Members): ReadonlyMap<string, ReadonlySet<string>> {
  const values = new Map<string, Set<string>>()
  for (const place of statementsOf(document)) {
    const value = JSON.stringify(valueAt(document, place))
    values.set(kindOf(place), (values.get(kindOf(place)) ?? new Set()).add(value))
  }
  return values
}

/**
 * The changes of a statement: the value of another statement of its kind, a greater number, the other boolean, a longer
 * text, and the removal.
 */
export function mutationsOf(
  document: Members,
  place: Place,
  others: ReadonlySet<string>,
): readonly Mutation[] {
  const value = valueAt(document, place)
  const own = JSON.stringify(value)
  const set = (change: string, other: Json): Mutation => ({
    change,
    apply: (copy) => {
      const parent = valueAt(copy, place.slice(0, -1)) as Members
      parent[String(place.at(-1))] = other
    },
  })
  const types = place.at(-1) === 'type' ? ['"string"', '"object"', '"array"'] : []
  const isPlain = value === null || typeof value !== 'object'
  const swapped = isPlain ? [...others, ...types].filter((other) => other !== own).slice(0, 3) : []
  return [
    ...swapped.map((other) => set(`becomes ${other}`, JSON.parse(other) as Json)),
    ...(typeof value === 'number' ? [set('becomes greater', value + 1)] : []),
    ...(typeof value === 'boolean' ? [set('is negated', !value)] : []),
    ...(Array.isArray(value) && value.length === 0
      ? [set('gets an item', ['']), set('gets an item', [1])]
      : []),
    ...(typeof value === 'string' ? [set('gets a letter', `${value}x`)] : []),
    {
      change: 'is removed',
      apply: (copy) => {
        const parent = valueAt(copy, place.slice(0, -1)) as Json[] | Members
        if (Array.isArray(parent)) parent.splice(Number(place.at(-1)), 1)
        else delete parent[String(place.at(-1))]
      },
    },
  ]
}

/**
 * A smaller contract with the statement: the methods that it is about, or two, with the schemas that these use.
 * @returns the contract, and the place of the statement in it
 */
export function aroundStatement(document: Members, place: Place): { document: Members; place: Place } {
  const copy = structuredClone(document)
  const methods = copy['methods'] as Members[]
  const [part, name] = place
  const linking = part === 'components' && name === 'links'
  if (linking || (part === 'methods' && name !== undefined)) {
    const own = (
      linking ? methods.find(({ links }) => links !== undefined) : methods[Number(name)]
    ) as Members
    const components = copy['components'] as Members
    const called = namesOfMethods([own['links'], own['x-laws'], components['links']])
    copy['methods'] = [
      own,
      ...methods.filter((other) => other !== own && called.has(String(other['name']))).map(plain),
    ]
  } else {
    copy['methods'] = methods.filter(usedBy(document, place)).map(plain)
  }
  const info = copy['info'] as Members
  if (name !== 'x-head' && name !== 'x-node-calls') {
    delete info['x-head']
    delete info['x-node-calls']
  }
  removeUnusedSchemas(copy)
  return {
    document: copy,
    place: part === 'methods' && name !== undefined ? ['methods', 0, ...place.slice(2)] : place,
  }
}

/** A method without the members that name other methods. */
function plain({ links: _, 'x-laws': __, ...method }: Members): Members {
  return method
}

function usedBy(document: Members, [part, kind, key]: Place): (method: Members) => boolean {
  if (part === 'components' && kind === 'schemas') {
    const users = (document['methods'] as Members[]).filter((method) =>
      schemasIn(document, [method]).has(String(key)),
    )
    const names = [users[0]?.['name'], users.at(-1)?.['name']]
    return ({ name }) => names.includes(name as Json)
  }
  if (part === 'components' && kind === 'tags') return ({ tags }) => JSON.stringify(tags).includes(`/${key}"`)
  if (kind === 'x-derived-rules') return () => true
  if (kind === 'x-method-defaults') return ({ params }) => (params as Json[]).length === 1
  if (kind === 'x-head' || kind === 'x-node-calls') {
    const names = namesOfMethods([document['info'] as Json])
    return ({ name }) => names.has(String(name))
  }
  return ({ name }) => name === 'eth_getBalance' || name === 'eth_getLogs'
}

/** The values of all members `method`, at any depth. */
function namesOfMethods(values: readonly (Json | undefined)[]): ReadonlySet<string> {
  const names = new Set<string>()
  const visit = (value: Json | undefined) => {
    if (value === null || typeof value !== 'object') return
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'method' && typeof inner === 'string') names.add(inner)
      else visit(inner)
    }
  }
  values.forEach(visit)
  return names
}

/** The component schemas that values refer to, directly or not. */
function schemasIn(document: Members, values: readonly Json[]): ReadonlySet<string> {
  const schemas = (document['components'] as Members)['schemas'] as Members
  const found = new Set<string>()
  const visit = (value: Json | undefined) => {
    if (value === null || typeof value !== 'object' || value === undefined) return
    for (const [key, inner] of Object.entries(value)) {
      const reference = key === '$ref' || key === 'from' ? String(inner) : ''
      const [, name] = /^#\/components\/schemas\/(\w+)/.exec(reference) ?? []
      if (name === undefined) visit(inner)
      else if (!found.has(name)) {
        found.add(name)
        visit(schemas[name])
      }
    }
  }
  values.forEach(visit)
  return found
}

function removeUnusedSchemas(document: Members): void {
  const {
    components,
    info,
    methods,
    'x-extensions': extensions,
  } = document as {
    [part: string]: Members & Json
  }
  const schemas = components?.['schemas'] as Members
  const mistaken = (Object.values(info?.['x-derived-rules'] ?? {}) as Members[]).flatMap(
    (rule) => (rule['schemas'] as string[] | undefined) ?? [],
  )
  const named = mistaken.map((name) => ({ $ref: `#/components/schemas/${name}` }))
  const used = schemasIn(document, [methods as Json, components?.['errors'] as Json, info as Json, named])
  for (const key of Object.keys(schemas)) if (!used.has(key)) delete schemas[key]
  for (const declaration of extensions as unknown as Members[]) {
    const statedFor = declaration['x-stated-for'] as string[] | undefined
    if (statedFor !== undefined) declaration['x-stated-for'] = statedFor.filter((key) => used.has(key))
  }
}
