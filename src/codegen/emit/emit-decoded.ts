import type { JsonObject, Method } from '../../contract/index.js'
import type { Emitter } from '../generated-file.js'
import { codeHeader } from '../header.js'
import { indentRest, literal, literalKey } from '../text.js'
import { createDecodePlans, type DecodePlans } from '../types/decode-plan.js'

/**
 * Emits decoded.ts: the codec of clients whose quantities are `bigint` or `number`. A contract without `x-decode`
 * gets no file.
 */
export const emitDecoded: Emitter = (source) => {
  const plans = createDecodePlans(source.contract, source.names)
  const methods = source.contract.methods.flatMap((method) => {
    const plan = methodPlan(plans, method)
    return Object.keys(plan).length === 0 ? [] : [`    ${literalKey(method.name)}: ${nested(plan)},\n`]
  })
  if (methods.length === 0) return undefined
  const schemas = Object.entries(plans.named()).map(
    ([name, plan]) => `    ${literalKey(name)}: ${nested(plan as JsonObject)},\n`,
  )
  const content = `${codeHeader(source)}import { createCodec } from '@concordat/client'

/** The option \`decode\` of \`createClient\`: quantities are \`bigint\` or \`number\`, as \`x-decode\` states. */
export const quantities = createCodec<unknown>({
  methods: {
${methods.join('')}  },
  schemas: {
${schemas.join('')}  },
})
`
  return { path: 'decoded.ts', content }
}

function nested(plan: JsonObject): string {
  return indentRest(indentRest(literal(plan)))
}

/** The plans of a method's parameters, with their positions, and of its result. */
function methodPlan({ planOf }: DecodePlans, { params, result }: Method): JsonObject {
  const stated = params.flatMap(({ name, schema }, position) => {
    const plan = planOf(schema)
    return plan === undefined ? [] : [[name, [position, plan]] as const]
  })
  const ofResult = result && planOf(result.schema)
  return {
    ...(stated.length > 0 ? { params: Object.fromEntries(stated) } : {}),
    ...(ofResult === undefined ? {} : { result: ofResult }),
  }
}
