import type { ValueScopeName } from 'ajv/dist/compile/codegen/index.js'
import type { SourceCode } from 'ajv/dist/types/index.js'
import {
  isArray,
  isObject,
  type JsonValue,
  pointerTokens,
  unsafePatternTree,
  valueAt,
} from '../../contract/index.js'
import { typeMessage } from './messages.js'

/** How a function is compiled. */
export interface FunctionKind {
  /** Whether it collects all errors, or stops at the first one. */
  readonly allErrors: boolean
  /** Whether a schema that it leads to uses `unevaluatedItems` or `unevaluatedProperties`. */
  readonly unevaluated: boolean
  /** Whether a schema that it leads to names members that every JavaScript object inherits. */
  readonly ownProperties: boolean
}

/** The names in the generated file of what ajv's code uses outside its functions. */
type Names = ReadonlyMap<string, string>

/**
 * Returns the text of a function that ajv wrote, with the names of the generated file.
 * @param schema the schema of the function
 */
export function functionText(
  { validateCode, evaluated }: SourceCode,
  names: Names,
  kind: FunctionKind,
  schema: JsonValue,
): string {
  // Functions that record what was evaluated are called as ajv does, with the place of the value.
  const alone = kind.unevaluated ? validateCode : relative(validateCode)
  const finished = kind.unevaluated || kind.allErrors ? alone : withoutCounts(alone)
  const code = shorter(withNames(withTypeMessages(finished, schema), names))
  const name = code.match(/^function ([^(]*)/)?.[1] ?? ''
  return evaluated === undefined ? `${code}\n` : `${code}\n${name}.evaluated = ${evaluated};\n`
}

/** Returns the text of a value outside functions: a pattern, a schema, a format or a helper. */
export function valueText({ prefix, value }: ValueScopeName, names: Names): string {
  if (prefix === 'pattern') {
    const expression = value?.ref as RegExp
    const tree = unsafePatternTree(expression)
    const given = [tree, expression.flags].map((part) => JSON.stringify(part)).join(', ')
    if (tree !== undefined) return `/* @__PURE__ */ linearPattern(${given})`
  }
  const text =
    prefix === 'schema' ? JSON.stringify(withoutTexts(value?.ref as JsonValue)) : String(value?.code ?? '')
  const helper = text.match(/^require\("ajv\/dist\/runtime\/(\w+)"\)\.default$/)
  if (text === '' || (helper === null && text.includes('require('))) {
    throw new TypeError(`it needs ${text || prefix} at run time`)
  }
  if (helper) return helper[1] ?? ''
  const code = inCode(withNames(text, names), (part) =>
    part.replace(/^compilePattern\(/, '/* @__PURE__ */ compilePattern('),
  )
  return withoutPrototype(code)
}

/** Returns a schema without its texts. Functions read names of properties, and allowed values, from it. */
function withoutTexts(schema: JsonValue): JsonValue {
  if (isArray(schema)) return schema.map(withoutTexts)
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value = null]) => {
      if (name === 'enum' || name === 'const') return [[name, value] as const]
      return typeof value === 'string' ? [] : [[name, withoutTexts(value)] as const]
    }),
  )
}

/** Makes the places in errors relative to the value: the caller adds the place of the value. */
function relative(code: string): string {
  const alone = code.replace(/^(function \w+\(data), \{[^}]*\}=\{\}\)/, '$1)')
  return inCode(alone, (part) =>
    part
      .replaceAll('instancePath:instancePath+', 'instancePath:')
      .replaceAll('{instancePath,', '{instancePath:"",'),
  )
}

/** Removes the end of a function that returns its first error at once: a value that reaches the end is valid. */
function withoutCounts(code: string): string {
  const ended = code.replace(/\w+\.errors = vErrors;\nreturn errors === 0;\n\}\s*$/, 'return true;\n}')
  const isUsed = (word: string) => (ended.match(new RegExp(`\\b${word}\\b`, 'g')) ?? []).length > 1
  return isUsed('vErrors') || isUsed('errors')
    ? ended
    : ended.replace('let vErrors = null;\nlet errors = 0;\n', '')
}

function withNames(code: string, names: Names): string {
  return inCode(code, (part) =>
    part.replaceAll(/(?<![.\w$])[a-z]+\d+\b/gi, (word) => names.get(word) ?? word),
  )
}

/** Changes code outside string literals. ajv writes all of them with double quotes. */
function inCode(code: string, change: (part: string) => string): string {
  return code.replaceAll(/("(?:[^"\\]|\\.)*")|[^"]+/g, (part, text?: string) => text ?? change(part))
}

/** In an object literal, a plain or quoted `__proto__` would set the prototype. */
function withoutPrototype(code: string): string {
  return code.replaceAll('"__proto__":', '["__proto__"]:')
}

/** Replaces ajv's messages for values of the wrong type by those of {@link typeMessage}. */
function withTypeMessages(code: string, schema: JsonValue): string {
  return code.replaceAll(typeErrors, (_, path: string, rest: string) => {
    const message = typeMessage(valueAt(schema, pointerTokens(JSON.parse(`"${path}"`)) ?? []))
    return message === undefined ? rest : `${rest},message:${JSON.stringify(message)}`
  })
}

const typeErrors =
  /schemaPath:"((?:[^"\\]|\\.)*)\/type",(keyword:"type",params:\{type: [^{}]*?\}),message:"must be [a-z,]*"/g

/** Removes members that the generated file does not read, and replaces repeated lines by calls of its functions. */
function shorter(code: string): string {
  return (
    inCode(withoutPrototype(code), (part) => part.replaceAll('params:{},', ''))
      .replaceAll(/schemaPath:"(?:[^"\\]|\\.)*",/g, '')
      // ajv stores string items as property names. `"__proto__"` must be an ordinary one.
      .replaceAll(/^const (indices\d+) = \{\};$/gm, 'const $1 = Object.create(null);')
      .replaceAll(
        /if\(vErrors === null\)\{\nvErrors = \[(err\d+)\];\n\}\nelse \{\nvErrors\.push\(\1\);\n\}\nerrors\+\+;/g,
        'vErrors = withError(vErrors, $1);\nerrors++;',
      )
      .replaceAll(
        /if\(vErrors !== null\)\{\nif\((_errs\d+)\)\{\nvErrors\.length = \1;\n\}\nelse \{\nvErrors = null;\n\}\n\}/g,
        'vErrors = firstErrors(vErrors, $1);',
      )
      .replaceAll('\n}\nelse ', '\n} else ')
  )
}
