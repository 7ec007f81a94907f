/** Names that Python, pydantic or the emitted module uses. */
const reserved = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if
  import in is lambda nonlocal not or pass raise return try while with yield self Any Literal BaseModel ConfigDict Field
  TypeAdapter Model RpcError Client httpx int str float bool list dict copy json schema construct validate
  parse_obj parse_raw parse_file from_orm update_forward_refs`.split(/\s+/),
)

const scalars = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' }

/**
 * Collects the Python types of schemas. Objects with members become classes; all other schemas are written in place.
 * @param {import('concordat/codegen').Contract} contract
 */
export function pythonModels(contract) {
  const classes = new Map()
  const classNames = new Set()
  const open = new Set()

  function typeOf({ pointer, schema }, name) {
    if (typeof schema !== 'object' || schema === null) return 'Any'
    if (schema.$ref !== undefined) return targetType(contract.resolve(schema.$ref, pointer))
    if (schema.const !== undefined) return literal([schema.const])
    if (schema.enum !== undefined) return literal(schema.enum)
    const inner = (keyword, at = '') => ({
      pointer: `${pointer}/${keyword}${at}`,
      schema: at === '' ? schema[keyword] : schema[keyword][at.slice(1)],
    })
    for (const keyword of ['anyOf', 'oneOf']) {
      if (schema[keyword])
        return union(schema[keyword].map((_, at) => typeOf(inner(keyword, `/${at}`), `${name}_${at + 1}`)))
    }
    if (schema.allOf?.length === 1) return typeOf(inner('allOf', '/0'), name)
    if (schema.allOf) return 'Any'
    const types = [schema.type ?? (schema.properties ? 'object' : [])].flat()
    return types.length === 0 ? 'Any' : union(types.map((type) => typed(type, schema, inner, pointer, name)))
  }

  function typed(type, schema, inner, pointer, name) {
    if (type === 'array') {
      return schema.items === undefined || Array.isArray(schema.items)
        ? 'list[Any]'
        : `list[${typeOf(inner('items'), `${name}_item`)}]`
    }
    if (type !== 'object') return scalars[type] ?? 'Any'
    if (Object.keys(schema.properties ?? {}).length > 0) return classOf({ pointer, schema }, name)
    const rest = schema.additionalProperties
    return typeof rest === 'object'
      ? `dict[str, ${typeOf(inner('additionalProperties'), `${name}_value`)}]`
      : 'dict[str, Any]'
  }

  /** A schema inside itself that is no class has no name, so that its inner part is Any. */
  function targetType(target) {
    if (open.has(target.pointer)) return classes.get(target.pointer)?.name ?? 'Any'
    open.add(target.pointer)
    const type = typeOf(target, target.pointer.split('/').at(-1) ?? 'Model')
    open.delete(target.pointer)
    return type
  }

  function classOf({ pointer, schema }, wanted) {
    const known = classes.get(pointer)
    if (known) return known.name
    const made = { name: unique(classNames, wanted, pascal), fields: [] }
    classes.set(pointer, made)
    const names = new Set()
    for (const [key, value] of Object.entries(schema.properties)) {
      const member = {
        pointer: `${pointer}/properties/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        schema: value,
      }
      const type = typeOf(member, `${made.name}_${key}`)
      const isRequired = schema.required?.includes(key)
      const parts = [...(isRequired ? [] : ['default=None']), `alias=${JSON.stringify(key)}`]
      made.fields.push(
        `${unique(names, key)}: ${isRequired ? type : optional(type)} = Field(${parts.join(', ')})`,
      )
    }
    return made.name
  }

  return {
    typeOf,
    unique,
    texts: () =>
      [...classes.values()].map(
        ({ name, fields }) => `
class ${name}(Model):
${fields.map((field) => `    ${field}`).join('\n')}
`,
      ),
  }
}

/** Returns a Python name that is not taken yet, and takes it. */
function unique(taken, wanted, form = snake) {
  const plain = form(wanted).replace(/^(?=\d|$)/, 'x')
  for (let at = 1; ; at++) {
    // Names that begin with model_ belong to pydantic.
    const isReserved = reserved.has(plain) || plain.startsWith('model_')
    const name = `${plain}${isReserved ? '_' : ''}${at === 1 ? '' : at}`
    if (taken.has(name)) continue
    taken.add(name)
    return name
  }
}

function snake(name) {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toLowerCase()
}

function pascal(name) {
  const words = name.split(/[^A-Za-z0-9]+/)
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** Returns the type of a value that may be absent. */
export function optional(type) {
  return /^(?:.* \| )?None$|^Any$/.test(type) ? type : `${type} | None`
}

function union(types) {
  const each = [...new Set(types)]
  return each.includes('Any') ? 'Any' : each.join(' | ')
}

/** Python's Literal takes texts, whole numbers, truth values and None. */
function literal(values) {
  const isPlain = (value) =>
    value === null || ['string', 'boolean'].includes(typeof value) || Number.isSafeInteger(value)
  if (values.length === 0 || !values.every(isPlain)) return 'Any'
  const words = new Map([
    [true, 'True'],
    [false, 'False'],
    [null, 'None'],
  ])
  return `Literal[${values.map((value) => words.get(value) ?? JSON.stringify(value)).join(', ')}]`
}
