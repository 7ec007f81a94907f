import { _, type Ajv, type AnySchema, type Code, type KeywordCxt, Name } from 'ajv'
import { getProperty, or } from 'ajv/dist/compile/codegen/index.js'
import { redefine } from './call-references.js'

/** A value that JavaScript compares with `===`. */
type Constant = string | number | boolean | null

/** Selects a branch of `oneOf` or `anyOf` by the value of one member, the discriminator. */
interface Choice {
  /** The member that every branch requires. */
  readonly member: string
  /** No two options share a constant. */
  readonly options: readonly {
    readonly constants: readonly Constant[]
    /** The position of the branch, or a choice by another member. */
    readonly next: number | Choice
  }[]
}

/** What is wrong with the tag of a value. Both are undefined for a value that is no object. */
export interface TagProblem {
  /** The member that is missing. */
  readonly missingTag?: string
  /** The constants that the member can have, as a JSON list: ajv's parameters are texts. */
  readonly tags?: string
}

const branchKeywords = ['oneOf', 'anyOf']

/**
 * Makes an ajv instance treat `oneOf` and `anyOf` as discriminated unions where every branch requires a member with
 * constants of its own. Only the branch with the constant of the value is validated, so its problems are the only ones.
 * At most one branch can be valid, so both keywords mean the same. ajv's own `discriminator` needs a keyword in the
 * schema, and takes neither null, nor `anyOf`, nor nested unions.
 * @param schemaOf returns the target of a reference
 */
export function readTags(ajv: Ajv, schemaOf: SchemaOf): void {
  for (const keyword of branchKeywords) {
    const rule = ajv.RULES.all[keyword]
    const code = typeof rule === 'object' && 'code' in rule.definition ? rule.definition.code : undefined
    if (code === undefined) continue
    redefine(ajv, keyword, (context) => {
      const branches = readBranches(context.schema, schemaOf)
      const choice = branches && choiceOf([...branches.objects])
      if (branches === undefined || choice === undefined) code.call(rule, context)
      else writeBranches(context, choice, branches.isNullable)
    })
  }
}

function writeBranches(context: KeywordCxt, choice: Choice, isNullable: boolean): void {
  const { gen, data, keyword } = context
  const isValid = gen.let('valid', false)
  gen.if(_`typeof ${data} == "object" && ${data} && !Array.isArray(${data})`)
  write(choice)
  if (isNullable) gen.elseIf(_`${data} === null`).assign(isValid, true)
  gen.else()
  refuse({})
  gen.endIf()
  context.ok(isValid)

  function write({ member, options }: Choice): void {
    const tag = gen.const('tag', _`${data}${getProperty(member)}`)
    gen.if(_`${tag} === undefined`)
    refuse({ missingTag: member })
    for (const { constants, next } of options) {
      gen.elseIf(or(...constants.map((value) => _`${tag} === ${value}`)))
      if (typeof next === 'number') validate(next)
      else write(next)
    }
    gen.else()
    refuse({ tags: JSON.stringify(options.flatMap(({ constants }) => constants)) }, member)
    gen.endIf()
  }

  function validate(position: number): void {
    const isBranchValid = gen.name('_valid')
    const branch = context.subschema({ keyword, schemaProp: position }, isBranchValid)
    context.mergeEvaluated(branch, Name)
    gen.assign(isValid, isBranchValid)
  }

  function refuse(params: TagProblem, place?: string): void {
    // ajv's type asks for code, but it takes the name of a member as well.
    context.error(false, { ...params }, place === undefined ? {} : { instancePath: place as unknown as Code })
  }
}

/** The constants that a branch allows for the members that it requires. */
type Tags = ReadonlyMap<string, readonly Constant[]>

/** Returns the tags of each branch of objects, by position; undefined if there are other branches than these and null. */
function readBranches(schema: unknown, schemaOf: SchemaOf) {
  if (!Array.isArray(schema)) return undefined
  const all = schema.map((branch: unknown) => target(branch, schemaOf))
  const objects = new Map<number, Tags>()
  for (const [position, branch] of all.entries()) {
    if (isNull(branch)) continue
    const tags = tagsOf(branch, schemaOf)
    if (tags === undefined) return undefined
    objects.set(position, tags)
  }
  // Two branches of null in `oneOf` refuse null.
  return all.length - objects.size > 1 ? undefined : { objects, isNullable: objects.size < all.length }
}

const isNull = ({ type, title, description, ...others }: Members) =>
  type === 'null' && Object.keys(others).length === 0

/** Finds a member that distinguishes the branches; undefined if there is only one branch, or no such member. */
function choiceOf(branches: readonly (readonly [position: number, tags: Tags])[]): Choice | undefined {
  const [first] = branches
  for (const member of first?.[1].keys() ?? []) {
    const groups: { constants: Set<Constant>; branches: typeof branches }[] = []
    for (const branch of branches) {
      const constants = new Set(branch[1].get(member))
      if (constants.size === 0) break
      const same = groups.filter((group) => [...constants].some((value) => group.constants.has(value)))
      for (const group of same) groups.splice(groups.indexOf(group), 1)
      groups.push({
        constants: new Set([...same.flatMap((group) => [...group.constants]), ...constants]),
        branches: [...same.flatMap((group) => group.branches), branch],
      })
    }
    if (groups.length < 2 || groups.flatMap((group) => group.branches).length < branches.length) continue
    const options = groups.flatMap(({ constants, branches: own }) => {
      const next = own.length === 1 ? own[0]?.[0] : choiceOf(own)
      return next === undefined ? [] : [{ constants: [...constants], next }]
    })
    if (options.length === groups.length) return { member, options }
  }
  return undefined
}

type Members = Readonly<Record<string, unknown>>
type SchemaOf = (reference: string) => AnySchema

/** Follows references of schemas that have no other keyword with an effect. */
function target(schema: unknown, schemaOf: SchemaOf): Members {
  let found = Object(schema) as Members
  const seen = new Set<unknown>()
  while (typeof found['$ref'] === 'string' && !seen.has(found)) {
    seen.add(found)
    found = Object(schemaOf(found['$ref'])) as Members
  }
  return found
}

/** Maximum nesting of `allOf`, `oneOf` and `anyOf` in which discriminators are searched. */
const depthMost = 8

/**
 * Returns the tags that a schema requires of objects.
 * @returns undefined if the schema also takes other values than objects
 */
function tagsOf(schema: Members, schemaOf: SchemaOf, depth = 0): Tags | undefined {
  if (depth > depthMost) return undefined
  const inner = (keyword: string): readonly (Tags | undefined)[] => {
    const schemas: unknown = schema[keyword]
    return Array.isArray(schemas)
      ? schemas.map((each: unknown) => tagsOf(target(each, schemaOf), schemaOf, depth + 1))
      : []
  }
  const alternatives = ['oneOf', 'anyOf'].map(inner).filter((tags) => tags.length > 0)
  const parts = [...inner('allOf'), ...alternatives.map(common)].filter((tags) => tags !== undefined)
  if (schema['type'] !== 'object' && parts.length === 0) return undefined
  return new Map([...parts.reverse().flatMap((tags) => [...tags]), ...ownTags(schema, schemaOf)])
}

/** Returns the tags that all alternatives have; undefined if one takes other values than objects. */
function common(alternatives: readonly (Tags | undefined)[]): Tags | undefined {
  const all = alternatives.filter((tags) => tags !== undefined)
  if (all.length < alternatives.length) return undefined
  const members = [...(all[0]?.keys() ?? [])].filter((member) => all.every((tags) => tags.has(member)))
  return new Map(
    members.map((member) => [member, [...new Set(all.flatMap((tags) => tags.get(member) ?? []))]]),
  )
}

/** Returns the constants of the members that a schema itself requires. */
function ownTags({ required, properties }: Members, schemaOf: SchemaOf): Tags {
  const names: readonly unknown[] = Array.isArray(required) ? required : []
  const members = Object(properties) as Members
  return new Map(
    names.flatMap((name) => {
      if (typeof name !== 'string' || !Object.hasOwn(members, name)) return []
      const { const: constant, enum: values = [constant] } = target(members[name], schemaOf)
      const all: readonly unknown[] = Array.isArray(values) ? values : []
      return all.length > 0 && all.every(isComparable) ? [[name, all]] : []
    }),
  )
}

const isComparable = (value: unknown): value is Constant =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)
