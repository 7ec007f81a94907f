import {
  arrayMember,
  type Contract,
  isObject,
  type JsonObject,
  type JsonValue,
  type Method,
  member,
  objectMember,
  stringMember,
} from '../../contract/index.js'
import { literalTemplate } from '../literal-template.js'
import { type Given, sentParams } from '../params/given-params.js'
import { resultPath } from './feeds.js'

/** A law of a method, as steps of a scenario for a call. */
export interface Law {
  /** What the law requires, in words that follow the name of the method. */
  readonly words: string
  /** Steps for a call with these parameters; undefined if the law does not apply to them. */
  readonly steps: (given: Given) => readonly JsonObject[] | undefined
}

const same: JsonObject = { result: { $is: `\${first}` } }

/**
 * Reads the laws of a method (`x-laws`):
 * - `repeatable`: the same call gives the same result again;
 * - `batchable`: the call gives the same result in a batch;
 * - `equals`: another method gives the same result. Its parameters are runtime expressions as in links:
 *   `${result.hash}` or `${params.name}`.
 */
export function lawsOf(contract: Contract, method: Method): readonly Law[] {
  return arrayMember(method.extensions, 'x-laws').flatMap((law): readonly Law[] => {
    if (!isObject(law)) return []
    const call = (given: Given): JsonObject | undefined => {
      const params = sentParams(method, given)
      return params === undefined
        ? undefined
        : { call: literalTemplate(method.name), params: literalTemplate(params) }
    }
    const after = (given: Given, capture: JsonObject, ...next: readonly JsonObject[]) => {
      const first = call(given)
      return first && [{ ...first, capture: { first: '$.result', ...capture } }, ...next]
    }
    switch (stringMember(law, 'law')) {
      case 'repeatable':
        return [
          {
            words: 'gives the same result again',
            steps: (given) => after(given, {}, { ...call(given), expect: same }),
          },
        ]
      case 'batchable': {
        const batch = (given: Given) => ({
          batch: [call(given) ?? {}, call(given) ?? {}],
          expect: { items: [same, same] },
        })
        return [
          { words: 'gives the same result in a batch', steps: (given) => after(given, {}, batch(given)) },
        ]
      }
      case 'equals': {
        const other = contract.methods.find(({ name }) => name === stringMember(law, 'method'))
        if (other === undefined) return []
        const steps = (given: Given) => {
          const found = otherParams(other, objectMember(law, 'params'), method, given)
          if (found === undefined) return undefined
          return after(given, found.capture, {
            call: literalTemplate(other.name),
            params: found.params,
            expect: same,
          })
        }
        return [{ words: `gives the result of \`${other.name}\``, steps }]
      }
      default:
        return []
    }
  })
}

/** Parameters of the other method, with captures from the first result. */
function otherParams(other: Method, stated: JsonObject, method: Method, given: Given) {
  const capture: Record<string, JsonValue> = {}
  const values = other.params.map(({ name }, at): JsonValue | undefined => {
    const expression = member(stated, name)
    const path = resultPath(expression)
    const param = typeof expression === 'string' ? /^\$\{params\.(.+)\}$/.exec(expression)?.[1] : undefined
    if (param !== undefined) {
      const value = given[method.params.findIndex((own) => own.name === param)]
      return value === undefined ? undefined : literalTemplate(value)
    }
    if (path === undefined) return expression === undefined ? undefined : literalTemplate(expression)
    capture[`p${at}`] = path
    return `\${p${at}}`
  })
  const params = sentParams(other, values)
  return params === undefined ? undefined : { capture, params }
}
