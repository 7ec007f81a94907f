import {
  arrayMember,
  extensionMembers,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  objectMember,
  stringMember,
} from '../contract/index.js'
import type { Emitter } from './generated-file.js'
import { codeHeader } from './header.js'
import { docComment, indent, literal, literalKey, quote } from './text.js'

/** Extensions of the info object that have a form of their own in generated code. */
const shaped = ['x-limits', 'x-rules', 'x-failures']

/** contract.ts: the contract's facts as data: title, version, limits, rules, extensions. */
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

/** The contract's rules (\`x-rules\`) by id. */
export const rules = ${literal(rulesById(info))} as const

/** What else the contract says of the service as a whole: the further \`x-\` members of its info object. */
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
