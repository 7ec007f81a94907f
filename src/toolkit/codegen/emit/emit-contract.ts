import {
  arrayMember,
  extensionMembers,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  objectMember,
  stringMember,
} from '../../contract/index.js'
import type { Emitter } from '../generated-file.js'
import { codeHeader } from '../header.js'
import { docComment, indent, literal, literalKey, quote } from '../text.js'

/** Info extensions that are emitted as separate constants or in errors.ts. */
const shaped = ['x-limits', 'x-rules', 'x-failures']

/** Emits contract.ts: title, version, limits, rules and extensions of the contract as data. */
export const emitContract: Emitter = (source) => {
  const { title, version, info } = source.contract
  const others = Object.entries(extensionMembers(info)).filter(([name]) => !shaped.includes(name))
  const content = `${codeHeader(source)}/** The contract's title. */
export const title = ${quote(title)}

/** The contract's version. */
export const version = ${quote(version)}

/** The contract's limits (\`x-limits\`): name and value, in the unit that the contract states. */
export const limits = {
${limitEntries(info).join('')}} as const

/** The contract's rules (\`x-rules\`), keyed by id. */
export const rules = ${literal(rulesById(info))} as const

/** The remaining \`x-\` extensions of the contract's info object. */
export const extensions = ${literal(Object.fromEntries(others))} as const
`
  return { path: 'contract.ts', content }
}

function limitEntries(info: JsonObject): readonly string[] {
  return Object.entries(objectMember(info, 'x-limits')).map(([name, limit]) =>
    indent(`${docComment([limitDoc(limit)])}${literalKey(name)}: ${literal(limitValue(limit))},\n`),
  )
}

/** "Size of a request body. Unit: bytes; section 7." */
function limitDoc(limit: JsonValue | undefined): string {
  if (!isObject(limit)) return ''
  const unit = stringMember(limit, 'unit')
  const section = stringMember(limit, 'section')
  const facts = [unit && `Unit: ${unit}`, section && `section ${section}`].filter(Boolean).join('; ')
  return [stringMember(limit, 'description'), facts && `${facts}.`].filter(Boolean).join(' ')
}

function limitValue(limit: JsonValue | undefined): JsonValue {
  return (isObject(limit) ? member(limit, 'value') : limit) ?? null
}

function rulesById(info: JsonObject): JsonObject {
  return Object.fromEntries(
    arrayMember(info, 'x-rules').flatMap((rule) => {
      const id = isObject(rule) ? stringMember(rule, 'id') : undefined
      if (!isObject(rule) || id === undefined) return []
      const { id: _, ...rest } = rule
      return [[id, rest]]
    }),
  )
}
