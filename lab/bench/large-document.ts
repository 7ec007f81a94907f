/** Size of the document. The largest public documents have as many methods and as much text. */
const size = { methods: 86, objects: 136, members: 8, family: 8 } as const

const words =
  'account block call data entry field given hash index key limit message name order page queue result state type value'.split(
    ' ',
  )

/** A sentence of this many words. The same number gives the same sentence. */
function sentence(seed: number, length: number): string {
  const picked = Array.from({ length }, (_, at) => words[(seed * 7 + at * (3 + (seed % 5))) % words.length])
  return `The ${picked.join(' ')}.`
}

/** A reference to an object of the same family. Objects of a family refer to each other, like those of one topic. */
function ref(family: number, at: number): object {
  const first = (family * size.family) % size.objects
  return { $ref: `#/components/schemas/Object${Math.min(first + (at % size.family), size.objects - 1)}` }
}

/** One of the kinds of schema that real documents are made of. */
function schemaOf(family: number, seed: number): object {
  const description = sentence(seed, 14)
  const kinds: readonly (() => object)[] = [
    () => ({ type: 'string', description, pattern: '^0x[0-9a-f]*$' }),
    () => ({ type: 'integer', description, minimum: 0 }),
    () => ({ type: ['string', 'null'], description, maxLength: 200 }),
    () => ({ type: 'array', description, items: ref(family, seed) }),
    () => ({ description, anyOf: [ref(family, seed), { type: 'null' }] }),
    () => ({ type: 'string', description, enum: words.slice(seed % 5, (seed % 5) + 6) }),
    () => ({ type: 'object', description, additionalProperties: { type: 'string', format: 'uuid' } }),
    () => ({ type: 'boolean', description, default: false }),
  ]
  return kinds[seed % kinds.length]?.() ?? {}
}

/** An object of several members; in a recursive document some lead back to objects that hold them. */
function objectOf(seed: number, members: number, isRecursive: boolean): object {
  const names = Array.from({ length: members }, (_, at) => `${words[(seed + at) % words.length]}${at}`)
  const properties = names.map((name, at) => {
    const schema = schemaOf(Math.floor(seed / size.family), seed * 13 + at)
    const isReference = JSON.stringify(schema).includes('$ref')
    return [name, isReference && !isRecursive ? { type: 'string', description: sentence(seed, 14) } : schema]
  })
  return {
    type: 'object',
    description: sentence(seed, 40),
    properties: Object.fromEntries(properties),
    required: names.filter((_, at) => at % 3 === 0),
    additionalProperties: seed % 2 === 0,
  }
}

function methodOf(at: number): object {
  const param = (name: string, required: boolean, schema: object) => ({
    name,
    required,
    description: sentence(at, 20),
    schema,
  })
  const values = Array.from(
    { length: 40 },
    (_, item) => `0x${(at * 1000 + item).toString(16).padStart(64, '0')}`,
  )
  return {
    name: `group${at % 9}.method${at}`,
    summary: sentence(at, 8),
    description: Array.from({ length: 10 }, (_, line) => sentence(at + line, 25)).join('\n\n'),
    paramStructure: 'by-position',
    params: [
      param('values', true, { type: 'array', items: { type: 'string', pattern: '^0x[0-9a-f]+$' } }),
      param('filter', false, objectOf(at, size.members, false)),
      param('limit', false, { type: 'integer', minimum: 0, maximum: 1000, default: 10 }),
    ],
    result: {
      name: 'result',
      schema: { oneOf: [ref(at, at), { type: 'array', items: { type: 'string' } }] },
    },
    errors: [{ code: 1000 + at, message: sentence(at, 5) }],
    examples: [1, 2].map((number) => ({
      name: `example ${number}`,
      description: sentence(at + number, 20),
      params: [{ name: 'values', value: values }],
      result: { name: 'result', value: values },
    })),
  }
}

/**
 * A document of 86 methods and about 2 MB, the same each time.
 * @param isRecursive whether its schemas lead back to themselves, as those of most large documents do
 */
export function largeDocument(isRecursive: boolean): object {
  const objects = Array.from({ length: size.objects }, (_, at) => [
    `Object${at}`,
    objectOf(at, size.members * 2, isRecursive),
  ])
  return {
    openrpc: '1.3.2',
    info: { title: 'A large service', version: '1.0.0', description: sentence(1, 100) },
    methods: Array.from({ length: size.methods }, (_, at) => methodOf(at)),
    components: { schemas: Object.fromEntries(objects) },
  }
}
